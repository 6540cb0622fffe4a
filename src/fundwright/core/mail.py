"""Emails: each is a row in the outbox, and a job sends it by SMTP if a server is configured.

A message may contain a link that opens the recipient's account. So the outbox that administrators see has no subjects, texts, or
links; only `fundwright mail` on the server prints them, and the text of a sent email is deleted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.headerregistry import BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, ClassVar, TypedDict, TypeVar
from uuid import UUID, uuid4

import aiosmtplib
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.core.jobs import JobHandler, JobPayload, JobRun, Lane, no_actor
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import Language, later, t, using_language
from fundwright.core.paging import Page, PageRequest
from fundwright.core.scopes import acting
from fundwright.core.settings import Settings
from fundwright.core.visible import without_links

if TYPE_CHECKING:
    from fundwright.core.assembly import Core

M = TypeVar("M", bound="MailRead")

_RETRY_DELAYS_S = (10, 60, 300, 1_800, 7_200)
"""How long to wait after each failed attempt. After the last one, no more attempts are made."""
_TIMEOUT_S, _QUIT_TIMEOUT_S = 30, 1
_PERMANENT_FAILURES = 500
_MAX_ERROR_LENGTH = 500
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]+")
"""A server may answer in Latin-1, whose bytes become surrogates, or with no text at all."""


class MailState(StrEnum):
    KEPT = "kept"
    """No mail server is configured."""
    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            MailState.KEPT: t("Stored"),
            MailState.WAITING: t("Waiting"),
            MailState.SENT: t("Sent"),
            MailState.FAILED: t("Failed"),
        }[self]


class MailKind(StrEnum):
    """What an email is about."""

    ACCOUNT_DELETED = "account_deleted"
    ACCOUNT_DISABLED = "account_disabled"
    ACCOUNT_ENABLED = "account_enabled"
    ACCOUNT_EXISTS = "account_exists"
    API_TOKEN_CREATED = "api_token_created"
    EMAIL_CHANGE = "email_change"
    EMAIL_CONFIRMATION = "email_confirmation"
    INVITATION = "invitation"
    INVOICE = "invoice"
    NEW_EMAIL_CONFIRMATION = "new_email_confirmation"
    NOTIFICATION = "notification"
    PASSKEY_ADDED = "passkey_added"
    PASSKEY_REMOVED = "passkey_removed"
    PASSWORD_CHANGED = "password_changed"
    PASSWORD_RESET = "password_reset"
    RECOVERY_CODE_USED = "recovery_code_used"
    ROLE_CHANGED = "role_changed"
    SECOND_FACTOR_OFF = "second_factor_off"
    SECOND_FACTOR_ON = "second_factor_on"
    SESSION_REPLAYED = "session_replayed"
    OTHER = "other"
    """From another package, or written before emails had kinds and not recognized."""

    @property
    def label(self) -> str:
        """In the reader's language."""
        return str(_KIND_LABELS[self])


_KIND_LABELS = {
    MailKind.ACCOUNT_DELETED: later("Account deleted"),
    MailKind.ACCOUNT_DISABLED: later("Account disabled"),
    MailKind.ACCOUNT_ENABLED: later("Account enabled"),
    MailKind.ACCOUNT_EXISTS: later("Account already exists"),
    MailKind.API_TOKEN_CREATED: later("API token created"),
    MailKind.EMAIL_CHANGE: later("Email address change requested"),
    MailKind.EMAIL_CONFIRMATION: later("Email confirmation"),
    MailKind.INVITATION: later("Invitation"),
    MailKind.INVOICE: later("Invoice"),
    MailKind.NEW_EMAIL_CONFIRMATION: later("New email confirmation"),
    MailKind.NOTIFICATION: later("Notifications"),
    MailKind.PASSKEY_ADDED: later("Passkey added"),
    MailKind.PASSKEY_REMOVED: later("Passkey removed"),
    MailKind.PASSWORD_CHANGED: later("Password changed"),
    MailKind.PASSWORD_RESET: later("Password reset link"),
    MailKind.RECOVERY_CODE_USED: later("Recovery code used"),
    MailKind.ROLE_CHANGED: later("Role changed"),
    MailKind.SECOND_FACTOR_OFF: later("Two-step verification turned off"),
    MailKind.SECOND_FACTOR_ON: later("Two-step verification turned on"),
    MailKind.SESSION_REPLAYED: later("Old session token used"),
    MailKind.OTHER: later("Other"),
}


class Mail(Base):
    __tablename__ = "mail"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    kind: Mapped[str]
    recipient: Mapped[str]
    subject: Mapped[str]
    language: Mapped[str]
    text: Mapped[str]
    html: Mapped[str]
    unsubscribe_link: Mapped[str] = mapped_column(default="")
    """For the header of the email; "" if the recipient cannot turn it off."""
    state: Mapped[str]
    tries: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)
    sent_at: Mapped[datetime | None]


class SendMail(JobPayload):
    job_kind: ClassVar[str] = "mail.send"

    mail_id: UUID


class MailQuery(PageRequest):
    """Which emails to list, newest first unless `sort` is recipient, created_at, or sent_at. `text` is part of the recipient or of the
    kind in the reader's language."""

    sorts: ClassVar[tuple[str, ...]] = ("recipient", "created_at", "sent_at")

    text: str = Field(default="", max_length=200)
    state: MailState | None = None


class MailRead(BaseModel):
    """An email as the outbox shows it."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    kind: MailKind
    recipient: str
    state: MailState
    tries: int
    error: str
    created_at: datetime
    sent_at: datetime | None


class MailMessage(MailRead):
    """An email with its content, for people with access to the data folder. `text` is empty once it was sent."""

    subject: str
    text: str


@dataclass(frozen=True)
class OutgoingEmail:
    """The content of an email: paragraphs, and a link with its label below them. Texts are in the recipient's language.

    Names, titles, and descriptions by others can hold an address that looks like ours, so nothing in the subject and the paragraphs becomes a
    link, except `addresses`."""

    recipient: str
    subject: str
    paragraphs: Sequence[str]
    link: tuple[str, str] | None = None
    language: Language = "en"
    kind: MailKind = field(kw_only=True)
    addresses: Sequence[str] = ()
    """Email addresses of accounts that the texts name."""
    settings_link: tuple[str, str] | None = None
    """In the footer: where the recipient can turn off such emails."""
    unsubscribe_link: str = ""
    """Turns off such emails without signing in: a `GET` asks first, and a `POST` as in RFC 8058 does it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "subject", without_links(self.subject, keep=self.addresses))
        object.__setattr__(self, "paragraphs", tuple(without_links(each, keep=self.addresses) for each in self.paragraphs))

    @property
    def text(self) -> str:
        footer = [f"-- \n{self._footer}", *([self._introduced(self.settings_link)] if self.settings_link else [])]
        parts = [*self.paragraphs, *([self._introduced(self.link)] if self.link else []), *footer]
        return "\n\n".join(parts) + "\n"

    def _introduced(self, link: tuple[str, str]) -> str:
        label, address = link
        with using_language(self.language):
            introduction = t("{label}:", label=label)
        return f"{introduction}\n{address}"

    @property
    def html(self) -> str:
        body = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in self.paragraphs)
        if self.link:
            label, address = self.link
            body += f'<p><a href="{escape(address)}">{escape(label)}</a></p><p><small>{escape(address)}</small></p>'
        small = escape(self._footer)
        if self.settings_link:
            label, address = self.settings_link
            small += f' <a href="{escape(address)}">{escape(label)}</a>'
        return (
            f'<!doctype html><html lang="{self.language}"><head><meta charset="utf-8"><title>{escape(self.subject)}</title></head>'
            f'<body style="font-family:sans-serif;max-width:36em">{body}<p><small>{small}</small></p></body></html>'
        )

    @property
    def _footer(self) -> str:
        with using_language(self.language):
            return t("Sent by Fundwright. If you did not expect this email, you can ignore it.")


async def post(session: AsyncSession, core: Core, email: OutgoingEmail, *, recipient_id: UUID | None = None) -> None:
    """Put an email into the outbox; it is sent after the caller's transaction commits.

    It is sent in a turn of the account that caused it, or, if a visitor or the installation did, of the account `recipient_id`."""
    mail = Mail(
        id=uuid4(),
        kind=email.kind,
        recipient=email.recipient,
        subject=email.subject,
        language=email.language,
        text=email.text,
        html=email.html,
        unsubscribe_link=email.unsubscribe_link,
        state=MailState.WAITING if core.settings.sends_mail else MailState.KEPT,
    )
    session.add(mail)
    await session.flush()
    if core.settings.sends_mail:
        await _send_later(session, core, mail.id, account_id=acting().account_id or recipient_id)


async def list_mails(session: AsyncSession, query: MailQuery) -> Page[MailRead]:
    """Callers check that the actor is an administrator."""
    return await _list(session, query, MailRead)


async def list_messages(session: AsyncSession, request: PageRequest) -> Page[MailMessage]:
    """Newest first, with links that open accounts: for the command line only."""
    return await _list(session, MailQuery(page=request.page, page_size=request.page_size), MailMessage)


async def _list(session: AsyncSession, query: MailQuery, shown_as: type[M]) -> Page[M]:
    found = select(Mail)
    if query.text:
        kinds = [kind for kind in MailKind if query.text.casefold() in kind.label.casefold()]
        found = found.where(or_(contains(query.text, Mail.recipient), Mail.kind.in_(kinds)))
    if query.state is not None:
        found = found.where(Mail.state == query.state)
    total = await count_all(session, found)
    columns = {"recipient": Mail.recipient, "created_at": Mail.created_at, "sent_at": Mail.sent_at}
    ordered = found.order_by(ordered_by(query, columns, default=Mail.created_at.desc()), Mail.id)
    mails = await session.scalars(ordered.offset(query.offset).limit(query.page_size))
    items = [shown_as.model_validate(mail) for mail in mails]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


async def forget(session: AsyncSession, recipient: str) -> None:
    """Delete the emails to an account that is being deleted, except those that are being sent."""
    await session.execute(delete(Mail).where(Mail.recipient == recipient, Mail.state != MailState.WAITING))


async def forget_old(session: AsyncSession, *, before: datetime, limit: int) -> int:
    """Delete some emails that were written before, and return how many."""
    old = select(Mail.id).where(Mail.created_at < before).limit(limit).with_for_update(skip_locked=True)
    return len((await session.scalars(delete(Mail).where(Mail.id.in_(old)).returning(Mail.id))).all())


class SentMail(TypedDict):
    state: str
    tries: int


async def send(run: JobRun[SendMail, None]) -> SentMail | None:
    """The job: send an email to the server. If the server is unreachable or busy, another job tries again later."""
    core = run.services
    mail_id = run.payload.mail_id
    async with run.transaction() as session:
        mail = await session.get(Mail, mail_id)
    if mail is None or mail.state != MailState.WAITING or not core.settings.sends_mail:
        return None
    error, is_final = await _deliver(core.settings, mail)
    async with run.transaction() as session:
        mail = await session.get_one(Mail, mail_id, with_for_update=True)
        mail.tries += 1
        mail.error = _shown(error, mail)
        if not error:
            mail.state, mail.sent_at, mail.text, mail.html, mail.unsubscribe_link = MailState.SENT, now(), "", "", ""
        elif is_final or mail.tries > len(_RETRY_DELAYS_S):
            mail.state = MailState.FAILED
        else:
            await _send_later(session, core, mail_id, account_id=run.account_id, delay_s=_RETRY_DELAYS_S[mail.tries - 1])
        return {"state": mail.state, "tries": mail.tries}


async def _fail(session: AsyncSession, payload: SendMail, error: str) -> None:
    """No job is left that would send the email."""
    query = update(Mail).where(Mail.id == payload.mail_id, Mail.state == MailState.WAITING)
    await session.execute(query.values(state=MailState.FAILED, error=error))


JOB_HANDLER = JobHandler(SendMail, send, no_actor, _fail, lane=Lane.SHORT)


async def _send_later(session: AsyncSession, core: Core, mail_id: UUID, *, account_id: UUID | None, delay_s: int = 0) -> None:
    await core.jobs.enqueue(
        session, SendMail(mail_id=mail_id), title="Send an email", owner_id=None, account_id=account_id, delay_s=delay_s
    )


async def _deliver(settings: Settings, mail: Mail) -> tuple[str, bool]:
    """The error, or "", and whether trying again is useless: a refusal of the connection or the password says nothing about
    the email."""
    server = aiosmtplib.SMTP(
        hostname=settings.smtp_host,
        port=settings.smtp_port,
        username=settings.smtp_user,
        password=settings.smtp_password.get_secret_value() if settings.smtp_password else None,
        use_tls=settings.smtp_security == "tls",
        start_tls=settings.smtp_security == "starttls",
        timeout=_TIMEOUT_S,
    )
    is_connected = False
    try:
        await server.connect()
        is_connected = True
        await server.send_message(_message(settings, mail))
    except aiosmtplib.SMTPResponseException as refusal:
        return f"{refusal.code} {refusal.message}", is_connected and refusal.code >= _PERMANENT_FAILURES
    except aiosmtplib.SMTPRecipientsRefused as refusal:
        (first, *_) = refusal.recipients
        return f"{first.code} {first.message}", first.code >= _PERMANENT_FAILURES
    except (aiosmtplib.SMTPException, OSError) as trouble:
        return str(trouble) or type(trouble).__name__, False
    else:
        with suppress(aiosmtplib.SMTPException, OSError):  # the server has accepted the email; later errors do not matter
            await server.quit(timeout=_QUIT_TIMEOUT_S)
        return "", True
    finally:
        server.close()  # immediately, even if the worker is stopped


def _shown(error: str, mail: Mail) -> str:
    """The error as the outbox shows it: text that can be stored, without links. A server that refuses a message for its links
    may repeat them."""
    links = [word.partition("://")[2] for word in mail.text.split() if "://" in word]
    for link in filter(None, links):
        error = error.replace(link, "…")
    return _UNPRINTABLE.sub("\ufffd", error)[:_MAX_ERROR_LENGTH]


class _Address(UnstructuredHeader, BaseHeader):
    """A header with an address in one line. Python would encode a long address like a text, and mail clients could not open it."""

    def fold(self, *, policy: policy.Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


_HEADERS = HeaderRegistry()
_HEADERS.map_to_type("list-unsubscribe", _Address)


def _message(settings: Settings, mail: Mail) -> EmailMessage:
    message = EmailMessage(policy.SMTP.clone(header_factory=_HEADERS))
    message["From"] = settings.mail_from
    message["To"] = mail.recipient
    message["Subject"] = mail.subject
    message["Date"] = format_datetime(mail.created_at)
    # The same for each attempt, so that a mail client can recognize duplicates.
    message["Message-ID"] = f"<{mail.id}@{parseaddr(settings.mail_from)[1].rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    if mail.unsubscribe_link:
        message["List-Unsubscribe"] = f"<{mail.unsubscribe_link}>"
        if mail.unsubscribe_link.startswith("https://"):  # mail clients send the request only then
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(mail.text)
    message.add_alternative(mail.html, subtype="html")
    message["Content-Language"] = mail.language  # setting the content drops such headers
    return message

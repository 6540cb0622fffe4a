"""Registering: by the open link, by an invitation or another package's link, or by a program. And confirming the address.

Nobody learns here which addresses have an account: the answer is the same, and what differs is told by letter.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Protocol
from urllib.parse import quote
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict, FundwrightError, NotFound
from fundwright.core.messages import Language, current_language, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.identity import audit, entry, jobs, letters, repository, second_factor, service, throttle, tokens
from fundwright.identity.models import Account, Invitation
from fundwright.identity.permissions import needs, not_allowed
from fundwright.identity.reauthentication import needs_recent_proof
from fundwright.identity.schemas import (
    Actor,
    Client,
    InvitationQuery,
    InvitationRead,
    Permission,
    ResetChoices,
    Role,
    SignedIn,
    SignInRefused,
)

OPEN = ("standard", "open")
TEAM = "team"
LETTER_SENT = "If the address can be registered, a letter tells how to go on."

_CONFIRMED_WITHIN = timedelta(days=1)
_INVITED_FOR = timedelta(days=14)


class RegistrationClosed(FundwrightError):
    status = 403

    def __init__(self) -> None:
        super().__init__(
            t(
                "Registration is by invitation. Ask whoever runs this installation for an account; "
                "they add one with `fundwright user add`."
            )
        )


class AlreadyRegistered(Conflict):
    """Told only to who holds an invitation of that very address."""

    def __init__(self, email: str) -> None:
        super().__init__(t("There is an account for {email} already. Sign in with it.", email=email))


class InvitationAccepted(Conflict):
    def __init__(self, email: str) -> None:
        super().__init__(t("{email} has already accepted the invitation. Disable the account instead.", email=email))


class RegistrationLink(BaseModel):
    """What a link `/auth/register/{type}/{token}` is for. `note` says what it gives or, when it is not open, why it does not work.

    `email` is the only address it is for, if it is for one.
    """

    model_config = ConfigDict(frozen=True)

    is_open: bool
    note: str = ""
    email: str = ""


class RegistrationLinks(Protocol):
    """Links of one type, which a package makes and looks after."""

    type: str

    async def describe(self, session: AsyncSession, token: str) -> RegistrationLink: ...

    async def redeem(self, core: Core, session: AsyncSession, actor: Actor, token: str, *, client: Client) -> None:
        """Give the new account what the link promises. Raises LinkSpent when somebody else was quicker."""
        ...


async def describe_link(core: Core, session: AsyncSession, *, type: str, token: str) -> RegistrationLink:
    if (type, token) == OPEN:
        return RegistrationLink(is_open=core.settings.open_registration, note="")
    if type == TEAM:
        invitation = await repository.find_invitation(session, tokens.digest(token))
        if invitation is None:
            note = t("This invitation has been used, has expired or was withdrawn. Ask for a new one, or sign in.")
            return RegistrationLink(is_open=False, note=note)
        return RegistrationLink(is_open=True, note=t("You are invited."), email=invitation.email)
    links = _links_of(core, type)
    if links is None:
        return RegistrationLink(is_open=False, note=t("This link is not complete. Open it once more as it was sent to you."))
    return await links.describe(session, token)


async def count_request(session: AsyncSession, *, email: str, client: Client) -> None:
    """Count a request to register an address, whether or not it can be registered. Raises Invalid or TooManyTries."""
    await throttle.require_calm(session, "register", email=entry.normalise_email(email), address=client.address)


async def register(core: Core, session: AsyncSession, *, email: str, name: str, password: str, client: Client) -> SignedIn:
    """Register and sign in, as the specification has it for programs. Raises RegistrationClosed, Invalid, WeakPassword, EmailTaken.

    The caller counts the request with `count_request`, outside of what an EmailTaken rolls back.
    """
    if not core.settings.open_registration:
        raise RegistrationClosed
    actor = await service.add_account(
        session, email=email, name=name, role=Role.USER, password=password, is_verified=False, client=client
    )
    account = await entry.get_account(session, actor.email)
    await _ask_to_confirm(core, session, account, language=current_language())
    return await entry.start_session(core, session, account, remember=True, client=client)


async def register_by_link(
    core: Core,
    session: AsyncSession,
    *,
    type: str,
    token: str,
    email: str,
    name: str,
    password: str,
    language: Language,
    client: Client,
) -> str | None:
    """Register by `/auth/register/{type}/{token}`. Answers a handover code when the link was sent to the address itself; else
    None, whether there is an account or not: a letter tells how to go on.

    Raises RegistrationClosed, LinkSpent, Invalid, WeakPassword, TooManyTries or AlreadyRegistered.
    """
    link = await describe_link(core, session, type=type, token=token)
    if not link.is_open:
        raise RegistrationClosed
    if type == TEAM:
        return await _accept_invitation(core, session, token, name=name, password=password, client=client)
    plain, name = entry.normalise_email(email), entry.checked_name(name)
    await count_request(session, email=plain, client=client)
    password_hash = await entry.new_hash(password, plain, name)
    actor = await service.add_hashed(
        session, email=plain, name=name, role=Role.USER, password_hash=password_hash, is_verified=False, client=client
    )
    if actor is not None and (links := _links_of(core, type)):
        await links.redeem(core, session, actor, token, client=client)
    account = await entry.get_account(session, plain)
    if account.verified_at is not None:
        forgot = f"{core.settings.address}/auth/reset-password"
        await mail.post(
            core, session, letters.already_registered(plain, entry.language_of(account, otherwise=language), link=forgot)
        )
        return None
    # Of several tries the last one counts, and its letter alone: whoever reads the letters knows which password is theirs.
    account.password_hash, account.display_name = password_hash, name
    # Whoever registered the address before, as anybody can, no longer gets in.
    passkeys = [passkey.id for passkey in await repository.list_passkeys(session, account.id)]
    await entry.revoke_credentials(session, account, ResetChoices.everything(passkeys), client=client, by=None)
    await _ask_to_confirm(core, session, account, language=language)
    return None


async def ask_to_confirm_again(core: Core, session: AsyncSession, *, email: str, language: Language, client: Client) -> None:
    """Send the letter with the link once more, if the address waits to be confirmed. Raises Invalid or TooManyTries."""
    plain = entry.normalise_email(email)
    await count_request(session, email=plain, client=client)
    await jobs.write_later(core, session, "verification", email=plain, language=language)


async def send_verification(core: Core, session: AsyncSession, *, email: str, language: Language) -> None:
    """For the job: nothing is sent when there is nothing to confirm."""
    account = await repository.find_account(session, email)
    if account is not None and account.verified_at is None:
        await _ask_to_confirm(core, session, account, language=language)


async def email_to_confirm(session: AsyncSession, secret: str) -> str | None:
    """Which address the link confirms, or None when it does not work any more."""
    found = await repository.find_secret(session, purpose="verify", digest=tokens.digest(secret))
    account = await repository.find_account_by_id(session, found.owner_id) if found and found.owner_id else None
    return account.email if account else None


async def confirm_email(core: Core, session: AsyncSession, *, secret: str, password: str, client: Client) -> str | SignInRefused:
    """Confirm an address by its link and the password it was registered with; answers a handover code. Raises LinkSpent.

    An account that asks for a second factor is confirmed, and its sign-in refused as CODE_NEEDED.

    The password is asked for because anybody can register somebody else's address: its owner must not confirm what a stranger
    chose.
    """
    link = await repository.find_secret(session, purpose="verify", digest=tokens.digest(secret))
    email = await email_to_confirm(session, secret)
    if link is None or email is None:
        raise entry.LinkSpent(t("This link"), t("Sign in, or have the email sent again."))
    place = entry.place_of_link(link)
    account = await entry.check_password(core, session, email=email, password=password, client=client, place=place)
    if isinstance(account, SignInRefused):
        return account
    await repository.forget_secrets(session, purpose="verify", owner_id=account.id)
    actor = await service.confirm(core, session, account)
    await audit.record(session, "account.verified", actor=actor, subject=account.email, client=client)
    refused = await second_factor.check(core, session, account, code="", client=client)
    return refused or await entry.new_handover(session, account.id, remember=True)


@needs(Permission.ADMINISTER)
@needs_recent_proof
async def invite(core: Core, session: AsyncSession, actor: Actor, *, email: str, role: Role, client: Client) -> InvitationRead:
    """Send somebody a link by which to register with this role. An earlier invitation of the address stops working.

    Raises Invalid, EmailTaken, ProofRequired, or NotAllowed, also when the actor has lost the right a moment ago.
    """
    # Waits for a demotion that is under way; a later one waits for this transaction, and then revokes the invitation.
    if actor.id not in await repository.lock_administrators(session):
        raise not_allowed(Permission.ADMINISTER)
    invitation, _ = await _invite(core, session, email=email, role=role, inviter=actor, client=client)
    return _read(invitation, actor.email)


async def invite_by_command(core: Core, session: AsyncSession, *, email: str, role: Role) -> str:
    """The same from the command line, whose user passes on the link that this answers. Raises Invalid or EmailTaken."""
    _, link = await _invite(core, session, email=email, role=role, inviter=None, client=entry.COMMAND_LINE)
    return link


@needs(Permission.OVERSEE)
async def list_invitations(session: AsyncSession, actor: Actor, query: InvitationQuery) -> Page[InvitationRead]:
    """Invitations in every state, newest first unless `sort` says otherwise."""
    found, total = await repository.page_of_invitations(session, query)
    items = [_read(invitation, inviter) for invitation, inviter in found]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.OVERSEE)
def export_invitations(session: AsyncSession, actor: Actor, query: InvitationQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Email"), lambda invitation: invitation.email),
            (t("Role"), lambda invitation: invitation.role),
            (t("State"), lambda invitation: invitation.state),
            (t("Invited by"), lambda invitation: invitation.invited_by),
            (t("Sent"), lambda invitation: invitation.created_at),
            (t("Expires"), lambda invitation: invitation.expires_at),
            (t("Used"), lambda invitation: invitation.used_at),
            (t("Withdrawn"), lambda invitation: invitation.revoked_at),
        ],
        iterate_all(lambda page: list_invitations(session, actor, page), query),
    )


@needs(Permission.ADMINISTER)
async def withdraw_invitation(session: AsyncSession, actor: Actor, invitation_id: UUID, *, client: Client) -> None:
    """Withdraw an invitation, so that its link stops working. Raises NotFound or InvitationAccepted."""
    invitation = await repository.withdraw_invitation(session, invitation_id)
    if invitation is None:
        accepted = await session.get(Invitation, invitation_id)
        if accepted is None:
            raise NotFound(t("The invitation"))
        raise InvitationAccepted(accepted.email)
    await audit.record(session, "invitation.withdrawn", actor=actor, subject=invitation.email, client=client)


def _read(invitation: Invitation, inviter: str | None) -> InvitationRead:
    return InvitationRead(
        id=invitation.id,
        email=invitation.email,
        role=Role(invitation.role),
        invited_by=inviter,
        created_at=invitation.created_at,
        expires_at=invitation.expires_at,
        used_at=invitation.used_at,
        revoked_at=invitation.revoked_at,
    )


async def _invite(
    core: Core, session: AsyncSession, *, email: str, role: Role, inviter: Actor | None, client: Client
) -> tuple[Invitation, str]:
    plain = entry.normalise_email(email)
    if await repository.find_account(session, plain) is not None:
        raise service.EmailTaken
    await acquire_lock(session, f"invitation:{plain}")
    await repository.revoke_invitations(session, plain)
    secret = tokens.new_secret()
    invitation = Invitation(
        email=plain,
        role=role,
        digest=tokens.digest(secret),
        invited_by=inviter.id if inviter else None,
        expires_at=now() + _INVITED_FOR,
    )
    session.add(invitation)
    await session.flush()
    link = f"{core.settings.address}/auth/register/{TEAM}/{secret}"
    language = inviter.language if inviter and inviter.language else "en"
    name = inviter.name if inviter else t("The administrator")
    await mail.post(core, session, letters.invitation(plain, language, inviter=name, link=link))
    await audit.record(session, "invitation.sent", actor=inviter, subject=plain, client=client, role=role.value)
    return invitation, link


async def _accept_invitation(core: Core, session: AsyncSession, token: str, *, name: str, password: str, client: Client) -> str:
    invitation = await repository.use_invitation(session, tokens.digest(token))
    if invitation is None:
        raise entry.LinkSpent(t("This invitation"), t("Ask for a new one, or sign in."))
    if await repository.find_account(session, invitation.email) is not None:
        raise AlreadyRegistered(invitation.email)
    actor = await service.create_account(
        core, session, email=invitation.email, name=name, role=Role(invitation.role), password=password, client=client
    )
    return await entry.new_handover(session, actor.id, remember=True)


async def _ask_to_confirm(core: Core, session: AsyncSession, account: Account, *, language: Language) -> None:
    await repository.forget_secrets(session, purpose="verify", owner_id=account.id)
    secret = await entry.new_secret(session, "verify", lasts=_CONFIRMED_WITHIN, owner_id=account.id)
    link = f"{core.settings.address}/auth/verify/{quote(account.email)}?link={secret}"
    await mail.post(core, session, letters.verification(account.email, entry.language_of(account, otherwise=language), link=link))


def _links_of(core: Core, type: str) -> RegistrationLinks | None:
    found: list[RegistrationLinks] = core.plugins.collect("registration_links")
    return next((links for links in found if links.type == type), None)

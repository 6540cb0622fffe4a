"""What every way in shares: addresses, passwords, one-time secrets and sessions."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any, Literal, cast
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import live, mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import FundwrightError, Invalid, NotFound
from fundwright.core.messages import LANGUAGES, Language, current_language, t
from fundwright.identity import audit, letters, passwords, repository, throttle, tokens
from fundwright.identity.models import Account, AccountSession, OneTimeSecret
from fundwright.identity.schemas import Actor, Client, Refusal, ResetChoices, SignedIn, SignInRefused

_HANDOVER = timedelta(seconds=30)

KNOWN_FOR = timedelta(days=365)
_MAX_KNOWN_DEVICES = 30

_EMAIL = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")
_MAX_EMAIL_LENGTH = 254
_MAX_NAME_LENGTH = 200


class LinkSpent(FundwrightError):
    """A one-time link or code was used before, has expired, or was replaced by a newer one."""

    status = 410

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(t("{what} has been used or has expired. {next_step}", what=what, next_step=next_step))


def is_email(text: str) -> bool:
    """Whether the text is an email address that an account can have."""
    plain = text.strip().lower()
    return len(plain) <= _MAX_EMAIL_LENGTH and _EMAIL.fullmatch(plain) is not None


def normalise_email(email: str) -> str:
    """The one form an address is kept in. Raises Invalid when it is not an address."""
    plain = email.strip().lower()
    if not is_email(plain):
        raise Invalid(t("Email must be a valid email address"))
    return plain


def session_topic(session_id: UUID) -> str:
    """Published once the session has ended, so that its open sockets close."""
    return f"session:{session_id}"


COMMAND_LINE = Client(address="command line")
"""Where commands come from."""


def actor_of(account: Account, *, session_id: UUID | None = None) -> Actor:
    values: dict[str, Any] = {
        "id": account.id,
        "email": account.email,
        "name": account.display_name,
        "role": account.role,
        "session_id": session_id,
        "language": account.language,
        "time_zone": account.time_zone,
        "photo_url": account.photo_url,
        "is_confirmed": account.verified_at is not None,
    }
    return Actor.model_validate(values)


def language_of(account: Account, *, otherwise: Language) -> Language:
    """The one that letters to the account are written in."""
    return cast(Language, account.language) if account.language in LANGUAGES else otherwise


def checked_name(name: str) -> str:
    plain = audit.one_line(name).strip()
    if not plain or len(name) > _MAX_NAME_LENGTH:
        raise Invalid(t("The name is missing or longer than {most} characters. Give a shorter one.", most=_MAX_NAME_LENGTH))
    return plain


async def get_account(session: AsyncSession, email: str) -> Account:
    account = await repository.find_account(session, email)
    if account is None:
        raise NotFound(t("The account {email}", email=email))
    return account


async def get_account_by_id(session: AsyncSession, account_id: UUID) -> Account:
    account = await repository.find_account_by_id(session, account_id)
    if account is None:
        raise NotFound(t("The account"))
    return account


async def attempt_of(
    session: AsyncSession,
    *,
    email: str,
    client: Client,
    place: str = "",
    factor: Literal["password", "app_code", "recovery_code"] = "password",
) -> throttle.Attempt:
    """How a password or code is counted. Without a `place`, the client is one if it is a known device of the account."""
    if not place and client.device:
        device_id = await repository.find_known_device(session, email, client.device)
        place = f"device:{device_id}" if device_id else ""
    return throttle.Attempt(email=email, address=client.address, place=place, factor=factor)


def place_of_session(session_id: UUID | None) -> str:
    """Where a signed-in person enters a password or code."""
    return f"session:{session_id}" if session_id else ""


def place_of_link(link: OneTimeSecret) -> str:
    """Where somebody enters a password or code who has followed a link from an email to the account."""
    return f"link:{link.id}"


async def check_password(
    core: Core, session: AsyncSession, *, email: str, password: str, client: Client, place: str = ""
) -> Account | SignInRefused:
    plain = audit.one_line(email.strip().lower())
    attempt = await attempt_of(session, email=plain, client=client, place=place)
    account = await repository.find_account(session, plain)
    subject = plain if account else audit.unknown_address(core, plain)
    if await throttle.is_banned(session, attempt):
        return await refuse_banned(session, attempt, email=subject, client=client)
    is_open = account is not None and account.disabled_at is None
    is_right, newer = await passwords.check_password(password, account.password_hash if account and is_open else None)
    if not await throttle.settle(session, attempt, is_right=is_right):
        return await refuse_banned(session, attempt, email=subject, client=client)
    if account is None or not is_open:
        return await refuse(session, Refusal.UNKNOWN_EMAIL, email=subject, client=client)
    if not is_right:
        return await refuse(session, Refusal.WRONG_PASSWORD, email=plain, client=client)
    if newer:
        account.password_hash = newer
    return account


async def refuse(session: AsyncSession, reason: Refusal, *, email: str, client: Client) -> SignInRefused:
    await audit.record(session, "sign_in.refused", actor=None, subject=email, client=client, reason=reason.value)
    return SignInRefused(reason=reason)


async def refuse_banned(session: AsyncSession, attempt: throttle.Attempt, *, email: str, client: Client) -> SignInRefused:
    """Refuse an attempt during a ban. Only the 1st, 10th, 100th, and so on are recorded, with their number, so that nobody can fill
    the audit trail."""
    tries = await throttle.count_refused(session, attempt)
    if str(tries).strip("0") == "1":
        reason = Refusal.THROTTLED.value
        await audit.record(session, "sign_in.refused", actor=None, subject=email, client=client, reason=reason, tries=str(tries))
    return SignInRefused(reason=Refusal.THROTTLED)


async def start_session(core: Core, session: AsyncSession, account: Account, *, remember: bool, client: Client) -> SignedIn:
    await repository.forget_old_sessions(session, account.id)
    moment = now()
    settings = core.settings
    lasts = timedelta(hours=settings.kept_session_hours if remember else settings.session_hours)
    row = AccountSession(
        id=uuid4(),
        owner_id=account.id,
        remember=remember,
        user_agent=audit.one_line(client.user_agent),
        address=audit.one_line(client.address),
        created_at=moment,
        last_used_at=moment,
        proved_until=moment + timedelta(minutes=core.settings.proof_minutes),
        expires_at=moment + lasts,
        idle_limit=timedelta(hours=settings.kept_idle_hours if remember else settings.idle_hours),
    )
    session.add(row)
    account.last_signed_in_at = moment
    await session.flush()
    actor = actor_of(account, session_id=row.id)
    await audit.record(session, "sign_in", actor=actor, subject=account.email, client=client)
    token = tokens.sign(core, actor, session_id=row.id, issued_at=moment, expires_at=row.expires_at)
    device = await remember_device(session, account.id, lasts=KNOWN_FOR, replaces=client.device) if client.is_browser else ""
    return SignedIn(token=token, actor=actor, max_age_s=int(lasts.total_seconds()) if remember else None, device=device)


async def remember_device(session: AsyncSession, owner_id: UUID, *, lasts: timedelta, replaces: str = "") -> str:
    """Make a browser a known device of the account; returns the secret for its cookie. `replaces` is the digest of its present one."""
    secret = tokens.new_secret()
    await repository.add_known_device(
        session,
        owner_id,
        digest=tokens.digest(secret),
        replaces=replaces,
        expires_at=now() + lasts,
        limit=_MAX_KNOWN_DEVICES,
    )
    return secret


async def end_sessions(
    session: AsyncSession, owner_id: UUID, *, only: UUID | None = None, but: UUID | None = None, device: str = ""
) -> bool:
    """End one session, or all except `but`, and with all of them forget the known devices, except the one with the digest `device`."""
    ended = await repository.end_sessions(session, owner_id, only=only, but=but)
    if only is None:
        await repository.forget_known_devices(session, owner_id, but=device)
    for session_id in ended:
        await live.publish(session, session_topic(session_id))
    return bool(ended)


async def revoke_credentials(
    session: AsyncSession, account: Account, choices: ResetChoices, *, client: Client, by: Actor | None
) -> letters.Ended:
    """End the sessions, tokens, and factors that `choices` names. In any case, forget the account's known devices, its open links, such as
    one that confirms another address, and sign-ins that wait for their second step."""
    await repository.forget_secrets(session, owner_id=account.id)
    tokens_revoked, passkeys_removed = list[str](), list[str]()
    if choices.end_everything:
        if await end_sessions(session, account.id):
            await audit.record(session, "session.all_ended", actor=by, subject=account.email, client=client)
        tokens_revoked.extend(await repository.revoke_api_tokens(session, account.id))
    else:
        await repository.forget_known_devices(session, account.id)
    for passkey_id in choices.remove_passkeys:
        passkeys_removed.extend(await repository.forget_passkeys(session, account.id, only=passkey_id))
    is_off = choices.remove_authenticator and await repository.forget_second_factor(session, account.id)
    for name in tokens_revoked:
        await audit.record(session, "api_key.revoked", actor=by, subject=name, client=client)
    for name in passkeys_removed:
        await audit.record(session, "passkey.removed", actor=by, subject=name, client=client)
    if is_off:
        await audit.record(session, "second_factor.removed", actor=by, subject=account.email, client=client)
    return letters.Ended(
        sessions=choices.end_everything, api_tokens=tokens_revoked, passkeys=passkeys_removed, authenticator=is_off
    )


async def tell_owner(core: Core, session: AsyncSession, account: Account, news: letters.SecurityNews, *, what: str = "") -> None:
    """How one signs in to the account has changed: its owner gets a letter."""
    forgot = f"{core.settings.address}/auth/reset-password"
    language = language_of(account, otherwise=current_language())
    await mail.post(core, session, letters.security(account.email, language, news, what=what, link=forgot))


async def new_handover(session: AsyncSession, account_id: UUID, *, remember: bool) -> str:
    return await new_secret(session, "handover", lasts=_HANDOVER, owner_id=account_id, remember=remember)


async def new_secret(
    session: AsyncSession,
    purpose: str,
    *,
    lasts: timedelta,
    owner_id: UUID | None = None,
    remember: bool = False,
    email: str | None = None,
) -> str:
    await repository.forget_expired_secrets(session)
    secret = tokens.new_secret()
    moment: datetime = now()
    session.add(
        OneTimeSecret(
            purpose=purpose,
            digest=tokens.digest(secret),
            owner_id=owner_id,
            remember=remember,
            email=email,
            created_at=moment,
            expires_at=moment + lasts,
        )
    )
    await session.flush()
    return secret


async def new_hash(password: str | None, email: str, name: str) -> str:
    """What to keep of a new password, None being one that nobody has. Raises WeakPassword."""
    if password is not None:
        await passwords.require_acceptable(password, about=(email.partition("@")[0], name))
    return await passwords.hash_password(password)

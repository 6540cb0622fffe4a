"""Accounts, signing in and out, one-time links and API tokens.

A sign-in that is refused answers `SignInRefused` instead of raising, so that the boundary commits the count of wrong
passwords and the audit line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import live
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, FundwrightError, Invalid, NotFound
from fundwright.identity import audit, passwords, repository, throttle, tokens
from fundwright.identity.models import Account, AccountSession, ApiToken, OneTimeSecret
from fundwright.identity.permissions import needs
from fundwright.identity.schemas import (
    AccountRead,
    AccountUser,
    Actor,
    ApiTokenCreated,
    ApiTokenRead,
    Client,
    Language,
    Permission,
    Refusal,
    Role,
    SessionRead,
    SignedIn,
    SignInRefused,
    TokenScope,
)

AccountCreatedHandler = Callable[[Core, AsyncSession, Actor], Awaitable[None]]

REMEMBERED = timedelta(days=5)
BROWSER_SESSION = timedelta(hours=12)
_IDLE_LIMIT = timedelta(hours=4)
_HANDOVER = timedelta(seconds=30)
_FIRST_ADMIN_LINK = timedelta(days=1)
_RESET_LINK = timedelta(hours=1)
_TOUCH_INTERVAL = timedelta(minutes=1)

_EMAIL = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")
_MAX_EMAIL_LENGTH = 254
_MAX_NAME_LENGTH = 200
_MAX_SAVED_STATE_LENGTH = 20_000


class EmailTaken(Conflict):
    """The specification gives both the status and the text."""

    status = 400

    def __init__(self) -> None:
        super().__init__("There already exists an account with the given email address.")


class RegistrationClosed(FundwrightError):
    status = 403

    def __init__(self) -> None:
        super().__init__(
            "Registration is by invitation. Ask whoever runs this installation for an account; "
            "they add one with `fundwright user add`."
        )


class NoSuchAccount(NotFound):
    """A command has no account to act as."""

    def __init__(self, email: str | None, *, is_disabled: bool = False) -> None:
        if email and is_disabled:
            sentence = f"The account {email} is disabled. Enable it with `fundwright user enable {email}`."
        elif email:
            sentence = f"There is no account {email}. Add it with `fundwright user add {email}`, or see `fundwright user list`."
        else:
            sentence = "There is no account to act as yet. Add one with `fundwright user add EMAIL`."
        FundwrightError.__init__(self, sentence)


class LinkSpent(FundwrightError):
    """A one-time link or code was used before, has expired, or was replaced by a newer one."""

    status = 410

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(f"{what} has been used or has expired. {next_step}")


def session_topic(session_id: UUID) -> str:
    """Published once the session has ended, so that its open sockets close."""
    return f"session:{session_id}"


def is_email(text: str) -> bool:
    """Whether the text is an email address that an account can have."""
    plain = text.strip().lower()
    return len(plain) <= _MAX_EMAIL_LENGTH and _EMAIL.fullmatch(plain) is not None


def normalise_email(email: str) -> str:
    """The one form an address is kept in. Raises Invalid when it is not an address."""
    plain = email.strip().lower()
    if not is_email(plain):
        raise Invalid("Email must be a valid email address")
    return plain


# Accounts


async def add_account(
    session: AsyncSession, *, email: str, name: str, role: Role, password: str | None, client: Client | None = None
) -> Actor:
    """Add an account; without a password nobody can sign in to it. Raises Invalid, WeakPassword or EmailTaken."""
    plain, name = normalise_email(email), _checked_name(name)
    if password is not None:
        await passwords.require_acceptable(password, about=(plain.partition("@")[0], name))
    password_hash = await passwords.hash_password(password)
    first_name, _, last_name = name.partition(" ")
    account = await repository.add_account(
        session,
        id=uuid4(),
        email=plain,
        display_name=name,
        first_name=first_name,
        last_name=last_name,
        password_hash=password_hash,
        role=role,
        is_public=False,
        created_at=now(),
    )
    if account is None:
        raise EmailTaken
    await audit.record(session, "account.created", actor=None, subject=plain, client=client or _COMMAND_LINE, role=role.value)
    return _actor(account)


async def create_account(
    core: Core,
    session: AsyncSession,
    *,
    email: str,
    name: str,
    role: Role,
    password: str | None,
    client: Client | None = None,
) -> Actor:
    """Add an account and give it what plug-ins have for new accounts, such as sample documents."""
    actor = await add_account(session, email=email, name=name, role=role, password=password, client=client)
    handlers: list[AccountCreatedHandler] = core.plugins.collect("account_created_handlers")
    for handler in handlers:
        await handler(core, session, actor)
    return actor


async def register(core: Core, session: AsyncSession, *, email: str, name: str, password: str, client: Client) -> SignedIn:
    """Register and sign in. Raises RegistrationClosed, Invalid, WeakPassword or EmailTaken."""
    if not core.settings.open_registration:
        raise RegistrationClosed
    actor = await create_account(core, session, email=email, name=name, role=Role.USER, password=password, client=client)
    return await _start_session(core, session, await _account(session, actor.email), remember=True, client=client)


async def register_by_socket(core: Core, session: AsyncSession, *, email: str, name: str, password: str, client: Client) -> str:
    """As `register`, answering a handover code. Raises the same errors."""
    if not core.settings.open_registration:
        raise RegistrationClosed
    actor = await create_account(core, session, email=email, name=name, role=Role.USER, password=password, client=client)
    return await _new_handover(session, actor.id, remember=True)


async def list_accounts(session: AsyncSession) -> list[AccountRead]:
    return [AccountRead.model_validate(account) for account in await repository.list_accounts(session)]


@needs(Permission.READ)
async def get_user(session: AsyncSession, actor: Actor) -> AccountUser:
    """The actor's own account in the specification's field names."""
    return AccountUser.model_validate(await _account(session, actor.email))


@needs(Permission.READ)
async def saved_state(session: AsyncSession, actor: Actor, name: str) -> Any:
    """What a screen has kept for the actor under `name`, as JSON; None when it has kept nothing."""
    return await repository.find_saved_state(session, actor.id, name)


@needs(Permission.READ)
async def save_state(session: AsyncSession, actor: Actor, name: str, value: Any) -> None:
    """Keep `value`, any JSON, for the actor under `name`. Raises Invalid when it is too long to be the state of a screen."""
    if len(name) > _MAX_NAME_LENGTH or len(json.dumps(value)) > _MAX_SAVED_STATE_LENGTH:
        raise Invalid("That is too much to be kept for this page. Shorten it and try again.")
    await repository.save_state(session, actor.id, name, value)


@needs(Permission.READ)
async def choose_language(session: AsyncSession, actor: Actor, language: Language) -> None:
    """Show everything in this language from now on, wherever the actor signs in."""
    (await _account(session, actor.email)).language = language


async def disable_account(session: AsyncSession, *, email: str, client: Client | None = None) -> AccountRead:
    """Close an account: its sessions end at once and nobody can sign in to it. Raises NotFound."""
    account = await _account(session, normalise_email(email))
    account.disabled_at = account.disabled_at or now()
    await _end_sessions(session, account.id)
    await audit.record(session, "account.disabled", actor=None, subject=account.email, client=client or _COMMAND_LINE)
    return AccountRead.model_validate(account)


async def enable_account(session: AsyncSession, *, email: str, client: Client | None = None) -> AccountRead:
    """Open a closed account again. Raises NotFound."""
    account = await _account(session, normalise_email(email))
    account.disabled_at = None
    await audit.record(session, "account.enabled", actor=None, subject=account.email, client=client or _COMMAND_LINE)
    return AccountRead.model_validate(account)


async def change_role(session: AsyncSession, *, email: str, role: Role, client: Client | None = None) -> AccountRead:
    """Give an account another role. Its sessions end, because its tokens name the old one. Raises NotFound."""
    account = await _account(session, normalise_email(email))
    account.role = role
    await _end_sessions(session, account.id)
    await audit.record(
        session, "account.role_changed", actor=None, subject=account.email, client=client or _COMMAND_LINE, role=role.value
    )
    return AccountRead.model_validate(account)


async def actor_for_command(session: AsyncSession, *, email: str | None) -> Actor:
    """Whom a command acts as: the account with this email, else the oldest of role user, else the oldest. Raises NotFound."""
    account = await (
        repository.find_account(session, normalise_email(email)) if email else repository.find_oldest_account(session)
    )
    if account is None or account.disabled_at is not None:
        raise NoSuchAccount(email, is_disabled=account is not None)
    return _actor(account)


# Signing in and out


async def sign_in(
    core: Core, session: AsyncSession, *, email: str, password: str, remember: bool, client: Client
) -> SignedIn | SignInRefused:
    """Check the password and start a session: 5 days when remembered, else 12 hours in this browser."""
    account = await _check_password(session, email=email, password=password, client=client)
    if isinstance(account, SignInRefused):
        return account
    return await _start_session(core, session, account, remember=remember, client=client)


async def sign_in_by_socket(
    session: AsyncSession, *, email: str, password: str, remember: bool, client: Client
) -> str | SignInRefused:
    """Check the password and answer a code that `redeem_handover` takes over plain HTTP, once, within 30 seconds.

    A socket cannot set a cookie; and the session begins only with the request that will carry it.
    """
    account = await _check_password(session, email=email, password=password, client=client)
    if isinstance(account, SignInRefused):
        return account
    return await _new_handover(session, account.id, remember=remember)


async def redeem_handover(core: Core, session: AsyncSession, code: str, *, client: Client) -> SignedIn:
    """Start the session that the code stands for. Raises LinkSpent."""
    secret = await repository.use_secret(session, purpose="handover", digest=tokens.digest(code))
    account = await repository.find_account_by_id(session, secret.owner_id) if secret and secret.owner_id else None
    if secret is None or account is None or account.disabled_at is not None:
        raise LinkSpent("This sign-in", "Sign in again.")
    return await _start_session(core, session, account, remember=secret.remember, client=client)


async def authenticate(core: Core, session: AsyncSession, token: str) -> Actor | None:
    """Who holds this session token, or None when it is not valid any more.

    The account is read each time: a role change, a closed account or an ended session counts from the next request on.
    """
    resumed = await resume(core, session, token)
    return resumed.actor if resumed else None


async def resume(core: Core, session: AsyncSession, token: str) -> SignedIn | None:
    """The running session that the token names, or None."""
    payload = tokens.signing_key(core).read(token)
    if payload is None:
        return None
    found = await repository.find_live_session(session, payload.sid)
    if found is None:
        return None
    row, account = found
    moment = now()
    if not row.remember and moment - row.last_used_at > _IDLE_LIMIT:
        return None
    # A token of an earlier role, or of the placeholder address, opens nothing.
    if account.email != payload.email or account.role != payload.role or account.email == core.settings.unknown_email.lower():
        return None
    if moment - row.last_used_at > _TOUCH_INTERVAL:
        await repository.touch_session(session, row.id, moment=moment)
    return SignedIn(
        token=token,
        actor=_actor(account, session_id=row.id),
        max_age_s=int((row.expires_at - moment).total_seconds()) if row.remember else None,
    )


@needs(Permission.READ)
async def sign_out(session: AsyncSession, actor: Actor, *, client: Client) -> None:
    """End the actor's session: its token is worthless from now on and its sockets close."""
    if actor.session_id is not None:
        await _end_sessions(session, actor.id, only=actor.session_id)
    await audit.record(session, "sign_out", actor=actor, subject=actor.email, client=client)


@needs(Permission.READ)
async def list_sessions(session: AsyncSession, actor: Actor) -> list[SessionRead]:
    """Where the actor is signed in, last used first."""
    return [SessionRead.model_validate(row) for row in await repository.list_live_sessions(session, actor.id)]


@needs(Permission.READ)
async def end_session(session: AsyncSession, actor: Actor, session_id: UUID, *, client: Client) -> None:
    """End one of the actor's own sessions. Raises NotFound."""
    if not await _end_sessions(session, actor.id, only=session_id):
        raise NotFound("The session")
    await audit.record(session, "session.ended", actor=actor, subject=str(session_id), client=client)


# One-time links


async def first_admin_link(session: AsyncSession) -> str | None:
    """Path of a page that makes the first administrator, once, within a day; None when there is an account."""
    if await repository.has_accounts(session):
        return None
    return f"/auth/first-admin/{await _new_secret(session, 'first_admin', lasts=_FIRST_ADMIN_LINK)}"


async def is_first_admin_link(session: AsyncSession, secret: str) -> bool:
    """Whether the link still works."""
    found = await repository.find_secret(session, purpose="first_admin", digest=tokens.digest(secret))
    return found is not None and not await repository.has_accounts(session)


async def create_first_admin(
    core: Core, session: AsyncSession, *, secret: str, email: str, name: str, password: str, client: Client
) -> str:
    """Make the first administrator and answer a handover code. Raises LinkSpent, Invalid or WeakPassword."""
    used = await repository.use_secret(session, purpose="first_admin", digest=tokens.digest(secret))
    if used is None or await repository.has_accounts(session):
        raise LinkSpent("This link", "Sign in, or start Fundwright again to get a new one while there is no account.")
    await repository.use_all_secrets(session, purpose="first_admin")
    actor = await create_account(core, session, email=email, name=name, role=Role.ADMIN, password=password, client=client)
    return await _new_handover(session, actor.id, remember=True)


async def reset_link(session: AsyncSession, *, email: str, client: Client | None = None) -> str:
    """Path of a page where the owner of the account chooses a new password, once, within an hour. Raises NotFound.

    An older link of the account stops working. The administrator who makes the link never learns the password.
    """
    account = await _account(session, normalise_email(email))
    await repository.forget_secrets(session, purpose="reset", owner_id=account.id)
    secret = await _new_secret(session, "reset", lasts=_RESET_LINK, owner_id=account.id)
    await audit.record(session, "password.reset_started", actor=None, subject=account.email, client=client or _COMMAND_LINE)
    return f"/auth/confirm-reset/{secret}"


async def is_reset_link(session: AsyncSession, secret: str) -> bool:
    """Whether the link still works."""
    return await repository.find_secret(session, purpose="reset", digest=tokens.digest(secret)) is not None


async def reset_password(session: AsyncSession, *, secret: str, password: str, client: Client) -> None:
    """Set a new password by a reset link and end every session of the account. Raises LinkSpent or WeakPassword."""
    used = await repository.use_secret(session, purpose="reset", digest=tokens.digest(secret))
    account = await repository.find_account_by_id(session, used.owner_id) if used and used.owner_id else None
    if account is None:
        raise LinkSpent("This link", "Ask an administrator for a new one.")
    await passwords.require_acceptable(password, about=(account.email.partition("@")[0], account.display_name))
    account.password_hash = await passwords.hash_password(password)
    await _end_sessions(session, account.id)
    await audit.record(session, "password.reset", actor=_actor(account), subject=account.email, client=client)


# API tokens


@needs(Permission.READ)
async def create_api_token(
    session: AsyncSession, actor: Actor, *, name: str, scope: TokenScope, lasts_days: int, client: Client | None = None
) -> ApiTokenCreated:
    """Make a token for programs. Its secret is in the answer and nowhere else. `lasts_days` is 1 to 366."""
    if not 1 <= lasts_days <= 366:
        raise Invalid("A token lasts 1 to 366 days. Choose a number of days between them.")
    secret = tokens.API_TOKEN_PREFIX + tokens.new_secret()
    token = ApiToken(
        owner_id=actor.id,
        name=_checked_name(name),
        scope=scope,
        prefix=secret[:10],
        digest=tokens.digest(secret),
        expires_at=now() + timedelta(days=lasts_days),
    )
    session.add(token)
    await session.flush()
    await audit.record(
        session, "api_key.created", actor=actor, subject=token.name, client=client or _COMMAND_LINE, scope=scope.value
    )
    return ApiTokenCreated(**ApiTokenRead.model_validate(token).model_dump(), secret=secret)


@needs(Permission.READ)
async def list_api_tokens(session: AsyncSession, actor: Actor) -> list[ApiTokenRead]:
    return [ApiTokenRead.model_validate(token) for token in await repository.list_api_tokens(session, actor.id)]


@needs(Permission.READ)
async def revoke_api_token(session: AsyncSession, actor: Actor, token_id: UUID, *, client: Client | None = None) -> ApiTokenRead:
    """Make a token of the actor useless at once. Raises NotFound."""
    token = await repository.find_api_token(session, actor.id, token_id)
    if token is None:
        raise NotFound("The token")
    token.revoked_at = token.revoked_at or now()
    await audit.record(session, "api_key.revoked", actor=actor, subject=token.name, client=client or _COMMAND_LINE)
    return ApiTokenRead.model_validate(token)


async def authenticate_api_token(session: AsyncSession, secret: str) -> tuple[Actor, TokenScope] | None:
    """Who holds this API token and what it may do, or None when it is unknown, revoked or has expired."""
    found = await repository.find_live_api_token(session, tokens.digest(secret))
    if found is None:
        return None
    token, account = found
    moment = now()
    if token.last_used_at is None or moment - token.last_used_at > _TOUCH_INTERVAL:
        token.last_used_at = moment
    return _actor(account), TokenScope(token.scope)


_COMMAND_LINE = Client(address="command line")


def _actor(account: Account, *, session_id: UUID | None = None) -> Actor:
    values: dict[str, Any] = {
        "id": account.id,
        "email": account.email,
        "name": account.display_name,
        "role": account.role,
        "session_id": session_id,
        "language": account.language,
    }
    return Actor.model_validate(values)


def _checked_name(name: str) -> str:
    plain = audit.one_line(name).strip()
    if not plain or len(name) > _MAX_NAME_LENGTH:
        raise Invalid(f"The name is missing or longer than {_MAX_NAME_LENGTH} characters. Give a shorter one.")
    return plain


async def _account(session: AsyncSession, email: str) -> Account:
    account = await repository.find_account(session, email)
    if account is None:
        raise NotFound(f"The account {email}")
    return account


async def _check_password(session: AsyncSession, *, email: str, password: str, client: Client) -> Account | SignInRefused:
    plain = audit.one_line(email.strip().lower())
    attempt = throttle.Attempt(email=plain, address=client.address)
    if await throttle.is_banned(session, attempt):
        return await _refuse(session, Refusal.THROTTLED, email=plain, client=client)
    account = await repository.find_account(session, plain)
    is_open = account is not None and account.disabled_at is None
    is_right, newer = await passwords.check_password(password, account.password_hash if account and is_open else None)
    if not await throttle.settle(session, attempt, is_right=is_right):
        return await _refuse(session, Refusal.THROTTLED, email=plain, client=client)
    if account is None or not is_open:
        return await _refuse(session, Refusal.UNKNOWN_EMAIL, email=plain, client=client)
    if not is_right:
        return await _refuse(session, Refusal.WRONG_PASSWORD, email=plain, client=client)
    if newer:
        account.password_hash = newer
    return account


async def _refuse(session: AsyncSession, reason: Refusal, *, email: str, client: Client) -> SignInRefused:
    await audit.record(session, "sign_in.refused", actor=None, subject=email, client=client, reason=reason.value)
    return SignInRefused(reason=reason)


async def _start_session(core: Core, session: AsyncSession, account: Account, *, remember: bool, client: Client) -> SignedIn:
    await repository.forget_old_sessions(session, account.id)
    moment = now()
    lasts = REMEMBERED if remember else BROWSER_SESSION
    row = AccountSession(
        id=uuid4(),
        owner_id=account.id,
        remember=remember,
        user_agent=audit.one_line(client.user_agent),
        address=audit.one_line(client.address),
        created_at=moment,
        last_used_at=moment,
        expires_at=moment + lasts,
    )
    session.add(row)
    account.last_signed_in_at = moment
    await session.flush()
    actor = _actor(account, session_id=row.id)
    await audit.record(session, "sign_in", actor=actor, subject=account.email, client=client)
    token = tokens.signing_key(core).sign(actor, session_id=row.id, issued_at=moment, expires_at=row.expires_at)
    return SignedIn(token=token, actor=actor, max_age_s=int(lasts.total_seconds()) if remember else None)


async def _end_sessions(session: AsyncSession, owner_id: UUID, *, only: UUID | None = None) -> bool:
    ended = await repository.end_sessions(session, owner_id, only=only)
    for session_id in ended:
        await live.publish(session, session_topic(session_id))
    return bool(ended)


async def _new_handover(session: AsyncSession, account_id: UUID, *, remember: bool) -> str:
    return await _new_secret(session, "handover", lasts=_HANDOVER, owner_id=account_id, remember=remember)


async def _new_secret(
    session: AsyncSession, purpose: str, *, lasts: timedelta, owner_id: UUID | None = None, remember: bool = False
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
            created_at=moment,
            expires_at=moment + lasts,
        )
    )
    await session.flush()
    return secret

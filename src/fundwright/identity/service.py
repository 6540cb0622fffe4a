"""Accounts, signing in and out, one-time links and API tokens.

A sign-in that is refused answers `SignInRefused` instead of raising, so that the boundary commits the count of wrong
passwords and the audit line.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict, FundwrightError, Invalid, NotFound
from fundwright.core.messages import current_language, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.core.turns import FairShares
from fundwright.identity import audit, entry, letters, passwords, repository, second_factor, sessions, tokens
from fundwright.identity.models import Account, ApiToken
from fundwright.identity.permissions import needs, require_confirmed
from fundwright.identity.reauthentication import needs_recent_proof
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
    SecondStep,
    SessionRead,
    SignedIn,
    SignInRefused,
    TokenScope,
)

AccountCreatedHandler = Callable[[Core, AsyncSession, Actor], Awaitable[None]]

_FIRST_ADMIN_LINK = timedelta(days=1)
_TOUCH_INTERVAL = timedelta(minutes=1)

_MAX_STATE_NAME_LENGTH = 200
_MAX_SAVED_STATE_LENGTH = 20_000
_MAX_API_TOKENS = 50


class EmailTaken(Conflict):
    """The specification gives both the status and the text."""

    status = 400

    def __init__(self) -> None:
        super().__init__("There already exists an account with the given email address.")


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


# Accounts


async def add_account(
    session: AsyncSession,
    *,
    email: str,
    name: str,
    role: Role,
    password: str | None,
    is_verified: bool = True,
    client: Client = entry.COMMAND_LINE,
) -> Actor:
    """Add an account; without a password nobody can sign in to it. Raises Invalid, WeakPassword or EmailTaken."""
    plain, name = entry.normalise_email(email), entry.checked_name(name)
    password_hash = await entry.new_hash(password, plain, name)
    actor = await add_hashed(
        session, email=plain, name=name, role=role, password_hash=password_hash, is_verified=is_verified, client=client
    )
    if actor is None:
        raise EmailTaken
    return actor


async def add_hashed(
    session: AsyncSession,
    *,
    email: str,
    name: str,
    role: Role,
    password_hash: str,
    is_verified: bool,
    client: Client = entry.COMMAND_LINE,
) -> Actor | None:
    """As `add_account`, once everything has been checked. None when the address has an account."""
    first_name, _, last_name = name.partition(" ")
    account = await repository.add_account(
        session,
        id=uuid4(),
        email=email,
        display_name=name,
        first_name=first_name,
        last_name=last_name,
        password_hash=password_hash,
        role=role,
        is_public=False,
        created_at=now(),
        verified_at=now() if is_verified else None,
    )
    if account is None:
        return None
    await audit.record(session, "account.created", actor=None, subject=email, client=client, role=role.value)
    return entry.actor_of(account)


async def create_account(
    core: Core,
    session: AsyncSession,
    *,
    email: str,
    name: str,
    role: Role,
    password: str | None,
    is_verified: bool = True,
    client: Client = entry.COMMAND_LINE,
) -> Actor:
    """Add an account and give it what plug-ins have for new accounts. Raises Invalid, WeakPassword or EmailTaken."""
    actor = await add_account(
        session, email=email, name=name, role=role, password=password, is_verified=is_verified, client=client
    )
    await welcome(core, session, actor)
    return actor


async def confirm(core: Core, session: AsyncSession, account: Account) -> Actor:
    """Mark the email address of the account as confirmed. The account may work from now on, and gets what new accounts get."""
    account.verified_at = now()
    actor = entry.actor_of(account)
    await welcome(core, session, actor)
    return actor


@needs(Permission.READ)
async def welcome(core: Core, session: AsyncSession, actor: Actor) -> None:
    """Give a new account what plug-ins have for it, such as sample documents."""
    handlers: list[AccountCreatedHandler] = core.plugins.collect("account_created_handlers")
    for handler in handlers:
        await handler(core, session, actor)


async def list_accounts(session: AsyncSession) -> list[AccountRead]:
    return [AccountRead.model_validate(account) for account in await repository.list_accounts(session)]


@needs(Permission.OVERSEE)
def directory(actor: Actor) -> Select[UUID, str, str]:
    """Id, email and name of every account, to be used as a sub-query in another slice's lists."""
    return repository.directory()


@needs(Permission.READ)
async def get_user(session: AsyncSession, actor: Actor) -> AccountUser:
    """The actor's own account in the specification's field names."""
    return AccountUser.model_validate(await entry.get_account(session, actor.email))


@needs(Permission.READ)
async def saved_state(session: AsyncSession, actor: Actor, name: str) -> Any:
    """What a screen has kept for the actor under `name`, as JSON; None when it has kept nothing."""
    return await repository.find_saved_state(session, actor.id, name)


@needs(Permission.READ)
async def save_state(session: AsyncSession, actor: Actor, name: str, value: Any) -> None:
    """Keep `value`, any JSON, for the actor under `name`. Raises Invalid when it is too long to be the state of a screen."""
    if len(name) > _MAX_STATE_NAME_LENGTH or len(json.dumps(value)) > _MAX_SAVED_STATE_LENGTH:
        raise Invalid(t("That is too much to be kept for this page. Shorten it and try again."))
    await repository.save_state(session, actor.id, name, value)


@needs(Permission.READ)
async def choose_language(session: AsyncSession, actor: Actor, language: Language) -> None:
    """Show everything in this language from now on, wherever the actor signs in."""
    (await entry.get_account(session, actor.email)).language = language


async def disable_account(
    core: Core, session: AsyncSession, *, email: str, client: Client = entry.COMMAND_LINE, by: Actor | None = None
) -> AccountRead:
    """Close an account: its sessions end at once, nobody can sign in to it, and the invitations it sent stop working. Raises NotFound."""
    account = await entry.get_account(session, entry.normalise_email(email))
    was_open, account.disabled_at = account.disabled_at is None, account.disabled_at or now()
    await entry.end_sessions(session, account.id)
    await repository.revoke_invitations_from(session, account.id)
    await audit.record(session, "account.disabled", actor=by, subject=account.email, client=client)
    if was_open:
        await mail.post(core, session, letters.account_disabled(account.email, _language_of(account), by_operator=by is None))
    return AccountRead.model_validate(account)


async def enable_account(
    core: Core, session: AsyncSession, *, email: str, client: Client = entry.COMMAND_LINE, by: Actor | None = None
) -> AccountRead:
    """Open a closed account again. Raises NotFound."""
    account = await entry.get_account(session, entry.normalise_email(email))
    was_open, account.disabled_at = account.disabled_at is None, None
    await audit.record(session, "account.enabled", actor=by, subject=account.email, client=client)
    if not was_open:
        link = f"{core.settings.address}/auth/login"
        letter = letters.account_enabled(account.email, _language_of(account), by_operator=by is None, link=link)
        await mail.post(core, session, letter)
    return AccountRead.model_validate(account)


async def change_role(
    core: Core, session: AsyncSession, *, email: str, role: Role, client: Client = entry.COMMAND_LINE, by: Actor | None = None
) -> AccountRead:
    """Give an account another role. Its sessions end, because its tokens name the old one. If the new role cannot send
    invitations, those that the account has sent stop working. Raises NotFound."""
    account = await entry.get_account(session, entry.normalise_email(email))
    is_other, account.role = role != account.role, role
    await entry.end_sessions(session, account.id)
    if not entry.actor_of(account).may(Permission.ADMINISTER):
        await repository.revoke_invitations_from(session, account.id)
    await audit.record(session, "account.role_changed", actor=by, subject=account.email, client=client, role=role.value)
    if is_other:
        link = f"{core.settings.address}/auth/login"
        letter = letters.role_changed(account.email, _language_of(account), role=role, by_operator=by is None, link=link)
        await mail.post(core, session, letter)
    return AccountRead.model_validate(account)


def _language_of(account: Account) -> Language:
    return entry.language_of(account, otherwise=current_language())


async def actor_for_command(session: AsyncSession, *, email: str | None) -> Actor:
    """Whom a command acts as: the account with this email, else the oldest of role user, else the oldest. Raises NotFound."""
    account = await (
        repository.find_account(session, entry.normalise_email(email)) if email else repository.find_oldest_account(session)
    )
    if account is None or account.disabled_at is not None:
        raise NoSuchAccount(email, is_disabled=account is not None)
    return entry.actor_of(account)


# Signing in and out


async def sign_in(
    core: Core, session: AsyncSession, *, email: str, password: str, remember: bool, client: Client, code: str = ""
) -> SignedIn | SignInRefused:
    """Check the password, and the `code` of an account that asks for one, and start a session: for days when remembered, else
    for hours in this browser."""
    account = await _admit(core, session, email=email, password=password, client=client)
    if isinstance(account, SignInRefused):
        return account
    refused = await second_factor.check(core, session, account, code=code, client=client)
    if refused is not None:
        return refused
    return await entry.start_session(core, session, account, remember=remember, client=client)


async def sign_in_by_socket(
    core: Core, session: AsyncSession, *, email: str, password: str, remember: bool, client: Client
) -> str | SecondStep | SignInRefused:
    """Check the password and answer a code that `redeem_handover` takes over plain HTTP, once, within 30 seconds; or the second
    step, when the account asks for one.

    A socket cannot set a cookie; and the session begins only with the request that will carry it.
    """
    account = await _admit(core, session, email=email, password=password, client=client)
    if isinstance(account, SignInRefused):
        return account
    step = await second_factor.pend(session, account, remember=remember, client=client)
    if step is not None:
        return step
    return await entry.new_handover(session, account.id, remember=remember)


async def _admit(core: Core, session: AsyncSession, *, email: str, password: str, client: Client) -> Account | SignInRefused:
    """Whose password this is. Only who knows the password learns that the address still waits to be confirmed."""
    # Most of a flood of sign-ins wait to be hashed; they do so before they hold a connection that somebody's click needs.
    turns: asyncio.Semaphore = core.cache.setdefault(f"{__name__}.turns", asyncio.Semaphore(2 * passwords.THREADS))
    # Sign-ins with the right password are not limited, so those to one account from one address run one at a time.
    shares: FairShares = core.cache.setdefault(f"{__name__}.shares", FairShares(1))
    async with shares.turn((email.strip().lower(), client.address)), turns:
        account = await entry.check_password(core, session, email=email, password=password, client=client)
    if isinstance(account, Account) and account.verified_at is None:
        return await entry.refuse(session, Refusal.UNVERIFIED, email=account.email, client=client)
    return account


async def redeem_handover(core: Core, session: AsyncSession, code: str, *, client: Client) -> SignedIn:
    """Start the session that the code stands for. Raises LinkSpent."""
    secret = await repository.use_secret(session, purpose="handover", digest=tokens.digest(code))
    account = await repository.find_account_by_id(session, secret.owner_id) if secret and secret.owner_id else None
    if secret is None or account is None or account.disabled_at is not None:
        raise entry.LinkSpent(t("This sign-in"), t("Sign in again."))
    return await entry.start_session(core, session, account, remember=secret.remember, client=client)


async def authenticate(core: Core, session: AsyncSession, token: str, *, is_use: bool = True) -> Actor | None:
    """Who holds this session token, or None when it is not valid any more. A use keeps the session from ending for lack of use.

    The account is read each time: a role change, a closed account or an ended session counts from the next request on.
    """
    found = await sessions.find(core, session, token)
    if found is None:
        return None
    if is_use and sessions.is_touch_due(found.row):
        await sessions.touch(session, found.row)
    return entry.actor_of(found.account, session_id=found.row.id)


@needs(Permission.READ)
async def sign_out(session: AsyncSession, actor: Actor, *, client: Client) -> None:
    """End the actor's session: its token is worthless from now on and its sockets close."""
    if actor.session_id is not None:
        await entry.end_sessions(session, actor.id, only=actor.session_id)
    await audit.record(session, "sign_out", actor=actor, subject=actor.email, client=client)


@needs(Permission.READ)
async def list_sessions(session: AsyncSession, actor: Actor, request: PageRequest) -> Page[SessionRead]:
    """Where the actor is signed in, last used first; or sorted by `created_at`."""
    return await sessions.read_page(session, actor.id, request)


@needs(Permission.READ)
def export_sessions(session: AsyncSession, actor: Actor, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return sessions.export(iterate_all(lambda page: list_sessions(session, actor, page), request))


@needs(Permission.READ)
async def end_session(session: AsyncSession, actor: Actor, session_id: UUID, *, client: Client) -> None:
    """End one of the actor's own sessions. Raises NotFound."""
    if not await entry.end_sessions(session, actor.id, only=session_id):
        raise NotFound(t("The session"))
    await audit.record(session, "session.ended", actor=actor, subject=str(session_id), client=client)


# One-time links


async def first_admin_link(session: AsyncSession) -> str | None:
    """Path of a page that makes the first administrator, once, within a day; None when there is an account."""
    if await repository.has_accounts(session):
        return None
    return f"/auth/first-admin/{await entry.new_secret(session, 'first_admin', lasts=_FIRST_ADMIN_LINK)}"


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
        raise entry.LinkSpent(t("This link"), t("Sign in, or start Fundwright again to get a new one while there is no account."))
    await repository.use_all_secrets(session, purpose="first_admin")
    actor = await create_account(core, session, email=email, name=name, role=Role.ADMIN, password=password, client=client)
    return await entry.new_handover(session, actor.id, remember=True)


# API tokens


class TooManyApiTokens(Conflict):
    def __init__(self) -> None:
        super().__init__(
            t("An account has at most {count} valid API tokens. Revoke one that you do not use.", count=_MAX_API_TOKENS)
        )


@needs(Permission.READ)
@needs_recent_proof
async def create_api_token(
    session: AsyncSession, actor: Actor, *, name: str, scope: TokenScope, lasts_days: int, client: Client = entry.COMMAND_LINE
) -> ApiTokenCreated:
    """Make a token for programs. Its secret is in the answer and nowhere else. `lasts_days` is 1 to 366.

    Raises ProofRequired or TooManyApiTokens.
    """
    require_confirmed(actor)
    if not 1 <= lasts_days <= 366:
        raise Invalid(t("A token lasts 1 to 366 days. Choose a number of days between them."))
    await acquire_lock(session, f"api_tokens:{actor.id}")  # two requests at once must not both take the last place
    if await repository.count_live_api_tokens(session, actor.id) >= _MAX_API_TOKENS:
        raise TooManyApiTokens
    secret = tokens.API_TOKEN_PREFIX + tokens.new_secret()
    token = ApiToken(
        owner_id=actor.id,
        name=entry.checked_name(name),
        scope=scope,
        prefix=secret[:10],
        digest=tokens.digest(secret),
        expires_at=now() + timedelta(days=lasts_days),
    )
    session.add(token)
    await session.flush()
    await audit.record(session, "api_key.created", actor=actor, subject=token.name, client=client, scope=scope.value)
    return ApiTokenCreated(**ApiTokenRead.model_validate(token).model_dump(), secret=secret)


@needs(Permission.READ)
async def list_api_tokens(session: AsyncSession, actor: Actor, request: PageRequest) -> Page[ApiTokenRead]:
    """The actor's own, newest first; or sorted by `name`, `expires_at` or `last_used_at`."""
    found, total = await repository.page_of_api_tokens(session, actor.id, request)
    items = [ApiTokenRead.model_validate(token) for token in found]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
def export_api_tokens(session: AsyncSession, actor: Actor, request: PageRequest) -> AsyncIterator[str]:
    """Yield the actor's API tokens, without their secrets, as lines of CSV."""
    return csv_lines(
        [
            (t("Name"), lambda token: token.name),
            (t("Scope"), lambda token: token.scope),
            (t("Begins with"), lambda token: token.prefix),
            (t("Made"), lambda token: token.created_at),
            (t("Expires"), lambda token: token.expires_at),
            (t("Last used"), lambda token: token.last_used_at),
            (t("Revoked"), lambda token: token.revoked_at),
        ],
        iterate_all(lambda page: list_api_tokens(session, actor, page), request),
    )


@needs(Permission.READ)
async def revoke_api_token(
    session: AsyncSession, actor: Actor, token_id: UUID, *, client: Client = entry.COMMAND_LINE
) -> ApiTokenRead:
    """Make a token of the actor useless at once. Raises NotFound."""
    token = await repository.find_api_token(session, actor.id, token_id)
    if token is None:
        raise NotFound(t("The token"))
    token.revoked_at = token.revoked_at or now()
    await audit.record(session, "api_key.revoked", actor=actor, subject=token.name, client=client)
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
    return entry.actor_of(account).model_copy(update={"is_program": True}), TokenScope(token.scope)

"""Signing in and out, and the person's own sessions.

A refused sign-in returns `SignInRefused` instead of raising, so that the boundary commits the count of wrong passwords and the
audit entry.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import account_deletion, audit, passwords
from fundwright.accounts import service as accounts
from fundwright.accounts.models import Account
from fundwright.accounts.permissions import needs, refuse_programs
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.authentication import attempts, one_time_secrets, reauthentication, repository, second_factor, sessions
from fundwright.authentication.schemas import SecondStep, SessionRead, SignedIn, SignInRefusal, SignInRefused
from fundwright.core import tokens
from fundwright.core.assembly import Core
from fundwright.core.concurrency import PartyLimiter
from fundwright.core.errors import Invalid, NotFound
from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest, iterate_all


async def sign_in(
    session: AsyncSession, core: Core, *, email: str, password: str, remember: bool, client: Client, code: str = ""
) -> SignedIn | SignInRefused:
    """Check the password, and the `code` of an account that requires one, and start a session: for days if remembered,
    otherwise for hours in this browser."""
    account = await _admit(session, core, email=email, password=password, client=client)
    if isinstance(account, SignInRefused):
        return account
    refused = await second_factor.check(session, core, account, code=code, client=client)
    if refused is not None:
        return refused
    return await sessions.start_session(session, core, account, remember=remember, client=client)


async def sign_in_by_socket(
    session: AsyncSession, core: Core, *, email: str, password: str, remember: bool, client: Client
) -> str | SecondStep | SignInRefused:
    """Check the password and return a code for `redeem_handover` over plain HTTP, valid once, within 30 seconds; or the second
    step, if the account requires one.

    A socket cannot set a cookie, and the session begins only with the request that will carry it.
    """
    account = await _admit(session, core, email=email, password=password, client=client)
    if isinstance(account, SignInRefused):
        return account
    step = await second_factor.start_second_step(session, account, remember=remember, client=client)
    if step is not None:
        return step
    return await one_time_secrets.new_handover(session, account.id, remember=remember)


async def _admit(session: AsyncSession, core: Core, *, email: str, password: str, client: Client) -> Account | SignInRefused:
    """Return the account with this password. Only people who know the password learn that the address still waits to be
    confirmed."""
    # In a flood of sign-ins, most wait for hashing; they do so before they hold a connection that someone's click needs.
    queue = core.shared(f"{__name__}.queue", lambda: asyncio.Semaphore(2 * passwords.THREADS))
    # Sign-ins with the right password are not limited, so those to one account from one address run one at a time.
    limiter = core.shared(f"{__name__}.limiter", lambda: PartyLimiter(1))
    async with limiter.slot((email.strip().lower(), client.address)), queue:
        account = await attempts.check_password(session, core, email=email, password=password, client=client)
    if isinstance(account, Account) and account.verified_at is None:
        return await attempts.refuse(session, SignInRefusal.UNVERIFIED, email=account.email, client=client)
    return account


async def redeem_handover(session: AsyncSession, core: Core, code: str, *, client: Client) -> SignedIn:
    """Start the session of the code. Raises LinkSpent."""
    secret = await repository.use_secret(session, purpose="handover", digest=tokens.digest(code))
    account = await accounts.find_account_by_id(session, secret.owner_id) if secret and secret.owner_id else None
    if secret is None or account is None or account.disabled_at is not None:
        raise one_time_secrets.LinkSpent(t("This sign-in"), t("Sign in again."))
    return await sessions.start_session(session, core, account, remember=secret.remember, client=client)


async def authenticate(
    session: AsyncSession, core: Core, token: str, *, is_use: bool = True, workspace_id: UUID | None = None
) -> Actor | None:
    """The account of this session token, or None if it is no longer valid. A use keeps the session from ending as idle.

    It acts in the workspace with `workspace_id`, or else in its last used one. The account is read each time: a role change, a disabled
    account, or an ended session takes effect with the next request. Raises NotFound if the account is not a member of the workspace.
    """
    found = await sessions.find(session, core, token)
    if found is None:
        return None
    if is_use and sessions.is_touch_due(found.row):
        await sessions.touch(session, found.row)
    if workspace_id is None:
        return accounts.actor_of(found.account, session_id=found.row.id)
    actor = await accounts.person_in(session, found.account, workspace_id, session_id=found.row.id)
    if actor is None:
        raise await accounts.missing_workspace(session, found.account.id, workspace_id)
    return actor


@needs(Permission.READ)
async def sign_out(session: AsyncSession, actor: Actor, *, client: Client) -> None:
    """End the actor's session: its token is invalid from now on, and its sockets close."""
    if actor.session_id is not None:
        await sessions.end_sessions(session, actor.id, only=actor.session_id)
    await audit.record(session, "sign_out", actor=actor, subject=actor.email, client=client)


@needs(Permission.READ)
async def list_sessions(session: AsyncSession, actor: Actor, request: PageRequest) -> Page[SessionRead]:
    """The actor's sessions, last used first; or sorted by `created_at`."""
    return await sessions.read_page(session, actor.id, request)


@needs(Permission.READ)
def export_sessions(session: AsyncSession, actor: Actor, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return sessions.export(iterate_all(lambda page: list_sessions(session, actor, page), request))


@needs(Permission.READ)
async def end_session(session: AsyncSession, actor: Actor, session_id: UUID, *, client: Client) -> None:
    """End one of the actor's own sessions. Raises NotFound."""
    if not await sessions.end_sessions(session, actor.id, only=session_id):
        raise NotFound(t("The session"))
    await audit.record(session, "session.ended", actor=actor, subject=str(session_id), client=client)


@needs(Permission.READ)
async def end_other_sessions(session: AsyncSession, actor: Actor, *, client: Client) -> None:
    """End all sessions of the account but this one. Raises NotForPrograms, because an API token has no session to keep."""
    refuse_programs(actor)
    await sessions.end_sessions(session, actor.id, but=actor.session_id, device=client.device)
    await audit.record(session, "session.others_ended", actor=actor, subject=actor.email, client=client)


@needs(Permission.READ)
async def end_sessions_of_deleted(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Close what an account that is being deleted still has open."""
    await sessions.end_sessions(session, actor.id)


@needs(Permission.READ)
async def delete_account(
    session: AsyncSession, actor: Actor, core: Core, *, email: str, password: str, client: Client
) -> SignInRefused | None:
    """Delete the actor's account permanently; invoices and the audit trail stay. Returns why not if the password is wrong.

    `email` is its address, typed as confirmation. Raises Invalid, OnlyAdministrator, or ReauthenticationRequired (see
    `check_own_password`).
    """
    if email.strip().lower() != actor.email:
        raise Invalid(t("Type {email} to confirm.", email=actor.email))
    checked = await reauthentication.check_own_password(session, actor, core, password=password, client=client)
    if isinstance(checked, SignInRefused):
        return checked
    await account_deletion.delete_account(session, actor, core, client=client)
    return None

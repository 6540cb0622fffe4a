"""Finding, adding, and reading accounts."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit, passwords, repository
from fundwright.accounts.models import Account, Membership
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission, Role, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, Invalid, NoLongerMember, NotFound
from fundwright.core.messages import LANGUAGES, Language, t
from fundwright.core.scopes import across_workspaces

_EMAIL = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")
_MAX_EMAIL_LENGTH = 254
_MAX_NAME_LENGTH = 200
_SUPPORT_RECORDED_EVERY = timedelta(hours=1)


AccountCreatedHandler = Callable[[AsyncSession, Actor, Core], Awaitable[None]]


def is_email(text: str) -> bool:
    """Whether the text is a valid email address for an account."""
    plain = text.strip().lower()
    return len(plain) <= _MAX_EMAIL_LENGTH and _EMAIL.fullmatch(plain) is not None


def normalize_email(email: str) -> str:
    """Normalize an address. Raises Invalid if it is not an address."""
    plain = email.strip().lower()
    if not is_email(plain):
        raise Invalid(t("Email must be a valid email address"))
    return plain


def actor_of(account: Account, *, session_id: UUID | None = None, membership: Membership | None = None) -> Actor:
    """Return the account as an actor in the workspace of `membership`, or else in its last used one."""
    membership = membership or account.membership
    return Actor(
        id=account.id,
        email=account.email,
        name=account.display_name,
        role=Role(account.role),
        workspace_id=membership.workspace_id if membership else account.id,
        workspace_role=WorkspaceRole(membership.role) if membership else WorkspaceRole.OWNER,
        session_id=session_id,
        language=account.language,
        time_zone=account.time_zone,
        photo_url=account.photo_url,
        is_confirmed=account.verified_at is not None,
    )


async def actor_in(
    session: AsyncSession, account: Account, workspace_id: UUID, *, session_id: UUID | None = None
) -> Actor | None:
    """Return the account as an actor in a workspace; None if it is not a member."""
    membership = account.membership
    if membership is None or membership.workspace_id != workspace_id:
        membership = await repository.find_membership(session, workspace_id, account.id)
    return actor_of(account, session_id=session_id, membership=membership) if membership else None


async def person_in(
    session: AsyncSession, account: Account, workspace_id: UUID, *, session_id: UUID | None = None
) -> Actor | None:
    """Return the account of a session as an actor in a workspace: as its member, or else as an administrator with support access, who may
    only view it. None if it is neither. Jobs and API tokens never have support access."""
    actor = await actor_in(session, account, workspace_id, session_id=session_id)
    if actor is not None or account.role != Role.ADMIN:
        return actor
    if not await repository.has_support(session, workspace_id):
        return None
    here = {"workspace_id": workspace_id, "workspace_role": WorkspaceRole.VIEWER, "is_support": True}
    return actor_of(account, session_id=session_id).model_copy(update=here)


@needs(Permission.READ)
async def record_support(session: AsyncSession, actor: Actor, *, client: Client) -> None:
    """Record that an administrator views a workspace with support access, at most once an hour."""
    action, details = "workspace.support_used", {"workspace": str(actor.workspace_id)}
    since = now() - _SUPPORT_RECORDED_EVERY
    if not await repository.has_audit_entry(session, action, since=since, actor_id=actor.id, details=details):
        await audit.record(session, action, actor=actor, subject=str(actor.workspace_id), client=client, **details)


async def missing_workspace(session: AsyncSession, account_id: UUID, workspace_id: UUID) -> NotFound:
    """Return the error for a workspace of which the account is not a member: former members are told so, and others that it was not
    found."""
    former = await repository.find_former_member(session, workspace_id, account_id)
    return NotFound(t("The workspace")) if former is None else NoLongerMember()


def former_memberships(account_id: UUID) -> Select[UUID, datetime]:
    """Select the ids of the workspaces that an account has left, or was removed from, each with when that was, as a subquery."""
    return repository.former_memberships(account_id)


@needs(Permission.READ)
async def use_workspace(session: AsyncSession, actor: Actor) -> None:
    """Make the actor's workspace the last used one of its account, in which pages open."""
    await repository.use_workspace(session, actor.id, actor.workspace_id if actor.is_in_shared_workspace else None)


@needs(Permission.READ)
async def uses_workspace(session: AsyncSession, actor: Actor) -> bool:
    """Return whether the actor's workspace is the last used one of its account."""
    return await repository.uses_workspace(session, actor.id, actor.workspace_id if actor.is_in_shared_workspace else None)


def language_of(account: Account, *, otherwise: Language) -> Language:
    """The language of emails to the account."""
    return account.language if account.language in LANGUAGES else otherwise


def checked_name(name: str) -> str:
    plain = audit.one_line(name).strip()
    if not plain or len(name) > _MAX_NAME_LENGTH:
        raise Invalid(t("The name is empty or longer than {most} characters. Enter a shorter one.", most=_MAX_NAME_LENGTH))
    return plain


async def find_account(session: AsyncSession, email: str) -> Account | None:
    return await repository.find_account(session, email)


async def find_account_by_id(session: AsyncSession, account_id: UUID) -> Account | None:
    return await repository.find_account_by_id(session, account_id)


async def has_accounts(session: AsyncSession) -> bool:
    return await repository.has_accounts(session)


async def lock_administrators(session: AsyncSession) -> Sequence[UUID]:
    """The enabled administrators, locked until the transaction ends."""
    return await repository.lock_administrators(session)


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


class EmailTaken(Conflict):
    """The specification defines both the status and the text."""

    status = 400

    def __init__(self) -> None:
        super().__init__("There already exists an account with the given email address.")


async def add_account(
    session: AsyncSession,
    *,
    email: str,
    name: str,
    role: Role,
    password: str | None,
    is_verified: bool = True,
    client: Client = COMMAND_LINE,
) -> Actor:
    """Add an account. Without a password, nobody can sign in to it. Raises Invalid, WeakPassword, or EmailTaken."""
    email, name = normalize_email(email), checked_name(name)
    actor = await add_hashed(
        session,
        email=email,
        name=name,
        role=role,
        password_hash=await passwords.new_hash(password, email, name),
        is_verified=is_verified,
        client=client,
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
    client: Client = COMMAND_LINE,
) -> Actor | None:
    """Like `add_account`, after all checks. None if the address has an account."""
    account = await repository.add_account(
        session, email=email, name=name, role=role, password_hash=password_hash, verified_at=now() if is_verified else None
    )
    if account is None:
        return None
    await audit.record(session, "account.created", actor=None, subject=email, client=client, role=role.value)
    return actor_of(account)


async def create_account(
    session: AsyncSession,
    core: Core,
    *,
    email: str,
    name: str,
    role: Role,
    password: str | None,
    client: Client = COMMAND_LINE,
) -> Actor:
    """Like `add_account`, and give the account what plug-ins provide for new ones."""
    actor = await add_account(session, email=email, name=name, role=role, password=password, client=client)
    await welcome(session, actor, core)
    return actor


async def confirm(session: AsyncSession, core: Core, account: Account) -> Actor:
    """Mark the email address of the account as confirmed. The account may work from now on, and gets what plug-ins provide for
    new accounts."""
    account.verified_at = now()
    actor = actor_of(account)
    await welcome(session, actor, core)
    return actor


@needs(Permission.READ)
async def welcome(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Give a new account what plug-ins provide, such as sample documents."""
    handlers: list[AccountCreatedHandler] = core.plugins.collect("account_created_handlers")
    async with across_workspaces(session, "welcome"):  # a visitor or an administrator may have created the account
        for handler in handlers:
            await handler(session, actor, core)

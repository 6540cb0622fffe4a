"""All queries of accounts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from sqlalchemy import Select, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.models import (
    Account,
    AccountPhoto,
    AuditEntry,
    DataCopy,
    FormerMember,
    Membership,
    SavedState,
    Workspace,
)
from fundwright.accounts.schemas import AccountState, AuditQuery, PeopleQuery, Role, WorkspaceRole
from fundwright.core.database import now
from fundwright.core.json_values import JsonValue
from fundwright.core.lists import contains, count_all, ordered_by


async def find_account(session: AsyncSession, email: str) -> Account | None:
    return await session.scalar(select(Account).where(Account.email == email))


async def find_account_by_id(session: AsyncSession, account_id: UUID) -> Account | None:
    return await session.get(Account, account_id)


async def has_accounts(session: AsyncSession) -> bool:
    return bool(await session.scalar(select(select(Account.id).exists())))


async def find_oldest_account(session: AsyncSession) -> Account | None:
    """The oldest enabled account with role user, or else the oldest of any role."""
    return await session.scalar(
        select(Account)
        .where(Account.disabled_at.is_(None))
        .order_by(Account.role != Role.USER, Account.created_at, Account.id)
        .limit(1)
    )


async def list_accounts(session: AsyncSession) -> Sequence[Account]:
    return (await session.scalars(select(Account).order_by(Account.email))).all()


def directory() -> Select[UUID, str, str]:
    return select(Account.id, Account.email, Account.display_name.label("name"))


async def page_of_people(session: AsyncSession, query: PeopleQuery) -> tuple[Sequence[Account], int]:
    found = _people(query)
    total = await count_all(session, found)
    return (await session.scalars(found.offset(query.offset).limit(query.page_size))).all(), total


async def stream_people(session: AsyncSession, query: PeopleQuery) -> AsyncIterator[Account]:
    async for account in await session.stream_scalars(_people(query)):
        yield account


def _people(query: PeopleQuery) -> Select[Account]:
    found = select(Account)
    if query.text:
        found = found.where(contains(query.text, Account.email, Account.display_name))
    if query.role is not None:
        found = found.where(Account.role == query.role)
    if query.state is not None:
        is_open, is_verified = Account.disabled_at.is_(None), Account.verified_at.is_not(None)
        found = found.where({
            AccountState.ACTIVE: is_open & is_verified,
            AccountState.UNCONFIRMED: is_open & ~is_verified,
            AccountState.DISABLED: ~is_open,
        }[query.state])  # fmt: skip
    columns = {
        "name": func.lower(Account.display_name), "role": Account.role, "created_at": Account.created_at,
        "last_signed_in_at": Account.last_signed_in_at,
        "email": Account.email,
    }  # fmt: skip
    return found.order_by(ordered_by(query, columns, default=Account.email), Account.id)


async def lock_administrators(session: AsyncSession) -> Sequence[UUID]:
    """The enabled administrators, locked until the transaction ends."""
    query = select(Account.id).where(Account.role == Role.ADMIN, Account.disabled_at.is_(None))
    return (await session.scalars(query.with_for_update())).all()


async def page_of_audit(session: AsyncSession, query: AuditQuery, *, actions: Sequence[str]) -> tuple[Sequence[AuditEntry], int]:
    found = _audit(query, actions)
    total = await count_all(session, found)
    return (await session.scalars(found.offset(query.offset).limit(query.page_size))).all(), total


async def stream_audit(session: AsyncSession, query: AuditQuery, *, actions: Sequence[str]) -> AsyncIterator[AuditEntry]:
    async for entry in await session.stream_scalars(_audit(query, actions)):
        yield entry


def _audit(query: AuditQuery, actions: Sequence[str]) -> Select[AuditEntry]:
    """`actions` are the actions whose labels match the text of the query."""
    found = select(AuditEntry)
    if query.text:
        columns = (AuditEntry.action, AuditEntry.actor_email, AuditEntry.subject, AuditEntry.address)
        found = found.where(or_(contains(query.text, *columns), AuditEntry.action.in_(actions)))
    if query.first is not None:
        found = found.where(AuditEntry.at >= _midnight(query.first))
    if query.last is not None:
        found = found.where(AuditEntry.at < _midnight(query.last) + timedelta(days=1))
    return found.order_by(ordered_by(query, {"at": AuditEntry.at}, default=AuditEntry.at.desc()), AuditEntry.id)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


async def add_account(
    session: AsyncSession, *, email: str, name: str, role: Role, password_hash: str, verified_at: datetime | None
) -> Account | None:
    """The new account with its personal workspace, or None if the email is taken (also by a transaction that commits first)."""
    first_name, _, last_name = name.partition(" ")
    query = insert(Account).values(
        email=email,
        display_name=name,
        first_name=first_name,
        last_name=last_name,
        password_hash=password_hash,
        role=role,
        verified_at=verified_at,
    )
    account_id = await session.scalar(query.on_conflict_do_nothing(index_elements=["email"]).returning(Account.id))
    if account_id is None:
        return None
    session.add(Workspace(id=account_id))
    await session.flush()
    session.add(Membership(workspace_id=account_id, account_id=account_id, role=WorkspaceRole.OWNER))
    await session.flush()
    return await session.get(Account, account_id)


async def find_membership(session: AsyncSession, workspace_id: UUID, account_id: UUID) -> Membership | None:
    return await session.get(Membership, (workspace_id, account_id), populate_existing=True)


async def has_support(session: AsyncSession, workspace_id: UUID) -> bool:
    """Whether administrators may view the workspace now."""
    granted = select(Workspace.id).where(Workspace.id == workspace_id, Workspace.support_until > now())
    return await session.scalar(granted) is not None


async def find_former_member(session: AsyncSession, workspace_id: UUID, account_id: UUID) -> FormerMember | None:
    return await session.get(FormerMember, (workspace_id, account_id), populate_existing=True)


def former_memberships(account_id: UUID) -> Select[UUID, datetime]:
    is_member = exists().where(Membership.workspace_id == FormerMember.workspace_id, Membership.account_id == account_id)
    return select(FormerMember.workspace_id, FormerMember.ended_at).where(FormerMember.account_id == account_id, ~is_member)


async def list_memberships(session: AsyncSession, account_id: UUID) -> Sequence[tuple[str, Membership]]:
    """Return the memberships of an account, each with the name of the workspace."""
    rows = await session.execute(
        select(Workspace.name, Membership)
        .join(Membership, Membership.workspace_id == Workspace.id)
        .where(Membership.account_id == account_id)
        .order_by(Workspace.name, Workspace.id)
    )
    return [(name, membership) for name, membership in rows]


async def use_workspace(session: AsyncSession, account_id: UUID, workspace_id: UUID | None) -> None:
    """None stands for the personal one."""
    other = Account.workspace_id.is_distinct_from(workspace_id)
    await session.execute(update(Account).where(Account.id == account_id, other).values(workspace_id=workspace_id))


async def uses_workspace(session: AsyncSession, account_id: UUID, workspace_id: UUID | None) -> bool:
    """Whether the workspace is the last used one. None stands for the personal one."""
    same = Account.workspace_id.is_not_distinct_from(workspace_id)
    return await session.scalar(select(Account.id).where(Account.id == account_id, same)) is not None


async def find_saved_state(session: AsyncSession, owner_id: UUID, name: str) -> JsonValue:
    return await session.scalar(select(SavedState.value).where(SavedState.owner_id == owner_id, SavedState.name == name))


async def save_state(session: AsyncSession, owner_id: UUID, name: str, value: JsonValue) -> None:
    change = {"value": value, "changed_at": now()}
    query = insert(SavedState).values(owner_id=owner_id, name=name, **change)
    await session.execute(query.on_conflict_do_update(index_elements=["owner_id", "name"], set_=change))


async def find_photo(session: AsyncSession, photo_id: UUID, *, reader_id: UUID, sees_all: bool) -> AccountPhoto | None:
    """The photo, if it is the reader's own, belongs to a public profile, or the reader `sees_all`."""
    query = select(AccountPhoto).join(Account, Account.id == AccountPhoto.owner_id).where(AccountPhoto.id == photo_id)
    return await session.scalar(query if sees_all else query.where(or_(Account.id == reader_id, Account.is_public)))


async def remove_photos(session: AsyncSession, owner_id: UUID) -> None:
    await session.execute(delete(AccountPhoto).where(AccountPhoto.owner_id == owner_id))


async def find_data_copy(session: AsyncSession, owner_id: UUID) -> DataCopy | None:
    """The account's only one."""
    return await session.scalar(select(DataCopy).where(DataCopy.owner_id == owner_id, DataCopy.expires_at > now()))


async def list_kept_copies(session: AsyncSession, names: Collection[str]) -> Collection[str]:
    """Which of these files are archives that can still be downloaded or are being written."""
    copies = await session.scalars(select(DataCopy.id).where(DataCopy.expires_at > now()))
    return {copy_id.hex for copy_id in copies}.intersection(names)


async def remove_data_copies(session: AsyncSession, owner_id: UUID) -> Sequence[UUID]:
    return (await session.scalars(delete(DataCopy).where(DataCopy.owner_id == owner_id).returning(DataCopy.id))).all()


async def list_audit_of(session: AsyncSession, account: Account) -> Sequence[AuditEntry]:
    """What the account did, and what was done about it since it has its present address, oldest first. Before that, the
    address may have been someone else's."""
    changed = (AuditEntry.actor_id == account.id) & (AuditEntry.action == "email.changed")
    changed_at = await session.scalar(select(func.max(AuditEntry.at)).where(changed))
    since = max(account.created_at, changed_at or account.created_at)
    is_about = (AuditEntry.actor_id == account.id) | (AuditEntry.subject == account.email) & (AuditEntry.at >= since)
    return (await session.scalars(select(AuditEntry).where(is_about).order_by(AuditEntry.at, AuditEntry.id))).all()


async def list_saved_states(session: AsyncSession, owner_id: UUID) -> Sequence[SavedState]:
    return (await session.scalars(select(SavedState).where(SavedState.owner_id == owner_id).order_by(SavedState.name))).all()


async def delete_account(session: AsyncSession, account: Account) -> None:
    """Including all rows that refer to it."""
    await session.delete(account)
    await session.flush()


async def has_audit_entry(
    session: AsyncSession,
    action: str,
    *,
    since: datetime,
    actor_id: UUID | None,
    address: str | None = None,
    details: Mapping[str, str] | None = None,
) -> bool:
    """Whether there is an entry with all that is given. Without an `actor_id`, nobody was signed in."""
    query = select(AuditEntry.id).where(AuditEntry.actor_id == actor_id, AuditEntry.action == action, AuditEntry.at > since)
    if address is not None:
        query = query.where(AuditEntry.address == address)
    if details is not None:
        query = query.where(AuditEntry.details.contains(details))
    return await session.scalar(query.limit(1)) is not None


async def add_audit_entry(session: AsyncSession, entry: AuditEntry) -> None:
    session.add(entry)
    await session.flush()

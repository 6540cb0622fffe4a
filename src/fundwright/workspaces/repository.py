"""All queries of workspaces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    Row,
    Select,
    String,
    Subquery,
    Table,
    and_,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, aliased

from fundwright.accounts.models import Account, FormerMember, Membership, Workspace
from fundwright.accounts.schemas import GRANTED, GRANTED_IN_WORKSPACE, Permission, Role, WorkspaceRole
from fundwright.core.database import Base, now
from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.workspaces.models import ContainedItem, Restriction, RestrictionMember, WorkspaceInvitation
from fundwright.workspaces.schemas import (
    Access,
    ChosenMemberRead,
    InvitationQuery,
    InvitationRead,
    InvitationState,
    MemberQuery,
    MemberRead,
    RestrictedItemQuery,
    SupportedWorkspaceRead,
    WorkspaceRead,
)


async def list_of(session: AsyncSession, account_id: UUID) -> list[WorkspaceRead]:
    """Return the workspaces of an account, the personal one first."""
    order = (Workspace.id != account_id, func.lower(Workspace.name), Workspace.id)
    return [_workspace(row) for row in await session.execute(_workspaces_of(account_id).order_by(*order))]


async def find(session: AsyncSession, account_id: UUID, workspace_id: UUID) -> WorkspaceRead | None:
    """Return a workspace of an account."""
    row = (await session.execute(_workspaces_of(account_id).where(Workspace.id == workspace_id))).one_or_none()
    return _workspace(row) if row else None


async def shows_any(session: AsyncSession, ids: Collection[UUID], slugs: Collection[str]) -> bool:
    """Whether row-level security shows the session something of a workspace with one of these ids or slugs."""
    wanted = [exists().where(column.in_(ids if column.name == "id" else slugs)) for column in _names_of_items()]
    return bool(await session.scalar(select(or_(*wanted))))


@cache
def _names_of_items() -> Sequence[Column[Any]]:
    """The columns by which addresses name what belongs to a workspace."""
    tables = (table for table in Base.metadata.sorted_tables if _belongs_to_workspace(table))
    return [table.columns[name] for table in tables for name in ("id", "slug") if name in table.columns]


def _belongs_to_workspace(table: Table) -> bool:
    owner = table.columns.get("owner_id")
    return owner is not None and any(key.target_fullname == "workspace.id" for key in owner.foreign_keys)


async def find_supported(session: AsyncSession, workspace_id: UUID) -> WorkspaceRead | None:
    """Return a workspace as administrators with support access see it."""
    members = select(func.count()).where(Membership.workspace_id == Workspace.id).scalar_subquery()
    found = select(_title_for_others(), members).select_from(Workspace).outerjoin(Account, Account.id == Workspace.id)
    row = (await session.execute(found.where(Workspace.id == workspace_id))).one_or_none()
    return WorkspaceRead(id=workspace_id, name=row[0], role=WorkspaceRole.VIEWER, members=row[1]) if row else None


async def list_supported(session: AsyncSession, account_id: UUID) -> list[SupportedWorkspaceRead]:
    """Return the workspaces with support access that the account is not a member of, by name."""
    is_member = select(Membership).where(Membership.workspace_id == Workspace.id, Membership.account_id == account_id).exists()
    found = (
        select(Workspace.id, _title_for_others(), Workspace.support_until)
        .select_from(Workspace)
        .outerjoin(Account, Account.id == Workspace.id)
        .where(Workspace.support_until > now(), ~is_member)
        .order_by(func.lower(_title_for_others()), Workspace.id)
    )
    rows = await session.execute(found)
    return [SupportedWorkspaceRead(id=id, title=title, until=until) for id, title, until in rows if until]


def _title_for_others() -> ColumnElement[str]:
    """The name of a workspace; that of a personal one is the name of its account, which needs a join."""
    return func.coalesce(func.nullif(Workspace.name, ""), Account.display_name, "")


async def support_until(session: AsyncSession, workspace_id: UUID) -> datetime | None:
    """Return until when administrators may view the workspace; None if they may not now."""
    return await session.scalar(
        select(Workspace.support_until).where(Workspace.id == workspace_id, Workspace.support_until > now())
    )


def directory() -> Select[UUID, str, bool, Sequence[str]]:
    owner = aliased(Account)
    owners = (
        select(owner.email)
        .join(Membership, Membership.account_id == owner.id)
        .where(Membership.workspace_id == Workspace.id, Membership.role == WorkspaceRole.OWNER)
        .order_by(Membership.joined_at, owner.email)
    )
    return (
        select(
            Workspace.id,
            _title_for_others().label("name"),
            Account.id.is_not(None).label("is_personal"),
            func.array(owners.scalar_subquery(), type_=ARRAY[str](String)).label("owners"),
        )
        .select_from(Workspace)
        .outerjoin(Account, Account.id == Workspace.id)
    )


async def count_owned(session: AsyncSession, account_id: UUID) -> int:
    """Count the shared workspaces of which the account is an owner."""
    owned = select(func.count()).where(Membership.account_id == account_id, Membership.role == WorkspaceRole.OWNER)
    return await session.scalar(owned.where(Membership.workspace_id != account_id)) or 0


async def count_owned_by(
    session: AsyncSession, owner: InstrumentedAttribute[UUID | None], workspace_id: UUID, *conditions: ColumnElement[bool]
) -> int:
    """The rows of a table whose column `owner` names the workspace and that meet the conditions."""
    return await count_all(session, select(owner).where(owner == workspace_id, *conditions))


async def list_administrator_ids(session: AsyncSession) -> Sequence[UUID]:
    return (await session.scalars(select(Account.id).where(Account.role == Role.ADMIN, Account.disabled_at.is_(None)))).all()


def _workspaces_of(account_id: UUID) -> Select[UUID, str, str, int]:
    other = aliased(Membership)
    members = select(func.count()).where(other.workspace_id == Workspace.id).scalar_subquery()
    return (
        select(Workspace.id, Workspace.name, Membership.role, members)
        .join(Membership, Membership.workspace_id == Workspace.id)
        .where(Membership.account_id == account_id)
    )


def _workspace(row: Row[UUID, str, str, int]) -> WorkspaceRead:
    id, name, role, members = row
    return WorkspaceRead(id=id, name=name, role=WorkspaceRole(role), members=members)


async def count_of(session: AsyncSession, account_id: UUID) -> int:
    return await session.scalar(select(func.count()).where(Membership.account_id == account_id)) or 0


async def add(session: AsyncSession, *, name: str, owner_id: UUID) -> Workspace:
    workspace = Workspace(name=name)
    session.add(workspace)
    await session.flush()
    await add_member(session, workspace.id, owner_id, WorkspaceRole.OWNER)
    return workspace


async def add_member(session: AsyncSession, workspace_id: UUID, account_id: UUID, role: WorkspaceRole) -> None:
    session.add(Membership(workspace_id=workspace_id, account_id=account_id, role=role))
    await session.flush()


async def is_member(session: AsyncSession, workspace_id: UUID, account_id: UUID) -> bool:
    return await session.get(Membership, (workspace_id, account_id), populate_existing=True) is not None


async def lock(session: AsyncSession, workspace_id: UUID) -> Workspace:
    """Until the transaction ends, no other request can change the workspace or its members. Raises NotFound."""
    workspace = await lock_if_any(session, workspace_id)
    if workspace is None:
        raise NotFound(t("The workspace"))
    return workspace


async def lock_if_any(session: AsyncSession, workspace_id: UUID) -> Workspace | None:
    """Like `lock`; None if the workspace is gone."""
    return await session.get(Workspace, workspace_id, with_for_update=True, populate_existing=True)


async def get_member(session: AsyncSession, workspace_id: UUID, account_id: UUID) -> Membership:
    """Raises NotFound."""
    member = await session.get(Membership, (workspace_id, account_id), populate_existing=True)
    if member is None:
        raise NotFound(t("The member"))
    return member


async def count_owners(session: AsyncSession, workspace_id: UUID) -> int:
    owners = select(func.count()).where(Membership.workspace_id == workspace_id, Membership.role == WorkspaceRole.OWNER)
    return await session.scalar(owners) or 0


async def list_last_owned(session: AsyncSession, account_id: UUID) -> Sequence[UUID]:
    """Return the workspaces that have other members and whose only owner is the account."""
    other = aliased(Membership)
    others = select(other).where(other.workspace_id == Workspace.id, other.account_id != account_id)
    found = (
        select(Workspace.id)
        .join(Membership, Membership.workspace_id == Workspace.id)
        .where(Membership.account_id == account_id, Membership.role == WorkspaceRole.OWNER)
        .where(others.exists(), ~others.where(other.role == WorkspaceRole.OWNER).exists())
    )
    return (await session.scalars(found)).all()


def memberships() -> Select[UUID, UUID]:
    return select(Membership.workspace_id, Membership.account_id)


def opened_by(account_id: UUID) -> Select[UUID]:
    own = select(Membership.workspace_id).where(Membership.account_id == account_id)
    return select(Workspace.id).where(or_(Workspace.id.in_(own), Workspace.support_until > now()))


def editors(workspace_id: UUID) -> Select[UUID]:
    return (
        select(Membership.account_id)
        .join(Account, Account.id == Membership.account_id)
        .where(
            Membership.workspace_id == workspace_id,
            Membership.role.in_([role for role, granted in GRANTED_IN_WORKSPACE.items() if Permission.WORK in granted]),
            Account.role.in_([role for role, granted in GRANTED.items() if Permission.WORK in granted]),
            Account.disabled_at.is_(None),
            Account.verified_at.is_not(None),
        )
    )


async def list_editor_ids(session: AsyncSession, workspace_id: UUID) -> Sequence[UUID]:
    """Owners come first."""
    order = Membership.role != WorkspaceRole.OWNER, Membership.joined_at, Membership.account_id
    return (await session.scalars(editors(workspace_id).order_by(*order))).all()


async def list_member_ids(session: AsyncSession, workspace_id: UUID, *, among: Collection[UUID] | None = None) -> Sequence[UUID]:
    """Return the members of a workspace, or which of some accounts are."""
    members = select(Membership.account_id).where(Membership.workspace_id == workspace_id)
    if among is not None:
        members = members.where(Membership.account_id.in_(among))
    return (await session.scalars(members)).all()


async def list_owner_ids(session: AsyncSession, workspace_id: UUID) -> Sequence[UUID]:
    owners = Membership.workspace_id == workspace_id, Membership.role == WorkspaceRole.OWNER
    return (await session.scalars(select(Membership.account_id).where(*owners))).all()


async def names_of(session: AsyncSession, account_ids: Collection[UUID]) -> dict[UUID, str]:
    rows = await session.execute(select(Account.id, Account.display_name).where(Account.id.in_(account_ids)))
    return {row.id: row.display_name for row in rows}


async def page_of_members(session: AsyncSession, workspace_id: UUID, query: MemberQuery) -> tuple[list[MemberRead], int]:
    found = (
        select(Account.id, Account.email, Account.display_name, Membership.role, Membership.joined_at)
        .join(Membership, Membership.account_id == Account.id)
        .where(Membership.workspace_id == workspace_id)
    )
    if query.text.strip():
        found = found.where(contains(query.text.strip(), Account.email, Account.display_name))
    if query.role is not None:
        found = found.where(Membership.role == query.role)
    columns = {
        "name": func.lower(Account.display_name),
        "email": Account.email,
        "role": case({role.value: place for place, role in enumerate(WorkspaceRole)}, value=Membership.role),
        "joined_at": Membership.joined_at,
    }
    total = await count_all(session, found)
    order = ordered_by(query, columns, default=func.lower(Account.display_name))
    rows = await session.execute(found.order_by(order, Account.id).offset(query.offset).limit(query.page_size))
    return [
        MemberRead(id=id, email=email, name=name, role=WorkspaceRole(role), joined_at=joined_at)
        for id, email, name, role, joined_at in rows
    ], total


async def remove_member(session: AsyncSession, workspace_id: UUID, account_id: UUID) -> None:
    """The account opens its personal workspace from now on, if this was the last used one."""
    member = Membership.workspace_id == workspace_id, Membership.account_id == account_id
    await session.execute(delete(Membership).where(*member))
    former = {"workspace_id": workspace_id, "account_id": account_id, "ended_at": now()}
    remembered = insert(FormerMember).values(former)
    await session.execute(remembered.on_conflict_do_update(constraint="pk_former_member", set_={"ended_at": now()}))
    last_used = update(Account).where(Account.id == account_id, Account.workspace_id == workspace_id)
    await session.execute(last_used.values(workspace_id=None))


async def delete_workspace(session: AsyncSession, workspace_id: UUID) -> None:
    """Including all rows that refer to it."""
    await session.execute(delete(Workspace).where(Workspace.id == workspace_id))


# Invitations


def _invitations() -> Select[WorkspaceInvitation, str, str]:
    return (
        select(WorkspaceInvitation, Workspace.name, Account.display_name)
        .join(Workspace, Workspace.id == WorkspaceInvitation.workspace_id)
        .outerjoin(Account, Account.id == WorkspaceInvitation.invited_by)
    )


def read_invitation(invitation: WorkspaceInvitation, workspace: str, inviter: str | None) -> InvitationRead:
    return InvitationRead(
        id=invitation.id,
        workspace_id=invitation.workspace_id,
        workspace=workspace,
        email=invitation.email,
        role=WorkspaceRole(invitation.role),
        most_uses=invitation.most_uses,
        uses=invitation.uses,
        invited_by=inviter,
        created_at=invitation.created_at,
        expires_at=invitation.expires_at,
        ended_at=invitation.ended_at,
    )


async def page_of_invitations(
    session: AsyncSession, workspace_id: UUID, query: InvitationQuery
) -> tuple[list[InvitationRead], int]:
    found = _invitations().where(WorkspaceInvitation.workspace_id == workspace_id)
    if query.text.strip():
        found = found.where(contains(query.text.strip(), WorkspaceInvitation.email))
    if query.state is not None:
        is_used, has_ended = WorkspaceInvitation.uses >= WorkspaceInvitation.most_uses, WorkspaceInvitation.ended_at.is_not(None)
        is_valid = WorkspaceInvitation.expires_at > now()
        found = found.where({
            InvitationState.USED: is_used,
            InvitationState.ENDED: ~is_used & has_ended,
            InvitationState.EXPIRED: ~is_used & ~has_ended & ~is_valid,
            InvitationState.PENDING: ~is_used & ~has_ended & is_valid,
        }[query.state])  # fmt: skip
    columns = {
        "email": WorkspaceInvitation.email,
        "role": WorkspaceInvitation.role,
        "created_at": WorkspaceInvitation.created_at,
        "expires_at": WorkspaceInvitation.expires_at,
    }
    total = await count_all(session, found)
    order = ordered_by(query, columns, default=WorkspaceInvitation.created_at.desc())
    rows = await session.execute(found.order_by(order, WorkspaceInvitation.id).offset(query.offset).limit(query.page_size))
    return [read_invitation(*row) for row in rows], total


async def list_invitations_for(session: AsyncSession, email: str) -> list[InvitationRead]:
    """Return the working invitations of an address, oldest first."""
    found = _invitations().where(
        WorkspaceInvitation.email == email,
        WorkspaceInvitation.uses < WorkspaceInvitation.most_uses,
        WorkspaceInvitation.ended_at.is_(None),
        WorkspaceInvitation.expires_at > now(),
    )
    rows = await session.execute(found.order_by(WorkspaceInvitation.created_at, WorkspaceInvitation.id))
    return [read_invitation(*row) for row in rows]


async def find_invitation_by_digest(session: AsyncSession, digest: str) -> InvitationRead | None:
    row = (await session.execute(_invitations().where(WorkspaceInvitation.digest == digest))).one_or_none()
    return read_invitation(*row) if row else None


async def lock_invitation(session: AsyncSession, invitation_id: UUID) -> WorkspaceInvitation:
    """Raises NotFound."""
    invitation = await session.get(WorkspaceInvitation, invitation_id, with_for_update=True, populate_existing=True)
    if invitation is None:
        raise NotFound(t("The invitation"))
    return invitation


async def end_invitations_for(session: AsyncSession, workspace_id: UUID, email: str) -> None:
    """End the working invitations of an address to a workspace."""
    working = update(WorkspaceInvitation).where(
        WorkspaceInvitation.workspace_id == workspace_id,
        WorkspaceInvitation.email == email,
        WorkspaceInvitation.uses < WorkspaceInvitation.most_uses,
        WorkspaceInvitation.ended_at.is_(None),
    )
    await session.execute(working.values(ended_at=now()))


async def end_open_links(session: AsyncSession, workspace_id: UUID) -> None:
    """End the working links with which everyone can join a workspace."""
    working = update(WorkspaceInvitation).where(
        WorkspaceInvitation.workspace_id == workspace_id,
        WorkspaceInvitation.email.is_(None),
        WorkspaceInvitation.uses < WorkspaceInvitation.most_uses,
        WorkspaceInvitation.ended_at.is_(None),
    )
    await session.execute(working.values(ended_at=now()))


async def end_invitations_from(session: AsyncSession, workspace_id: UUID | None, account_id: UUID) -> None:
    """End the working invitations that an account has sent, to one workspace or to all."""
    sent = update(WorkspaceInvitation).where(WorkspaceInvitation.invited_by == account_id, WorkspaceInvitation.ended_at.is_(None))
    if workspace_id is not None:
        sent = sent.where(WorkspaceInvitation.workspace_id == workspace_id)
    await session.execute(sent.values(ended_at=now()))


# Restricted items


def _restrictions(workspace_id: UUID) -> Subquery:
    """Select the ids of a workspace's restricted items, each with the subject of each restriction that applies to it: the item, or what
    contains it."""
    own = select(Restriction.subject_id.label("item_id"), Restriction.subject_id).where(Restriction.owner_id == workspace_id)
    inherited = select(ContainedItem.item_id, Restriction.subject_id).join(
        Restriction, Restriction.subject_id == ContainedItem.container_id
    )
    return own.union_all(inherited.where(Restriction.owner_id == workspace_id)).subquery()


def restricted_ids(workspace_id: UUID) -> Select[UUID]:
    return select(_restrictions(workspace_id).c.item_id)


def restricted_editors(workspace_id: UUID) -> Select[UUID, UUID]:
    """Select the ids of a workspace's restricted items, each with those of the chosen members who may edit it."""
    chosen = select(RestrictionMember.subject_id, RestrictionMember.account_id)
    return chosen.where(RestrictionMember.owner_id == workspace_id, RestrictionMember.access == Access.EDIT)


async def list_hidden_ids(session: AsyncSession, workspace_id: UUID, account_id: UUID) -> Sequence[UUID]:
    """Return the items of the workspace that the account may not see."""
    found = _restrictions(workspace_id)
    chosen = RestrictionMember.subject_id == found.c.subject_id, RestrictionMember.account_id == account_id
    return (await session.scalars(select(found.c.item_id).where(~select(RestrictionMember).where(*chosen).exists()))).all()


async def access_to(
    session: AsyncSession, workspace_id: UUID, account_id: UUID, subject_ids: Collection[UUID]
) -> Mapping[UUID, Access | None]:
    """Return what the account may do with those of the items that are restricted; None is nothing. If several restrictions apply to an
    item, the account may only do what all of them allow."""
    found = _restrictions(workspace_id)
    own = and_(RestrictionMember.subject_id == found.c.subject_id, RestrictionMember.account_id == account_id)
    rows = await session.execute(
        select(found.c.item_id, RestrictionMember.access)
        .outerjoin(RestrictionMember, own)
        .where(found.c.item_id.in_(subject_ids))
    )
    least: dict[UUID, Access | None] = {}
    for id, given in rows:
        access = Access(given) if given else None
        least[id] = access if id not in least else _weaker(least[id], access)
    return least


def _weaker(one: Access | None, other: Access | None) -> Access | None:
    if one is None or other is None:
        return None
    return other if one.includes(other) else one


async def list_seeing(session: AsyncSession, workspace_id: UUID, subject_id: UUID) -> frozenset[UUID] | None:
    """Return the chosen members who see an item; None if it is not restricted."""
    found = _restrictions(workspace_id)
    member = RestrictionMember.subject_id == found.c.subject_id
    rows = await session.execute(
        select(found.c.subject_id, RestrictionMember.account_id)
        .outerjoin(RestrictionMember, member)
        .where(found.c.item_id == subject_id)
    )
    chosen: dict[UUID, set[UUID]] = {}
    for restriction, account_id in rows:
        chosen.setdefault(restriction, set()).update({account_id} - {None})
    return frozenset.intersection(*map(frozenset, chosen.values())) if chosen else None


def contained(workspace_id: UUID) -> Select[UUID, UUID]:
    return select(ContainedItem.item_id, ContainedItem.container_id).where(ContainedItem.owner_id == workspace_id)


async def containers_of(session: AsyncSession, workspace_id: UUID, item_ids: Collection[UUID]) -> Mapping[UUID, UUID]:
    """Return the containers of those of the items that are in one."""
    rows = await session.execute(contained(workspace_id).where(ContainedItem.item_id.in_(item_ids)))
    return dict(rows.all())


async def put_into(session: AsyncSession, workspace_id: UUID, item_id: UUID, container_id: UUID | None) -> None:
    if container_id is None:
        await session.execute(delete(ContainedItem).where(ContainedItem.item_id == item_id))
        return
    added = insert(ContainedItem).values(item_id=item_id, container_id=container_id, owner_id=workspace_id)
    await session.execute(added.on_conflict_do_update(index_elements=["item_id"], set_={"container_id": container_id}))


async def remove_contained(session: AsyncSession, ids: Collection[UUID]) -> Sequence[UUID]:
    """Take items out of their containers, and everything out of those among them that are containers. Return the items whose containers
    were restricted."""
    is_item = ContainedItem.item_id.in_(ids)
    restricted = select(Restriction.subject_id)
    found = await session.scalars(select(ContainedItem.item_id).where(is_item, ContainedItem.container_id.in_(restricted)))
    inherited = found.all()
    await session.execute(delete(ContainedItem).where(or_(is_item, ContainedItem.container_id.in_(ids))))
    return inherited


async def list_chosen(session: AsyncSession, workspace_id: UUID, subject_id: UUID) -> list[ChosenMemberRead]:
    """Return the chosen members of an item, by name."""
    found = (
        select(Account.id, Account.display_name, Account.email, RestrictionMember.access)
        .join(RestrictionMember, RestrictionMember.account_id == Account.id)
        .where(RestrictionMember.owner_id == workspace_id, RestrictionMember.subject_id == subject_id)
    )
    rows = await session.execute(found.order_by(func.lower(Account.display_name), Account.id))
    return [ChosenMemberRead(account_id=id, name=name, email=email, access=Access(access)) for id, name, email, access in rows]


async def save_restriction(
    session: AsyncSession,
    workspace_id: UUID,
    subject_id: UUID,
    *,
    kind: str,
    restricted_by: UUID,
    members: Mapping[UUID, Access],
) -> None:
    """Restrict an item to these members of the workspace, who replace earlier ones."""
    if await session.get(Restriction, subject_id) is None:
        session.add(Restriction(subject_id=subject_id, owner_id=workspace_id, kind=kind, restricted_by=restricted_by))
        await session.flush()
    await session.execute(delete(RestrictionMember).where(RestrictionMember.subject_id == subject_id))
    session.add_all(
        RestrictionMember(subject_id=subject_id, account_id=account_id, owner_id=workspace_id, access=access)
        for account_id, access in members.items()
    )
    await session.flush()


async def find_restriction(session: AsyncSession, workspace_id: UUID, subject_id: UUID) -> Restriction | None:
    return await session.scalar(
        select(Restriction).where(Restriction.owner_id == workspace_id, Restriction.subject_id == subject_id)
    )


async def remove_restrictions(session: AsyncSession, subject_ids: Collection[UUID]) -> Sequence[UUID]:
    """Return those of the items that were restricted."""
    removed = delete(Restriction).where(Restriction.subject_id.in_(subject_ids)).returning(Restriction.subject_id)
    return (await session.scalars(removed)).all()


async def page_of_restrictions(
    session: AsyncSession, workspace_id: UUID, query: RestrictedItemQuery
) -> tuple[Sequence[Restriction], int]:
    found = select(Restriction).where(Restriction.owner_id == workspace_id)
    if query.kind:
        found = found.where(Restriction.kind == query.kind)
    columns = {"kind": Restriction.kind, "restricted_at": Restriction.restricted_at}
    order = ordered_by(query, columns, default=Restriction.restricted_at.desc())
    rows = await session.scalars(found.order_by(order, Restriction.subject_id).offset(query.offset).limit(query.page_size))
    return rows.all(), await count_all(session, found)


async def names_of_chosen(session: AsyncSession, subject_ids: Iterable[UUID]) -> dict[UUID, list[str]]:
    """Return the names of the chosen members of each item."""
    found = (
        select(RestrictionMember.subject_id, Account.display_name)
        .join(Account, Account.id == RestrictionMember.account_id)
        .where(RestrictionMember.subject_id.in_(subject_ids))
        .order_by(func.lower(Account.display_name))
    )
    names: dict[UUID, list[str]] = {}
    for subject_id, name in await session.execute(found):
        names.setdefault(subject_id, []).append(name)
    return names

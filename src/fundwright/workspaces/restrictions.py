"""Documents, collections, drafts, and saved searches that only chosen members of their workspace see. PostgreSQL hides them from all others (decision 0119)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining, Subject
from fundwright.core.assembly import Core
from fundwright.core.choices import refuse_unknown_values
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import Message, later, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.notifications import service as notifications
from fundwright.workspaces import events, repository, service
from fundwright.workspaces.schemas import (
    Access,
    RestrictedItemQuery,
    RestrictedItemRead,
    RestrictionForm,
    RestrictionRead,
)

RESTRICTED = ActivityKind("item.restricted", later("Restricted"), later("{person} restricted “{subject}” to chosen members"))
CHANGED = ActivityKind(
    "item.members_changed",
    later("Chosen members changed"),
    later("{person} changed which members see “{subject}”"),
    combining=Combining.SOON,
)
LIFTED = ActivityKind(
    "item.restriction_lifted", later("Restriction lifted"), later("{person} made “{subject}” visible to everyone")
)
HIDDEN = ActivityKind(
    "item.hidden",
    later("Hidden item restricted"),
    later("{person} restricted an item that you do not see (kind: {item})"),
    stands_in=True,
)
ACTIVITY = (RESTRICTED, CHANGED, LIFTED, HIDDEN)


@dataclass(frozen=True)
class RestrictableItem:
    """What can be restricted. `made_by` is the account that made it, if it exists, and `subject` that of its activity. `contributors` made
    what it contains."""

    made_by: UUID | None
    subject: Subject
    contributors: frozenset[UUID] = frozenset()


@dataclass(frozen=True)
class RestrictableKind:
    """What a package lets people restrict."""

    name: str
    label: Message
    get: Callable[[AsyncSession, Actor, UUID], Awaitable[RestrictableItem]]
    """Raises NotFound if the actor's workspace has no such item, or it is hidden from the actor."""
    changed: Callable[[AsyncSession, Actor, Core, UUID], Awaitable[None]]
    """Called when other members see the item than before: publishes this."""


def list_kinds(core: Core) -> list[RestrictableKind]:
    return core.plugins.collect("restrictable_kinds")


def refuse_unknown_kind(core: Core, query: RestrictedItemQuery) -> None:
    """Raise Invalid, naming the kinds."""
    refuse_unknown_values(query, kind=[kind.name for kind in list_kinds(core)])


def restricted_ids(workspace_id: UUID) -> Select[UUID]:
    """Select the ids of a workspace's restricted items, as a subquery for lists."""
    return repository.restricted_ids(workspace_id)


def editors(workspace_id: UUID) -> Select[UUID, UUID]:
    """Select the ids of a workspace's restricted items, each with those of the chosen members who may edit it, as a subquery."""
    return repository.restricted_editors(workspace_id)


def contained(workspace_id: UUID) -> Select[UUID, UUID]:
    """Select the ids of a workspace's items that are in a container, each with that of the container, as a subquery for lists."""
    return repository.contained(workspace_id)


@needs(Permission.READ)
async def hidden_ids(session: AsyncSession, actor: Actor) -> frozenset[UUID]:
    """Return the items of the actor's workspace that the actor may not see."""
    if not actor.is_in_shared_workspace:
        return frozenset()
    return frozenset(await repository.list_hidden_ids(session, actor.workspace_id, actor.id))


@needs(Permission.READ)
async def access_to(session: AsyncSession, actor: Actor, subject_ids: Collection[UUID]) -> Mapping[UUID, Access | None]:
    """Return what the actor may do with those of the items that are restricted; None is nothing."""
    if not actor.is_in_shared_workspace or not subject_ids:
        return {}
    return await repository.access_to(session, actor.workspace_id, actor.id, subject_ids)


@needs(Permission.READ)
async def require(session: AsyncSession, actor: Actor, subject_id: UUID, wanted: Access = Access.EDIT) -> None:
    """Raise NotAllowed if the item is restricted and the actor may only do less than this."""
    if not await may(session, actor, subject_id, wanted):
        if wanted is Access.COMMENT:
            raise NotAllowed(t("You can view this, but not comment on it. Ask someone who can edit it."))
        raise NotAllowed(t("You can view this, but not change it. Ask someone who can edit it."))


@needs(Permission.READ)
async def may(session: AsyncSession, actor: Actor, subject_id: UUID, wanted: Access) -> bool:
    """Return whether an item is not restricted, or the actor may do this with it."""
    found = await access_to(session, actor, [subject_id])
    access = found.get(subject_id)
    return subject_id not in found or (access is not None and access.includes(wanted))


@needs(Permission.READ)
async def may_be_told(session: AsyncSession, actor: Actor, subject_id: UUID, account_ids: Collection[UUID]) -> frozenset[UUID]:
    """Return those of the members who see an item of the actor's workspace."""
    wanted = frozenset(account_ids)
    seeing = await repository.list_seeing(session, actor.workspace_id, subject_id) if actor.is_in_shared_workspace else None
    return wanted if seeing is None else wanted & seeing


@needs(Permission.READ)
async def containers_of(session: AsyncSession, actor: Actor, item_ids: Collection[UUID]) -> Mapping[UUID, UUID]:
    """Return the containers of those of the items that are in one."""
    return await repository.containers_of(session, actor.workspace_id, item_ids)


@needs(Permission.WORK)
async def put_into(
    session: AsyncSession, actor: Actor, item_id: UUID, container_id: UUID | None, *, made_by: UUID | None
) -> None:
    """Put an item into a container, whose restriction then also applies to it, or take it out of the one that it is in (None). Call it
    after `lock_container`. Raises NotAllowed if the member who made the item could no longer edit it."""
    if container_id is not None and made_by is not None and actor.is_in_shared_workspace:
        is_member = made_by in await repository.list_member_ids(session, actor.workspace_id)
        access = await repository.access_to(session, actor.workspace_id, made_by, [container_id])
        if is_member and access.get(container_id, Access.EDIT) is not Access.EDIT:
            names = await service.names_of(session, actor, [made_by])
            raise NotAllowed(
                t("{name} added this, and may not edit what is there. Choose {name} there first.", name=names.get(made_by, ""))
            )
    await repository.put_into(session, actor.workspace_id, item_id, container_id)


@needs(Permission.WORK)
async def lock_container(session: AsyncSession, actor: Actor, container_id: UUID) -> None:
    """Until the transaction ends, the container's restriction stays as it is. Raises NotAllowed if the actor may not edit it."""
    if actor.is_in_shared_workspace:
        await service.lock_shared(session, actor)
    await require(session, actor, container_id)


@needs(Permission.READ)
async def get_restriction(session: AsyncSession, actor: Actor, core: Core, kind: str, subject_id: UUID) -> RestrictionRead:
    """Return who sees an item. Raises NotFound."""
    made_by = (await _kind(core, kind).get(session, actor, subject_id)).made_by
    if await repository.find_restriction(session, actor.workspace_id, subject_id) is None:
        return RestrictionRead(is_restricted=False, made_by=made_by)
    members = await repository.list_chosen(session, actor.workspace_id, subject_id)
    return RestrictionRead(is_restricted=True, made_by=made_by, members=tuple(members))


@needs(Permission.WORK)
async def restrict(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    kind: str,
    subject_id: UUID,
    form: RestrictionForm,
    *,
    client: Client = COMMAND_LINE,
) -> RestrictionRead:
    """Restrict an item of the actor's workspace to chosen members. The actor and the members who made the item or what it contains
    are among them and may edit it.

    Raises PersonalWorkspace, NotFound, also for an account that is not a member, or NotAllowed.
    """
    restrictable = _kind(core, kind)
    await service.lock_shared(session, actor)
    item = await restrictable.get(session, actor, subject_id)
    await require(session, actor, subject_id)
    chosen = {member.account_id: member.access for member in form.members}
    in_workspace = set(await repository.list_member_ids(session, actor.workspace_id))
    if chosen.keys() - in_workspace:
        raise NotFound(t("The member"))
    makers = actor.id, item.made_by, *item.contributors
    members = chosen | {editor: Access.EDIT for editor in makers if editor in in_workspace}
    before = await _chosen(session, actor, subject_id)
    await repository.save_restriction(session, actor.workspace_id, subject_id, kind=kind, restricted_by=actor.id, members=members)
    await audit.record(
        session, "item.restricted", actor=actor, subject=str(subject_id), client=client, kind=kind, members=str(len(members))
    )
    await _tell(session, actor, restrictable, item, before=before, members=members)
    await _announce(session, actor, core, restrictable, subject_id)
    return await get_restriction(session, actor, core, kind, subject_id)


@needs(Permission.WORK)
async def lift(
    session: AsyncSession, actor: Actor, core: Core, kind: str, subject_id: UUID, *, client: Client = COMMAND_LINE
) -> RestrictionRead:
    """Let everyone in the actor's workspace see an item again. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    restrictable = _kind(core, kind)
    await service.lock_shared(session, actor)
    item = await restrictable.get(session, actor, subject_id)
    await require(session, actor, subject_id)
    if await repository.find_restriction(session, actor.workspace_id, subject_id) is not None:
        await _lift(session, actor, core, restrictable, subject_id, client=client)
    return RestrictionRead(is_restricted=False, made_by=item.made_by)


@needs(Permission.READ)
async def lift_as_owner(
    session: AsyncSession, actor: Actor, core: Core, subject_id: UUID, *, client: Client = COMMAND_LINE
) -> None:
    """Let everyone in the actor's workspace see an item again, also one that is hidden from the actor, who must be an owner: its chosen
    members may have left. Raises NotForPrograms, PersonalWorkspace, NotAllowed, or NotFound."""
    await service.lock_as_owner(session, actor)
    restriction = await repository.find_restriction(session, actor.workspace_id, subject_id)
    if restriction is None:
        raise NotFound(t("The restricted item"))
    await _lift(session, actor, core, _kind(core, restriction.kind), subject_id, client=client)


@needs(Permission.READ)
async def list_restricted(session: AsyncSession, actor: Actor, query: RestrictedItemQuery) -> Page[RestrictedItemRead]:
    """Return the restricted items of the actor's workspace, without their titles, for its owners. Raises NotAllowed."""
    await service.require_owner(session, actor)
    found, total = await repository.page_of_restrictions(session, actor.workspace_id, query)
    names = await repository.names_of_chosen(session, [each.subject_id for each in found])
    makers = await service.names_of(session, actor, [each.restricted_by for each in found])
    items = [
        RestrictedItemRead(
            subject_id=each.subject_id,
            kind=each.kind,
            restricted_by=makers.get(each.restricted_by, ""),
            restricted_at=each.restricted_at,
            members=tuple(names.get(each.subject_id, ())),
        )
        for each in found
    ]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def export_restricted(session: AsyncSession, actor: Actor, core: Core, query: RestrictedItemQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    labels = {kind.name: kind.label for kind in list_kinds(core)}
    columns: list[tuple[str, Callable[[RestrictedItemRead], object]]] = [
        (t("Kind"), lambda item: labels.get(item.kind, item.kind)),
        (t("Restricted by"), lambda item: item.restricted_by),
        (t("Restricted"), lambda item: item.restricted_at),
        (t("Members"), lambda item: ", ".join(item.members)),
    ]
    async for line in csv_lines(columns, iterate_all(lambda page: list_restricted(session, actor, page), query)):
        yield line


async def forget(session: AsyncSession, subject_ids: Collection[UUID]) -> None:
    """Forget the restrictions of items that this transaction deletes, what they are in and contain, and their activity, which names
    them."""
    inherited = await repository.remove_contained(session, subject_ids)
    restricted = {*inherited, *await repository.remove_restrictions(session, subject_ids)}
    await activity.forget(session, restricted, stand_in=HIDDEN)


async def _lift(
    session: AsyncSession, actor: Actor, core: Core, restrictable: RestrictableKind, subject_id: UUID, *, client: Client
) -> None:
    await repository.remove_restrictions(session, [subject_id])
    await audit.record(
        session, "item.restriction_lifted", actor=actor, subject=str(subject_id), client=client, kind=restrictable.name
    )
    with suppress(NotFound):  # it is in the trash
        item = await restrictable.get(session, actor, subject_id)
        await activity.record(session, actor, LIFTED, item.subject)
    await _announce(session, actor, core, restrictable, subject_id)


async def _chosen(session: AsyncSession, actor: Actor, subject_id: UUID) -> dict[UUID, Access] | None:
    """Return the chosen members of an item; None if it is not restricted."""
    if await repository.find_restriction(session, actor.workspace_id, subject_id) is None:
        return None
    return {member.account_id: member.access for member in await repository.list_chosen(session, actor.workspace_id, subject_id)}


async def _tell(
    session: AsyncSession,
    actor: Actor,
    restrictable: RestrictableKind,
    item: RestrictableItem,
    *,
    before: Mapping[UUID, Access] | None,
    members: Mapping[UUID, Access],
) -> None:
    """Tell those who see the item, and owners who do not. `before` are the earlier members, if it was restricted."""
    if before == members:
        return
    await activity.record(session, actor, RESTRICTED if before is None else CHANGED, item.subject)
    if before is None:
        unseen = Subject(restrictable.name, uuid4())
        await activity.record(session, actor, HIDDEN, unseen, related=[item.subject.id], item=restrictable.label)
        told, kind = {each for each in (item.made_by,) if each is not None}, events.RESTRICTED
    else:
        told, kind = members.keys() - before.keys(), events.CHOSEN
    await notifications.notify(
        session, kind, told, actor=actor, workspace_id=actor.workspace_id, subject=item.subject.title, path=item.subject.path
    )


async def _announce(session: AsyncSession, actor: Actor, core: Core, restrictable: RestrictableKind, subject_id: UUID) -> None:
    await restrictable.changed(session, actor, core, subject_id)
    await publish(session, service.workspace_topic(actor.workspace_id))


def _kind(core: Core, name: str) -> RestrictableKind:
    for kind in list_kinds(core):
        if kind.name == name:
            return kind
    raise NotFound(t("The restricted item"))  # the package that restricted it is no longer installed

"""The trash of a workspace: listing, restoring, and deleting forever."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs, require
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Subject
from fundwright.core.assembly import Core
from fundwright.core.choices import refuse_unknown_values
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.live import publish
from fundwright.core.messages import Message, later, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.scopes import installation
from fundwright.core.spreadsheets import csv_lines
from fundwright.trash import repository
from fundwright.trash.models import Trashable, TrashItem
from fundwright.trash.schemas import KEPT, TrashQuery, TrashRead
from fundwright.workspaces import restrictions
from fundwright.workspaces.schemas import Access

T = TypeVar("T", bound=Trashable)

_BATCH = 100

TRASHED = ActivityKind("trash.added", later("Moved to the trash"), later("{person} moved “{subject}” to the trash"))
RESTORED = ActivityKind("trash.restored", later("Restored from the trash"), later("{person} restored “{subject}” from the trash"))
DELETED = ActivityKind("trash.deleted", later("Deleted forever"), later("{person} deleted “{subject}” forever"))


async def _nothing(_session: AsyncSession, _core: Core, _ids: Collection[UUID]) -> None:
    pass


async def _none(_session: AsyncSession, _ids: Collection[UUID]) -> Collection[UUID]:
    return ()


def _no_path(_row: Trashable) -> str:
    return ""


@dataclass(frozen=True)
class TrashKind(Generic[T]):
    """What a package can put into the trash."""

    name: str
    label: Message
    model: type[T]
    permission: Permission
    """Required for restoring and deleting forever."""
    restore: Callable[[AsyncSession, Actor, Core, T], Awaitable[None]]
    """Makes the row the actor's again with `take_out`. Raises FundwrightError if it cannot be restored."""
    before_removal: Callable[[AsyncSession, Core, Collection[UUID]], Awaitable[None]] = _nothing
    """Called before the rows with these ids are deleted: for data outside of the database."""
    deleted_with: Callable[[AsyncSession, Collection[UUID]], Awaitable[Collection[UUID]]] = _none
    """Returns the ids of rows of this kind that the database deletes with these rows, of any kind. They leave the trash, too."""
    path_of: Callable[[T], str] = _no_path
    """The path of the page that shows the row, for activity."""


def trash_topic(owner_id: UUID) -> str:
    """The live topic of every change of the workspace's trash."""
    return f"trash:{owner_id}"


def list_kinds(core: Core) -> list[TrashKind[Any]]:
    return core.plugins.collect("trash_kinds")


def refuse_unknown_kind(core: Core, query: TrashQuery) -> None:
    """Raise Invalid, naming the kinds."""
    refuse_unknown_values(query, kind=[kind.name for kind in list_kinds(core)])


@needs(Permission.LABEL)
async def put_in(session: AsyncSession, actor: Actor, kind: str, row: Trashable, *, title: str) -> None:
    """Move the actor's row, which the caller has locked, to the trash."""
    session.add(TrashItem(id=row.id, owner_id=actor.workspace_id, kind=kind, title=title))
    await session.flush()
    row.owner_id, row.trash_id = None, row.id
    await session.flush()
    await activity.record(session, actor, TRASHED, Subject(kind, row.id, title, f"/dashboard/trash?open={row.id}"))
    await publish(session, trash_topic(actor.workspace_id))


@needs(Permission.LABEL)
async def take_out(session: AsyncSession, actor: Actor, row: Trashable) -> None:
    """Make a row from the trash the actor's again, as a step of `TrashKind.restore`."""
    row.owner_id, row.trash_id = actor.workspace_id, None
    await session.flush()


@needs(Permission.READ)
async def list_trash(session: AsyncSession, actor: Actor, query: TrashQuery) -> Page[TrashRead]:
    """Return the actor's trash, newest first unless `sort` is title, kind, trashed_at, or removed_at."""
    items, total = await repository.page(session, actor.workspace_id, query)
    return Page(items=[_read(item) for item in items], total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def export_trash(session: AsyncSession, actor: Actor, core: Core, query: TrashQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    labels = {kind.name: kind.label for kind in list_kinds(core)}
    columns: list[tuple[str, Callable[[TrashRead], object]]] = [
        (t("Title"), lambda item: item.title),
        (t("Kind"), lambda item: labels.get(item.kind, item.kind)),
        (t("Moved to trash"), lambda item: item.trashed_at),
        (t("Deletion date"), lambda item: item.removed_at),
    ]
    async for line in csv_lines(columns, iterate_all(lambda page: list_trash(session, actor, page), query)):
        yield line


@needs(Permission.LABEL)
async def restore(session: AsyncSession, actor: Actor, core: Core, item_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Take an item out of the trash. Raises NotFound, or what its kind refuses, such as Conflict or QuotaSpent."""
    item = await repository.lock(session, actor.workspace_id, item_id)
    kind = _kind_of(core, item)
    require(actor, kind.permission)
    await restrictions.require(session, actor, item.id)
    row = await session.get(kind.model, item.id, populate_existing=True)
    if row is None:  # what it belonged to was deleted forever
        raise NotFound(t("The item in the trash"))
    await kind.restore(session, actor, core, row)
    await repository.remove(session, [item.id])
    await audit.record(session, "trash.restored", actor=actor, subject=str(item.id), client=client, kind=item.kind)
    await activity.record(session, actor, RESTORED, Subject(item.kind, item.id, item.title, kind.path_of(row)))
    await publish(session, trash_topic(actor.workspace_id))


@needs(Permission.LABEL)
async def delete_forever(
    session: AsyncSession, actor: Actor, core: Core, item_id: UUID, *, client: Client = COMMAND_LINE
) -> None:
    """Raises NotFound."""
    item = await repository.lock(session, actor.workspace_id, item_id)
    require(actor, _kind_of(core, item).permission)
    await restrictions.require(session, actor, item.id)
    is_restricted = bool(await restrictions.access_to(session, actor, [item.id]))
    await _remove(session, core, [item])
    await audit.record(session, "trash.deleted", actor=actor, subject=str(item.id), client=client, kind=item.kind)
    if not is_restricted:
        await activity.record(session, actor, DELETED, Subject(item.kind, item.id, item.title))
    await publish(session, trash_topic(actor.workspace_id))


@needs(Permission.LABEL)
async def empty(session: AsyncSession, actor: Actor, core: Core, *, client: Client = COMMAND_LINE) -> int:
    """Delete everything in the actor's trash forever that the actor may delete, and return how many items that were."""
    allowed = [kind.name for kind in list_kinds(core) if actor.may(kind.permission)]
    found = await repository.lock_all(session, actor.workspace_id, allowed)
    access = await restrictions.access_to(session, actor, [item.id for item in found])
    items = [item for item in found if access.get(item.id, Access.EDIT) is Access.EDIT]
    if items:
        await _remove(session, core, items)
        await audit.record(session, "trash.emptied", actor=actor, subject=str(len(items)), client=client)
        for item in items:
            if item.id not in access:  # it was not restricted
                await activity.record(session, actor, DELETED, Subject(item.kind, item.id, item.title))
        await publish(session, trash_topic(actor.workspace_id))
    return len(items)


async def remove_expired(core: Core) -> None:
    """Delete what has been in the trash for 30 days. Opens its own transactions, of a hundred items each."""
    while True:
        async with core.database.transaction(scope=installation("expired trash")) as session:
            items = await repository.lock_expired(session, before=now() - KEPT, limit=_BATCH)
            if not items:
                return
            await _remove(session, core, items)
            for owner_id in {item.owner_id for item in items}:
                await publish(session, trash_topic(owner_id))


async def _remove(session: AsyncSession, core: Core, items: Sequence[TrashItem]) -> None:
    removed = {item.id for item in items}
    for kind in list_kinds(core):
        if ids := [item.id for item in items if item.kind == kind.name]:
            await kind.before_removal(session, core, ids)
        removed.update(await kind.deleted_with(session, [item.id for item in items]))
    await repository.remove(session, removed)
    await restrictions.forget(session, removed)
    await activity.unlink(session, removed)


def _kind_of(core: Core, item: TrashItem) -> TrashKind[Any]:
    for kind in list_kinds(core):
        if kind.name == item.kind:
            return kind
    raise NotFound(t("The item in the trash"))  # the package that put it there is no longer installed


def _read(item: TrashItem) -> TrashRead:
    return TrashRead(id=item.id, kind=item.kind, title=item.title, trashed_at=item.trashed_at, removed_at=item.trashed_at + KEPT)

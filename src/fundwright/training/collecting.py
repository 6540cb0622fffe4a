"""Collections: named groups of a workspace's documents."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from itertools import count
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Subject
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.live import publish
from fundwright.core.messages import later, number, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.scopes import across_workspaces
from fundwright.core.spreadsheets import csv_lines
from fundwright.training.models import DocumentCollection
from fundwright.training.repository import collecting, listing
from fundwright.training.schemas import MAX_COLLECTION_NAME, CollectionForm, CollectionQuery, CollectionRead, DocumentState
from fundwright.trash import service as trash
from fundwright.workspaces import additions, restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.restrictions import RestrictableItem
from fundwright.workspaces.schemas import RestrictionForm, RestrictionRead

COLLECTION = "collection"
"""The kind of collections in the trash, in activity, and of restrictions."""

CREATED = ActivityKind("collection.created", later("Collection created"), later("{person} created the collection “{subject}”"))
RENAMED = ActivityKind(
    "collection.renamed", later("Collection renamed"), later("{person} renamed the collection “{before}” to “{subject}”")
)
ACTIVITY = (CREATED, RENAMED)


def documents_topic(owner_id: UUID) -> str:
    """The live topic of every change of the workspace's documents and collections."""
    return f"documents:{owner_id}"


@needs(Permission.READ)
async def list_collections(session: AsyncSession, actor: Actor, query: CollectionQuery) -> Page[CollectionRead]:
    """Return the workspace's collections, by name unless `sort` names a field."""
    found, total = await collecting.page_of_collections(session, actor.workspace_id, query)
    names = await workspaces.names_of(session, actor, [collection.created_by for collection, _ in found])
    access = await restrictions.access_to(session, actor, [collection.id for collection, _ in found])
    items = [
        CollectionRead(
            id=collection.id,
            name=collection.name,
            documents=documents,
            created_by=names.get(collection.created_by, ""),
            created_at=collection.created_at,
            access=access.get(collection.id),
        )
        for collection, documents in found
    ]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
async def list_all(session: AsyncSession, actor: Actor) -> list[CollectionRead]:
    """Return all collections that the actor sees, by name: the options of a choice."""
    return [each async for each in iterate_all(lambda page: list_collections(session, actor, page), CollectionQuery())]


@needs(Permission.READ)
async def list_trained_contents(session: AsyncSession, actor: Actor) -> dict[UUID, frozenset[UUID]]:
    """Return the trained documents in each collection that has some."""
    contents: dict[UUID, set[UUID]] = {}
    for collection, document in await collecting.list_trained_contents(session, actor.workspace_id):
        contents.setdefault(collection, set()).add(document)
    return {collection: frozenset(documents) for collection, documents in contents.items()}


@needs(Permission.READ)
def export_collections(session: AsyncSession, actor: Actor, query: CollectionQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[CollectionRead], object]]] = [
        (t("Name"), lambda collection: collection.name),
        (t("Documents"), lambda collection: collection.documents),
        (t("Created by"), lambda collection: collection.created_by),
        (t("Created"), lambda collection: collection.created_at),
        (t("Restricted"), lambda collection: collection.access is not None),
    ]
    return csv_lines(columns, iterate_all(lambda page: list_collections(session, actor, page), query))


@needs(Permission.READ)
async def get_collection(session: AsyncSession, actor: Actor, collection_id: UUID) -> CollectionRead:
    """Raises NotFound."""
    collection = await collecting.get_collection(session, actor.workspace_id, collection_id)
    names = await workspaces.names_of(session, actor, [collection.created_by])
    access = await restrictions.access_to(session, actor, [collection.id])
    return CollectionRead(
        id=collection.id,
        name=collection.name,
        documents=await collecting.count_in(session, actor.workspace_id, collection.id),
        created_by=names.get(collection.created_by, ""),
        created_at=collection.created_at,
        access=access.get(collection.id),
    )


@needs(Permission.READ)
async def list_documents_in(session: AsyncSession, actor: Actor, collection_id: UUID) -> list[UUID]:
    """Return the trained documents in a collection. Raises NotFound."""
    await get_collection(session, actor, collection_id)
    return await listing.list_ids_in(session, actor.workspace_id, collection_id, DocumentState.TRAINED)


@needs(Permission.WORK)
async def create(session: AsyncSession, actor: Actor, form: CollectionForm) -> CollectionRead:
    """Raises Conflict if another collection that the actor sees has the name."""
    await _check_name(session, actor, form.name)
    collection = DocumentCollection(owner_id=actor.workspace_id, name=form.name, created_by=actor.id)
    session.add(collection)
    await session.flush()
    await additions.count(session, actor, DocumentCollection.owner_id, refusal=_too_many())
    await activity.record(session, actor, CREATED, subject_of(collection))
    await publish(session, documents_topic(actor.workspace_id))
    return await get_collection(session, actor, collection.id)


def _too_many() -> str:
    return t(
        "A workspace can have at most {most} collections. Delete some that are no longer needed.",
        most=number(additions.MOST_ADDED),
    )


@needs(Permission.WORK)
async def rename(session: AsyncSession, actor: Actor, collection_id: UUID, form: CollectionForm) -> CollectionRead:
    """Raises NotFound, NotAllowed if the collection is restricted and the actor may not edit it, or Conflict like `create`."""
    collection = await lock(session, actor, collection_id)
    if form.name != collection.name:
        await _check_name(session, actor, form.name, except_for=collection.id)
        before, collection.name = collection.name, form.name
        await session.flush()
        await activity.record(session, actor, RENAMED, subject_of(collection), before=before, after=form.name)
        await publish(session, documents_topic(actor.workspace_id))
    return await get_collection(session, actor, collection_id)


@needs(Permission.WORK)
async def delete(session: AsyncSession, actor: Actor, collection_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a collection to the trash. Its documents stay, in no collection, and are in it again if it is restored.

    Raises NotFound, NotAllowed like `rename`, or Conflict if it is restricted and not empty: everyone would see its documents.
    """
    collection = await lock(session, actor, collection_id)
    if await restrictions.access_to(session, actor, [collection_id]) and await _makers_in(session, actor, collection_id):
        raise Conflict(
            t(
                "Only chosen members see this collection, and everyone would see its documents. Make it visible to everyone first, or move its documents to another collection. Documents in the trash count, too."
            )
        )
    await trash.put_in(session, actor, COLLECTION, collection, title=collection.name)
    await audit.record(session, "collection.deleted", actor=actor, subject=str(collection_id), client=client)
    await publish(session, documents_topic(actor.workspace_id))


@needs(Permission.WORK)
async def restore(session: AsyncSession, actor: Actor, _core: Core, collection: DocumentCollection) -> None:
    """Take a collection out of the trash, with those of its documents that are in no other. Its name gets a number if another one has it."""
    free, numbers = collection.name, count(2)
    while await collecting.is_collection_name_used(session, actor.workspace_id, free):
        free = f"{collection.name[: MAX_COLLECTION_NAME - len(' (99999)')]} ({next(numbers)})"
    collection.name = free
    await trash.take_out(session, actor, collection)
    await publish(session, documents_topic(actor.workspace_id))


@needs(Permission.WORK)
async def lock(session: AsyncSession, actor: Actor, collection_id: UUID) -> DocumentCollection:
    """Keep others from changing a collection or its restriction until the transaction ends. Raises NotFound or NotAllowed."""
    await collecting.get_collection(session, actor.workspace_id, collection_id)
    await restrictions.lock_container(session, actor, collection_id)
    return await collecting.get_collection(session, actor.workspace_id, collection_id, for_update=True)


@needs(Permission.READ)
async def get_restriction(session: AsyncSession, actor: Actor, core: Core, collection_id: UUID) -> RestrictionRead:
    """Return who sees a collection and its documents. Raises NotFound."""
    return await restrictions.get_restriction(session, actor, core, COLLECTION, collection_id)


@needs(Permission.READ)
async def get_restrictable(session: AsyncSession, actor: Actor, collection_id: UUID) -> RestrictableItem:
    """Return who made a collection and its documents, and its name. Raises NotFound."""
    collection = await collecting.get_collection(session, actor.workspace_id, collection_id)
    made = await _makers_in(session, actor, collection_id)
    contributors = frozenset(account_id for account_id in made if account_id is not None)
    return RestrictableItem(made_by=collection.created_by, subject=subject_of(collection), contributors=contributors)


@needs(Permission.WORK)
async def restrict(
    session: AsyncSession, actor: Actor, core: Core, collection_id: UUID, form: RestrictionForm, *, client: Client = COMMAND_LINE
) -> RestrictionRead:
    """Restrict a collection and its documents to chosen members of the workspace. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    return await restrictions.restrict(session, actor, core, COLLECTION, collection_id, form, client=client)


@needs(Permission.WORK)
async def lift_restriction(
    session: AsyncSession, actor: Actor, core: Core, collection_id: UUID, *, client: Client = COMMAND_LINE
) -> RestrictionRead:
    """Let everyone in the workspace see a collection again. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    return await restrictions.lift(session, actor, core, COLLECTION, collection_id, client=client)


@needs(Permission.READ)
async def names_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, tuple[UUID, str]]:
    """Return id and name of the collections of those of the documents that are in one."""
    containers = await restrictions.containers_of(session, actor, document_ids)
    names = await collecting.names_of_collections(session, actor.workspace_id, set(containers.values()))
    return {document: (id, names[id]) for document, id in containers.items() if id in names}


def path_of(collection: DocumentCollection) -> str:
    """The path of the list of its documents."""
    return f"/dashboard/train?collection={collection.id}"


def subject_of(collection: DocumentCollection) -> Subject:
    """The collection as the subject of activity."""
    return Subject(COLLECTION, collection.id, collection.name, path_of(collection))


async def _makers_in(session: AsyncSession, actor: Actor, collection_id: UUID) -> list[UUID | None]:
    """Return who added each document in a collection, also of those that are hidden from the actor and those in the trash."""
    async with across_workspaces(session, "collections"):
        return await collecting.makers_in(session, actor.workspace_id, collection_id)


async def _check_name(session: AsyncSession, actor: Actor, name: str, *, except_for: UUID | None = None) -> None:
    if await collecting.is_collection_name_used(session, actor.workspace_id, name, except_for=except_for):
        raise Conflict(t("You already have a collection named “{name}”. Enter another name.", name=name))

"""Collections and what is in them."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from sqlalchemy import and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import database
from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.training.models import Document, DocumentCollection
from fundwright.training.repository import filters
from fundwright.training.schemas import CollectionQuery, DocumentState
from fundwright.trash import repository as trash
from fundwright.workspaces.restrictions import contained, restricted_ids


async def page_of_collections(
    session: AsyncSession, owner_id: UUID, query: CollectionQuery
) -> tuple[list[tuple[DocumentCollection, int]], int]:
    """Return collections, each with the number of its documents that the reader sees."""
    contents = contained(owner_id).subquery()
    counted = (
        select(contents.c.container_id, func.count().label("documents"))
        .join(Document, and_(Document.id == contents.c.item_id, Document.owner_id == owner_id))
        .group_by(contents.c.container_id)
        .subquery()
    )
    documents = func.coalesce(counted.c.documents, 0)
    found = select(DocumentCollection, documents).outerjoin(counted, counted.c.container_id == DocumentCollection.id)
    found = found.where(DocumentCollection.owner_id == owner_id)
    if query.text.strip():
        found = found.where(contains(query.text.strip(), DocumentCollection.name))
    if query.is_restricted is not None:
        found = found.where(DocumentCollection.id.in_(restricted_ids(owner_id)) == query.is_restricted)
    name = func.lower(DocumentCollection.name)
    columns = {"name": name, "documents": documents, "created_at": DocumentCollection.created_at}
    order = ordered_by(query, columns, default=name.asc())
    rows = await session.execute(
        found.order_by(order, name, DocumentCollection.id)
        .offset(query.offset)
        .limit(query.page_size)
        .execution_options(populate_existing=True)
    )
    return [(collection, count) for collection, count in rows], await count_all(session, found)


async def get_collection(
    session: AsyncSession, owner_id: UUID, collection_id: UUID, *, for_update: bool = False
) -> DocumentCollection:
    """Raises NotFound, also for a collection that is hidden from the reader and for one in the trash."""
    wanted = select(DocumentCollection).where(DocumentCollection.owner_id == owner_id, DocumentCollection.id == collection_id)
    collection = await session.scalar(
        wanted.with_for_update() if for_update else wanted, execution_options={"populate_existing": True}
    )
    if collection is None:
        raise NotFound(t("The collection"))
    return collection


async def count_in(session: AsyncSession, owner_id: UUID, collection_id: UUID) -> int:
    """Count the documents in a collection that the reader sees."""
    own = select(func.count()).where(Document.owner_id == owner_id, Document.id.in_(filters.contents_of(owner_id, collection_id)))
    return await session.scalar(own) or 0


async def makers_in(session: AsyncSession, owner_id: UUID, collection_id: UUID) -> list[UUID | None]:
    """Return who added each of the documents in a collection that the session sees, also of those in the trash."""
    return list(
        await session.scalars(select(Document.created_by).where(Document.id.in_(filters.contents_of(owner_id, collection_id))))
    )


async def list_trained_contents(session: AsyncSession, owner_id: UUID) -> list[tuple[UUID, UUID]]:
    """Return the trained documents that are in collections, each after its collection."""
    found = contained(owner_id).subquery()
    trained = select(found.c.container_id, Document.id).join(Document, Document.id == found.c.item_id)
    rows = await session.execute(trained.where(Document.owner_id == owner_id, Document.state == DocumentState.TRAINED))
    return [(collection, document) for collection, document in rows]


async def names_of_collections(session: AsyncSession, owner_id: UUID, collection_ids: Iterable[UUID]) -> dict[UUID, str]:
    rows = await session.execute(
        select(DocumentCollection.id, DocumentCollection.name).where(
            DocumentCollection.owner_id == owner_id, DocumentCollection.id.in_(collection_ids)
        )
    )
    return dict(rows.all())


async def is_collection_name_used(session: AsyncSession, owner_id: UUID, name: str, *, except_for: UUID | None = None) -> bool:
    """Return whether a collection that the reader sees has this name, ignoring case. Until the transaction ends, no other request can
    name one."""
    await database.acquire_lock(session, f"collections:{owner_id}")
    named = select(DocumentCollection.id).where(
        DocumentCollection.owner_id == owner_id, func.lower(DocumentCollection.name) == func.lower(name)
    )
    return await session.scalar(named.where(DocumentCollection.id.is_distinct_from(except_for)).limit(1)) is not None


async def list_all_collections(session: AsyncSession, owner_id: UUID) -> list[DocumentCollection]:
    """Return the collections of the workspace and those in its trash, by name."""
    own = or_(DocumentCollection.owner_id == owner_id, trash.in_trash_of(owner_id, DocumentCollection))
    return list(
        await session.scalars(
            select(DocumentCollection).where(own).order_by(func.lower(DocumentCollection.name), DocumentCollection.id)
        )
    )

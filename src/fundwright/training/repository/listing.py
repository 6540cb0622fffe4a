"""Documents: one, lists, and what lists of other slices show of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Text, Uuid, and_, cast, delete, func, literal, or_, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import database
from fundwright.core.errors import NotFound
from fundwright.core.lists import ordered_by
from fundwright.core.messages import t
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.report import ReadingReport
from fundwright.training.models import Document
from fundwright.training.repository import filters
from fundwright.training.schemas import DocumentQuery, DocumentState
from fundwright.trash import repository as trash
from fundwright.workspaces.restrictions import restricted_ids


async def list_trashed(session: AsyncSession, owner_id: UUID) -> list[Document]:
    """Return the documents in the workspace's trash, oldest first."""
    trashed = select(Document).where(trash.in_trash_of(owner_id, Document))
    return list(await session.scalars(trashed.order_by(Document.created_at, Document.id)))


async def list_contents(session: AsyncSession, document_ids: Collection[UUID]) -> Sequence[str]:
    """Return the names of the files of documents, also of those in the trash."""
    return (await session.scalars(select(Document.sha256).where(Document.id.in_(document_ids)))).all()


async def get_document(session: AsyncSession, owner_id: UUID, document_id: UUID, *, for_update: bool = False) -> Document:
    """Raises NotFound. With `for_update`, others wait to change or remove it."""
    query = filters.documents_of(owner_id).where(Document.id == document_id)
    document = await session.scalar(
        query.with_for_update(key_share=True) if for_update else query, execution_options={"populate_existing": for_update}
    )
    if document is None:
        raise NotFound(t("The document"))
    return document


async def find_document(session: AsyncSession, owner_id: UUID, document_id: UUID) -> Document | None:
    """Others wait to change or remove it."""
    query = filters.documents_of(owner_id).where(Document.id == document_id).with_for_update(key_share=True)
    return await session.scalar(query, execution_options={"populate_existing": True})


async def find_document_by_content(session: AsyncSession, owner_id: UUID, sha256: str) -> Document | None:
    return await session.scalar(filters.documents_of(owner_id).where(Document.sha256 == sha256))


async def lock_documents(session: AsyncSession, owner_id: UUID) -> None:
    """Until the transaction ends, no other request can add documents to the workspace."""
    await database.acquire_lock(session, f"documents:{owner_id}")


async def list_titles_like(session: AsyncSession, owner_id: UUID, title: str, beginning: str) -> set[str]:
    """Return the workspace's titles that are `title` or begin with `beginning`. No other request can add documents to the workspace
    until the transaction ends, so unused titles stay available."""
    await lock_documents(session, owner_id)
    matching = or_(Document.title == title, Document.title.startswith(beginning, autoescape=True))
    return set(await session.scalars(select(Document.title).where(Document.owner_id == owner_id, matching)))


async def count_own(session: AsyncSession, owner_id: UUID) -> int:
    """Count the workspace's documents without the sample and the trash."""
    return await session.scalar(select(func.count()).where(Document.owner_id == owner_id, Document.is_sample.is_(False))) or 0


async def sum_bytes_of(session: AsyncSession, account_id: UUID) -> int:
    """Return the total bytes of documents that the account added itself, including the trash."""
    added = Document.created_by == account_id, Document.is_sample.is_(False)
    return int(await session.scalar(select(func.coalesce(func.sum(Document.size_bytes), 0)).where(*added)) or 0)


async def list_used_content(session: AsyncSession, names: Collection[str]) -> Collection[str]:
    return (await session.scalars(select(Document.sha256).where(Document.sha256.in_(names)).distinct())).all()


async def list_documents(
    session: AsyncSession, owner_id: UUID, request: DocumentQuery, *, only: Sequence[UUID] | None = None
) -> tuple[list[Document], int]:
    """Return a page of documents, newest first by default. With `only`, lists those that the workspace has, in the given order by
    default."""
    query, usual = filters.documents_of(owner_id), Document.created_at.desc()
    if request.kind is not None:
        query = query.where(Document.kind == request.kind)
    if request.collection is not None:
        query = query.where(Document.id.in_(filters.contents_of(owner_id, request.collection)))
    if request.text.strip():
        query = query.where(Document.title.icontains(request.text.strip(), autoescape=True))
    if request.is_restricted is not None:
        is_restricted = Document.id.in_(restricted_ids(owner_id))
        query = query.where(is_restricted if request.is_restricted else ~is_restricted)
    if request.is_searched:
        query = query.where(await _is_searched(session, owner_id))
    if only is not None:
        wanted = func.unnest(literal(list(only), ARRAY(Uuid))).table_valued("id", with_ordinality="place").render_derived()
        query, usual = query.join(wanted, wanted.c.id == Document.id), wanted.c.place.asc()
    columns: dict[str, ColumnElement[Any]] = {
        "title": func.lower(Document.title),
        "kind": Document.kind.expression,
        "state": Document.state.expression,
        "size_bytes": Document.size_bytes.expression,
        "chunk_count": Document.chunk_count.expression,
        "created_at": Document.created_at.expression,
        "trained_at": Document.trained_at.expression,
    }
    ordered = ordered_by(request, columns, default=usual)
    total = await session.scalar(select(func.count()).select_from(query.subquery())) or 0
    rows = await session.scalars(query.order_by(ordered, Document.id).offset(request.offset).limit(request.page_size))
    return list(rows), total


async def list_ids_in(session: AsyncSession, owner_id: UUID, collection_id: UUID, state: DocumentState) -> list[UUID]:
    """Return the documents in a collection that are in this state."""
    own = Document.owner_id == owner_id, Document.state == state
    return list(
        await session.scalars(select(Document.id).where(*own, Document.id.in_(filters.contents_of(owner_id, collection_id))))
    )


async def list_all(session: AsyncSession, owner_id: UUID) -> list[Document]:
    """Return all documents, oldest first."""
    return list(await session.scalars(filters.documents_of(owner_id).order_by(Document.created_at, Document.id)))


async def list_searched(session: AsyncSession, owner_id: UUID) -> list[tuple[UUID, DocumentKind]]:
    """Return ids and kinds of the documents that questions and drafts search."""
    is_searched = await _is_searched(session, owner_id)
    rows = await session.execute(select(Document.id, Document.kind).where(Document.owner_id == owner_id, is_searched))
    return [(id, DocumentKind(kind)) for id, kind in rows]


async def searched(
    session: AsyncSession,
    owner_id: UUID,
    *,
    document_ids: Collection[UUID] | None,
    kinds: Collection[DocumentKind] | None,
) -> Select[UUID]:
    """Select the ids of the documents that `search_chunks` searches."""
    hidden = await filters.hidden_documents(session, owner_id, document_ids, kinds)
    is_trained = Document.state == DocumentState.TRAINED
    return select(Document.id).where(Document.owner_id == owner_id, is_trained, Document.id.not_in(hidden))


def samples(owner_id: UUID) -> Select[UUID]:
    """Select the ids of the sample documents, also of those in the trash."""
    own = or_(Document.owner_id == owner_id, trash.in_trash_of(owner_id, Document))
    return select(Document.id).where(own, Document.is_sample)


async def sample_ids_among(session: AsyncSession, document_ids: Collection[UUID]) -> Collection[UUID]:
    return (await session.scalars(select(Document.id).where(Document.id.in_(document_ids), Document.is_sample))).all()


async def titles_of(session: AsyncSession, owner_id: UUID, document_ids: Collection[UUID]) -> dict[UUID, str]:
    rows = await session.execute(
        select(Document.id, Document.title).where(Document.owner_id == owner_id, Document.id.in_(document_ids))
    )
    return dict(rows.all())


async def kinds_of(session: AsyncSession, owner_id: UUID, document_ids: Collection[UUID]) -> dict[UUID, DocumentKind]:
    rows = await session.execute(
        select(Document.id, Document.kind).where(Document.owner_id == owner_id, Document.id.in_(document_ids))
    )
    return {id: DocumentKind(kind) for id, kind in rows}


async def reports_of(session: AsyncSession, owner_id: UUID, document_ids: Collection[UUID]) -> dict[UUID, ReadingReport]:
    rows = await session.execute(
        select(Document.id, Document.report).where(
            Document.owner_id == owner_id, Document.id.in_(document_ids), Document.report.is_not(None)
        )
    )
    return {id: ReadingReport.model_validate(report) for id, report in rows}


async def list_incomplete(
    session: AsyncSession,
    owner_id: UUID,
    *,
    document_ids: Collection[UUID] | None,
    kinds: Collection[DocumentKind],
    except_ids: Collection[UUID],
    limit: int,
) -> tuple[list[tuple[UUID, str, ReadingReport]], int]:
    """Return searched documents with parts that were not read, by title, and their number."""
    hidden = await filters.hidden_documents(session, owner_id, document_ids, kinds)
    query = select(Document.id, Document.title, Document.report).where(
        Document.owner_id == owner_id,
        Document.state == DocumentState.TRAINED,
        Document.id.not_in(hidden),
        Document.id.not_in(except_ids),
        func.jsonb_array_length(Document.report["unread"]) > 0,
    )
    total = await session.scalar(select(func.count()).select_from(query.subquery())) or 0
    rows = await session.execute(query.order_by(func.lower(Document.title), Document.id).limit(limit))
    return [(id, title, ReadingReport.model_validate(report)) for id, title, report in rows], total


async def page_labels_of(session: AsyncSession, owner_id: UUID, document_ids: Collection[UUID]) -> dict[UUID, Sequence[str]]:
    query = select(Document.id, Document.page_labels).where(
        Document.owner_id == owner_id, Document.id.in_(document_ids), Document.page_labels.is_not(None)
    )
    return {id: labels for id, labels in await session.execute(query) if labels}


async def list_sample(session: AsyncSession, owner_id: UUID) -> list[Document]:
    return list(await session.scalars(filters.documents_of(owner_id).where(Document.is_sample)))


async def list_known_ids(session: AsyncSession, owner_id: UUID, document_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the given documents that the workspace has, in the given order."""
    wanted = literal(list(document_ids), ARRAY(Uuid))
    known = set(await session.scalars(select(Document.id).where(Document.owner_id == owner_id, Document.id == func.any(wanted))))
    return [document_id for document_id in document_ids if document_id in known]


async def find_id(session: AsyncSession, owner_id: UUID, reference: str) -> UUID | None:
    """Find the document with this id or title, ignoring case."""
    is_meant = or_(cast(Document.id, Text) == reference.lower(), func.lower(Document.title) == func.lower(reference))
    return await session.scalar(select(Document.id).where(Document.owner_id == owner_id, is_meant).order_by(Document.id))


async def delete_document(session: AsyncSession, owner_id: UUID, document_id: UUID) -> None:
    await session.execute(delete(Document).where(Document.owner_id == owner_id, Document.id == document_id))


async def _is_searched(session: AsyncSession, owner_id: UUID) -> ColumnElement[bool]:
    """Whether questions and drafts search a document: it is trained and not hidden."""
    hidden = await filters.hidden_documents(session, owner_id)
    return and_(Document.state == DocumentState.TRAINED, Document.id.not_in(hidden))

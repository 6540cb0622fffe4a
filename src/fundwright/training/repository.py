"""All queries of training, limited to the owner: no workspace can reach another workspace's documents, chunks, or vectors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any
from uuid import UUID

import numpy as np
from pgvector import HalfVector
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Date,
    Integer,
    Numeric,
    Select,
    Text,
    Uuid,
    and_,
    case,
    cast,
    column,
    delete,
    exists,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    true,
    update,
    values,
)
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from fundwright.core import database
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.core.scopes import across_workspaces
from fundwright.language import retrieval, search_sql
from fundwright.language.protocols import Vectors
from fundwright.language.retrieval import Statistics, Weights
from fundwright.language.schemas import heading_text
from fundwright.reading import stored
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.report import ReadingReport
from fundwright.training import sketches
from fundwright.training.chunking import ChunkedDocument
from fundwright.training.models import Chunk, ChunkVector, ChunkWord, Document, DocumentCollection, TrainingRun
from fundwright.training.schemas import (
    CollectionQuery,
    DocumentQuery,
    DocumentSource,
    DocumentState,
    DocumentText,
    NearestPassage,
    Passage,
    PassageInContext,
    PassagePlace,
    Unsearched,
    VersionNote,
)
from fundwright.trash import repository as trash
from fundwright.workspaces.restrictions import contained, restricted_ids

_CANDIDATES = 3_000
"""In workspaces with more chunks, about this many are scored by words: those with the rarest words."""
_MAX_NAMED = 24
"""At most this many further chunks with what a question names are read, those with most of the question's words."""
_EXACT_LIMIT = 5_000
"""Accounts with fewer vectors are searched exactly, which is as fast as the index, and the owner filter cannot reduce recall."""
_CONTEXT_CHARACTERS = 1_500
_RESEMBLANCE = 0.6
"""The share of equal values in their sketches from which on texts are mostly the same."""
_NUMBERED_TITLE = r" \(\d+\)$"
_OWN = aliased(Document)
"""Kept, because making an alias takes longer than the rest of a query that uses it."""


def _documents(owner_id: UUID) -> Select[Document]:
    return select(Document).where(Document.owner_id == owner_id)


async def list_trashed(session: AsyncSession, owner_id: UUID) -> list[Document]:
    """Return the documents in the workspace's trash, oldest first."""
    trashed = select(Document).where(trash.in_trash_of(owner_id, Document))
    return list(await session.scalars(trashed.order_by(Document.created_at, Document.id)))


async def list_contents(session: AsyncSession, document_ids: Collection[UUID]) -> Sequence[str]:
    """Return the names of the files of documents, also of those in the trash."""
    return (await session.scalars(select(Document.sha256).where(Document.id.in_(document_ids)))).all()


async def get_document(session: AsyncSession, owner_id: UUID, document_id: UUID, *, for_update: bool = False) -> Document:
    """Raises NotFound. With `for_update`, others wait to change or remove it."""
    query = _documents(owner_id).where(Document.id == document_id)
    document = await session.scalar(
        query.with_for_update(key_share=True) if for_update else query, execution_options={"populate_existing": for_update}
    )
    if document is None:
        raise NotFound(t("The document"))
    return document


async def find_document(session: AsyncSession, owner_id: UUID, document_id: UUID) -> Document | None:
    """Others wait to change or remove it."""
    query = _documents(owner_id).where(Document.id == document_id).with_for_update(key_share=True)
    return await session.scalar(query, execution_options={"populate_existing": True})


async def find_document_by_content(session: AsyncSession, owner_id: UUID, sha256: str) -> Document | None:
    return await session.scalar(_documents(owner_id).where(Document.sha256 == sha256))


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
    query, usual = _documents(owner_id), Document.created_at.desc()
    if request.kind is not None:
        query = query.where(Document.kind == request.kind)
    if request.collection is not None:
        query = query.where(Document.id.in_(_contents_of(owner_id, request.collection)))
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


def _contents_of(owner_id: UUID, collection_id: UUID) -> Select[UUID]:
    found = contained(owner_id).subquery()
    return select(found.c.item_id).where(found.c.container_id == collection_id)


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
    own = select(func.count()).where(Document.owner_id == owner_id, Document.id.in_(_contents_of(owner_id, collection_id)))
    return await session.scalar(own) or 0


async def makers_in(session: AsyncSession, owner_id: UUID, collection_id: UUID) -> list[UUID | None]:
    """Return who added each of the documents in a collection that the session sees, also of those in the trash."""
    return list(await session.scalars(select(Document.created_by).where(Document.id.in_(_contents_of(owner_id, collection_id)))))


async def list_ids_in(session: AsyncSession, owner_id: UUID, collection_id: UUID, state: DocumentState) -> list[UUID]:
    """Return the documents in a collection that are in this state."""
    own = Document.owner_id == owner_id, Document.state == state
    return list(await session.scalars(select(Document.id).where(*own, Document.id.in_(_contents_of(owner_id, collection_id)))))


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


async def list_all(session: AsyncSession, owner_id: UUID) -> list[Document]:
    """Return all documents, oldest first."""
    return list(await session.scalars(_documents(owner_id).order_by(Document.created_at, Document.id)))


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
    hidden = await _hidden_documents(session, owner_id, document_ids, kinds)
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
    hidden = await _hidden_documents(session, owner_id, document_ids, kinds)
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


async def text_of(session: AsyncSession, owner_id: UUID, document_id: UUID) -> str | None:
    """Return the extracted text of a document, also of one in the trash."""
    own = or_(Document.owner_id == owner_id, trash.in_trash_of(owner_id, Document))
    return await session.scalar(select(Document.text).where(own, Document.id == document_id))


async def list_sample(session: AsyncSession, owner_id: UUID) -> list[Document]:
    return list(await session.scalars(_documents(owner_id).where(Document.is_sample)))


async def list_underway_ids(session: AsyncSession, owner_id: UUID) -> set[UUID]:
    """Return the documents of waiting or running runs, without those that have failed in them."""
    underway = set[str]()
    for run, _ in await session.execute(_underway_runs(owner_id)):
        underway |= set(run.document_ids) - {failure["document_id"] for failure in run.failed}
    return set(map(UUID, underway))


async def list_untrained_ids(session: AsyncSession, owner_id: UUID, model_id: str) -> list[UUID]:
    """Return the documents without vectors of this model, oldest first."""
    query = (
        select(Document.id)
        .where(Document.owner_id == owner_id)
        .where(or_(Document.state != DocumentState.TRAINED, Document.model_id.is_distinct_from(model_id)))
        .order_by(Document.created_at, Document.id)
    )
    return list(await session.scalars(query))


async def list_unsearched(session: AsyncSession, owner_id: UUID, *, limit: int) -> Unsearched:
    """Return the number of untrained documents, and the titles of the newest."""
    own = select(Document.id, Document.title).where(Document.owner_id == owner_id, Document.state != DocumentState.TRAINED)
    found = (await session.execute(own.order_by(Document.created_at.desc(), Document.id))).all()
    underway = await list_underway_ids(session, owner_id) if found else set[UUID]()
    return Unsearched(
        count=len(found), underway=sum(id in underway for id, _ in found), titles=tuple(title for _, title in found[:limit])
    )


async def list_known_ids(session: AsyncSession, owner_id: UUID, document_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the given documents that the workspace has, in the given order."""
    wanted = literal(list(document_ids), ARRAY(Uuid))
    known = set(await session.scalars(select(Document.id).where(Document.owner_id == owner_id, Document.id == func.any(wanted))))
    return [document_id for document_id in document_ids if document_id in known]


async def find_id(session: AsyncSession, owner_id: UUID, reference: str) -> UUID | None:
    """Find the document with this id or title, ignoring case."""
    is_meant = or_(cast(Document.id, Text) == reference.lower(), func.lower(Document.title) == func.lower(reference))
    return await session.scalar(select(Document.id).where(Document.owner_id == owner_id, is_meant).order_by(Document.id))


async def count_outdated(session: AsyncSession, owner_id: UUID, model_id: str) -> int:
    """Count trained documents whose vectors are from another model."""
    query = select(func.count()).where(
        Document.owner_id == owner_id, Document.state == DocumentState.TRAINED, Document.model_id != model_id
    )
    return await session.scalar(query) or 0


async def delete_document(session: AsyncSession, owner_id: UUID, document_id: UUID) -> None:
    await session.execute(delete(Document).where(Document.owner_id == owner_id, Document.id == document_id))


async def save_failure(session: AsyncSession, owner_id: UUID, document_id: UUID, reason: str) -> None:
    await session.execute(
        update(Document)
        .where(Document.owner_id == owner_id, Document.id == document_id)
        .values(state=DocumentState.FAILED, error=reason)
    )


async def keep_read_earlier(session: AsyncSession, owner_id: UUID, document_id: UUID) -> bool:
    """Leave a trained document that this release cannot read as an earlier one has read it, and note that this version of reading need not be
    tried again. Returns whether it is trained."""
    kept = (
        update(Document)
        .where(Document.owner_id == owner_id, Document.id == document_id, Document.state == DocumentState.TRAINED)
        .values(structure_key=f"{stored.VERSION}:")
    )
    return await session.scalar(kept.returning(Document.id)) is not None


async def save_trained(session: AsyncSession, owner_id: UUID, document_id: UUID, *, model_id: str, chunk_count: int) -> bool:
    """Mark a document as trained with this model, and delete vectors of other models. Returns whether the workspace still has it."""
    chunks = select(Chunk.id).where(Chunk.owner_id == owner_id, Chunk.document_id == document_id)
    await session.execute(delete(ChunkVector).where(ChunkVector.chunk_id.in_(chunks), ChunkVector.model_id != model_id))
    trained = (
        update(Document)
        .where(Document.owner_id == owner_id, Document.id == document_id)
        .values(state=DocumentState.TRAINED, error=None, model_id=model_id, chunk_count=chunk_count, trained_at=now())
    )
    return await session.scalar(trained.returning(Document.id)) is not None


def _structure_key() -> ColumnElement[str]:
    return func.concat(stored.VERSION, ":", Document.sha256)


async def list_read_earlier(session: AsyncSession, owner_id: UUID | None = None) -> dict[UUID, list[UUID]]:
    """Return the trained documents of each workspace, or of one, that an earlier version of reading was the last to try, oldest first."""
    version = cast(func.split_part(Document.structure_key, ":", 1), Integer)
    query = (
        select(Document.owner_id, Document.id)
        .where(Document.state == DocumentState.TRAINED, func.coalesce(version, 0) < stored.VERSION)
        .order_by(Document.created_at, Document.id)
    )
    if owner_id is not None:
        query = query.where(Document.owner_id == owner_id)
    found = dict[UUID, list[UUID]]()
    for workspace_id, document_id in await session.execute(query):
        if workspace_id is not None:  # it is not in the trash
            found.setdefault(workspace_id, []).append(document_id)
    return found


async def find_structure(session: AsyncSession, owner_id: UUID, document_id: UUID) -> bytes | None:
    """Return the stored form of a document if it is of its content, and this release reads files in the same way."""
    query = select(Document.structure).where(
        Document.owner_id == owner_id, Document.id == document_id, Document.structure_key == _structure_key()
    )
    return await session.scalar(query)


async def save_chunks(
    session: AsyncSession, owner_id: UUID, document_id: UUID, structure: bytes, chunked: ChunkedDocument, ids: Sequence[UUID]
) -> None:
    """Replace the stored form, text, and chunks of a document, and its kind and date unless a person chose them. `ids` are those of the chunks (`ids_of`).
    Unchanged chunks keep their ids and vectors."""
    kind = case((Document.is_kind_chosen, Document.kind), else_=chunked.kind)
    has_own_date = or_(Document.is_date_chosen, Document.source == DocumentSource.PASTE)  # what people write here is current
    dated = case((has_own_date, Document.dated), else_=literal(chunked.dated, Date))
    await session.execute(
        update(Document)
        .where(Document.owner_id == owner_id, Document.id == document_id)
        .values(
            structure=structure,
            structure_key=_structure_key(),
            report=chunked.report.model_dump(mode="json", exclude_defaults=True),
            page_labels=chunked.page_labels or None,
            sketch=chunked.sketch,
            text=chunked.text,
            kind=kind,
            dated=dated,
        )
    )
    # One array, because a statement can have at most 65,535 parameters.
    kept = literal(ids, ARRAY(Uuid))
    await session.execute(
        delete(Chunk).where(Chunk.owner_id == owner_id, Chunk.document_id == document_id, Chunk.id != func.all(kept))
    )
    for start in range(0, len(ids), 500):
        part = [
            {
                "id": ids[ordinal],
                "document_id": document_id,
                "owner_id": owner_id,
                "ordinal": ordinal,
                "heading": span.heading,
                "page": span.page,
                "places": [[place.start, place.heading, place.page] for place in span.places],
                "start_offset": span.start,
                "end_offset": span.end,
                "text": (content := chunked.text[span.start : span.end]),
                "aside": span.aside,
                "search": search_sql.stems_of(f"{heading_text(span.heading)}\n{content}"),
            }
            for ordinal, span in enumerate(chunked.chunks[start : start + 500], start)
        ]
        adding = insert(Chunk).values(part)
        await session.execute(
            adding.on_conflict_do_update(
                index_elements=[Chunk.id],
                set_={name: adding.excluded[name] for name in ("ordinal", "heading", "page", "places", "aside", "search")},
            )
        )


def _replaces() -> ColumnElement[bool]:
    """Whether a document is the newest version of another."""
    earlier = aliased(Document)
    return exists().where(earlier.replaced_by == Document.id, earlier.owner_id == Document.owner_id)


async def find_earlier(session: AsyncSession, document: Document, title: str, sketch: Sequence[int]) -> UUID | None:
    """Find the newest document added before this one that has the same filename or title, or mostly the same text. `title` is the one in
    its text."""
    both = func.unnest(Document.sketch, literal(list(sketch), ARRAY(Integer))).table_valued("one", "other").render_derived()
    equal = select(func.count()).select_from(both).where(both.c.one == both.c.other).scalar_subquery()
    base = func.regexp_replace(func.lower(Document.title), _NUMBERED_TITLE, "")
    query = select(Document.id).where(
        Document.owner_id == document.owner_id,
        Document.id != document.id,
        Document.created_at < document.created_at,
        Document.is_sample.is_(False),
        Document.source == DocumentSource.UPLOAD,
        Document.replaced_by.is_(None),
        or_(
            func.lower(Document.filename) == document.filename.lower(),
            base.in_([re.sub(_NUMBERED_TITLE, "", each.lower()) for each in (document.title, title) if each]),
            and_(
                Document.sketch.op("&&", return_type=Boolean())(literal(list(sketch), ARRAY(Integer))),
                equal >= _RESEMBLANCE * sketches.SIZE,
            )
            if sketch
            else false(),
        ),
    )
    return await session.scalar(query.order_by(Document.created_at.desc(), Document.id).limit(1))


async def list_version_offers(session: AsyncSession, owner_id: UUID, request: PageRequest) -> tuple[list[tuple[UUID, UUID]], int]:
    """Return each document that seems to be a new version, with the earlier one, and their number."""
    earlier = aliased(Document)
    query = (
        select(Document.id, earlier.id)
        .join(earlier, and_(earlier.id == Document.resembles, earlier.owner_id == Document.owner_id))
        .where(Document.owner_id == owner_id, Document.replaced_by.is_(None), earlier.replaced_by.is_(None))
    )
    total = await session.scalar(select(func.count()).select_from(query.subquery())) or 0
    ordered = query.order_by(Document.created_at.desc(), Document.id)
    found = await session.execute(ordered.offset(request.offset).limit(request.page_size))
    return [(newer_id, earlier_id) for newer_id, earlier_id in found], total


async def version_notes_of(session: AsyncSession, owner_id: UUID, document_ids: Collection[UUID]) -> dict[UUID, VersionNote]:
    newer = aliased(Document)
    query = (
        select(Document.id, case((_replaces(), Document.created_at)), newer.created_at)
        .outerjoin(newer, and_(newer.id == Document.replaced_by, newer.owner_id == Document.owner_id))
        .where(Document.owner_id == owner_id, Document.id.in_(document_ids))
    )
    notes = {id: VersionNote(added=added, replaced_at=replaced_at) for id, added, replaced_at in await session.execute(query)}
    return {id: note for id, note in notes.items() if note != VersionNote()}


async def list_chunks_without_vector(
    session: AsyncSession, owner_id: UUID, document_id: UUID, model_id: str, *, limit: int
) -> list[Chunk]:
    query = (
        select(Chunk)
        .where(Chunk.owner_id == owner_id, Chunk.document_id == document_id)
        .where(~exists().where(ChunkVector.chunk_id == Chunk.id, ChunkVector.model_id == model_id))
        .order_by(Chunk.ordinal)
        .limit(limit)
    )
    return list(await session.scalars(query))


async def count_embedded(session: AsyncSession, owner_id: UUID, document_id: UUID, model_id: str) -> tuple[int, int]:
    """Return how many passages of a document have a vector of this model, and how many there are."""
    query = (
        select(func.count(ChunkVector.chunk_id), func.count())
        .select_from(Chunk)
        .outerjoin(ChunkVector, and_(ChunkVector.chunk_id == Chunk.id, ChunkVector.model_id == model_id))
        .where(Chunk.owner_id == owner_id, Chunk.document_id == document_id)
    )
    embedded, count = (await session.execute(query)).one()
    return embedded, count


async def save_vectors(session: AsyncSession, owner_id: UUID, chunk_ids: Sequence[UUID], vectors: Vectors, model_id: str) -> None:
    """Store the vectors of chunks that still exist. A document may have been removed while they were computed."""
    known = set(
        await session.scalars(
            select(Chunk.id).where(Chunk.owner_id == owner_id, Chunk.id.in_(chunk_ids)).with_for_update(key_share=True)
        )
    )
    rows = [
        {"chunk_id": chunk_id, "model_id": model_id, "owner_id": owner_id, "dimension": len(vector), "vector": HalfVector(vector)}
        for chunk_id, vector in zip(chunk_ids, vectors, strict=True)
        if chunk_id in known
    ]
    if rows:
        await session.execute(insert(ChunkVector).values(rows).on_conflict_do_nothing())


async def make_vector_index(session: AsyncSession, dimension: int) -> None:
    """Create the HNSW index of this dimension if it does not exist."""
    name = f"ix_chunk_vector_hnsw_{dimension}"
    await search_sql.create_vector_index(session, "chunk_vector", name, dimension=dimension, of=("dimension", dimension))


async def count_words(session: AsyncSession, owner_id: UUID) -> None:
    """Recount how many chunks of the workspace have each word, also of documents that are hidden from the account that runs it. Called
    at the end of a run."""
    await database.acquire_lock(session, f"chunk_word:{owner_id}")
    async with across_workspaces(session, "words of documents"):
        await _count_words(session, owner_id)


async def _count_words(session: AsyncSession, owner_id: UUID) -> None:
    await session.execute(delete(ChunkWord).where(ChunkWord.owner_id == owner_id))
    chunks = select(Chunk.owner_id, Chunk.id, Chunk.search).join(Document, Document.id == Chunk.document_id)
    own = chunks.where(Chunk.owner_id == owner_id, Document.owner_id == owner_id).subquery()
    words = func.unnest(own.c.search).table_valued("lexeme", "positions", "weights").render_derived().lateral()
    place = func.word_place(words.c.lexeme)
    each = select(own.c.owner_id, place, func.count(own.c.id.distinct())).join(words, true()).group_by(own.c.owner_id, place)
    everything = select(own.c.owner_id, literal(search_sql.ALL_TEXTS), func.count()).group_by(own.c.owner_id)
    await session.execute(insert(ChunkWord).from_select(["owner_id", "place", "chunks"], each.union_all(everything)))


async def refresh_statistics(session: AsyncSession) -> None:
    """Refresh the planner's statistics at the end of a run, which keeps questions fast."""
    await database.refresh_statistics(session, Document, Chunk, ChunkVector, ChunkWord)


async def _hidden_documents(
    session: AsyncSession,
    owner_id: UUID,
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
) -> list[UUID]:
    """Select the workspace's documents that are not searched: those in its trash; those with a newer version; all but the given ones and
    their newer versions, or else the sample documents once it has trained one of its own; and all of other kinds."""
    has_own = exists().where(_OWN.owner_id == owner_id, _OWN.is_sample.is_(False), _OWN.state == DocumentState.TRAINED)
    unwanted = and_(Document.is_sample, has_own)
    if document_ids is not None:
        wanted = literal(list(document_ids), ARRAY(Uuid))
        newer = select(_OWN.replaced_by.label("id")).where(_OWN.owner_id == owner_id, _OWN.id == func.any(wanted))
        later = newer.cte("later", recursive=True)
        later = later.union(select(_OWN.replaced_by).where(_OWN.owner_id == owner_id, _OWN.id == later.c.id))
        unwanted = and_(Document.id != func.all(wanted), ~exists().where(later.c.id == Document.id))
    unwanted = or_(unwanted, _is_replaced())
    if kinds is not None:
        unwanted = or_(unwanted, Document.kind.not_in(kinds))
    hidden = select(Document.id).where(Document.owner_id == owner_id, unwanted)
    return list(await session.scalars(hidden.union_all(select(Document.id).where(trash.in_trash_of(owner_id, Document)))))


@cache
def _is_replaced() -> ColumnElement[bool]:
    """Whether a newer version of a document is trained that the actor sees."""
    newer = aliased(Document)
    return exists().where(
        newer.id == Document.replaced_by, newer.owner_id == Document.owner_id, newer.state == DocumentState.TRAINED
    )


async def _is_searched(session: AsyncSession, owner_id: UUID) -> ColumnElement[bool]:
    """Whether questions and drafts search a document: it is trained and not hidden."""
    hidden = await _hidden_documents(session, owner_id)
    return and_(Document.state == DocumentState.TRAINED, Document.id.not_in(hidden))


async def has_vectors(session: AsyncSession, owner_id: UUID, model_id: str) -> bool:
    """Whether any searched document of the workspace has vectors of this model."""
    found = (
        select(ChunkVector.chunk_id)
        .join(Chunk, Chunk.id == ChunkVector.chunk_id)
        .where(
            ChunkVector.owner_id == owner_id,
            ChunkVector.model_id == model_id,
            Chunk.document_id.not_in(await _hidden_documents(session, owner_id)),
        )
    )
    return bool(await session.scalar(select(found.exists())))


async def search_chunks(
    session: AsyncSession,
    owner_id: UUID,
    query: str,
    vector: Vectors,
    *,
    model_id: str,
    limit: int,
    named: Sequence[str] = (),
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
    with_asides: bool = False,
) -> list[Passage]:
    """Return the chunks that answer a question best, best first, see `retrieval`. If documents and kinds are given, only these are
    searched. What is no statement of its document is searched only `with_asides`. Further chunks with all words of one of the
    `named` come last."""
    lexemes = dict((await session.execute(_lexemes_of(query))).all())
    statistics = await _statistics(session, owner_id, [retrieval.place_of(lexeme) for lexeme in lexemes])
    words = retrieval.weigh(lexemes, statistics)
    hidden = literal(await _hidden_documents(session, owner_id, document_ids, kinds), ARRAY(Uuid))
    unseen = select(Chunk.id).where(Chunk.document_id == func.any(hidden))
    is_seen = ~ChunkVector.chunk_id.in_(unseen if with_asides else unseen.union_all(_asides(owner_id)))
    is_indexed = await _is_index_worthwhile(session, owner_id, is_seen, model_id=model_id, dimension=len(vector))
    searched = select(Chunk.id, _word_distance(words)).where(Chunk.owner_id == owner_id, Chunk.document_id != func.all(hidden))
    searched = searched if with_asides else searched.where(Chunk.aside.is_(None))
    by_words = searched
    if statistics.texts > _CANDIDATES:
        known = [lexeme for lexeme in lexemes if retrieval.place_of(lexeme) in statistics.found_in]
        rarest = retrieval.rarest(known, statistics, most=_CANDIDATES)
        by_words = by_words.where(search_sql.has_any(Chunk.search.expression, retrieval.any_of(rarest)))
    by_meaning = select(ChunkVector.chunk_id, _distance(vector, is_indexed=is_indexed)).where(
        ChunkVector.owner_id == owner_id,
        ChunkVector.model_id == model_id,
        ChunkVector.dimension == len(vector),
        is_seen,
    )
    by_words, by_meaning = await _nearest(session, by_words), await _nearest(session, by_meaning)
    by_words = {id: score for id, score in by_words.items() if score > 0}
    scores = retrieval.fuse(retrieval.scaled(by_words), retrieval.scaled(by_meaning), share=retrieval.PASSAGE_WORDS)
    best = await _contents(session, owner_id, list(scores)[: retrieval.FEEDBACK_TEXTS], model_id=model_id)
    statistics = await _statistics(session, owner_id, sorted({place for each, _ in best for place in each}))
    words, moved = retrieval.with_feedback(words, vector, best, statistics)
    rescored = select(Chunk.id, _word_distance(words), _distance(moved)).join(ChunkVector, ChunkVector.chunk_id == Chunk.id)
    found_ids = literal(list(scores), ARRAY(Uuid))
    # Filter both tables. Otherwise, the planner reads the vectors of all chunks.
    is_found = and_(Chunk.id == func.any(found_ids), ChunkVector.chunk_id == func.any(found_ids))
    rows = (await session.execute(rescored.where(Chunk.owner_id == owner_id, is_found, ChunkVector.model_id == model_id))).all()
    by_words, by_meaning = {id: -far for id, far, _ in rows}, {id: -far for id, _, far in rows}
    scores = retrieval.fuse(retrieval.scaled(by_words), retrieval.scaled(by_meaning), share=retrieval.PASSAGE_WORDS)
    found = dict(list(scores.items())[:limit])
    if named:
        has_one = or_(*(search_sql.has_all(Chunk.search.expression, each) for each in named))
        further = list(await _nearest(session, searched.where(has_one)))[:_MAX_NAMED]
        found |= {id: scores.get(id, 0.0) for id in further}
    return await _passages(session, owner_id, list(found.items()), 1 - _distance(vector), model_id=model_id)


async def nearest_passages(
    session: AsyncSession, owner_id: UUID, vectors: Mapping[UUID, Vectors], *, model_id: str, kinds: Collection[DocumentKind]
) -> dict[UUID, NearestPassage]:
    """Return, for each of these vectors, the most similar passage of the trained documents of these kinds, without the sample."""
    searched = select(Document.id, Document.chunk_count).where(
        Document.owner_id == owner_id,
        Document.kind.in_(kinds),
        Document.is_sample.is_(False),
        Document.state == DocumentState.TRAINED,
        ~_is_replaced(),
    )
    documents = dict((await session.execute(searched)).all())
    if not documents or not vectors:
        return {}
    dimension = len(next(iter(vectors.values())))
    given = values(column("id", Uuid), column("vector", HALFVEC(dimension)), name="given").data(
        [(id, HalfVector(vector)) for id, vector in vectors.items()]
    )
    own = and_(
        ChunkVector.owner_id == owner_id,
        ChunkVector.model_id == model_id,
        ChunkVector.dimension == dimension,
        ChunkVector.chunk_id.not_in(_asides(owner_id)),
    )
    ids = literal(list(documents), ARRAY(Uuid))
    is_indexed = sum(documents.values()) > _EXACT_LIMIT and dimension <= search_sql.MAX_INDEXED_DIMENSION
    if is_indexed:
        # A scalar subquery is evaluated for the few vectors that the index returns. The planner would turn an `IN` into a join of all chunks.
        of_document = select(Chunk.document_id).where(Chunk.id == ChunkVector.chunk_id).scalar_subquery()
        stored = select(ChunkVector.chunk_id, ChunkVector.vector).where(own, of_document == func.any(ids)).subquery("stored")
    else:
        is_searched = ChunkVector.chunk_id.in_(
            select(Chunk.id).where(Chunk.owner_id == owner_id, Chunk.document_id == func.any(ids))
        )
        stored = select(ChunkVector.chunk_id, ChunkVector.vector).where(own, is_searched).cte("stored")
    distance = search_sql.cosine_distance(stored.c.vector, given.c.vector, dimension, is_indexed=is_indexed).label("distance")
    closest = select(stored.c.chunk_id, distance).order_by(literal_column("distance")).limit(1).lateral("closest")
    rows = await session.execute(select(given.c.id, closest.c.chunk_id, 1 - closest.c.distance).join(closest, true()))
    nearest = {id: (chunk_id, similarity) for id, chunk_id, similarity in rows}
    titles = select(Chunk.id, Document.title).join(Document, Document.id == Chunk.document_id)
    named = dict((await session.execute(titles.where(Chunk.id.in_([chunk_id for chunk_id, _ in nearest.values()])))).all())
    return {
        id: NearestPassage(passage_id=chunk_id, document_title=named[chunk_id], similarity=similarity)
        for id, (chunk_id, similarity) in nearest.items()
        if chunk_id in named
    }


async def find_phrase(session: AsyncSession, owner_id: UUID, pattern: str) -> str | None:
    """Return the phrase that matches a regular expression most often in the workspace's documents, in lower case."""
    hidden = literal(await _hidden_documents(session, owner_id), ARRAY(Uuid))
    own = select(Chunk.text).where(Chunk.owner_id == owner_id, Chunk.document_id != func.all(hidden)).subquery()
    match = func.regexp_matches(own.c.text, f"({pattern})", "gi").table_valued("groups").render_derived().lateral()
    phrase = func.lower(func.regexp_replace(func.array_to_string(match.c.groups, ""), r"\s+", " ", "g")).label("phrase")
    often = (
        select(phrase)
        .join_from(own, match, true())
        .group_by(text("phrase"))
        .order_by(func.count().desc(), text("phrase"))
        .limit(1)
    )
    return await session.scalar(often)


def _lexemes_of(query: str) -> Select[str, int]:
    lexemes = search_sql.lexemes_of(query)
    return select(lexemes.c.lexeme, func.cardinality(lexemes.c.positions))


async def _statistics(session: AsyncSession, owner_id: UUID, places: Sequence[int]) -> Statistics:
    wanted = literal([search_sql.ALL_TEXTS, *places], ARRAY(Integer))
    counted = select(ChunkWord.place, ChunkWord.chunks).where(ChunkWord.owner_id == owner_id, ChunkWord.place == func.any(wanted))
    counts = dict((await session.execute(counted)).all())
    return Statistics(texts=counts.pop(search_sql.ALL_TEXTS, 0), found_in=counts)


def _word_distance(words: Weights) -> ColumnElement[float]:
    return search_sql.word_distance(Chunk.words.expression, retrieval.words_vector(words))


def _distance(vector: Vectors, *, is_indexed: bool = False) -> ColumnElement[float]:
    return search_sql.cosine_distance(ChunkVector.vector.expression, HalfVector(vector), len(vector), is_indexed=is_indexed)


async def _nearest(session: AsyncSession, found: Select[UUID, float]) -> dict[UUID, float]:
    """Return the scores of the best: their negated distances."""
    distance = literal_column("2")
    return {id: -far for id, far in await session.execute(found.order_by(distance).limit(retrieval.DEPTH))}


async def _contents(
    session: AsyncSession, owner_id: UUID, chunk_ids: Sequence[UUID], *, model_id: str
) -> list[tuple[Weights, Vectors]]:
    """Return the words and embeddings of chunks."""
    found = select(Chunk.words, ChunkVector.vector).join(ChunkVector, ChunkVector.chunk_id == Chunk.id)
    rows = await session.execute(
        found.where(Chunk.owner_id == owner_id, Chunk.id.in_(chunk_ids), ChunkVector.model_id == model_id)
    )
    return [
        (dict(zip(words.indices(), words.values(), strict=True)), np.asarray(vector, dtype=np.float32)) for words, vector in rows
    ]


async def _passages(
    session: AsyncSession,
    owner_id: UUID,
    scores: Sequence[tuple[UUID, float]],
    similarity: ColumnElement[float],
    *,
    model_id: str,
) -> list[Passage]:
    """Return passages in the order of `scores`."""
    found = await session.execute(
        select(
            Chunk.id,
            Chunk.document_id,
            Document.title.label("document_title"),
            Document.kind.label("document_kind"),
            case((_replaces(), Document.created_at)).label("document_date"),
            Chunk.heading,
            Chunk.page,
            Chunk.places,
            Chunk.text,
            Chunk.aside,
            func.round(cast(similarity, Numeric), 4).label("similarity"),
            Chunk.start_offset.label("start"),
            Chunk.end_offset.label("end"),
        )
        .join(Document, Document.id == Chunk.document_id)
        .join(ChunkVector, and_(ChunkVector.chunk_id == Chunk.id, ChunkVector.model_id == model_id))
        .where(Chunk.owner_id == owner_id, Chunk.id.in_([id for id, _ in scores]))
    )
    rows = {row["id"]: row for row in found.mappings()}
    return [Passage.model_validate({**rows[id], "score": round(score, 4)}) for id, score in scores if id in rows]


async def _is_index_worthwhile(
    session: AsyncSession, owner_id: UUID, is_seen: ColumnElement[bool], *, model_id: str, dimension: int
) -> bool:
    if dimension > search_sql.MAX_INDEXED_DIMENSION:
        return False
    own = select(ChunkVector.chunk_id).where(ChunkVector.owner_id == owner_id, ChunkVector.model_id == model_id, is_seen)
    return await session.scalar(own.offset(_EXACT_LIMIT).limit(1)) is not None


def _asides(owner_id: UUID) -> Select[UUID]:
    return select(Chunk.id).where(Chunk.owner_id == owner_id, Chunk.aside.is_not(None))


def _statements() -> ColumnElement[str]:
    """The text of a document without what stands aside, which comes last."""
    aside = select(func.min(Chunk.start_offset)).where(Chunk.document_id == Document.id, Chunk.aside.is_not(None))
    return func.substr(Document.text, 1, func.coalesce(aside.scalar_subquery(), func.length(Document.text)))


async def read_documents(
    session: AsyncSession,
    owner_id: UUID,
    *,
    document_ids: Collection[UUID] | None,
    kinds: Collection[DocumentKind] | None,
    first: Collection[UUID],
    most_characters: int,
) -> list[DocumentText]:
    """Return what trained documents state, as `search_chunks` sees them, oldest first. If they are too long in total, those with the chunks of
    `first` are kept, and then the newest."""
    hidden = await _hidden_documents(session, owner_id, document_ids, kinds)
    is_first = Document.id.in_(select(Chunk.document_id).where(Chunk.owner_id == owner_id, Chunk.id.in_(first)))
    wanted = (
        select(Document.id, func.length(Document.text))
        .where(Document.owner_id == owner_id, Document.state == DocumentState.TRAINED, Document.text.is_not(None))
        .where(Document.id.not_in(hidden))
        .order_by(is_first.desc(), Document.created_at.desc(), Document.id)
    )
    kept: list[UUID] = []
    characters = 0
    for document_id, length in await session.execute(wanted):
        characters += length
        if characters > most_characters and kept:
            break
        kept.append(document_id)
    chunks: dict[UUID, list[PassagePlace]] = {}
    stated = select(Chunk).where(Chunk.document_id.in_(kept), Chunk.aside.is_(None))
    for chunk in await session.scalars(stated.order_by(Chunk.ordinal)):
        chunks.setdefault(chunk.document_id, []).append(
            PassagePlace(
                id=chunk.id,
                heading=chunk.heading,
                page=chunk.page,
                start=chunk.start_offset,
                end=chunk.end_offset,
                places=tuple((start, heading, page) for start, heading, page in chunk.places),
            )
        )
    documents = await session.execute(
        select(
            Document.id, Document.title, Document.kind, Document.dated, Document.is_always_used, Document.resembles, _statements()
        )
        .where(Document.id.in_(chunks))
        .order_by(Document.created_at, Document.title, Document.id)
    )
    return [
        DocumentText(
            id=document_id,
            title=title,
            kind=DocumentKind(kind),
            dated=dated,
            is_always_used=is_always_used,
            resembles=resembles,
            text=text or "",
            passages=tuple(chunks[document_id]),
        )
        for document_id, title, kind, dated, is_always_used, resembles, text in documents
    ]


async def read_beginnings(
    session: AsyncSession, owner_id: UUID, *, kinds: Collection[DocumentKind], characters: int, limit: int
) -> list[tuple[DocumentKind, str]]:
    """Return the kind and the first characters of the workspace's own trained documents, those about us first, then the newest."""
    rows = await session.execute(
        select(Document.kind, func.substr(_statements(), 1, characters))
        .where(Document.owner_id == owner_id, Document.state == DocumentState.TRAINED, Document.text.is_not(None))
        .where(Document.kind.in_(kinds), Document.is_sample.is_(False), ~_is_replaced())
        .order_by((Document.kind == DocumentKind.ABOUT_US).desc(), Document.created_at.desc(), Document.id)
        .limit(limit)
    )
    return [(DocumentKind(kind), beginning) for kind, beginning in rows]


async def list_unproposed(session: AsyncSession, *, after: UUID, limit: int) -> list[tuple[UUID, str, str, str]]:
    """Return id, title, file name, and text of documents whose kind nobody chose and that count as about us, in the order of their
    ids."""
    query = select(Document.id, Document.title, Document.filename, _statements()).where(
        Document.id > after,
        Document.is_kind_chosen.is_(False),
        Document.kind == DocumentKind.ABOUT_US,
        Document.text.is_not(None),
    )
    return [
        (id, title, name, text or "") for id, title, name, text in await session.execute(query.order_by(Document.id).limit(limit))
    ]


async def set_proposed_kind(session: AsyncSession, document_id: UUID, kind: DocumentKind) -> UUID | None:
    """Set the kind, and return the document's owner, or None if a person has chosen a kind or removed the document in the meantime."""
    return await session.scalar(
        update(Document)
        .where(Document.id == document_id, Document.is_kind_chosen.is_(False))
        .values(kind=kind)
        .returning(Document.owner_id)
    )


async def get_passage(session: AsyncSession, owner_id: UUID, chunk_id: UUID) -> PassageInContext:
    start = func.greatest(Chunk.start_offset - _CONTEXT_CHARACTERS, 0)
    before = func.substr(Document.text, start + 1, Chunk.start_offset - start)
    after = func.substr(Document.text, Chunk.end_offset + 1, _CONTEXT_CHARACTERS)
    row = (
        await session.execute(
            select(Chunk, Document.title, before, after)
            .join(Document, Document.id == Chunk.document_id)
            .where(Document.owner_id == owner_id, Chunk.id == chunk_id)
        )
    ).one_or_none()
    if row is None:
        raise NotFound(t("The passage"))
    chunk, title, text_before, text_after = row
    return PassageInContext(
        id=chunk.id,
        document_id=chunk.document_id,
        document_title=title,
        heading=chunk.heading,
        page=chunk.page,
        places=tuple((start, heading, page) for start, heading, page in chunk.places),
        before=text_before or "",
        text=chunk.text,
        after=text_after or "",
        start=chunk.start_offset,
        end=chunk.end_offset,
    )


def _runs(owner_id: UUID) -> Select[TrainingRun, Job]:
    return select(TrainingRun, Job).join(Job, Job.id == TrainingRun.job_id).where(TrainingRun.owner_id == owner_id)


def _underway_runs(owner_id: UUID) -> Select[TrainingRun, Job]:
    """Select waiting or running runs that were not canceled, oldest first."""
    query = _runs(owner_id).where(Job.state.in_((JobState.QUEUED, JobState.RUNNING)), Job.cancel_requested.is_(False))
    return query.order_by(TrainingRun.created_at)


async def get_run(session: AsyncSession, owner_id: UUID, run_id: UUID) -> tuple[TrainingRun, Job]:
    query = _runs(owner_id).where(TrainingRun.id == run_id).execution_options(populate_existing=True)
    row = (await session.execute(query)).one_or_none()
    if row is None:
        raise NotFound(t("The training run"))
    return row[0], row[1]


async def lock_runs(session: AsyncSession, owner_id: UUID) -> None:
    """Until the transaction ends, nobody else can find that no run includes a document, and add one."""
    await database.acquire_lock(session, f"training_runs:{owner_id}")


async def find_underway_run(
    session: AsyncSession, owner_id: UUID, document_ids: Sequence[UUID]
) -> tuple[TrainingRun, Job] | None:
    """Return a waiting or running run that trains all of these documents, unless it was canceled or one of them has failed in it.
    Other callers wait here until the transaction ends, so that two of them cannot both find none and add one."""
    await lock_runs(session, owner_id)
    wanted = {str(document_id) for document_id in document_ids}
    for run, job in await session.execute(_underway_runs(owner_id)):
        if wanted <= set(run.document_ids) and wanted.isdisjoint(failure["document_id"] for failure in run.failed):
            return run, job
    return None


async def join_waiting_run(session: AsyncSession, owner_id: UUID, document_id: UUID) -> bool:
    """Add a document to a waiting run that a person has started. Returns whether there is one."""
    await lock_runs(session, owner_id)
    underway = await session.execute(_underway_runs(owner_id))
    waiting = [run.id for run, job in underway if job.state == JobState.QUEUED and not job.payload.get("reads_again")]
    for run_id in waiting:
        run = await find_run_for_job(session, owner_id, run_id)
        # The job reads its documents under the same lock, so a run that is still waiting will read this one, too.
        _, job = await get_run(session, owner_id, run_id)
        if run is not None and job.state == JobState.QUEUED and not job.cancel_requested:
            run.document_ids = [*run.document_ids, str(document_id)]
            await session.flush()
            return True
    return False


async def list_runs(session: AsyncSession, owner_id: UUID, request: PageRequest) -> tuple[list[tuple[TrainingRun, Job]], int]:
    columns: dict[str, ColumnElement[Any]] = {
        "state": Job.state.expression,
        "documents": TrainingRun.documents.expression,
        "chunks": TrainingRun.chunks.expression,
        "duration_s": Job.ended_at - Job.started_at,
        "created_at": TrainingRun.created_at.expression,
    }
    ordered = ordered_by(request, columns, default=TrainingRun.created_at.desc())
    query = _runs(owner_id).order_by(ordered, TrainingRun.id).offset(request.offset).limit(request.page_size)
    query = query.execution_options(populate_existing=True)
    total = await session.scalar(select(func.count()).select_from(_runs(owner_id).with_only_columns(TrainingRun.id).subquery()))
    return [(run, job) for run, job in await session.execute(query)], total or 0


async def find_run_for_job(session: AsyncSession, owner_id: UUID, run_id: UUID) -> TrainingRun | None:
    """Return the run of a job, locked."""
    return await session.scalar(
        select(TrainingRun)
        .where(TrainingRun.owner_id == owner_id, TrainingRun.id == run_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )

"""Every query of training. Each begins with the owner: nobody reaches another account's documents, chunks or vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pgvector import HalfVector
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ColumnElement, Float, Select, cast, delete, exists, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job
from fundwright.core.paging import PageRequest
from fundwright.language.protocols import Vectors
from fundwright.training.chunking import ChunkedDocument
from fundwright.training.models import Chunk, ChunkVector, Document, TrainingRun
from fundwright.training.schemas import DocumentState, Passage, PassageInContext

_EXACT_LIMIT = 20_000
"""Accounts with fewer vectors are searched exactly: as fast as the index, and an owner filter cannot cost recall."""
_EF_SEARCH = 100
_MAX_INDEXED_DIMENSION = 4_000  # what pgvector's HNSW takes of halfvec
_INDEX_LOCK = 4_207_114
_CONTEXT_CHARACTERS = 1_500
_FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009, https://doi.org/10.1145/1571941.1572114)."""


def _documents(owner_id: UUID) -> Select[Document]:
    return select(Document).where(Document.owner_id == owner_id)


async def get_document(session: AsyncSession, owner_id: UUID, document_id: UUID) -> Document:
    document = await session.scalar(_documents(owner_id).where(Document.id == document_id))
    if document is None:
        raise NotFound("The document")
    return document


async def find_document_by_content(session: AsyncSession, owner_id: UUID, sha256: str) -> Document | None:
    return await session.scalar(_documents(owner_id).where(Document.sha256 == sha256))


async def is_content_used(session: AsyncSession, sha256: str) -> bool:
    return bool(await session.scalar(select(exists().where(Document.sha256 == sha256))))


async def list_documents(session: AsyncSession, owner_id: UUID, request: PageRequest) -> tuple[list[Document], int]:
    query = _documents(owner_id)
    columns: dict[str, ColumnElement[Any]] = {
        "title": func.lower(Document.title),
        "state": Document.state.expression,
        "size_bytes": Document.size_bytes.expression,
        "chunk_count": Document.chunk_count.expression,
        "created_at": Document.created_at.expression,
        "trained_at": Document.trained_at.expression,
    }
    order = columns.get(request.sort_field)
    ordered = (
        Document.created_at.desc()
        if order is None
        else order.desc().nulls_last()
        if request.is_descending
        else order.asc().nulls_last()
    )
    total = await session.scalar(select(func.count()).select_from(query.subquery())) or 0
    rows = await session.scalars(query.order_by(ordered, Document.id).offset(request.offset).limit(request.page_size))
    return list(rows), total


async def list_sample(session: AsyncSession, owner_id: UUID) -> list[Document]:
    return list(await session.scalars(_documents(owner_id).where(Document.is_sample)))


async def list_untrained_ids(session: AsyncSession, owner_id: UUID, model_id: str) -> list[UUID]:
    """Documents without vectors of this model, oldest first."""
    query = (
        select(Document.id)
        .where(Document.owner_id == owner_id)
        .where(or_(Document.state != DocumentState.TRAINED, Document.model_id.is_distinct_from(model_id)))
        .order_by(Document.created_at, Document.id)
    )
    return list(await session.scalars(query))


async def list_known_ids(session: AsyncSession, owner_id: UUID, document_ids: Sequence[UUID]) -> list[UUID]:
    """Those of the given documents that the account has, in the given order."""
    known = set(await session.scalars(select(Document.id).where(Document.owner_id == owner_id, Document.id.in_(document_ids))))
    return [document_id for document_id in document_ids if document_id in known]


async def delete_document(session: AsyncSession, owner_id: UUID, document_id: UUID) -> None:
    await session.execute(delete(Document).where(Document.owner_id == owner_id, Document.id == document_id))


async def save_failure(session: AsyncSession, owner_id: UUID, document_id: UUID, reason: str) -> None:
    await session.execute(
        update(Document)
        .where(Document.owner_id == owner_id, Document.id == document_id)
        .values(state=DocumentState.FAILED, error=reason)
    )


async def save_trained(session: AsyncSession, owner_id: UUID, document_id: UUID, *, model_id: str, chunk_count: int) -> None:
    await session.execute(
        update(Document)
        .where(Document.owner_id == owner_id, Document.id == document_id)
        .values(state=DocumentState.TRAINED, error=None, model_id=model_id, chunk_count=chunk_count, trained_at=now())
    )


async def save_chunks(session: AsyncSession, owner_id: UUID, document_id: UUID, chunked: ChunkedDocument) -> None:
    """Replace the text and the chunks of a document. Chunks that are the same as before keep their id and vectors."""
    await session.execute(
        update(Document).where(Document.owner_id == owner_id, Document.id == document_id).values(text=chunked.text)
    )
    rows = [
        {
            "id": cut.id(document_id, chunked.text),
            "document_id": document_id,
            "owner_id": owner_id,
            "ordinal": ordinal,
            "heading": cut.heading,
            "page": cut.page,
            "start_offset": cut.start,
            "end_offset": cut.end,
            "text": chunked.text[cut.start : cut.end],
        }
        for ordinal, cut in enumerate(chunked.chunks)
    ]
    await session.execute(
        delete(Chunk).where(
            Chunk.owner_id == owner_id, Chunk.document_id == document_id, Chunk.id.not_in([row["id"] for row in rows])
        )
    )
    for start in range(0, len(rows), 500):
        part = [
            row | {"search": func.to_tsvector(text("'english'"), f"{row['heading']}\n{row['text']}")}
            for row in rows[start : start + 500]
        ]
        adding = insert(Chunk).values(part)
        await session.execute(
            adding.on_conflict_do_update(
                index_elements=[Chunk.id],
                set_={name: adding.excluded[name] for name in ("ordinal", "heading", "page", "search")},
            )
        )


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


async def count_chunks(session: AsyncSession, owner_id: UUID, document_id: UUID) -> int:
    query = select(func.count()).where(Chunk.owner_id == owner_id, Chunk.document_id == document_id)
    return await session.scalar(query) or 0


async def save_vectors(session: AsyncSession, owner_id: UUID, chunk_ids: Sequence[UUID], vectors: Vectors, model_id: str) -> None:
    """Store vectors of chunks that still exist; a document may have been removed while they were computed."""
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
    """Make the HNSW index of this dimension if it is missing."""
    name = f"ix_chunk_vector_hnsw_{int(dimension)}"
    if dimension > _MAX_INDEXED_DIMENSION or await session.scalar(text("SELECT to_regclass(:name)"), {"name": name}):
        return
    await session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _INDEX_LOCK})
    await session.execute(
        text(
            f"CREATE INDEX IF NOT EXISTS {name} ON chunk_vector USING hnsw "
            f"((vector::halfvec({int(dimension)})) halfvec_cosine_ops) WHERE dimension = {int(dimension)}"
        )
    )


def _searched_documents(owner_id: UUID) -> Select[UUID]:
    """The account's documents; its sample ones only as long as it has trained none of its own."""
    own = aliased(Document)
    has_own = exists().where(own.owner_id == owner_id, own.is_sample.is_(False), own.state == DocumentState.TRAINED)
    return select(Document.id).where(Document.owner_id == owner_id, or_(Document.is_sample.is_(False), ~has_own))


async def search_chunks(
    session: AsyncSession, owner_id: UUID, query: str, vector: Vectors, *, model_id: str, limit: int, depth: int = 50
) -> list[Passage]:
    """The best chunks by meaning and by words, fused by rank."""
    by_meaning = await _nearest(session, owner_id, vector, model_id=model_id, limit=depth)
    by_words = await _matching(session, owner_id, query, model_id=model_id, limit=depth)
    points: dict[UUID, float] = {}
    for ranking in (by_meaning, by_words):
        for rank, chunk_id in enumerate(ranking, start=1):
            points[chunk_id] = points.get(chunk_id, 0.0) + 1 / (_FUSION + rank)
    best = sorted(points, key=lambda chunk_id: (-points[chunk_id], str(chunk_id)))[:limit]
    return await _passages(session, owner_id, best, vector, model_id=model_id)


async def _nearest(session: AsyncSession, owner_id: UUID, vector: Vectors, *, model_id: str, limit: int) -> list[UUID]:
    dimension = len(vector)
    mine = (
        select(ChunkVector.chunk_id, ChunkVector.vector)
        .join(Chunk, Chunk.id == ChunkVector.chunk_id)
        .where(ChunkVector.owner_id == owner_id, ChunkVector.model_id == model_id, ChunkVector.dimension == dimension)
        .where(Chunk.document_id.in_(_searched_documents(owner_id)))
    )
    count = await session.scalar(
        select(func.count()).select_from(
            select(ChunkVector.chunk_id)
            .where(ChunkVector.owner_id == owner_id, ChunkVector.model_id == model_id)
            .limit(_EXACT_LIMIT)
            .subquery()
        )
    )
    if (count or 0) < _EXACT_LIMIT or dimension > _MAX_INDEXED_DIMENSION:
        # Without the cast of the index's expression, so that the planner cannot take the index.
        every = mine.subquery()
        distance = every.c.vector.op("<=>", return_type=Float())(cast(HalfVector(vector), HALFVEC(dimension)))
        return list(await session.scalars(select(every.c.chunk_id).order_by(distance).limit(limit)))
    await session.execute(text(f"SET LOCAL hnsw.ef_search = {_EF_SEARCH}"))
    await session.execute(text("SET LOCAL hnsw.iterative_scan = strict_order"))
    distance = cast(ChunkVector.vector, HALFVEC(dimension)).op("<=>", return_type=Float())(
        cast(HalfVector(vector), HALFVEC(dimension))
    )
    return list(await session.scalars(mine.with_only_columns(ChunkVector.chunk_id).order_by(distance).limit(limit)))


async def _matching(session: AsyncSession, owner_id: UUID, query: str, *, model_id: str, limit: int) -> list[UUID]:
    english = text("'english'")
    # A question rarely stands in a passage whole: any of its words counts, the rank rewards many.
    words = func.replace(cast(func.plainto_tsquery(english, query), type_=Chunk.text.type), " & ", " | ")
    asked = func.to_tsquery(english, words)
    rank = func.ts_rank_cd(Chunk.search, asked, 1)
    found = (
        select(Chunk.id)
        .where(Chunk.owner_id == owner_id, Chunk.search.op("@@")(asked))
        .where(Chunk.document_id.in_(_searched_documents(owner_id)))
        .where(exists().where(ChunkVector.chunk_id == Chunk.id, ChunkVector.model_id == model_id))
        .order_by(rank.desc(), Chunk.id)
        .limit(limit)
    )
    return list(await session.scalars(found))


async def _passages(
    session: AsyncSession, owner_id: UUID, chunk_ids: Sequence[UUID], vector: Vectors, *, model_id: str
) -> list[Passage]:
    distance = ChunkVector.vector.op("<=>", return_type=Float())(cast(HalfVector(vector), HALFVEC(len(vector))))
    rows = await session.execute(
        select(Chunk, Document.title, distance)
        .join(Document, Document.id == Chunk.document_id)
        .join(ChunkVector, ChunkVector.chunk_id == Chunk.id)
        .where(Chunk.owner_id == owner_id, Chunk.id.in_(chunk_ids), ChunkVector.model_id == model_id)
    )
    found = {
        chunk.id: Passage(
            id=chunk.id,
            document_id=chunk.document_id,
            document_title=title,
            heading=chunk.heading,
            page=chunk.page,
            text=chunk.text,
            score=round(1 - float(away), 4),
            start=chunk.start_offset,
            end=chunk.end_offset,
        )
        for chunk, title, away in rows
    }
    return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]


async def list_trained_models(session: AsyncSession, owner_id: UUID) -> list[str]:
    query = select(ChunkVector.model_id).where(ChunkVector.owner_id == owner_id).distinct()
    return list(await session.scalars(query))


async def get_passage(session: AsyncSession, owner_id: UUID, chunk_id: UUID) -> PassageInContext:
    start = func.greatest(Chunk.start_offset - _CONTEXT_CHARACTERS, 0)
    before = func.substr(Document.text, start + 1, Chunk.start_offset - start)
    after = func.substr(Document.text, Chunk.end_offset + 1, _CONTEXT_CHARACTERS)
    row = (
        await session.execute(
            select(Chunk, Document.title, before, after)
            .join(Document, Document.id == Chunk.document_id)
            .where(Chunk.owner_id == owner_id, Chunk.id == chunk_id)
        )
    ).one_or_none()
    if row is None:
        raise NotFound("The passage")
    chunk, title, text_before, text_after = row
    return PassageInContext(
        id=chunk.id,
        document_id=chunk.document_id,
        document_title=title,
        heading=chunk.heading,
        page=chunk.page,
        before=text_before or "",
        text=chunk.text,
        after=text_after or "",
        start=chunk.start_offset,
        end=chunk.end_offset,
    )


def _runs(owner_id: UUID) -> Select[TrainingRun, Job]:
    return select(TrainingRun, Job).join(Job, Job.id == TrainingRun.job_id).where(TrainingRun.owner_id == owner_id)


async def get_run(session: AsyncSession, owner_id: UUID, run_id: UUID) -> tuple[TrainingRun, Job]:
    query = _runs(owner_id).where(TrainingRun.id == run_id).execution_options(populate_existing=True)
    row = (await session.execute(query)).one_or_none()
    if row is None:
        raise NotFound("The training run")
    return row[0], row[1]


async def list_runs(session: AsyncSession, owner_id: UUID, request: PageRequest) -> tuple[list[tuple[TrainingRun, Job]], int]:
    columns: dict[str, ColumnElement[Any]] = {
        "state": Job.state.expression,
        "documents": TrainingRun.documents.expression,
        "chunks": TrainingRun.chunks.expression,
        "duration_s": Job.ended_at - Job.started_at,
        "created_at": TrainingRun.created_at.expression,
    }
    order = columns.get(request.sort_field)
    ordered = (
        TrainingRun.created_at.desc()
        if order is None
        else order.desc().nulls_last()
        if request.is_descending
        else order.asc().nulls_last()
    )
    query = _runs(owner_id).order_by(ordered, TrainingRun.id).offset(request.offset).limit(request.page_size)
    query = query.execution_options(populate_existing=True)
    total = await session.scalar(select(func.count()).select_from(_runs(owner_id).with_only_columns(TrainingRun.id).subquery()))
    return [(run, job) for run, job in await session.execute(query)], total or 0


async def find_run_for_job(session: AsyncSession, owner_id: UUID, run_id: UUID) -> TrainingRun | None:
    """The run a job works on, locked."""
    return await session.scalar(
        select(TrainingRun)
        .where(TrainingRun.owner_id == owner_id, TrainingRun.id == run_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )

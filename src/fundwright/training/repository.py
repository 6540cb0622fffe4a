"""Every query of training. Each begins with the owner: nobody reaches another account's documents, chunks or vectors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from pgvector import HalfVector
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    CTE,
    ColumnElement,
    Float,
    Numeric,
    Select,
    Text,
    Uuid,
    and_,
    cast,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, TSQUERY, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from fundwright.core import database
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.language.protocols import Vectors
from fundwright.training.chunking import ChunkedDocument
from fundwright.training.models import Chunk, ChunkVector, Document, TrainingRun
from fundwright.training.schemas import DocumentState, Passage, PassageInContext

_EXACT_LIMIT = 20_000
"""Accounts with fewer vectors are searched exactly: as fast as the index, and an owner filter cannot cost recall."""
_EF_SEARCH = 100
_MAX_INDEXED_DIMENSION = 4_000  # what pgvector's HNSW takes of halfvec
_CONTEXT_CHARACTERS = 1_500
_LENGTH_WEIGHT = 16
"""`ts_rank` divided by 1 + the logarithm of the number of unique words. On Cranfield better than `ts_rank_cd` (nDCG@10 .33 against
.30, fused .41 against .39) and a quarter of its time: cover density looks at every pair of places."""
_FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009, https://doi.org/10.1145/1571941.1572114)."""


def _documents(owner_id: UUID) -> Select[Document]:
    return select(Document).where(Document.owner_id == owner_id)


async def get_document(session: AsyncSession, owner_id: UUID, document_id: UUID) -> Document:
    document = await session.scalar(_documents(owner_id).where(Document.id == document_id))
    if document is None:
        raise NotFound(t("The document"))
    return document


async def find_document_by_content(session: AsyncSession, owner_id: UUID, sha256: str) -> Document | None:
    return await session.scalar(_documents(owner_id).where(Document.sha256 == sha256))


async def list_titles_like(session: AsyncSession, owner_id: UUID, title: str, beginning: str) -> set[str]:
    """Titles of the account that are `title` or begin with `beginning`. Nobody else adds documents to it until the end of the
    transaction, so that what is not among them stays free."""
    await database.acquire_lock(session, f"documents:{owner_id}")
    alike = or_(Document.title == title, Document.title.startswith(beginning, autoescape=True))
    return set(await session.scalars(select(Document.title).where(Document.owner_id == owner_id, alike)))


async def own_documents(session: AsyncSession, owner_id: UUID) -> tuple[int, int]:
    """How many the account has added itself, and their bytes; the sample is a gift."""
    own = select(func.count(), func.coalesce(func.sum(Document.size_bytes), 0))
    count, size_bytes = (await session.execute(own.where(Document.owner_id == owner_id, Document.is_sample.is_(False)))).one()
    return count, int(size_bytes)


async def list_used_content(session: AsyncSession, names: Collection[str]) -> Collection[str]:
    return (await session.scalars(select(Document.sha256).where(Document.sha256.in_(names)).distinct())).all()


async def list_documents(
    session: AsyncSession, owner_id: UUID, request: PageRequest, *, only: Sequence[UUID] | None = None
) -> tuple[list[Document], int]:
    """Newest first by default. With `only`, those of the given documents that the account has, in the given order by default."""
    query, usual = _documents(owner_id), Document.created_at.desc()
    if only is not None:
        wanted = func.unnest(literal(list(only), ARRAY(Uuid))).table_valued("id", with_ordinality="place").render_derived()
        query, usual = query.join(wanted, wanted.c.id == Document.id), wanted.c.place.asc()
    columns: dict[str, ColumnElement[Any]] = {
        "title": func.lower(Document.title),
        "state": Document.state.expression,
        "size_bytes": Document.size_bytes.expression,
        "chunk_count": Document.chunk_count.expression,
        "created_at": Document.created_at.expression,
        "trained_at": Document.trained_at.expression,
    }
    order = columns.get(request.sort_field)
    ordered = usual if order is None else order.desc().nulls_last() if request.is_descending else order.asc().nulls_last()
    total = await session.scalar(select(func.count()).select_from(query.subquery())) or 0
    rows = await session.scalars(query.order_by(ordered, Document.id).offset(request.offset).limit(request.page_size))
    return list(rows), total


async def list_all(session: AsyncSession, owner_id: UUID) -> list[Document]:
    """Oldest first."""
    return list(await session.scalars(_documents(owner_id).order_by(Document.created_at, Document.id)))


async def text_of(session: AsyncSession, owner_id: UUID, document_id: UUID) -> str | None:
    return await session.scalar(select(Document.text).where(Document.owner_id == owner_id, Document.id == document_id))


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
    wanted = literal(list(document_ids), ARRAY(Uuid))
    known = set(await session.scalars(select(Document.id).where(Document.owner_id == owner_id, Document.id == func.any(wanted))))
    return [document_id for document_id in document_ids if document_id in known]


async def count_outdated(session: AsyncSession, owner_id: UUID, model_id: str) -> int:
    """Trained documents whose vectors are of another model."""
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


async def save_trained(session: AsyncSession, owner_id: UUID, document_id: UUID, *, model_id: str, chunk_count: int) -> None:
    """Mark a document as trained with this model; vectors of other models are dropped."""
    chunks = select(Chunk.id).where(Chunk.owner_id == owner_id, Chunk.document_id == document_id)
    await session.execute(delete(ChunkVector).where(ChunkVector.chunk_id.in_(chunks), ChunkVector.model_id != model_id))
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
    # One array, because a statement takes no more than 65 535 parameters.
    kept = literal([row["id"] for row in rows], ARRAY(Uuid))
    await session.execute(
        delete(Chunk).where(Chunk.owner_id == owner_id, Chunk.document_id == document_id, Chunk.id != func.all(kept))
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


async def count_embedded(session: AsyncSession, owner_id: UUID, document_id: UUID, model_id: str) -> tuple[int, int]:
    """How many passages of a document have a vector of this model, and how many there are."""
    query = (
        select(func.count(ChunkVector.chunk_id), func.count())
        .select_from(Chunk)
        .outerjoin(ChunkVector, and_(ChunkVector.chunk_id == Chunk.id, ChunkVector.model_id == model_id))
        .where(Chunk.owner_id == owner_id, Chunk.document_id == document_id)
    )
    embedded, count = (await session.execute(query)).one()
    return embedded, count


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
    await database.acquire_lock(session, "chunk_vector index")
    await session.execute(
        text(
            f"CREATE INDEX IF NOT EXISTS {name} ON chunk_vector USING hnsw "
            f"((vector::halfvec({int(dimension)})) halfvec_cosine_ops) WHERE dimension = {int(dimension)}"
        )
    )


async def refresh_statistics(session: AsyncSession) -> None:
    """For the end of a run, so that questions are answered quickly at once."""
    await database.refresh_statistics(session, Document, Chunk, ChunkVector)


def _searched_documents(owner_id: UUID) -> Select[UUID]:
    """The account's documents; its sample ones only as long as it has trained none of its own."""
    own = aliased(Document)
    has_own = exists().where(own.owner_id == owner_id, own.is_sample.is_(False), own.state == DocumentState.TRAINED)
    return select(Document.id).where(Document.owner_id == owner_id, or_(Document.is_sample.is_(False), ~has_own))


async def has_vectors(session: AsyncSession, owner_id: UUID, model_id: str) -> bool:
    """Whether any searched document of the account has vectors of this model."""
    found = (
        select(ChunkVector.chunk_id)
        .join(Chunk, Chunk.id == ChunkVector.chunk_id)
        .where(
            ChunkVector.owner_id == owner_id,
            ChunkVector.model_id == model_id,
            Chunk.document_id.in_(_searched_documents(owner_id)),
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
    least_similarity: float,
    limit: int,
    depth: int = 50,
) -> list[Passage]:
    """The best chunks by meaning and by words, fused by rank, without those whose similarity is below `least_similarity`."""
    asked = cast(HalfVector(vector), HALFVEC(len(vector)))
    is_indexed = await _is_index_worthwhile(session, owner_id, model_id=model_id, dimension=len(vector))
    words = await _any_of_its_words(session, query)
    searched = select(_searched_documents(owner_id).cte("searched").c.id)
    by_meaning = _nearest(owner_id, asked, model_id=model_id, dimension=len(vector), is_indexed=is_indexed)
    by_words = _matching(owner_id, words, model_id=model_id)
    by_meaning, by_words = (found.where(Chunk.document_id.in_(searched)).limit(depth) for found in (by_meaning, by_words))
    near, said = (_ranked(found, name) for found, name in ((by_meaning, "near"), (by_words, "said")))
    chunk_id = func.coalesce(near.c.id, said.c.id)
    points = sum((func.coalesce(1.0 / (_FUSION + ranking.c.rank), 0.0) for ranking in (near, said)), literal(0.0))
    distance = ChunkVector.vector.op("<=>", return_type=Float())(asked)
    found = await session.execute(
        select(
            Chunk.id,
            Chunk.document_id,
            Document.title.label("document_title"),
            Chunk.heading,
            Chunk.page,
            Chunk.text,
            func.round(cast(1 - distance, Numeric), 4).label("score"),
            Chunk.start_offset.label("start"),
            Chunk.end_offset.label("end"),
        )
        .select_from(near.outerjoin(said, near.c.id == said.c.id, full=True))
        .join(Chunk, Chunk.id == chunk_id)
        .join(Document, Document.id == Chunk.document_id)
        .join(ChunkVector, and_(ChunkVector.chunk_id == Chunk.id, ChunkVector.model_id == model_id))
        .where(Chunk.owner_id == owner_id, 1 - distance >= least_similarity)
        .order_by(points.desc(), Chunk.id)
        .limit(limit)
    )
    return [Passage.model_validate(row) for row in found.mappings()]


def _ranked(found: Select[UUID, float], name: str) -> CTE:
    """`found` selects id and worth, the more the better; answers id and rank from 1."""
    best = found.cte(f"best_{name}")
    return select(best.c.id, func.row_number().over(order_by=(best.c.worth.desc(), best.c.id)).label("rank")).cte(name)


async def _is_index_worthwhile(session: AsyncSession, owner_id: UUID, *, model_id: str, dimension: int) -> bool:
    if dimension > _MAX_INDEXED_DIMENSION:
        return False
    mine = select(ChunkVector.chunk_id).where(ChunkVector.owner_id == owner_id, ChunkVector.model_id == model_id)
    if await session.scalar(mine.offset(_EXACT_LIMIT).limit(1)) is None:
        return False
    await session.execute(
        text("SELECT set_config('hnsw.ef_search', :ef, true), set_config('hnsw.iterative_scan', 'strict_order', true)"),
        {"ef": str(_EF_SEARCH)},
    )
    return True


def _nearest(
    owner_id: UUID, asked: ColumnElement[Any], *, model_id: str, dimension: int, is_indexed: bool
) -> Select[UUID, float]:
    # Only with the cast of the index's expression can the planner take the index.
    vector = cast(ChunkVector.vector, HALFVEC(dimension)) if is_indexed else ChunkVector.vector
    distance = vector.op("<=>", return_type=Float())(asked)
    return (
        select(ChunkVector.chunk_id.label("id"), (-distance).label("worth"))
        .join(Chunk, Chunk.id == ChunkVector.chunk_id)
        .where(ChunkVector.owner_id == owner_id, ChunkVector.model_id == model_id, ChunkVector.dimension == dimension)
        .order_by(distance)
    )


async def _any_of_its_words(session: AsyncSession, query: str) -> str:
    """A question rarely stands in a passage whole: any of its words counts, the rank rewards many."""
    found = func.plainto_tsquery(text("'english'"), query)
    return await session.scalar(select(func.replace(cast(found, Text), " & ", " | "))) or ""


def _matching(owner_id: UUID, words: str, *, model_id: str) -> Select[UUID, float]:
    # The planner sees a constant: of a subquery it would expect a few passages where there are thousands.
    asked = cast(words, TSQUERY)
    worth = func.ts_rank(Chunk.search, asked, _LENGTH_WEIGHT, type_=Float()).label("worth")
    embedded = select(ChunkVector.chunk_id).where(ChunkVector.owner_id == owner_id, ChunkVector.model_id == model_id)
    return (
        select(Chunk.id, worth)
        .where(Chunk.owner_id == owner_id, Chunk.search.op("@@")(asked), Chunk.id.in_(embedded))
        .order_by(worth.desc(), Chunk.id)
    )


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
        raise NotFound(t("The passage"))
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
        raise NotFound(t("The training run"))
    return row[0], row[1]


async def find_underway_run(
    session: AsyncSession, owner_id: UUID, document_ids: Sequence[UUID]
) -> tuple[TrainingRun, Job] | None:
    """The run that waits or runs, was not canceled, and trains all of these documents; not one in which one of them has failed. Nobody
    else who asks gets past this call until the end of the transaction, so that two who find none do not both add one."""
    await database.acquire_lock(session, f"training_runs:{owner_id}")
    query = _runs(owner_id).where(
        Job.state.in_((JobState.QUEUED, JobState.RUNNING)),
        Job.cancel_requested.is_(False),
    )
    wanted = {str(document_id) for document_id in document_ids}
    for run, job in await session.execute(query.order_by(TrainingRun.created_at)):
        if wanted <= set(run.document_ids) and wanted.isdisjoint(failure["document_id"] for failure in run.failed):
            return run, job
    return None


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

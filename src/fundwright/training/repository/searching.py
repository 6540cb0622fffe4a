"""Passages by words and by meaning."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

import numpy as np
from pgvector import HalfVector
from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    ColumnElement,
    Integer,
    Numeric,
    Select,
    Uuid,
    and_,
    case,
    cast,
    column,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    true,
    values,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.language import retrieval, search_sql
from fundwright.language.protocols import Vectors
from fundwright.language.retrieval import Statistics, Weights
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.lines import Aside
from fundwright.training.models import Chunk, ChunkVector, ChunkWord, Document
from fundwright.training.repository import filters
from fundwright.training.schemas import DocumentState, NearestPassage, Passage

_CANDIDATES = 3_000
"""In workspaces with more chunks, about this many are scored by words: those with the rarest words."""
_MAX_NAMED = 24
"""At most this many further chunks with what a question names are read, those with most of the question's words."""
_EXACT_LIMIT = 5_000
"""Accounts with fewer vectors are searched exactly, which is as fast as the index, and the owner filter cannot reduce recall."""


async def has_vectors(session: AsyncSession, owner_id: UUID, model_id: str) -> bool:
    """Whether any searched document of the workspace has vectors of this model."""
    found = (
        select(ChunkVector.chunk_id)
        .join(Chunk, Chunk.id == ChunkVector.chunk_id)
        .where(
            ChunkVector.owner_id == owner_id,
            ChunkVector.model_id == model_id,
            Chunk.document_id.not_in(await filters.hidden_documents(session, owner_id)),
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
    with_boxes: bool = False,
) -> list[Passage]:
    """Return the chunks that answer a question best, best first, see `retrieval`. If documents and kinds are given, only these are
    searched. What is no statement of its document is searched only `with_asides`. Further chunks with all words of one of the
    `named`, and `with_boxes` that are not checked, come last."""
    lexemes = dict((await session.execute(_lexemes_of(query))).all())
    statistics = await _statistics(session, owner_id, [retrieval.place_of(lexeme) for lexeme in lexemes])
    words = retrieval.weigh(lexemes, statistics)
    hidden = literal(await filters.hidden_documents(session, owner_id, document_ids, kinds), ARRAY(Uuid))
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
    if named or with_boxes:
        has_words = [search_sql.has_all(Chunk.search.expression, each) for each in named]
        has_one = or_(*has_words, *([Chunk.aside == Aside.BOX] if with_boxes else []))
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
        ~filters.is_replaced(),
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
    hidden = literal(await filters.hidden_documents(session, owner_id), ARRAY(Uuid))
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
            case((filters.replaces(), Document.created_at)).label("document_date"),
            Document.dated,
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

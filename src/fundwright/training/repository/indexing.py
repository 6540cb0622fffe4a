"""What reading a document saves: its structure, passages, their words, and their embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import (
    ColumnElement,
    Date,
    Integer,
    Uuid,
    and_,
    case,
    cast,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import database
from fundwright.core.database import now
from fundwright.core.scopes import across_workspaces
from fundwright.language import search_sql
from fundwright.language.protocols import Vectors
from fundwright.language.schemas import heading_text
from fundwright.reading import stored
from fundwright.training.chunking import ChunkedDocument
from fundwright.training.models import Chunk, ChunkVector, ChunkWord, Document
from fundwright.training.schemas import DocumentSource, DocumentState

_MOVED = ("ordinal", "heading", "page", "places", "start_offset", "end_offset", "aside", "search")
"""What may change of a chunk whose text stays the same."""


async def list_untrained_ids(session: AsyncSession, owner_id: UUID, model_id: str) -> list[UUID]:
    """Return the documents without vectors of this model, oldest first."""
    query = (
        select(Document.id)
        .where(Document.owner_id == owner_id)
        .where(or_(Document.state != DocumentState.TRAINED, Document.model_id.is_distinct_from(model_id)))
        .order_by(Document.created_at, Document.id)
    )
    return list(await session.scalars(query))


async def count_outdated(session: AsyncSession, owner_id: UUID, model_id: str) -> int:
    """Count trained documents whose vectors are from another model."""
    query = select(func.count()).where(
        Document.owner_id == owner_id, Document.state == DocumentState.TRAINED, Document.model_id != model_id
    )
    return await session.scalar(query) or 0


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


async def list_digests(session: AsyncSession, owner_id: UUID, document_id: UUID) -> list[tuple[UUID, str]]:
    """Return the ids of the chunks of a document, in order, and the digests of their texts, see `ids_of`."""
    digest = func.encode(func.sha256(func.convert_to(Chunk.text, "UTF8")), "hex")
    query = select(Chunk.id, digest).where(Chunk.owner_id == owner_id, Chunk.document_id == document_id)
    return [(id, found) for id, found in await session.execute(query.order_by(Chunk.ordinal))]


async def save_chunks(
    session: AsyncSession, owner_id: UUID, document_id: UUID, structure: bytes, chunked: ChunkedDocument, ids: Sequence[UUID]
) -> None:
    """Replace the stored form, text, and chunks of a document, and its kind and date unless a person chose them. `ids` are those of the chunks (`ids_of`).
    Chunks whose text is unchanged keep their ids and vectors."""
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
                set_={name: adding.excluded[name] for name in _MOVED},
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

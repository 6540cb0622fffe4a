"""The tables of training: documents, their chunks, and embeddings."""

from __future__ import annotations

from datetime import date, datetime
from typing import TypedDict
from uuid import UUID, uuid4

from pgvector import HalfVector, SparseVector
from pgvector.sqlalchemy import HALFVEC, SPARSEVEC
from sqlalchemy import ARRAY, Computed, ForeignKey, Index, Integer, Text, text
from sqlalchemy.dialects.postgresql import JSONB, TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.core.jobs import StoredMessage
from fundwright.core.json_values import JsonObject
from fundwright.language.retrieval import WORD_DIMENSION
from fundwright.reading.kinds import DocumentKind
from fundwright.training.schemas import DocumentState
from fundwright.trash.models import Trashable, owned_or_trashed


class Document(Trashable, Base):
    """A document. In the trash, it keeps its chunks and vectors, which still name its owner: queries of them leave it out."""

    __tablename__ = "document"
    __table_args__ = (Index("ix_document_owner_id_sha256", "owner_id", "sha256"), owned_or_trashed())

    title: Mapped[str]
    filename: Mapped[str]
    media_type: Mapped[str]
    sha256: Mapped[str] = mapped_column(index=True)
    size_bytes: Mapped[int]
    source: Mapped[str]
    is_sample: Mapped[bool] = mapped_column(default=False)
    kind: Mapped[str] = mapped_column(default=DocumentKind.ABOUT_US)
    is_kind_chosen: Mapped[bool] = mapped_column(default=False)
    """Whether a person chose the kind, which no run then changes."""
    dated: Mapped[date | None]
    """See `reading.dates`."""
    is_date_chosen: Mapped[bool] = mapped_column(default=False)
    """Whether a person chose the date, which no run then changes."""
    is_always_used: Mapped[bool] = mapped_column(default=False)
    """Whether a person lets drafts use it although they would leave it out."""
    state: Mapped[str] = mapped_column(default=DocumentState.WAITING)
    error: Mapped[str | None] = mapped_column(StoredMessage)
    text: Mapped[str | None] = mapped_column(deferred=True)
    """The extracted text; the offsets of chunks count its characters."""
    structure: Mapped[bytes | None] = mapped_column(deferred=True)
    """The stored form of the document, see `reading.stored`."""
    structure_key: Mapped[str | None]
    """The version of reading and the content that `structure` is of. Without a content, that version could not read the document, and `structure`
    is of an earlier one."""
    report: Mapped[JsonObject | None] = mapped_column(JSONB(none_as_null=True))
    """See `ReadingReport`."""
    page_labels: Mapped[list[str] | None] = mapped_column(ARRAY(Text), deferred=True)
    """What the file calls its pages, if these are not their numbers."""
    sketch: Mapped[list[int] | None] = mapped_column(ARRAY(Integer), deferred=True)
    """See `sketches`."""
    resembles: Mapped[UUID | None] = mapped_column(ForeignKey("document.id", ondelete="SET NULL"), index=True)
    """The earlier document of which this one seems to be a new version, until a person decides."""
    replaced_by: Mapped[UUID | None] = mapped_column(ForeignKey("document.id", ondelete="SET NULL"), index=True)
    """Its newest version, once a person has replaced it."""
    chunk_count: Mapped[int] = mapped_column(default=0)
    model_id: Mapped[str | None]
    """The embedding model of the last run that read it."""
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """The account that added it; None for samples, and once the account is deleted."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    trained_at: Mapped[datetime | None]


class DocumentCollection(Trashable, Base):
    """A named group of documents. Which documents are in it is kept with restrictions, because they apply to its documents, too. In the
    trash, it keeps them, unless they are moved to another one."""

    __tablename__ = "collection"
    __table_args__ = (owned_or_trashed(),)

    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None once the account is deleted."""
    created_at: Mapped[datetime] = mapped_column(default=now)


class Chunk(Base):
    """About 180 words of a document. The id is derived from position and text, and a chunk with the same text keeps it when the document is trained
    again."""

    __tablename__ = "chunk"
    # With pending index entries, a search would read all chunks.
    __table_args__ = (
        Index("ix_chunk_search", "search", postgresql_using="gin", postgresql_with={"fastupdate": "off"}),
        Index("ix_chunk_aside", "owner_id", postgresql_where=text("aside IS NOT NULL")),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    document_id: Mapped[UUID] = mapped_column(ForeignKey("document.id", ondelete="CASCADE"), index=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    ordinal: Mapped[int]
    heading: Mapped[tuple[str, ...]] = mapped_column(ARRAY(Text, as_tuple=True))
    page: Mapped[int | None]
    places: Mapped[list[tuple[int, list[str], int | None]]] = mapped_column(JSONB, default=list)
    """(start, heading, page) of each part under its own heading or on its own page. Empty if there is only one."""
    start_offset: Mapped[int]
    end_offset: Mapped[int]
    text: Mapped[str]
    aside: Mapped[str | None]
    """Why it is no statement of the document, see `Aside`."""
    search: Mapped[str] = mapped_column(TSVECTOR, deferred=True)
    words: Mapped[SparseVector] = mapped_column(
        SPARSEVEC(WORD_DIMENSION), Computed("word_weights(search, 110)", persisted=True), deferred=True
    )
    """The weight of each word. A typical chunk has 110 words that count."""


class ChunkWord(Base):
    """The number of a workspace's chunks with a word, as of the end of its last run. Place -1 counts all chunks."""

    __tablename__ = "chunk_word"

    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    chunks: Mapped[int]


class ChunkVector(Base):
    """Each dimension has its own HNSW index, which the first run that needs it creates."""

    __tablename__ = "chunk_vector"
    __table_args__ = (Index("ix_chunk_vector_owner_id_model_id", "owner_id", "model_id"),)

    chunk_id: Mapped[UUID] = mapped_column(ForeignKey("chunk.id", ondelete="CASCADE"), primary_key=True)
    model_id: Mapped[str] = mapped_column(primary_key=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    dimension: Mapped[int]
    vector: Mapped[HalfVector] = mapped_column(HALFVEC())


class FailureRecord(TypedDict):
    """Why a run could not read a document, as stored. See `DocumentFailure`."""

    document_id: str
    title: str
    reason: str


class TrainingRun(Base):
    __tablename__ = "training_run"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    job_id: Mapped[UUID | None] = mapped_column(unique=True)
    document_ids: Mapped[list[str]] = mapped_column(JSONB)
    documents: Mapped[int] = mapped_column(default=0)
    chunks: Mapped[int] = mapped_column(default=0)
    failed: Mapped[list[FailureRecord]] = mapped_column(JSONB, default=list)
    model_id: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=now)

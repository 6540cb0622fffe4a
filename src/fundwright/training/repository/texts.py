"""What documents state: whole texts, and passages with the text around them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright.core.messages import t
from fundwright.reading.kinds import DocumentKind
from fundwright.training.models import Chunk, Document
from fundwright.training.repository import filters
from fundwright.training.schemas import DocumentState, DocumentText, PassageInContext, PassagePlace
from fundwright.trash import repository as trash

_CONTEXT_CHARACTERS = 1_500


async def text_of(session: AsyncSession, owner_id: UUID, document_id: UUID) -> str | None:
    """Return the extracted text of a document, also of one in the trash."""
    own = or_(Document.owner_id == owner_id, trash.in_trash_of(owner_id, Document))
    return await session.scalar(select(Document.text).where(own, Document.id == document_id))


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
    hidden = await filters.hidden_documents(session, owner_id, document_ids, kinds)
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
    documents = await session.execute(_texts(_statements()).where(Document.id.in_(chunks)))
    return [_document_text(row, tuple(chunks[row[0]])) for row in documents]


_TextRow = tuple[UUID, str, str, date | None, bool, str]


def _texts(text: ColumnElement[str]) -> Select[*_TextRow]:
    """Documents with this text of each, oldest first."""
    document = Document
    columns = (document.id, document.title, document.kind, document.dated, document.is_always_used)
    return select(*columns, func.coalesce(text, "")).order_by(document.created_at, document.title, document.id)


def _document_text(row: Row[*_TextRow], passages: tuple[PassagePlace, ...] = ()) -> DocumentText:
    document_id, title, kind, dated, is_always_used, text = row
    return DocumentText(
        id=document_id,
        title=title,
        kind=DocumentKind(kind),
        dated=dated,
        is_always_used=is_always_used,
        text=text,
        passages=passages,
    )


async def read_openings(
    session: AsyncSession, owner_id: UUID, *, kinds: Collection[DocumentKind], characters: int, most_characters: int
) -> list[DocumentText]:
    """Like `read_documents`, with the first characters of each document and without its passages."""
    hidden = await filters.hidden_documents(session, owner_id, None, kinds)
    length = func.least(func.length(Document.text), characters)
    before = func.sum(length).over(order_by=(Document.created_at.desc(), Document.id)) - length
    newest = (
        select(Document.id.label("id"), before.label("before"))
        .where(Document.owner_id == owner_id, Document.state == DocumentState.TRAINED, Document.text.is_not(None))
        .where(Document.id.not_in(hidden))
        .subquery()
    )
    opening = func.substr(_statements(), 1, characters)
    documents = await session.execute(
        _texts(opening).join(newest, newest.c.id == Document.id).where(newest.c.before < most_characters)
    )
    return [_document_text(row) for row in documents]


async def read_beginnings(
    session: AsyncSession, owner_id: UUID, *, kinds: Collection[DocumentKind], characters: int, limit: int
) -> list[tuple[DocumentKind, str]]:
    """Return the kind and the first characters of the workspace's own trained documents, those about us first, then the newest."""
    rows = await session.execute(
        select(Document.kind, func.substr(_statements(), 1, characters))
        .where(Document.owner_id == owner_id, Document.state == DocumentState.TRAINED, Document.text.is_not(None))
        .where(Document.kind.in_(kinds), Document.is_sample.is_(False), ~filters.is_replaced())
        .order_by((Document.kind == DocumentKind.ABOUT_US).desc(), Document.created_at.desc(), Document.id)
        .limit(limit)
    )
    return [(DocumentKind(kind), beginning) for kind, beginning in rows]


class Unproposed(NamedTuple):
    """A document whose kind nobody chose."""

    id: UUID
    owner_id: UUID | None
    """None for a sample document."""
    sha256: str
    title: str
    filename: str
    text: str


async def list_unproposed(session: AsyncSession, *, after: UUID, limit: int) -> list[Unproposed]:
    """Return documents whose kind nobody chose and that count as about us, in the order of their ids."""
    document = Document
    query = select(
        document.id, document.owner_id, document.sha256, document.title, document.filename, func.coalesce(_statements(), "")
    ).where(
        document.id > after,
        document.is_kind_chosen.is_(False),
        document.kind == DocumentKind.ABOUT_US,
        document.text.is_not(None),
    )
    return [Unproposed(*row) for row in await session.execute(query.order_by(document.id).limit(limit))]


async def set_proposed_kind(session: AsyncSession, document_id: UUID, sha256: str, kind: DocumentKind) -> bool:
    """Set the kind of a document with this content. Return False if a person has chosen a kind, replaced or removed the document in the
    meantime."""
    changed = update(Document).where(Document.id == document_id, Document.sha256 == sha256, Document.is_kind_chosen.is_(False))
    return await session.scalar(changed.values(kind=kind).returning(Document.id)) is not None


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

"""Which documents are versions of others."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import Boolean, Integer, and_, case, false, func, literal, or_, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from fundwright.core.paging import PageRequest
from fundwright.training import sketches
from fundwright.training.models import Document
from fundwright.training.repository import filters
from fundwright.training.schemas import DocumentSource, VersionNote

_RESEMBLANCE = 0.6
"""The share of equal values in their sketches from which on texts are mostly the same."""
_NUMBERED_TITLE = r" \(\d+\)$"


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
        select(Document.id, case((filters.replaces(), Document.created_at)), newer.created_at)
        .outerjoin(newer, and_(newer.id == Document.replaced_by, newer.owner_id == Document.owner_id))
        .where(Document.owner_id == owner_id, Document.id.in_(document_ids))
    )
    notes = {id: VersionNote(added=added, replaced_at=replaced_at) for id, added, replaced_at in await session.execute(query)}
    return {id: note for id, note in notes.items() if note != VersionNote()}

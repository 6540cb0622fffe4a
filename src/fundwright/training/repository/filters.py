"""Conditions that several queries share."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from uuid import UUID

from sqlalchemy import ColumnElement, Select, Uuid, and_, exists, func, literal, or_, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from fundwright.reading.kinds import DocumentKind
from fundwright.training.models import Document
from fundwright.training.schemas import DocumentState
from fundwright.trash import repository as trash
from fundwright.workspaces.restrictions import contained

_OWN = aliased(Document)
"""Kept, because making an alias takes longer than the rest of a query that uses it."""


def documents_of(owner_id: UUID) -> Select[Document]:
    return select(Document).where(Document.owner_id == owner_id)


def contents_of(owner_id: UUID, collection_id: UUID) -> Select[UUID]:
    found = contained(owner_id).subquery()
    return select(found.c.item_id).where(found.c.container_id == collection_id)


def replaces() -> ColumnElement[bool]:
    """Whether a document is the newest version of another."""
    earlier = aliased(Document)
    return exists().where(earlier.replaced_by == Document.id, earlier.owner_id == Document.owner_id)


async def hidden_documents(
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
    unwanted = or_(unwanted, is_replaced())
    if kinds is not None:
        unwanted = or_(unwanted, Document.kind.not_in(kinds))
    hidden = select(Document.id).where(Document.owner_id == owner_id, unwanted)
    return list(await session.scalars(hidden.union_all(select(Document.id).where(trash.in_trash_of(owner_id, Document)))))


@cache
def is_replaced() -> ColumnElement[bool]:
    """Whether a newer version of a document is trained that the actor sees."""
    newer = aliased(Document)
    return exists().where(
        newer.id == Document.replaced_by, newer.owner_id == Document.owner_id, newer.state == DocumentState.TRAINED
    )

"""All queries of notes, limited to the workspace that owns them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.notes.models import Note
from fundwright.notes.schemas import NoteQuery
from fundwright.trash import repository as trash


async def page(session: AsyncSession, owner_id: UUID, query: NoteQuery) -> tuple[Sequence[Note], int]:
    found = select(Note).where(Note.owner_id == owner_id, *_conditions(query))
    columns = {"created_at": Note.created_at, "changed_at": Note.changed_at}
    order = [ordered_by(query, columns, default=Note.changed_at.desc())]
    if not query.sort:
        order.insert(0, Note.is_pinned.desc())
    rows = await session.scalars(
        found.order_by(*order, Note.id).offset(query.offset).limit(query.page_size).execution_options(populate_existing=True)
    )
    return rows.all(), await count_all(session, found)


def _conditions(query: NoteQuery) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if query.text.strip():
        found.append(contains(query.text.strip(), Note.text))
    if query.author is not None:
        found.append(Note.created_by == query.author)
    if query.opportunity is not None:
        found.append(Note.opportunity_id == query.opportunity)
    return found


async def list_authors(session: AsyncSession, owner_id: UUID) -> Sequence[UUID]:
    """Return the accounts that wrote notes of a workspace."""
    authors = select(Note.created_by).where(Note.owner_id == owner_id, Note.created_by.is_not(None)).distinct()
    return [each for each in await session.scalars(authors) if each is not None]


async def add(session: AsyncSession, note: dict[str, object]) -> bool:
    """Return whether there was no note with its id yet."""
    added = insert(Note).values(note).on_conflict_do_nothing(index_elements=[Note.id]).returning(Note.id)
    return await session.scalar(added) is not None


async def get(session: AsyncSession, owner_id: UUID, note_id: UUID, *, is_locked: bool = False) -> Note:
    """With `is_locked`, no other request can change the note until the transaction ends. Raises NotFound, also for another workspace's
    note and for one in the trash."""
    found = select(Note).where(Note.owner_id == owner_id, Note.id == note_id).execution_options(populate_existing=True)
    note = await session.scalar(found.with_for_update() if is_locked else found)
    if note is None:
        raise NotFound(t("The note"))
    return note


async def list_trashed(session: AsyncSession, owner_id: UUID) -> Sequence[Note]:
    """Return the notes in the workspace's trash, oldest first."""
    trashed = select(Note).where(trash.in_trash_of(owner_id, Note))
    return (await session.scalars(trashed.order_by(Note.created_at, Note.id))).all()

"""All queries of the trash. Those of a workspace are limited to its own items."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.trash.models import Trashable, TrashItem
from fundwright.trash.schemas import TrashQuery


def in_trash_of(owner_id: UUID, model: type[Trashable]) -> ColumnElement[bool]:
    """Whether a row of `model` is in the workspace's trash: a condition for queries of other slices."""
    return model.trash_id.in_(select(TrashItem.id).where(TrashItem.owner_id == owner_id))


async def page(session: AsyncSession, owner_id: UUID, query: TrashQuery) -> tuple[Sequence[TrashItem], int]:
    found = select(TrashItem).where(TrashItem.owner_id == owner_id)
    if query.kind:
        found = found.where(TrashItem.kind == query.kind)
    if query.text.strip():
        found = found.where(contains(query.text.strip(), TrashItem.title))
    columns = {"title": func.lower(TrashItem.title), "kind": TrashItem.kind, "trashed_at": TrashItem.trashed_at}
    order = ordered_by(query, columns | {"removed_at": TrashItem.trashed_at}, default=TrashItem.trashed_at.desc())
    rows = await session.scalars(found.order_by(order, TrashItem.id).offset(query.offset).limit(query.page_size))
    return rows.all(), await count_all(session, found)


async def lock(session: AsyncSession, owner_id: UUID, item_id: UUID) -> TrashItem:
    """Raises NotFound, also for another workspace's item."""
    wanted = select(TrashItem).where(TrashItem.owner_id == owner_id, TrashItem.id == item_id)
    item = await session.scalar(wanted.with_for_update().execution_options(populate_existing=True))
    if item is None:
        raise NotFound(t("The item in the trash"))
    return item


async def lock_all(session: AsyncSession, owner_id: UUID, kinds: Collection[str]) -> Sequence[TrashItem]:
    wanted = select(TrashItem).where(TrashItem.owner_id == owner_id, TrashItem.kind.in_(kinds))
    return (await session.scalars(wanted.order_by(TrashItem.id).with_for_update())).all()


async def lock_expired(session: AsyncSession, *, before: datetime, limit: int) -> Sequence[TrashItem]:
    """Return some items of all workspaces that are not being restored at this moment."""
    wanted = select(TrashItem).where(TrashItem.trashed_at < before).order_by(TrashItem.trashed_at, TrashItem.id).limit(limit)
    return (await session.scalars(wanted.with_for_update(skip_locked=True))).all()


async def remove(session: AsyncSession, item_ids: Collection[UUID]) -> None:
    """Remove items, and rows that are still in the trash with them."""
    await session.execute(delete(TrashItem).where(TrashItem.id.in_(item_ids)))

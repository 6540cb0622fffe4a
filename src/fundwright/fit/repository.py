"""Queries of the scores that members give."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.database import acquire_lock
from fundwright.fit.models import FitScore


async def list_of(session: AsyncSession, owner_id: UUID, opportunity_ids: Collection[UUID]) -> dict[UUID, FitScore]:
    """Return the scores of those of the opportunities that have one."""
    found = select(FitScore).where(FitScore.owner_id == owner_id, FitScore.opportunity_id.in_(opportunity_ids))
    return {score.opportunity_id: score for score in await session.scalars(found)}


async def list_all(session: AsyncSession, owner_id: UUID) -> list[FitScore]:
    found = select(FitScore).where(FitScore.owner_id == owner_id)
    return list(await session.scalars(found.order_by(FitScore.changed_at, FitScore.opportunity_id)))


async def lock(session: AsyncSession, owner_id: UUID, opportunity_id: UUID) -> FitScore | None:
    """Return the score. No other request can change it until the transaction ends."""
    await acquire_lock(session, f"fit:{owner_id}:{opportunity_id}")
    return await session.get(FitScore, (owner_id, opportunity_id), populate_existing=True)

"""Queries of profiles."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.database import acquire_lock
from fundwright.profiles.models import OrganizationProfile


async def find(session: AsyncSession, owner_id: UUID) -> OrganizationProfile | None:
    return await session.get(OrganizationProfile, owner_id, populate_existing=True)


async def lock(session: AsyncSession, owner_id: UUID) -> OrganizationProfile | None:
    """Like `find`. No other request can save the profile until the transaction ends."""
    await acquire_lock(session, f"profile:{owner_id}")
    return await find(session, owner_id)

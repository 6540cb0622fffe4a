"""Page views and jobs like those of a running installation."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.jobs import Job, JobState
from fundwright.insights import service
from fundwright.insights.schemas import Viewed
from tests.support.accounts import add_account


async def add_view(session: AsyncSession, path: str, *, by: Actor | None = None, at: datetime | None = None) -> None:
    view = Viewed(path=path, at=at or now(), account_id=by.id if by else None, language="en")
    await service.keep_views(session, [view])


async def add_job(session: AsyncSession, owner: Actor | None, kind: str = "import", **values: Any) -> Job:
    """A job that took a minute, unless `values` say otherwise."""
    at = values.pop("at", now())
    given = {"title": f"The {kind}", "state": JobState.SUCCEEDED, "ended_at": at + timedelta(minutes=1)} | values
    owner_id = owner.id if owner else None
    job = Job(kind=kind, owner_id=owner_id, account_id=owner_id, payload={}, created_at=at, started_at=at, **given)
    session.add(job)
    await session.flush()
    return job


@pytest.fixture
async def root(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, role=Role.ADMIN)

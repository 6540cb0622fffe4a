"""An administrator, and where requests come from."""

from __future__ import annotations

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.identity.schemas import Actor, Client, Role
from tests.conftest import MakeActor

HERE = Client(address="192.0.2.7")


@pytest.fixture
async def admin(session: AsyncSession, make_actor: MakeActor) -> Actor:
    return await make_actor(session, email="admin@example.org", role=Role.ADMIN)


@pytest.fixture
async def boss(committed: Core, make_actor: MakeActor) -> Actor:
    """An administrator in the committed database."""
    async with committed.database.transaction() as session:
        return await make_actor(session, email="boss@example.org", role=Role.ADMIN)


@pytest.fixture
async def ada(committed: Core, make_actor: MakeActor) -> Actor:
    """An account in the committed database."""
    async with committed.database.transaction() as session:
        return await make_actor(session, email="ada@example.org")

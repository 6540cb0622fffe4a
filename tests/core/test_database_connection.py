"""A database server that is frozen: its connections stay open, and nothing arrives over them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from typing import cast

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import text
from sqlalchemy.pool import QueuePool

from fundwright.core import database_connection, health
from fundwright.core.assembly import Core
from fundwright.core.database import Database
from fundwright.core.errors import DatabaseAway
from fundwright.core.fair_loop import work_for
from fundwright.core.web import add_error_handlers
from tests.support.polling import eventually
from tests.support.relays import Relay


@pytest.fixture
async def relay(core: Core) -> AsyncIterator[Relay]:
    async with Relay().to(core.database.url) as relay:
        yield relay


@pytest.fixture
async def database(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """With limits of time that a test can wait for."""
    for limit in ("_SILENT_S", "_PATIENCE_S", "_RETRY_S"):
        monkeypatch.setattr(database_connection, limit, 0.3)
    database = Database(relay.url, pool_size=3)
    yield database
    relay.thaw()
    await database.close()


async def read(database: Database, statement: str = "SELECT 1") -> object:
    async with database.reading() as session:
        return await session.scalar(text(statement))


class TestFrozen:
    async def test_whoever_waits_is_told_soon_and_it_works_again_afterward(self, database: Database, relay: Relay) -> None:
        await read(database)
        relay.freeze()
        async with asyncio.timeout(8):  # a new connection may take five seconds
            answers = await asyncio.gather(*(read(database) for _ in range(20)), return_exceptions=True)
        assert {type(each) for each in answers} == {DatabaseAway}
        relay.thaw()

        async def is_back() -> bool:
            with suppress(DatabaseAway):
                return await read(database) == 1
            return False

        await eventually(is_back)

    async def test_during_a_statement_and_a_party_that_waits_for_its_connections(self, database: Database, relay: Relay) -> None:
        work_for("party")
        slow = [asyncio.create_task(read(database, "SELECT pg_sleep(30)")) for _ in range(6)]
        await eventually(lambda: cast(QueuePool, database.engine.pool).checkedout() == 2)
        relay.freeze()
        async with asyncio.timeout(8):
            answers = await asyncio.gather(*slow, return_exceptions=True)
        assert {type(each) for each in answers} == {DatabaseAway}

    async def test_a_slow_statement_is_not_ended_while_the_server_responds(self, database: Database) -> None:
        assert await read(database, "SELECT 1 FROM pg_sleep(1.5)") == 1

    async def test_health_checks_say_so(
        self, committed: Core, database: Database, relay: Relay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database_connection, "_SILENT_S", 60)
        app = FastAPI()
        app.state.core = replace(committed, database=database, cache={})
        app.include_router(health.router)
        add_error_handlers(app)
        await read(database)
        relay.freeze()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://fundwright.test") as client:
            async with asyncio.timeout(4):
                ready, healthy = await asyncio.gather(client.get("/readyz"), client.get("/api/health"))
        assert ready.json()["checks"] == {"database": "does not accept changes, or did not answer in 3 seconds", "disk": "ok"}
        assert (ready.status_code, healthy.status_code, healthy.json()["error"]["code"]) == (503, 503, "DatabaseAway")

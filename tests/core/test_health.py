from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI

from fundwright.core import health
from fundwright.core.assembly import Core
from fundwright.core.web import add_error_handlers
from tests.support.slow_queries import Gate


async def test_a_database_that_accepts_connections_but_does_not_respond_is_unavailable(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_DATABASE_TIMEOUT_S", 0.05)
    gate = Gate(core.database)
    app = FastAPI()
    app.state.core = replace(core, database=gate)
    app.include_router(health.router)
    add_error_handlers(app)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://fundwright.test") as client:
        gate.close_gate()
        async with asyncio.timeout(10):
            answer = await client.get("/api/health")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "DatabaseAway")
        gate.open_gate()
        monkeypatch.undo()
        assert (await client.get("/api/health")).json() == {"status": "ok"}

"""An API of identity's routes alone, on a database of the test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI

from fundwright.core.assembly import Core
from fundwright.core.web import add_error_handlers
from fundwright.identity import api, security_api, service
from fundwright.identity.api import CurrentActor
from fundwright.identity.schemas import Actor, Client, Role

PASSWORD = "a gentle rain of otters"
HERE = Client(address="192.0.2.7", user_agent="Firefox")


def with_settings(core: Core, **changes: object) -> Core:
    return replace(core, settings=core.settings.model_copy(update=changes))


def build(core: Core) -> FastAPI:
    app = FastAPI()
    app.state.core = core
    app.include_router(api.router)
    app.include_router(security_api.router)
    add_error_handlers(app)

    @app.get("/probe")
    @app.post("/probe")
    async def probe(actor: CurrentActor) -> Actor:
        return actor

    return app


@asynccontextmanager
async def browse(
    core: Core, *, address: str = "192.0.2.7", base_url: str = "http://fundwright.test", same_origin: bool = True
) -> AsyncIterator[httpx.AsyncClient]:
    """A browser (cookies are kept, requests come from our own pages) or, without `same_origin`, a plain program."""
    transport = httpx.ASGITransport(build(core), client=(address, 5_000), raise_app_exceptions=False)
    headers = {"sec-fetch-site": "same-origin"} if same_origin else {}
    async with httpx.AsyncClient(transport=transport, base_url=base_url, headers=headers) as client:
        yield client


@pytest.fixture
async def ada(committed: Core) -> Actor:
    """A committed account with the password `PASSWORD`."""
    async with committed.database.transaction() as session:
        return await service.add_account(session, email="ada@example.org", name="Ada Lovelace", role=Role.USER, password=PASSWORD)


@pytest.fixture
async def visitor(committed: Core) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(committed) as client:
        yield client

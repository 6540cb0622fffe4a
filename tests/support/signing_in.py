"""A person who signs in, and an API with only the routes of accounts, authentication, and access."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI

from fundwright.access import api as access_api
from fundwright.accounts import api as accounts_api
from fundwright.accounts import people_api
from fundwright.accounts.dependencies import CurrentActor
from fundwright.accounts.schemas import Actor, Client
from fundwright.authentication import api, credentials_api, security_api
from fundwright.core.assembly import Core
from fundwright.core.web import add_error_handlers
from tests.support.accounts import add_account

PASSWORD = "a gentle rain of otters"
HERE = Client(address="192.0.2.7", user_agent="Firefox")


def with_settings(core: Core, **changes: object) -> Core:
    return replace(core, settings=core.settings.model_copy(update=changes))


def build(core: Core) -> FastAPI:
    app = FastAPI()
    app.state.core = core
    for module in (api, security_api, credentials_api, accounts_api, people_api, access_api):
        app.include_router(module.router)
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
    """A browser, which keeps cookies and sends requests from our own pages, or, without `same_origin`, a plain program."""
    transport = httpx.ASGITransport(build(core), client=(address, 5_000), raise_app_exceptions=False)
    headers = {"sec-fetch-site": "same-origin"} if same_origin else {}
    async with httpx.AsyncClient(transport=transport, base_url=base_url, headers=headers) as client:
        yield client


@pytest.fixture
async def ada(committed: Core) -> Actor:
    """A committed account with the password `PASSWORD`."""
    async with committed.database.transaction() as session:
        return await add_account(session, "ada@example.org", name="Ada Lovelace", password=PASSWORD)


@pytest.fixture
async def visitor(committed: Core) -> AsyncIterator[httpx.AsyncClient]:
    async with browse(committed) as client:
        yield client

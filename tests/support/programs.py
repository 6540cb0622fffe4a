"""Programs that use the API with a token."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from fastapi import APIRouter, FastAPI

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.authentication import api_tokens
from fundwright.authentication.schemas import TokenScope
from fundwright.core.assembly import Core
from fundwright.core.web import GUARDS, RequestLimitMiddleware, add_error_handlers
from tests.support.accounts import add_account, add_member


def api_of(core: Core, *routers: APIRouter) -> FastAPI:
    """An application with only these routes."""
    app = FastAPI()
    app.state.core = core
    for router in routers:
        app.include_router(router, dependencies=GUARDS)
    app.add_middleware(RequestLimitMiddleware)
    add_error_handlers(app)
    return app


async def add_token(core: Core, actor: Actor, scope: TokenScope = TokenScope.WRITE) -> dict[str, str]:
    """The headers of requests with an API token of the actor."""
    async with core.database.transaction() as session:
        token = await api_tokens.create_api_token(session, actor, core, name="test", scope=scope, lasts_days=1)
    return {"Authorization": f"Bearer {token.secret}"}


@asynccontextmanager
async def program(
    app: FastAPI, actor: Actor | None, *, scope: TokenScope = TokenScope.WRITE, base_url: str = "http://fundwright.test"
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application, with a token if there is an actor."""
    headers = await add_token(app.state.core, actor, scope) if actor else {}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base_url, headers=headers) as client:
        yield client


@asynccontextmanager
async def program_of_new_account(
    app: FastAPI, email: str | None = None, *, role: WorkspaceRole | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    """With a `role`, the account has it in a workspace of someone else, in which the program acts."""
    core: Core = app.state.core
    async with core.database.transaction() as session:
        actor = await (add_member(session, role, email) if role else add_account(session, email))
    async with program(app, actor) as client:
        yield client

"""FastAPI dependencies of all slices: who sends a request, and from where."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Annotated

from fastapi import Depends, Request
from fastapi.requests import HTTPConnection
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.schemas import Actor, Client
from fundwright.core import tokens
from fundwright.core.assembly import Core
from fundwright.core.concurrency import PartyLimiter
from fundwright.core.cookies import device_cookie_name
from fundwright.core.errors import FundwrightError
from fundwright.core.messages import set_language
from fundwright.core.origins import is_silent
from fundwright.core.scopes import act_in
from fundwright.core.web import CoreDep, CsvDownload, csv_download

RequestAuthenticator = Callable[[Core, Request], Awaitable[Actor | None]]
"""Returns the account that sends the request, or None when the request has no credentials of this kind. Raises an error with status 401
or 403 when it has some that are not accepted.

It opens its own transaction: a route may wait for an upload or a language model, and must not hold a connection."""

_REQUESTS_AT_ONCE = 4


class TokenMissing(FundwrightError):
    """The specification defines the text."""

    status = 401

    def __init__(self) -> None:
        super().__init__("Authorization token missing")


def client_of(connection: HTTPConnection) -> Client:
    """Return the address of the peer, or of the client of a trusted proxy. Other X-Forwarded-For headers are ignored."""
    address = connection.client.host if connection.client else ""
    device = connection.cookies.get(device_cookie_name(connection.app.state.core.settings))
    return Client(
        address=address,
        user_agent=connection.headers.get("user-agent", ""),
        is_browser=not is_silent(connection),
        device=tokens.digest(device) if device else "",
    )


async def _client(request: Request) -> Client:
    return client_of(request)


RequestClient = Annotated[Client, Depends(_client)]
"""Return the origin of the request for the audit trail."""


async def current_actor(request: Request, core: CoreDep) -> Actor:
    """Set the language of the account for the response, and act in its scope. Raises TokenMissing, or what the authenticator raises."""
    authenticators: list[RequestAuthenticator] = core.plugins.collect("request_authenticators")
    for authenticate in authenticators:
        actor = await authenticate(core, request)
        if actor is not None:
            act_in(actor.scope)
            if actor.language is not None:
                set_language(actor.language)
            return actor
    raise TokenMissing


Uploader = Annotated[Actor, Depends(current_actor, scope="function")]
"""Like `CurrentActor`, for a request whose body may take minutes to arrive. The route uses `request_slot` once it has the body."""


def request_slot(core: Core, actor: Actor) -> AbstractAsyncContextManager[None]:
    """Limits how many database connections the requests of one account use at a time. Further requests wait before they open one."""
    limiter = core.shared(f"{__name__}.limiter", lambda: PartyLimiter(_REQUESTS_AT_ONCE))
    return limiter.slot(actor.id)


async def _with_request_slot(core: CoreDep, actor: Uploader) -> AsyncIterator[Actor]:
    async with request_slot(core, actor):
        yield actor


CurrentActor = Annotated[Actor, Depends(_with_request_slot, scope="function")]
"""The account that sends the request: by bearer token (a session token or an API token), or else by the session cookie.

Only a few requests of one account are handled at a time; the others wait.
"""


CsvExport = Callable[[str, Callable[[AsyncSession], AsyncIterator[str]]], CsvDownload]


async def _recorded_export(core: CoreDep, actor: CurrentActor, client: RequestClient) -> CsvExport:
    def export(name: str, lines: Callable[[AsyncSession], AsyncIterator[str]]) -> CsvDownload:
        async def recorded(session: AsyncSession) -> AsyncIterator[str]:
            async for line in lines(session):
                yield line
            await audit.record(session, "export", actor=actor, subject=name, client=client)

        return csv_download(core, name, recorded, party=actor.id)

    return export


Export = Annotated[CsvExport, Depends(_recorded_export, scope="function")]
"""Create a CSV file for the actor, like `csv_download`, and record the export in the audit trail before anything is sent."""

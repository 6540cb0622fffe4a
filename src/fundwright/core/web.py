"""What every API route shares: the Core, one transaction per request, one shape of error, one request id."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import uuid4

import structlog
from fastapi import Depends, FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError

log = structlog.get_logger()


def _core(request: Request) -> Core:
    return request.app.state.core


CoreDep = Annotated[Core, Depends(_core)]


async def _session(core: CoreDep) -> AsyncIterator[AsyncSession]:
    async with core.database.transaction() as session:
        yield session


# "function" scope: the transaction ends before the answer is sent, so that who has the answer finds the data.
DbSession = Annotated[AsyncSession, Depends(_session, scope="function")]


def error_body(code: str, message: str, error_id: str | None = None) -> dict[str, object]:
    return {"error": {"code": code, "message": message, "id": error_id}}


def add_error_handlers(app: FastAPI) -> None:
    """Answer every error as `{"error": {"code", "message", "id"}}`; an unexpected one shows its id, never a trace."""

    async def refused(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, FundwrightError)
        return JSONResponse(error_body(type(error).__name__, error.sentence), status_code=error.status)

    async def invalid(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        problems = jsonable_encoder([{"where": e["loc"], "what": e["msg"]} for e in error.errors()])
        first = problems[0]
        where = ".".join(str(part) for part in first["where"])
        body = error_body("Invalid", f"{where}: {first['what']}. Correct it and send the request again.")
        return JSONResponse({**body, "problems": problems}, status_code=422)

    async def unexpected(_request: Request, error: Exception) -> JSONResponse:
        error_id = uuid4().hex[:8]
        log.error("request.failed", error_id=error_id, exc_info=error)
        return JSONResponse(
            error_body("InternalError", f"Something went wrong (error {error_id}). Try again, or report the id.", error_id),
            status_code=500,
        )

    app.add_exception_handler(FundwrightError, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, unexpected)


class RequestId:
    """Gives each request an id: in its log lines and in the `X-Request-Id` header of the answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request_id = uuid4().hex[:16]

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            await self._app(scope, receive, send_with_id)

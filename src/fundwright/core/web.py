"""Shared parts of API routes: the Core, a transaction per request, the format of errors, request ids, and limits."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Generic, NamedTuple, TypeVar
from uuid import uuid4
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from fastapi import Depends, FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ValidationError
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.datastructures import MutableHeaders, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fundwright.core.assembly import Core
from fundwright.core.errors import FundwrightError, Invalid, UnusableText
from fundwright.core.json_values import JsonObject
from fundwright.core.messages import LANGUAGES, Language, number, t, using_language
from fundwright.core.scopes import NOBODY, acting_in

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

log = structlog.get_logger()

_PIECE_BYTES = 1 << 20
_LINES_BYTES = 1 << 14
"""Bytes of a download after which other requests get a turn: rows come a thousand at a time, without waiting in between."""
_DOWNLOADS_WRITTEN_AT_ONCE = 2
_MAX_BODY_BYTES = 1_000_000
"""The maximum size of a request body. Parsing 16 MB of JSON blocked everyone for two seconds."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing (RFC 9110, section 9.2.1)."""
_BODY_LIMIT = "fundwright.max_body_bytes"
_LANGUAGE_COOKIE = "language"
_TIME_ZONE_COOKIE = "time_zone"
_TIME_ZONE = re.compile(r"[A-Za-z0-9_+-]{1,32}(?:/[A-Za-z0-9_+-]{1,32}){0,2}")


def _core(request: Request) -> Core:
    return request.app.state.core


CoreDep = Annotated[Core, Depends(_core)]


async def _session(request: Request, core: CoreDep) -> AsyncIterator[AsyncSession]:
    """For requests that must not change anything: the database refuses writes."""
    async with core.database.reading() if request.method in SAFE_METHODS else core.database.transaction() as session:
        yield session


# "function" scope: the transaction ends before the response is sent, so that its recipient finds the data.
DbSession = Annotated[AsyncSession, Depends(_session, scope="function")]


def refuse_null_characters(request: Request) -> None:
    """A dependency of every API route. Raises UnusableText if the address contains a null character."""
    if b"%00" in request.scope["query_string"] or "\0" in request.scope["path"]:
        raise UnusableText


class ErrorRead(BaseModel):
    """What happened and what to do next. `id` finds an unexpected error in the log."""

    code: str
    message: str
    id: str | None = None


REFUSAL: dict[int | str, dict[str, object]] = {
    "default": {
        "description": "It cannot be done as it was asked, or not now. `problems` lists what is wrong with the request.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {
                        "error": ErrorRead.model_json_schema(),
                        "problems": {"type": "array", "items": {"type": "object"}},
                    },
                }
            }
        },
    }
}
"""`responses` of every route, including routes that return a file: a model here would be described as such a file."""


def error_body(code: str, message: str, error_id: str | None = None) -> dict[str, object]:
    return {"error": {"code": code, "message": message, "id": error_id}}


def strict_transport(scope: Scope) -> dict[str, str]:
    """The HSTS header, if this request came over https or the public URL uses https."""
    core: Core = scope["app"].state.core
    is_https = scope["scheme"] in ("https", "wss") or (core.settings.public_url or "").startswith("https:")
    return {"Strict-Transport-Security": "max-age=31536000"} if is_https else {}


_OURS = "value_error"
"""The type of the error whose sentence one of our own models gives."""


def _what(problem: JsonObject) -> str:
    return str(problem["ctx"]["error"] if problem["type"] == _OURS else problem["msg"])


def add_error_handlers(app: FastAPI) -> None:
    """Return every error as `{"error": {"code", "message", "id"}}`; an unexpected one shows its id, never a trace."""

    async def refused(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, FundwrightError)
        headers = {"Retry-After": str(error.retry_after_s)} if error.retry_after_s else None
        return JSONResponse(error_body(type(error).__name__, error.sentence), status_code=error.status, headers=headers)

    async def invalid(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        problems = jsonable_encoder([{"where": e["loc"], "what": _what(e)} for e in error.errors()])
        first = problems[0]
        where = ".".join(str(part) for part in first["where"])
        is_ours = error.errors()[0]["type"] == _OURS
        sentence = first["what"] if is_ours else f"{where}: {first['what']}. Correct it and send the request again."
        body = error_body("Invalid", sentence)
        return JSONResponse({**body, "problems": problems}, status_code=422)

    async def unanswered(_request: Request, error: Exception) -> JSONResponse:
        """Errors of Starlette itself: no such route, another method, or a body that cannot be read."""
        assert isinstance(error, HTTPException)
        phrase = HTTPStatus(error.status_code).phrase
        body = error_body(phrase.title().replace(" ", ""), f"{error.detail}. See /api/docs for what can be asked.")
        return JSONResponse(body, status_code=error.status_code, headers=error.headers)

    async def gone(_request: Request, _error: Exception) -> Response:
        """The client left before the response was complete: not an error of ours, and nobody reads the response."""
        return Response(status_code=HTTPStatus.BAD_REQUEST)

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        error_id = uuid4().hex[:8]
        log.error("request.failed", error_id=error_id, exc_info=error)
        return JSONResponse(
            error_body(
                "InternalError", t("Something went wrong (error {id}). Try again, or report the error ID.", id=error_id), error_id
            ),
            status_code=500,
            headers=_HEADERS | strict_transport(request.scope),  # answered outside of every middleware
        )

    app.add_exception_handler(FundwrightError, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, unanswered)
    app.add_exception_handler(ClientDisconnect, gone)
    app.add_exception_handler(Exception, unexpected)


class RequestId:
    """Give each request an id, in its log lines and in the `X-Request-Id` header of the response. Until it is authenticated, it acts for
    nobody."""

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

        with structlog.contextvars.bound_contextvars(request_id=request_id), acting_in(NOBODY):
            await self._app(scope, receive, send_with_id)


class LocaleMiddleware:
    """Set the language of each request from its cookie or its `Accept-Language` header."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with using_language(requested_language(HTTPConnection(scope))):
            await self._app(scope, receive, send)


def requested_language(connection: HTTPConnection) -> Language:
    """The language chosen in this browser, or else the first accepted one that is supported."""
    accepted = connection.headers.get("accept-language", "").split(",")
    codes = (part.split(";")[0].strip().split("-")[0].lower() for part in accepted)
    for code in (connection.cookies.get(_LANGUAGE_COOKIE, ""), *codes):
        if code in LANGUAGES:
            return code
    return "en"


def requested_time_zone(connection: HTTPConnection) -> str | None:
    """The browser's time zone, which pages keep in a cookie; None if it is missing or unknown."""
    name = connection.cookies.get(_TIME_ZONE_COOKIE, "")
    try:
        return ZoneInfo(name).key if _TIME_ZONE.fullmatch(name) else None
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return None


class RequestLimitMiddleware:
    """Limit the size of requests, and set security headers on responses."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope[_BODY_LIMIT] = _MAX_BODY_BYTES
        received_bytes = 0

        async def receive_bounded() -> Message:
            nonlocal received_bytes
            message = await receive()
            received_bytes += len(message.get("body", b""))
            if received_bytes > scope[_BODY_LIMIT]:
                raise HTTPException(413, f"The request is larger than {number(scope[_BODY_LIMIT])} bytes")
            return message

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive_bounded, send_marked)


class Received(NamedTuple, Generic[T]):
    """An uploaded file, and the name under which it is stored."""

    filename: str
    kept: T


UPLOAD: dict[str, object] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
"""`openapi_extra` of a route that calls `receive_file`."""


def json_body(model: type[BaseModel]) -> dict[str, object]:
    """`openapi_extra` of a route that calls `receive_json`."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": model.model_json_schema()}}}}


async def receive_json(request: Request, model: type[M], *, max_bytes: int) -> M:
    """Read a body that is larger than most. Raises RequestValidationError.

    A route calls this after it has authenticated the request: a parameter of type `model` would be parsed before.
    """
    request.scope[_BODY_LIMIT] = max_bytes
    content = await request.body()
    try:
        return await asyncio.to_thread(model.model_validate_json, content)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in found]) from error


async def receive_file(
    core: Core,
    request: Request,
    keep: Callable[[AsyncIterator[bytes]], Awaitable[T]],
    *,
    max_bytes: int | None = None,
    otherwise: str = "",
) -> Received[T]:
    """Pass the chunks of form field `file` to `keep`: `core.files.receive`, or `spool` for one job. Raises Invalid.

    A file larger than `max_bytes` (by default the limit in the settings) is refused before any of it is stored; `otherwise` says
    what to do then.

    A route calls this after it has authenticated the request: a parameter of type UploadFile would read the whole body before.
    """
    length = request.headers.get("content-length", "")
    limit = min(core.settings.max_upload_bytes, max_bytes or core.settings.max_upload_bytes)
    if not length.isdecimal() or int(length) > limit + _PIECE_BYTES:
        next_step = otherwise or t("Split the file, or import it from the command line: `fundwright --help`.")
        raise Invalid(t("The upload must state its size, at most {size} bytes. {next_step}", size=limit, next_step=next_step))
    request.scope[_BODY_LIMIT] = int(length)
    async with request.form(max_files=1, max_fields=10) as form:
        upload = form.get("file")
        if not isinstance(upload, UploadFile):
            raise Invalid(t("The upload has no file. Send it as form field `file`."))
        return Received(upload.filename or "upload", await keep(_pieces(upload)))


class CsvDownload(StreamingResponse):
    """A file that is sent after `write` has written all of it, so that a failure is an error and never a truncated file."""

    media_type = "text/csv"

    # FastAPI describes the route by the default of `status_code`.
    def __init__(self, name: str, write: Callable[[IO[bytes]], Awaitable[None]], status_code: int = 200) -> None:
        super().__init__((), status_code, {"Content-Disposition": f'attachment; filename="{name}"'})
        self._write = write

    async def stream_response(self, send: Send) -> None:
        with SpooledTemporaryFile[bytes](max_size=_PIECE_BYTES) as file:
            await self._write(file)
            self.headers["Content-Length"] = str(file.tell())
            file.seek(0)
            self.body_iterator = _read(file)
            await super().stream_response(send)


def csv_download(core: Core, name: str, lines: Callable[[AsyncSession], AsyncIterator[str]]) -> CsvDownload:
    """The file `name`, written line by line in a separate transaction.

    All lines are from the same moment, even though a list is read page by page. A slow client does not hold a database
    connection. Only a few files are written at a time, so that connections remain for everyone else.
    """
    permits = core.shared(f"{__name__}.downloads", lambda: asyncio.Semaphore(_DOWNLOADS_WRITTEN_AT_ONCE))

    async def write(file: IO[bytes]) -> None:
        async with permits, core.database.transaction(is_snapshot=True) as session:
            async for piece in _joined(lines(session)):
                await asyncio.to_thread(file.write, piece)

    return CsvDownload(name, write)


async def _read(file: IO[bytes]) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
        yield piece


async def _joined(lines: AsyncIterator[str]) -> AsyncIterator[bytes]:
    piece = bytearray()
    async for line in lines:
        piece += line.encode()
        if len(piece) >= _LINES_BYTES:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


async def _pieces(upload: UploadFile) -> AsyncIterator[bytes]:
    while piece := await upload.read(_PIECE_BYTES):
        yield piece

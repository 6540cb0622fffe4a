"""Shared parts of API routes: the Core, a transaction per request, the format of errors, request ids, and limits."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Hashable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from functools import partial
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import Annotated, TypeVar, get_origin
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from fastapi import Depends, FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fundwright.core.assembly import Core
from fundwright.core.concurrency import PartyLimiter
from fundwright.core.connections import network_of
from fundwright.core.cookies import LANGUAGE_COOKIE
from fundwright.core.errors import FundwrightError, Invalid, UnusableText
from fundwright.core.fair_loop import work_behind_pages, work_for
from fundwright.core.json_bodies import parse
from fundwright.core.json_values import JsonObject
from fundwright.core.messages import LANGUAGES, Language, number, t, using_language
from fundwright.core.scopes import NOBODY, acting_in
from fundwright.core.turns import Turns

M = TypeVar("M", bound=BaseModel)

log = structlog.get_logger()

_PIECE_BYTES = 1 << 20
_LINES_BYTES = 1 << 14
"""Bytes of a download after which other requests get a turn: rows come a thousand at a time, without waiting in between."""
_THREADS = 4
"""For writing and reading downloads, which then neither wait for other work in threads nor hold it up."""
_MAX_BODY_BYTES = 1_000_000
"""The maximum size of a request body. Parsing 16 MB of JSON blocked everyone for two seconds."""
_MAX_FORM_BYTES, _MOST_FIELDS = 150_000, 100
"""For a form without files, such as a guest's comment: 10,000 characters of up to 12 bytes each, and a name and password."""
_MOST_PARTS = 10_000
"""The most objects, arrays, and members in a JSON body, unless its route calls `set_body_limit`. Refusing 90,000 members took 0.3 s."""
_MOST_QUOTES = 4 * (_MOST_PARTS + 1)
"""A member has a name and a value, each of which may be a string."""
_MOST_PROBLEMS = 100
"""Listed in an answer. A body of a megabyte can have 90,000, which took two seconds to write, and everyone waited."""
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing (RFC 9110, section 9.2.1)."""
_BODY_LIMIT = "fundwright.max_body_bytes"
WORKSPACE_PARAMETER = "w"
"""Names the workspace in which any request acts."""
_TIME_ZONE_COOKIE = "time_zone"
_LONGEST_PREFERENCES = 500
_TIME_ZONE = re.compile(r"[A-Za-z0-9_+-]{1,32}(?:/[A-Za-z0-9_+-]{1,32}){0,2}")


async def _core(request: Request) -> Core:
    return request.app.state.core


CoreDep = Annotated[Core, Depends(_core)]


async def _session(request: Request, core: CoreDep) -> AsyncIterator[AsyncSession]:
    """For requests that must not change anything: the database refuses writes."""
    async with core.database.reading() if request.method in SAFE_METHODS else core.database.transaction() as session:
        yield session


# "function" scope: the transaction ends before the response is sent, so that its recipient finds the data.
DbSession = Annotated[AsyncSession, Depends(_session, scope="function")]


async def refuse_null_characters(request: Request) -> None:
    """A dependency of every API route. Raises UnusableText if the address contains a null character."""
    if b"%00" in request.scope["query_string"] or "\0" in request.scope["path"]:
        raise UnusableText


class UnknownParameter(Invalid):
    def __init__(self, name: str, taken: Collection[str]) -> None:
        super().__init__(
            t("There is no parameter “{name}” here. The parameters are: {names}.", name=name[:50], names=", ".join(taken))
            if taken
            else t("There is no parameter “{name}” here. Remove it: this address has none.", name=name[:50])
        )


class RepeatedParameter(Invalid):
    def __init__(self, name: str) -> None:
        super().__init__(t("“{name}” accepts only one value. Remove the others.", name=name[:50]))


async def refuse_unknown_parameters(request: Request) -> None:
    """A dependency of every API route. Raises UnknownParameter if the address has a parameter that the route does not take, and
    RepeatedParameter if it has several values of one that takes one: ignoring them would return everything to a caller who asked for a
    part."""
    if request.query_params:
        taken = parameters_of(request.scope["route"])
        if unknown := [name for name in request.query_params if name not in (*taken, WORKSPACE_PARAMETER)]:
            raise UnknownParameter(unknown[0], taken)
        for name, count in Counter(name for name, _ in request.query_params.multi_items()).items():
            if count > 1 and not taken.get(name):
                raise RepeatedParameter(name)


GUARDS = (Depends(refuse_null_characters), Depends(refuse_unknown_parameters))
"""The dependencies of every API route."""


def parameters_of(route: APIRoute) -> Mapping[str, bool]:
    """The parameters that an address of the route can have, each with whether it can have several values."""
    return dict(sorted(_parameters_of(route.dependant)))


def _parameters_of(dependant: Dependant) -> Iterator[tuple[str, bool]]:
    for field in dependant.query_params:
        model = field.field_info.annotation
        is_model = isinstance(model, type) and issubclass(model, BaseModel)
        fields = (
            {each.alias or name: each for name, each in model.model_fields.items()}
            if is_model
            else {field.alias: field.field_info}
        )
        yield from ((name, get_origin(each.annotation) in (list, tuple)) for name, each in fields.items())
    for inner in dependant.dependencies:
        yield from _parameters_of(inner)


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
        found = error.errors()[:_MOST_PROBLEMS]
        problems = jsonable_encoder([{"where": e["loc"], "what": _what(e)} for e in found])
        first = problems[0]
        where = ".".join(str(part) for part in first["where"])
        is_ours = found[0]["type"] == _OURS
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
            error_body("InternalError", t("Something went wrong"), error_id),
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
    nobody, and what it does counts as work for its network address or, if `account_of` recognizes an account without asking the database, for that
    account at that address."""

    def __init__(self, app: ASGIApp, *, account_of: Callable[[HTTPConnection], UUID | None]) -> None:
        self._app = app
        self._account_of = account_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request_id = uuid4().hex[:16]

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
            await send(message)

        client = scope.get("client")
        network, account_id = network_of(client[0] if client else ""), self._account_of(HTTPConnection(scope))
        work_for((network, account_id) if account_id else network)
        work_behind_pages()
        with structlog.contextvars.bound_contextvars(request_id=request_id), acting_in(NOBODY):
            await self._app(scope, receive, send_with_id)


class LocaleMiddleware:
    """Set the language of each request from its cookie."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with using_language(requested_language(HTTPConnection(scope))):
            await self._app(scope, receive, send)


def requested_language(connection: HTTPConnection) -> Language:
    """The language chosen in this browser, or else English, whatever the browser accepts: pages offer its language instead."""
    code = connection.cookies.get(LANGUAGE_COOKIE, "")
    return code if code in LANGUAGES else "en"


def preferred_language(connection: HTTPConnection) -> Language | None:
    """The language that the browser prefers among ours, for a page to offer it. None if one was chosen in this browser, or it is English."""
    if connection.cookies.get(LANGUAGE_COOKIE) in LANGUAGES:
        return None
    accepted = [each.partition(";q=") for each in connection.headers.get("accept-language", "")[:_LONGEST_PREFERENCES].split(",")]
    wanted = sorted(accepted, key=lambda each: -_weight(each[2]))
    codes = (name.strip().partition("-")[0].lower() for name, _, _ in wanted)
    ours = next((language for code in codes for language in LANGUAGES if language == code), None)
    return None if ours == "en" else ours


def _weight(written: str) -> float:
    try:
        return float(written) if written else 1.0
    except ValueError:
        return 0.0


def requested_time_zone(connection: HTTPConnection) -> str | None:
    """The browser's time zone, which pages keep in a cookie; None if it is missing or unknown."""
    name = connection.cookies.get(_TIME_ZONE_COOKIE, "")
    try:
        return ZoneInfo(name).key if _TIME_ZONE.fullmatch(name) else None
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return None


DEADLINE = "fundwright.deadline"
"""The key of the request's deadline in its scope."""


class Deadline:
    """Until when the response must begin. `expired` is done afterward."""

    def __init__(self, limit_s: float) -> None:
        self.expired = asyncio.get_running_loop().create_future()
        self._limit_s = limit_s
        self._timer: asyncio.TimerHandle | None = None
        self._is_lifted = False

    def start(self) -> None:
        if not self._is_lifted and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._limit_s, self._expire)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def lift(self) -> None:
        self.stop()
        self._is_lifted = True

    def _expire(self) -> None:
        if not self.expired.done():
            self.expired.set_result(None)


def lift_deadline(scope: Scope) -> None:
    """Let the response of this request begin at any time."""
    deadline: Deadline | None = scope.get(DEADLINE)
    if deadline is not None:
        deadline.lift()


def count_parts(json_text: bytes | bytearray) -> int:
    """About how many objects, arrays, and members a JSON text has. Counts on only a little after `_MOST_PARTS`."""
    if _most(json_text) <= _MOST_PARTS:  # also if all of them were in strings
        return 0
    quotes = json_text.replace(rb"\\", b"").replace(rb"\"", b"")  # only those that begin or end a string
    pieces = quotes.split(b'"', _MOST_QUOTES)
    return _MOST_PARTS + 1 if len(pieces) > _MOST_QUOTES else _most(b"".join(pieces[::2]))


def _most(text: bytes | bytearray) -> int:
    return max(text.count(b","), text.count(b"{") + text.count(b"["))


class RequestLimitMiddleware:
    """Limit the size of requests, and set security headers on responses."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        kind = HTTPConnection(scope).headers.get("content-type", "").lower()
        is_form = kind.startswith("application/x-www-form-urlencoded")
        is_json = not is_form and not kind.startswith("multipart/")
        received = bytearray()
        received_bytes = fields = 0

        async def receive_bounded() -> Message:
            nonlocal received_bytes, fields
            message = await receive()
            body: bytes = message.get("body", b"")
            received_bytes += len(body)
            limit = scope.get(_BODY_LIMIT, _MAX_FORM_BYTES if is_form else _MAX_BODY_BYTES)
            if received_bytes > limit:
                raise HTTPException(413, f"The request is larger than {number(limit)} bytes")
            fields += body.count(b"&") if is_form else 0
            if fields > _MOST_FIELDS:
                raise HTTPException(413, f"The form has more than {number(_MOST_FIELDS)} fields. Send fewer")
            if _BODY_LIMIT not in scope and is_json:
                received.extend(body)
                if not message.get("more_body") and count_parts(received) > _MOST_PARTS:
                    raise HTTPException(
                        413,
                        f"The request has more than {number(_MOST_PARTS)} objects, arrays, and members. Split it into several requests",
                    )
            return message

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive_bounded, send_marked)


def set_body_limit(request: Request, max_bytes: int) -> None:
    """Set the maximum size of this request's body, and lift the limit on its number of parts. A route calls this after it has authenticated the
    request, and must not parse the body on the event loop."""
    request.scope[_BODY_LIMIT] = max_bytes


def json_body(model: type[BaseModel]) -> dict[str, object]:
    """`openapi_extra` of a route that calls `receive_json`."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": model.model_json_schema()}}}}


async def receive_json(request: Request, core: Core, model: type[M], *, max_bytes: int) -> M:
    """Read a body that is larger than most. Raises RequestValidationError, Busy, TookTooLong, or TookTooMuchMemory.

    A route calls this after it has authenticated the request, and before it opens a session: a parameter of type `model` would be parsed
    before the first, and while everyone waits.
    """
    set_body_limit(request, max_bytes)
    content = await request.body()
    parsed = await core.computing.run(partial(parse, model, content))
    if isinstance(parsed, list):
        raise RequestValidationError(parsed)
    return parsed


class CsvDownload(StreamingResponse):
    """A file that is sent after `write` has written all of it, so that a failure is an error and never a truncated file. Until it has been
    sent, it holds the place that `place` enters."""

    media_type = "text/csv"

    # FastAPI describes the route by the default of `status_code`.
    def __init__(
        self,
        name: str,
        write: Callable[[Callable[[bytes], Awaitable[None]]], Awaitable[None]],
        place: AbstractAsyncContextManager[None],
        threads: Executor,
        status_code: int = 200,
    ) -> None:
        super().__init__((), status_code, {"Content-Disposition": f'attachment; filename="{name}"'})
        self._write = write
        self._place = place
        self._threads = threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        lift_deadline(scope)  # a long list takes minutes, and must be written completely before it is sent
        await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        run = partial(asyncio.get_running_loop().run_in_executor, self._threads)
        async with self._place:
            with SpooledTemporaryFile[bytes](max_size=_PIECE_BYTES) as file:

                async def take(piece: bytes) -> None:
                    await run(file.write, piece)

                async def pieces() -> AsyncIterator[bytes]:
                    while piece := await run(file.read, _PIECE_BYTES):
                        yield piece

                await self._write(take)
                self.headers["Content-Length"] = str(file.tell())
                file.seek(0)
                self.body_iterator = pieces()
                await super().stream_response(send)


def csv_download(core: Core, name: str, lines: Callable[[AsyncSession], AsyncIterator[str]], *, party: Hashable) -> CsvDownload:
    """The file `name`, written line by line in a separate transaction.

    All lines are from the same moment, even though a list is read page by page. A slow client does not hold a database connection. Each
    `party`, an account or an address, gets one file at a time, and all of them together hold less than half of the connections.
    """
    places: PartyLimiter = core.shared(f"{__name__}.downloads", lambda: PartyLimiter(1))
    turns: Turns = core.shared(f"{__name__}.turns", lambda: Turns(core.database.most_connections * 2 // 5, each=1))
    threads: Executor = core.shared(f"{__name__}.threads", lambda: ThreadPoolExecutor(_THREADS, "downloads"))

    async def write(take: Callable[[bytes], Awaitable[None]]) -> None:
        async with turns.turn(party), core.database.transaction(is_snapshot=True) as session:
            async for piece in _joined(lines(session)):
                await take(piece)

    return CsvDownload(name, write, places.slot(party), threads)


async def _joined(lines: AsyncIterator[str]) -> AsyncIterator[bytes]:
    piece = bytearray()
    async for line in lines:
        piece += line.encode()
        if len(piece) >= _LINES_BYTES:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)

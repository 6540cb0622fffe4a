"""Middleware for every request, before routing: limits, the allowed host names, a warning about proxies that are not trusted,
and HSTS."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Hashable
from html import escape
from ipaddress import ip_address
from urllib.parse import urlsplit

import structlog
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import IPvAnyNetwork
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fundwright.core.errors import FundwrightError
from fundwright.core.fair_loop import current_party
from fundwright.core.messages import current_language, t
from fundwright.core.settings import Settings
from fundwright.core.web import DEADLINE, Deadline, error_body, strict_transport

log = structlog.get_logger()

_FORWARDED = ("x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip")
_MAX_SHOWN_CHARACTERS = 100
_MOST_ARRIVING = 64
_MOST_HEADERS = 100
_MOST_PARAMETERS = 200
_POLICY = 1008
_MAX_PORT = 65_535
_HOST = re.compile(r"(?:\[([0-9A-Fa-f]*:[0-9A-Fa-f:.]*)\]|([\w-]+(?:\.[\w-]+)*)\.?)(?::([0-9]{0,5}))?", re.ASCII)
"""An IPv6 address or a name, and a port: RFC 3986, without the characters that no name of a host has."""


class MalformedHost(FundwrightError):
    """The request has no valid Host header."""

    def __init__(self) -> None:
        super().__init__(t("The request has no valid host name. Check the address and try again."))


class UnknownHost(FundwrightError):
    """The Host header is not a known name of this server."""

    def __init__(self, host: str) -> None:
        super().__init__(
            t(
                "This server does not respond to the name {host}. Open it by its IP address or as localhost, or ask your administrator to set FUNDWRIGHT_PUBLIC_URL, or to add http://{host} to FUNDWRIGHT_ALLOWED_ORIGINS.",
                host=host[:_MAX_SHOWN_CHARACTERS],
            )
        )


class TooManyRequests(FundwrightError):
    """Too many requests from one address have not arrived completely."""

    status = 429
    retry_after_s = 5

    def __init__(self) -> None:
        super().__init__(t("Too many requests are arriving at the same time. Try again in a moment."))


class TooManyHeaders(FundwrightError):
    """The request has more headers than any browser or program sends."""

    status = 431

    def __init__(self) -> None:
        super().__init__(t("The request has more than {n} headers. Send fewer.", n=_MOST_HEADERS))


class TooManyParameters(FundwrightError):
    """The address of the request has more parameters than any page or route takes."""

    status = 422

    def __init__(self) -> None:
        super().__init__(t("The address has more than {n} parameters. Send fewer.", n=_MOST_PARAMETERS))


def _as_json(error: FundwrightError) -> JSONResponse:
    headers = {"Retry-After": str(error.retry_after_s)} if error.retry_after_s else None
    return JSONResponse(error_body(type(error).__name__, error.sentence), status_code=error.status, headers=headers)


async def _refuse(error: FundwrightError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request, or the opening of a socket."""
    if scope["type"] == "http":
        await _as_json(error)(scope, receive, send)
    elif "websocket.http.response" in scope.get("extensions", {}):
        answer = _as_json(error)
        await send({"type": "websocket.http.response.start", "status": answer.status_code, "headers": answer.raw_headers})
        await send({"type": "websocket.http.response.body", "body": answer.body})
    else:
        await send({"type": "websocket.close", "code": _POLICY})


class BoundedHeads:
    """Refuses requests with so many headers or parameters that looking through them would take long."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif len(scope["headers"]) > _MOST_HEADERS:
            await _refuse(TooManyHeaders(), scope, receive, send)
        elif scope["query_string"].count(b"&") >= _MOST_PARAMETERS:
            await _refuse(TooManyParameters(), scope, receive, send)
        else:
            await self._app(scope, receive, send)


class KnownHosts:
    """Accept only requests for this server's names, and for IP addresses. If `names` is None, every well-formed name is accepted.

    A page of another site can make its own name resolve to this machine (DNS rebinding) and would then have the same origin as
    ours. Such a page always uses its own host name, never an IP address.
    """

    def __init__(self, app: ASGIApp, *, names: Collection[str] | None) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY})
        else:
            await _refuse(refusal, scope, receive, send)

    def _refusal(self, scope: Scope) -> FundwrightError | None:
        hosts = Headers(scope=scope).getlist("host")
        if not hosts and scope.get("http_version") == "1.0":  # such as a load balancer's health check, which is not a browser
            return None
        name = _host_name(hosts[0]) if len(hosts) == 1 else None
        if name is None:
            return MalformedHost()
        if self._names is None or name in self._names or name.endswith(".localhost") or _is_address(name):
            return None
        return UnknownHost(hosts[0])


def known_names(settings: Settings) -> Collection[str] | None:
    """The host names of the server; None for every name, because a public URL is set, and links, cookies, and the socket's
    origin depend on that alone."""
    if settings.public_url is not None:
        return None
    origins = {urlsplit(origin).hostname or "" for origin in settings.allowed_origins}
    return origins | {"localhost", settings.host.lower()}


def _host_name(host: str) -> str | None:
    """The host in lower case, without its port and trailing dot; None if it is malformed."""
    found = _HOST.fullmatch(host)
    if found is None or int(found[3] or 0) > _MAX_PORT or (found[1] and not _is_address(found[1])):
        return None
    return str(found[1] or found[2]).lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class UntrustedProxy:
    """Warns once when a peer that is not a trusted proxy forwards requests: all of its visitors then share one address."""

    def __init__(self, app: ASGIApp, *, trusted: Collection[IPvAnyNetwork]) -> None:
        self._app = app
        self._trusted = trusted
        self._has_warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._has_warned and scope["type"] in ("http", "websocket") and scope.get("client"):
            headers = Headers(scope=scope)
            found = [name for name in _FORWARDED if name in headers]
            peer: str = scope["client"][0]
            if found and not self._is_trusted(peer):
                self._has_warned = True
                log.warning(
                    "proxy.not_trusted",
                    peer=peer,
                    headers=", ".join(found),
                    advice="All visitors of this proxy are counted as one address. If it is yours, add it to "
                    "FUNDWRIGHT_TRUSTED_PROXIES.",
                )
        await self._app(scope, receive, send)

    def _is_trusted(self, peer: str) -> bool:
        return _is_address(peer) and any(ip_address(peer) in network for network in self._trusted)


class ArrivingRequests:
    """Limits how many requests of one party, an account or the strangers at one address, may be arriving at the same time, also behind a proxy, whose
    connections carry those of all addresses."""

    def __init__(self, app: ASGIApp, *, most: int = _MOST_ARRIVING) -> None:
        self._app = app
        self._most = most
        self._arriving = Counter[Hashable]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "http" else {}
        if headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        party = current_party()
        if self._arriving[party] >= self._most:
            await _refuse(TooManyRequests(), scope, receive, send)
            return
        self._arriving[party] += 1
        is_arriving = True

        def arrive() -> None:
            nonlocal is_arriving
            if is_arriving:
                is_arriving = False
                self._arriving[party] -= 1
                if not self._arriving[party]:
                    del self._arriving[party]

        async def receive_counted() -> Message:
            message = await receive()
            if not message.get("more_body", False):
                arrive()
            return message

        try:
            await self._app(scope, receive_counted, send)
        finally:
            arrive()


class TooSlow(FundwrightError):
    """A request was not answered in time."""

    status = 503
    retry_after_s = 5

    def __init__(self) -> None:
        super().__init__(t("The server did not answer in time. Try again in a moment. Your saved work is safe."))


def _answer(scope: Scope, error: TooSlow) -> Response:
    headers = {"Retry-After": str(error.retry_after_s)}
    if "text/html" not in Headers(scope=scope).get("accept", ""):
        return _as_json(error)
    is_safe = scope["method"] in ("GET", "HEAD")  # a form would be lost
    again = f'<meta http-equiv="refresh" content="{error.retry_after_s}">' if is_safe else ""
    page = (
        f'<!doctype html><html lang="{current_language()}"><head><meta charset="utf-8"><title>Fundwright</title>'
        f'<meta name="viewport" content="width=device-width">{again}</head>'
        f"<body><main><h1>Fundwright</h1><p>{escape(error.sentence)}</p></main></body></html>"
    )
    return HTMLResponse(page, status_code=error.status, headers=headers | {"Cache-Control": "no-store"})


class RequestDeadline:
    """Answer with 503 when a request has not been answered in time, for example because the database is frozen.

    The time in which the request arrives does not count, nor that in which a response is sent. `lift_deadline` exempts a request. What
    remains of an abandoned request is canceled, but not awaited: it may wait for the frozen server, too.
    """

    def __init__(self, app: ASGIApp, *, limit_s: float) -> None:
        self._app = app
        self._limit_s = limit_s
        self._abandoned = set[asyncio.Task[None]]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        deadline = scope[DEADLINE] = Deadline(self._limit_s)

        async def receive_untimed() -> Message:
            deadline.stop()
            try:
                return await receive()
            finally:
                deadline.start()

        async def send_in_time(message: Message) -> None:
            if not deadline.expired.done():
                deadline.lift()
                await send(message)

        deadline.start()
        working = asyncio.ensure_future(self._app(scope, receive_untimed, send_in_time))
        try:
            await asyncio.wait([working, deadline.expired], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            working.cancel()
            await asyncio.wait([working])
            raise
        finally:
            deadline.lift()
        if not deadline.expired.done():
            working.result()
            return
        self._abandoned.add(working)
        working.add_done_callback(self._forget)
        working.cancel()
        log.warning("request.too_slow", path=scope["path"], seconds=self._limit_s)
        await _answer(scope, TooSlow())(scope, receive, send)

    def _forget(self, abandoned: asyncio.Task[None]) -> None:
        self._abandoned.discard(abandoned)
        if not abandoned.cancelled():
            abandoned.exception()  # nobody waits for it


class StrictTransport:
    """Tell browsers to use https only, in every response over https, including redirects, files, and refused sockets."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = strict_transport(scope) if scope["type"] in ("http", "websocket") else {}
        if not headers:
            await self._app(scope, receive, send)
            return
        is_accepted = False

        async def send_marked(message: Message) -> None:
            nonlocal is_accepted
            if message["type"] in ("http.response.start", "websocket.accept", "websocket.http.response.start"):
                is_accepted = True
                MutableHeaders(scope=message).update(headers)
            elif (
                message["type"] == "websocket.close"
                and not is_accepted
                and "websocket.http.response" in scope.get("extensions", {})
            ):
                raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
                await send({"type": "websocket.http.response.start", "status": 403, "headers": raw})
                await send({"type": "websocket.http.response.body", "body": b""})
                return
            await send(message)

        await self._app(scope, receive, send_marked)

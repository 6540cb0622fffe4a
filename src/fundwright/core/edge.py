"""Middleware for every request, before routing: the allowed host names, a warning about proxies that are not trusted,
and HSTS."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

import structlog
from fastapi.responses import JSONResponse
from pydantic import IPvAnyNetwork
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fundwright.core.errors import FundwrightError
from fundwright.core.messages import t
from fundwright.core.settings import Settings
from fundwright.core.web import error_body, strict_transport

log = structlog.get_logger()

_FORWARDED = ("x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip")
_MAX_SHOWN_CHARACTERS = 100
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
            answer = JSONResponse(error_body(type(refusal).__name__, refusal.sentence), status_code=refusal.status)
            await answer(scope, receive, send)

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

"""What holds for every request before any route is looked for: which names the server answers to, whose word about the sender it takes,
and that browsers stay on https."""

from __future__ import annotations

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


class UnknownHost(FundwrightError):
    """The request names a host that is not known to be this server."""

    def __init__(self, host: str) -> None:
        super().__init__(
            t(
                "This server does not answer to the name {host}. Open it by its IP address or as localhost, or ask your "
                "administrator to set FUNDWRIGHT_PUBLIC_URL, or to add http://{host} to FUNDWRIGHT_ALLOWED_ORIGINS.",
                host=host[:_MAX_SHOWN_CHARACTERS],
            )
        )


class KnownHosts:
    """Answers requests for this server's names only, and for IP addresses.

    A page of another site can make its own name lead to this machine (DNS rebinding) and would then be of the same origin as ours. Such a
    page always names its own host, never an IP address.
    """

    def __init__(self, app: ASGIApp, *, names: Collection[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = Headers(scope=scope).get("host", "") if scope["type"] in ("http", "websocket") else ""
        if not host or self._is_known(_host_name(host)):  # browsers always send the header
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY})
        else:
            refusal = UnknownHost(host)
            answer = JSONResponse(error_body(type(refusal).__name__, refusal.sentence), status_code=refusal.status)
            await answer(scope, receive, send)

    def _is_known(self, name: str) -> bool:
        return name in self._names or name.endswith(".localhost") or _is_address(name)


def known_names(settings: Settings) -> Collection[str] | None:
    """The names that the server answers to; None for every name, because a public URL is set and links, cookies, and the socket's origin
    depend on that alone."""
    if settings.public_url is not None:
        return None
    origins = {_host_name(urlsplit(origin).netloc) for origin in settings.allowed_origins}
    return origins | {"localhost", settings.host.lower()}


def _host_name(host: str) -> str:
    """Without its port, in lower case; empty when it is malformed."""
    try:
        return (urlsplit(f"//{host}").hostname or "").removesuffix(".")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class UntrustedProxy:
    """Warns once when somebody who is no trusted proxy forwards requests: then all visitors share one address."""

    def __init__(self, app: ASGIApp, *, trusted: Collection[IPvAnyNetwork]) -> None:
        self._app = app
        self._trusted = trusted
        self._is_told = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_told and scope["type"] in ("http", "websocket") and scope.get("client"):
            headers = Headers(scope=scope)
            found = [name for name in _FORWARDED if name in headers]
            peer: str = scope["client"][0]
            if found and not self._is_trusted(peer):
                self._is_told = True
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
    """Tells browsers to use https only, in every answer over https: also of redirects, files, and refused sockets."""

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

"""Accepts the sockets of open pages, and finds the session that a page resumes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import chain
from typing import NoReturn
from urllib.parse import urlsplit

from starlette.websockets import WebSocket

from fundwright_ui.runtime.encoding import encode
from fundwright_ui.runtime.frames import Hello, read_frame
from fundwright_ui.runtime.host import Actor, Settings, current_language, set_language, t
from fundwright_ui.runtime.render_slots import Owner, owner_of
from fundwright_ui.runtime.router import Redirect
from fundwright_ui.runtime.session import KEEP_ALIVE_S, Session, Site
from fundwright_ui.runtime.transport import MalformedFrame, Transport, TransportClosed, WebSocketTransport

_MAX_SESSIONS_PER_PARTY = 50
_MAX_HELLO_CHARACTERS = 100_000  # longer than any address that fits in an HTTP request
_HELLO_TIMEOUT_S = 10.0
_TOO_MANY = 4429
_POLICY = 1008


class Sockets:
    """Accepts sockets from our own pages and attaches each to its session."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.origins = allowed_origins(site.host.core.settings)
        self._sessions: dict[str, Session] = {}

    async def accept(self, websocket: WebSocket) -> None:
        if websocket.headers.get("origin") not in self.origins:
            await websocket.close(_POLICY)  # before accepting: the handshake is answered with 403
            return
        actor = await self._site.host.authenticate(websocket)
        await websocket.accept()
        set_language(self._site.host.language_of(actor, websocket))
        await self.serve(WebSocketTransport(websocket), actor)

    async def serve(self, transport: Transport, actor: Actor | None) -> None:
        """Read the first frame, then serve the page of `actor` until `transport` is closed."""
        with suppress(TransportClosed):
            hello = await _hello(transport)
            if hello is not None:
                await self._handshake(transport, actor, hello)
            else:
                await _refuse(transport, t("The server could not process a message from this page. Reload the page."), _POLICY)

    async def _handshake(self, transport: Transport, actor: Actor | None, hello: Hello) -> None:
        earlier = self._sessions.get(hello.session or "")
        # A page of another build reloads itself when `mount` names the build of this process.
        is_current = hello.build in (None, self._site.bundle.id)
        if (
            earlier
            and is_current
            and earlier.belongs_to(actor)
            and hello.received is not None
            and earlier.can_resume(hello.received)
        ):
            await earlier.resume(transport, hello.received)
            return
        actor = await self._site.host.acting_as(actor, hello.account)
        found = self._site.router.route(hello.path, actor)
        is_for_other = hello.account is not None and hello.account != self._site.host.identity_of(actor)
        if is_for_other or isinstance(found, Redirect):
            path = found.path if isinstance(found, Redirect) else found.location.address
            await transport.send(encode({"type": "navigate", "path": path, "replace": True, "reload": True}))
            return
        owner = owner_of(self._site.host, actor, transport.request)
        async with _kept_alive(transport):
            slot = await self._site.render_slots.acquire(owner, is_painted=self._site.painted.has(hello.hash))
        if not self._make_room(owner):
            slot.release()
            await _refuse(transport, _too_many(), _TOO_MANY)
            return
        painted = self._site.painted.take(hello.hash, found, actor, current_language()) if is_current else None
        session = Session(self._site, transport, actor, found, owner=owner, painted=painted)
        self._sessions[session.id] = session
        session.life.add_done_callback(lambda _life: self._sessions.pop(session.id))
        await session.mount(transport, hello, slot)

    def _make_room(self, owner: Owner) -> bool:
        """Whether `owner` may open another page. At the limit, evicts a page that has lost its connection or, if there is none, one
        of the visitor with the most pages, so that no visitor can lock out others at the same address."""
        own = [session for session in self._sessions.values() if session.owner.party == owner.party]
        if len(own) < _MAX_SESSIONS_PER_PARTY:
            return True
        pages = Counter(session.owner.visitor for session in own)
        lost = (session for session in own if session.is_lost)
        crowd = (session for session in own if pages[session.owner.visitor] > pages[owner.visitor] + 1 and not session.is_ending)
        evicted = next(chain(lost, crowd), None)
        if evicted is not None:
            evicted.evict(_too_many(), _TOO_MANY)
        return evicted is not None


@asynccontextmanager
async def _kept_alive(transport: Transport) -> AsyncIterator[None]:
    """Tell the page from time to time that its turn will come: it gives up a connection that is silent. Raises TransportClosed."""

    async def tell() -> NoReturn:
        while True:
            await asyncio.sleep(KEEP_ALIVE_S)
            await transport.send(encode({"type": "pong"}))

    try:
        async with asyncio.TaskGroup() as both:
            telling = both.create_task(tell())
            yield
            telling.cancel()
    except* TransportClosed as closed:
        raise closed.exceptions[0] from None


async def _hello(transport: Transport) -> Hello | None:
    """The first frame; None if it is not a `hello` or does not arrive in time."""
    try:
        async with asyncio.timeout(_HELLO_TIMEOUT_S):
            text = await transport.receive()
    except (TimeoutError, MalformedFrame):
        return None
    frame = read_frame(text) if len(text) <= _MAX_HELLO_CHARACTERS else None
    return frame if isinstance(frame, Hello) else None


def _too_many() -> str:
    return t("Too many pages are open. Close some and reload this one.")


async def _refuse(transport: Transport, sentence: str, code: int) -> None:
    await transport.send(encode({"type": "refused", "sentence": sentence}))
    await transport.close(code)


def allowed_origins(settings: Settings) -> frozenset[str]:
    """Origins that may open the socket: the configured ones, or else this server's loopback addresses; never the Host header's."""
    configured = [*settings.allowed_origins, *([settings.public_url] if settings.public_url else [])]
    if configured:
        return frozenset(f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, configured))
    hosts = {settings.host, "localhost", "127.0.0.1", "[::1]"}
    return frozenset(f"http://{host}:{settings.port}" for host in hosts)

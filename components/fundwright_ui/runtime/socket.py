"""The socket that drives an open page."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import ExitStack, suppress
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import UUID

import structlog
from starlette.websockets import WebSocket, WebSocketDisconnect

from fundwright.core.assembly import Core
from fundwright.core.settings import Settings
from fundwright.identity.schemas import Actor
from fundwright_ui.messages import current_language, set_language, t
from fundwright_ui.runtime.connection import Connection
from fundwright_ui.runtime.document import language_of
from fundwright_ui.runtime.events import received_at
from fundwright_ui.runtime.faults import sentence_of
from fundwright_ui.runtime.layout import event_of
from fundwright_ui.runtime.router import Found, Redirect, Router
from fundwright_ui.runtime.view import Shell, View

log = structlog.get_logger()

Authenticate = Callable[[Mapping[str, str]], Awaitable[Actor | None]]
"""Who these cookies belong to."""

_MAX_FRAME_CHARACTERS = 1_000_000
_MAX_EVENTS_PER_S = 100
_MAX_WAITING_EVENTS = 200
_MAX_SOCKETS_PER_ACTOR = 50
_SETTLE_TIMEOUT_S = 1.0
_FAREWELL_TIMEOUT_S = 10.0
_IDENTITY_MAX_AGE_S = 1.0
_SESSION_ENDED = 4401
_TOO_MANY = 4429
_FAILED = 1011
_POLICY = 1008
_DOUBLE_CLICK_S = 1.0
_OF_FIELDS = frozenset(("onChange", "onInput", "onFocus", "onBlur", "onKeyDown"))
_SEQ = re.compile(r'"seq":\s*(\d{1,9})')


class Sockets:
    """Accepts sockets from our own pages and runs each one's view."""

    def __init__(self, core: Core, *, router: Router, shell: Shell, authenticate: Authenticate, base: str) -> None:
        self.core = core
        self.router = router
        self.shell = shell
        self.authenticate = authenticate
        self.base = base
        self._origins = allowed_origins(core.settings)
        self._open: Counter[UUID | str] = Counter()

    async def answer(self, websocket: WebSocket) -> None:
        if websocket.headers.get("origin") not in self._origins:
            await websocket.close(_POLICY)  # before accepting: the handshake is answered with 403
            return
        actor = await self.authenticate(websocket.cookies)
        owner: UUID | str = actor.id if actor else (websocket.client.host if websocket.client else "")
        self._open[owner] += 1
        try:
            await websocket.accept()
            if self._open[owner] > _MAX_SOCKETS_PER_ACTOR:
                await _refuse(websocket, t("Too many pages are open. Close some and load this one again."))
                await websocket.close(_TOO_MANY)
                return
            await _Session(self, websocket, actor).run()
        finally:
            self._open[owner] -= 1
            if not self._open[owner]:
                del self._open[owner]


class _Session:
    """One open page: events in, in order; changes out, as differences."""

    def __init__(self, sockets: Sockets, websocket: WebSocket, actor: Actor | None) -> None:
        self._sockets = sockets
        self._websocket = websocket
        self._actor = actor
        self._identified_at = time.monotonic()
        self._frames: list[dict[str, Any]] = []
        self._wake = asyncio.Event()
        self._events: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_MAX_WAITING_EVENTS)
        self._allowance = float(_MAX_EVENTS_PER_S)
        self._refilled_at = time.monotonic()
        self._last_handled = ("", 0.0)
        self._title = ""
        self._view: View | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        set_language(language_of(self._actor, self._websocket))
        with suppress(WebSocketDisconnect, asyncio.CancelledError):
            hello = await self._receive()
            if hello is None or hello.get("type") != "hello":
                return
            found = self._sockets.router.route(str(hello.get("path", "/")), self._actor)
            if isinstance(found, Redirect):
                await self._send({"type": "navigate", "path": found.path, "replace": True, "reload": True})
            else:
                await self._drive(found, hello)

    async def _drive(self, found: Found, hello: dict[str, Any]) -> None:
        websocket, core = self._websocket, self._sockets.core
        connection = Connection(
            core,
            self._actor,
            location=found.location,
            language=current_language(),
            base=self._sockets.base,
            is_live=True,
            address=websocket.client.host if websocket.client else "",
            user_agent=websocket.headers.get("user-agent", ""),
            send=self._queue,
            relocate=self._relocate,
        )
        async with View(connection, found, self._sockets.shell, on_change=self._wake.set) as view:
            self._view = view
            await view.settle(_SETTLE_TIMEOUT_S)
            view.mark_shown()
            self._title = view.title
            tree = None if hello.get("hash") == view.hash() else view.tree
            await self._send({"type": "mount", "tree": tree, "title": view.title})
            with ExitStack() as subscriptions:
                if self._actor and self._actor.session_id:
                    topic = f"session:{self._actor.session_id}"
                    subscriptions.enter_context(core.live.subscribed(topic, lambda _payload: self._check_soon()))
                await self._run_loops()

    async def _run_loops(self) -> None:
        """Until the person leaves or is sent away. What they clicked before leaving is still done."""
        events = asyncio.create_task(self._event_loop())
        tasks = [events, asyncio.create_task(self._send_loop()), asyncio.create_task(self._receive_loop())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if events not in done:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._events.join(), _FAREWELL_TIMEOUT_S)
            for task in done:
                task.result()
        finally:
            for task in [*tasks, *self._tasks]:
                task.cancel()
            await asyncio.gather(*tasks, *self._tasks, return_exceptions=True)

    # In

    async def _receive(self) -> dict[str, Any] | None:
        text = await self._websocket.receive_text()
        if len(text) > _MAX_FRAME_CHARACTERS:
            await _refuse(self._websocket, t("That was too much to send at once. Upload long content as a file."))
            if seq := _SEQ.search(text[:200]):
                self._queue({"type": "done", "seq": int(seq[1])})
            return None
        try:
            frame = json.loads(text)
        except ValueError:
            frame = None
        if not isinstance(frame, dict):
            await _refuse(self._websocket, t("The server did not understand the page. Load it again."))
            return None
        return cast(dict[str, Any], frame)

    async def _receive_loop(self) -> None:
        while True:
            frame = await self._receive()
            if frame is None:
                continue
            if not self._may_send() or self._events.full():
                await _refuse(self._websocket, t("Too much happened at once. Wait a moment and try again."))
                self._queue({"type": "done", "seq": frame.get("seq", 0), "refused": True})
                continue
            self._events.put_nowait(frame | {"received_at": time.monotonic()})

    def _may_send(self) -> bool:
        moment = time.monotonic()
        self._allowance = min(_MAX_EVENTS_PER_S, self._allowance + (moment - self._refilled_at) * _MAX_EVENTS_PER_S)
        self._refilled_at = moment
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True

    async def _event_loop(self) -> None:
        while True:
            frame = await self._events.get()
            try:
                if not await self._is_still_allowed():
                    return
                await self._answer(frame)
            finally:
                self._events.task_done()

    async def _answer(self, frame: dict[str, Any]) -> None:
        assert self._view is not None
        received_at.set(frame["received_at"])
        match frame:
            case {"type": "event", "target": str(target), "seq": int(seq)}:
                data = frame.get("data")
                await self._handle(target, cast(dict[str, Any], data) if isinstance(data, dict) else {}, seq)
            case {"type": "location", "path": str(path)}:
                self._relocate(path)
            case {"type": "check"}:
                return
            case _:
                self._queue({"type": "refused", "sentence": t("The server did not understand the page. Load it again.")})
        await self._view.rendered()  # the next handler must see what this one did
        if self._view.is_settled:
            self._queue({"type": "done", "seq": frame.get("seq", 0)})
        else:
            self._later(self._settle(frame.get("seq", 0)))

    async def _settle(self, seq: int) -> None:
        """Say `done` once the queries that an event started are shown; the next event need not wait for them."""
        assert self._view is not None
        await self._view.settle(_SETTLE_TIMEOUT_S)
        self._queue({"type": "done", "seq": seq})

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _handle(self, target: str, data: dict[str, Any], seq: int) -> None:
        assert self._view is not None
        try:
            if await self._view.handle(target, data, seq):
                self._last_handled = (target, received_at.get())
            else:
                self._tell_too_late(target)
        except Exception as error:
            self._queue({"type": "toast", "message": sentence_of(error, while_doing="event"), "variant": "error"})

    def _tell_too_late(self, target: str) -> None:
        """What was pressed has gone. Nobody misses an event of a field that is gone, nor the second half of a double click."""
        log.info("ui.event_too_late", target=target)
        pressed, at = self._last_handled
        if event_of(target) in _OF_FIELDS or (target == pressed and received_at.get() - at < _DOUBLE_CLICK_S):
            return
        sentence = t("The page changed before your click arrived. Look again, and repeat it if you still want it.")
        self._queue({"type": "toast", "message": sentence, "variant": "info"})

    def _check_soon(self) -> None:
        self._identified_at = 0.0
        with suppress(asyncio.QueueFull):
            self._events.put_nowait({"type": "check", "received_at": 0.0})

    async def _is_still_allowed(self) -> bool:
        """Check again who this is; a role that changed may lead elsewhere, a session that ended ends the socket."""
        if self._actor is None or time.monotonic() - self._identified_at < _IDENTITY_MAX_AGE_S:
            return True
        actor = await self._sockets.authenticate(self._websocket.cookies)
        self._identified_at = time.monotonic()
        if actor is None or actor.id != self._actor.id:
            await self._send({"type": "signed_out"})
            await self._websocket.close(_SESSION_ENDED)
            return False
        if actor != self._actor and self._view is not None:
            self._actor = self._view.connection.actor = actor
            self._relocate(self._view.found.location.address)
        return True

    def _route(self, address: str) -> Found | None:
        for _ in range(5):
            found = self._sockets.router.route(address, self._actor)
            if not isinstance(found, Redirect):
                return found
            address = found.path
            self._queue({"type": "navigate", "path": address, "replace": True})
        return None

    def _relocate(self, address: str) -> None:
        """Show what is at `address`. A redirect is followed here and in the browser."""
        assert self._view is not None
        found = self._route(address)
        if found is not None:
            self._view.move(found)

    # Out

    def _queue(self, frame: dict[str, Any]) -> None:
        self._frames.append(frame)
        self._wake.set()

    async def _send_loop(self) -> None:
        assert self._view is not None
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._view.failure is not None:
                log.error("ui.view_failed", exc_info=self._view.failure)
                await self._websocket.close(_FAILED)
                return
            # `done` promises that the changes have been sent: changes first.
            frames, self._frames = self._frames, []
            if operations := self._view.take_operations():
                await self._send({"type": "patch", "ops": operations})
            if self._view.title != self._title:
                self._title = self._view.title
                await self._send({"type": "title", "title": self._title})
            for frame in frames:
                await self._send(frame)

    async def _send(self, frame: dict[str, Any]) -> None:
        await self._websocket.send_text(json.dumps(frame, ensure_ascii=False, separators=(",", ":")))


async def _refuse(websocket: WebSocket, sentence: str) -> None:
    await websocket.send_text(json.dumps({"type": "refused", "sentence": sentence}))


def allowed_origins(settings: Settings) -> frozenset[str]:
    """Origins that may open the socket: configured ones, else this server on the loopback names. Never the Host header."""
    configured = [*settings.allowed_origins, *([settings.public_url] if settings.public_url else [])]
    if configured:
        return frozenset(f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, configured))
    hosts = {settings.host, "localhost", "127.0.0.1", "[::1]"}
    return frozenset(f"http://{host}:{settings.port}" for host in hosts)

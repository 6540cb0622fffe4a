"""One open page: events in, in order; changes out, as differences."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, cast
from uuid import UUID

import structlog
from pydantic_core import to_json
from starlette.requests import HTTPConnection

from fundwright.core.assembly import Core
from fundwright.core.messages import current_language, t
from fundwright.identity.api import client_of
from fundwright.identity.schemas import Actor
from fundwright_ui.runtime.connection import Connection, Frame
from fundwright_ui.runtime.events import received_at
from fundwright_ui.runtime.faults import sentence_of
from fundwright_ui.runtime.layout import event_of
from fundwright_ui.runtime.outbox import Outbox
from fundwright_ui.runtime.router import Found, Redirect, Router
from fundwright_ui.runtime.transport import MalformedFrame, Transport, TransportClosed
from fundwright_ui.runtime.view import OnView, Shell, View
from fundwright_ui.runtime.waiting import Event, Queue

log = structlog.get_logger()

Authenticate = Callable[[HTTPConnection], Awaitable[Actor | None]]
"""Who opens a page or a socket."""


class Recognise(Protocol):
    """Who the actor of an open page is by now, or None when the session has ended. Looking is no use of the session."""

    def __call__(self, actor: Actor, *, is_use: bool) -> Awaitable[Actor | None]: ...


_MAX_FRAME_CHARACTERS = 1_000_000
_MAX_EVENTS_PER_S = 100
_MAX_WAITING_EVENTS = 200
_MAX_FAULTS = 20
_SETTLE_TIMEOUT_S = 1.0
_FAREWELL_TIMEOUT_S = 10.0
_IDENTITY_MAX_AGE_S = 1.0
_IDLE_CHECK_S = 60.0
_REST_AFTER_S = 2.0
_SESSION_ENDED = 4401
_FAILED = 1011
_LEFT = frozenset((1000, 1001))
_DOUBLE_CLICK_S = 1.0
_OF_FIELDS = frozenset(("onChange", "onInput", "onFocus", "onBlur", "onKeyDown"))
_SEQ = re.compile(r'"seq":\s*(\d{1,9})')


@dataclass(frozen=True)
class Site:
    """What every page of an application shares."""

    core: Core
    router: Router
    shell: Shell
    authenticate: Authenticate
    recognise: Recognise
    on_view: OnView
    base: str


class Session:
    """Outlives its socket for a while, so that a page that lost its connection finds everything as it was."""

    def __init__(self, site: Site, transport: Transport, actor: Actor | None, found: Found, *, owner: UUID | str) -> None:
        self.id = secrets.token_urlsafe(16)
        self.owner = owner
        self._site = site
        self._actor = actor
        self._identified_at = time.monotonic()
        self._frames: list[Frame] = []
        self._outbox = Outbox()
        self._wake = Event()
        self._events = Queue[Frame | None]()
        self._last_seq = 0
        self._allowance = float(_MAX_EVENTS_PER_S)
        self._refilled_at = time.monotonic()
        self._last_handled = ("", 0.0)
        self._faults = 0
        self._attached: asyncio.Task[int] | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._close_code = _FAILED
        self._title = ""
        self._tasks: set[asyncio.Task[None]] = set()
        connection = Connection(
            site.core,
            actor,
            location=found.location,
            language=current_language(),
            base=site.base,
            is_live=True,
            client=client_of(transport.request),
            send=self._queue,
            relocate=self._relocate,
        )
        self._view = View(connection, found, site.shell, on_change=self._wake.set)
        self._opened = asyncio.get_running_loop().create_future()
        self.life = asyncio.create_task(self._live())
        """Ends when the person has left, or was sent away."""

    @property
    def is_lost(self) -> bool:
        """Whether the page has lost its connection and not come back yet."""
        return self._expiry is not None

    def belongs_to(self, actor: Actor | None) -> bool:
        return _who(self._actor) == _who(actor)

    async def mount(self, transport: Transport, shown: object) -> None:
        """Answer `hello` of a page that shows the tree with the hash `shown`, then drive it."""
        await asyncio.wait((self._opened, self.life), return_when=asyncio.FIRST_COMPLETED)
        await self._drive(transport, lambda: self._mounted(shown))

    def can_resume(self, received: int) -> bool:
        return not self.life.done() and self._view.failure is None and self._outbox.can_rewind(received)

    async def resume(self, transport: Transport, received: int) -> None:
        """Go on with a page that has `received` frames of ours; it then sends again what we have not seen."""
        while (attached := self._attached) is not None:  # a socket that is dead and does not know it
            self._attached = None
            attached.cancel()
            await asyncio.wait([attached])
        if self._expiry:
            self._expiry.cancel()
            self._expiry = None
        self._identified_at = 0.0
        self._outbox.rewind(received)
        self._wake.set()
        await self._drive(transport, lambda: {"type": "resumed", "seq": self._last_seq})

    def leave(self) -> None:
        """The person has left for good: what they did before is still done, within bounds."""
        self._events.put_nowait(None)
        limit = asyncio.get_running_loop().call_later(_FAREWELL_TIMEOUT_S, self.life.cancel)
        self.life.add_done_callback(lambda _life: limit.cancel())  # or it would keep all of this until then

    # Life

    async def _live(self) -> None:
        self._check_later()
        try:
            async with self._view as view:
                await view.settle(_SETTLE_TIMEOUT_S)
                self._opened.set_result(None)
                if self._actor and self._actor.session_id:
                    topic = f"session:{self._actor.session_id}"
                    view.connection.on_close(self._site.core.live.subscribe(topic, lambda _payload: self._check_soon()))
                await self._event_loop()
        except asyncio.CancelledError:
            pass  # the view failed, or what was begun before leaving takes too long
        except Exception:
            log.exception("ui.session_failed")
        finally:
            self._next_check.cancel()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _mounted(self, shown: object) -> Frame:
        tree = None if shown == self._view.hash() else self._view.tree
        self._view.mark_shown()
        self._title = self._view.title
        return {"type": "mount", "tree": tree, "title": self._title, "session": self.id}

    async def _drive(self, transport: Transport, greeting: Callable[[], Frame]) -> None:
        """Send and receive until the socket is lost, another one takes over, or the session ends.
        A greeting that was made already would be kept as long as that."""
        attached = self._attached = asyncio.create_task(self._exchange(transport, greeting))
        try:
            await asyncio.wait((attached, self.life), return_when=asyncio.FIRST_COMPLETED)
            if self.life.done():
                await self._say_goodbye(transport, attached)
            elif not attached.cancelled():
                self._lose(attached.result())
        finally:
            attached.cancel()
            if self._attached is attached:
                self._attached = None

    async def _exchange(self, transport: Transport, greeting: Callable[[], Frame]) -> int:
        """Answers the code with which the socket was closed."""
        try:
            await transport.send(encoded(greeting()))
            sending = asyncio.create_task(self._send_loop(transport))
            try:
                await self._receive_loop(transport)
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
        except TransportClosed as lost:
            return lost.code

    def _lose(self, code: int) -> None:
        if code in _LEFT:
            self.leave()
        else:
            self._expiry = asyncio.get_running_loop().call_later(self._site.core.settings.resume_s, self.leave)

    async def _say_goodbye(self, transport: Transport, attached: asyncio.Task[int]) -> None:
        attached.cancel()
        await asyncio.wait([attached])
        with suppress(TransportClosed):
            await self._flush(transport)
            await transport.close(self._close_code)

    # In

    async def _receive_loop(self, transport: Transport) -> NoReturn:
        while True:
            try:
                frame = self._read(await transport.receive())
            except MalformedFrame:
                self._refuse_nonsense()
                continue
            if frame is not None:
                self._take(frame)

    def _read(self, text: str) -> Frame | None:
        if len(text) > _MAX_FRAME_CHARACTERS:
            self._queue({"type": "refused", "sentence": t("That was too much to send at once. Upload long content as a file.")})
            if seq := _SEQ.search(text[:200]):
                self._last_seq = max(self._last_seq, int(seq[1]))
                self._queue({"type": "done", "seq": int(seq[1])})
            return None
        frame = read_frame(text)
        if frame is None:
            self._refuse_nonsense()
        return frame

    def _refuse_nonsense(self) -> None:
        self._queue({"type": "refused", "sentence": t("The server did not understand the page. Load it again.")})

    def _take(self, frame: Frame) -> None:
        received, seq = frame.get("received"), frame.get("seq")
        if isinstance(received, int):
            self._outbox.confirm(received)
        if frame.get("type") == "ping":
            self._queue({"type": "pong"})
            return
        if isinstance(seq, int):
            if seq <= self._last_seq:
                return  # sent again after a reconnect, though it had arrived
            self._last_seq = seq
        if not self._may_send() or len(self._events) >= _MAX_WAITING_EVENTS:
            self._queue({"type": "refused", "sentence": t("Too much happened at once. Wait a moment and try again.")})
            self._queue({"type": "done", "seq": seq or 0, "refused": True})
            return
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
            if frame is None or not await self._is_still_allowed(is_use=frame is not _CHECK):
                return
            await self._answer(frame)

    async def _answer(self, frame: Frame) -> None:
        received_at.set(frame["received_at"])
        match frame:
            case {"type": "event", "target": str(target), "seq": int(seq)}:
                data = frame.get("data")
                await self._handle(target, cast(dict[str, Any], data) if isinstance(data, dict) else {}, seq)
            case {"type": "location", "path": str(path)}:
                self._relocate(path)
            case {"type": "fault", "id": str(error_id), "part": str(part), "message": str(message)}:
                self._log_fault(error_id, part, message)
            case {"type": "check"}:
                return
            case _:
                self._refuse_nonsense()
        await self._view.rendered()  # the next handler must see what this one did
        if self._view.is_settled:
            self._queue({"type": "done", "seq": frame.get("seq", 0)})
        else:
            self._later(self._settle(frame.get("seq", 0)))

    async def _settle(self, seq: int) -> None:
        """Say `done` once the queries that an event started are shown; the next event need not wait for them."""
        await self._view.settle(_SETTLE_TIMEOUT_S)
        self._queue({"type": "done", "seq": seq})

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _handle(self, target: str, data: dict[str, Any], seq: int) -> None:
        try:
            if await self._view.handle(target, data, seq):
                self._last_handled = (target, received_at.get())
            else:
                self._tell_too_late(target)
        except Exception as error:
            self._queue({"type": "toast", "message": sentence_of(error, while_doing="event"), "variant": "error"})

    def _log_fault(self, error_id: str, part: str, message: str) -> None:
        """The browser shows this id beside the part of the page that failed there. What it says is only quoted, within bounds."""
        self._faults += 1
        if self._faults <= _MAX_FAULTS:
            log.warning("ui.browser_failed", error_id=error_id[:8], part=part[:100], message=message[:500])

    def _tell_too_late(self, target: str) -> None:
        """What was pressed has gone. Nobody misses an event of a field that is gone, nor the second half of a double click."""
        log.info("ui.event_too_late", target=target)
        pressed, at = self._last_handled
        if event_of(target) in _OF_FIELDS or (target == pressed and received_at.get() - at < _DOUBLE_CLICK_S):
            return
        sentence = t("The page changed before your click arrived. Look again, and repeat it if you still want it.")
        self._queue({"type": "toast", "message": sentence, "variant": "info"})

    def _check_later(self) -> None:
        self._next_check = asyncio.get_running_loop().call_later(_IDLE_CHECK_S, self._check_while_idle)

    def _check_while_idle(self) -> None:
        """A session that has expired ends although nothing happens."""
        self._check_soon()
        self._check_later()

    def _check_soon(self) -> None:
        self._identified_at = 0.0
        self._events.put_nowait(_CHECK)

    async def _is_still_allowed(self, *, is_use: bool) -> bool:
        """Check again who this is; a role that changed may lead elsewhere, a session that ended ends the socket."""
        if self._actor is None or time.monotonic() - self._identified_at < _IDENTITY_MAX_AGE_S:
            return True
        actor = await self._site.recognise(self._actor, is_use=is_use)
        self._identified_at = time.monotonic()
        if actor is None or actor.id != self._actor.id:
            self._close_code = _SESSION_ENDED
            return False
        if actor != self._actor:
            self._actor = self._view.connection.actor = actor
            self._relocate(self._view.found.location.address)
        return True

    def _route(self, address: str) -> Found | None:
        for _ in range(5):
            found = self._site.router.route(address, self._actor)
            if not isinstance(found, Redirect):
                return found
            address = found.path
            self._queue({"type": "navigate", "path": address, "replace": True})
        return None

    def _relocate(self, address: str) -> None:
        """Show what is at `address`. A redirect is followed here and in the browser."""
        found = self._route(address)
        if found is None:
            return
        if found.location.path != self._view.found.location.path:
            self._site.on_view(found.screen.path, self._actor, self._view.connection.language)
        self._view.move(found)

    # Out

    def _queue(self, frame: Frame) -> None:
        self._frames.append(frame)
        self._wake.set()

    async def _send_loop(self, transport: Transport) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_REST_AFTER_S):
                    await self._wake.wait()
            if not self._wake.is_set():
                self._view.rest()
                await self._wake.wait()
            self._wake.clear()
            if self._view.failure is not None:
                log.error("ui.view_failed", exc_info=self._view.failure)
                self.life.cancel()
                return
            await self._flush(transport)

    async def _flush(self, transport: Transport) -> None:
        for frame in self._changes():
            self._outbox.add(encoded(frame))
        while (text := self._outbox.take()) is not None:
            await transport.send(text)

    def _changes(self) -> Iterator[Frame]:
        # `done` promises that the changes have been sent: changes first.
        frames, self._frames = self._frames, []
        if operations := self._view.take_operations():
            yield {"type": "patch", "ops": operations}
        if self._view.title != self._title:
            self._title = self._view.title
            yield {"type": "title", "title": self._title}
        yield from frames


_CHECK: Frame = {"type": "check", "received_at": 0.0}


def read_frame(text: str) -> Frame | None:
    """None when `text` is no JSON object."""
    try:
        frame = json.loads(text)
    except ValueError:
        return None
    return cast(Frame, frame) if isinstance(frame, dict) else None


def encoded(frame: Frame) -> str:
    return to_json(frame).decode()  # in a third of json's time


def _who(actor: Actor | None) -> tuple[object, object] | None:
    return (actor.id, actor.session_id) if actor else None

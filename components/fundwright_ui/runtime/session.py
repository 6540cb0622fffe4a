"""The server side of one open page: handles its events in order and sends changes of the tree as patches."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast

import structlog

from fundwright_ui.runtime import frames
from fundwright_ui.runtime.bundle import Bundle
from fundwright_ui.runtime.connection import Connection, Frame, Move, toast_frame
from fundwright_ui.runtime.diff import Node
from fundwright_ui.runtime.encoding import encode
from fundwright_ui.runtime.events import MalformedPayload, received_at
from fundwright_ui.runtime.faults import sentence_of
from fundwright_ui.runtime.host import Actor, Host, current_language, t, using_language
from fundwright_ui.runtime.layout import event_of
from fundwright_ui.runtime.outbox import Outbox
from fundwright_ui.runtime.painted import PaintedPages
from fundwright_ui.runtime.render_slots import Allowances, Owner, RenderSlot, RenderSlots
from fundwright_ui.runtime.router import WORKSPACE, Found, Redirect, Router
from fundwright_ui.runtime.transport import MalformedFrame, Transport, TransportClosed
from fundwright_ui.runtime.view import Shell, View
from fundwright_ui.runtime.waiting import Event, Queue, cancel

log = structlog.get_logger()


_MAX_FRAME_CHARACTERS = 1_000_000
_MAX_WAITING_EVENTS = 200
_MAX_UNSENT_FRAMES = 1_000
_MAX_HANDLERS_AT_ONCE = 4
_MAX_FAULTS = 20
_MAX_LOGGED_CHARACTERS = 200
_HEAD_START_S = 0.15
_SETTLE_TIMEOUT_S = 1.0
_SIGNED_OUT_TIMEOUT_S = 3.0
_IDENTITY_MAX_AGE_S = 1.0
_RECOGNIZE_TIMEOUT_S = 10.0
_IDLE_CHECK_S = 60.0
_FIRST_RETRY_S = 0.5
_LONGEST_RETRY_S = 10.0
_IDLE_AFTER_S = 2.0
KEEP_ALIVE_S = 4.0
_SESSION_ENDED = 4401
_POLICY = 1008
_FAILED = 1011
_LEFT = frozenset((1000, 1001))
_DOUBLE_CLICK_S = 1.0
_OF_FIELDS = frozenset(("onChange", "onInput", "onFocus", "onBlur", "onKeyDown"))
_SEQ = re.compile(r'"seq":\s*(\d{1,9})')


@dataclass(frozen=True)
class Site:
    """The parts that all pages of an application share."""

    host: Host
    router: Router
    shell: Shell
    bundle: Bundle
    base: str
    painted: PaintedPages
    render_slots: RenderSlots
    event_slots: RenderSlots
    allowances: Allowances


class Session:
    """Outlives its transport for a while, so that a page that reconnects continues with the same state. `painted` is the view of the page's
    first paint, if it is still there."""

    def __init__(
        self,
        site: Site,
        transport: Transport,
        actor: Actor | None,
        found: Found,
        *,
        owner: Owner,
        painted: View | None = None,
    ) -> None:
        self.id = secrets.token_urlsafe(16)
        self.owner = owner
        self._site = site
        self._actor = actor
        self._identified_at = 0.0
        self._identifying = asyncio.Lock()
        self._is_paused = False
        self._moves: list[str] = []
        self._is_leaving = False
        self._frames: list[str] = []
        self._taken = Event()
        self._outbox = Outbox()
        self._wake = Event()
        self._events = Queue[tuple[frames.Numbered, float] | None]()
        self._last_seq = 0
        self._allowance = site.allowances.of(owner)
        self._last_handled = ("", 0.0)
        self._last_location = 0
        self._moved_at = 0.0
        self._faults = 0
        self._malformed = 0
        self._is_connected = False
        self._attached: asyncio.Task[int] | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._ending: str | None = None
        self._close_code = _FAILED
        self._title = ""
        self._tasks: dict[asyncio.Task[None], str] = {}
        """The running tasks, each with the target of its handler; "" for tasks that are not handlers."""
        self._slots = asyncio.Semaphore(_MAX_HANDLERS_AT_ONCE)
        self._is_painted = painted is not None
        client = site.host.client_of(transport.request)
        if painted is None:
            connection = Connection(
                site.host.core,
                actor,
                location=found.location,
                language=current_language(),
                base=site.base,
                is_live=True,
                client=client,
                send=self._queue,
                move=self._move,
                act_for=site.host.act_for,
            )
            self._view = View(connection, found, site.shell, on_change=self._wake.set)
        else:
            self._view = painted
            painted.open(self._wake.set)
            painted.connection.open(actor, client, send=self._queue, move=self._move)
        self._opened = Event()
        self.life = asyncio.create_task(self._live())
        """Ends when the page is left, evicted, or signed out."""

    @property
    def is_lost(self) -> bool:
        """Whether the page has lost its connection and may still come back."""
        return self._expiry is not None and self._ending is None

    @property
    def is_ending(self) -> bool:
        return self._ending is not None

    def belongs_to(self, actor: Actor | None) -> bool:
        return _identity_of(self._actor) == _identity_of(actor)

    async def mount(self, transport: Transport, hello: frames.Hello, slot: RenderSlot) -> None:
        """Respond to `hello` once the tree may replace what the page shows, then exchange frames. Releases `slot` as soon as the
        page is rendered."""
        try:
            await self._drive(transport, lambda: self._mounted(transport, hello, slot))
        finally:
            slot.release()

    def can_resume(self, received: int) -> bool:
        return self._ending is None and self._view.failure is None and self._outbox.can_rewind(received)

    async def resume(self, transport: Transport, received: int) -> None:
        """Continue with a page that has received `received` frames; it then resends what has not arrived here."""
        if self._expiry:
            self._expiry.cancel()
            self._expiry = None
        await self._drive(transport, lambda: self._resumed(received))

    def leave(self, reason: str = "left") -> None:
        """End the session because the page was left. Events that have arrived are still handled, within the handler timeout."""
        self._end(reason, within_s=self._site.host.core.settings.handler_timeout_s)

    def evict(self, sentence: str, code: int) -> None:
        """End the session, so that another page may open. `sentence` and the close code tell the page why, if it is connected."""
        self._queue({"type": "refused", "sentence": sentence})
        self._close_code = code
        self.leave("evicted")

    # Lifecycle

    async def _live(self) -> None:
        started_at = time.monotonic()
        self._site.host.act_for(self._actor)
        self._check_later()
        try:
            async with self._view as view:
                try:
                    self._opened.set()
                    if self._actor and self._actor.session_id:
                        topic = f"session:{self._actor.session_id}"
                        view.connection.on_close(self._site.host.core.live.subscribe(topic, lambda _payload: self._check_soon()))
                    while await self._process_next():
                        pass
                    await self._finish_handlers()
                finally:
                    await cancel(self._tasks)
        except asyncio.CancelledError:
            self._ending = self._ending or "canceled"
        except Exception:
            log.exception("ui.session_failed")
        finally:
            self._next_check.cancel()
            if self._expiry:
                self._expiry.cancel()
            log.info("ui.session_ended", reason=self._ending or "failed", seconds=round(time.monotonic() - started_at, 1))

    def _end(self, reason: str, *, within_s: float) -> None:
        """Accept no more events, and cancel the session after `within_s` seconds if it has not ended by then."""
        if self._ending is not None:
            return
        self._ending = reason
        self._events.put_nowait(None)
        limit = asyncio.get_running_loop().call_later(within_s, self.life.cancel)
        self.life.add_done_callback(lambda _life: limit.cancel())  # otherwise the timer would keep the session alive

    async def _finish_handlers(self) -> None:
        if handlers := [task for task, target in self._tasks.items() if target]:
            await asyncio.wait(handlers)

    async def _mounted(self, transport: Transport, hello: frames.Hello, slot: RenderSlot) -> Frame:
        # The person may have signed out after the connection was authenticated and before the session subscribed to that event,
        # while `hello` or a slot was awaited.
        if not await self._is_still_allowed(is_use=False):
            await asyncio.wait((self.life,))
            raise TransportClosed(self._close_code)
        tree: Node | None = None
        if not self._is_painted:
            try:
                await self._until_ready(transport, hello)
            except TransportClosed:
                self.leave()  # the page has not learned the session id, so it cannot resume
                raise
        slot.release()
        if self._view.failure is not None:
            raise self._view.failure
        if self._is_painted:
            self._wake.set()  # for what has changed since the paint
        else:
            tree = None if hello.hash == self._view.hash() else self._view.tree
            self._view.mark_shown()
        self._title = self._view.title
        return {"type": "mount", "tree": tree, "title": self._title, "session": self.id, "build": self._site.bundle.id}

    async def _until_ready(self, transport: Transport, hello: frames.Hello) -> None:
        """Wait until the tree may replace the content of the page, because the person may already be typing on it.

        A complete page stays as it is until every query has a result; if one fails, the page gets a message. A page that was
        painted while it was loading continues as soon as the tree is the same. An empty page waits at most a second.
        """
        view = self._view
        began_at = sent_at = time.monotonic()
        is_notified = False
        while view.failure is None:
            await view.rendered()
            wait_s = KEEP_ALIVE_S
            if view.is_settled:
                if not (hello.complete and view.connection.failing):
                    return
                if not is_notified:
                    is_notified = True
                    await transport.send(encode({"type": "refused", "sentence": _out_of_date(view.connection)}))
            elif not hello.complete:
                if hello.hash == view.hash():
                    return
                if hello.hash is None:
                    wait_s = began_at + _SETTLE_TIMEOUT_S - time.monotonic()
                    if wait_s <= 0:
                        return
            await view.next_rendering(wait_s)
            if time.monotonic() - sent_at >= KEEP_ALIVE_S:
                sent_at = time.monotonic()
                await transport.send(encode({"type": "pong"}))

    async def _resumed(self, received: int) -> Frame:
        self._identified_at = 0.0
        self._view.connection.set_reachable(True)
        self._outbox.rewind(received)
        self._wake.set()
        if self._is_paused:
            self._send_pause()
        return {"type": "resumed", "seq": self._last_seq}

    async def _drive(self, transport: Transport, first_frame: Callable[[], Awaitable[Frame]]) -> None:
        """Exchange frames until the transport is lost, another one replaces it, or the session ends.

        Every way out is logged. Afterward, the session either waits a limited time for its page to reconnect, or ends. An internal
        error ends it, because its state may be inconsistent; the page then starts a new session.
        """
        attached = self._attached = asyncio.create_task(self._exchange(transport, self._attached, first_frame))
        code = _FAILED
        try:
            await asyncio.wait((attached, self.life), return_when=asyncio.FIRST_COMPLETED)
            if self.life.done():
                await self._close_transport(transport, attached)
            elif not attached.cancelled():
                code = attached.result()
        except Exception:
            log.exception("ui.exchange_failed")
            self._ending = "failed"
            self.life.cancel()
            await transport.close(_FAILED)
        finally:
            attached.cancel()
            if self._attached is attached:
                self._attached = None
                self._detach(code)

    async def _exchange(
        self, transport: Transport, earlier: asyncio.Task[int] | None, first_frame: Callable[[], Awaitable[Frame]]
    ) -> int:
        """Returns the close code of the transport. `first_frame` is a function, so that the frame is not kept in memory."""
        if earlier is not None:  # a dead transport whose loss was not noticed
            earlier.cancel()
            await asyncio.wait((earlier,))
            del earlier
        self._is_connected = False
        await self._opened.wait()
        code = _FAILED
        try:
            await transport.send(encode(await first_frame()))
            self._is_connected = True
            async with asyncio.TaskGroup() as both:
                await self._receive_loop(transport, both.create_task(self._send_loop(transport)))
        except* TransportClosed as closed:
            code = cast(TransportClosed, closed.exceptions[0]).code
        return code

    def _detach(self, code: int) -> None:
        if self.life.done() or self._ending is not None:
            return
        if code in _LEFT:
            self.leave()
        else:
            log.info("ui.connection_lost", code=code)
            self._view.connection.set_reachable(False)
            resume_s = self._site.host.core.settings.resume_s
            self._expiry = asyncio.get_running_loop().call_later(resume_s, self.leave, "not resumed")

    async def _close_transport(self, transport: Transport, attached: asyncio.Task[int]) -> None:
        attached.cancel()
        await asyncio.wait((attached,))
        with suppress(TransportClosed):
            if self._is_connected:
                await self._flush(transport)
            await transport.close(self._close_code)

    # Receiving

    async def _receive_loop(self, transport: Transport, sending: asyncio.Task[None]) -> NoReturn:
        while True:
            text = await _received(transport)
            if not self._allowance.count():
                await transport.close(_POLICY)
                raise TransportClosed(_POLICY)
            self._read(text)
            # Backpressure: read nothing from a page that does not read.
            while len(self._frames) > _MAX_UNSENT_FRAMES and not sending.done():
                self._taken.clear()
                await self._taken.wait()

    def _read(self, text: str) -> None:
        if len(text) > _MAX_FRAME_CHARACTERS:
            self._refuse(t("That was too much to send at once. Upload long content as a file."), text)
            return
        frame = frames.read_frame(text)
        if frame is None or isinstance(frame, frames.Hello):
            self._refuse(_not_understood(), text)
            return
        if frame.received is not None:
            self._outbox.confirm(frame.received)
        if isinstance(frame, frames.Ping):
            self._queue({"type": "pong"})
        elif frame.seq > self._last_seq:  # otherwise it was resent after a reconnect although it had arrived
            self._last_seq = frame.seq
            self._take(frame)

    def _refuse(self, sentence: str, text: str) -> None:
        """Tell the page why `text` is refused, and mark its sequence number as done."""
        self._queue({"type": "refused", "sentence": sentence})
        if seq := _SEQ.search(text[:200]):
            self._last_seq = max(self._last_seq, int(seq[1]))
            self._queue({"type": "done", "seq": int(seq[1])})

    def _take(self, frame: frames.Numbered) -> None:
        if self._allowance.is_used_up or len(self._events) + len(self._tasks) >= _MAX_WAITING_EVENTS:
            self._queue({"type": "refused", "sentence": t("Too many actions at once. Wait a moment and try again.")})
            self._queue({"type": "done", "seq": frame.seq, "refused": True})
            return
        self._events.put_nowait((frame, time.monotonic()))

    # Events

    async def _process_next(self) -> bool:
        """Process the next frame. A separate function, so that an idle page keeps no reference to it. Returns False at the end."""
        arrived = await self._events.get()
        if arrived is None or not await self._is_still_allowed(is_use=True):
            return False
        match arrived:
            case frames.Event() as event, at:
                await self._begin(event, at, await self._site.event_slots.acquire(self.owner))
            case frames.Moved() as moved, at:
                self._last_location, self._moved_at = moved.seq, at
                slot = await self._site.event_slots.acquire(self.owner)
                await self._follow(moved.path)
                self._later(self._answer_move(moved.seq, slot))
            case frames.Fault() as fault, _:
                self._log_fault(fault.id, fault.part, fault.message)
                self._later(self._answer(fault.seq))
        return True

    async def _begin(self, event: frames.Event, at: float, slot: RenderSlot) -> None:
        """Start the handler of `event`. Later events start when it has ended, or after its head start. `slot` is released once its changes
        are rendered."""
        earlier = [task for task, target in self._tasks.items() if _must_precede(target, event.target)]
        handling = self._later(self._handle(event, at, earlier, slot), event.target)
        if not earlier:
            await asyncio.wait((handling,), timeout=_HEAD_START_S)

    async def _handle(self, event: frames.Event, at: float, earlier: Sequence[asyncio.Task[None]], slot: RenderSlot) -> None:
        received_at.set(at)
        try:
            if earlier:
                await asyncio.wait(earlier)
            async with self._slots:
                await self._view.rendered()  # a handler must see the changes of earlier handlers
                if await self._is_still_allowed(is_use=True):
                    self._site.host.act_for(self._actor)
                    await self._run_handler(event)
            await self._answer(event.seq)
        finally:
            slot.release()

    async def _answer_move(self, seq: int, slot: RenderSlot) -> None:
        try:
            await self._answer(seq)
        finally:
            slot.release()

    async def _run_handler(self, event: frames.Event) -> None:
        timeout_s = self._site.host.core.settings.handler_timeout_s
        limit = asyncio.timeout(timeout_s)
        try:
            async with limit:
                is_there = await self._view.handle(event.target, event.data, event.seq)
        except asyncio.CancelledError as canceled:
            if cast(asyncio.Task[None], asyncio.current_task()).cancelling():
                raise
            self._report_failure(RuntimeError("a handler raised CancelledError"), canceled)
        except MalformedPayload:
            self._report_malformed(event.target)
        except Exception as error:
            if limit.expired():
                self._report_timeout(event.target, timeout_s)
            else:
                self._report_failure(error)
        else:
            if is_there:
                self._last_handled = (event.target, received_at.get())
            else:
                self._report_missing_target(event.target)

    async def _answer(self, seq: int) -> None:
        """Send `done` once the changes of the event and the results of the queries that it started have been rendered."""
        await self._view.rendered()
        if self._view.is_settled:
            self._queue({"type": "done", "seq": seq})
        else:
            self._later(self._settle(seq))  # the next event need not wait for the queries

    async def _settle(self, seq: int) -> None:
        await self._view.settle(_SETTLE_TIMEOUT_S)
        self._queue({"type": "done", "seq": seq})

    def _later(self, work: Coroutine[Any, Any, None], target: str = "") -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=target or None)
        self._tasks[task] = target
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("ui.session_failed", exc_info=error)
            self.life.cancel()

    def _report_failure(self, error: Exception, cause: BaseException | None = None) -> None:
        error.__cause__ = cause or error.__cause__
        self._queue(toast_frame(sentence_of(error, while_doing="event"), "error"))

    def _report_malformed(self, target: str) -> None:
        """Refuse the event like a malformed frame. The log names the handler, shortened, for the author of a widget."""
        self._malformed += 1
        if self._malformed <= _MAX_FAULTS:
            log.info("ui.payload_malformed", target=target[:_MAX_LOGGED_CHARACTERS])
        self._queue({"type": "refused", "sentence": _not_understood()})

    def _report_timeout(self, target: str, timeout_s: float) -> None:
        log.warning("ui.handler_timed_out", target=target, timeout_s=timeout_s)
        sentence = t(
            "This took longer than {seconds} seconds and was canceled. Before you try again, check whether it went through.",
            seconds=f"{timeout_s:g}",
        )
        self._queue(toast_frame(sentence, "error"))

    def _log_fault(self, error_id: str, part: str, message: str) -> None:
        """Log a failure in the browser, which shows the same id beside the failed part of the page. The message is shortened."""
        self._faults += 1
        if self._faults <= _MAX_FAULTS:
            log.warning("ui.browser_failed", error_id=error_id[:8], part=part[:100], message=message[:500])

    def _report_missing_target(self, target: str) -> None:
        """Tell the person that the target no longer exists, except for events of fields and the second click of a double
        click."""
        log.info("ui.event_too_late", target=target[:_MAX_LOGGED_CHARACTERS])
        pressed, at = self._last_handled
        if event_of(target) in _OF_FIELDS or (target == pressed and received_at.get() - at < _DOUBLE_CLICK_S):
            return
        sentence = t("The page changed before your click arrived. Check it and try again.")
        self._queue(toast_frame(sentence, "info"))

    # Authentication

    def _check_later(self) -> None:
        self._next_check = asyncio.get_running_loop().call_later(_IDLE_CHECK_S, self._check_while_idle)

    def _check_while_idle(self) -> None:
        """End an expired session even if the page is idle."""
        if not self._identifying.locked():
            self._check_soon()
        self._check_later()

    def _check_soon(self) -> None:
        """Check the sign-in concurrently with running handlers: a page must not stay open after its sign-in session has ended."""
        self._identified_at = 0.0
        self._later(self._check())

    async def _check(self) -> None:
        with using_language(self._view.connection.language):  # the publisher of the message may have another language
            await self._is_still_allowed(is_use=False)

    async def _is_still_allowed(self, *, is_use: bool) -> bool:
        """Reload the actor. A changed role may lead to another screen; an ended sign-in session ends the page."""
        if self._actor is None:
            return True
        async with self._identifying:
            if self._close_code == _SESSION_ENDED:
                return False
            if time.monotonic() - self._identified_at < _IDENTITY_MAX_AGE_S:
                return True
            self._identified_at = time.monotonic()  # before: what changes meanwhile is checked again
            actor = await self._recognize(self._actor, is_use=is_use)
            if actor is None or actor.id != self._actor.id:
                self._close_code = _SESSION_ENDED
                self._queue({"type": "ended"})
                self._end("signed out", within_s=_SIGNED_OUT_TIMEOUT_S)  # the handler that ended it may still send something
                return False
            if actor != self._actor:
                self._actor = self._view.connection.actor = actor
                self._show(self._view.found.location.address)
            return True

    async def _recognize(self, actor: Actor, *, is_use: bool) -> Actor | None:
        """Reload the actor. While that fails, the page is paused: no event is handled, and its state is kept."""
        retry_s = _FIRST_RETRY_S
        while True:
            try:
                async with asyncio.timeout(_RECOGNIZE_TIMEOUT_S):
                    found = await self._site.host.recognize(actor, is_use=is_use)
            except Exception as error:
                self._pause(error)
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, _LONGEST_RETRY_S)
            else:
                self._unpause()
                return found

    def _pause(self, error: Exception) -> None:
        if not self._is_paused:
            self._is_paused = True
            log.warning("ui.session_paused", exc_info=error)
            self._send_pause()

    def _send_pause(self) -> None:
        sentence = t("The server can't reach its database. Your page is kept and will continue automatically.")
        self._queue({"type": "paused", "sentence": sentence})

    def _unpause(self) -> None:
        if self._is_paused:
            self._is_paused = False
            log.info("ui.session_continues")
            self._queue({"type": "paused", "sentence": None})

    # Navigation

    def _has_navigated_since(self) -> bool:
        """Whether the person has moved to another address after the event that is being handled. It then must not navigate."""
        return 0 < received_at.get() < self._moved_at

    def _move(self, wanted: Move) -> None:
        """Navigate because a screen requested it. The browser follows without reporting the move."""
        is_outdated = self._has_navigated_since()
        if wanted.leaves_the_document:
            if is_outdated and wanted.reload:
                self._queue_move(wanted._replace(path=self._view.found.location.address), is_leaving=True)
            elif not is_outdated:
                self._queue_move(wanted, is_leaving=True)
        elif not is_outdated:
            self._show(wanted.path, replace=wanted.replace)

    def _show(self, address: str, *, replace: bool | None = None) -> None:
        """Show the screen at `address`. The browser is there already, unless `replace` is given or a redirect leads elsewhere."""
        routed = self._route(address)
        if routed is None:
            return
        found, path = routed
        is_other_path = found.location.path != self._view.found.location.path
        if is_other_path:
            self._site.host.on_view(found.screen.path, self._actor, self._view.connection.language)
        self._view.move(found)
        if replace is None and path == address:
            return
        self._queue_move(Move(path, replace is not False), is_leaving=is_other_path or replace is False)
        if is_other_path:
            self._later(self._arrive())

    async def _follow(self, address: str) -> None:
        """Show the screen at an address to which the person has moved. The browser loads one that is in another workspace."""
        routed, home = self._route(address), None
        if routed is not None and self._actor is not None:
            try:
                home = await self._site.host.find_home(self._actor, routed[0])
            except Exception:  # the screen, which reads from the same database, says so and tries again
                log.warning("ui.home_unknown", exc_info=True)
        if routed is None or home is None:
            self._show(address)
            return
        location = routed[0].location
        there = replace(location, query={**location.query, WORKSPACE: self._site.host.workspace_of(home)})
        self._queue_move(Move(there.address, replace=True, reload=True), is_leaving=True)

    def _queue_move(self, move: Move, *, is_leaving: bool) -> None:
        self._moves.append(encode({**move.frame(), "after": self._last_location}))
        self._is_leaving = self._is_leaving or is_leaving
        self._wake.set()

    def _route(self, address: str) -> tuple[Found, str] | None:
        """The screen for `address` and where redirects have led, or None after too many redirects."""
        for _ in range(5):
            found = self._site.router.route(address, self._actor)
            if not isinstance(found, Redirect):
                return found, address
            address = found.path
        return None

    async def _arrive(self) -> None:
        """Send `arrived` once the screen that the server navigated to has been sent. For moves of the person, `done` says so."""
        await self._view.settle(_SETTLE_TIMEOUT_S)
        self._queue({"type": "arrived"})

    # Sending

    def _queue(self, frame: Frame) -> None:
        self._frames.append(encode(frame))  # encoded here, so that an unserializable frame fails at its caller
        self._wake.set()

    async def _send_loop(self, transport: Transport) -> None:
        try:
            while True:
                await self._woken()
                self._wake.clear()
                if self._view.failure is not None:
                    raise self._view.failure
                await self._flush(transport)
        except TransportClosed:
            self._taken.set()  # the receiving loop raises the reason

    async def _woken(self) -> None:
        """Wait until there is something to send."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_IDLE_AFTER_S):
                await self._wake.wait()
        if not self._wake.is_set():
            self._view.release_memory()
            await self._wake.wait()

    async def _flush(self, transport: Transport) -> None:
        for frame in self._changes():
            self._outbox.add(frame)
        while (text := self._outbox.take()) is not None:
            await transport.send(text)

    def _changes(self) -> Iterator[str]:
        """Yield the frames that have not been sent yet. Changes come before `done`, which means that they have been sent.

        A move to another path comes before its content, so that the browser can save the scroll position of the page that it leaves.
        A move within the path comes after its content, because the content matters more than the address.
        """
        if self._view.holds_back():
            return
        is_leaving, self._is_leaving = self._is_leaving, False
        moves, self._moves = self._moves, []
        frames, self._frames = self._frames, []
        self._taken.set()
        if is_leaving:
            yield from moves
        if operations := self._view.take_operations():
            yield encode({"type": "patch", "ops": operations})
        if self._view.title != self._title:
            self._title = self._view.title
            yield encode({"type": "title", "title": self._title})
        if not is_leaving:
            yield from moves
        yield from frames


def _must_precede(earlier: str, target: str) -> bool:
    """Whether a handler at `earlier` must end before one at `target` starts: the same handler never runs concurrently with itself,
    and a form is submitted after the events of its fields."""
    return earlier == target or (event_of(target) == "onSubmit" and event_of(earlier) in _OF_FIELDS)


async def _received(transport: Transport) -> str:
    """The next frame, or "" if it is not text."""
    try:
        return await transport.receive()
    except MalformedFrame:
        return ""


def _not_understood() -> str:
    return t("The server could not process a message from this page. Reload the page.")


def _out_of_date(connection: Connection) -> str:
    return " ".join((t("This page may be out of date."), connection.failing[0].failure or ""))


def _identity_of(actor: Actor | None) -> tuple[object, object] | None:
    return (actor.id, actor.session_id) if actor else None

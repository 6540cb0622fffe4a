"""Queries of screens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Generic, TypeVar

from fundwright_ui.hooks.live import use_live
from fundwright_ui.runtime.connection import Connection, use_connection
from fundwright_ui.runtime.faults import sentence_of
from fundwright_ui.runtime.host import Refusal
from fundwright_ui.runtime.layout import at_unmount, can_stay_unchanged, rerenderer, use_kept
from fundwright_ui.runtime.packing import packing_of

T = TypeVar("T")

_SLOW_AFTER_S = 0.15
_SOON_S = 0.3
_PAUSE_FACTOR = 1.0
"""After a load, a live message starts another only after a pause. This is its length, as a multiple of the duration of the load."""


class Query(Generic[T]):
    """The result of a query: `value` is None until the first result arrives.

    The old value is kept during a reload, and also if the reload fails, so that text typed beside it is not lost. After a failed
    reload, the page says above the screen that it may be out of date, and the query is retried automatically.
    """

    def __init__(self, connection: Connection, rerender: Callable[[], None]) -> None:
        self._value: T | None = None
        self._packed = b""
        self._packing = packing_of(None)
        self.failure: str | None = None
        """The error message of the last load, for parts of a page that show it beside an older value."""
        self.is_missing = False
        """The last load was refused with status 404: what the address names does not exist. First paint then responds with 404."""
        self.needs_reauthentication = False
        """The last load was refused until the person re-authenticates. An older value is not shown either."""
        self.is_loading = False
        self.is_slow = False
        """Whether it has been loading for so long that the page should show it. Faster loads show nothing, so that nothing flickers."""
        self.is_stale = False
        """Whether the last load failed and `value` is the result of an earlier one."""
        self.read_at = 0.0
        """When the read of `value` began, in seconds of the clock of the event loop."""
        self._has_answer = False
        self._has_result = False
        self._answered_key: tuple[object, ...] | None = None
        self._connection = connection
        self._rerender = rerender
        self._read: Callable[..., Awaitable[T]] | None = None
        self._with_session = True
        self._key: tuple[object, ...] | None = None
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._is_live_load = False
        self._paused_until = 0.0
        self._is_reload_requested = False
        self._has_message = False
        self._due_since: float | None = None
        connection.on_idle.add(self.release_memory)
        at_unmount(self.close)

    @property
    def error(self) -> str | None:
        """The error message, when there is no value to show instead."""
        return None if self.is_stale else self.failure

    @property
    def is_current(self) -> bool:
        """Whether `value` belongs to the current key, not to an earlier one."""
        return self._has_answer and self._answered_key == self._key

    @property
    def can_wait(self) -> bool:
        """Whether the component may return UNCHANGED until the result for the new key arrives, instead of rendering the old one again.

        The page shows nothing of such a rendering: changes are delayed while a query has just started (`View.holds_back`). The
        component is rendered again when the result arrives or the load becomes slow.
        """
        return self.is_loading and not self.is_slow and self._has_answer and not self.is_current and can_stay_unchanged()

    @property
    def value(self) -> T | None:
        if self._packed:
            self._value, self._packed = self._packing.unpack_value(self._packed), b""
        return self._value

    def release_memory(self) -> None:
        """Pack the result until it is needed."""
        if self._value is not None:
            self._packing = packing_of(getattr(self._read, "__code__", None))
            self._packed = self._packing.pack_value(self._value)
            if self._packed:
                self._value = None

    def reload(self) -> None:
        """Load again. If a load is running, load once more after it; one that a live message started is started over."""
        if self._task is not None and not self._is_live_load:
            self._is_reload_requested = True
            return
        self._start(is_reload=True)
        self._rerender()

    def reload_soon(self) -> None:
        """Load again after the screen that the person is moving to has had time to appear: for less urgent queries."""
        if self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(_SOON_S, self._reload_now)

    def _reload_now(self) -> None:
        self._soon = None
        self.reload()

    def render_next(self) -> None:
        """Render what is read from now on even if it is the same: that it was read again says something."""
        self._due_since = asyncio.get_running_loop().time()

    def on_message(self, _payload: object) -> None:
        """Load again, once for all messages that arrive during a load and the pause after it. Otherwise, a job that reports its
        progress would keep the page loading. Nothing waits for this load, and the page does not show that it is loading."""
        if self._task is not None:
            self._has_message = True
        elif self._soon is None:
            loop = asyncio.get_running_loop()
            self._soon = loop.call_at(max(loop.time(), self._paused_until), self._load_for_message)

    def _load_again(self) -> None:
        self.on_message({})

    def _load_for_message(self) -> None:
        self._start(is_reload=True, is_live=True)

    def ask(self, read: Callable[..., Awaitable[T]], key: tuple[object, ...], *, with_session: bool = True) -> None:
        """Load with `read`, if `key` has changed since the last load."""
        self._read, self._with_session = read, with_session
        before, self._key = self._key, key
        if key != before:
            self._start(is_reload=False)

    def close(self) -> None:
        self._connection.on_idle.discard(self.release_memory)
        self._connection.remove_failing(self)
        self._cancel()

    def _cancel(self) -> None:
        self._stop_timer()
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        if self._task is not None:
            self._task.cancel()

    def _stop_timer(self) -> None:
        self.is_slow = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _mark_slow(self) -> None:
        self.is_slow = True
        self._rerender()

    def _start(self, *, is_reload: bool, is_live: bool = False) -> None:
        self._cancel()
        if not is_live:
            self._timer = asyncio.get_running_loop().call_later(_SLOW_AFTER_S, self._mark_slow)
        self.is_loading = not is_live
        self._is_live_load = is_live
        self._is_reload_requested = self._has_message = False
        self._task = self._connection.run_query(
            self._run(), is_first=not self._has_result, is_reload=is_reload, is_live=is_live, again=self._load_again
        )

    async def _read_once(self) -> T:
        assert self._read is not None
        if not self._with_session:
            return await self._read()
        async with self._connection.reading() as session:
            return await self._read(session)

    async def _run(self) -> None:
        key = self._key
        loop = asyncio.get_running_loop()
        began_at = loop.time()
        is_unchanged = False
        try:
            value = await self._read_once()
            due_since = self._due_since
            if due_since is not None and began_at > due_since:
                self._due_since = None
            is_unchanged = (
                self._is_live_load
                and due_since is None
                and self.failure is None
                and key == self._answered_key
                and self._shows(value)
            )
            if not is_unchanged:
                self._value, self._packed = value, b""
            self.read_at = began_at
            self._has_answer, self._answered_key = True, key
            self.failure, self.is_missing, self.needs_reauthentication, self.is_stale = None, False, False, False
            self._connection.remove_failing(self)
        except Exception as error:
            if _is_gone(error):  # the handler that removed the item may be about to navigate away
                await self._connection.wait_for_handlers()
            self._fail(error)
        self._has_result = True
        self.is_loading = False
        self._stop_timer()
        self._task = None
        self._paused_until = loop.time() + _PAUSE_FACTOR * (loop.time() - began_at)
        if self._is_reload_requested:
            self._start(is_reload=True)
        elif self._has_message:
            self.on_message({})
        if not is_unchanged:
            self._rerender()

    def _shows(self, value: T) -> bool:
        """Whether this value is shown already, as after most messages, so that rendering would change nothing. What is packed stays packed. The
        same object does not count if it may have been changed."""
        shown = self._packing.unpack_value(self._packed) if self._packed else self._value
        return bool(value == shown) and (value is not shown or value is None or isinstance(value, int | str))

    def _fail(self, error: Exception) -> None:
        self.failure = sentence_of(error, while_doing="query")
        is_gone = _is_gone(error)
        self.needs_reauthentication = isinstance(error, Refusal) and error.needs_reauthentication
        self.is_stale = (
            self._has_answer and not self.needs_reauthentication and not (is_gone and not self._connection.has_text_field())
        )
        self.is_missing = is_gone and not self.is_stale
        self._connection.is_missing = self._connection.is_missing or self.is_missing
        if self.is_stale or not _is_refusal(error):
            self._connection.add_failing(self)
        else:
            self._connection.remove_failing(self)


def _is_gone(error: Exception) -> bool:
    return isinstance(error, Refusal) and error.status == HTTPStatus.NOT_FOUND


def _is_refusal(error: Exception) -> bool:
    """Whether a retry would fail in the same way."""
    return isinstance(error, Refusal) and error.status < HTTPStatus.INTERNAL_SERVER_ERROR


def use_query(
    read: Callable[..., Awaitable[T]],
    *,
    key: Sequence[object] = (),
    topics: Sequence[str] = (),
    with_session: bool = True,
) -> Query[T]:
    """Load the result of `read(session)`, and again when `key` changes or a message on one of the live `topics` arrives.

    The session is one of `Connection.reading`, so `read` cannot write. With `with_session=False`, `read()` gets no session. Use
    that for reads that wait for a language model, write, or need a transaction.

    First paint waits for the result (at most about a second), so that the page arrives complete. The result is packed while the
    page is idle and is then an equal object, not the same one: do not change it.
    """
    connection = use_connection()
    query: Query[T] = use_kept(lambda: Query(connection, rerenderer()))
    query.ask(read, tuple(key), with_session=with_session)
    use_live(topics, query.on_message)
    return query

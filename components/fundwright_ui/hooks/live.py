"""Things that change by themselves."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, cast

import structlog
from reactpy import use_ref

from fundwright_ui.runtime.connection import Connection, use_connection
from fundwright_ui.runtime.layout import at_unmount

log = structlog.get_logger()

LiveCallback = Callable[[dict[str, Any]], Awaitable[None] | None]


class Subscription:
    """Follows a changing set of topics while its component is mounted; does nothing during first paint."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open: dict[str, Callable[[], None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.callback: LiveCallback = lambda _payload: None

    def follow(self, topics: Iterable[str]) -> None:
        if not self._connection.is_live:
            return
        wanted = set(topics)
        for topic in set(self._open) - wanted:
            self._open.pop(topic)()
        for topic in wanted - set(self._open):
            self._open[topic] = self._connection.core.live.subscribe(topic, self._heard)

    def close(self) -> None:
        for end in self._open.values():
            end()
        self._open.clear()
        for task in self._tasks:
            task.cancel()

    def _heard(self, payload: dict[str, Any]) -> None:
        answer = self.callback(payload)
        if inspect.isawaitable(answer):
            task = asyncio.ensure_future(self._finish(answer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _finish(self, answer: Awaitable[None]) -> None:
        try:
            await answer
        except Exception:
            log.exception("live.callback_failed")


def use_live(topic: str | Iterable[str] | None, callback: LiveCallback) -> None:
    """Call `callback(payload)` for every message on `topic` (or several); the payload may be empty: then read afresh."""
    connection = use_connection()
    holder = use_ref(cast("Subscription | None", None))
    if holder.current is None:
        subscription = holder.current = Subscription(connection)
        connection.on_close(subscription.close)
        at_unmount(lambda: connection.close_now(subscription.close))
    holder.current.callback = callback
    holder.current.follow([topic] if isinstance(topic, str) else topic or ())

"""Subscriptions to live topics."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import structlog

from fundwright_ui.runtime.connection import Connection, use_connection
from fundwright_ui.runtime.layout import at_unmount, use_kept

log = structlog.get_logger()

LiveCallback = Callable[[Any], Awaitable[None] | None]
"""Takes the messages of a topic, each as it was published, or `{}`."""

_NOTHING: Mapping[str, Callable[[], None]] = MappingProxyType({})


class Subscription:
    """Follow a changing set of topics while the component is mounted. What arrives between first paint and its socket counts as one empty
    message when the page opens; if no socket can continue the painted page, follows nothing."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open: Mapping[str, Callable[[], None]] = _NOTHING
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._is_begun = False
        self.callback: LiveCallback = lambda _payload: None

    def follow(self, topics: Iterable[str]) -> None:
        if not self._connection.is_subscribing:
            return
        wanted = set(topics)
        if wanted and not self._is_begun:
            self._is_begun = True
            self._connection.on_close(self.close)
            at_unmount(self._leave)
        if wanted == set(self._open):
            return
        for topic in self._open.keys() - wanted:
            self._open[topic]()
        subscribe = self._connection.core.live.subscribe
        self._open = {topic: self._open.get(topic) or subscribe(topic, self._on_message) for topic in wanted}

    def close(self) -> None:
        for end in self._open.values():
            end()
        self._open = _NOTHING
        for task in self._tasks:
            task.cancel()

    def _leave(self) -> None:
        self._connection.close_now(self.close)

    def _on_message(self, payload: Mapping[str, object]) -> None:
        if self._connection.is_painting:
            self._connection.when_open(self._catch_up)
            return
        returned = self.callback(payload)
        if inspect.isawaitable(returned):
            task = asyncio.ensure_future(self._finish(returned))
            self._tasks = (*self._tasks, task)
            task.add_done_callback(self._forget)

    def _catch_up(self) -> None:
        self._on_message({})

    def _forget(self, done: asyncio.Task[None]) -> None:
        self._tasks = tuple(task for task in self._tasks if task is not done)

    async def _finish(self, returned: Awaitable[None]) -> None:
        try:
            await returned
        except Exception:
            log.exception("live.callback_failed")


def use_live(topic: str | Iterable[str] | None, callback: LiveCallback) -> None:
    """Call `callback(payload)` for every message on `topic` (or several). An empty payload means that messages may have been lost, so read again."""
    connection = use_connection()
    subscription = use_kept(lambda: Subscription(connection))
    subscription.callback = callback
    subscription.follow([topic] if isinstance(topic, str) else topic or ())

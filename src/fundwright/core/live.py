"""Live topics: a notification published in a transaction reaches every process once it commits (LISTEN/NOTIFY)."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import psycopg
import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_CHANNEL = "fundwright_live"
_MAX_PAYLOAD_BYTES = 7_900  # PostgreSQL refuses 8 000 and more

log = structlog.get_logger()

Listener = Callable[[Any], None]
"""Takes the messages of a topic, each as it was published: `{}`, or what the module that names the topic defines."""


async def publish(session: AsyncSession, topic: str, payload: Mapping[str, object] | None = None) -> None:
    """Notify every subscriber of `topic`. A payload that does not fit is omitted: subscribers then read again."""
    await publish_all(session, topic, [payload or {}])


async def publish_all(session: AsyncSession, topic: str, payloads: Iterable[Mapping[str, object]]) -> None:
    """Like `publish`, but for any number of messages in one statement. They arrive in order."""
    await _notify(session, [_message(topic, payload) for payload in payloads])


async def publish_messages(session: AsyncSession, messages: Iterable[tuple[str, Mapping[str, object]]]) -> None:
    """Like `publish_all`, but each message with its topic."""
    await _notify(session, [_message(topic, payload) for topic, payload in messages])


async def publish_to(session: AsyncSession, topics: Iterable[str]) -> None:
    """Like `publish` without a payload, but for any number of topics in one statement."""
    await _notify(session, [_message(topic, {}) for topic in topics])


async def _notify(session: AsyncSession, messages: Sequence[str]) -> None:
    notify = text("SELECT pg_notify(:channel, message) FROM unnest(CAST(:messages AS text[])) AS message")
    await session.execute(notify, {"channel": _CHANNEL, "messages": messages})


def _message(topic: str, payload: Mapping[str, object]) -> str:
    message = json.dumps({"topic": topic, "payload": payload})
    return message if len(message.encode()) <= _MAX_PAYLOAD_BYTES else json.dumps({"topic": topic, "payload": {}})


class LiveBus:
    """One listening connection per process. Reconnects automatically and then notifies every subscriber once.

    `revive` is called in a thread if no connection can be opened: it may start the server again.
    """

    def __init__(self, url: str, *, revive: Callable[[], None] = lambda: None) -> None:
        self._url = url
        self._revive = revive
        self._listeners: dict[str, set[Listener]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        listening = asyncio.Event()
        self._task = asyncio.create_task(self._listen(listening))
        await listening.wait()

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    @contextmanager
    def subscribed(self, topic: str, listener: Listener) -> Iterator[None]:
        """Call `listener(payload)` on this event loop for every message while the context is open."""
        end = self.subscribe(topic, listener)
        try:
            yield
        finally:
            end()

    def subscribe(self, topic: str, listener: Listener) -> Callable[[], None]:
        """Call `listener(payload)` on this event loop for every message until the returned function is called."""
        self._listeners[topic].add(listener)
        return partial(self._unsubscribe, topic, listener)

    def _unsubscribe(self, topic: str, listener: Listener) -> None:
        self._listeners[topic].discard(listener)
        if not self._listeners[topic]:
            del self._listeners[topic]

    async def _listen(self, listening: asyncio.Event) -> None:
        is_connected = True
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(self._url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {_CHANNEL}")
                    is_connected = True
                    if listening.is_set():
                        for topic in list(self._listeners):
                            self._deliver(topic, {})
                    listening.set()
                    async for notification in connection.notifies():
                        message = json.loads(notification.payload)
                        self._deliver(message["topic"], message["payload"])
            except psycopg.OperationalError as error:
                if is_connected:
                    log.warning("live.disconnected", reason=str(error))
                is_connected = False
                await asyncio.sleep(1)
                try:
                    await asyncio.to_thread(self._revive)
                except Exception as error:  # the bus has to listen again whatever is in the way now
                    log.error("live.no_database", reason=str(error))
                    await asyncio.sleep(4)

    def _deliver(self, topic: str, payload: Mapping[str, object]) -> None:
        for listener in list(self._listeners.get(topic, ())):
            try:
                listener(payload)
            except Exception:
                log.exception("live.listener_failed", topic=topic)

"""Event and Queue that take less memory than asyncio's. Those keep a deque of 0.7 kB each, and an idle page would have nine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import structlog

T = TypeVar("T")

log = structlog.get_logger()

_CANCEL_TIMEOUT_S = 5.0


class Event(asyncio.Event):
    """Keeps its waiters in a list."""

    def __init__(self) -> None:
        super().__init__()
        self._waiters: Any = []


class Queue(Generic[T]):
    """A first-in, first-out queue for one consumer."""

    def __init__(self) -> None:
        self._items: list[T] = []
        self._has_items = Event()

    def __len__(self) -> int:
        return len(self._items)

    def empty(self) -> bool:
        return not self._items

    def put_nowait(self, item: T) -> None:
        self._items.append(item)
        self._has_items.set()

    async def get(self) -> T:
        while not self._items:
            self._has_items.clear()
            await self._has_items.wait()
        return self._items.pop(0)


async def cancel(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel `tasks` and wait until they have ended. A task that suppresses its cancellation is logged and left running, so that it
    does not keep the page open and counted."""
    running = [task for task in tasks if task.cancel()]
    if not running:
        return
    _, stuck = await asyncio.wait(running, timeout=_CANCEL_TIMEOUT_S)
    for task in stuck:
        log.error("ui.not_canceled", task=task.get_name())

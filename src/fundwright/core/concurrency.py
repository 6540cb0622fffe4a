"""Limits concurrent work per account or address, so that nobody has to wait for someone else's many requests, and shares work that is the
same for everyone."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager, suppress
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from fundwright.core.fair_loop import of_the_server

T = TypeVar("T")

_NICENESS = 10


def give_way() -> None:
    """Lower the priority of the current thread: what it computes can wait a little, but everyone's clicks on the event loop should not."""
    if sys.platform == "linux":  # elsewhere, the priority is that of the whole process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


class PartyLimiter:
    """Lets each party do at most `limit` things concurrently. Others wait."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._semaphores = WeakValueDictionary[Hashable, asyncio.Semaphore]()

    @asynccontextmanager
    async def slot(self, party: Hashable) -> AsyncIterator[None]:
        async with self._semaphores.setdefault(party, asyncio.Semaphore(self._limit)):
            yield


class SharedRead(Generic[T]):
    """Reads once for all who ask at the same time, such as hundreds of open pages that receive the same live message.

    Nobody gets a result that was read before they asked: whoever asks during a read gets the result of the next one.
    """

    def __init__(self) -> None:
        self._running: asyncio.Task[T] | None = None
        self._next: asyncio.Task[T] | None = None

    async def result(self, read: Callable[[], Awaitable[T]]) -> T:
        """The result of `read`, or of that of someone else which begins after this call. All `read` the same."""
        if self._next is None:
            self._next = asyncio.create_task(self._read_after(self._running, read), context=of_the_server())
        return await asyncio.shield(self._next)

    async def _read_after(self, earlier: asyncio.Task[T] | None, read: Callable[[], Awaitable[T]]) -> T:
        if earlier is not None:
            with suppress(Exception):
                await earlier
        self._running, self._next = self._next, None
        return await read()

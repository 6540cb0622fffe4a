"""Limits concurrent work per account or address, so that nobody has to wait for someone else's many requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class PartyLimiter:
    """Lets each party do at most `limit` things concurrently. Others wait."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._semaphores = WeakValueDictionary[Hashable, asyncio.Semaphore]()

    @asynccontextmanager
    async def slot(self, party: Hashable) -> AsyncIterator[None]:
        async with self._semaphores.setdefault(party, asyncio.Semaphore(self._limit)):
            yield

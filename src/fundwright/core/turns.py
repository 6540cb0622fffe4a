"""Limits on simultaneous work per account or address, so that nobody waits for somebody else's many requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class FairShares:
    """Let each party do only `at_once` things at a time. Further ones wait."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._turns = WeakValueDictionary[Hashable, asyncio.Semaphore]()

    @asynccontextmanager
    async def turn(self, party: Hashable) -> AsyncIterator[None]:
        async with self._turns.setdefault(party, asyncio.Semaphore(self._at_once)):
            yield

"""Fair shares: whoever asks for much at once waits, and nobody else does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class FairShares:
    """Lets each party do only a few things at once. Its further ones wait for their turn."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._turns = WeakValueDictionary[Hashable, asyncio.Semaphore]()

    @asynccontextmanager
    async def turn(self, party: Hashable) -> AsyncIterator[None]:
        async with self._turns.setdefault(party, asyncio.Semaphore(self._at_once)):
            yield

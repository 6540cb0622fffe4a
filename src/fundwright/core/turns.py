"""Accounts take turns for what there is little of, such as processes, so that nobody can hold all of it."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager


class Turns:
    """`slots` that accounts share. Each holds at most `each` of them; a free slot goes to the account that holds the fewest, and
    among those to the one that has waited longest for its turn. The last `reserved` ones are for accounts that hold less than half of what they may,
    so that they need not wait for others to finish. Not for use from several threads."""

    def __init__(self, slots: int, *, each: int, reserved: int = 0) -> None:
        self._free = slots
        self._each = each
        self._reserved = reserved
        self._held = Counter[Hashable]()
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def turn(self, account: Hashable) -> AsyncIterator[None]:
        """Wait for a slot and hold it until the context ends."""
        await self.take(account)
        try:
            yield
        finally:
            self.give_back(account)

    async def take(self, account: Hashable) -> None:
        """Wait for a slot. The caller gives it back."""
        granted = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(account, deque()).append(granted)
        self._grant()
        try:
            await granted
        except BaseException:
            if granted.cancelled():
                self._leave(account, granted)
                self._grant()
            else:
                self.give_back(account)
            raise

    def give_back(self, account: Hashable) -> None:
        self._free += 1
        self._held[account] -= 1
        if not self._held[account]:
            del self._held[account]
        self._grant()

    def _grant(self) -> None:
        while self._free and (next_ones := [account for account in self._waiting if self._may_take(account)]):
            account = min(next_ones, key=self._held.__getitem__)
            granted = self._waiting[account][0]
            self._leave(account, granted)
            if not granted.cancelled():
                self._free -= 1
                self._held[account] += 1
                granted.set_result(None)

    def _may_take(self, account: Hashable) -> bool:
        held = self._held[account]
        return held < self._each and (self._free > self._reserved or 2 * held < self._each)

    def _leave(self, account: Hashable, waiting: asyncio.Future[None]) -> None:
        line = self._waiting.pop(account, deque())  # those that remain go to the end
        if waiting in line:
            line.remove(waiting)
        if line:
            self._waiting[account] = line

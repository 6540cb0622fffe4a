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
        self._overdue: deque[asyncio.Timeout] = deque()
        self._ending: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def turn(self, account: Hashable) -> AsyncIterator[None]:
        """Wait for a slot and hold it until the context ends."""
        await self.take(account)
        try:
            yield
        finally:
            self.give_back(account)

    @asynccontextmanager
    async def brief_turn(self, account: Hashable, *, seconds: float) -> AsyncIterator[None]:
        """Like `turn`, but after so many seconds, the slot is only held until another account waits for one. Raises TimeoutError then."""
        loop = asyncio.get_running_loop()
        async with self.turn(account), asyncio.timeout(None) as end:
            timer = loop.call_later(seconds, self._let_go_when_awaited, end)
            try:
                yield
            finally:
                timer.cancel()
                self._ending.discard(end)
                if end in self._overdue:
                    self._overdue.remove(end)

    async def take(self, account: Hashable) -> None:
        """Wait for a slot. The caller gives it back."""
        granted = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(account, deque()).append(granted)
        self._grant()
        self._end_overdue()
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

    def _let_go_when_awaited(self, end: asyncio.Timeout) -> None:
        self._overdue.append(end)
        self._end_overdue()

    def _end_overdue(self) -> None:
        """End the turns that have lasted longest, one for each account that waits only because there is no slot."""
        awaited = sum(self._held[account] < self._each for account in self._waiting)
        while self._overdue and len(self._ending) < awaited:
            end = self._overdue.popleft()
            end.reschedule(asyncio.get_running_loop().time())
            self._ending.add(end)

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

"""Turns of accounts and addresses: how many of its pages are rendered, and how many of its events are handled, concurrently."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from typing import NamedTuple
from uuid import UUID
from weakref import WeakValueDictionary

from starlette.requests import HTTPConnection

from fundwright_ui.runtime.host import Actor, Host, Turns

_PAGES_AT_ONCE = 2
_PAGES_OF_A_VISITOR_AT_ONCE = 1
_SLOT_TIMEOUT_S = 0.25
_TURN_TIMEOUT_S = 1.0
_MAX_FRAMES_PER_S = 100
_MAX_EXCESS_FRAMES = 5_000


class Owner(NamedTuple):
    """The account or visitor that a page counts against."""

    party: UUID | str
    """A person, or a network address while signed out."""
    visitor: str | None
    """The browser among those at the same address; None for a person. Programs without the cookie count as one visitor."""


def owner_of(host: Host, actor: Actor | None, connection: HTTPConnection) -> Owner:
    return Owner(actor.id, None) if actor else Owner(host.network_of(connection), host.visitor_of(connection))


class RenderSlot:
    """The right to render a page, or to handle an event. Expires after a while, so that a page that waits for slow queries does not
    block others."""

    def __init__(self, permits: ExitStack, turn: ExitStack) -> None:
        self._held = permits, turn
        call_later = asyncio.get_running_loop().call_later
        self._expiries = call_later(_SLOT_TIMEOUT_S, permits.close), call_later(_TURN_TIMEOUT_S, turn.close)

    def release(self) -> None:
        """Allow the next page to be rendered. May be called more than once."""
        for expiry in self._expiries:
            expiry.cancel()
        for each in self._held:
            each.close()


class RenderSlots:
    """Limits how many pages of one owner are rendered concurrently, or how many of its events on all its pages are handled concurrently, so
    that an owner with many does not delay others. At one address, no visitor can hold all slots.

    With `turns`, few people are served concurrently. After a restart, when everyone's pages open at once, half of them are then open in half of the
    time; otherwise all would be open at its end, and most of them would have given up before. The small pages of visitors do not wait for that.
    """

    def __init__(self, turns: Turns | None = None) -> None:
        self._turns = turns
        self._semaphores = WeakValueDictionary[Owner | UUID | str, asyncio.Semaphore]()

    async def acquire(self, owner: Owner, *, is_painted: bool = False) -> RenderSlot:
        """Wait for a slot, and unless the page is painted, for a turn. The caller releases it."""
        with ExitStack() as permits, ExitStack() as turn:
            if owner.visitor is not None:
                await self._acquire(owner, _PAGES_OF_A_VISITOR_AT_ONCE, permits)
            await self._acquire(owner.party, _PAGES_AT_ONCE, permits)
            if self._turns is not None and isinstance(owner.party, UUID) and not is_painted:
                await self._turns.take(owner.party)
                turn.callback(self._turns.give_back, owner.party)
            return RenderSlot(permits.pop_all(), turn.pop_all())

    async def _acquire(self, key: Owner | UUID | str, limit: int, permits: ExitStack) -> None:
        semaphore = self._semaphores.setdefault(key, asyncio.Semaphore(limit))
        await semaphore.acquire()
        permits.callback(semaphore.release)


class Allowance:
    """How many frames may arrive from all pages of one owner (a token bucket)."""

    def __init__(self) -> None:
        self._left = float(_MAX_FRAMES_PER_S)
        self._refilled_at = time.monotonic()

    @property
    def is_used_up(self) -> bool:
        return self._left < 0

    def count(self) -> bool:
        """Count a frame. Returns False when the owner exceeds what browsers could send."""
        moment = time.monotonic()
        refilled = self._left + (moment - self._refilled_at) * _MAX_FRAMES_PER_S
        self._refilled_at = moment
        self._left = min(_MAX_FRAMES_PER_S, refilled) - 1
        return self._left >= -_MAX_EXCESS_FRAMES


class Allowances:
    """The allowance of each owner that has a page open."""

    def __init__(self) -> None:
        self._of_owners = WeakValueDictionary[Owner, Allowance]()

    def of(self, owner: Owner) -> Allowance:
        return self._of_owners.setdefault(owner, Allowance())

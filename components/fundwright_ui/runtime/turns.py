"""Fair shares of the time that making pages takes."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import NamedTuple
from uuid import UUID
from weakref import WeakValueDictionary

from starlette.requests import HTTPConnection

from fundwright_ui.runtime.host import Actor, Host

_PAGES_AT_ONCE = 2
_PAGES_OF_A_VISITOR_AT_ONCE = 1
_LONGEST_TURN_S = 0.25


class Owner(NamedTuple):
    """Whom a page counts against."""

    party: UUID | str
    """A person, or a network address while signed out."""
    visitor: str | None
    """One of those who share the address, None for a person. Programs without the cookie count as one visitor."""


def owner_of(host: Host, actor: Actor | None, connection: HTTPConnection) -> Owner:
    return Owner(actor.id, None) if actor else Owner(host.client_of(connection).address, host.visitor_of(connection))


class Turn:
    """The right to make a page. It ends by itself after a while: a page that waits for slow queries takes no time from anybody."""

    def __init__(self, places: ExitStack) -> None:
        self._places = places
        self._limit = asyncio.get_running_loop().call_later(_LONGEST_TURN_S, self.end)

    def end(self) -> None:
        """Let the owner's next page be made. May be called again."""
        self._limit.cancel()
        self._places.close()


class Turns:
    """Makes only a few pages of one owner at once, so that whoever opens many does not hold up everybody else. Behind one address,
    no visitor takes all turns."""

    def __init__(self) -> None:
        self._places = WeakValueDictionary[Owner | UUID | str, asyncio.Semaphore]()

    async def take(self, owner: Owner) -> Turn:
        """Wait for a turn. The caller ends it."""
        with ExitStack() as places:
            if owner.visitor is not None:
                await self._take(owner, _PAGES_OF_A_VISITOR_AT_ONCE, places)
            await self._take(owner.party, _PAGES_AT_ONCE, places)
            return Turn(places.pop_all())

    async def _take(self, key: Owner | UUID | str, pages_at_once: int, places: ExitStack) -> None:
        semaphore = self._places.setdefault(key, asyncio.Semaphore(pages_at_once))
        await semaphore.acquire()
        places.callback(semaphore.release)

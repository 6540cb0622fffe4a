"""Fair shares of the time that making pages takes."""

from __future__ import annotations

import asyncio
from uuid import UUID
from weakref import WeakValueDictionary

from starlette.requests import HTTPConnection

from fundwright.identity.api import client_of
from fundwright.identity.schemas import Actor

_PAGES_AT_ONCE = 2
_LONGEST_TURN_S = 0.25

Owner = UUID | str
"""A person, or a network address while signed out."""


def owner_of(actor: Actor | None, connection: HTTPConnection) -> Owner:
    return actor.id if actor else client_of(connection).address


class Turn:
    """The right to make a page. It ends by itself after a while: a page that waits for slow queries takes no time from anybody."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places: asyncio.Semaphore | None = places
        self._limit = asyncio.get_running_loop().call_later(_LONGEST_TURN_S, self.end)

    def end(self) -> None:
        """Let the owner's next page be made. May be called again."""
        if self._places is not None:
            self._limit.cancel()
            self._places.release()
            self._places = None


class Turns:
    """Makes only a few pages of one owner at once, so that whoever opens many does not hold up everybody else."""

    def __init__(self) -> None:
        self._places = WeakValueDictionary[Owner, asyncio.Semaphore]()

    async def take(self, owner: Owner) -> Turn:
        """Wait for a turn. The caller ends it."""
        places = self._places.setdefault(owner, asyncio.Semaphore(_PAGES_AT_ONCE))
        await places.acquire()
        return Turn(places)

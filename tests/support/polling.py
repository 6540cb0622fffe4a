"""Waiting for events that nothing announces: a row that a worker writes, a file that another process creates."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TypeVar, cast

_LOOK_EVERY_S = 0.02

T = TypeVar("T")


async def eventually(look: Callable[[], Awaitable[T | None] | T | None], *, within_s: float = 30) -> T:
    """Returns the first true result of `look`. Raises TimeoutError, and whatever `look` raises.

    The limit only ends a test that has failed; it says nothing about speed.
    """
    async with asyncio.timeout(within_s):
        while True:
            looked = look()
            found = cast("T | None", await looked if isawaitable(looked) else looked)
            if found:
                return found
            await asyncio.sleep(_LOOK_EVERY_S)

"""Calls the timers of packages once a minute."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from fundwright.core.assembly import Core
from fundwright.core.errors import DatabaseAway

Timer = Callable[[Core], Awaitable[object]]
"""Does what is due. Several workers may call it at the same time, and each may be killed during a call."""

log = structlog.get_logger()

_EVERY_S = 60


async def run_timers(core: Core) -> None:
    """Call all timers immediately, and then once a minute until canceled."""
    while True:
        timers: list[Timer] = core.plugins.collect("timers")
        for each in timers:
            try:
                await each(core)
            except DatabaseAway:
                pass  # the worker says so
            except Exception:
                log.exception("timer_failed")
        await asyncio.sleep(_EVERY_S)

"""Records page views without delaying anyone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import structlog

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.fair_loop import of_the_server
from fundwright.insights import jobs
from fundwright.insights.schemas import Viewed

if TYPE_CHECKING:
    from httpx2 import AsyncClient

log = structlog.get_logger()

_PAUSE_S = 1.0
_SHUTDOWN_TIMEOUT_S = 2.0
_MAX_WAITING = 10_000
_ANALYTICS_TIMEOUT_S = 5.0

Writer = Callable[[Sequence[Viewed]], Awaitable[None]]


class Tracker:
    """One per process. A view is written within a second; a killed process loses that second."""

    def __init__(self, core: Core) -> None:
        self._batches = [Batches("store", partial(jobs.keep, core))]
        self._http: AsyncClient | None = None
        if url := core.settings.analytics_url:
            from fundwright.core import fetch

            self._http = fetch.client(url, is_configured=True, timeout_s=_ANALYTICS_TIMEOUT_S)
            self._batches.append(Batches("analytics", partial(jobs.tell, self._http, url)))

    def record(self, path: str, actor: Actor | None, language: str) -> None:
        """Record a view of the screen with the pattern `path`."""
        view = Viewed(path=path, at=now(), account_id=actor.id if actor else None, language=language)
        for batches in self._batches:
            batches.add(view)

    async def close(self) -> None:
        """Write the remaining views."""
        for batches in self._batches:
            await batches.close()
        if self._http is not None:
            await self._http.aclose()


class Batches:
    """Write views once a second. If that fails, they are lost, and the log says so once until it succeeds again."""

    def __init__(self, name: str, write: Writer) -> None:
        self._name = name
        self._write = write
        self._waiting: list[Viewed] = []
        self._task: asyncio.Task[None] | None = None
        self._has_failed = False
        self._closing = asyncio.Event()

    def add(self, view: Viewed) -> None:
        if len(self._waiting) >= _MAX_WAITING:
            return
        self._waiting.append(view)
        if self._task is None:
            self._task = asyncio.create_task(self._run(), context=of_the_server())

    async def close(self) -> None:
        self._closing.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=_SHUTDOWN_TIMEOUT_S)

    async def _run(self) -> None:
        while self._waiting:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PAUSE_S):
                    await self._closing.wait()
            await self._flush()
        self._task = None

    async def _flush(self) -> None:
        views, self._waiting = self._waiting, []
        try:
            await self._write(views)
            self._has_failed = False
        except Exception as error:
            if not self._has_failed:
                log.warning("insights.views_lost", to=self._name, reason=str(error) or type(error).__name__)
            self._has_failed = True

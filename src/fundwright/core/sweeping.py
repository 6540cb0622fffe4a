"""Removes once a day what is no longer needed: files that nothing refers to, and what is kept for a limited time.

A file is on disk before the transaction that records it commits, and is removed after the transaction that forgets it has committed.
A process that is killed in between, or a transaction that fails, leaves a file behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from datetime import timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import jobs, mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.files import lock_file
from fundwright.core.scopes import across_workspaces

UsedFilesReader = Callable[[AsyncSession, Collection[str]], Awaitable[Collection[str]]]
"""Returns which of the files with these names a package still needs."""

Sweeper = Callable[[Core], Awaitable[object]]
"""Removes what a package no longer needs or updates what an earlier release stored, or starts a job that does."""

log = structlog.get_logger()

_BATCH = 500
_EVERY_S = 24 * 60 * 60
_KEPT = timedelta(days=90)
"""How long emails and the installation's own jobs are kept. Visitors cause some, too."""


async def sweep(core: Core) -> int:
    """Remove files that are more than a day old and that nothing refers to. Returns how many were removed.

    If that is most of the old files, none is removed: the database is then probably not the one that they belong to.
    """
    old = await asyncio.to_thread(core.files.list_old)
    unused: list[str] = []
    for start in range(0, len(old), _BATCH):
        async with core.database.transaction() as session:
            unused += await _unused(session, core, old[start : start + _BATCH])
    if len(unused) > len(old) / 2:
        log.warning("files.sweep_refused", unused=len(unused), files=len(old))
        return 0
    removed = 0
    for name in unused:
        async with core.database.transaction() as session:
            removed += await remove_unused(session, core, name)
    return removed


async def remove_unused(session: AsyncSession, core: Core, name: str) -> bool:
    """Remove the file unless a package needs it, and return whether it was removed. Until the transaction ends, nobody can begin to
    use it."""
    await lock_file(session, name, to_remove=True)
    is_unused = bool(await _unused(session, core, [name]))
    if is_unused:
        core.files.remove(name)
    return is_unused


async def sweep_daily(core: Core) -> None:
    """Sweep immediately, and then once a day until canceled."""
    while True:
        sweepers: list[Sweeper] = [_sweep_files, _sweep_rows, *core.plugins.collect("sweepers")]
        for each in sweepers:
            try:
                await each(core)
            except Exception:
                log.exception("sweep_failed")
        await asyncio.sleep(_EVERY_S)


async def _sweep_files(core: Core) -> None:
    await asyncio.to_thread(core.files.remove_abandoned)
    removed = await sweep(core)
    await asyncio.to_thread(core.files.prune_derived)
    if removed:
        log.info("files.swept", removed=removed)


async def _sweep_rows(core: Core) -> None:
    for forget_old in (mail.forget_old, jobs.forget_old):
        is_done = False
        while not is_done:
            async with core.database.transaction() as session:
                is_done = await forget_old(session, before=now() - _KEPT, limit=_BATCH) < _BATCH


async def _unused(session: AsyncSession, core: Core, names: Collection[str]) -> list[str]:
    users: list[UsedFilesReader] = core.plugins.collect("used_files")
    async with across_workspaces(session, "unused files"):
        used = {name for user in users for name in await user(session, names)}
    return [name for name in names if name not in used]

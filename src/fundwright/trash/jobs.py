"""The job of the trash."""

from __future__ import annotations

from fundwright.core.jobs import JobRun
from fundwright.trash import service
from fundwright.trash.schemas import RemoveExpired


async def remove_expired(run: JobRun[RemoveExpired, None]) -> None:
    """Delete what has been in the trash for 30 days, a hundred items at a time. Repeating it changes nothing."""
    while True:
        async with run.transaction() as session:
            removed = await service.remove_expired(session, run.services)
        if not removed:
            return
        await run.progress(0)

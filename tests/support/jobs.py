"""A job kind for tests that bring their own work, and a worker that runs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, ClassVar
from uuid import UUID

from fundwright.core import jobs
from fundwright.core.jobs import ActorLoader, JobHandler, JobPayload, JobQueue, JobRead, JobRun, no_actor
from tests.support.polling import eventually


class Trial(JobPayload):
    job_kind: ClassVar[str] = "trial"

    number: int = 0


def trial(
    run: Callable[[JobRun[Trial, Any, Any]], Awaitable[dict[str, Any] | None]], *, load_actor: ActorLoader[Any] = no_actor
) -> JobHandler[Trial, Any]:
    """The handler to register so that jobs with the payload `Trial` call `run`."""
    return JobHandler(Trial, run, load_actor)


@asynccontextmanager
async def working(queue: JobQueue, *, concurrency: int = 2) -> AsyncIterator[None]:
    """Runs a worker for the jobs of `queue`."""
    worker = asyncio.create_task(queue.run_worker(concurrency=concurrency))
    try:
        yield
    finally:
        worker.cancel()
        with suppress(asyncio.CancelledError):
            await worker


async def read(queue: JobQueue, job_id: UUID) -> JobRead:
    async with queue.database.transaction() as session:
        return await jobs.get(session, job_id)


async def ended(queue: JobQueue, job_id: UUID) -> JobRead:
    """The job after it has ended."""

    async def look() -> JobRead | None:
        job = await read(queue, job_id)
        return job if job.state.is_over else None

    return await eventually(look)

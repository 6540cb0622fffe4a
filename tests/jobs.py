"""A kind of job for tests that bring their own work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from fundwright.core.jobs import ActorLoader, JobHandler, JobPayload, JobRun, no_actor


class Trial(JobPayload):
    job_kind: ClassVar[str] = "trial"

    number: int = 0


def trial(
    run: Callable[[JobRun[Trial, Any]], Awaitable[dict[str, Any] | None]], *, load_actor: ActorLoader[Any] = no_actor
) -> JobHandler[Trial, Any]:
    """What to register so that jobs with the payload `Trial` do `run`."""
    return JobHandler(Trial, run, load_actor)

"""What identity registers through the plug-in seam."""

from __future__ import annotations

from collections.abc import Iterable

from fundwright.core.jobs import JobHandler
from fundwright.core.plugins import hookimpl
from fundwright.identity import jobs


@hookimpl
def job_handlers() -> Iterable[tuple[str, JobHandler]]:
    return [(jobs.JOB_KIND, jobs.write)]

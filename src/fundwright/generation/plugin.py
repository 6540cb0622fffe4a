"""What generation registers through the plug-in seam."""

from __future__ import annotations

from collections.abc import Iterable

from fundwright.core.jobs import JobHandler
from fundwright.core.plugins import hookimpl
from fundwright.generation import jobs, service
from fundwright.generation.personal_data import own_files
from fundwright.generation.schemas import DraftTemplate
from fundwright.generation.templates import TEMPLATES
from fundwright.identity.personal_data import PersonalDataReader
from fundwright.insights.schemas import FigureReader


@hookimpl
def job_handlers() -> Iterable[tuple[str, JobHandler]]:
    return [(service.JOB_KIND, jobs.draft)]


@hookimpl
def draft_templates() -> Iterable[DraftTemplate]:
    return TEMPLATES


@hookimpl
def dashboard_figures() -> Iterable[FigureReader]:
    return [service.read_figures]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]

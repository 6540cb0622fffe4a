"""What identity registers through the plug-in seam."""

from __future__ import annotations

from collections.abc import Iterable

from fundwright.core.jobs import JobHandler
from fundwright.core.plugins import hookimpl
from fundwright.identity import jobs, personal_data
from fundwright.identity.leaving import AccountDeletedHandler
from fundwright.identity.personal_data import PersonalDataReader


@hookimpl
def job_handlers() -> Iterable[tuple[str, JobHandler]]:
    return [
        (jobs.JOB_KIND, jobs.write),
        (personal_data.JOB_KIND, personal_data.write),
        (personal_data.EXPIRY_KIND, personal_data.expire),
    ]


@hookimpl(specname="personal_data")
def own_data() -> Iterable[PersonalDataReader]:
    return [personal_data.own_files]


@hookimpl
def account_deleted_handlers() -> Iterable[AccountDeletedHandler]:
    return [personal_data.remove_copies]

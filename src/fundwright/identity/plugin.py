"""What identity registers through the plug-in seam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.core.jobs import JobHandler, no_actor
from fundwright.core.plugins import hookimpl
from fundwright.core.sweeping import UsedFilesReader
from fundwright.identity import jobs, personal_data, repository
from fundwright.identity.acting import acting_with
from fundwright.identity.leaving import AccountDeletedHandler
from fundwright.identity.personal_data import PersonalDataReader
from fundwright.identity.schemas import Permission

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def job_handlers() -> Iterable[JobHandler[Any, Any]]:
    return [
        JobHandler(jobs.WriteLetter, jobs.write, no_actor, is_short=True),
        JobHandler(personal_data.CollectData, personal_data.write, acting_with(Permission.READ)),
        JobHandler(personal_data.ForgetCopy, personal_data.expire, no_actor, is_short=True),
    ]


@hookimpl(specname="personal_data")
def own_data() -> Iterable[PersonalDataReader]:
    return [personal_data.own_files]


@hookimpl
def used_files() -> Iterable[UsedFilesReader]:
    return [repository.list_kept_copies]


@hookimpl
def account_deleted_handlers() -> Iterable[AccountDeletedHandler]:
    return [personal_data.remove_copies]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.identity import account_api, api, people_api, security_api

    return [api.router, security_api.router, account_api.router, people_api.router]

"""The plug-in hooks of accounts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.accounts import personal_data, repository
from fundwright.accounts.account_deletion import AccountDeletedHandler
from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.accounts.schemas import Permission
from fundwright.core.jobs import JobHandler, Lane, no_actor
from fundwright.core.messages import later
from fundwright.core.plugins import hookimpl
from fundwright.core.sweeping import UsedFilesReader

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def job_handlers() -> Iterable[JobHandler[Any, Any]]:
    return [
        JobHandler(
            personal_data.CollectData, personal_data.write, acting_with(Permission.READ), label=later("Copy of personal data")
        ),
        JobHandler(personal_data.ForgetCopy, personal_data.expire, no_actor, lane=Lane.SHORT),
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
    from fundwright.accounts import api, people_api

    return [api.router, people_api.router]

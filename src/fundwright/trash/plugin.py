"""The plug-in hooks of the trash."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.core.jobs import JobHandler, no_actor
from fundwright.core.plugins import hookimpl
from fundwright.core.sweeping import Sweeper
from fundwright.trash import jobs, service
from fundwright.trash.schemas import RemoveExpired

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def job_handlers() -> Iterable[JobHandler[Any, Any]]:
    return [JobHandler(RemoveExpired, jobs.remove_expired, no_actor)]


@hookimpl
def sweepers() -> Iterable[Sweeper]:
    return [service.start_removal]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.trash import api

    return [api.router]

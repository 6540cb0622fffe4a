"""The plug-in hooks of fits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.activity.schemas import ActivityKind
from fundwright.core.plugins import hookimpl
from fundwright.fit import service
from fundwright.fit.personal_data import own_files

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return service.ACTIVITY


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.fit import api

    return [api.router]

"""The plug-in hooks of activity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.activity import service
from fundwright.activity.personal_data import own_files
from fundwright.core.plugins import hookimpl
from fundwright.core.sweeping import Sweeper

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def sweepers() -> Iterable[Sweeper]:
    return [service.remove_old]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.activity import api

    return [api.router]

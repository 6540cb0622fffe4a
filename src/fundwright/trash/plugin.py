"""The plug-in hooks of the trash."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fundwright.activity.schemas import ActivityKind
from fundwright.core.plugins import hookimpl
from fundwright.core.sweeping import Sweeper
from fundwright.trash import service

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def sweepers() -> Iterable[Sweeper]:
    return [service.remove_expired]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return [service.TRASHED, service.RESTORED, service.DELETED]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.trash import api

    return [api.router]

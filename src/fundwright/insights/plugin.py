"""The plug-in hooks of insights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.core.plugins import hookimpl
from fundwright.insights import service
from fundwright.insights.personal_data import own_files
from fundwright.insights.schemas import FigureReader

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def dashboard_figures() -> Iterable[FigureReader]:
    return [service.read_figures]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.insights import api

    return [api.router]

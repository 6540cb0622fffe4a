"""The plug-in hooks of notifications."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.core.plugins import hookimpl
from fundwright.core.sweeping import Sweeper
from fundwright.core.timers import Timer
from fundwright.notifications import personal_data as own
from fundwright.notifications import sending, service

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own.own_files]


@hookimpl
def sweepers() -> Iterable[Sweeper]:
    return [service.forget_old]


@hookimpl
def timers() -> Iterable[Timer]:
    return [sending.send_due]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.notifications import api

    return [api.router]

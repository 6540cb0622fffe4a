"""The plug-in hooks of saved searches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.accounts.schemas import Permission
from fundwright.activity.schemas import ActivityKind
from fundwright.core.messages import later
from fundwright.core.plugins import hookimpl
from fundwright.core.timers import Timer
from fundwright.notifications.schemas import NotificationKind
from fundwright.searches import events, service, telling
from fundwright.searches.models import SavedSearch
from fundwright.searches.personal_data import own_files
from fundwright.trash.service import TrashKind
from fundwright.workspaces.restrictions import RestrictableKind

if TYPE_CHECKING:
    from fastapi import APIRouter

_LABEL = later("Saved search")


@hookimpl
def trash_kinds() -> Iterable[TrashKind[Any]]:
    return [TrashKind(service.SEARCH, _LABEL, SavedSearch, Permission.WORK, service.restore, path_of=service.path_of)]


@hookimpl
def restrictable_kinds() -> Iterable[RestrictableKind]:
    return [RestrictableKind(service.SEARCH, _LABEL, service.get_restrictable, service.restriction_changed)]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return service.ACTIVITY


@hookimpl
def notification_kinds() -> Iterable[NotificationKind]:
    return [events.NEW_MATCHES]


@hookimpl
def timers() -> Iterable[Timer]:
    return [telling.tell_new]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.searches import api

    return [api.router]

"""The plug-in hooks of tasks."""

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
from fundwright.tasks import events, reminding, service
from fundwright.tasks.models import Task
from fundwright.tasks.personal_data import own_files
from fundwright.trash.service import TrashKind

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def trash_kinds() -> Iterable[TrashKind[Any]]:
    return [
        TrashKind(
            service.TASK,
            later("Task"),
            Task,
            Permission.WORK,
            service.restore,
            path_of=service.path_of,
            deleted_with=service.forget_of_drafts,
        )
    ]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return events.ACTIVITY


@hookimpl
def notification_kinds() -> Iterable[NotificationKind]:
    return events.KINDS


@hookimpl
def timers() -> Iterable[Timer]:
    return [reminding.remind]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.tasks import api

    return [api.router]

"""The plug-in hooks of comments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fundwright.accounts.account_deletion import AccountDeletedHandler
from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.activity.schemas import ActivityKind
from fundwright.conversation import events, service
from fundwright.conversation.personal_data import own_files
from fundwright.core.plugins import hookimpl
from fundwright.notifications.schemas import NotificationKind

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def account_deleted_handlers() -> Iterable[AccountDeletedHandler]:
    return [service.keep_name]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return events.ACTIVITY


@hookimpl
def notification_kinds() -> Iterable[NotificationKind]:
    return events.KINDS


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.conversation import api

    return [api.router]

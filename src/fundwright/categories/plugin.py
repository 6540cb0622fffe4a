"""The plug-in hooks of categories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.accounts.schemas import Permission
from fundwright.accounts.service import AccountCreatedHandler
from fundwright.activity.schemas import ActivityKind
from fundwright.categories import service
from fundwright.categories.models import Category
from fundwright.categories.personal_data import own_files
from fundwright.core.messages import later
from fundwright.core.plugins import hookimpl
from fundwright.trash.service import TrashKind

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def account_created_handlers() -> Iterable[AccountCreatedHandler]:
    return [service.add_sample]


@hookimpl
def trash_kinds() -> Iterable[TrashKind[Any]]:
    restore = service.restore_category
    return [TrashKind(service.CATEGORY, later("Category"), Category, Permission.LABEL, restore, path_of=service.path_of)]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return [service.CREATED, service.RENAMED, service.ACCEPTED, service.DISMISSED]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.categories import api

    return [api.router]

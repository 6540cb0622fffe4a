"""The plug-in hooks of notes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.accounts.schemas import Permission
from fundwright.activity.schemas import ActivityKind
from fundwright.core.messages import later
from fundwright.core.plugins import hookimpl
from fundwright.notes import service
from fundwright.notes.models import Note
from fundwright.notes.personal_data import own_files
from fundwright.trash.service import TrashKind

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def trash_kinds() -> Iterable[TrashKind[Any]]:
    return [TrashKind(service.NOTE, later("Note"), Note, Permission.WORK, service.restore, path_of=service.path_of)]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return service.ACTIVITY


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.notes import api

    return [api.router]

"""The plug-in hooks of generation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.accounts.schemas import Permission
from fundwright.activity.schemas import ActivityKind
from fundwright.conversation.service import CommentSubject
from fundwright.core.jobs import JobHandler, Lane
from fundwright.core.messages import later
from fundwright.core.plugins import hookimpl
from fundwright.generation import drafting, editing, events, extractive, service
from fundwright.generation.models import Draft
from fundwright.generation.personal_data import own_files
from fundwright.generation.schemas import WriteDraft, WriteSection
from fundwright.insights.schemas import FigureReader
from fundwright.language.protocols import WriterFactory
from fundwright.notifications.schemas import NotificationKind
from fundwright.trash.service import TrashKind
from fundwright.workspaces.restrictions import RestrictableKind

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def job_handlers() -> Iterable[JobHandler[Any, Any]]:
    return [
        JobHandler(
            WriteDraft,
            drafting.write,
            acting_with(Permission.WORK),
            on_end=events.tell_end,
            lane=Lane.WATCHED,
            label=later("Draft"),
        ),
        JobHandler(WriteSection, drafting.write_again, acting_with(Permission.WORK), lane=Lane.WATCHED),
    ]


@hookimpl
def text_models() -> Iterable[WriterFactory]:
    return [WriterFactory("extractive", extractive.LABEL, extractive.create)]


@hookimpl
def trash_kinds() -> Iterable[TrashKind[Any]]:
    return [
        TrashKind(
            service.DRAFT,
            later("Draft"),
            Draft,
            Permission.WORK,
            service.restore_draft,
            before_removal=service.forget,
            path_of=service.path_of,
        )
    ]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return [service.STARTED, service.FINISHED, service.EXPORTED, *editing.ACTIVITY]


@hookimpl
def notification_kinds() -> Iterable[NotificationKind]:
    return events.KINDS


@hookimpl
def restrictable_kinds() -> Iterable[RestrictableKind]:
    return [RestrictableKind(service.DRAFT, later("Draft"), service.get_restrictable, service.restriction_changed)]


@hookimpl
def comment_subjects() -> Iterable[CommentSubject]:
    return [CommentSubject(service.DRAFT, service.get_commented)]


@hookimpl
def dashboard_figures() -> Iterable[FigureReader]:
    return [service.read_figures]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.generation import api

    return [api.router]

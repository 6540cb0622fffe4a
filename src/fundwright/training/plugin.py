"""The plug-in hooks of training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.accounts.schemas import Permission
from fundwright.accounts.service import AccountCreatedHandler
from fundwright.activity.schemas import ActivityKind
from fundwright.conversation.service import CommentSubject
from fundwright.core.jobs import JobHandler, no_actor
from fundwright.core.messages import later
from fundwright.core.plugins import hookimpl
from fundwright.core.sweeping import Sweeper, UsedFilesReader
from fundwright.insights.schemas import FigureReader
from fundwright.notifications.schemas import NotificationKind
from fundwright.training import adding, collecting, events, reading_again, removing, restricting, samples, service, versions
from fundwright.training.jobs import find_facts, propose_kinds, remove_files, train
from fundwright.training.models import Document, DocumentCollection
from fundwright.training.personal_data import own_files
from fundwright.training.repository import listing
from fundwright.training.schemas import FindFacts, ProposeKinds, RemoveFiles, TrainDocuments
from fundwright.trash.service import TrashKind
from fundwright.workspaces.restrictions import RestrictableKind

if TYPE_CHECKING:
    from fastapi import APIRouter

    from fundwright.workspaces.service import WorkspaceDeletedHandler


@hookimpl
def job_handlers() -> Iterable[JobHandler[Any, Any]]:
    return [
        JobHandler(TrainDocuments, train, acting_with(Permission.WORK), on_end=events.tell_failures, label=later("Training run")),
        JobHandler(FindFacts, find_facts, acting_with(Permission.WORK)),
        JobHandler(ProposeKinds, propose_kinds, no_actor),
        JobHandler(RemoveFiles, remove_files, no_actor),
    ]


@hookimpl
def used_files() -> Iterable[UsedFilesReader]:
    return [listing.list_used_content]


@hookimpl
def sweepers() -> Iterable[Sweeper]:
    return [reading_again.read_again]


@hookimpl
def trash_kinds() -> Iterable[TrashKind[Any]]:
    return [
        TrashKind(
            service.DOCUMENT,
            later("Document"),
            Document,
            Permission.WORK,
            removing.restore_document,
            before_removal=removing.remove_files_of,
            path_of=service.path_of,
        ),
        TrashKind(
            collecting.COLLECTION,
            later("Collection"),
            DocumentCollection,
            Permission.WORK,
            collecting.restore,
            path_of=collecting.path_of,
        ),
    ]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return [adding.ADDED, service.RENAMED, restricting.MOVED, versions.REPLACED, versions.BROUGHT_BACK, *collecting.ACTIVITY]


@hookimpl
def restrictable_kinds() -> Iterable[RestrictableKind]:
    return [
        RestrictableKind(service.DOCUMENT, later("Document"), restricting.get_restrictable, restricting.restriction_changed),
        RestrictableKind(
            collecting.COLLECTION, later("Collection"), collecting.get_restrictable, restricting.collection_restriction_changed
        ),
    ]


@hookimpl
def comment_subjects() -> Iterable[CommentSubject]:
    return [CommentSubject(service.DOCUMENT, service.get_commented)]


@hookimpl
def account_created_handlers() -> Iterable[AccountCreatedHandler]:
    return [samples.add_sample]


@hookimpl
def workspace_deleted_handlers() -> Iterable[WorkspaceDeletedHandler]:
    return [removing.remove_all]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def notification_kinds() -> Iterable[NotificationKind]:
    return events.KINDS


@hookimpl
def dashboard_figures() -> Iterable[FigureReader]:
    return [service.read_figures]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.training import api

    return [api.router]

"""The plug-in hooks of opportunities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.categories.service import CurrentSubjects, DecisionHandler, SubjectReader
from fundwright.conversation.service import CommentSubject
from fundwright.core.jobs import JobHandler, no_actor
from fundwright.core.messages import later
from fundwright.core.plugins import hookimpl
from fundwright.core.sweeping import UsedFilesReader
from fundwright.core.timers import Timer
from fundwright.insights.schemas import FigureReader
from fundwright.notifications.schemas import NotificationKind
from fundwright.opportunities import events, service, telling
from fundwright.opportunities.grants import GrantsGov
from fundwright.opportunities.jobs import categorize, embed, import_file, load_importer, load_sorter
from fundwright.opportunities.nih import NihJsonLines
from fundwright.opportunities.personal_data import own_files
from fundwright.opportunities.repository import runs
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.schemas import CategorizeOpportunities, EmbedOpportunities, ImportOpportunities
from fundwright.opportunities.sources import Source

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def opportunity_sources() -> list[Source]:
    return [SamCsv(), GrantsGov(), NihJsonLines()]


@hookimpl
def job_handlers() -> list[JobHandler[Any, Any]]:
    return [
        JobHandler(ImportOpportunities, import_file, load_importer, on_end=events.tell_end, label=later("File import")),
        JobHandler(CategorizeOpportunities, categorize, load_sorter, label=later("Categorization")),
        JobHandler(EmbedOpportunities, embed, no_actor, is_background=True),
    ]


@hookimpl
def label_subjects() -> Iterable[SubjectReader]:
    return [service.list_existing]


@hookimpl
def current_subjects() -> Iterable[CurrentSubjects]:
    return [service.open_ids]


@hookimpl
def comment_subjects() -> Iterable[CommentSubject]:
    return [CommentSubject(service.OPPORTUNITY, service.get_commented)]


@hookimpl
def decision_handlers() -> Iterable[DecisionHandler]:
    return [service.categorize_soon]


@hookimpl
def used_files() -> Iterable[UsedFilesReader]:
    return [runs.list_pending_uploads]


@hookimpl(trylast=True)  # the last one is shown first
def dashboard_figures() -> list[FigureReader]:
    return [service.read_figures]


@hookimpl
def notification_kinds() -> Iterable[NotificationKind]:
    return events.KINDS


@hookimpl
def timers() -> Iterable[Timer]:
    return [telling.tell_watchers]


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.opportunities import api

    return [api.router]

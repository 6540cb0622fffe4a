"""The plug-in hooks of facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.activity.schemas import ActivityKind
from fundwright.core.plugins import hookimpl
from fundwright.facts import events, service
from fundwright.facts.personal_data import own_files
from fundwright.training.removing import DeletedDocumentsHandler
from fundwright.training.runs import TrainedDocumentHandler

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def trained_document_handlers() -> Iterable[TrainedDocumentHandler]:
    return [service.propose]


@hookimpl
def deleted_documents_handlers() -> Iterable[DeletedDocumentsHandler]:
    return [service.forget_documents]


@hookimpl
def activity_kinds() -> Iterable[ActivityKind]:
    return events.ACTIVITY


@hookimpl
def personal_data() -> Iterable[PersonalDataReader]:
    return [own_files]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.facts import api

    return [api.router]

"""The hooks of plug-in packages. A package declares an entry point in group `fundwright` that names a module, and that module
implements any of these functions, decorated with `fundwright.core.plugins.hookimpl`.

Hooks for screens and sidebar entries are in `fundwright_ui.extension`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fundwright.core.plugins import hookspec

if TYPE_CHECKING:
    from fastapi import APIRouter

    from fundwright.access.registration import RegistrationLinks
    from fundwright.accounts.account_deletion import AccountDeletedHandler
    from fundwright.accounts.dependencies import RequestAuthenticator
    from fundwright.accounts.personal_data import PersonalDataReader
    from fundwright.accounts.service import AccountCreatedHandler
    from fundwright.activity.schemas import ActivityKind
    from fundwright.categories.service import CurrentSubjects, DecisionHandler, SubjectReader
    from fundwright.conversation.service import CommentSubject
    from fundwright.core.health import HealthCheck
    from fundwright.core.jobs import JobHandler
    from fundwright.core.migrations import Migrations
    from fundwright.core.settings import PackageSettings
    from fundwright.core.sweeping import Sweeper, UsedFilesReader
    from fundwright.core.timers import Timer
    from fundwright.insights.schemas import FigureReader
    from fundwright.language.protocols import EmbedderFactory, WriterFactory
    from fundwright.notifications.schemas import NotificationKind
    from fundwright.opportunities.sources import Source
    from fundwright.reading.formats import Reader
    from fundwright.templates.schemas import DraftTemplate
    from fundwright.training.removing import DeletedDocumentsHandler
    from fundwright.training.runs import TrainedDocumentHandler
    from fundwright.trash.service import TrashKind
    from fundwright.workspaces.restrictions import RestrictableKind
    from fundwright.workspaces.service import WorkspaceCreationCheck, WorkspaceDeletedHandler


@hookspec
def api_routers() -> Iterable[APIRouter]:
    """Routes of the API, below `/api/`."""
    return ()


@hookspec
def migrations() -> Iterable[Migrations]:
    """Folders of Alembic revisions that create and change the package's tables."""
    return ()


@hookspec
def settings() -> Iterable[type[PackageSettings]]:
    """Settings of the package, with their own prefix."""
    return ()


@hookspec
def catalogs() -> Iterable[Path]:
    """Folders with compiled translations of the package's messages: `de/LC_MESSAGES/messages.mo` in each."""
    return ()


@hookspec
def health_checks() -> Iterable[HealthCheck]:
    """What `/api/health` checks."""
    return ()


@hookspec
def job_handlers() -> Iterable[JobHandler[Any, Any]]:
    """Job handlers: the payload of each kind, the coroutine that runs it, and whose permissions it has."""
    return ()


@hookspec
def request_authenticators() -> Iterable[RequestAuthenticator]:
    """Coroutines `authenticate(core, request)` that return the account that sends a request, or None when it has no credentials that the
    package knows."""
    return ()


@hookspec
def account_created_handlers() -> Iterable[AccountCreatedHandler]:
    """Coroutines `handler(session, actor, core)` that give a new account its initial content, in the same transaction."""
    return ()


@hookspec
def account_deleted_handlers() -> Iterable[AccountDeletedHandler]:
    """Coroutines `handler(session, actor, core)` that clean up before the rows of an account are deleted: data outside of the
    database, and references without a foreign key."""
    return ()


@hookspec
def workspace_creation_checks() -> Iterable[WorkspaceCreationCheck]:
    """Coroutines `check(session, actor, core)` that are called before the actor creates a workspace. An exception refuses it."""
    return ()


@hookspec
def workspace_deleted_handlers() -> Iterable[WorkspaceDeletedHandler]:
    """Coroutines `handler(session, actor, core)` that clean up before the rows of the actor's workspace are deleted, like
    `account_deleted_handlers`."""
    return ()


@hookspec
def used_files() -> Iterable[UsedFilesReader]:
    """Coroutines `used(session, names)` that return which of the files in `core.files` with these names the package still needs."""
    return ()


@hookspec
def sweepers() -> Iterable[Sweeper]:
    """Coroutines `sweep(core)` that remove what the package no longer needs or update what an earlier release stored, or start a job that
    does. They are called when a worker starts, and once a day."""
    return ()


@hookspec
def activity_kinds() -> Iterable[ActivityKind]:
    """What the package records in the activity of workspaces (`fundwright.activity.service.record`), with the sentences that people read."""
    return ()


@hookspec
def timers() -> Iterable[Timer]:
    """Coroutines `tick(core)` that do what is due. Each worker calls them when it starts, and once a minute."""
    return ()


@hookspec
def notification_kinds() -> Iterable[NotificationKind]:
    """The kinds of notifications that the package sends with `fundwright.notifications.service.notify`."""
    return ()


@hookspec
def trash_kinds() -> Iterable[TrashKind[Any]]:
    """What the package can put into the trash, and how it is restored."""
    return ()


@hookspec
def restrictable_kinds() -> Iterable[RestrictableKind]:
    """What people can restrict to chosen members of the workspace."""
    return ()


@hookspec
def label_subjects() -> Iterable[SubjectReader]:
    """Coroutines `existing(session, actor, ids)` that return which of these ids are subjects of the package that the actor may see
    and categorize."""
    return ()


@hookspec
def current_subjects() -> Iterable[CurrentSubjects]:
    """Functions `current(actor)` that return a subquery of the ids of subjects that still need a decision, such as open notices.
    Suggestions for others are listed on request."""
    return ()


@hookspec
def comment_subjects() -> Iterable[CommentSubject]:
    """Kinds of the package's objects that members of a workspace can comment on."""
    return ()


@hookspec
def decision_handlers() -> Iterable[DecisionHandler]:
    """Coroutines `handler(session, actor, core)` that are called after a decision about a category, a new category, or a
    change of its text."""
    return ()


@hookspec
def trained_document_handlers() -> Iterable[TrainedDocumentHandler]:
    """Coroutines `handler(session, document)` that are called when a document was read, for the first time or again, in the transaction that
    saves its passages."""
    return ()


@hookspec
def deleted_documents_handlers() -> Iterable[DeletedDocumentsHandler]:
    """Coroutines `handler(session, document_ids)` that are called before documents are deleted for good, in the same transaction. They may be of
    several workspaces."""
    return ()


@hookspec
def personal_data() -> Iterable[PersonalDataReader]:
    """Coroutines `read(session, actor, core)` that yield the package's files for a copy of an account's data."""
    return ()


@hookspec
def registration_links() -> Iterable[RegistrationLinks]:
    """Types of link `/auth/register/{type}/{token}` that the package creates. People who register with such a link get what it
    promises."""
    return ()


@hookspec
def embedding_models() -> Iterable[EmbedderFactory]:
    """Embedding models, chosen by name in FUNDWRIGHT_EMBEDDER."""
    return ()


@hookspec
def text_models() -> Iterable[WriterFactory]:
    """Text models, chosen by name in FUNDWRIGHT_WRITER."""
    return ()


@hookspec
def document_readers() -> Iterable[Reader]:
    """Readers that turn a file into text with headings and pages."""
    return ()


@hookspec
def opportunity_sources() -> Iterable[Source]:
    """Formats for `fundwright import NAME FILE` and the Import button."""
    return ()


@hookspec
def draft_templates() -> Iterable[DraftTemplate]:
    """Templates offered on the Generate screen."""
    return ()


@hookspec
def dashboard_figures() -> Iterable[FigureReader]:
    """Coroutines `read(session, actor)` that return numbers for the dashboard, each with the path of the list that it counts."""
    return ()

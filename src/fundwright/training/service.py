"""The knowledge base: adding documents, training them, and asking questions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from itertools import chain, count
from pathlib import Path
from urllib.parse import urlencode
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining, Subject
from fundwright.billing import service as billing
from fundwright.billing.schemas import Quota
from fundwright.conversation import service as conversation
from fundwright.conversation.schemas import Commented
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict, Invalid, NotFound
from fundwright.core.files import ReceivedFile, file_name, lock_file
from fundwright.core.jobs import Job, JobState
from fundwright.core.live import publish
from fundwright.core.messages import Message, later, nlater, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.scopes import across_workspaces
from fundwright.core.sizes import file_size
from fundwright.core.spreadsheets import csv_lines
from fundwright.insights.schemas import Figure
from fundwright.language import service as language
from fundwright.language.protocols import Embedder, Vectors
from fundwright.reading.formats import Reader, reader_of
from fundwright.reading.kinds import OUR_KINDS, DocumentKind
from fundwright.reading.markdown import MarkdownReader
from fundwright.training import collecting, repository
from fundwright.training.collecting import documents_topic
from fundwright.training.models import Document, TrainingRun
from fundwright.training.schemas import (
    MAX_QUOTES,
    AcceptedFormat,
    DocumentFailure,
    DocumentQuery,
    DocumentRead,
    DocumentSource,
    DocumentState,
    DocumentText,
    DocumentTitle,
    FindFacts,
    IncompleteDocument,
    IncompleteDocuments,
    NearestPassage,
    Passage,
    PassageInContext,
    PastedText,
    Quotes,
    RemoveFiles,
    RunRead,
    TrainDocuments,
    TrainedDocument,
    Unsearched,
    Usage,
)
from fundwright.training.titles import MAX_TITLE_CHARACTERS, title_of_file, visible_title
from fundwright.trash import service as trash
from fundwright.workspaces import restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.restrictions import RestrictableItem
from fundwright.workspaces.schemas import Access, RestrictionForm, RestrictionRead

_SAMPLE = Path(__file__).with_name("sample")
_MAX_QUERY_CHARACTERS = 4_000
_READ_PASSAGES = 8
_MAX_CHARACTERS_READ = 1_000_000
_NAMED_DOCUMENTS = 3
_BEGINNING_CHARACTERS, _MAX_BEGINNINGS = 8_000, 12


DOCUMENT = "document"
"""The kind of documents in the trash, in activity, and of restrictions."""

ADDED = ActivityKind("document.added", later("Document added"), later("{person} added the document “{subject}”"))
RENAMED = ActivityKind(
    "document.renamed", later("Document renamed"), later("{person} renamed the document “{before}” to “{subject}”")
)
MOVED = ActivityKind(
    "document.moved",
    later("Document moved"),
    later("{person} moved the document “{subject}” to another collection"),  # a restricted one is not named
    combining=Combining.SOON,
)


TrainedDocumentHandler = Callable[[AsyncSession, TrainedDocument], Awaitable[None]]
"""Called in the transaction that saves the passages of a document that was read, for the first time or again."""

DeletedDocumentsHandler = Callable[[AsyncSession, Collection[UUID]], Awaitable[None]]
"""Called with the ids of documents, perhaps of several workspaces, before the transaction deletes them for good."""


class AlreadyAdded(Conflict):
    """The workspace already has a document with this content."""

    def __init__(self, document: Document) -> None:
        super().__init__(t("You already have this content as “{title}”. Nothing was added.", title=document.title))
        self.document_id = document.id


def list_formats(core: Core) -> list[AcceptedFormat]:
    """Return the formats of files that are read."""
    readers: list[Reader] = core.plugins.collect("document_readers")
    return [AcceptedFormat(label=each.label, media_type=each.media_type, suffixes=each.suffixes) for each in readers]


@needs(Permission.WORK)
async def add_document(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    received: ReceivedFile,
    *,
    filename: str,
    title: str = "",
    kind: DocumentKind | None = None,
    collection_id: UUID | None = None,
    is_trained_later: bool = True,
) -> DocumentRead:
    """Add a file, also to a collection if one is given, and train it in a job unless the caller trains it. Without `kind`, the kind is
    proposed from its text. Raises Invalid for a title that nobody could see, Unreadable (422), AlreadyAdded (409), QuotaSpent (402),
    or NotFound or NotAllowed for the collection."""
    name = file_name(filename)
    with _discarding_unless_kept(core, received):
        if collection_id is not None:
            await collecting.lock(session, actor, collection_id)
        known = await repository.find_document_by_content(session, actor.workspace_id, received.sha256)
        if known is not None:
            raise AlreadyAdded(known)
        readers: list[Reader] = core.plugins.collect("document_readers")
        reader = await asyncio.to_thread(reader_of, readers, received.path, name)
        wanted = title.strip() or title_of_file(name)
        free_title = await _unused_title(session, actor, wanted, name, is_filename=not title.strip())
        await _check_quota(session, actor, core, size_bytes=received.size_bytes)
        document = Document(
            owner_id=actor.workspace_id,
            created_by=actor.id,
            title=free_title,
            filename=name,
            media_type=reader.media_type,
            sha256=received.sha256,
            size_bytes=received.size_bytes,
            source=DocumentSource.UPLOAD,
            kind=kind or DocumentKind.ABOUT_US,
            is_kind_chosen=kind is not None,
        )
        added = await _add(session, actor, core, document, received)
        if collection_id is not None:
            await restrictions.put_into(session, actor, document.id, collection_id, made_by=actor.id)
        await activity.record(session, actor, ADDED, subject_of(document))
        return await _train_later(session, actor, core, added) if is_trained_later else added


@needs(Permission.WORK)
async def add_text(
    session: AsyncSession, actor: Actor, core: Core, pasted: PastedText, *, filename: str = "pasted.md"
) -> DocumentRead:
    """Add pasted text as a Markdown document, and train it in a job. Raises Invalid for a title that nobody could see, AlreadyAdded (409),
    QuotaSpent (402), or NotFound or NotAllowed for the collection."""
    received = await core.files.receive(_once(pasted.text.encode()))
    with _discarding_unless_kept(core, received):
        if pasted.collection_id is not None:
            await collecting.lock(session, actor, pasted.collection_id)
        known = await repository.find_document_by_content(session, actor.workspace_id, received.sha256)
        if known is not None:
            raise AlreadyAdded(known)
        title = await _unused_title(session, actor, pasted.title, pasted.title)
        await _check_quota(session, actor, core, size_bytes=received.size_bytes)
        document = Document(
            owner_id=actor.workspace_id,
            created_by=actor.id,
            title=title,
            filename=filename,
            media_type=MarkdownReader.media_type,
            sha256=received.sha256,
            size_bytes=received.size_bytes,
            source=DocumentSource.PASTE,
        )
        added = await _add(session, actor, core, document, received)
        if pasted.collection_id is not None:
            await restrictions.put_into(session, actor, document.id, pasted.collection_id, made_by=actor.id)
        await activity.record(session, actor, ADDED, subject_of(document))
        return await _train_later(session, actor, core, added)


@needs(Permission.WORK)
async def keep_text(
    session: AsyncSession, actor: Actor, core: Core, document_id: UUID | None, pasted: PastedText, *, filename: str
) -> DocumentRead:
    """Give a document a new text and filename, and train it again in a job. A document that is gone, in the trash, or hidden from the actor is added
    again. Raises NotAllowed, and what `add_text` raises."""
    await repository.lock_documents(session, actor.workspace_id)
    document = await repository.find_document(session, actor.workspace_id, document_id) if document_id else None
    if document is None:
        return await add_text(session, actor, core, pasted, filename=filename)
    await restrictions.require(session, actor, document.id)
    received = await core.files.receive(_once(pasted.text.encode()))
    with _discarding_unless_kept(core, received):
        known = await repository.find_document_by_content(session, actor.workspace_id, received.sha256)
        if known is not None and known.id == document.id:
            return await get_document(session, actor, document.id)
        if known is not None:
            raise AlreadyAdded(known)
        await _check_size(session, actor, core, size_bytes=received.size_bytes - document.size_bytes)
        await lock_file(session, received.sha256)
        await core.files.keep(received)
        before, document.sha256, document.size_bytes = document.sha256, received.sha256, received.size_bytes
        document.state, document.filename = DocumentState.WAITING, filename
        await session.flush()
        await _remove_files(session, core, [before])
        await publish(session, documents_topic(actor.workspace_id))
        return await _train_later(session, actor, core, DocumentRead.model_validate(document))


@needs(Permission.READ)
async def list_documents(session: AsyncSession, actor: Actor, request: DocumentQuery | None = None) -> Page[DocumentRead]:
    """Return documents, newest first unless `request.sort` is title, kind, state, size_bytes, chunk_count, created_at, or
    trained_at."""
    request = request or DocumentQuery()
    documents, total = await repository.list_documents(session, actor.workspace_id, request)
    items = await _read(session, actor, documents)
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
def export_documents(session: AsyncSession, actor: Actor, request: DocumentQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return _documents_as_csv(iterate_all(lambda page: list_documents(session, actor, page), request))


def _documents_as_csv(documents: AsyncIterator[DocumentRead]) -> AsyncIterator[str]:
    return csv_lines(
        [
            (t("Title"), lambda document: document.title),
            (t("File"), lambda document: document.filename),
            (t("Kind"), lambda document: document.kind),
            (t("Dated"), lambda document: document.dated),
            (t("Collection"), lambda document: document.collection),
            (t("Status"), lambda document: document.state),
            (t("Bytes"), lambda document: document.size_bytes),
            (t("Not read"), lambda document: document.report.unread_text if document.report else ""),
            (t("Passages"), lambda document: document.chunk_count),
            (t("Model"), lambda document: document.model_id),
            (t("Added"), lambda document: document.created_at),
            (t("Added by"), lambda document: document.added_by),
            (t("Trained"), lambda document: document.trained_at),
            (t("Problem"), lambda document: document.error),
        ],
        documents,
    )


@needs(Permission.READ)
def export_runs(session: AsyncSession, actor: Actor, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Status"), lambda run: run.state),
            (t("Created"), lambda run: run.created_at),
            (t("Started"), lambda run: run.started_at),
            (t("Ended"), lambda run: run.ended_at),
            (t("Documents"), lambda run: run.documents),
            (t("Passages"), lambda run: run.chunks),
            (t("Model"), lambda run: run.model_id),
            (t("Errors"), lambda run: run.error or ", ".join(f"{failure.title}: {failure.reason}" for failure in run.failed)),
        ],
        iterate_all(lambda page: list_runs(session, actor, page), request),
    )


@needs(Permission.READ)
async def read_figures(session: AsyncSession, actor: Actor) -> list[Figure]:
    """The number of the actor's documents."""
    listed = await list_documents(session, actor, DocumentQuery(page_size=1))
    return [Figure(label=t("Your documents"), count=listed.total, path="/dashboard/train")]


@needs(Permission.READ)
async def count_underway(session: AsyncSession, actor: Actor) -> int:
    """Return the number of the actor's waiting and running training runs."""
    return await jobs.count_underway(session, actor.workspace_id, kind=TrainDocuments.job_kind)


@needs(Permission.READ)
async def count_outdated(session: AsyncSession, actor: Actor, embedder: Embedder) -> int:
    """Return the number of trained documents that are no longer searchable because the embedding model has changed."""
    return await repository.count_outdated(session, actor.workspace_id, embedder.id)


@needs(Permission.READ)
async def get_document(session: AsyncSession, actor: Actor, document_id: UUID) -> DocumentRead:
    """Raises NotFound."""
    return (await _read(session, actor, [await repository.get_document(session, actor.workspace_id, document_id)]))[0]


@needs(Permission.READ)
async def get_commented(session: AsyncSession, actor: Actor, document_id: UUID) -> Commented:
    """Return a document as what comments are about. Raises NotFound."""
    document = await repository.get_document(session, actor.workspace_id, document_id)
    return Commented(title=document.title, path=f"/dashboard/train?document={document.id}")


@needs(Permission.WORK)
async def choose_kind(session: AsyncSession, actor: Actor, core: Core, document_id: UUID, kind: DocumentKind) -> DocumentRead:
    """Set the kind of a document, which is kept when the document is trained again, and find its facts again in a job. Raises NotFound or
    NotAllowed."""
    document = await lock_to_change(session, actor, document_id)
    document.kind, document.is_kind_chosen = kind, True
    await session.flush()
    payload = FindFacts(document_id=document_id)
    await core.jobs.enqueue(session, payload, title="Find facts", owner_id=actor.workspace_id, account_id=actor.id)
    await publish(session, documents_topic(actor.workspace_id))
    return await get_document(session, actor, document_id)


@needs(Permission.WORK)
async def choose_date(session: AsyncSession, actor: Actor, document_id: UUID, dated: date | None) -> DocumentRead:
    """Set the date of a document, which is kept when the document is trained again. Raises NotFound or NotAllowed."""
    document = await lock_to_change(session, actor, document_id)
    document.dated, document.is_date_chosen = dated, True
    await session.flush()
    await publish(session, documents_topic(actor.workspace_id))
    return await get_document(session, actor, document_id)


@needs(Permission.WORK)
async def use_always(session: AsyncSession, actor: Actor, document_id: UUID, *, is_always_used: bool) -> DocumentRead:
    """Let drafts use a document that they would leave out, or no longer. Raises NotFound or NotAllowed."""
    document = await lock_to_change(session, actor, document_id)
    document.is_always_used = is_always_used
    await session.flush()
    await publish(session, documents_topic(actor.workspace_id))
    return await get_document(session, actor, document_id)


@needs(Permission.WORK)
async def move_document(
    session: AsyncSession, actor: Actor, core: Core, document_id: UUID, collection_id: UUID | None
) -> DocumentRead:
    """Move a document to a collection, or out of the one that it is in (None). Who may not see the collection does not see the document.

    Raises NotFound, or NotAllowed if the actor may not edit the document or the collection, or the member who added the document may not
    edit the collection.
    """
    if collection_id is not None:
        await collecting.lock(session, actor, collection_id)
    document = await lock_to_change(session, actor, document_id)
    await restrictions.put_into(session, actor, document_id, collection_id, made_by=document.created_by)
    await activity.record(session, actor, MOVED, subject_of(document))
    if await restrictions.access_to(session, actor, [document_id]):
        await restriction_changed(session, actor, core, document_id)
    await publish(session, documents_topic(actor.workspace_id))
    return await get_document(session, actor, document_id)


@needs(Permission.WORK)
async def rename_document(
    session: AsyncSession, actor: Actor, document_id: UUID, change: DocumentTitle, *, client: Client = COMMAND_LINE
) -> DocumentRead:
    """Change the title of a document. Drafts keep the title that they have cited. Raises NotFound, NotAllowed, Invalid for a title that
    nobody could see, or Conflict if another document has the title."""
    document = await lock_to_change(session, actor, document_id)
    title = visible_title(change.title)
    if title != document.title:
        if title in await repository.list_titles_like(session, actor.workspace_id, title, title):
            raise Conflict(t("You already have a document named “{title}”.", title=title))
        before, document.title = document.title, title
        await session.flush()
        await audit.record(session, "document.renamed", actor=actor, subject=str(document_id), client=client)
        await activity.record(session, actor, RENAMED, subject_of(document), before=before, after=title)
        await publish(session, documents_topic(actor.workspace_id))
    return await get_document(session, actor, document_id)


@needs(Permission.READ)
async def get_restriction(session: AsyncSession, actor: Actor, core: Core, document_id: UUID) -> RestrictionRead:
    """Return who sees a document. Raises NotFound."""
    return await restrictions.get_restriction(session, actor, core, DOCUMENT, document_id)


@needs(Permission.READ)
async def get_restrictable(session: AsyncSession, actor: Actor, document_id: UUID) -> RestrictableItem:
    """Return who added a document, and its title. Raises NotFound."""
    document = await repository.get_document(session, actor.workspace_id, document_id)
    return RestrictableItem(made_by=document.created_by, subject=subject_of(document))


@needs(Permission.WORK)
async def restrict_document(
    session: AsyncSession,
    actor: Actor,
    core: Core,
    document_id: UUID,
    form: RestrictionForm,
    *,
    client: Client = COMMAND_LINE,
) -> RestrictionRead:
    """Restrict a document to chosen members of the workspace. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    return await restrictions.restrict(session, actor, core, DOCUMENT, document_id, form, client=client)


@needs(Permission.WORK)
async def lift_restriction(
    session: AsyncSession, actor: Actor, core: Core, document_id: UUID, *, client: Client = COMMAND_LINE
) -> RestrictionRead:
    """Let everyone in the workspace see a document again. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    return await restrictions.lift(session, actor, core, DOCUMENT, document_id, client=client)


@needs(Permission.READ)
async def restriction_changed(session: AsyncSession, actor: Actor, core: Core, document_id: UUID) -> None:
    """Announce that other members see a document. If it waits to be trained, the actor trains it, because a run of someone from whom it is
    now hidden does not."""
    await publish(session, documents_topic(actor.workspace_id))
    with suppress(NotFound):  # it is in the trash
        document = await repository.get_document(session, actor.workspace_id, document_id)
        if document.state == DocumentState.WAITING and actor.may(Permission.WORK):
            await _begin_run(session, actor, core, [document_id], title=_title(1))


@needs(Permission.READ)
async def collection_restriction_changed(session: AsyncSession, actor: Actor, core: Core, collection_id: UUID) -> None:
    """Like `restriction_changed`, for the documents in a collection."""
    await publish(session, documents_topic(actor.workspace_id))
    waiting = await repository.list_ids_in(session, actor.workspace_id, collection_id, DocumentState.WAITING)
    if waiting and actor.may(Permission.WORK):
        await _begin_run(session, actor, core, waiting, title=_title(len(waiting)))


@needs(Permission.READ)
async def find_file(core: Core, actor: Actor, document_id: UUID) -> tuple[DocumentRead, Path]:
    """Return a document and its original file. Opens its own transaction. Raises NotFound."""
    async with core.database.transaction() as session:
        document = await get_document(session, actor, document_id)
    path = core.files.path(document.sha256)
    if not await asyncio.to_thread(path.is_file):
        raise NotFound(t("The file"))
    return document, path


@needs(Permission.READ)
async def list_searched(session: AsyncSession, actor: Actor) -> list[tuple[UUID, DocumentKind]]:
    """Return ids and kinds of the documents that questions and drafts search: all that are trained, but not the sample, once one
    of the actor's own is trained."""
    return await repository.list_searched(session, actor.workspace_id)


@needs(Permission.READ)
async def searched(
    session: AsyncSession,
    actor: Actor,
    *,
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
) -> Select[UUID]:
    """Select the ids of the documents that questions and drafts search, as a subquery for lists of other slices. If documents and kinds are given,
    only these and their newer versions."""
    return await repository.searched(session, actor.workspace_id, document_ids=document_ids, kinds=kinds)


@needs(Permission.READ)
def samples(actor: Actor) -> Select[UUID]:
    """Select the ids of the sample documents, as a subquery for lists of other slices."""
    return repository.samples(actor.workspace_id)


async def sample_ids_among(session: AsyncSession, document_ids: Collection[UUID]) -> Collection[UUID]:
    """Return those of the documents, of any workspace, that are sample documents."""
    return await repository.sample_ids_among(session, document_ids)


@needs(Permission.READ)
async def titles_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the titles of those documents that the actor has."""
    return await repository.titles_of(session, actor.workspace_id, document_ids)


@needs(Permission.READ)
async def list_documents_in(session: AsyncSession, actor: Actor, collection_id: UUID) -> list[UUID]:
    """Return the trained documents in a collection. Raises NotFound."""
    await collecting.get_collection(session, actor, collection_id)
    return await repository.list_ids_in(session, actor.workspace_id, collection_id, DocumentState.TRAINED)


@needs(Permission.READ)
async def kinds_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, DocumentKind]:
    """Return the kinds of those documents that the actor has."""
    return await repository.kinds_of(session, actor.workspace_id, document_ids)


@needs(Permission.READ)
async def unread_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return what was not read of those documents that the actor has, in the reader's language."""
    reports = await repository.reports_of(session, actor.workspace_id, document_ids)
    return {id: report.unread_text for id, report in reports.items() if report.unread}


@needs(Permission.READ)
async def list_incomplete(
    session: AsyncSession,
    actor: Actor,
    *,
    document_ids: Collection[UUID] | None = None,
    except_ids: Collection[UUID] = (),
    limit: int = 10,
) -> IncompleteDocuments:
    """Return the documents with parts that were not read among those that a draft based on `document_ids`, or on all, is given."""
    found, total = await repository.list_incomplete(
        session, actor.workspace_id, document_ids=document_ids, kinds=OUR_KINDS, except_ids=except_ids, limit=limit
    )
    shown = tuple(IncompleteDocument(id=id, title=title, unread=report.unread_text) for id, title, report in found)
    return IncompleteDocuments(documents=shown, more=total - len(shown))


@needs(Permission.READ)
async def page_labels_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, Sequence[str]]:
    """Return what those of these documents that the actor has call their pages, if these are not their numbers."""
    return await repository.page_labels_of(session, actor.workspace_id, document_ids)


@needs(Permission.READ)
async def look_up(session: AsyncSession, actor: Actor, reference: str) -> UUID:
    """Return the document with this id or title. Raises Invalid."""
    found = await repository.find_id(session, actor.workspace_id, reference.replace("\x00", "").strip())
    if found is None:
        raise Invalid(t("There is no document named “{reference}”. Use its title or id.", reference=reference))
    return found


@needs(Permission.READ)
async def check_documents(session: AsyncSession, actor: Actor, document_ids: Sequence[UUID]) -> None:
    """Raise NotFound if the actor does not have one of these documents."""
    if len(await repository.list_known_ids(session, actor.workspace_id, document_ids)) < len(document_ids):
        raise NotFound(t("The document"))


@needs(Permission.WORK)
async def remove_document(session: AsyncSession, actor: Actor, document_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a document to the trash. Raises NotFound or NotAllowed."""
    document = await lock_to_change(session, actor, document_id)
    await trash.put_in(session, actor, DOCUMENT, document, title=document.title)
    await audit.record(session, "document.deleted", actor=actor, subject=str(document_id), client=client)
    await publish(session, documents_topic(actor.workspace_id))


@needs(Permission.WORK)
async def restore_document(session: AsyncSession, actor: Actor, core: Core, document: Document) -> None:
    """Take a document out of the trash, and train it if that was not finished. Its title gets a number if another document has it.

    Raises Conflict if the same content was added again, or QuotaSpent.
    """
    title = await _unused_title(session, actor, document.title, document.title)
    known = await repository.find_document_by_content(session, actor.workspace_id, document.sha256)
    if known is not None:
        raise Conflict(t("You have added this content again as “{title}”. Move that one to the trash first.", title=known.title))
    if not document.is_sample:  # but not the size, because documents in the trash count as used
        await _check_number(session, actor)
    document.title = title
    await trash.take_out(session, actor, document)
    is_to_train = document.state != DocumentState.TRAINED
    if is_to_train and await repository.find_underway_run(session, actor.workspace_id, [document.id]) is None:
        await _train_later(session, actor, core, DocumentRead.model_validate(document))
    await publish(session, documents_topic(actor.workspace_id))


async def remove_files_of(session: AsyncSession, core: Core, document_ids: Collection[UUID]) -> None:
    """Remove what belongs to documents that this transaction deletes, and their files unless others need them."""
    await _call_deleted_handlers(session, core, document_ids)
    await conversation.forget_subjects(session, document_ids)
    await _remove_files(session, core, await repository.list_contents(session, document_ids))


async def _call_deleted_handlers(session: AsyncSession, core: Core, document_ids: Collection[UUID]) -> None:
    handlers: list[DeletedDocumentsHandler] = core.plugins.collect("deleted_documents_handlers")
    for handler in handlers:
        await handler(session, document_ids)


@needs(Permission.READ)
async def remove_all(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Remove every document with its file when a workspace is deleted."""
    async with across_workspaces(session, "documents"):  # some may be hidden from the actor
        await _remove(session, actor, core, await repository.list_all(session, actor.workspace_id))
        trashed = await repository.list_trashed(session, actor.workspace_id)
        await remove_files_of(session, core, [document.id for document in trashed])


@needs(Permission.READ)
async def get_usage(session: AsyncSession, actor: Actor, core: Core) -> Usage:
    """Return the storage used by documents that the actor added in any workspace, including the trash but not the sample."""
    return Usage(size_bytes=await _used_bytes(session, actor), most_bytes=_most_bytes(core, actor))


@needs(Permission.READ)
async def count_documents(session: AsyncSession, actor: Actor) -> int:
    """Count the documents that the plan of the actor's workspace limits: all but the sample and the trash, also those that are hidden
    from the actor."""
    async with across_workspaces(session, "documents"):
        return await repository.count_own(session, actor.workspace_id)


@needs(Permission.READ)
async def add_sample(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Give a new account the sample documents of an invented company, and train them."""
    await _add_sample(session, actor, core)


async def _add_sample(session: AsyncSession, actor: Actor, core: Core) -> bool:
    """Add the sample documents that are not there. Returns whether there were any."""
    await repository.lock_documents(session, actor.workspace_id)
    document_ids: list[UUID] = []
    for path in await asyncio.to_thread(lambda: sorted(_SAMPLE.iterdir())):
        received = await core.files.receive(_once(await asyncio.to_thread(path.read_bytes)))
        with _discarding_unless_kept(core, received):
            if await repository.find_document_by_content(session, actor.workspace_id, received.sha256) is not None:
                continue
            name = path.stem.replace("-", " ")
            reader = await asyncio.to_thread(reader_of, core.plugins.collect("document_readers"), path, path.name)
            document = Document(
                owner_id=actor.workspace_id,
                title=t("Sample: {name}", name=name),
                filename=path.name,
                media_type=reader.media_type,
                sha256=received.sha256,
                size_bytes=received.size_bytes,
                source=DocumentSource.UPLOAD,
                is_sample=True,
            )
            document_ids.append((await _add(session, actor, core, document, received)).id)
    if document_ids:
        await _enqueue(session, actor, core, document_ids, title=later("Train the sample documents"))
    return bool(document_ids)


@needs(Permission.WORK)
async def remove_sample(session: AsyncSession, actor: Actor, core: Core, *, client: Client = COMMAND_LINE) -> int:
    """Remove the sample documents, and return their number."""
    found = await repository.list_sample(session, actor.workspace_id)
    changeable = set(await _changeable(session, actor, [document.id for document in found]))
    documents = [document for document in found if document.id in changeable]
    await _remove(session, actor, core, documents)
    await audit.record(session, "sample.deleted", actor=actor, subject="documents", client=client)
    return len(documents)


@needs(Permission.WORK)
async def restore_sample(session: AsyncSession, actor: Actor, core: Core, *, client: Client = COMMAND_LINE) -> None:
    """Add the sample documents again, and train them, unless they are there."""
    if await _add_sample(session, actor, core):
        await audit.record(session, "sample.restored", actor=actor, subject="documents", client=client)


@needs(Permission.READ)
async def has_sample(session: AsyncSession, actor: Actor) -> bool:
    return bool(await repository.list_sample(session, actor.workspace_id))


@needs(Permission.WORK)
async def start_run(core: Core, actor: Actor, document_ids: Sequence[UUID] | None = None) -> RunRead:
    """Train documents in a job. By default, these are the documents without vectors of the model in use, or all if there are none.
    Opens its own transaction.

    If a waiting or running run includes these documents, returns that run. Raises Invalid if there is nothing to train, and
    FundwrightError if the embedding model cannot be loaded.
    """
    if document_ids is not None:
        async with core.database.transaction() as session:
            return await _start_run_of(session, actor, core, document_ids)
    embedder = await language.get_embedder(core)
    async with core.database.transaction() as session:
        wanted = await repository.list_untrained_ids(session, actor.workspace_id, embedder.id)
        wanted = wanted or [document.id for document in await repository.list_all(session, actor.workspace_id)]
        wanted = await _changeable(session, actor, wanted)
        if not wanted:
            raise Invalid(t("You have no documents to train. Add a document first."))
        return await _enqueue(session, actor, core, wanted, title=_title(len(wanted)))


@needs(Permission.WORK)
async def read_again(session: AsyncSession, actor: Actor, core: Core) -> set[UUID]:
    """Train the documents in a job that an earlier release has read, unless they are underway. Returns these documents, also those that are
    underway."""
    await repository.lock_runs(session, actor.workspace_id)
    outdated = (await repository.list_read_earlier(session, actor.workspace_id)).get(actor.workspace_id, [])
    changeable = await _changeable(session, actor, outdated)
    underway = await repository.list_underway_ids(session, actor.workspace_id)
    wanted = [id for id in changeable if id not in underway]
    if wanted:
        title = nlater("Read {n} document again", "Read {n} documents again", len(wanted))
        await _begin_run(session, actor, core, wanted, title=title, reads_again=True)
    return set(changeable)


@needs(Permission.WORK)
async def run_inline(core: Core, actor: Actor, document_ids: Sequence[UUID]) -> RunRead:
    """Train documents in this process and wait, for the command line. Opens its own transactions."""
    async with core.database.transaction() as session:
        run = await _add_run(session, actor, document_ids)
    await core.jobs.run_inline(
        TrainDocuments(run_id=run.id), title=_title(len(document_ids)), owner_id=actor.workspace_id, account_id=actor.id
    )
    async with core.database.transaction() as session:
        return await get_run(session, actor, run.id)


@needs(Permission.READ)
async def list_runs(session: AsyncSession, actor: Actor, request: PageRequest | None = None) -> Page[RunRead]:
    """Return runs, newest first unless `request.sort` is state, documents, chunks, duration_s, or created_at."""
    request = request or PageRequest()
    runs, total = await repository.list_runs(session, actor.workspace_id, request)
    hidden = await restrictions.hidden_ids(session, actor)
    items = [_run(run, job, hidden) for run, job in runs]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
async def get_run(session: AsyncSession, actor: Actor, run_id: UUID) -> RunRead:
    """Raises NotFound."""
    return await _read_run(session, actor, *await repository.get_run(session, actor.workspace_id, run_id))


@needs(Permission.READ)
async def list_run_documents(
    session: AsyncSession, actor: Actor, run_id: UUID, request: PageRequest | None = None
) -> Page[DocumentRead]:
    """Return the documents of a run that still exist, in its order unless `request.sort` is set as in `list_documents`. Raises
    NotFound."""
    request = request or PageRequest()
    run, _ = await repository.get_run(session, actor.workspace_id, run_id)
    of_run = [UUID(document_id) for document_id in run.document_ids]
    documents, total = await repository.list_documents(
        session, actor.workspace_id, DocumentQuery().model_copy(update=request.model_dump()), only=of_run
    )
    items = await _read(session, actor, documents)
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
def export_run_documents(session: AsyncSession, actor: Actor, run_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the documents of a run that still exist as lines of CSV. Raises NotFound."""
    return _documents_as_csv(iterate_all(lambda page: list_run_documents(session, actor, run_id, page), request))


@needs(Permission.READ)
async def list_run_failures(
    session: AsyncSession, actor: Actor, run_id: UUID, request: PageRequest | None = None
) -> Page[DocumentFailure]:
    """Return the documents that a run could not train, in its order unless `request.sort` is title or reason. Raises NotFound."""
    request = request or PageRequest()
    run, _ = await repository.get_run(session, actor.workspace_id, run_id)
    failures = _failures(run, await restrictions.hidden_ids(session, actor))
    if request.sort:
        failures.sort(key=lambda failure: str(getattr(failure, request.sort_field)).casefold(), reverse=request.is_descending)
    items = failures[request.offset : request.offset + request.page_size]
    return Page(items=items, total=len(failures), page=request.page, page_size=request.page_size)


@needs(Permission.READ)
def export_run_failures(session: AsyncSession, actor: Actor, run_id: UUID, request: PageRequest) -> AsyncIterator[str]:
    """Yield the documents that a run could not train as lines of CSV. Raises NotFound."""
    return csv_lines(
        [(t("Title"), lambda failure: failure.title), (t("Problem"), lambda failure: failure.reason)],
        iterate_all(lambda page: list_run_failures(session, actor, run_id, page), request),
    )


@needs(Permission.WORK)
async def cancel_run(session: AsyncSession, actor: Actor, run_id: UUID) -> RunRead:
    """Cancel a run after its current step. Passages embedded so far are kept. Raises NotFound, or Conflict if it has ended."""
    _, job = await repository.get_run(session, actor.workspace_id, run_id)
    await jobs.cancel(session, job.id, owner_id=actor.workspace_id)
    return await get_run(session, actor, run_id)


@needs(Permission.WORK)
async def repeat_run(session: AsyncSession, actor: Actor, core: Core, run_id: UUID) -> RunRead:
    """Train the documents of an earlier run again, or return a waiting or running run that trains them. Raises NotFound, or Invalid
    if none of them exists anymore."""
    run, _ = await repository.get_run(session, actor.workspace_id, run_id)
    return await _start_run_of(session, actor, core, [UUID(document_id) for document_id in run.document_ids])


@needs(Permission.READ)
async def find_passages(
    core: Core,
    actor: Actor,
    query: str,
    *,
    embedder: Embedder,
    limit: int = 8,
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
) -> list[Passage]:
    """Return the statements in the actor's documents that are nearest to `query`, nearest first, however distant. If documents and
    kinds are given, only these are searched. Opens its own transaction.

    Raises Conflict if all documents were trained with an embedding model other than the one in use.
    """
    question = _asked(query, actor)
    if not question:
        return []
    vector = (await embedder.embed([question]))[0]
    async with core.database.transaction() as session:
        return await search_passages(
            session, actor, question, vector, embedder=embedder, limit=limit, document_ids=document_ids, kinds=kinds
        )


@needs(Permission.READ)
async def find_phrase(session: AsyncSession, actor: Actor, pattern: str) -> str | None:
    """Return the phrase that matches a regular expression most often in the actor's documents, in lower case."""
    return await repository.find_phrase(session, actor.workspace_id, pattern)


@needs(Permission.READ)
async def nearest_passages(
    session: AsyncSession, actor: Actor, vectors: Mapping[UUID, Vectors], *, model_id: str, kinds: Collection[DocumentKind]
) -> dict[UUID, NearestPassage]:
    """Return, for each of these embeddings by this model, the most similar passage of the actor's documents of these kinds, without the
    sample; nothing if there are no such documents."""
    return await repository.nearest_passages(session, actor.workspace_id, vectors, model_id=model_id, kinds=kinds)


@needs(Permission.READ)
async def list_unsearched(session: AsyncSession, actor: Actor) -> Unsearched:
    """Return the documents that are not trained."""
    return await repository.list_unsearched(session, actor.workspace_id, limit=_NAMED_DOCUMENTS)


def _asked(query: str, actor: Actor) -> str:
    """Return the trimmed question, or "" for an unconfirmed account: it has no documents, so no model need be called."""
    return query.strip()[:_MAX_QUERY_CHARACTERS] if actor.is_confirmed else ""


@needs(Permission.READ)
async def search_passages(
    session: AsyncSession,
    actor: Actor,
    question: str,
    vector: Vectors,
    *,
    embedder: Embedder,
    limit: int,
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
    named: Sequence[str] = (),
    with_asides: bool = False,
) -> list[Passage]:
    """Return the passages that a question with this embedding finds by words and by meaning, best first, and further ones with all words of one
    of the `named`. What is no statement of its document is searched only `with_asides`.

    Raises Conflict if all documents were trained with an embedding model other than the one in use.
    """
    passages = await repository.search_chunks(
        session,
        actor.workspace_id,
        question,
        vector,
        model_id=embedder.id,
        limit=limit,
        document_ids=document_ids,
        kinds=kinds,
        named=named,
        with_asides=with_asides,
    )
    is_searchable = bool(passages) or await repository.has_vectors(session, actor.workspace_id, embedder.id)
    if not is_searchable and await repository.count_outdated(session, actor.workspace_id, embedder.id):
        raise Conflict(
            t(
                "Your documents were trained with an embedding model other than {id}, the current one. Train them "
                "again to search them.",
                id=embedder.id,
            )
        )
    return passages


@needs(Permission.READ)
async def read_documents(
    core: Core,
    actor: Actor,
    *,
    document_ids: Collection[UUID] | None = None,
    kinds: Collection[DocumentKind] | None = None,
    first: Collection[UUID] = (),
) -> list[DocumentText]:
    """Return the text of the actor's trained documents, oldest first. If documents and kinds are given, only these are read. If
    there are more than a million characters, the documents with the passages `first` are kept, and then the newest.

    Opens its own transaction.
    """
    if not actor.is_confirmed:
        return []
    async with core.database.transaction() as session:
        return await repository.read_documents(
            session, actor.workspace_id, document_ids=document_ids, kinds=kinds, first=first, most_characters=_MAX_CHARACTERS_READ
        )


@needs(Permission.READ)
async def read_openings(
    session: AsyncSession, actor: Actor, *, kinds: Collection[DocumentKind], characters: int
) -> list[DocumentText]:
    """Like `read_documents` of these kinds, with at most this many characters of each document and without its passages."""
    if not actor.is_confirmed:
        return []
    return await repository.read_openings(
        session, actor.workspace_id, kinds=kinds, characters=characters, most_characters=_MAX_CHARACTERS_READ
    )


@needs(Permission.READ)
async def read_beginnings(
    session: AsyncSession, actor: Actor, *, kinds: Collection[DocumentKind]
) -> list[tuple[DocumentKind, str]]:
    """Return kind and first few pages of the actor's trained documents of these kinds, those about us first, without the sample.
    If there are many, returns only some."""
    return await repository.read_beginnings(
        session, actor.workspace_id, kinds=kinds, characters=_BEGINNING_CHARACTERS, limit=_MAX_BEGINNINGS
    )


@needs(Permission.READ)
async def get_passage(session: AsyncSession, actor: Actor, passage_id: UUID) -> PassageInContext:
    """Return a passage with the text around it. Raises NotFound."""
    return await repository.get_passage(session, actor.workspace_id, passage_id)


def path_of(document: Document) -> str:
    """The path of the page that shows the document."""
    return f"/dashboard/train?document={document.id}"


def path_of_passage(document_id: UUID, passage_id: UUID, quotes: Quotes = ()) -> str:
    """The path of the page that shows a document, opened at a passage of it, with these statements of the passage highlighted, or all of it."""
    query = {"passage": passage_id} | ({"quotes": json.dumps(quotes[:MAX_QUOTES], separators=(",", ":"))} if quotes else {})
    return f"/dashboard/train/{document_id}?{urlencode(query)}"


def subject_of(document: Document) -> Subject:
    """The document as the subject of activity."""
    return Subject(DOCUMENT, document.id, document.title, path_of(document))


async def _unused_title(session: AsyncSession, actor: Actor, title: str, fuller: str, *, is_filename: bool = False) -> str:
    """Return `title`, or `fuller` if another document of the workspace has it, or else `fuller` with a number. Raises Invalid if
    one of them has no visible characters."""
    title, fuller = visible_title(title, is_filename=is_filename), visible_title(fuller)[: MAX_TITLE_CHARACTERS - len(" (99999)")]
    taken = await repository.list_titles_like(session, actor.workspace_id, title, fuller)
    numbered = (f"{fuller} ({number})" for number in count(2))
    return next(name for name in chain((title, fuller), numbered) if name not in taken)


async def _check_quota(session: AsyncSession, actor: Actor, core: Core, *, size_bytes: int) -> None:
    """Call it after `_unused_title`, which keeps other requests from adding documents to the workspace. Raises QuotaSpent."""
    await _check_number(session, actor)
    await _check_size(session, actor, core, size_bytes=size_bytes)


@needs(Permission.WORK)
async def require_room(core: Core, actor: Actor, size_bytes: int, arriving_bytes: int) -> None:
    """Raise QuotaSpent if a file of this size, and others that are arriving, would exceed the actor's limit now."""
    async with core.database.reading() as session:
        await _require_room(session, actor, core, size_bytes=size_bytes, arriving_bytes=arriving_bytes)


async def _check_size(session: AsyncSession, actor: Actor, core: Core, *, size_bytes: int) -> None:
    """Raises QuotaSpent."""
    await repository.lock_documents(session, actor.id)  # other requests may add documents in other workspaces
    await _require_room(session, actor, core, size_bytes=size_bytes)


async def _require_room(session: AsyncSession, actor: Actor, core: Core, *, size_bytes: int, arriving_bytes: int = 0) -> None:
    used_bytes, most_bytes = arriving_bytes + await _used_bytes(session, actor), _most_bytes(core, actor)
    if most_bytes is not None and used_bytes + size_bytes > most_bytes:
        raise billing.QuotaSpent(
            t(
                "Your documents use {used} of your limit of {limit}, and this one is {size}. Move documents to the trash and empty it, "
                "or ask an administrator to raise FUNDWRIGHT_ACCOUNT_BYTES.",
                used=file_size(used_bytes),
                limit=file_size(most_bytes),
                size=file_size(size_bytes),
            )
        )


async def _check_number(session: AsyncSession, actor: Actor) -> None:
    """Check that the workspace's plan allows another document. Raises QuotaSpent."""
    await billing.check_quota(session, actor, Quota.DOCUMENTS, held=await count_documents(session, actor))


async def _used_bytes(session: AsyncSession, actor: Actor) -> int:
    async with across_workspaces(session, "documents"):
        return await repository.sum_bytes_of(session, actor.id)


def _most_bytes(core: Core, actor: Actor) -> int | None:
    return None if actor.may(Permission.ADMINISTER) else core.settings.account_bytes


@contextmanager
def _discarding_unless_kept(core: Core, received: ReceivedFile) -> Iterator[None]:
    try:
        yield
    finally:
        core.files.discard(received)


async def _add(session: AsyncSession, actor: Actor, core: Core, document: Document, received: ReceivedFile) -> DocumentRead:
    """No other request can add documents to the workspace, because the title was chosen with `list_titles_like` or the caller has locked
    them. Raises AlreadyAdded."""
    known = await repository.find_document_by_content(session, actor.workspace_id, document.sha256)
    if known is not None:  # another request added it since the caller looked
        raise AlreadyAdded(known)
    await lock_file(session, received.sha256)
    await core.files.keep(received)
    session.add(document)
    await session.flush()
    await publish(session, documents_topic(actor.workspace_id))
    return DocumentRead.model_validate(document)


async def _remove(session: AsyncSession, actor: Actor, core: Core, documents: Sequence[Document]) -> None:
    await _call_deleted_handlers(session, core, [document.id for document in documents])
    for document in documents:
        await repository.delete_document(session, actor.workspace_id, document.id)
    await restrictions.forget(session, [document.id for document in documents])
    await conversation.forget_subjects(session, [document.id for document in documents])
    await _remove_files(session, core, [document.sha256 for document in documents])
    await publish(session, documents_topic(actor.workspace_id))


async def _remove_files(session: AsyncSession, core: Core, names: Sequence[str]) -> None:
    if names:
        await core.jobs.enqueue(session, RemoveFiles(sha256=tuple(names)), title="Remove files", owner_id=None)


async def _read(session: AsyncSession, actor: Actor, documents: Sequence[Document]) -> list[DocumentRead]:
    underway = await repository.list_underway_ids(session, actor.workspace_id)
    names = await workspaces.names_of(session, actor, (document.created_by for document in documents))
    access = await restrictions.access_to(session, actor, [document.id for document in documents])
    collections = await collecting.names_of(session, actor, [document.id for document in documents])
    versions = [id for document in documents for id in (document.resembles, document.replaced_by) if id is not None]
    # Those in the trash or hidden from the actor replace nothing for the actor, who must not learn of them.
    seen = set(await repository.list_known_ids(session, actor.workspace_id, versions)) if versions else set[UUID]()
    return [
        DocumentRead.model_validate(document).model_copy(
            update={
                "collection_id": collections.get(document.id, (None, ""))[0],
                "collection": collections.get(document.id, (None, ""))[1],
                "is_underway": document.id in underway,
                "added_by": names.get(document.created_by, ""),
                "access": access.get(document.id),
                "resembles": document.resembles if document.resembles in seen else None,
                "replaced_by": document.replaced_by if document.replaced_by in seen else None,
            }
        )
        for document in documents
    ]


async def _train_later(session: AsyncSession, actor: Actor, core: Core, document: DocumentRead) -> DocumentRead:
    """Train the document in the waiting run if there is one, so that documents added one after another are trained together."""
    if not await repository.join_waiting_run(session, actor.workspace_id, document.id):
        await _enqueue(session, actor, core, [document.id], title=later("Train added documents"))
    return await get_document(session, actor, document.id)


async def _start_run_of(session: AsyncSession, actor: Actor, core: Core, document_ids: Sequence[UUID]) -> RunRead:
    known = await repository.list_known_ids(session, actor.workspace_id, list(dict.fromkeys(document_ids)))
    wanted = await _changeable(session, actor, known)
    if not wanted:
        raise Invalid(t("None of these documents exist anymore. Add a document first."))
    return await _enqueue(session, actor, core, wanted, title=_title(len(wanted)))


async def _changeable(session: AsyncSession, actor: Actor, document_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the documents that the actor may change."""
    access = await restrictions.access_to(session, actor, document_ids)
    return [id for id in document_ids if access.get(id, Access.EDIT) is Access.EDIT]


@needs(Permission.WORK)
async def lock_to_change(session: AsyncSession, actor: Actor, document_id: UUID) -> Document:
    """Raises NotFound, or NotAllowed if the document is restricted and the actor may not edit it."""
    document = await repository.get_document(session, actor.workspace_id, document_id, for_update=True)
    await restrictions.require(session, actor, document_id)
    return document


async def _add_run(session: AsyncSession, actor: Actor, document_ids: Sequence[UUID]) -> TrainingRun:
    run = TrainingRun(owner_id=actor.workspace_id, document_ids=[str(document_id) for document_id in document_ids])
    session.add(run)
    await session.flush()
    return run


async def _enqueue(session: AsyncSession, actor: Actor, core: Core, document_ids: Sequence[UUID], *, title: Message) -> RunRead:
    underway = await repository.find_underway_run(session, actor.workspace_id, document_ids)
    if underway:
        return await _read_run(session, actor, *underway)
    return await _begin_run(session, actor, core, document_ids, title=title)


async def _begin_run(
    session: AsyncSession, actor: Actor, core: Core, document_ids: Sequence[UUID], *, title: Message, reads_again: bool = False
) -> RunRead:
    run = await _add_run(session, actor, document_ids)
    payload = TrainDocuments(run_id=run.id, reads_again=reads_again)
    job = await core.jobs.enqueue(session, payload, title=title, owner_id=actor.workspace_id, account_id=actor.id)
    run.job_id = job.id
    await session.flush()
    return await get_run(session, actor, run.id)


def _title(count: int) -> Message:
    return nlater("Train {n} document", "Train {n} documents", count)


async def _read_run(session: AsyncSession, actor: Actor, run: TrainingRun, job: Job) -> RunRead:
    return _run(run, job, await restrictions.hidden_ids(session, actor))


def _failures(run: TrainingRun, hidden: Collection[UUID]) -> list[DocumentFailure]:
    failures = [DocumentFailure.model_validate(failure) for failure in run.failed]
    return [failure for failure in failures if failure.document_id not in hidden]


def _run(run: TrainingRun, job: Job, hidden: frozenset[UUID]) -> RunRead:
    """What the run says about `hidden` documents is left out."""
    is_shown = hidden.isdisjoint(map(UUID, run.document_ids))
    return RunRead(
        id=run.id,
        job_id=job.id,
        state=JobState(job.state),
        done=run.documents + len(run.failed),
        total=len(run.document_ids),
        message=job.message if is_shown else "",
        documents=run.documents,
        chunks=run.chunks,
        failed=tuple(_failures(run, hidden)),
        model_id=run.model_id,
        error=job.error,
        created_at=run.created_at,
        started_at=job.started_at,
        ended_at=job.ended_at,
    )


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content

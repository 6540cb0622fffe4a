"""A workspace's documents: lists, what is known of each, and what people choose for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Sequence
from datetime import date
from pathlib import Path
from urllib.parse import urlencode
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Subject
from fundwright.conversation.schemas import Commented
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict, Invalid, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import later, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.insights.schemas import Figure
from fundwright.reading.kinds import OUR_KINDS, DocumentKind
from fundwright.training import collecting
from fundwright.training.collecting import documents_topic
from fundwright.training.models import Document
from fundwright.training.repository import listing, runs
from fundwright.training.schemas import (
    MAX_QUOTES,
    DocumentQuery,
    DocumentRead,
    DocumentTitle,
    FindFacts,
    IncompleteDocument,
    IncompleteDocuments,
    Quotes,
)
from fundwright.training.titles import visible_title
from fundwright.workspaces import restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import Access

DOCUMENT = "document"
"""The kind of documents in the trash, in activity, and of restrictions."""

RENAMED = ActivityKind(
    "document.renamed", later("Document renamed"), later("{person} renamed the document “{before}” to “{subject}”")
)


@needs(Permission.READ)
async def list_documents(
    session: AsyncSession, actor: Actor, request: DocumentQuery | None = None, *, only: Sequence[UUID] | None = None
) -> Page[DocumentRead]:
    """Return documents, newest first unless `request.sort` is title, kind, state, size_bytes, chunk_count, created_at, or
    trained_at. With `only`, returns those of these that the actor has, in the given order by default."""
    request = request or DocumentQuery()
    documents, total = await listing.list_documents(session, actor.workspace_id, request, only=only)
    items = await _read(session, actor, documents)
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
def export_documents(session: AsyncSession, actor: Actor, request: DocumentQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return documents_as_csv(iterate_all(lambda page: list_documents(session, actor, page), request))


def documents_as_csv(documents: AsyncIterator[DocumentRead]) -> AsyncIterator[str]:
    """Yield documents as lines of CSV."""
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
async def read_figures(session: AsyncSession, actor: Actor) -> list[Figure]:
    """The number of the actor's documents."""
    listed = await list_documents(session, actor, DocumentQuery(page_size=1))
    return [Figure(label=t("Your documents"), count=listed.total, path="/dashboard/train")]


@needs(Permission.READ)
async def get_document(session: AsyncSession, actor: Actor, document_id: UUID) -> DocumentRead:
    """Raises NotFound."""
    return (await _read(session, actor, [await listing.get_document(session, actor.workspace_id, document_id)]))[0]


@needs(Permission.READ)
async def get_commented(session: AsyncSession, actor: Actor, document_id: UUID) -> Commented:
    """Return a document as what comments are about. Raises NotFound."""
    document = await listing.get_document(session, actor.workspace_id, document_id)
    return Commented(title=document.title, path=f"/dashboard/train?document={document.id}")


@needs(Permission.WORK)
async def choose_kind(session: AsyncSession, actor: Actor, core: Core, document_id: UUID, kind: DocumentKind) -> DocumentRead:
    """Set the kind of a document, which is kept when the document is trained again, and find its facts again in a job, unless one waits.
    Raises NotFound or NotAllowed."""
    document = await lock_to_change(session, actor, document_id)
    if document.is_kind_chosen and document.kind == kind:
        return await get_document(session, actor, document_id)
    document.kind, document.is_kind_chosen = kind, True
    await session.flush()
    await find_facts_later(session, actor, core, document_id)
    await publish(session, documents_topic(actor.workspace_id))
    return await get_document(session, actor, document_id)


@needs(Permission.READ)
async def find_facts_later(session: AsyncSession, actor: Actor, core: Core, document_id: UUID) -> None:
    """Find the facts of a document whose kind has changed again in a job, unless one waits."""
    payload = FindFacts(document_id=document_id)
    if not await jobs.find_waiting(session, actor.workspace_id, kind=payload.job_kind, payload=payload):
        await core.jobs.enqueue(session, payload, title="Find facts", owner_id=actor.workspace_id, account_id=actor.id)


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
async def rename_document(
    session: AsyncSession, actor: Actor, document_id: UUID, change: DocumentTitle, *, client: Client = COMMAND_LINE
) -> DocumentRead:
    """Change the title of a document. Drafts keep the title that they have cited. Raises NotFound, NotAllowed, Invalid for a title that
    nobody could see, or Conflict if another document has the title."""
    document = await lock_to_change(session, actor, document_id)
    title = visible_title(change.title)
    if title != document.title:
        if title in await listing.list_titles_like(session, actor.workspace_id, title, title):
            raise Conflict(t("You already have a document named “{title}”.", title=title))
        before, document.title = document.title, title
        await session.flush()
        await audit.record(session, "document.renamed", actor=actor, subject=str(document_id), client=client)
        await activity.record(session, actor, RENAMED, subject_of(document), before=before, after=title)
        await publish(session, documents_topic(actor.workspace_id))
    return await get_document(session, actor, document_id)


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
async def titles_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the titles of those documents that the actor has."""
    return await listing.titles_of(session, actor.workspace_id, document_ids)


@needs(Permission.READ)
async def kinds_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, DocumentKind]:
    """Return the kinds of those documents that the actor has."""
    return await listing.kinds_of(session, actor.workspace_id, document_ids)


@needs(Permission.READ)
async def unread_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return what was not read of those documents that the actor has, in the reader's language."""
    reports = await listing.reports_of(session, actor.workspace_id, document_ids)
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
    found, total = await listing.list_incomplete(
        session, actor.workspace_id, document_ids=document_ids, kinds=OUR_KINDS, except_ids=except_ids, limit=limit
    )
    shown = tuple(IncompleteDocument(id=id, title=title, unread=report.unread_text) for id, title, report in found)
    return IncompleteDocuments(documents=shown, more=total - len(shown))


@needs(Permission.READ)
async def page_labels_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, Sequence[str]]:
    """Return what those of these documents that the actor has call their pages, if these are not their numbers."""
    return await listing.page_labels_of(session, actor.workspace_id, document_ids)


@needs(Permission.READ)
async def look_up(session: AsyncSession, actor: Actor, reference: str) -> UUID:
    """Return the document with this id or title. Raises Invalid."""
    found = await listing.find_id(session, actor.workspace_id, reference.replace("\x00", "").strip())
    if found is None:
        raise Invalid(t("There is no document named “{reference}”. Use its title or id.", reference=reference))
    return found


@needs(Permission.READ)
async def check_documents(session: AsyncSession, actor: Actor, document_ids: Sequence[UUID]) -> None:
    """Raise NotFound if the actor does not have one of these documents."""
    if len(await listing.list_known_ids(session, actor.workspace_id, document_ids)) < len(document_ids):
        raise NotFound(t("The document"))


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


async def _read(session: AsyncSession, actor: Actor, documents: Sequence[Document]) -> list[DocumentRead]:
    underway = await runs.list_underway_ids(session, actor.workspace_id)
    names = await workspaces.names_of(session, actor, (document.created_by for document in documents))
    access = await restrictions.access_to(session, actor, [document.id for document in documents])
    collections = await collecting.names_of(session, actor, [document.id for document in documents])
    versions = [id for document in documents for id in (document.resembles, document.replaced_by) if id is not None]
    # Those in the trash or hidden from the actor replace nothing for the actor, who must not learn of them.
    seen = set(await listing.list_known_ids(session, actor.workspace_id, versions)) if versions else set[UUID]()
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


@needs(Permission.WORK)
async def changeable(session: AsyncSession, actor: Actor, document_ids: Sequence[UUID]) -> list[UUID]:
    """Return those of the documents that the actor may change."""
    access = await restrictions.access_to(session, actor, document_ids)
    return [id for id in document_ids if access.get(id, Access.EDIT) is Access.EDIT]


@needs(Permission.WORK)
async def lock_to_change(session: AsyncSession, actor: Actor, document_id: UUID) -> Document:
    """Raises NotFound, or NotAllowed if the document is restricted and the actor may not edit it."""
    document = await listing.get_document(session, actor.workspace_id, document_id, for_update=True)
    await restrictions.require(session, actor, document_id)
    return document

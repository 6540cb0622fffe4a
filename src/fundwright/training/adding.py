"""Adding documents: uploaded files and pasted text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import chain, count
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.files import ReceivedFile, file_name, lock_file
from fundwright.core.live import publish
from fundwright.core.messages import later, t
from fundwright.core.plugins import Plugins
from fundwright.reading.formats import Reader, reader_of
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.markdown import MarkdownReader
from fundwright.training import collecting, runs, service, storage
from fundwright.training.collecting import documents_topic
from fundwright.training.models import Document
from fundwright.training.repository import listing
from fundwright.training.schemas import AcceptedFormat, DocumentRead, DocumentSource, DocumentState, PastedText
from fundwright.training.titles import MAX_TITLE_CHARACTERS, title_of_file, visible_title
from fundwright.workspaces import restrictions

ADDED = ActivityKind("document.added", later("Document added"), later("{person} added the document “{subject}”"))


class AlreadyAdded(Conflict):
    """The workspace already has a document with this content."""

    def __init__(self, document: Document) -> None:
        super().__init__(t("You already have this content as “{title}”. Nothing was added.", title=document.title))
        self.document_id = document.id


def list_formats(plugins: Plugins) -> list[AcceptedFormat]:
    """Return the formats of files that are read."""
    readers: list[Reader] = plugins.collect("document_readers")
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
        await _lock_for(session, actor, received, collection_id)
        readers: list[Reader] = core.plugins.collect("document_readers")
        reader = await asyncio.to_thread(reader_of, readers, received.path, name)
        wanted = title.strip() or title_of_file(name)
        free_title = await unused_title(session, actor, wanted, name, is_filename=not title.strip())
        await storage.check_quota(session, actor, core, size_bytes=received.size_bytes)
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
        added = await _add(session, actor, core, document, received, collection_id)
        return await runs.train_later(session, actor, core, added) if is_trained_later else added


@needs(Permission.WORK)
async def add_text(
    session: AsyncSession, actor: Actor, core: Core, pasted: PastedText, *, filename: str = "pasted.md"
) -> DocumentRead:
    """Add pasted text as a Markdown document, and train it in a job. Raises Invalid for a title that nobody could see, AlreadyAdded (409),
    QuotaSpent (402), or NotFound or NotAllowed for the collection."""
    async with receiving(core, pasted.text.encode()) as received:
        await _lock_for(session, actor, received, pasted.collection_id)
        title = await unused_title(session, actor, pasted.title, pasted.title)
        await storage.check_quota(session, actor, core, size_bytes=received.size_bytes)
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
        added = await _add(session, actor, core, document, received, pasted.collection_id)
        return await runs.train_later(session, actor, core, added)


async def _lock_for(session: AsyncSession, actor: Actor, received: ReceivedFile, collection_id: UUID | None) -> None:
    """Lock the collection that a file is added to. Raises AlreadyAdded, NotFound, or NotAllowed."""
    if collection_id is not None:
        await collecting.lock(session, actor, collection_id)
    known = await listing.find_document_by_content(session, actor.workspace_id, received.sha256)
    if known is not None:
        raise AlreadyAdded(known)


async def _add(
    session: AsyncSession, actor: Actor, core: Core, document: Document, received: ReceivedFile, collection_id: UUID | None
) -> DocumentRead:
    added = await keep_document(session, actor, core, document, received)
    if collection_id is not None:
        await restrictions.put_into(session, actor, document.id, collection_id, made_by=actor.id)
    await activity.record(session, actor, ADDED, service.subject_of(document))
    return added


@needs(Permission.WORK)
async def keep_text(
    session: AsyncSession, actor: Actor, core: Core, document_id: UUID | None, pasted: PastedText, *, filename: str
) -> DocumentRead:
    """Give a document a new text and filename, and train it again in a job. A document that is gone, in the trash, or hidden from the actor is added
    again. Raises NotAllowed, and what `add_text` raises."""
    await listing.lock_documents(session, actor.workspace_id)
    document = await listing.find_document(session, actor.workspace_id, document_id) if document_id else None
    if document is None:
        return await add_text(session, actor, core, pasted, filename=filename)
    await restrictions.require(session, actor, document.id)
    async with receiving(core, pasted.text.encode()) as received:
        known = await listing.find_document_by_content(session, actor.workspace_id, received.sha256)
        if known is not None and known.id == document.id:
            return await service.get_document(session, actor, document.id)
        if known is not None:
            raise AlreadyAdded(known)
        await storage.check_size(session, actor, core, size_bytes=received.size_bytes - document.size_bytes)
        await lock_file(session, received.sha256)
        await core.files.keep(received)
        before, document.sha256, document.size_bytes = document.sha256, received.sha256, received.size_bytes
        document.state, document.filename = DocumentState.WAITING, filename
        await session.flush()
        await storage.remove_files(session, core, [before])
        await publish(session, documents_topic(actor.workspace_id))
        return await runs.train_later(session, actor, core, DocumentRead.model_validate(document))


@needs(Permission.WORK)
async def unused_title(session: AsyncSession, actor: Actor, title: str, fuller: str, *, is_filename: bool = False) -> str:
    """Return `title`, or `fuller` if another document of the workspace has it, or else `fuller` with a number. Raises Invalid if
    one of them has no visible characters."""
    title, fuller = visible_title(title, is_filename=is_filename), visible_title(fuller)[: MAX_TITLE_CHARACTERS - len(" (99999)")]
    taken = await listing.list_titles_like(session, actor.workspace_id, title, fuller)
    numbered = (f"{fuller} ({number})" for number in count(2))
    return next(name for name in chain((title, fuller), numbered) if name not in taken)


@asynccontextmanager
async def receiving(core: Core, content: bytes) -> AsyncIterator[ReceivedFile]:
    """Receive a file with this content, which is discarded in the end unless it was kept."""
    received = await core.files.receive(_once(content))
    with _discarding_unless_kept(core, received):
        yield received


@contextmanager
def _discarding_unless_kept(core: Core, received: ReceivedFile) -> Iterator[None]:
    try:
        yield
    finally:
        core.files.discard(received)


@needs(Permission.READ)
async def keep_document(
    session: AsyncSession, actor: Actor, core: Core, document: Document, received: ReceivedFile
) -> DocumentRead:
    """Add a document with its file. The caller has chosen the title with `unused_title` or locked the documents, so no other request can add
    documents to the workspace. Raises AlreadyAdded."""
    known = await listing.find_document_by_content(session, actor.workspace_id, document.sha256)
    if known is not None:  # another request added it since the caller looked
        raise AlreadyAdded(known)
    await lock_file(session, received.sha256)
    await core.files.keep(received)
    session.add(document)
    await session.flush()
    await publish(session, documents_topic(actor.workspace_id))
    return DocumentRead.model_validate(document)


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content

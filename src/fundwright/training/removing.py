"""Moving documents to the trash, restoring them, and deleting them for good."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.conversation import service as conversation
from fundwright.core.assembly import Core
from fundwright.core.errors import Conflict
from fundwright.core.live import publish
from fundwright.core.messages import t
from fundwright.training import adding, runs, service, storage
from fundwright.training.collecting import documents_topic
from fundwright.training.models import Document
from fundwright.training.repository import listing
from fundwright.training.repository import runs as run_queries
from fundwright.training.schemas import DocumentRead, DocumentState
from fundwright.trash import service as trash
from fundwright.workspaces import restrictions

DeletedDocumentsHandler = Callable[[AsyncSession, Collection[UUID]], Awaitable[None]]
"""Called with the ids of documents, perhaps of several workspaces, before the transaction deletes them for good."""


@needs(Permission.WORK)
async def remove_document(session: AsyncSession, actor: Actor, document_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a document to the trash. Raises NotFound or NotAllowed."""
    document = await service.lock_to_change(session, actor, document_id)
    await trash.put_in(session, actor, service.DOCUMENT, document, title=document.title)
    await audit.record(session, "document.deleted", actor=actor, subject=str(document_id), client=client)
    await publish(session, documents_topic(actor.workspace_id))


@needs(Permission.WORK)
async def restore_document(session: AsyncSession, actor: Actor, core: Core, document: Document) -> None:
    """Take a document out of the trash, and train it if that was not finished. Its title gets a number if another document has it.

    Raises Conflict if the same content was added again, or QuotaSpent.
    """
    title = await adding.unused_title(session, actor, document.title, document.title)
    known = await listing.find_document_by_content(session, actor.workspace_id, document.sha256)
    if known is not None:
        raise Conflict(t("You have added this content again as “{title}”. Move that one to the trash first.", title=known.title))
    if not document.is_sample:  # but not the size, because documents in the trash count as used
        await storage.check_number(session, actor)
    document.title = title
    await trash.take_out(session, actor, document)
    is_to_train = document.state != DocumentState.TRAINED
    if is_to_train and await run_queries.find_underway_run(session, actor.workspace_id, [document.id]) is None:
        await runs.train_later(session, actor, core, DocumentRead.model_validate(document))
    await publish(session, documents_topic(actor.workspace_id))


async def remove_files_of(session: AsyncSession, core: Core, document_ids: Collection[UUID]) -> None:
    """Remove what belongs to documents that this transaction deletes, and their files unless others need them."""
    await _call_deleted_handlers(session, core, document_ids)
    await conversation.forget_subjects(session, document_ids)
    await storage.remove_files(session, core, await listing.list_contents(session, document_ids))


async def _call_deleted_handlers(session: AsyncSession, core: Core, document_ids: Collection[UUID]) -> None:
    handlers: list[DeletedDocumentsHandler] = core.plugins.collect("deleted_documents_handlers")
    for handler in handlers:
        await handler(session, document_ids)


@needs(Permission.READ)
async def remove_all(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Remove every document with its file when a workspace is deleted."""
    async with storage.across_all(session):  # some may be hidden from the actor
        await delete_forever(session, actor, core, await listing.list_all(session, actor.workspace_id))
        trashed = await listing.list_trashed(session, actor.workspace_id)
        await remove_files_of(session, core, [document.id for document in trashed])


@needs(Permission.READ)
async def delete_forever(session: AsyncSession, actor: Actor, core: Core, documents: Sequence[Document]) -> None:
    """Delete documents that are not in the trash, with what belongs to them, and their files unless others need them."""
    await _call_deleted_handlers(session, core, [document.id for document in documents])
    for document in documents:
        await listing.delete_document(session, actor.workspace_id, document.id)
    await restrictions.forget(session, [document.id for document in documents])
    await conversation.forget_subjects(session, [document.id for document in documents])
    await storage.remove_files(session, core, [document.sha256 for document in documents])
    await publish(session, documents_topic(actor.workspace_id))

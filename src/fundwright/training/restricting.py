"""Who sees a document: its restriction, and the collection that it is in."""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining
from fundwright.core.assembly import Core
from fundwright.core.errors import NotFound
from fundwright.core.live import publish
from fundwright.core.messages import later
from fundwright.training import collecting, runs, service
from fundwright.training.collecting import documents_topic
from fundwright.training.repository import listing
from fundwright.training.schemas import DocumentRead, DocumentState
from fundwright.workspaces import restrictions
from fundwright.workspaces.restrictions import RestrictableItem
from fundwright.workspaces.schemas import RestrictionForm, RestrictionRead

MOVED = ActivityKind(
    "document.moved",
    later("Document moved"),
    later("{person} moved the document “{subject}” to another collection"),  # a restricted one is not named
    combining=Combining.SOON,
)


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
    document = await service.lock_to_change(session, actor, document_id)
    await restrictions.put_into(session, actor, document_id, collection_id, made_by=document.created_by)
    await activity.record(session, actor, MOVED, service.subject_of(document))
    if await restrictions.access_to(session, actor, [document_id]):
        await restriction_changed(session, actor, core, document_id)
    await publish(session, documents_topic(actor.workspace_id))
    return await service.get_document(session, actor, document_id)


@needs(Permission.READ)
async def get_restriction(session: AsyncSession, actor: Actor, core: Core, document_id: UUID) -> RestrictionRead:
    """Return who sees a document. Raises NotFound."""
    return await restrictions.get_restriction(session, actor, core, service.DOCUMENT, document_id)


@needs(Permission.READ)
async def get_restrictable(session: AsyncSession, actor: Actor, document_id: UUID) -> RestrictableItem:
    """Return who added a document, and its title. Raises NotFound."""
    document = await listing.get_document(session, actor.workspace_id, document_id)
    return RestrictableItem(made_by=document.created_by, subject=service.subject_of(document))


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
    return await restrictions.restrict(session, actor, core, service.DOCUMENT, document_id, form, client=client)


@needs(Permission.WORK)
async def lift_restriction(
    session: AsyncSession, actor: Actor, core: Core, document_id: UUID, *, client: Client = COMMAND_LINE
) -> RestrictionRead:
    """Let everyone in the workspace see a document again. Raises PersonalWorkspace, NotFound, or NotAllowed."""
    return await restrictions.lift(session, actor, core, service.DOCUMENT, document_id, client=client)


@needs(Permission.READ)
async def restriction_changed(session: AsyncSession, actor: Actor, core: Core, document_id: UUID) -> None:
    """Announce that other members see a document. If it waits to be trained, the actor trains it, because a run of someone from whom it is
    now hidden does not."""
    await publish(session, documents_topic(actor.workspace_id))
    with suppress(NotFound):  # it is in the trash
        document = await listing.get_document(session, actor.workspace_id, document_id)
        if document.state == DocumentState.WAITING and actor.may(Permission.WORK):
            await runs.begin_run(session, actor, core, [document_id])


@needs(Permission.READ)
async def collection_restriction_changed(session: AsyncSession, actor: Actor, core: Core, collection_id: UUID) -> None:
    """Like `restriction_changed`, for the documents in a collection."""
    await publish(session, documents_topic(actor.workspace_id))
    waiting = await listing.list_ids_in(session, actor.workspace_id, collection_id, DocumentState.WAITING)
    if waiting and actor.may(Permission.WORK):
        await runs.begin_run(session, actor, core, waiting)

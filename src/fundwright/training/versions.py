"""New versions of documents: which document seems to be one, and what becomes of the earlier one.

Nothing is replaced before a person says so. A replaced document stays readable and cited, but questions and drafts search the newest.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind
from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid
from fundwright.core.live import publish
from fundwright.core.messages import later, t
from fundwright.core.paging import Page, PageRequest
from fundwright.training.collecting import documents_topic
from fundwright.training.models import Document
from fundwright.training.repository import listing, versions
from fundwright.training.schemas import DocumentRead, VersionNote, VersionOffer
from fundwright.training.service import find_facts_later, get_document, lock_to_change, subject_of

REPLACED = ActivityKind(
    "document.replaced", later("Document replaced"), later("{person} replaced the document “{subject}” with a newer version")
)

BROUGHT_BACK = ActivityKind(
    "document.brought_back", later("Document brought back"), later("{person} brought back the document “{subject}”")
)


@needs(Permission.READ)
async def list_offers(session: AsyncSession, actor: Actor, request: PageRequest) -> Page[VersionOffer]:
    """Return the documents that seem to be new versions of earlier ones, newest first."""
    found, total = await versions.list_version_offers(session, actor.workspace_id, request)
    items = [
        VersionOffer(newer=await get_document(session, actor, newer), earlier=await get_document(session, actor, earlier))
        for newer, earlier in found
    ]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
async def notes_of(session: AsyncSession, actor: Actor, document_ids: Collection[UUID]) -> dict[UUID, VersionNote]:
    """Return what there is to say about the versions of those documents that the actor has: which were replaced, or replace others."""
    return await versions.version_notes_of(session, actor.workspace_id, document_ids)


@needs(Permission.WORK)
async def replace(session: AsyncSession, actor: Actor, core: Core, document_id: UUID, newer_id: UUID) -> DocumentRead:
    """Replace a document with a newer one, which takes over its kind if a person chose it. Raises NotFound, NotAllowed, or Invalid if both
    are the same or the newer one was replaced itself."""
    await listing.lock_documents(session, actor.workspace_id)  # so that two never wait for each other
    earlier, newer = await lock_to_change(session, actor, document_id), await lock_to_change(session, actor, newer_id)
    if earlier.id == newer.id:
        raise Invalid(t("A document cannot replace itself. Choose another one."))
    if earlier.replaced_by == newer.id:  # a double click
        return await get_document(session, actor, earlier.id)
    if newer.replaced_by is not None:
        raise Invalid(t("“{title}” has itself been replaced. Choose its newest version.", title=newer.title))
    earlier.replaced_by = newer.id
    if newer.resembles in (None, earlier.id):  # what the earlier one seemed to replace, the newer one may replace
        newer.resembles = earlier.resembles if earlier.resembles != newer.id else None
    earlier.resembles = None
    if earlier.is_kind_chosen and not newer.is_kind_chosen:
        if newer.kind != earlier.kind:
            await find_facts_later(session, actor, core, newer.id)
        newer.kind, newer.is_kind_chosen = earlier.kind, True
    await activity.record(session, actor, REPLACED, subject_of(earlier))  # the newer one may be restricted
    return await _changed(session, actor, earlier)


@needs(Permission.WORK)
async def bring_back(session: AsyncSession, actor: Actor, document_id: UUID) -> DocumentRead:
    """Let questions and drafts search a replaced document again. Raises NotFound or NotAllowed."""
    document = await lock_to_change(session, actor, document_id)
    if document.replaced_by is not None:
        document.replaced_by = None
        await activity.record(session, actor, BROUGHT_BACK, subject_of(document))
    return await _changed(session, actor, document)


@needs(Permission.WORK)
async def keep_both(session: AsyncSession, actor: Actor, document_id: UUID) -> DocumentRead:
    """Do not offer again to replace an earlier document with this one. Raises NotFound or NotAllowed."""
    document = await lock_to_change(session, actor, document_id)
    document.resembles = None
    return await _changed(session, actor, document)


async def _changed(session: AsyncSession, actor: Actor, document: Document) -> DocumentRead:
    await session.flush()
    await publish(session, documents_topic(actor.workspace_id))
    return await get_document(session, actor, document.id)

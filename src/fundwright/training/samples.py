"""The sample documents of an invented company, which a new account gets."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from pathlib import Path
from uuid import UUID

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.core.assembly import Core
from fundwright.core.messages import later, t
from fundwright.reading.formats import reader_of
from fundwright.training import adding, removing, runs, service
from fundwright.training.models import Document
from fundwright.training.repository import listing
from fundwright.training.schemas import DocumentSource

_SAMPLE = Path(__file__).with_name("sample")


@needs(Permission.READ)
def samples(actor: Actor) -> Select[UUID]:
    """Select the ids of the sample documents, as a subquery for lists of other slices."""
    return listing.samples(actor.workspace_id)


async def sample_ids_among(session: AsyncSession, document_ids: Collection[UUID]) -> Collection[UUID]:
    """Return those of the documents, of any workspace, that are sample documents."""
    return await listing.sample_ids_among(session, document_ids)


@needs(Permission.READ)
async def add_sample(session: AsyncSession, actor: Actor, core: Core) -> None:
    """Give a new account the sample documents of an invented company, and train them."""
    await _add_sample(session, actor, core)


async def _add_sample(session: AsyncSession, actor: Actor, core: Core) -> bool:
    """Add the sample documents that are not there. Returns whether there were any."""
    await listing.lock_documents(session, actor.workspace_id)
    document_ids: list[UUID] = []
    for path in await asyncio.to_thread(lambda: sorted(_SAMPLE.iterdir())):
        async with adding.receiving(core, await asyncio.to_thread(path.read_bytes)) as received:
            if await listing.find_document_by_content(session, actor.workspace_id, received.sha256) is not None:
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
            document_ids.append((await adding.keep_document(session, actor, core, document, received)).id)
    if document_ids:
        await runs.enqueue(session, actor, core, document_ids, title=later("Train the sample documents"))
    return bool(document_ids)


@needs(Permission.WORK)
async def remove_sample(session: AsyncSession, actor: Actor, core: Core, *, client: Client = COMMAND_LINE) -> int:
    """Remove the sample documents, and return their number."""
    found = await listing.list_sample(session, actor.workspace_id)
    changeable = set(await service.changeable(session, actor, [document.id for document in found]))
    documents = [document for document in found if document.id in changeable]
    await removing.delete_forever(session, actor, core, documents)
    await audit.record(session, "sample.deleted", actor=actor, subject="documents", client=client)
    return len(documents)


@needs(Permission.WORK)
async def restore_sample(session: AsyncSession, actor: Actor, core: Core, *, client: Client = COMMAND_LINE) -> None:
    """Add the sample documents again, and train them, unless they are there."""
    if await _add_sample(session, actor, core):
        await audit.record(session, "sample.restored", actor=actor, subject="documents", client=client)


@needs(Permission.READ)
async def has_sample(session: AsyncSession, actor: Actor) -> bool:
    return bool(await listing.list_sample(session, actor.workspace_id))

"""The drafts in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import ComputedFile, DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.computing import TookTooLong, TookTooMuchMemory
from fundwright.core.errors import NotFound
from fundwright.core.paging import iterate_all
from fundwright.generation import editing, service
from fundwright.generation.schemas import DraftQuery, DraftRead


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile | ComputedFile]:
    """Yield every draft, also those in the trash, as data with its citations and as Markdown, with the versions of its sections."""
    async for row in iterate_all(lambda query: service.list_drafts(session, actor, query), DraftQuery()):
        draft = await service.get_draft(session, actor, row.id)
        async for file in _files_of(session, draft, "drafts"):
            yield file
        yield ComputedFile(f"generation/drafts/{row.id}.md", partial(_markdown_of, core, actor, row.id))
    for draft in await service.list_trashed(session, actor):
        async for file in _files_of(session, draft, "drafts_in_trash"):
            yield file
        yield ComputedFile(f"generation/drafts_in_trash/{draft.id}.md", partial(_markdown, core, draft))


@needs(Permission.READ)
async def _markdown_of(core: Core, actor: Actor, draft_id: UUID) -> bytes | None:
    try:
        async with core.database.reading() as session:
            draft = await service.get_draft(session, actor, draft_id)
    except NotFound:  # deleted meanwhile
        return None
    return await _markdown(core, draft)


async def _markdown(core: Core, draft: DraftRead) -> bytes | None:
    try:
        return (await service.to_copy(core, draft, is_background=True)).encode()
    except (TookTooLong, TookTooMuchMemory):
        return None  # the data has its text


async def _files_of(session: AsyncSession, draft: DraftRead, folder: str) -> AsyncIterator[DataFile]:
    yield as_json(f"generation/{folder}/{draft.id}.json", draft)
    yield as_json(f"generation/{folder}/{draft.id}-versions.json", await editing.versions_of(session, draft))

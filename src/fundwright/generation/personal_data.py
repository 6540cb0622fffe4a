"""The drafts in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.paging import iterate_all
from fundwright.generation import editing, service
from fundwright.generation.schemas import DraftQuery, DraftRead


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """Yield every draft, also those in the trash, as data with its citations and as Markdown, with the versions of its sections."""
    async for row in iterate_all(lambda query: service.list_drafts(session, actor, query), DraftQuery()):
        draft = await service.get_draft(session, actor, row.id)
        async for file in _files_of(session, draft, "drafts"):
            yield file
    for draft in await service.list_trashed(session, actor):
        async for file in _files_of(session, draft, "drafts_in_trash"):
            yield file


async def _files_of(session: AsyncSession, draft: DraftRead, folder: str) -> AsyncIterator[DataFile]:
    yield as_json(f"generation/{folder}/{draft.id}.json", draft)
    yield DataFile(f"generation/{folder}/{draft.id}.md", service.as_markdown(draft).encode())
    yield as_json(f"generation/{folder}/{draft.id}-versions.json", await editing.versions_of(session, draft))

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
from fundwright.generation.schemas import DraftQuery


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """Yield every draft as data with its citations and as Markdown, with the versions of its sections."""
    async for row in iterate_all(lambda query: service.list_drafts(session, actor, query), DraftQuery()):
        draft = await service.get_draft(session, actor, row.id)
        yield as_json(f"generation/drafts/{draft.id}.json", draft)
        yield DataFile(f"generation/drafts/{draft.id}.md", service.as_markdown(draft).encode())
        versions = {
            section.id: [version async for version in editing.iterate_versions(session, actor, draft.id, section.id)]
            for section in draft.sections
        }
        yield as_json(f"generation/drafts/{draft.id}-versions.json", versions)

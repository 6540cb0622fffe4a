"""The comments in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_csv
from fundwright.accounts.schemas import Actor, Permission
from fundwright.conversation import repository
from fundwright.core.assembly import Core

_COLUMNS = ("id", "owner_id", "subject_kind", "subject_id", "thread_id", "part", "text", "created_at", "edited_at", "resolved_at")


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """Yield what the actor wrote in all workspaces; `owner_id` is the workspace."""
    yield as_csv("conversation/comments.csv", _COLUMNS, await repository.list_written_by(session, actor.id))

"""The data of opportunities in a copy of an account's data. Notices belong to the installation."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_csv
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.opportunities.repository import runs, watches

_IMPORT = ("source", "filename", "created_at", "new", "changed", "unchanged", "rejected")
_WATCH = ("workspace_id", "number", "title", "watched_since")


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The files that the actor has imported, and the notices that the actor watches."""
    yield as_csv("opportunities/imports.csv", _IMPORT, await runs.own_runs(session, actor.id))
    yield as_csv("opportunities/watched.csv", _WATCH, await watches.own_watches(session, actor.id))

"""The data of workspaces in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_csv
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.workspaces import repository


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The workspaces that the actor belongs to."""
    yield as_csv("workspaces/workspaces.csv", ("id", "name", "role", "members"), await repository.list_of(session, actor.id))

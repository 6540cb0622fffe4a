"""The scores in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.fit import service


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The scores that the workspace's members gave, by the ids of the opportunities."""
    own = await service.list_own(session, actor)
    yield as_json("fit_scores.json", {str(id): given.model_dump(mode="json") for id, given in own.items()})

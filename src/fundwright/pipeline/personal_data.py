"""The pipeline in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.pipeline import service


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The pursuits of the actor's workspace with the history of their stages, also those in the trash."""
    yield as_json("pipeline/pursuits.json", [each async for each in service.iterate_with_history(session, actor)])
    yield as_json("pipeline/pursuits_in_trash.json", await service.list_trashed(session, actor))

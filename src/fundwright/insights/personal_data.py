"""The data of insights in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_csv
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.insights import repository


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The pages that the actor viewed, as long as views are kept."""
    yield as_csv("insights/page_views.csv", ("at", "path", "language"), await repository.views_of(session, actor.id))

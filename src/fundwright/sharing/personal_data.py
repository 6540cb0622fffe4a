"""The share links in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.paging import iterate_all
from fundwright.sharing import service
from fundwright.sharing.schemas import ShareQuery


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The share links that the actor may list."""
    if actor.may(Permission.WORK):
        found = [each async for each in iterate_all(lambda page: service.list_shares(session, actor, page), ShareQuery())]
        yield as_json("sharing/links.json", found)

"""The profiles in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.profiles import service


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The profile of the workspace, if it has one."""
    if (profile := await service.get_profile(session, actor)) is not None:
        yield as_json("organization_profile.json", profile)

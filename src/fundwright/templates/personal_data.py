"""The templates in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.templates import service


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The templates of the workspace, also those in the trash."""
    own = [each for each in await service.list_all(session, actor, core) if each.is_own]
    yield as_json("templates/templates.json", [await service.get_template(session, actor, core, each.name) for each in own])
    yield as_json("templates/templates_in_trash.json", await service.list_trashed(session, actor))

"""The notifications in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_csv, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.notifications import repository, service

_FIELDS = ("id", "kind", "title", "workspace_id", "path", "created_at", "read_at")


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The notifications of the actor, and how it wants to be told about each kind."""
    kinds = {kind.key: kind for kind in service.list_kinds(core)}
    told = [service.read(found, kinds) for found in await repository.all_of(session, actor.id)]
    yield as_csv("notifications/notifications.csv", _FIELDS, told)
    yield as_json("notifications/choices.json", await service.list_choices(session, actor, core))

"""The activity of an account in a copy of its data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_csv
from fundwright.accounts.schemas import Actor, Permission
from fundwright.activity import repository
from fundwright.activity.models import Activity
from fundwright.core.assembly import Core

_COLUMNS = ("at", "owner_id", "kind", "subject_kind", "subject_id", "subject_title", "times")


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """What the actor did in the workspaces that the actor belongs to, with the things that the actor still sees there."""
    rows: list[Activity] = []
    for workspace_id in await repository.list_workspaces_of(session, actor.id):
        there = actor.model_copy(update={"workspace_id": workspace_id})
        async with core.database.reading(scope=there.scope) as own:
            rows += await repository.list_own(own, workspace_id, actor.id)
    yield as_csv("activity/activity.csv", _COLUMNS, sorted(rows, key=lambda row: (row.at, row.id)))

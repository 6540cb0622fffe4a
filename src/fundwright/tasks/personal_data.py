"""The tasks in a copy of an account's data."""

from __future__ import annotations

from collections.abc import AsyncIterator

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import needs
from fundwright.accounts.personal_data import DataFile, as_json
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.paging import iterate_all
from fundwright.tasks import service
from fundwright.tasks.schemas import Assignee, TaskQuery, TaskState


@needs(Permission.READ)
async def own_files(session: AsyncSession, actor: Actor, core: Core) -> AsyncIterator[DataFile]:
    """The tasks that the actor sees, also those in the trash."""
    everything = TaskQuery(assignee=Assignee.ANYONE, state=TaskState.ALL)
    found = iterate_all(lambda page: service.list_tasks(session, actor, page), everything)
    yield as_json("tasks/tasks.json", [each async for each in found])
    yield as_json("tasks/tasks_in_trash.json", await service.list_trashed(session, actor))

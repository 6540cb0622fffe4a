"""Reminds members of their tasks, once on the day before each is due and once when it is overdue. A worker may be killed at any moment: a
member counts as told in the transaction that adds the notification."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.schemas import Permission
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import DatabaseAway, NotAllowed, NotFound
from fundwright.core.scopes import Scope, installation
from fundwright.notifications import sending
from fundwright.tasks import events, repository, service
from fundwright.tasks.models import Task
from fundwright.tasks.repository import Assigned

log = structlog.get_logger()

TOLD_AT = time(7)
"""In the time zone of the member: before the daily email."""

_load_member = acting_with(Permission.READ)


async def remind(core: Core) -> None:
    """Tell members of tasks that are due tomorrow or overdue in their time zones. Opens its own transactions, one for each member."""
    last_tomorrow = (now() + timedelta(days=1, hours=14)).astimezone(UTC).date()
    async with core.database.transaction(scope=installation("tasks that are due")) as session:
        members = await repository.list_assigned(session, last_tomorrow)
    for member in members:
        try:
            await _remind(core, member, last_tomorrow)
        except DatabaseAway:
            raise
        except (NotAllowed, NotFound):
            continue  # disabled, or no longer a member
        except Exception:
            log.exception("tasks.not_reminded", account_id=str(member.account_id))


async def _remind(core: Core, member: Assigned, last_tomorrow: date) -> None:
    """Acts as the member, who is told only of what the member may see. Opens its own transaction."""
    scope = Scope(workspace_id=member.workspace_id, account_id=member.account_id)
    async with core.database.transaction(scope=scope) as session:
        actor = await _load_member(session, member.account_id, member.workspace_id)
        here = now().astimezone(ZoneInfo(actor.time_zone or sending.OTHERWISE))
        for task in await repository.lock_due(session, member, last_tomorrow):
            await _remind_of(session, task, here)


async def _remind_of(session: AsyncSession, task: Task, here: datetime) -> None:
    """`here` is the time where the assignee is. A worker that was away tells what is true when it is back."""
    today, told_day = here.date(), _day_of_telling(here)
    if task.due_on is None or task.due_on > told_day + timedelta(days=1):
        return
    if task.due_on < (told_day if task.told_due else today):
        await service.tell(session, events.OVERDUE, task, actor=None)
        task.told_due = task.told_overdue = True
    elif not task.told_due:
        day = events.TODAY if task.due_on == today else events.TOMORROW
        await service.tell(session, events.DUE, task, actor=None, details={"day": day})
        task.told_due = True


def _day_of_telling(here: datetime) -> date:
    """The day of which members are told at this time: the previous one before seven in the morning."""
    return here.date() if here.time() >= TOLD_AT else here.date() - timedelta(days=1)

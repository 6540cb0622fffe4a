"""All queries of tasks, limited to the workspace that owns them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.messages import t
from fundwright.tasks.models import Task
from fundwright.tasks.schemas import SOON_DAYS, Assignee, Due, OpenTasks, TaskQuery, TaskState
from fundwright.trash import repository as trash

_is_open = Task.done_at.is_(None)


class Assigned(NamedTuple):
    """A member to whom open tasks are assigned."""

    workspace_id: UUID
    account_id: UUID


async def page(
    session: AsyncSession, owner_id: UUID, account_id: UUID, query: TaskQuery, today: date
) -> tuple[Sequence[Task], int]:
    found = select(Task).where(Task.owner_id == owner_id, *_conditions(account_id, query, today))
    columns = {
        "title": func.lower(Task.title),
        "due_on": Task.due_on,
        "created_at": Task.created_at,
        "done_at": Task.done_at,
    }
    by_due = (Task.done_at.desc().nulls_first(), Task.due_on.asc().nulls_last(), Task.created_at)
    order = (ordered_by(query, columns, default=None),) if query.sort else by_due
    rows = await session.scalars(
        found.order_by(*order, Task.id).offset(query.offset).limit(query.page_size).execution_options(populate_existing=True)
    )
    return rows.all(), await count_all(session, found)


def _conditions(account_id: UUID, query: TaskQuery, today: date) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if query.text.strip():
        found.append(contains(query.text.strip(), Task.title, Task.details))
    if query.assignee is not Assignee.ANYONE:
        found.append(_is_assigned(query.assignee, account_id))
    if query.state is not TaskState.ALL:
        found.append(_is_open if query.state is TaskState.OPEN else ~_is_open)
    if query.due is not None:
        found.append(and_(_is_open, _is_due(query.due, today)))
    if query.opportunity is not None:
        found.append(Task.opportunity_id == query.opportunity)
    if query.draft is not None:
        found.append(Task.draft_id == query.draft)
    return found


def _is_assigned(assignee: Assignee | UUID, reader_id: UUID) -> ColumnElement[bool]:
    if assignee is Assignee.NOBODY:
        return Task.assignee_id.is_(None)
    return Task.assignee_id == (assignee if isinstance(assignee, UUID) else reader_id)


def _is_due(due: Due, today: date) -> ColumnElement[bool]:
    last = today + timedelta(days=SOON_DAYS)
    return {
        Due.OVERDUE: Task.due_on < today,
        Due.TODAY: Task.due_on == today,
        Due.SOON: and_(Task.due_on > today, Task.due_on <= last),
        Due.LATER: Task.due_on > last,
        Due.NEVER: Task.due_on.is_(None),
    }[due]


async def count_due(session: AsyncSession, owner_id: UUID, account_id: UUID, today: date) -> Mapping[Due, int]:
    """Return the numbers of open tasks of a member."""
    numbers = select(*(func.count().filter(_is_due(due, today)) for due in Due))
    row = (await session.execute(numbers.where(Task.owner_id == owner_id, Task.assignee_id == account_id, _is_open))).one()
    return dict(zip(Due, row, strict=True))


async def open_of(
    session: AsyncSession, owner_id: UUID, opportunity_ids: Collection[UUID], today: date
) -> Mapping[UUID, OpenTasks]:
    found = (
        select(Task.opportunity_id, func.count(), func.count().filter(Task.due_on < today), func.min(Task.due_on))
        .where(Task.owner_id == owner_id, Task.opportunity_id.in_(opportunity_ids), _is_open)
        .group_by(Task.opportunity_id)
    )
    return {
        id: OpenTasks(count=count, overdue=overdue, next_due_on=next_due)
        for id, count, overdue, next_due in await session.execute(found)
        if id is not None
    }


async def count_of_draft(session: AsyncSession, owner_id: UUID, draft_id: UUID) -> int:
    """Return the number of open tasks."""
    return await count_all(session, select(Task.id).where(Task.owner_id == owner_id, Task.draft_id == draft_id, _is_open))


async def add(session: AsyncSession, task: dict[str, object]) -> bool:
    """Return whether there was no task with its id yet."""
    added = insert(Task).values(task).on_conflict_do_nothing(index_elements=[Task.id]).returning(Task.id)
    return await session.scalar(added) is not None


async def get(session: AsyncSession, owner_id: UUID, task_id: UUID) -> Task:
    """Raises NotFound, also for another workspace's task and for one in the trash."""
    found = select(Task).where(Task.owner_id == owner_id, Task.id == task_id)
    task = await session.scalar(found.execution_options(populate_existing=True))
    if task is None:
        raise NotFound(t("The task"))
    return task


async def lock(session: AsyncSession, owner_id: UUID, task_id: UUID) -> Task:
    """Raises NotFound, like `get`."""
    wanted = select(Task).where(Task.owner_id == owner_id, Task.id == task_id)
    task = await session.scalar(wanted.with_for_update().execution_options(populate_existing=True))
    if task is None:
        raise NotFound(t("The task"))
    return task


async def list_trashed(session: AsyncSession, owner_id: UUID) -> Sequence[Task]:
    """Return the tasks in the workspace's trash, oldest first."""
    trashed = select(Task).where(trash.in_trash_of(owner_id, Task))
    return (await session.scalars(trashed.order_by(Task.created_at, Task.id))).all()


async def list_ids_of_drafts(session: AsyncSession, draft_ids: Collection[UUID]) -> Sequence[UUID]:
    """Return the tasks of these drafts, also those in the trash."""
    return (await session.scalars(select(Task.id).where(Task.draft_id.in_(draft_ids)))).all()


# Reminding


def _to_tell(tomorrow: date) -> ColumnElement[bool]:
    """Whether the assignee may have to be told, given the last day that is tomorrow anywhere."""
    return and_(_is_open, Task.assignee_id.is_not(None), Task.due_on <= tomorrow, ~Task.told_overdue)


async def list_assigned(session: AsyncSession, tomorrow: date) -> Sequence[Assigned]:
    """Return the members, of all workspaces, with tasks that are due by then and of which they have not been told everything."""
    due = select(Task.owner_id, Task.assignee_id).where(Task.owner_id.is_not(None), _to_tell(tomorrow)).distinct()
    rows = await session.execute(due.order_by(*due.selected_columns))
    return [Assigned(owner, assignee) for owner, assignee in rows if owner is not None and assignee is not None]


async def lock_due(session: AsyncSession, member: Assigned, tomorrow: date) -> Sequence[Task]:
    """Return those tasks of a member, except what another worker is telling."""
    due = select(Task).where(Task.owner_id == member.workspace_id, Task.assignee_id == member.account_id, _to_tell(tomorrow))
    rows = await session.scalars(
        due.order_by(Task.due_on, Task.created_at, Task.id)
        .with_for_update(skip_locked=True)
        .execution_options(populate_existing=True)
    )
    return rows.all()

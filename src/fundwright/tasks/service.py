"""Adding, assigning, and finishing the tasks of a workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from datetime import date, timedelta
from uuid import UUID, uuid4, uuid5

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs, refuse_support, require
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import Subject
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import number, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.generation import service as generation
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationKind
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import display_title
from fundwright.tasks import events, repository
from fundwright.tasks.models import Task
from fundwright.tasks.schemas import (
    Due,
    OpenTasks,
    TaskChange,
    TaskContent,
    TaskCounts,
    TaskForm,
    TaskQuery,
    TaskRead,
)
from fundwright.trash import service as trash
from fundwright.workspaces import additions, restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import MemberQuery, MemberRead

TASK = "task"
"""The kind of tasks in the trash and in activity."""
PATH = "/dashboard/tasks"

_REPEATED = UUID("0f6c2f1e-2f0b-4c52-8f53-0d6d2f5a9b61")
"""The namespace of ids of tasks that may be sent repeatedly."""


class TaskChangedMeanwhile(Conflict):
    """Someone else has changed the task since it was opened for editing."""

    def __init__(self) -> None:
        super().__init__(
            t(
                "This task was changed by someone else while you were editing it. Your changes are still here. Compare both versions."
            )
        )


class HiddenFromAssignee(Conflict):
    """The draft of the task is restricted to other members."""

    def __init__(self) -> None:
        super().__init__(t("This member does not see the draft of this task. Assign the task to a member who can see it."))


def tasks_topic(owner_id: UUID) -> str:
    """The live topic of every change of a workspace's tasks."""
    return f"tasks:{owner_id}"


@needs(Permission.READ)
def topics_of(actor: Actor) -> tuple[str, ...]:
    """The live topics of what lists of tasks show: tasks, titles of drafts, and members."""
    return (
        tasks_topic(actor.workspace_id),
        generation.drafts_topic(actor.workspace_id),
        workspaces.workspace_topic(actor.workspace_id),
    )


@needs(Permission.READ)
def today_of(actor: Actor) -> date:
    """The current day of the actor, from which days until due dates are counted."""
    return now().astimezone(activity.zone_of(actor)).date()


@needs(Permission.READ)
async def list_tasks(session: AsyncSession, actor: Actor, query: TaskQuery) -> Page[TaskRead]:
    """Return tasks of the workspace: the actor's own open ones unless the query says otherwise."""
    found, total = await repository.page(session, actor.workspace_id, actor.id, query, today_of(actor))
    return Page(items=await _read(session, actor, found), total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
def export_tasks(session: AsyncSession, actor: Actor, core: Core, query: TaskQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[TaskRead], object]]] = [
        (t("Task"), lambda task: task.title),
        (t("Details"), lambda task: task.details),
        (t("Assigned to"), lambda task: task.assignee),
        (t("Due"), lambda task: task.due_on),
        (t("Status"), lambda task: t("Done") if task.is_done else t("Open")),
        (t("Done"), lambda task: task.done_at),
        (t("Done by"), lambda task: task.done_by),
        (t("Opportunity"), lambda task: task.opportunity),
        (t("Draft"), lambda task: task.draft),
        (t("Added by"), lambda task: task.created_by),
        (t("Added"), lambda task: task.created_at),
        (t("Link"), lambda task: f"{core.settings.address}{task.path}"),
    ]
    return csv_lines(columns, iterate_all(lambda page: list_tasks(session, actor, page), query))


@needs(Permission.READ)
async def count_due(session: AsyncSession, actor: Actor) -> TaskCounts:
    """Return how many open tasks are assigned to the actor, by when they are due."""
    return TaskCounts(due=await repository.count_due(session, actor.workspace_id, actor.id, today_of(actor)))


@needs(Permission.READ)
async def open_tasks_of(session: AsyncSession, actor: Actor, opportunity_ids: Collection[UUID]) -> Mapping[UUID, OpenTasks]:
    """Return the open tasks, of all members, of those of the opportunities that have some."""
    return await repository.open_of(session, actor.workspace_id, opportunity_ids, today_of(actor))


@needs(Permission.READ)
async def count_open_of_draft(session: AsyncSession, actor: Actor, draft_id: UUID) -> int:
    """Return the number of open tasks of a draft."""
    return await repository.count_of_draft(session, actor.workspace_id, draft_id)


@needs(Permission.READ)
async def get_task(session: AsyncSession, actor: Actor, task_id: UUID) -> TaskRead:
    """Raises NotFound."""
    return (await _read(session, actor, [await repository.get(session, actor.workspace_id, task_id)]))[0]


@needs(Permission.READ)
async def list_assignees(session: AsyncSession, actor: Actor) -> list[MemberRead]:
    """Return the members to whom tasks can be assigned."""
    return [each async for each in iterate_all(lambda page: workspaces.list_members(session, actor, page), MemberQuery())]


@needs(Permission.WORK)
async def add_task(session: AsyncSession, actor: Actor, form: TaskForm) -> TaskRead:
    """Add a task, and tell the member to whom it is assigned: in a personal workspace, unless named, its owner. Raises NotFound for an unknown
    opportunity, draft, or member, or NotAllowed if the draft is restricted and the actor may not edit it."""
    if form.assignee_id is None and not actor.is_in_shared_workspace:
        form = form.model_copy(update={"assignee_id": actor.id})
    id = uuid5(_REPEATED, f"{actor.workspace_id} {actor.id} {form.model_dump_json()}") if form.key else uuid4()
    related = await _check_subjects(session, actor, form)
    await _check_assignee(session, actor, form.assignee_id, form.draft_id)
    is_new = await repository.add(session, _row(actor, form, id, today_of(actor)))
    if is_new:
        await additions.count(session, actor, Task.owner_id, refusal=_too_many())
        if form.draft_id is not None:
            await restrictions.put_into(session, actor, id, form.draft_id, made_by=None)
        task = await repository.get(session, actor.workspace_id, id)
        await activity.record(session, actor, events.ADDED, subject_of(task), related=related)
        await _tell_assigned(session, actor, task)
        await _announce(session, actor)
    return await get_task(session, actor, id)


def _too_many() -> str:
    return t(
        "A workspace can have at most {most} tasks. Delete some that are no longer needed.", most=number(additions.MOST_ADDED)
    )


@needs(Permission.WORK)
async def change_task(session: AsyncSession, actor: Actor, task_id: UUID, change: TaskChange) -> TaskRead:
    """Change what people enter. Raises NotFound, also for an unknown member, NotAllowed, or TaskChangedMeanwhile (409)."""
    task = await _lock(session, actor, task_id)
    given = TaskContent.model_validate(change.model_dump(exclude={"based_on"}))
    if given == TaskContent.model_validate(task):  # also if a request is repeated
        return await get_task(session, actor, task_id)
    if change.based_on != task.changed_at:
        raise TaskChangedMeanwhile
    is_reassigned = change.assignee_id != task.assignee_id
    if is_reassigned:
        await _check_assignee(session, actor, change.assignee_id, task.draft_id)
    known = _known(given.due_on, today_of(actor)) if given.due_on != task.due_on else {}
    for name, value in (given.model_dump() | known).items():
        setattr(task, name, value)
    task.changed_at = now()
    await session.flush()
    await activity.record(session, actor, events.CHANGED, subject_of(task), related=_related(task))
    if is_reassigned:
        await _tell_assigned(session, actor, task)
    await _announce(session, actor)
    return await get_task(session, actor, task_id)


@needs(Permission.READ)
async def complete(session: AsyncSession, actor: Actor, task_id: UUID) -> TaskRead:
    """Mark a task as done. Members who may not work in the workspace can do this with tasks that are assigned to them. Raises NotFound or
    NotAllowed."""
    return await _set_done(session, actor, task_id, is_done=True)


@needs(Permission.READ)
async def reopen(session: AsyncSession, actor: Actor, task_id: UUID) -> TaskRead:
    """Open a task again that is done. Allowed to those who can mark it as done. Raises NotFound or NotAllowed."""
    return await _set_done(session, actor, task_id, is_done=False)


async def _set_done(session: AsyncSession, actor: Actor, task_id: UUID, *, is_done: bool) -> TaskRead:
    refuse_support(actor)
    task = await repository.lock(session, actor.workspace_id, task_id)
    if task.assignee_id != actor.id:
        require(actor, Permission.WORK)
        await restrictions.require(session, actor, task_id)
    if (task.done_at is not None) is not is_done:
        task.done_at, task.done_by = (now(), actor.id) if is_done else (None, None)
        await session.flush()
        if is_done:
            await notifications.forget_event(session, _event_of(task.id))
        kind = events.DONE if is_done else events.REOPENED
        await activity.record(session, actor, kind, subject_of(task), related=_related(task))
        await _announce(session, actor)
    return await get_task(session, actor, task_id)


@needs(Permission.WORK)
async def delete(session: AsyncSession, actor: Actor, task_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a task to the trash. Raises NotFound, or NotAllowed if its draft is restricted and the actor may not edit it."""
    task = await _lock(session, actor, task_id)
    await notifications.forget_event(session, _event_of(task.id))
    await trash.put_in(session, actor, TASK, task, title=task.title)
    await audit.record(session, "task.deleted", actor=actor, subject=str(task_id), client=client)
    await _announce(session, actor)


@needs(Permission.WORK)
async def restore(session: AsyncSession, actor: Actor, _core: Core, task: Task) -> None:
    """Take a task out of the trash. If the member to whom it was assigned has left, it is assigned to nobody."""
    if task.assignee_id not in {each.id for each in await list_assignees(session, actor)}:
        task.assignee_id = None
    await trash.take_out(session, actor, task)
    await _announce(session, actor)


@needs(Permission.READ)
async def list_trashed(session: AsyncSession, actor: Actor) -> list[TaskRead]:
    """Return the tasks in the actor's trash."""
    return await _read(session, actor, await repository.list_trashed(session, actor.workspace_id))


async def forget_of_drafts(session: AsyncSession, draft_ids: Collection[UUID]) -> Collection[UUID]:
    """Return the ids of the tasks that are deleted with these drafts, of which nobody is told any longer."""
    ids = await repository.list_ids_of_drafts(session, draft_ids)
    await notifications.forget_events(session, [_event_of(id) for id in ids])
    return ids


def subject_of(task: Task) -> Subject:
    """The task as the subject of activity."""
    return Subject(TASK, task.id, task.title, path_of(task))


def path_of(task: Task) -> str:
    """The path of the page that shows the task."""
    return f"{PATH}?open={task.id}"


def _event_of(task_id: UUID) -> str:
    """The event of which its assignee is told."""
    return f"task:{task_id}"


def _related(task: Task) -> list[UUID]:
    """What the activity of the task belongs to."""
    return [id for id in (task.opportunity_id, task.draft_id) if id is not None]


async def _check_subjects(session: AsyncSession, actor: Actor, form: TaskForm) -> list[UUID]:
    """Raises NotFound, or NotAllowed if the draft is restricted and the actor may not edit it."""
    if form.opportunity_id is not None and not await opportunities.list_existing(session, actor, [form.opportunity_id]):
        raise NotFound(t("The opportunity"))
    if form.draft_id is not None:
        await generation.get_draft(session, actor, form.draft_id)
        await restrictions.lock_container(session, actor, form.draft_id)
    return [id for id in (form.opportunity_id, form.draft_id) if id is not None]


async def _check_assignee(session: AsyncSession, actor: Actor, assignee_id: UUID | None, draft_id: UUID | None) -> None:
    """Raises NotFound unless it is a member, and Conflict unless this member sees the draft of the task."""
    if assignee_id is None:
        return
    if assignee_id not in {each.id for each in await list_assignees(session, actor)}:
        raise NotFound(t("The member"))
    if draft_id is not None and not await restrictions.may_be_told(session, actor, draft_id, [assignee_id]):
        raise HiddenFromAssignee


def _row(actor: Actor, form: TaskForm, id: UUID, today: date) -> dict[str, object]:
    added_at = now()
    return {
        "id": id,
        "owner_id": actor.workspace_id,
        **form.model_dump(exclude={"key"}),
        "created_by": actor.id,
        "created_at": added_at,
        "changed_at": added_at,
        **_known(form.due_on, today),
    }


def _known(due_on: date | None, today: date) -> dict[str, bool]:
    """What nobody is reminded of, because it was already so when the due date was set."""
    return {
        "told_due": due_on is not None and due_on <= today + timedelta(days=1),
        "told_overdue": due_on is not None and due_on < today,
    }


async def _lock(session: AsyncSession, actor: Actor, task_id: UUID) -> Task:
    """Raises NotFound, or NotAllowed if the draft of the task is restricted and the actor may not edit it."""
    task = await repository.lock(session, actor.workspace_id, task_id)
    await restrictions.require(session, actor, task_id)
    return task


async def _announce(session: AsyncSession, actor: Actor) -> None:
    await publish(session, tasks_topic(actor.workspace_id))


async def _tell_assigned(session: AsyncSession, actor: Actor, task: Task) -> None:
    """Tell the assignee of the task, if it is open, and no longer those to whom it was assigned before."""
    if task.done_at is None:
        await tell(session, events.ASSIGNED, task, actor=actor)


async def tell(
    session: AsyncSession, kind: NotificationKind, task: Task, *, actor: Actor | None, details: Mapping[str, str] | None = None
) -> None:
    """Tell the assignee of an open task about it, instead of what the assignee was told about it before."""
    await notifications.forget_event(session, _event_of(task.id))
    if task.assignee_id is not None:
        await notifications.notify(
            session,
            kind,
            [task.assignee_id],
            actor=actor,
            workspace_id=task.owner_id,
            subject=task.title,
            path=path_of(task),
            details=details,
            event=_event_of(task.id),
        )


async def _read(session: AsyncSession, actor: Actor, tasks: Sequence[Task]) -> list[TaskRead]:
    today = today_of(actor)
    people = [id for each in tasks for id in (each.assignee_id, each.done_by, each.created_by)]
    names = await workspaces.names_of(session, actor, people)
    notices = {
        row.id: row
        for row in await opportunities.rows_of(session, actor, [each.opportunity_id for each in tasks if each.opportunity_id])
    }
    drafts = await generation.links_of(session, actor, {each.draft_id for each in tasks if each.draft_id})
    return [
        TaskRead(
            **TaskContent.model_validate(task).model_dump(),
            id=task.id,
            assignee=names.get(task.assignee_id, ""),
            is_own=task.assignee_id == actor.id,
            due=Due.of(task.due_on, today) if task.done_at is None else None,
            is_done=task.done_at is not None,
            done_at=task.done_at,
            done_by=_name(names, task.done_by) if task.done_at else "",
            opportunity_id=task.opportunity_id,
            opportunity=display_title(notice.title) if notice else "",
            opportunity_path=opportunities.path_of(notice) if notice else "",
            draft_id=task.draft_id,
            draft=draft.title if draft else "",
            draft_path=draft.path if draft else "",
            created_by=_name(names, task.created_by),
            created_at=task.created_at,
            changed_at=task.changed_at,
            path=path_of(task),
        )
        for task in tasks
        for notice in [notices.get(task.opportunity_id) if task.opportunity_id else None]
        for draft in [drafts.get(task.draft_id) if task.draft_id else None]
    ]


def _name(names: Mapping[UUID | None, str], account_id: UUID | None) -> str:
    return names.get(account_id) or t("Former member")

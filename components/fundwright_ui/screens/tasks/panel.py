"""One task beside the list or the page from which it was opened: a form for those who may change it, and facts for the others."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from reactpy import component, html
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import MOST_CHARACTERS, MOST_OF_DETAILS, TaskChange, TaskRead
from fundwright.workspaces.schemas import MemberRead
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import actor_of, id_in, use_actor, use_connection
from fundwright_ui.runtime.connection import Undo
from fundwright_ui.screens.conflict import use_editing
from fundwright_ui.screens.restoring import moved_message, undo_of
from fundwright_ui.screens.tasks.adding import assignees
from fundwright_ui.screens.tasks.entries import due_text, finished_message, may_finish
from fundwright_ui.ui import (
    Option,
    button,
    definition_list,
    form,
    loading,
    moment,
    problem,
    row,
    select_field,
    side_panel,
    text_area,
    text_field,
)
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import markdown_view


def open_task(name: str) -> Component | None:
    """The panel of the task that the parameter `name` of the address opens."""
    task_id = id_in(use_url_state().get(name))
    return _panel(task_id, name, key=f"task-{task_id}") if task_id else None


@component
def _panel(task_id: UUID, name: str) -> VdomDict:
    actor, url = use_actor(), use_url_state()

    async def read(session: AsyncSession) -> tuple[TaskRead, list[MemberRead]]:
        return await tasks.get_task(session, actor, task_id), await tasks.list_assignees(session, actor)

    found = use_query(read, key=[task_id], topics=tasks.topics_of(actor))

    def close() -> None:
        url.set(**{name: None})

    def panel(*children: Child) -> VdomDict:
        return side_panel(t("Task"), *children, close=t("Close"), on_close=close, key=f"task-{task_id}")

    if found.error:
        return panel(problem(found.error, on_retry=found.reload))
    if found.value is None:
        return panel(loading(t("Loading the task")))
    task, members = found.value
    return panel(
        _form(task, members, found.reload, key="form") if actor.may(Permission.WORK) else _facts(task),
        _about(task),
        _actions(task, close_name=name, key="actions"),
    )


@component
def _form(task: TaskRead, members: list[MemberRead], reload: Callable[[], None]) -> VdomDict:
    actor = use_actor()
    editing = use_editing(task, task.changed_at, reload)
    edited = editing.item

    async def save(session: AsyncSession, change: TaskChange) -> TaskRead:
        based_on = editing.base_of(change.based_on)
        try:
            return await tasks.change_task(session, actor, task.id, change.model_copy(update={"based_on": based_on}))
        except tasks.TaskChangedMeanwhile:
            editing.refused()
            raise

    def saved(changed: TaskRead) -> None:
        editing.saved(changed, changed.changed_at)

    options = assignees(members)
    if task.assignee_id and str(task.assignee_id) not in {each.value for each in options}:
        options.append(Option(str(task.assignee_id), task.assignee))
    return html.div(
        {"className": "fw-stack"},
        form(
            text_field("title", t("Title"), default=edited.title, required=True, maxlength=MOST_CHARACTERS, id="task-title"),
            text_field("due_on", t("Due"), type="date", default=str(edited.due_on or ""), id="task-due"),
            select_field("assignee_id", t("Assigned to"), options, default=str(edited.assignee_id or ""), id="task-assignee"),
            text_area(
                "details",
                t("Details"),
                default=edited.details,
                rows=5,
                maxlength=MOST_OF_DETAILS,
                help=_markdown(),
                id="task-details",
            ),
            on_submit=use_action(save, success=t("The task was saved."), then=saved),
            model=TaskChange,
            submit=t("Save"),
            label=t("Task"),
            name=f"task-{task.id}",
            based_on=editing.based_on,
            key=editing.key,
        ),
        editing.other(_facts(task)),
    )


def _markdown() -> str:
    return t("Markdown works: **bold**, lists, and links.")


def _facts(task: TaskRead) -> VdomDict:
    return definition_list(
        {
            t("Title"): html.bdi(task.title),
            t("Due"): due_text(task.due_on) if task.due_on else t("No due date"),
            t("Assigned to"): html.bdi(task.assignee) if task.assignee_id else t("Nobody"),
            t("Details"): markdown_view(task.details) if task.details else None,
        }
    )


def _about(task: TaskRead) -> VdomDict:
    connection = use_connection()

    def link(title: str, path: str) -> Child:
        return html.a({"className": "fw-link", "href": connection.href(path), "dir": "auto"}, title) if title else None

    return definition_list(
        {
            t("Opportunity"): link(task.opportunity, task.opportunity_path),
            t("Draft"): link(task.draft, task.draft_path),
            t("Done by"): html.bdi(task.done_by) if task.is_done else None,
            t("Done"): moment(task.done_at) if task.done_at else None,
            t("Added by"): html.bdi(task.created_by) if use_actor().is_in_shared_workspace else None,
            t("Added"): moment(task.created_at),
        }
    )


@component
def _actions(task: TaskRead, *, close_name: str) -> VdomDict | None:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    async def finish(session: AsyncSession) -> TaskRead:
        return await (tasks.reopen if task.is_done else tasks.complete)(session, actor, task.id)

    def undo_finishing(changed: TaskRead) -> Undo:
        async def undo(session: AsyncSession) -> None:
            await (tasks.reopen if changed.is_done else tasks.complete)(session, actor_of(connection), task.id)

        return undo

    def finished(changed: TaskRead) -> None:
        connection.toast(finished_message(changed), undo=undo_finishing(changed))

    async def remove(session: AsyncSession) -> None:
        await tasks.delete(session, actor, task.id, client=connection.client)

    finishing = use_action(finish, then=finished)
    removing = use_action(
        remove,
        success=moved_message(task.title),
        undo=undo_of(connection, task.id),
        then=lambda: url.set(**{close_name: None}),
    )
    if not may_finish(actor, task):
        return None
    return row(
        button(
            t("Open again") if task.is_done else t("Mark as done"),
            icon_name=None if task.is_done else "check",
            size="small",
            on_click=finishing,
            is_busy=finishing.is_running,
        ),
        button(t("Move to trash"), icon_name="delete", size="small", variant="text", danger=True, on_click=removing)
        if actor.may(Permission.WORK)
        else None,
    )

"""Tasks as entries of lists: each is marked as done with a checkbox, and its title opens it."""

from __future__ import annotations

from datetime import date
from functools import partial

from babel.dates import format_date
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.messages import current_language, t
from fundwright.core.paging import Page
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import Due, TaskQuery, TaskRead
from fundwright.workspaces.schemas import MemberRead
from fundwright_ui.hooks import Rows, use_action
from fundwright_ui.product import actor_of, use_actor, use_connection
from fundwright_ui.runtime.connection import Undo
from fundwright_ui.screens.listing import Listing, existing_page, use_listing
from fundwright_ui.ui import chip
from fundwright_ui.ui.elements import Child, attributes


def use_tasks(query: TaskQuery) -> Listing[tuple[Page[TaskRead], list[MemberRead]], TaskRead]:
    """Load tasks whose rows stay in place, and the members to whom they can be assigned. This is a hook."""
    actor = use_actor()

    async def read(session: AsyncSession) -> tuple[Page[TaskRead], list[MemberRead]]:
        listed = await existing_page(partial(tasks.list_tasks, session, actor), query)
        return listed, await tasks.list_assignees(session, actor)

    return use_listing(
        read, query, lambda answer: answer[0], id=lambda task: task.id, key=[actor.workspace_id], topics=tasks.topics_of(actor)
    )


def may_finish(actor: Actor, task: TaskRead) -> bool:
    """Whether the actor may mark the task as done."""
    return not actor.is_support and (task.is_own or actor.may(Permission.WORK))


def due_text(due_on: date) -> str:
    return format_date(due_on, locale=current_language())


def finished_message(task: TaskRead) -> str:
    """The toast after the task was marked as done, or opened again."""
    if task.is_done:
        return t("“{title}” was marked as done.", title=task.title)
    return t("“{title}” was opened again.", title=task.title)


def _due_chip(task: TaskRead) -> VdomDict | None:
    if task.due_on is None or task.is_done:
        return None
    if task.due is Due.OVERDUE:
        return chip(t("Overdue: {date}", date=due_text(task.due_on)), color="error")
    if task.due is Due.TODAY:
        return chip(t("Due today"), color="warning")
    return html.span({"className": "fw-muted fw-small"}, t("due {date}", date=due_text(task.due_on)))


@component
def task_entry(
    task: TaskRead,
    rows: Rows[TaskRead],
    *,
    href: str,
    outcome: str = "",
    shows_subject: bool = True,
    shows_assignee: bool = True,
    is_current: bool = False,
) -> VdomDict:
    """One task of a list. `href` opens it. With an `outcome`, it was marked as done, or opened again, since the list was loaded."""
    actor, connection = use_actor(), use_connection()
    # What was loaded before the action may be shown again until the list has been read.
    is_done = {t("Done"): True, t("Opened again"): False}.get(outcome, task.is_done)

    async def finish(session: AsyncSession) -> TaskRead:
        return await (tasks.reopen if is_done else tasks.complete)(session, actor, task.id)

    def undo_of(changed: TaskRead) -> Undo:
        async def undo(session: AsyncSession) -> None:
            reverse = tasks.reopen if changed.is_done else tasks.complete
            await reverse(session, actor_of(connection), task.id)
            rows.reopen(str(task.id))

        return undo

    def settle(changed: TaskRead) -> None:
        rows.settle(changed, t("Done") if changed.is_done else t("Opened again"))
        connection.toast(finished_message(changed), undo=undo_of(changed))

    finishing = use_action(finish, then=settle)
    return html.li(
        attributes(className="fw-list-item fw-task", data_row=True, data_done=True if is_done else None),
        html.label(
            html.input(
                attributes(
                    type="checkbox",
                    name="done",
                    aria_label=t("Done: {title}", title=task.title),
                    checked=is_done,
                    disabled=True if not may_finish(actor, task) else None,
                    onChange=finishing,
                )
            )
        ),
        html.div(
            {"className": "fw-grow"},
            html.a(
                attributes(className="fw-title-link", href=href, dir="auto", aria_current="true" if is_current else None),
                task.title,
            ),
            _facts(task, shows_subject=shows_subject, shows_assignee=shows_assignee),
        ),
        html.div(
            {"className": "fw-task-due"}, html.span({"className": "fw-muted fw-small"}, outcome) if outcome else _due_chip(task)
        ),
    )


def _facts(task: TaskRead, *, shows_subject: bool, shows_assignee: bool) -> VdomDict | None:
    connection = use_connection()
    facts: list[Child] = []
    if shows_subject:
        facts += [
            html.a({"className": "fw-link", "href": connection.href(path), "dir": "auto", "key": path}, title)
            for title, path in ((task.opportunity, task.opportunity_path), (task.draft, task.draft_path))
            if title
        ]
    if shows_assignee and use_actor().is_in_shared_workspace:
        facts.append(html.bdi({"key": "assignee"}, task.assignee) if task.assignee_id else t("Nobody"))
    if task.done_by:
        facts.append(t("Done by {name}", name=task.done_by))
    if not facts:
        return None
    parts: list[Child] = []
    for fact in facts:
        parts += [" · ", fact] if parts else [fact]
    return html.p({"className": "fw-muted fw-small"}, *parts)

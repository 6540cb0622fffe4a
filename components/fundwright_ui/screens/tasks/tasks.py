"""`/dashboard/tasks`: the tasks of the workspace, those of the person that are open at first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from reactpy import component, html
from reactpy.types import VdomDict

from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import Assignee, Due, TaskQuery, TaskRead, TaskState
from fundwright.workspaces.schemas import MemberRead
from fundwright_ui.hooks import Rows, UrlState, query_in_address, use_url_state
from fundwright_ui.hooks.rows import Row as KeptRow
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.filters import filter_links
from fundwright_ui.screens.listing import (
    export_button,
    filter_row,
    has_filters,
    list_bar,
    narrow,
    no_match,
    pages,
    search_field,
)
from fundwright_ui.screens.restoring import trash_link
from fundwright_ui.screens.tasks.adding import add_task
from fundwright_ui.screens.tasks.entries import task_entry, use_tasks
from fundwright_ui.screens.tasks.panel import open_task
from fundwright_ui.ui import empty, filter_chip, fixed_filter, link_button, page

_OPENED = "open"
"""The parameter of the address with the task that is open."""


@screen(tasks.PATH, "Tasks", help="/help/tasks")
def tasks_screen() -> VdomDict:
    connection = use_connection()
    return page(
        t("Tasks"),
        _tasks(key="tasks"),
        open_task(_OPENED),
        actions=[link_button(t("Notes"), connection.href("/dashboard/notes"), size="small"), trash_link(tasks.TASK)],
    )


@component
def _tasks() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(TaskQuery, url)
    listing = use_tasks(query)
    if listing.answer is None:
        return listing.pending(t("Loading tasks"))
    listed, members = listing.answer
    shown = listing.rows.shown
    is_empty = not listed.total and not shown
    return html.div(
        {"className": "fw-stack"},
        add_task(members, listing.load, key="add") if actor.may(Permission.WORK) else None,
        list_bar(
            filter_row(url, query, _filters(url, query, listed, members), search=search_field(url, t("Search tasks"))),
            listing.counted(nt("{n} task", "{n} tasks", listed.total)),
            export_button(connection, "/api/tasks/export.csv", len(shown), query),
        ),
        _groups(shown, listing.rows, url, query)
        if shown
        else no_match(url, query, t("No tasks match. Change the filters."))
        if has_filters(query)
        else empty(_no_open_tasks(actor), icon_name="check"),
        listing.more() if not is_empty else None,
        pages(url, listed),
    )


def _no_open_tasks(actor: Actor) -> str:
    if not actor.is_in_shared_workspace:
        return t("You have no open tasks. Type one above.")
    if actor.may(Permission.WORK):
        return t("You have no open tasks. Type one above, or choose Anyone to see those of others.")
    return t("You have no open tasks. Choose Anyone to see those of others.")


def _groups(shown: Sequence[KeptRow[TaskRead]], rows: Rows[TaskRead], url: UrlState, query: TaskQuery) -> VdomDict:
    """The tasks under headings that say when they are due, in the order in which they were loaded."""

    def label_of(each: KeptRow[TaskRead]) -> str:
        if each.item.is_done and not each.outcome:
            return t("Done")
        return Due.of(each.item.due_on, today).label

    opened, today = url.get(_OPENED), tasks.today_of(use_actor())
    groups = (
        [(label, list(of_group)) for label, of_group in groupby(shown, key=label_of)] if not query.sort else [("", list(shown))]
    )
    return html.div(
        {"className": "fw-stack", "key": "groups"},
        *(
            html.section(
                {"key": f"{label}-{index}", "aria-label": label or t("Tasks")},
                html.h2({"className": "fw-feed-day"}, label) if label else None,
                html.ul(
                    {"className": "fw-list"},
                    *(
                        task_entry(
                            each.item,
                            rows,
                            href=url.href(**{_OPENED: each.id}),
                            outcome=each.outcome,
                            shows_assignee=query.assignee is not Assignee.ME,
                            is_current=opened == each.id,
                            key=each.id,
                        )
                        for each in of_group
                    ),
                ),
            )
            for index, (label, of_group) in enumerate(groups)
        ),
    )


def _filters(url: UrlState, query: TaskQuery, listed: Page[TaskRead], members: Sequence[MemberRead]) -> VdomDict:
    """Chips for the member, the state, and the due date, and those of filters that a link has set."""
    names = {
        Assignee.ME.value: t("Me"),
        Assignee.ANYONE.value: t("Anyone"),
        Assignee.NOBODY.value: t("Nobody"),
        **{str(each.id): each.name for each in members if each.id != use_actor().id},
    }
    states = {each.value: each.label for each in TaskState}
    dues = {each.value: each.label for each in Due}
    assignee = names.get(str(query.assignee), t("Former member"))
    subject = next((title for each in listed.items for title in (each.opportunity if query.opportunity else each.draft,)), "")
    return html.div(
        {"className": "fw-filters-line", "role": "group", "aria-label": t("Filters")},
        filter_chip(
            "assignee",
            t("Assigned to"),
            filter_links(url, [(label, {"assignee": value}, None) for value, label in names.items()], assignee),
            value=assignee,
        )
        if use_actor().is_in_shared_workspace
        else None,
        filter_chip(
            "state",
            t("Status"),
            filter_links(url, [(label, {"state": value}, None) for value, label in states.items()], query.state.label),
            value=query.state.label,
        ),
        filter_chip(
            "due",
            t("Due"),
            filter_links(
                url, [(label, {"due": value}, None) for value, label in dues.items()], query.due.label if query.due else ""
            ),
            value=query.due.label if query.due else "",
            on_clear=partial(narrow(url, "due"), ""),
        ),
        fixed_filter("opportunity", subject or t("Opportunity"), on_clear=partial(narrow(url, "opportunity"), ""))
        if query.opportunity
        else None,
        fixed_filter("draft", subject or t("Draft"), on_clear=partial(narrow(url, "draft"), "")) if query.draft else None,
    )

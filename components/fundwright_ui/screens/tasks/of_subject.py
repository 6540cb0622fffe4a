"""The tasks of an opportunity or a draft, on its page."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from reactpy import component, html
from reactpy.types import Component, VdomDict

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import number, t
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import Assignee, TaskQuery, TaskState
from fundwright_ui.hooks import use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.tasks.adding import add_task
from fundwright_ui.screens.tasks.entries import task_entry, use_tasks
from fundwright_ui.ui import button, link_button, section, side_panel
from fundwright_ui.ui.elements import Child

OPENED = "task"
"""The parameter of the address with the task that is open on the page of an opportunity or a draft."""
CLOSED = {"tasks": None, OPENED: None}
"""Changes of the address that close the tasks of a draft."""
_SHOWN = 20


@component
def tasks_of(opportunity_id: UUID) -> VdomDict:
    """The open tasks of an opportunity, and a line that adds one."""
    connection = use_connection()
    return section(
        t("Tasks"),
        _list(opportunity_id=opportunity_id, key="list"),
        actions=[
            link_button(
                t("All tasks"),
                connection.href(f"{tasks.PATH}?{_everything(opportunity=opportunity_id)}"),
                variant="text",
                size="small",
            ),
        ],
    )


def _everything(**subject: object) -> str:
    return urlencode({"assignee": Assignee.ANYONE.value, "state": TaskState.ALL.value, **subject})


@component
def _list(*, opportunity_id: UUID | None = None, draft_id: UUID | None = None) -> VdomDict:
    actor, url = use_actor(), use_url_state()
    query = TaskQuery(assignee=Assignee.ANYONE, opportunity=opportunity_id, draft=draft_id, page_size=_SHOWN)
    listing = use_tasks(query)
    if listing.answer is None:
        return listing.pending(t("Loading tasks"))
    _, members = listing.answer
    return html.div(
        {"className": "fw-stack"},
        html.ul(
            {"className": "fw-list", "aria-label": t("Tasks")},
            *(
                task_entry(
                    each.item,
                    listing.rows,
                    href=url.href(**{OPENED: each.id}),
                    outcome=each.outcome,
                    shows_subject=False,
                    is_current=url.get(OPENED) == each.id,
                    key=each.id,
                )
                for each in listing.rows.shown
            ),
        )
        if listing.rows.shown
        else html.p({"className": "fw-muted"}, t("No open tasks.")),
        listing.more(),
        add_task(members, listing.load, opportunity_id=opportunity_id, draft_id=draft_id, key="add")
        if actor.may(Permission.WORK)
        else None,
    )


@component
def tasks_button(draft_id: UUID, *, closes: tuple[str, ...] = ()) -> VdomDict:
    """Opens and closes the tasks of a draft, and says how many are open. It `closes` what has these parameters in the address."""
    actor, url = use_actor(), use_url_state()
    found = use_query(
        lambda session: tasks.count_open_of_draft(session, actor, draft_id), key=[draft_id], topics=tasks.topics_of(actor)
    )
    count = found.value or 0

    def toggle() -> None:
        url.set(**(CLOSED if url.get("tasks") else {"tasks": "open", **dict.fromkeys(closes)}))

    return button(t("Tasks ({n})", n=number(count)) if count else t("Tasks"), icon_name="check", on_click=toggle)


def tasks_panel(draft_id: UUID) -> VdomDict | Component:
    """The tasks of a draft."""
    url, connection = use_url_state(), use_connection()

    def close() -> None:
        url.set(**CLOSED)

    children: list[Child] = [
        _list(draft_id=draft_id, key="list"),
        link_button(t("All tasks"), connection.href(f"{tasks.PATH}?{_everything(draft=draft_id)}"), variant="text", size="small"),
    ]
    return side_panel(t("Tasks"), *children, close=t("Close tasks"), on_close=close, key="tasks")

"""Watching opportunities: the button and the watchers on the page of one, the button in rows of the list, and the due dates of what is
watched."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import date, timedelta
from uuid import UUID

from babel.dates import format_date, format_skeleton
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.database import now
from fundwright.core.messages import current_language, nt, t
from fundwright.opportunities import service, watching
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.schemas import OpportunityQuery, OpportunityRow, Watching
from fundwright.opportunities.washington import day_in_washington
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import Connection, actor_of, use_actor, use_connection
from fundwright_ui.runtime.connection import Undo
from fundwright_ui.screens.notice_address import PATHS
from fundwright_ui.ui import icon_button, section
from fundwright_ui.ui.elements import share_of_width

SHOWN_DAYS = 90
_SOON_DAYS = 7
_NAMED_DAYS = 14
"""The name of a month that begins earlier has no room beside that of today."""
_MOST_SHOWN = 20
_MOST_NAMES = 4


@component
def watch_button(opportunity_id: UUID) -> VdomDict | None:
    """Watches an opportunity, or no longer."""
    actor = use_actor()
    found = use_query(
        lambda session: watching.get_watch(session, actor, opportunity_id),
        key=[opportunity_id],
        topics=[watching.watches_topic(actor.workspace_id)],
    )
    toggle = use_watch_toggle()

    async def press() -> None:
        await toggle(opportunity_id, is_watched=found.value is not None and found.value.is_watched)

    pressing = use_action(press, in_transaction=False)
    if actor.is_support:
        return None
    is_watched = found.value is not None and found.value.is_watched
    return icon_button(
        t("Watching") if is_watched else t("Watch"),
        "visibility" if is_watched else "watch",
        pressed=is_watched,
        name="watch",
        on_click=pressing,
    )


def use_watch_toggle() -> Callable[..., Awaitable[None]]:
    """Return an async function that watches an opportunity or no longer does, and shows a toast with Undo. This is a hook."""
    connection = use_connection()

    async def toggle(opportunity_id: UUID, *, is_watched: bool) -> None:
        change, back = (watching.unwatch, watching.watch) if is_watched else (watching.watch, watching.unwatch)
        async with connection.core.database.transaction() as session:
            await change(session, actor_of(connection), opportunity_id)
        said = t("You no longer watch this opportunity.") if is_watched else t("You will be notified of changes and due dates.")
        connection.toast(said, undo=_undo_of(connection, back, opportunity_id))

    return toggle


def _undo_of(connection: Connection, change: Callable[..., Awaitable[object]], opportunity_id: UUID) -> Undo:
    async def undo(session: AsyncSession) -> None:
        await change(session, actor_of(connection), opportunity_id)

    return undo


@component
def watchers_of(opportunity_id: UUID) -> VdomDict | None:
    """Say who else in the workspace watches an opportunity."""
    actor = use_actor()
    found = use_query(
        lambda session: watching.get_watch(session, actor, opportunity_id),
        key=[opportunity_id],
        topics=[watching.watches_topic(actor.workspace_id)],
    )
    names = found.value.others if found.value else []
    if not names:
        return None
    more = len(names) - _MOST_NAMES
    listed = ", ".join(names[:_MOST_NAMES])
    rest = (nt("and {n} more", "and {n} more", more),) if more > 0 else ()
    return html.p({"className": "fw-muted fw-small"}, t("Watched by {names}", names=" ".join((listed, *rest))))


@component
def due_dates(watched: Watching) -> VdomDict | None:
    """A picture of when watched opportunities of both kinds are due. Each has a line with its title and date as text, so that the
    picture needs no other description. Nothing if none is due."""
    actor, connection = use_actor(), use_connection()
    today = day_in_washington(now())
    query = OpportunityQuery(
        watched=watched,
        availability="open",
        due_from=today,
        due_to=today + timedelta(days=SHOWN_DAYS),
        sort="due",
        page_size=_MOST_SHOWN,
    )
    found = use_query(
        lambda session: service.list_opportunities(session, actor, query),
        key=[query],
        topics=[service.TOPIC, watching.watches_topic(actor.workspace_id)],
    )
    if found.value is None or not found.value.items:
        return None
    shown, more = found.value.items, found.value.total - len(found.value.items)
    return section(
        t("Due in the next {n} days", n=SHOWN_DAYS),
        html.div(
            {"className": "fw-timeline"},
            _scale(today),
            html.ol(
                {"aria-label": t("Due in the next {n} days", n=SHOWN_DAYS)},
                *(_line(row, connection, today) for row in shown),
            ),
        ),
        html.p({"className": "fw-muted fw-small"}, nt("and {n} more", "and {n} more", more)) if more > 0 else None,
    )


def _line(row: OpportunityRow, connection: Connection, today: date) -> VdomDict:
    assert row.due_at
    due = day_in_washington(row.due_at)
    left = (due - today).days
    days = nt("{n} day left", "{n} days left", left) if left else t("Due today")
    is_soon = left <= _SOON_DAYS
    return html.li(
        {"key": str(row.id)},
        html.a({"className": "fw-title-link", "href": connection.href(f"{PATHS[row.kind]}/{row.id}")}, display_title(row.title)),
        html.span(
            {"className": f"fw-small {'fw-note-error' if is_soon else 'fw-muted'}"},
            f"{format_date(due, locale=connection.language)} · {days}",
        ),
        html.svg(
            {"className": "fw-timeline-track", "height": "20", "aria-hidden": "true"},
            *_months(today),
            html.line({"x1": "0", "x2": "100%", "y1": "50%", "y2": "50%", "key": "line"}),
            html.circle(
                {"cx": _place(left), "cy": "50%", "r": "6", "className": "fw-timeline-soon" if is_soon else "", "key": "due"}
            ),
        ),
    )


def _place(days: int) -> str:
    """Where the day is: today and the last day are whole within the picture."""
    return share_of_width((2 + 96 * days / SHOWN_DAYS) / 100)


def _firsts(today: date) -> Sequence[tuple[int, date]]:
    """The first days of the months that are shown, and in how many days they are."""
    days = (today + timedelta(days=number) for number in range(1, SHOWN_DAYS + 1))
    return [((day - today).days, day) for day in days if day.day == 1]


def _months(today: date) -> Iterator[VdomDict]:
    for days, first in _firsts(today):
        place = _place(days)
        yield html.line({"x1": place, "x2": place, "y1": "0", "y2": "100%", "className": "fw-timeline-month", "key": str(first)})


def _scale(today: date) -> VdomDict:
    months = [(days, format_skeleton("MMM", first, locale=current_language())) for days, first in _firsts(today)]
    return html.svg(
        {"className": "fw-timeline-track fw-timeline-scale", "height": "20", "aria-hidden": "true"},
        html.text({"x": "0", "y": "14", "className": "fw-timeline-today", "key": "today"}, t("Today")),
        *(html.text({"x": _place(days), "y": "14", "key": name}, name) for days, name in months if days >= _NAMED_DAYS),
    )

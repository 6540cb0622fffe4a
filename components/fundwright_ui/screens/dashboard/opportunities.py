"""The panels of the dashboard about opportunities: what is due next, and what is new in the person's categories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from babel.dates import format_skeleton
from reactpy import component, html
from reactpy.types import VdomDict

from fundwright.accounts.schemas import Permission
from fundwright.categories.service import categories_topic
from fundwright.core.database import now
from fundwright.core.messages import current_language, number, t
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import agency_name, display_title
from fundwright.opportunities.schemas import Deadlines, OpportunityRow, WeekOfDeadlines
from fundwright.opportunities.washington import day_in_washington
from fundwright_ui.hooks import use_query
from fundwright_ui.product import Connection, use_actor, use_connection
from fundwright_ui.screens.dashboard.panel import item, panel
from fundwright_ui.screens.deadlines import due_chip
from fundwright_ui.screens.notice_address import IMPORT, PATHS
from fundwright_ui.ui import empty, link_button

_BAR_PX = 48


@component
def deadlines() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    found = use_query(
        lambda session: opportunities.next_deadlines(session, actor),
        key=[actor.id],
        topics=[opportunities.TOPIC, categories_topic(actor.workspace_id)],
    )
    import_them = link_button(t("Import opportunities"), connection.href(IMPORT), size="small")
    return panel(
        t("Next deadlines"),
        found,
        lambda due: [_item(row, connection, _due(row)) for row in due.items],
        nothing=empty(
            t("No upcoming deadlines. Import opportunities to see them here."),
            import_them if actor.may(Permission.WORK) else None,
            icon_name="opportunities",
        ),
        above=_overview,
    )


@component
def matches() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    found = use_query(
        lambda session: opportunities.list_matches(session, actor),
        key=[actor.id],
        topics=[opportunities.TOPIC, categories_topic(actor.workspace_id)],
    )
    review = link_button(t("Review categories"), connection.href("/dashboard/category"), size="small")
    return panel(
        t("New in your categories"),
        found,
        lambda rows: [_item(row, connection, _posted(row)) for row in rows],
        nothing=empty(t("No open opportunities in your categories."), review, icon_name="category"),
    )


def _item(row: OpportunityRow, connection: Connection, end: VdomDict | None) -> VdomDict:
    href = connection.href(f"{PATHS[row.kind]}/{row.id}")
    return item(display_title(row.title), href, note=agency_name(row.agency), end=end, key=str(row.id))


def _due(row: OpportunityRow) -> VdomDict | None:
    return due_chip(day_in_washington(row.due_at), day_in_washington(now())) if row.due_at else None


def _posted(row: OpportunityRow) -> VdomDict:
    return html.span({"className": "fw-muted fw-small"}, _short(day_in_washington(row.posted_at)))


def _short(day: date) -> str:
    return format_skeleton("MMMd", day, locale=current_language())


def _overview(due: Deadlines) -> VdomDict:
    which = t("In your categories") if due.is_of_categories else t("All opportunities (none in your categories yet)")
    return html.div(
        html.p({"className": "fw-muted"}, which), _weeks(due.weeks) if any(week.count for week in due.weeks) else None
    )


def _weeks(weeks: Sequence[WeekOfDeadlines]) -> VdomDict:
    """A bar for each week. The numbers and dates are text, so that the picture needs no other description."""
    most = max(week.count for week in weeks)
    return html.ul(
        {"className": "fw-weeks", "aria-label": t("Deadlines by week")},
        *(
            html.li(
                {"key": str(week.first)},
                html.span(number(week.count)),
                html.svg({"width": "100%", "height": str(max(1, round(_BAR_PX * week.count / most))), "aria-hidden": "true"}),
                html.span({"className": "fw-muted"}, format_skeleton("Md", week.first, locale=current_language())),
            )
            for week in weeks
        ),
    )

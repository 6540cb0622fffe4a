"""`/dashboard/index`: key figures, for administrators."""

from __future__ import annotations

from datetime import date

from babel.dates import format_date
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.categories import service as categories
from fundwright.core.database import now
from fundwright.core.jobs import ALL_JOBS_TOPIC, JobState
from fundwright.core.messages import current_language, nt, number, percent, t
from fundwright.core.paging import Page
from fundwright.insights import service as insights
from fundwright.insights.schemas import Figure, HistoryQuery, HistoryRow
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import agency_name, display_title
from fundwright.opportunities.schemas import Deadlines, OpportunityRow
from fundwright.opportunities.washington import day_in_washington
from fundwright_ui.hooks import use_query
from fundwright_ui.product import Connection, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.opportunities.address import PATHS
from fundwright_ui.screens.training.history import person_name
from fundwright_ui.ui import chip, columns, empty, link_button, loading, page, problem, progress, section, stack

_SHOWN_JOBS = 8


@screen("/dashboard/index", "Dashboard", roles=roles_with(Permission.OVERSEE), help="/help/insights")
def dashboard_screen() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    underway = use_query(
        lambda session: insights.list_history(session, actor, HistoryQuery(state="underway", page_size=_SHOWN_JOBS)),
        key=[actor.id],
        topics=[ALL_JOBS_TOPIC],
    )
    begun = tuple(job.id for job in underway.value.items) if underway.value else ()

    async def read(session: AsyncSession) -> tuple[list[Figure], Deadlines]:
        return (
            await insights.list_figures(session, actor, connection.core),
            await opportunities.next_deadlines(session, actor),
        )

    found = use_query(read, key=[actor.id, begun], topics=[opportunities.TOPIC, categories.categories_topic(actor.id)])

    title = t("Dashboard")
    if found.error or underway.error:
        return page(title, problem(found.error or underway.error or "", on_retry=found.reload))
    if found.value is None or underway.value is None:
        return page(title, loading(t("Loading dashboard")))
    figures, deadlines = found.value
    return page(
        title,
        html.ul(
            {"className": "fw-figures", "aria-label": t("Key figures")},
            *(_figure(figure, connection.href(figure.path)) for figure in figures),
        ),
        columns(_deadlines(deadlines, key="deadlines"), _underway(underway.value, key="underway")),
    )


def _figure(figure: Figure, href: str) -> VdomDict:
    return html.li(
        {"key": figure.path},
        html.a(
            {"className": "fw-card fw-figure", "href": href},
            html.span({"className": "fw-figure-count"}, number(figure.count)),
            html.span({"className": "fw-muted"}, figure.label),
        ),
    )


@component
def _deadlines(deadlines: Deadlines) -> VdomDict:
    connection = use_connection()
    if not deadlines.items:
        nothing = empty(t("No upcoming deadlines. Import opportunities to see them here."))
        return section(t("Next deadlines"), nothing)
    return section(
        t("Next deadlines"),
        html.p(
            {"className": "fw-muted"},
            t("In your categories") if deadlines.is_of_categories else t("All opportunities (none in your categories yet)"),
        ),
        html.ul(
            {"className": "fw-list", "aria-label": t("Next deadlines")},
            *(_deadline(item, connection.href(f"{PATHS[item.kind]}/{item.id}")) for item in deadlines.items),
        ),
    )


def _deadline(item: OpportunityRow, href: str) -> VdomDict:
    due = day_in_washington(item.due_at) if item.due_at else None
    return html.li(
        {"key": str(item.id)},
        html.div(
            {"className": "fw-grow"},
            html.a({"className": "fw-link", "href": href}, display_title(item.title)),
            html.p({"className": "fw-muted fw-small"}, agency_name(item.agency)),
        ),
        _due(due) if due else None,
    )


def _due(day: date) -> VdomDict:
    left = (day - day_in_washington(now())).days
    return html.div(
        {"className": "fw-deadline"},
        html.p(format_date(day, locale=current_language())),
        chip(nt("in {n} day", "in {n} days", left) if left > 0 else t("today"), color="warning" if left <= 7 else "secondary"),
    )


@component
def _underway(jobs: Page[HistoryRow]) -> VdomDict:
    connection = use_connection()
    more = link_button(t("View all"), connection.href("/dashboard/history?state=underway"), size="small")
    if not jobs.items:
        return section(t("Jobs in progress"), empty(t("No imports, training runs, or drafts in progress.")))
    return section(
        t("Jobs in progress"),
        html.ul(
            {"className": "fw-list", "aria-label": t("Jobs in progress")},
            *(html.li({"key": str(job.id)}, _progress(job, connection)) for job in jobs.items),
        ),
        actions=[more] if jobs.total > len(jobs.items) else [],
    )


def _progress(job: HistoryRow, connection: Connection) -> VdomDict:
    kind = connection.core.jobs.label_of(job.kind)
    share = f" · {percent(job.done / job.total)}" if job.state == JobState.RUNNING and job.total else ""
    return html.div(
        {"className": "fw-grow"},
        stack(
            html.p(html.span({"className": "fw-strong"}, job.title), f" · {person_name(job)}"),
            progress(job.done, job.total, label=job.title, message=f"{kind} · {job.state.label}{share}"),
            tight=True,
        ),
    )

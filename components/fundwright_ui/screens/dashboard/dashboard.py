"""`/dashboard/index`: what is due, new, and in progress; key figures for administrators."""

from __future__ import annotations

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core import jobs
from fundwright.core.jobs import ALL_JOBS_TOPIC, JobRead, JobState, jobs_topic
from fundwright.core.messages import number, percent, t
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftQuery, DraftRow
from fundwright.insights import service as insights
from fundwright.insights.schemas import Figure, HistoryQuery, HistoryRow
from fundwright.opportunities import service as opportunities
from fundwright.workspaces import restrictions
from fundwright_ui.hooks import use_query
from fundwright_ui.product import Connection, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.dashboard.opportunities import deadlines, matches
from fundwright_ui.screens.dashboard.panel import item, panel
from fundwright_ui.screens.first_steps import first_steps
from fundwright_ui.screens.generate.generate import state_chip
from fundwright_ui.screens.training.history import person_name
from fundwright_ui.screens.workspaces.joining import own_invitations
from fundwright_ui.ui import columns, empty, link_button, loading, page, problem, progress, stack

_SHOWN_JOBS = 8
_SHOWN_DRAFTS = 5


@screen("/dashboard/index", "Dashboard", help="/help/insights")
def dashboard_screen() -> VdomDict:
    administers = use_actor().may(Permission.ADMINISTER)
    return page(
        t("Dashboard"),
        own_invitations(key="invitations"),
        first_steps(key="first-steps"),
        columns(
            deadlines(key="deadlines"),
            stack(
                matches(key="matches"),
                _drafts(key="drafts"),
                _everyones_jobs(key="jobs") if administers else _own_jobs(key="jobs"),
            ),
        ),
        _figures(key="figures") if administers else None,
    )


@component
def _figures() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    found = use_query(
        lambda session: insights.list_figures(session, actor, connection.core),
        key=[actor.id],
        topics=[opportunities.TOPIC, ALL_JOBS_TOPIC],
    )
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if found.value is None:
        return loading(t("Key figures"))
    return html.ul(
        {"className": "fw-figures", "aria-label": t("Key figures")},
        *(_figure(figure, connection.href(figure.path)) for figure in found.value),
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
def _drafts() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    query = DraftQuery(page_size=_SHOWN_DRAFTS)
    found = use_query(
        lambda session: generation.list_drafts(session, actor, query),
        key=[actor.id],
        topics=[generation.drafts_topic(actor.workspace_id), jobs_topic(actor.workspace_id)],
    )
    start = link_button(t("New draft"), connection.href("/generate/index"), size="small")
    return panel(
        t("Recent drafts"),
        found,
        lambda drafts: [_draft(draft, connection) for draft in drafts.items],
        nothing=empty(t("No drafts yet."), start if actor.may(Permission.WORK) else None, icon_name="generate"),
        more=lambda drafts: "/generate/index" if drafts.total > len(drafts.items) else None,
    )


def _draft(draft: DraftRow, connection: Connection) -> VdomDict:
    return item(
        draft.listed_title,
        connection.href(f"/generate/slug/{draft.slug}"),
        note=t(draft.template_title),
        end=state_chip(draft.state),
        key=str(draft.id),
    )


@component
def _own_jobs() -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def read(session: AsyncSession) -> list[JobRead]:
        hidden = await restrictions.hidden_ids(session, actor)
        return await jobs.list_underway(session, actor.workspace_id, limit=_SHOWN_JOBS, hidden=hidden)

    found = use_query(
        read,
        key=[actor.id],
        topics=[jobs_topic(actor.workspace_id)],
    )
    return panel(
        t("Jobs in progress"),
        found,
        lambda underway: [html.li({"key": str(job.id)}, _progress(job, connection)) for job in underway],
        nothing=_no_jobs(),
    )


@component
def _everyones_jobs() -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def read(session: AsyncSession) -> list[HistoryRow]:
        query = HistoryQuery(state="underway", page_size=_SHOWN_JOBS)
        return (await insights.list_history(session, actor, query)).items

    return panel(
        t("Jobs in progress"),
        use_query(read, key=[actor.id], topics=[ALL_JOBS_TOPIC]),
        lambda underway: [html.li({"key": str(job.id)}, _progress(job, connection, person_name(job))) for job in underway],
        nothing=_no_jobs(),
        more=lambda underway: "/dashboard/history?state=underway" if len(underway) == _SHOWN_JOBS else None,
    )


def _no_jobs() -> VdomDict:
    return empty(t("No imports, training runs, or drafts in progress."), icon_name="history")


def _progress(job: JobRead | HistoryRow, connection: Connection, person: str = "") -> VdomDict:
    kind = connection.core.jobs.label_of(job.kind)
    title = job.title or kind  # withheld for a job of a workspace that the reader may not see
    share = f" · {percent(job.done / job.total)}" if job.state == JobState.RUNNING and job.total else ""
    return html.div(
        {"className": "fw-grow"},
        stack(
            html.p(html.span({"className": "fw-strong"}, title), f" · {person}" if person else None),
            progress(job.done, job.total, label=title, message=f"{kind} · {job.state.label}{share}"),
            tight=True,
        ),
    )

"""`/dashboard/history`: the person's training runs; for administrators, all jobs."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from reactpy import component, html
from reactpy.types import Component, VdomDict

from fundwright.accounts.schemas import Permission
from fundwright.core.choices import unknown_values
from fundwright.core.jobs import ALL_JOBS_TOPIC, JobState, jobs_topic
from fundwright.core.messages import nt, number, percent, t
from fundwright.insights import service as insights
from fundwright.insights.schemas import HistoryChoices, HistoryQuery, HistoryRow, HistoryState
from fundwright.training import runs
from fundwright.training.schemas import RunQuery, RunRead
from fundwright_ui.hooks import UrlState, query_in_address, use_query, use_url_state
from fundwright_ui.product import Connection, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import existing_page, listed_table, narrow, open_below, use_listing
from fundwright_ui.ui import Color, Option, empty, link_button, page, problem, select_field
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import Chip, Column, LinkCell, Row

STATE_COLORS: dict[JobState, Color] = {
    JobState.QUEUED: "secondary",
    JobState.RUNNING: "info",
    JobState.SUCCEEDED: "success",
    JobState.FAILED: "error",
    JobState.CANCELED: "warning",
}


def duration_text(duration_s: float | None) -> str:
    """`1.4 s` or `1,4 s` below a minute, `0:02:05` above; empty if unknown."""
    if duration_s is None:
        return ""
    if duration_s >= 60:
        return str(timedelta(seconds=round(duration_s)))
    return f"{number(duration_s, decimals=1)} s"


@screen("/dashboard/history", "Embedding History", help="/help/training")
def history_screen() -> Component:
    actor, connection = use_actor(), use_connection()
    if not actor.may(Permission.ADMINISTER):
        return _own_runs(key="own")
    connection.set_title(t("History"))
    return _all_jobs(key="everybody")


@component
def _all_jobs() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(HistoryQuery, url)
    listing = use_listing(
        lambda session: existing_page(partial(insights.list_history, session, actor), query),
        query,
        lambda listed: listed,
        id=lambda job: job.id,
        key=[actor.id],
        topics=[ALL_JOBS_TOPIC],
    )
    offered = use_query(lambda session: insights.list_history_choices(session, actor), key=[actor.id])

    def shown(*children: Child) -> VdomDict:
        return page(t("History"), *children, subtitle=t("Every training run, import, and draft"))

    listed = listing.answer
    if offered.error:
        return shown(problem(offered.error, on_retry=offered.reload))
    if listed is None or offered.value is None:
        return shown(listing.pending(t("Loading history")))
    url.report(["kind"], unknown_values(query, kind=offered.value.kinds))
    if not offered.value.kinds:
        return shown(empty(t("No activity yet. Training runs, imports, and drafts will be listed here."), icon_name="history"))
    return shown(
        *listed_table(
            listing,
            listed,
            label=t("History"),
            count=nt("{n} entry", "{n} entries", listed.total),
            columns=[
                Column(field="kind", label=t("Kind"), is_sortable=True, min_width=110),
                Column(field="title", label=t("Title"), kind="link", is_sortable=True, flex=3, min_width=200),
                Column(field="person", label=t("Who"), is_sortable=True),
                Column(field="state", label=t("Status"), kind="chips", is_sortable=True),
                Column(field="created_at", label=t("Started"), kind="datetime", is_sortable=True, min_width=195),
                Column(field="duration_s", label=t("Duration"), is_sortable=True, min_width=100),
            ],
            row_of=lambda each: _job_row(each.item, connection),
            export="/api/insights/history/export.csv",
            narrow=_history_filters(connection, url, query, offered.value),
            nothing=t("No entries match. Change the filters."),
        ),
    )


def _history_filters(connection: Connection, url: UrlState, query: HistoryQuery, choices: HistoryChoices) -> VdomDict:
    states: dict[HistoryState, str] = {
        "underway": t("In progress"),
        "succeeded": t("Done"),
        "failed": t("Failed"),
        "canceled": t("Canceled"),
    }
    return html.div(
        {"className": "fw-filters", "role": "group", "aria-label": t("Filters")},
        select_field(
            "kind",
            t("Kind"),
            [Option("", t("Any")), *(Option(kind, connection.core.jobs.label_of(kind)) for kind in choices.kinds)],
            value=query.kind,
            on_change=narrow(url, "kind"),
        ),
        select_field(
            "state",
            t("Status"),
            [Option("", t("Any")), *(Option(state, label) for state, label in states.items())],
            value=query.state or "",
            on_change=narrow(url, "state"),
        ),
        select_field(
            "person",
            t("Who"),
            [Option("", t("Everyone")), *(Option(str(each.id), f"{each.name} ({each.email})") for each in choices.people)],
            value=str(query.person or ""),
            on_change=narrow(url, "person"),
        ),
    )


def _job_row(job: HistoryRow, connection: Connection) -> Row:
    share = f" {percent(job.done / job.total)}" if job.state == JobState.RUNNING and job.total else ""
    href = connection.href(f"/dashboard/history/{job.run_id}")
    title = job.title or t("Withheld")
    return Row(
        id=str(job.id),
        cells={
            "kind": connection.core.jobs.label_of(job.kind),
            "title": LinkCell(label=title, href=href) if job.run_id else title,
            "person": person_name(job),
            "state": (Chip(label=f"{job.state.label}{share}", color=STATE_COLORS[job.state]),),
            "created_at": job.created_at,
            "duration_s": duration_text(job.duration_s),
        },
    )


def person_name(job: HistoryRow) -> str:
    return job.person or (t("Former member") if job.account_id else t("Command line"))


@component
def _own_runs() -> VdomDict:
    actor = use_actor()
    connection = use_connection()
    url = use_url_state()
    request = query_in_address(RunQuery, url)
    listing = use_listing(
        lambda session: existing_page(partial(runs.list_runs, session, actor), request),
        request,
        lambda listed: listed,
        id=lambda run: run.id,
        key=[actor.id],
        topics=[jobs_topic(actor.workspace_id)],
    )
    title, listed, rows = t("Embedding History"), listing.answer, listing.rows
    if listed is None:
        return page(title, listing.pending(t("Loading training runs")))
    if not listed.total:
        to_train = link_button(t("Train documents"), connection.href("/dashboard/train"), variant="contained")
        return page(title, empty(t("No training runs yet. Add documents and train them."), to_train, icon_name="train"))
    has_errors = any(each.item.error or each.item.failed for each in rows.shown)
    return page(
        title,
        *listed_table(
            listing,
            listed,
            count=nt("{n} training run", "{n} training runs", listed.total),
            label=title,
            columns=[
                Column(field="run", label=t("Run"), kind="link", min_width=150),
                Column(field="state", label=t("Status"), kind="chips", is_sortable=True),
                Column(field="created_at", label=t("Started"), kind="datetime", is_sortable=True, flex=1.5, min_width=195),
                Column(field="duration_s", label=t("Duration"), is_sortable=True, is_compact=False),
                Column(field="documents", label=t("Documents"), kind="number", is_sortable=True, min_width=100),
                Column(field="chunks", label=t("Passages"), kind="number", is_sortable=True, min_width=100),
                Column(field="model", label=t("Model"), is_compact=False, flex=1.3, min_width=170),
                *([Column(field="errors", label=t("Errors"), flex=2)] if has_errors else []),
            ],
            row_of=lambda each: _row(each.item, connection.href(f"/dashboard/history/{each.id}")),
            export="/api/training/runs/export.csv",
            nothing=t("No training runs yet. Add documents and train them."),
            on_open=open_below(connection, "/dashboard/history"),
        ),
        subtitle=t("Every training run of your documents"),
    )


def _row(run: RunRead, href: str) -> Row:
    failed = nt("{n} document failed", "{n} documents failed", len(run.failed)) if run.failed else ""
    return Row(
        id=str(run.id),
        cells={
            "run": LinkCell(label=nt("{n} document", "{n} documents", run.total), href=href),
            "state": (Chip(label=run.state.label, color=STATE_COLORS[run.state]),),
            "created_at": run.created_at,
            "duration_s": duration_text(run.duration_s),
            "documents": run.documents,
            "chunks": run.chunks,
            "model": run.model_id or "",
            "errors": run.error or failed,
        },
    )

"""`/dashboard/history`: every training run."""

from __future__ import annotations

from datetime import timedelta

from babel.numbers import format_decimal
from reactpy.types import VdomDict

from fundwright.core.jobs import JobState, jobs_topic
from fundwright.core.messages import current_language, nt, t
from fundwright.core.paging import PageRequest
from fundwright.training import service as training
from fundwright.training.schemas import RunRead
from fundwright_ui.hooks import use_actor, use_connection, use_query, use_url_state
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui import Color, empty, link_button, loading, page, problem
from fundwright_ui.widgets import Chip, Column, LinkCell, Row, RowOpened, Sort, TableQuery, data_table

STATE_COLORS: dict[JobState, Color] = {
    JobState.QUEUED: "secondary",
    JobState.RUNNING: "info",
    JobState.SUCCEEDED: "success",
    JobState.FAILED: "error",
    JobState.CANCELLED: "warning",
}


def state_label(state: JobState) -> str:
    """The state of a run in the reader's language."""
    return {
        JobState.QUEUED: t("Waiting"),
        JobState.RUNNING: t("Running"),
        JobState.SUCCEEDED: t("Done"),
        JobState.FAILED: t("Failed"),
        JobState.CANCELLED: t("Cancelled"),
    }[state]


def duration_text(duration_s: float | None) -> str:
    """`1.4 s` or `1,4 s` below a minute, `0:02:05` above; empty while unknown."""
    if duration_s is None:
        return ""
    if duration_s >= 60:
        return str(timedelta(seconds=round(duration_s)))
    return f"{format_decimal(duration_s, format='0.0', locale=current_language())} s"


@screen("/dashboard/history", "Embedding History")
def history_screen() -> VdomDict:
    actor = use_actor()
    connection = use_connection()
    url = use_url_state()
    request = page_request(url.get("page"), url.get("size"), url.get("sort"))
    found = use_query(
        lambda session: training.list_runs(session, actor, request), key=[actor.id, request], topics=[jobs_topic(actor.id)]
    )

    def query(asked: TableQuery) -> None:
        url.set(**table_address(asked))

    def opened(row: RowOpened) -> None:
        connection.navigate(f"/dashboard/history/{row.id}")

    title = t("Embedding History")
    if found.error:
        return page(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(title, loading(t("Loading the training runs")))
    if not found.value.total:
        to_train = link_button(t("Train documents"), connection.href("/dashboard/train"), look="contained")
        return page(title, empty(t("No training run yet. Add documents and train them."), to_train))
    is_error_there = any(run.error or run.failed for run in found.value.items)
    return page(
        title,
        data_table(
            label=title,
            columns=[
                Column(field="run", label=t("Run"), kind="link", min_width=150),
                Column(field="state", label=t("State"), kind="chips", is_sortable=True),
                Column(field="created_at", label=t("Begun"), kind="datetime", is_sortable=True, min_width=160),
                Column(field="duration_s", label=t("Duration"), is_sortable=True, is_compact=False),
                Column(field="documents", label=t("Documents"), kind="number", is_sortable=True),
                Column(field="chunks", label=t("Passages"), kind="number", is_sortable=True),
                Column(field="model", label=t("Model"), is_compact=False),
                *([Column(field="errors", label=t("Errors"), flex=2)] if is_error_there else []),
            ],
            rows=[_row(run, connection.href(f"/dashboard/history/{run.id}")) for run in found.value.items],
            total=found.value.total,
            page=request.page,
            page_size=request.page_size,
            sort=table_sort(request),
            is_loading=found.is_loading,
            language=current_language(),
            on_query=query,
            on_open=opened,
        ),
        subtitle=t("Every run that taught documents to the knowledge base"),
    )


def page_request(number: str, size: str, sort: str) -> PageRequest:
    """What the address asks for; anything odd means the default."""
    return PageRequest(
        page=min(int(number), 100_000) if number.isdecimal() and int(number) else 1,
        page_size=int(size) if size in ("10", "25", "50", "100") else 25,
        sort=sort,
    )


def table_sort(request: PageRequest) -> Sort | None:
    return Sort(field=request.sort_field, direction="desc" if request.is_descending else "asc") if request.sort else None


def table_address(asked: TableQuery) -> dict[str, object]:
    """The parameters of the address for what a table asks."""
    sort = asked.sort
    return {
        "page": asked.page if asked.page > 1 else "",
        "size": asked.page_size if asked.page_size != 25 else "",
        "sort": f"{'-' if sort.direction == 'desc' else ''}{sort.field}" if sort else "",
    }


def _row(run: RunRead, href: str) -> Row:
    failed = nt("{n} document failed", "{n} documents failed", len(run.failed)) if run.failed else ""
    return Row(
        id=str(run.id),
        cells={
            "run": LinkCell(label=nt("{n} document", "{n} documents", run.total), href=href),
            "state": (Chip(label=state_label(run.state), color=STATE_COLORS[run.state]),),
            "created_at": run.created_at,
            "duration_s": duration_text(run.duration_s),
            "documents": run.documents,
            "chunks": run.chunks,
            "model": run.model_id or "",
            "errors": run.error or failed,
        },
    )

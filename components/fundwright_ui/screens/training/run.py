"""`/dashboard/history/{id}`: one training run."""

from __future__ import annotations

from functools import partial

from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.jobs import jobs_topic
from fundwright.core.messages import number, t
from fundwright.core.paging import Page, PageRequest
from fundwright.training import runs
from fundwright.training.schemas import DocumentFailure, DocumentRead, DocumentState, RunDocumentQuery, RunFailureQuery, RunRead
from fundwright_ui.hooks import UrlState, query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import Connection, parse_id, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import existing_page, export_button, page_table
from fundwright_ui.screens.training.history import duration_text
from fundwright_ui.ui import (
    Color,
    alert,
    button,
    definition_list,
    empty,
    link_button,
    loading,
    moment,
    page,
    problem,
    progress,
    section,
)
from fundwright_ui.widgets import Chip, Column, Row

_FAILURES = "failures_"
"""Prefix of the address parameters of the list of failures."""

DOCUMENT_COLORS: dict[DocumentState, Color] = {
    DocumentState.WAITING: "info",
    DocumentState.TRAINED: "success",
    DocumentState.FAILED: "error",
}


@screen("/dashboard/history/{id}", "Training run", help="/help/training")
def run_screen() -> VdomDict:
    actor = use_actor()
    connection = use_connection()
    url = use_url_state()
    run_id = connection.location.params.get("id", "")
    request = query_in_address(RunDocumentQuery, url)
    failures_request = query_in_address(RunFailureQuery, url, prefix=_FAILURES)

    async def read(session: AsyncSession) -> tuple[RunRead, Page[DocumentRead], Page[DocumentFailure]]:
        run = await runs.get_run(session, actor, parse_id(run_id, t("The training run")))
        documents = await existing_page(partial(runs.list_run_documents, session, actor, run.id), request)
        return run, documents, await existing_page(partial(runs.list_run_failures, session, actor, run.id), failures_request)

    found = use_query(read, key=[actor.id, run_id, request, failures_request], topics=[jobs_topic(actor.workspace_id)])

    async def cancel(session: AsyncSession) -> None:
        await runs.cancel_run(session, actor, parse_id(run_id, t("The training run")))

    async def repeat(session: AsyncSession) -> RunRead:
        return await runs.repeat_run(session, actor, connection.core, parse_id(run_id, t("The training run")))

    canceling = use_action(cancel, success=t("The run will be canceled after its current step."), then=found.reload)
    repeating = use_action(
        repeat,
        success=t("These documents are being trained."),
        then=lambda run: connection.navigate(f"/dashboard/history/{run.id}"),
    )

    title = t("Training run")
    back = link_button(t("Embedding History"), connection.href_back("/dashboard/history"), icon_name="arrow_back")
    if found.is_missing:
        return page(title, empty(t("This training run doesn't exist."), back, icon_name="history"))
    if found.error:
        return page(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(title, loading(t("Loading training run")))
    run, documents, failures = found.value
    cancel_or_repeat = (
        button(
            t("Repeat run"),
            on_click=repeating,
            is_busy=repeating.is_running,
            icon_name="refresh",
            disabled=not documents.total,
        )
        if run.state.is_over
        else button(t("Cancel run"), on_click=canceling, is_busy=canceling.is_running, icon_name="stop")
    )
    return page(
        title,
        alert(run.error, variant="error") if run.error else None,
        None if run.state.is_over else progress(run.done, run.total, label=title, message=progress_text(run)),
        definition_list(
            {
                t("Status"): run.state.label,
                t("Started"): moment(run.started_at or run.created_at),
                t("Duration"): duration_text(run.duration_s),
                t("Documents"): number(run.documents),
                t("Passages"): number(run.chunks),
                t("Model"): run.model_id,
            }
        ),
        _failures(connection, url, run, failures, failures_request, is_loading=found.is_slow) if failures.total else None,
        section(
            t("Documents of this run"),
            page_table(
                url,
                request,
                documents,
                label=t("Documents of this run"),
                columns=[
                    Column(field="title", label=t("Title"), is_sortable=True, flex=3, min_width=160),
                    Column(field="chunk_count", label=t("Passages"), kind="number", is_sortable=True),
                    Column(field="state", label=t("Status"), kind="chips", is_sortable=True),
                ],
                rows=[_document(document) for document in documents.items],
                is_loading=found.is_slow,
            )
            if documents.total
            else empty(t("The documents of this run have been removed."), icon_name="train"),
            actions=[export_button(connection, f"/api/training/runs/{run.id}/documents/export.csv", documents.total, request)],
        ),
        actions=[back, cancel_or_repeat if actor.may(Permission.WORK) else None],
    )


def progress_text(run: RunRead) -> str:
    """The progress of a run."""
    done = t("{done} of {total} documents", done=run.done, total=run.total)
    return f"{done} · {run.message}" if run.message else done


def _failures(
    connection: Connection,
    url: UrlState,
    run: RunRead,
    failures: Page[DocumentFailure],
    request: PageRequest,
    *,
    is_loading: bool,
) -> VdomDict:
    return section(
        t("Not trained"),
        page_table(
            url,
            request,
            failures,
            label=t("Not trained"),
            columns=[
                Column(field="title", label=t("Title"), is_sortable=True, flex=2, min_width=160),
                Column(field="reason", label=t("Problem"), is_sortable=True, flex=3, min_width=200),
            ],
            rows=[
                Row(id=str(failure.document_id), cells={"title": failure.title, "reason": failure.reason})
                for failure in failures.items
            ],
            is_loading=is_loading,
            prefix=_FAILURES,
        ),
        actions=[
            export_button(
                connection,
                f"/api/training/runs/{run.id}/failures/export.csv",
                failures.total,
                request,
                label=t("Export untrained documents as CSV"),
            )
        ],
        key="not-trained",
    )


def _document(document: DocumentRead) -> Row:
    return Row(
        id=str(document.id),
        cells={
            "title": document.title,
            "chunk_count": document.chunk_count,
            "state": (Chip(label=document.state.label, color=DOCUMENT_COLORS[document.state]),),
        },
    )

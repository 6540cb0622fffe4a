"""`/dashboard/history/{id}`: one training run."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.jobs import jobs_topic
from fundwright.core.messages import nt, number, t
from fundwright.core.paging import Page, PageRequest
from fundwright.identity.schemas import Permission
from fundwright.training import service as training
from fundwright.training.schemas import DocumentRead, DocumentState, RunRead
from fundwright_ui.hooks import parse_id, use_action, use_actor, use_connection, use_query
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.history import duration_text
from fundwright_ui.screens.listing import export_button
from fundwright_ui.ui import (
    Color,
    alert,
    button,
    chip,
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

_SHOWN = 100

DOCUMENT_COLORS: dict[DocumentState, Color] = {
    DocumentState.WAITING: "info",
    DocumentState.TRAINED: "success",
    DocumentState.FAILED: "error",
}


@screen("/dashboard/history/{id}", "Training run")
def run_screen() -> VdomDict:
    actor = use_actor()
    connection = use_connection()
    run_id = connection.location.params.get("id", "")

    async def read(session: AsyncSession) -> tuple[RunRead, Page[DocumentRead]]:
        run = await training.get_run(session, actor, parse_id(run_id, t("The training run")))
        return run, await training.list_run_documents(session, actor, run.id, PageRequest(page_size=_SHOWN))

    found = use_query(read, key=[actor.id, run_id], topics=[jobs_topic(actor.id)])

    async def cancel(session: AsyncSession) -> None:
        await training.cancel_run(session, actor, parse_id(run_id, t("The training run")))

    async def repeat(session: AsyncSession) -> RunRead:
        return await training.repeat_run(connection.core, session, actor, parse_id(run_id, t("The training run")))

    cancelling = use_action(cancel, success=t("The run stops at its next step."), then=found.reload)
    repeating = use_action(
        repeat, success=t("The run was started again."), then=lambda run: connection.navigate(f"/dashboard/history/{run.id}")
    )

    title = t("Training run")
    back = link_button(t("Embedding History"), connection.href("/dashboard/history"), icon_name="arrow_back")
    if found.is_missing:
        return page(title, empty(t("This training run does not exist."), back))
    if found.error:
        return page(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(title, loading(t("Loading the training run")))
    run, documents = found.value
    cancel_or_repeat = (
        button(
            t("Repeat run"),
            on_click=repeating,
            is_busy=repeating.is_running,
            icon_name="refresh",
            disabled=not documents.total,
        )
        if run.state.is_over
        else button(t("Cancel run"), on_click=cancelling, is_busy=cancelling.is_running, icon_name="stop")
    )
    return page(
        title,
        alert(run.error, variant="error") if run.error else None,
        None if run.state.is_over else progress(run.done, run.total, label=title, message=progress_text(run)),
        definition_list(
            {
                t("State"): run.state.label,
                t("Begun"): moment(run.started_at or run.created_at),
                t("Duration"): duration_text(run.duration_s),
                t("Documents"): number(run.documents),
                t("Passages"): number(run.chunks),
                t("Model"): run.model_id,
            }
        ),
        _failures(run),
        section(
            t("Documents of this run"),
            html.ul({"className": "fw-list"}, *(_document(document) for document in documents.items))
            if documents.total
            else empty(t("The documents of this run have been removed.")),
            _more(documents.total - len(documents.items)),
            actions=[export_button(connection, f"/api/training/runs/{run.id}/documents/export.csv", documents.total)],
        ),
        actions=[back, cancel_or_repeat if actor.may(Permission.WORK) else None],
    )


def progress_text(run: RunRead) -> str:
    """How far a run is."""
    done = t("{done} of {total} documents", done=run.done, total=run.total)
    return f"{done} · {run.message}" if run.message else done


def _failures(run: RunRead) -> VdomDict | None:
    if not run.failed:
        return None
    return section(
        t("Not trained"),
        html.ul(
            {"className": "fw-list"},
            *(
                html.li(
                    {"className": "fw-list-item", "key": str(failure.document_id)},
                    html.strong(failure.title),
                    " ",
                    failure.reason,
                )
                for failure in run.failed[:_SHOWN]
            ),
        ),
        _more(len(run.failed) - _SHOWN),
    )


def _more(count: int) -> VdomDict | None:
    return html.p({"className": "fw-muted"}, nt("and {n} more", "and {n} more", count)) if count > 0 else None


def _document(document: DocumentRead) -> VdomDict:
    return html.li(
        {"className": "fw-list-item", "key": str(document.id)},
        html.span({"className": "fw-grow"}, document.title),
        html.span({"className": "fw-muted"}, nt("{n} passage", "{n} passages", document.chunk_count)),
        chip(document.state.label, color=DOCUMENT_COLORS[document.state]),
    )

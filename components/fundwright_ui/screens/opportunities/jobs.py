"""Starting and following categorizing and indexing on the opportunities list."""

from __future__ import annotations

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.concurrency import SharedRead
from fundwright.core.jobs import JobRead, JobState, jobs_topic, result_of
from fundwright.core.messages import percent, t
from fundwright.opportunities import service
from fundwright.opportunities.schemas import SortingResult
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.ui import alert, button, icon_button, progress


@component
def embedding_progress() -> VdomDict | None:
    """The share of notices covered by search by meaning, until all are indexed. Shown in the toolbar of the list."""
    connection, actor = use_connection(), use_actor()

    async def read() -> JobRead | None:
        async with connection.core.database.reading() as session:
            return await service.find_embedding(session, actor)

    # The job is the same for everyone who reads this language, and its progress reaches every open list at the same time.
    name = f"{__name__}.embedding.{connection.language}"
    shared: SharedRead[JobRead | None] = connection.core.shared(name, SharedRead)
    latest = use_query(lambda: shared.result(read), topics=[jobs_topic(None)], with_session=False)
    starting = use_action(lambda session: service.start_embedding(session, actor, connection.core), then=latest.reload)
    canceling = use_action(lambda session: service.cancel_embedding(session, actor), then=latest.reload)
    job = latest.value
    may_change = actor.may(Permission.ADMINISTER)
    if job is None or job.state == JobState.SUCCEEDED:
        return None
    if job.state.is_over:
        resume = button(t("Resume indexing"), size="small", on_click=starting, is_busy=starting.is_running)
        return alert(
            job.error or t("Indexing was canceled. Search by meaning covers only the notices indexed so far."),
            resume if may_change else None,
            variant="warning",
        )
    if not job.total:
        return None
    counts = t(
        "Indexing notices: {done} of {total}. Search by meaning covers the notices indexed so far.",
        done=job.done,
        total=job.total,
    )
    cancel = icon_button(t("Cancel indexing"), "stop", small=True, on_click=canceling, disabled=canceling.is_running)
    return html.div(
        {"className": "fw-toolbar-progress", "title": counts},
        progress(job.done, job.total, label=counts, message=share_text(job.done, job.total, t("Indexing"))),
        cancel if may_change else None,
    )


@component
def categorize_button() -> VdomDict:
    """Start categorizing and show its progress."""
    connection = use_connection()
    actor = use_actor()
    latest = use_query(lambda session: service.find_categorizing(session, actor), topics=[jobs_topic(actor.workspace_id)])
    starting = use_action(lambda session: service.start_categorizing(session, actor, connection.core), then=latest.reload)

    async def cancel(session: AsyncSession) -> None:
        if job is not None:
            await service.cancel_categorizing(session, actor, job.id)

    canceling = use_action(cancel)
    job: JobRead | None = latest.value
    if job is None or job.state.is_over:
        last = None
        if job is not None and job.state == JobState.FAILED:
            last = html.p({"className": "fw-field-error", "role": "alert"}, job.error or "")
        elif job is not None and job.state == JobState.SUCCEEDED:
            counts = result_of(job, SortingResult)
            last = html.p(
                {"className": "fw-hint", "role": "status"},
                t("Last run: {labeled} newly categorized", labeled=counts["labeled"]),
            )
        return html.div(
            {"className": "fw-stack fw-stack-tight"},
            button(t("Categorize"), icon_name="category", variant="contained", on_click=starting, is_busy=starting.is_running),
            last,
        )
    return html.div(
        {"className": "fw-stack fw-stack-tight"},
        progress(job.done, job.total, label=t("Categorizing"), message=share_text(job.done, job.total, t("Categorizing"))),
        icon_button(t("Cancel"), "stop", small=True, on_click=canceling, disabled=canceling.is_running),
    )


def share_text(done: int, total: int | None, words: str) -> str:
    return f"{words} · {percent(done / total)}" if total else words

"""Jobs on a screen."""

from __future__ import annotations

from reactpy import component
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import jobs
from fundwright.core.jobs import JobPayload
from fundwright.core.messages import t
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor
from fundwright_ui.ui import alert, button, progress, row


@component
def job_progress(payload: type[JobPayload]) -> VdomDict | None:
    """The newest job with this payload in the workspace: its progress with a Cancel button, or its error."""
    actor = use_actor()
    kind = payload.job_kind
    found = use_query(
        lambda session: jobs.list_recent(session, actor.workspace_id, kind=kind, limit=1),
        key=[actor.workspace_id, kind],
        topics=[jobs.jobs_topic(actor.workspace_id)],
    )
    job = found.value[0] if found.value else None

    async def cancel(session: AsyncSession) -> None:
        if job is not None:
            await jobs.cancel(session, job.id, owner_id=actor.workspace_id)

    canceling = use_action(cancel, then=found.reload)
    if job is None:
        return None
    if job.state.is_over:
        return alert(job.error, variant="error") if job.error else None
    message = job.message or None
    return row(
        progress(job.done, job.total, label=job.title, message=message),
        button(t("Cancel"), size="small", icon_name="stop", on_click=canceling, disabled=job.cancel_requested),
    )

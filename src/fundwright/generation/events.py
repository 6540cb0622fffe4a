"""What notifications tell about drafts."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright.core.jobs import JobRead, JobState
from fundwright.core.messages import later, t
from fundwright.generation import repository
from fundwright.generation.schemas import WriteDraft
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind


def _finished(told: Happening) -> str:
    return t("The draft “{title}” is finished", title=told.subject)


def _failed(told: Happening) -> str:
    return t("The draft “{title}” could not be finished", title=told.subject)


FINISHED = NotificationKind("draft.finished", later("Draft finished"), _finished)
FAILED = NotificationKind("draft.failed", later("Draft failed"), _failed, email=EmailTiming.DAILY)
_KINDS = {JobState.SUCCEEDED: FINISHED, JobState.FAILED: FAILED}
KINDS = (FINISHED, FAILED)


async def tell_end(session: AsyncSession, payload: WriteDraft, job: JobRead) -> None:
    """Tell the person who started a draft how it ended."""
    kind = _KINDS.get(job.state)
    if kind is None or job.owner_id is None or job.account_id is None:
        return
    try:
        draft = (await repository.get(session, job.owner_id, payload.draft_id)).draft
    except NotFound:  # deleted in the meantime
        return
    await notifications.notify(
        session, kind, [job.account_id], actor=None, workspace_id=job.owner_id, subject=draft.title,
        path=f"/generate/slug/{draft.slug}",
    )  # fmt: skip

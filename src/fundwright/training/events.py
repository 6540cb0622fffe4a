"""What notifications tell about training runs."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.jobs import JobRead
from fundwright.core.messages import later, nt, t
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind
from fundwright.training.repository import runs
from fundwright.training.schemas import TrainDocuments


def _unread(told: Happening) -> str:
    number = int(told.details["number"])
    if number == 1:
        return t("“{title}” could not be read", title=told.subject)
    return nt(
        "“{title}” and {n} other document could not be read",
        "“{title}” and {n} other documents could not be read",
        number - 1,
        title=told.subject,
    )


UNREADABLE = NotificationKind("training.unreadable", later("Unreadable document"), _unread, email=EmailTiming.DAILY)
KINDS = (UNREADABLE,)


async def tell_failures(session: AsyncSession, payload: TrainDocuments, job: JobRead) -> None:
    """Tell the person who started a training run which documents could not be read."""
    if payload.reads_again or job.owner_id is None or job.account_id is None:
        return
    run = await runs.find_run_for_job(session, job.owner_id, payload.run_id)
    if run is None or not run.failed:
        return
    await notifications.notify(
        session, UNREADABLE, [job.account_id], actor=None, workspace_id=job.owner_id, subject=run.failed[0]["title"],
        path=f"/dashboard/history/{run.id}", details={"number": str(len(run.failed))},
    )  # fmt: skip

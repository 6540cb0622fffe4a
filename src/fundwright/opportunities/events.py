"""What notifications tell about imports."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.jobs import JobRead, JobState
from fundwright.core.messages import later, t
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind
from fundwright.opportunities.repository import runs
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.schemas import ImportOpportunities


def _finished(told: Happening) -> str:
    return t("The import of “{file}” is finished", file=told.subject)


def _failed(told: Happening) -> str:
    return t("The import of “{file}” failed", file=told.subject)


FINISHED = NotificationKind("import.finished", later("Import finished"), _finished)
FAILED = NotificationKind("import.failed", later("Import failed"), _failed, email=EmailTiming.DAILY)
_KINDS = {JobState.SUCCEEDED: FINISHED, JobState.FAILED: FAILED}
KINDS = (FINISHED, FAILED)


async def tell_end(session: AsyncSession, payload: ImportOpportunities, job: JobRead) -> None:
    """Tell the person who started an import how it ended."""
    kind = _KINDS.get(job.state)
    filename = await runs.find_filename(session, payload.run_id)
    if kind is None or job.account_id is None or filename is None:
        return
    path = f"/dashboard/{'sam' if payload.source == SamCsv.name else 'nih'}?import=open"
    await notifications.notify(session, kind, [job.account_id], actor=None, workspace_id=None, subject=filename, path=path)

"""Training runs, and the documents that are underway in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import database
from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.lists import ordered_by
from fundwright.core.messages import t
from fundwright.core.paging import PageRequest
from fundwright.training.models import Document, TrainingRun
from fundwright.training.schemas import DocumentState, Unsearched


async def list_underway_ids(session: AsyncSession, owner_id: UUID) -> set[UUID]:
    """Return the documents of waiting or running runs, without those that have failed in them."""
    underway = set[str]()
    for run, _ in await session.execute(_underway_runs(owner_id)):
        underway |= set(run.document_ids) - {failure["document_id"] for failure in run.failed}
    return set(map(UUID, underway))


async def list_unsearched(session: AsyncSession, owner_id: UUID, *, limit: int) -> Unsearched:
    """Return the number of untrained documents, and the titles of the newest."""
    own = select(Document.id, Document.title).where(Document.owner_id == owner_id, Document.state != DocumentState.TRAINED)
    found = (await session.execute(own.order_by(Document.created_at.desc(), Document.id))).all()
    underway = await list_underway_ids(session, owner_id) if found else set[UUID]()
    return Unsearched(
        count=len(found), underway=sum(id in underway for id, _ in found), titles=tuple(title for _, title in found[:limit])
    )


def _runs(owner_id: UUID) -> Select[TrainingRun, Job]:
    return select(TrainingRun, Job).join(Job, Job.id == TrainingRun.job_id).where(TrainingRun.owner_id == owner_id)


def _underway_runs(owner_id: UUID) -> Select[TrainingRun, Job]:
    """Select waiting or running runs that were not canceled, oldest first."""
    query = _runs(owner_id).where(Job.state.in_((JobState.QUEUED, JobState.RUNNING)), Job.cancel_requested.is_(False))
    return query.order_by(TrainingRun.created_at)


async def get_run(session: AsyncSession, owner_id: UUID, run_id: UUID) -> tuple[TrainingRun, Job]:
    query = _runs(owner_id).where(TrainingRun.id == run_id).execution_options(populate_existing=True)
    row = (await session.execute(query)).one_or_none()
    if row is None:
        raise NotFound(t("The training run"))
    return row[0], row[1]


async def lock_runs(session: AsyncSession, owner_id: UUID) -> None:
    """Until the transaction ends, nobody else can find that no run includes a document, and add one."""
    await database.acquire_lock(session, f"training_runs:{owner_id}")


async def find_underway_run(
    session: AsyncSession, owner_id: UUID, document_ids: Sequence[UUID]
) -> tuple[TrainingRun, Job] | None:
    """Return a waiting or running run that trains all of these documents, unless it was canceled or one of them has failed in it.
    Other callers wait here until the transaction ends, so that two of them cannot both find none and add one."""
    await lock_runs(session, owner_id)
    wanted = {str(document_id) for document_id in document_ids}
    for run, job in await session.execute(_underway_runs(owner_id)):
        if wanted <= set(run.document_ids) and wanted.isdisjoint(failure["document_id"] for failure in run.failed):
            return run, job
    return None


async def join_waiting_run(session: AsyncSession, owner_id: UUID, document_id: UUID) -> bool:
    """Add a document to a waiting run that a person has started. Returns whether there is one."""
    await lock_runs(session, owner_id)
    underway = await session.execute(_underway_runs(owner_id))
    waiting = [run.id for run, job in underway if job.state == JobState.QUEUED and not job.payload.get("reads_again")]
    for run_id in waiting:
        run = await find_run_for_job(session, owner_id, run_id)
        # The job reads its documents under the same lock, so a run that is still waiting will read this one, too.
        _, job = await get_run(session, owner_id, run_id)
        if run is not None and job.state == JobState.QUEUED and not job.cancel_requested:
            run.document_ids = [*run.document_ids, str(document_id)]
            await session.flush()
            return True
    return False


async def list_runs(session: AsyncSession, owner_id: UUID, request: PageRequest) -> tuple[list[tuple[TrainingRun, Job]], int]:
    columns: dict[str, ColumnElement[Any]] = {
        "state": Job.state.expression,
        "documents": TrainingRun.documents.expression,
        "chunks": TrainingRun.chunks.expression,
        "duration_s": Job.ended_at - Job.started_at,
        "created_at": TrainingRun.created_at.expression,
    }
    ordered = ordered_by(request, columns, default=TrainingRun.created_at.desc())
    query = _runs(owner_id).order_by(ordered, TrainingRun.id).offset(request.offset).limit(request.page_size)
    query = query.execution_options(populate_existing=True)
    total = await session.scalar(select(func.count()).select_from(_runs(owner_id).with_only_columns(TrainingRun.id).subquery()))
    return [(run, job) for run, job in await session.execute(query)], total or 0


async def find_run_for_job(session: AsyncSession, owner_id: UUID, run_id: UUID) -> TrainingRun | None:
    """Return the run of a job, locked."""
    return await session.scalar(
        select(TrainingRun)
        .where(TrainingRun.owner_id == owner_id, TrainingRun.id == run_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )

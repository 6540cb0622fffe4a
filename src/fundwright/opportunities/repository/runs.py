"""Import runs. Each is visible to the account that started it, and to administrators."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    and_,
    exists,
    func,
    not_,
    select,
    true,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Role
from fundwright.core import database
from fundwright.core.errors import NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.messages import t
from fundwright.opportunities.models import (
    ImportRejection,
    ImportRun,
)
from fundwright.opportunities.schemas import (
    ImportCounts,
    ImportOpportunities,
)


async def was_ever_imported(session: AsyncSession) -> bool:
    return bool(await session.scalar(select(exists().where(ImportRun.id.is_not(None)))))


def _seen_by(actor: Actor) -> ColumnElement[bool]:
    return true() if actor.role == Role.ADMIN else ImportRun.owner_id == actor.id


async def list_pending_uploads(session: AsyncSession, names: Collection[str]) -> Collection[str]:
    """Which of these files belong to imports that are queued or running."""
    upload = Job.payload["upload"].astext
    underway = Job.state.in_((JobState.QUEUED, JobState.RUNNING))
    return (
        await session.scalars(select(upload).where(Job.kind == ImportOpportunities.job_kind, underway, upload.in_(names)))
    ).all()


async def list_waiting_uploads(session: AsyncSession, owner_id: UUID) -> Sequence[str]:
    """Return the files of the account's queued or running imports. No other request can add one until the transaction ends."""
    await database.acquire_lock(session, f"uploads:{owner_id}")
    upload = Job.payload["upload"].astext
    underway = Job.state.in_((JobState.QUEUED, JobState.RUNNING))
    of_owner = and_(Job.owner_id == owner_id, Job.kind == ImportOpportunities.job_kind, underway, upload.is_not(None))
    return (await session.scalars(select(upload).where(of_owner))).all()


async def add_run(
    session: AsyncSession, *, owner_id: UUID | None, source: str, filename: str, is_sample: bool = False
) -> ImportRun:
    run = ImportRun(owner_id=owner_id, source=source, filename=filename, is_sample=is_sample)
    session.add(run)
    await session.flush()
    return run


async def get_run(session: AsyncSession, actor: Actor, run_id: UUID) -> tuple[ImportRun, Job | None]:
    """Raises NotFound."""
    found = select(ImportRun, Job).outerjoin(Job, Job.id == ImportRun.job_id).where(ImportRun.id == run_id, _seen_by(actor))
    row = (await session.execute(found.execution_options(populate_existing=True))).one_or_none()
    if row is None:
        raise NotFound(t("The import"))
    return row[0], row[1]


async def get_system_run(session: AsyncSession, run_id: UUID) -> tuple[ImportRun, Job | None]:
    """An import that belongs to no account. Raises NotFound."""
    found = select(ImportRun, Job).outerjoin(Job, Job.id == ImportRun.job_id)
    row = (await session.execute(found.where(ImportRun.id == run_id, ImportRun.owner_id.is_(None)))).one_or_none()
    if row is None:
        raise NotFound(t("The import"))
    return row[0], row[1]


async def counts(session: AsyncSession, run_id: UUID) -> ImportCounts:
    columns = (ImportRun.new, ImportRun.changed, ImportRun.unchanged, ImportRun.rejected)
    row = (await session.execute(select(*columns).where(ImportRun.id == run_id))).mappings().one()
    return ImportCounts.model_validate(dict(row))


async def page_of_runs(
    session: AsyncSession, actor: Actor, *, sources: Sequence[str], offset: int, limit: int
) -> tuple[list[tuple[ImportRun, Job | None]], int]:
    conditions = and_(_seen_by(actor), not_(ImportRun.is_sample))
    if sources:
        conditions = and_(conditions, ImportRun.source.in_(sources))
    total = await session.scalar(select(func.count()).select_from(ImportRun).where(conditions)) or 0
    found = (
        select(ImportRun, Job)
        .outerjoin(Job, Job.id == ImportRun.job_id)
        .where(conditions)
        .order_by(ImportRun.created_at.desc(), ImportRun.id)
        .offset(offset)
        .limit(limit)
    )
    return [(run, job) for run, job in await session.execute(found)], total


async def own_runs(session: AsyncSession, owner_id: UUID) -> Sequence[ImportRun]:
    """The runs that the account started, oldest first."""
    query = select(ImportRun).where(ImportRun.owner_id == owner_id).order_by(ImportRun.created_at, ImportRun.id)
    return (await session.scalars(query)).all()


async def set_job(session: AsyncSession, run_id: UUID, job_id: UUID) -> str | None:
    """Set the job of the run, and return the name of the run's file."""
    run = update(ImportRun).where(ImportRun.id == run_id).values(job_id=job_id)
    return await session.scalar(run.returning(ImportRun.filename))


async def find_filename(session: AsyncSession, run_id: UUID) -> str | None:
    """The name of the run's file; None if the run was deleted."""
    return await session.scalar(select(ImportRun.filename).where(ImportRun.id == run_id))


async def rejections(
    session: AsyncSession, run_id: UUID, *, offset: int = 0, limit: int | None = None
) -> tuple[list[ImportRejection], int]:
    """Return rejected rows of an import that the actor may see, in file order."""
    of_run = ImportRejection.import_run_id == run_id
    total = await session.scalar(select(func.count()).select_from(ImportRejection).where(of_run)) or 0
    found = select(ImportRejection).where(of_run).order_by(ImportRejection.line, ImportRejection.id).offset(offset).limit(limit)
    return list(await session.scalars(found)), total


async def stream_rejections(session: AsyncSession, run_id: UUID) -> AsyncIterator[tuple[int, str, str]]:
    found = select(ImportRejection.line, ImportRejection.column, ImportRejection.reason)
    rows = await session.stream(found.where(ImportRejection.import_run_id == run_id).order_by(ImportRejection.line))
    async for line, column, reason in rows:
        yield line, column, reason

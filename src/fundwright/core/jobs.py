"""Background jobs: a job row that people can watch and cancel, run by a procrastinate worker.

A process that runs a job holds its lease, see `job_leases`. When the process dies or stalls, a worker runs the job again from its last
checkpoint. Accounts share the slots of the workers, see `job_entries`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypedDict, cast
from uuid import UUID, uuid4

import procrastinate
import psycopg
import structlog
from procrastinate.exceptions import ConnectorException
from procrastinate.types import TimeDeltaParams
from pydantic import BaseModel, BeforeValidator, ConfigDict
from sqlalchemy import (
    ColumnElement,
    Dialect,
    String,
    TypeDecorator,
    and_,
    delete,
    false,
    func,
    not_,
    or_,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, aliased, mapped_column
from typing_extensions import TypeVar

from fundwright.core import live
from fundwright.core.database import Base, Database, acquire_lock, now, patient
from fundwright.core.errors import Conflict, DatabaseAway, FundwrightError, NotFound
from fundwright.core.fair_loop import work_behind_pages, work_for
from fundwright.core.job_entries import BACKGROUND_PRIORITY, JobEntries
from fundwright.core.job_leases import LEASE_S, STALLED_S, Fenced, claim, end_connections, end_transactions, job_lock
from fundwright.core.json_values import JsonObject
from fundwright.core.messages import Message, current_language, from_stored, keeping_messages, t, to_stored, using_language
from fundwright.core.scopes import Scope, acting_in

if TYPE_CHECKING:
    from fundwright.core.assembly import Core

T = TypeVar("T")

log = structlog.get_logger()

_PROGRESS_INTERVAL_S = 0.2
_PATIENCE_S = 1
_ORPHAN_INTERVAL_S = 10
_RECONNECT_INTERVAL_S = 2
_CANCEL_AGAIN_S = 5
_SHORT_CONCURRENCY = 1
_ACCOUNTS_AT_ONCE = 4
"""A worker has slots for this many accounts, so each holds at most a quarter of them. Slots are cheap: what uses much memory or time
runs in the sandbox, where accounts take turns, too."""
_UNKNOWN_KEPT = timedelta(days=1)
"""How long a job waits for a process that knows its kind and version."""
_PAUSED_S = 1
_MAX_ATTEMPTS = 5
"""A job that ends its process, for example by using all memory, would otherwise do so forever. Processes end for other
reasons, too, so a few such ends in a row are tolerated."""

ALL_JOBS_TOPIC = "jobs"
"""Every change of any job, for administrators."""


class Lane(StrEnum):
    """Jobs of one lane never wait for those of another: each worker has slots for each lane. The value is the name of its queue."""

    LONG = "fundwright"
    """Imports, training, and everything else that may take minutes or hours."""
    WATCHED = "fundwright.watched"
    """Jobs whose owner waits for them in front of the screen, such as drafts. There are as many slots as for long ones."""
    SHORT = "fundwright.short"
    """Jobs that take seconds, such as an email."""


def _scope_of(job: Job) -> Scope:
    """A job of the installation has no owner; what it does to the rows of workspaces names its scope."""
    return Scope(workspace_id=job.owner_id, account_id=job.account_id)


class StoredMessage(TypeDecorator[str]):
    """Stores a message and loads it in the reader's language. Plain text stays unchanged."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | Message | None, dialect: Dialect) -> str | None:
        return None if value is None else to_stored(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else from_stored(value)


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"

    @property
    def is_over(self) -> bool:
        return self not in (JobState.QUEUED, JobState.RUNNING)

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            JobState.QUEUED: t("Waiting"),
            JobState.RUNNING: t("Running"),
            JobState.SUCCEEDED: t("Done"),
            JobState.FAILED: t("Failed"),
            JobState.CANCELED: t("Canceled"),
        }[self]


class Job(Base):
    __tablename__ = "job"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    kind: Mapped[str]
    title: Mapped[str] = mapped_column(StoredMessage)
    language: Mapped[str] = mapped_column(default=current_language)
    """The language of the job's owner, for its messages."""
    owner_id: Mapped[UUID | None] = mapped_column(index=True)
    """What the job belongs to: a workspace, an account, or None for the installation."""
    account_id: Mapped[UUID | None] = mapped_column(index=True)
    """The account that it acts for."""
    subject_id: Mapped[UUID | None]
    """What it is about, such as a draft, which may be hidden from some members of the workspace."""
    state: Mapped[str] = mapped_column(default=JobState.QUEUED, index=True)
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int | None]
    message: Mapped[str] = mapped_column(StoredMessage, default="")
    payload: Mapped[JsonObject]
    checkpoint: Mapped[JsonObject] = mapped_column(default=dict)
    result: Mapped[JsonObject | None]
    error: Mapped[str | None] = mapped_column(StoredMessage)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    """How many processes have started it since its last checkpoint, not counting those that shut down in an orderly way or
    lost the database."""
    version: Mapped[int] = mapped_column(default=1, server_default="1")
    """That of its payload, see `JobPayload.version`."""
    lease: Mapped[int] = mapped_column(default=0, server_default="0")
    """Grows whenever a process takes the job or loses it. Whoever has an older one may no longer write."""
    heartbeat_at: Mapped[datetime | None]
    """When the process that runs it last said so, by the clock of the database."""
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]


class JobRead(BaseModel):
    """A job as people see it. `done` and `total` count the unit named in `message`."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    kind: str
    title: Annotated[str, BeforeValidator(str)]
    owner_id: UUID | None
    account_id: UUID | None
    state: JobState
    done: int
    total: int | None
    message: str
    result: JsonObject | None
    error: str | None
    cancel_requested: bool
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class JobProgress(TypedDict, total=False):
    """A message of `job_topic`."""

    done: int
    total: int | None


class ChangedJob(TypedDict, total=False):
    """A message of `jobs_topic`."""

    id: str


class JobCanceled(Exception):
    """Raised inside a job at its next `progress()` after it is canceled."""


class _Paused(Exception):
    """Raised inside a background job that pauses for other jobs."""


class JobPayload(BaseModel):
    """The input of a job. Each kind of job has its own subclass, which names the kind.

    It holds ids, never copies of records: a job may wait for hours, and only the database has the current state.
    """

    model_config = ConfigDict(frozen=True)

    job_kind: ClassVar[str]
    version: ClassVar[int] = 1
    """Increase it in a release whose jobs of this kind the previous release could not run. While both run side by side, workers of the
    previous one leave these jobs alone. Jobs of earlier versions still have to run."""


P = TypeVar("P", bound=JobPayload)
A = TypeVar("A")
C = TypeVar("C", bound=Mapping[str, object], default=JsonObject)
R = TypeVar("R", bound=Mapping[str, object])

ActorLoader = Callable[[AsyncSession, UUID | None, UUID | None], Awaitable[A]]
"""Loads the actor of a job, given its `account_id` and `owner_id`. Raises FundwrightError when it may no longer run the job."""


class JobRun(Generic[P, A, C]):
    """What a handler works with: payload, actor, transactions, progress, and checkpoints. `C` is a `TypedDict` for what its
    checkpoints hold, with `total=False`: a new job has an empty one.

    `actor` is reloaded at each checkpoint and progress report, so read it each time instead of keeping a copy.
    """

    def __init__(self, queue: JobQueue, job: Job, payload: P, actor: A, load_actor: ActorLoader[A]) -> None:
        self.id = job.id
        self.owner_id = job.owner_id
        self.account_id = job.account_id
        self.payload = payload
        self.actor = actor
        self.checkpoint: C = cast(C, job.checkpoint)
        self._queue = queue
        self._lease = job.lease
        self._load_actor = load_actor
        self._reported_at = 0.0

    @property
    def services(self) -> Core:
        return self._queue.services

    @asynccontextmanager
    async def transaction(self, *, scope: Scope | None = None) -> AsyncIterator[AsyncSession]:
        """A transaction in the scope of the job's owner, unless another is given.

        Raises Fenced if the job has been taken from this process. If that happens before the commit, nothing is written.
        """
        async with self._queue.database.transaction(scope=scope) as session:
            await claim(session, self.id, self._lease)
            yield session

    async def save_checkpoint(self, session: AsyncSession, checkpoint: C) -> None:
        """Remember where to resume, in the same transaction as the work it describes, and after it: until the transaction ends, no
        heartbeat can be written.

        Raises FundwrightError when the actor may no longer run the job; the transaction is then rolled back.
        """
        self.actor = await self._load_actor(session, self.account_id, self.owner_id)
        self.checkpoint = checkpoint
        await session.execute(update(Job).where(Job.id == self.id).values(checkpoint=cast(JsonObject, checkpoint), attempts=1))

    async def pause_if_others_wait(self) -> None:
        """End a background job for now if others wait for its slot. It continues from its checkpoint after them.

        Call it after `save_checkpoint`, every few seconds of work. A job that waits remains one job, with its progress.
        """
        if self._queue.is_background(self.payload) and self._queue.is_full_with(self.id):
            async with self.transaction() as session:
                if await session.scalar(_DO_OTHERS_WAIT, {"queue": Lane.LONG, "priority": BACKGROUND_PRIORITY}):
                    raise _Paused

    async def progress(self, done: int, total: int | None = None, message: str | None = None) -> None:
        """Report `done` of `total`; at most five reports a second are written.

        Raises JobCanceled, or FundwrightError when the actor may no longer run the job.
        """
        moment = time.monotonic()
        if moment - self._reported_at < _PROGRESS_INTERVAL_S and done != total:
            return
        self._reported_at = moment
        report = {"done": done, "total": total, "message": message}
        values = {name: value for name, value in report.items() if value is not None}
        async with self.transaction() as session:
            job = await session.scalar(update(Job).where(Job.id == self.id).values(**values).returning(Job))
            if job is None or job.cancel_requested:
                raise JobCanceled
            self.actor = await self._load_actor(session, self.account_id, self.owner_id)
            await _announce(session, job)


@dataclass(frozen=True)
class JobHandler(Generic[P, A]):
    """How jobs of one kind run, and with whose permissions: `load_actor` is called at the start and at each checkpoint."""

    payload: type[P]
    run: Callable[[JobRun[P, A, Any]], Awaitable[Mapping[str, object] | None]]
    load_actor: ActorLoader[A]
    on_failure: Callable[[AsyncSession, P, str], Awaitable[None]] | None = None
    """Called with the error message, in the transaction that marks the job as failed, to update what waits for the job."""
    on_end: Callable[[AsyncSession, P, JobRead], Awaitable[None]] | None = None
    """Called in the transaction in which a worker ends the job, whatever its state, so that whoever waits for it is told exactly once. Not
    called if it is canceled while it waits or its process does not respond: whoever cancels it sees that it has ended."""
    lane: Lane = Lane.LONG
    is_background: bool = False
    """These jobs start after all others of their lane that wait, and may pause for them."""
    label: Message | None = None
    """The label of these jobs; without one, they are named by their kind."""

    @property
    def kind(self) -> str:
        return self.payload.job_kind

    async def end(self, session: AsyncSession, job: Job) -> None:
        if self.on_failure is not None and job.state == JobState.FAILED:
            await self.on_failure(session, self.payload.model_validate(job.payload), job.error or "")
        if self.on_end is not None:
            await self.on_end(session, self.payload.model_validate(job.payload), JobRead.model_validate(job))

    async def start(self, queue: JobQueue, job: Job) -> Mapping[str, object] | None:
        """Run `job` to its end and return its result."""
        async with queue.database.transaction() as session:
            actor = await self.load_actor(session, job.account_id, job.owner_id)
        return await self.run(JobRun(queue, job, self.payload.model_validate(job.payload), actor, self.load_actor))


def result_of(job: Job | JobRead, result: type[R]) -> R:
    """What the handler of a job that has succeeded returned, which is a `result`."""
    return cast(R, job.result)


async def no_actor(_session: AsyncSession, _account_id: UUID | None, _owner_id: UUID | None) -> None:
    """The `load_actor` of jobs that act for no account, such as sending an email."""


async def watched(work: asyncio.Future[T], report: Callable[[], Awaitable[None]]) -> T:
    """Return the result of `work`. While it takes long, `report` reports progress each second, so that people can cancel it."""
    while not (await asyncio.wait([work], timeout=_PATIENCE_S))[0]:
        await report()
    return work.result()


class JobQueue:
    """Enqueues jobs inside the caller's transaction and runs them."""

    services: Core
    """Set once everything that a job may use is open."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._handlers: dict[str, JobHandler[Any, Any]] = {}
        self._interrupted: list[tuple[UUID, int]] = []
        """Jobs, with their leases, whose attempt does not count, but whose row does not say so yet."""
        self._in_slots: dict[UUID, Lane] = {}
        """Jobs that a worker of this process runs, unlike those that run inline."""
        self._long_slots = 0
        self._left: set[tuple[str, int]] = set()
        """Kinds and versions of jobs that wait for another process, as the log says."""
        self._app = procrastinate.App(
            connector=procrastinate.PsycopgConnector(conninfo=database.direct_url, min_size=1, max_size=4, timeout=5)
        )
        self._app.job_manager = self._entries = JobEntries(self._app.connector, self._known)
        self._task = self._app.task(name="fundwright.run", queue=Lane.LONG, pass_context=True)(self._run_queued)

    def register(self, handler: JobHandler[Any, Any]) -> None:
        self._handlers[handler.kind] = handler

    def _known(self) -> Mapping[str, int]:
        """The highest version of each kind of job that this process can run."""
        return {kind: handler.payload.version for kind, handler in self._handlers.items()}

    def label_of(self, kind: str) -> str:
        """The label of jobs of this kind, in the reader's language."""
        handler = self._handlers.get(kind)
        return str(handler.label) if handler is not None and handler.label is not None else kind

    def is_background(self, payload: JobPayload) -> bool:
        return self._handlers[payload.job_kind].is_background

    def is_full_with(self, job_id: UUID) -> bool:
        """Whether the job runs in a slot for long jobs and none is free."""
        lanes = list(self._in_slots.values())
        return job_id in self._in_slots and lanes.count(Lane.LONG) >= self._long_slots

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        async with self._app.open_async():
            yield

    async def enqueue(
        self,
        session: AsyncSession,
        payload: JobPayload,
        *,
        title: str | Message,
        owner_id: UUID | None,
        account_id: UUID | None = None,
        subject_id: UUID | None = None,
        delay_s: int = 0,
    ) -> JobRead:
        """Add a job; it starts after the caller's transaction commits and `delay_s` seconds have passed. Without `account_id`, its owner
        is the account that it acts for. `subject_id` is what it is about.

        Accounts take turns: a job runs after the first jobs of everyone else if its account already has one underway, and so on. The jobs
        of one account never hold more than its share of the slots, however many wait.
        """
        job = await self._add(session, payload, title=title, owner_id=owner_id, account_id=account_id, subject_id=subject_id)
        underway = await _count_others(session, job) if job.account_id else 0
        await self._defer(session, job, delay_s=delay_s, priority=-underway)
        return JobRead.model_validate(job)

    async def run_inline(
        self, payload: JobPayload, *, title: str | Message, owner_id: UUID | None, account_id: UUID | None = None
    ) -> JobRead:
        """Run a job in this process and wait for it, as the command line does. Raises what the job raised, and Conflict if it was
        canceled elsewhere.

        A caller that stops waiting (Ctrl-C) cancels the job like a person on a page: at its next step, keeping what it has done.
        A process that is told to end (SIGTERM) cancels the task of the job, too; a worker then resumes the job.
        """
        job_id = uuid4()

        async def run() -> None:
            # The lock comes before the job: a worker that found the job without its lock would run it.
            async with job_lock(self.database.direct_url, job_id):
                async with self.database.transaction() as session:
                    await self._add(session, payload, title=title, owner_id=owner_id, account_id=account_id, job_id=job_id)
                await self._begin(job_id, reraise=True)

        running = asyncio.create_task(run())
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            if running.cancelled() or running.cancelling():
                await asyncio.wait([running])
                raise
            try:
                async with self.database.transaction() as session:
                    await cancel(session, job_id, owner_id=owner_id)
            except Conflict:
                pass
            except NotFound:  # it has not been added yet
                running.cancel()
            await running
            raise
        async with self.database.transaction() as session:
            done = await get(session, job_id)
        if done.state == JobState.CANCELED:
            raise Conflict(
                t("It was canceled on its page or through the API. Work done so far was kept. Start it again to continue.")
            )
        return done

    async def run_worker(self, *, concurrency: int) -> None:
        """Work until canceled; a canceled worker lets running jobs reach their next checkpoint and be resumed. `concurrency`
        is the share of each account: how many of its long jobs run at the same time, and of its watched ones."""
        orphans = asyncio.create_task(self._requeue_orphans())
        self._entries.share, self._long_slots = concurrency, concurrency * _ACCOUNTS_AT_ONCE
        slots = {Lane.LONG: self._long_slots, Lane.WATCHED: self._long_slots, Lane.SHORT: _SHORT_CONCURRENCY}
        serving = [asyncio.create_task(self._serve(lane, concurrency=number)) for lane, number in slots.items()]
        try:
            await asyncio.wait(serving)
        finally:
            await _end([orphans, *serving])

    async def _serve(self, lane: Lane, *, concurrency: int) -> None:
        """Run the jobs of one lane. The worker restarts after an internal failure; otherwise the web process would continue without it."""
        while True:
            try:
                await self._app.run_worker_async(
                    queues=[lane],
                    concurrency=concurrency,
                    install_signal_handlers=False,
                    delete_jobs="always",
                    fetch_job_polling_interval=2,
                    shutdown_graceful_timeout=1,
                )
            except (ConnectorException, psycopg.OperationalError) as error:
                log.warning("jobs.disconnected", reason=str(error))
            except Exception:
                log.exception("jobs.worker_failed")
            await asyncio.sleep(_RECONNECT_INTERVAL_S)

    async def _add(
        self,
        session: AsyncSession,
        payload: JobPayload,
        *,
        title: str | Message,
        owner_id: UUID | None,
        account_id: UUID | None,
        subject_id: UUID | None = None,
        job_id: UUID | None = None,
    ) -> Job:
        kind = payload.job_kind
        if kind not in self._handlers:
            raise KeyError(f"no handler is registered for job kind {kind!r}")
        job = Job(
            id=job_id or uuid4(),
            kind=kind,
            title=title,
            owner_id=owner_id,
            account_id=account_id or owner_id,
            subject_id=subject_id,
            payload=payload.model_dump(mode="json"),
            version=payload.version,
        )
        session.add(job)
        await session.flush()
        await _announce(session, job)
        return job

    async def _defer(self, session: AsyncSession, job: Job, *, delay_s: int = 0, priority: int = 0) -> None:
        connection = (await (await session.connection()).get_raw_connection()).driver_connection
        schedule_in: TimeDeltaParams | None = {"seconds": delay_s} if delay_s else None
        handler = self._handlers.get(job.kind)  # none for a job of a package that was removed
        lane = handler.lane if handler is not None else Lane.LONG
        if handler is not None and handler.is_background:
            priority = BACKGROUND_PRIORITY
        task = self._task.configure(connection=connection, schedule_in=schedule_in, priority=priority, queue=lane)
        await task.defer_async(job_id=str(job.id))

    async def _run_queued(self, context: procrastinate.JobContext, job_id: str) -> None:
        try:
            await self._run(UUID(job_id), lane=Lane(context.job.queue), reraise=False)
        except (DatabaseAway, psycopg.OperationalError) as error:
            # Its row stays `queued` or `running`, and a worker resumes it.
            log.warning("job.interrupted", job_id=job_id, reason=str(error))

    async def _run(self, job_id: UUID, *, lane: Lane = Lane.LONG, reraise: bool) -> None:
        async with job_lock(self.database.direct_url, job_id) as is_mine:
            if is_mine:
                self._in_slots[job_id] = lane
                try:
                    await self._begin(job_id, reraise=reraise)
                finally:
                    self._in_slots.pop(job_id, None)

    async def _begin(self, job_id: UUID, *, reraise: bool) -> None:
        async with self.database.transaction() as session:
            job = await session.get(Job, job_id, with_for_update=True)
            if job is None or JobState(job.state).is_over:
                return
            is_given_up = job.attempts >= _MAX_ATTEMPTS
            if not is_given_up:
                job.state, job.started_at, job.attempts = JobState.RUNNING, job.started_at or now(), job.attempts + 1
                job.lease += 1
                await session.execute(update(Job).where(Job.id == job_id).values(heartbeat_at=func.clock_timestamp()))
                await _announce(session, job)
        work_for(job.account_id or job.owner_id)
        work_behind_pages()
        with using_language(job.language), keeping_messages(), acting_in(_scope_of(job)), patient():
            if is_given_up:
                log.warning("job.given_up", job_id=str(job_id), kind=job.kind, attempts=job.attempts)
                await self._finish(
                    job,
                    JobState.FAILED,
                    error=t(
                        "The process that ran this job ended unexpectedly {n} times. Start the job again with fewer items, or ask an "
                        "administrator to check the log.",
                        n=_MAX_ATTEMPTS,
                    ),
                )
            else:
                await self._work(job, reraise=reraise)

    async def _work(self, job: Job, *, reraise: bool) -> None:
        try:
            if job.cancel_requested:
                raise JobCanceled
            result = await self._handlers[job.kind].start(self, job)
        except (asyncio.CancelledError, DatabaseAway):
            # The process or the database is stopping: the row stays `running` and a worker resumes it.
            await self._interrupt(job)
            raise
        except JobCanceled:
            await self._finish(job, JobState.CANCELED)
        except Fenced:
            async with self.database.reading() as session:
                is_deleted = await session.scalar(select(Job.id).where(Job.id == job.id)) is None
            if is_deleted:  # with its owner
                return
            log.warning("job.fenced", job_id=str(job.id), kind=job.kind)
            if reraise:
                raise Conflict(t("Another process has taken this job, because this one did not respond for a while.")) from None
        except _Paused:
            await self._requeue_paused(job)
        except Exception as error:
            if cast(asyncio.Task[None], asyncio.current_task()).cancelling():
                await self._interrupt(job)  # it was canceled, and failed while it cleaned up
                raise
            if isinstance(error, FundwrightError):
                sentence = error.sentence
            else:
                log.exception("job.failed", job_id=str(job.id), kind=job.kind)
                sentence = t("Something went wrong")
            await self._finish(job, JobState.FAILED, error=sentence)
            if reraise:
                raise
        else:
            await self._finish(job, JobState.SUCCEEDED, result=result or {})

    async def _requeue_paused(self, paused: Job) -> None:
        async with self.database.transaction() as session:
            found = select(Job).where(Job.id == paused.id, Job.lease == paused.lease).with_for_update()
            job = await session.scalar(found.execution_options(populate_existing=True))
            if job is None:
                return
            if not job.cancel_requested:
                job.state, job.attempts = JobState.QUEUED, 0
                await self._defer(session, job, delay_s=_PAUSED_S)  # its lock is released in the meantime
                await _announce(session, job)
                return
        await self._finish(paused, JobState.CANCELED)

    async def _finish(
        self, ended: Job, state: JobState, *, result: Mapping[str, object] | None = None, error: str | None = None
    ) -> None:
        """End the job, unless it has been taken from this process since it loaded `ended`."""
        values: dict[str, object] = {"state": state, "result": result, "error": error, "ended_at": now()}
        if state == JobState.SUCCEEDED:
            values["done"] = func.coalesce(Job.total, Job.done)
        async with self.database.transaction() as session:
            is_own = and_(Job.id == ended.id, Job.lease == ended.lease)
            job = await session.scalar(update(Job).where(is_own).values(**values).returning(Job))
            if job is not None:
                handler = self._handlers.get(job.kind)
                if handler is not None:
                    await handler.end(session, job)
                await _announce(session, job)

    async def _interrupt(self, job: Job) -> None:
        self._interrupted.append((job.id, job.lease))
        with suppress(DatabaseAway, psycopg.OperationalError):
            await self._save_interrupted()

    async def _save_interrupted(self) -> None:
        """Subtract the attempts that were interrupted without a crash, now or when the database is available again."""
        if saved := list(self._interrupted):
            async with self.database.transaction() as session:
                fewer = update(Job).values(attempts=func.greatest(Job.attempts - 1, 0))
                await session.execute(fewer.where(tuple_(Job.id, Job.lease).in_(saved)))
            self._interrupted = [each for each in self._interrupted if each not in saved]

    async def _requeue_orphans(self) -> None:
        while True:
            try:
                await self._save_interrupted()
                async with self.database.transaction() as session:
                    await session.execute(_FORGET_ABANDONED)
                    await session.execute(_FOLLOW_CLOCK)
                    elsewhere = Job.id.not_in(list(self._in_slots))  # this process responds, whatever they say
                    stalled = list(await session.scalars(select(Job.id).where(_is_stalled(LEASE_S), elsewhere)))
                for job_id in stalled:
                    await self._fence(job_id)
                await self._look_for_unknown()
                async with self.database.transaction() as session:
                    taken = list(await session.scalars(select(Job.id).where(_IS_TAKEN)))
                for job_id in taken:
                    async with job_lock(self.database.direct_url, job_id) as is_orphan:
                        pass
                    if is_orphan:
                        async with self.database.transaction() as session:
                            job = await session.scalar(select(Job).where(Job.id == job_id, _IS_TAKEN).with_for_update())
                            if job is not None:
                                job.state = JobState.QUEUED
                                await session.execute(_FORGET_ENTRY, {"job_id": str(job_id)})
                                await self._defer(session, job)
                                log.info("job.resumed", job_id=str(job_id), kind=job.kind)
            except (DatabaseAway, psycopg.OperationalError):
                pass  # the worker says so
            except Exception:
                log.exception("job.orphan_check_failed")
            await asyncio.sleep(_ORPHAN_INTERVAL_S)

    async def _fence(self, job_id: UUID) -> None:
        """Take a job from a process that still does not respond. Its row says afterward that nobody holds it."""
        async with self.database.transaction() as session:
            if await session.scalar(select(Job.id).where(Job.id == job_id, _is_stalled(LEASE_S))) is None:
                return
            await end_connections(session, job_id)  # one of them may have locked the row
        async with self.database.transaction() as session:
            lost = update(Job).where(Job.id == job_id, _is_stalled(LEASE_S)).values(lease=Job.lease + 1, heartbeat_at=None)
            kind = await session.scalar(lost.returning(Job.kind))
        if kind is None:  # another worker has taken it in the meantime: the connections are those of its new process
            return
        async with self.database.transaction() as session:
            await end_connections(session, job_id)  # what it has begun before it could see the new lease
        log.warning("job.stalled", job_id=str(job_id), kind=kind)

    async def _look_for_unknown(self) -> None:
        """Say which jobs wait for a process of another version. Those that have waited for a day fail."""
        known = [and_(Job.kind == kind, Job.version <= version) for kind, version in self._known().items()]
        async with self.database.transaction() as session:
            waiting = list(await session.scalars(select(Job).where(Job.state == JobState.QUEUED, not_(or_(false(), *known)))))
        for job in waiting:
            if (job.kind, job.version) not in self._left:
                self._left.add((job.kind, job.version))
                reason = "A newer version, or a package that is not installed here, has added jobs of this kind and takes them."
                log.warning("job.left", kind=job.kind, version=job.version, reason=reason)
            if job.created_at < now() - _UNKNOWN_KEPT:
                with using_language(job.language):
                    error = t(
                        "The package that runs these jobs is not installed. Ask your administrator to install it, then start the job again."
                    )
                await self._finish(job, JobState.FAILED, error=error)


def _is_stalled(seconds: float) -> ColumnElement[bool]:
    """Whether a process runs the job and has said nothing for so long."""
    return and_(Job.state == JobState.RUNNING, Job.heartbeat_at < func.clock_timestamp() - timedelta(seconds=seconds))


_IS_TAKEN = or_(
    Job.state == JobState.RUNNING,
    and_(
        Job.state == JobState.QUEUED,
        text("NOT EXISTS (SELECT FROM procrastinate_jobs WHERE status = 'todo' AND args->>'job_id' = job.id::text)"),
    ),
)
"""A worker runs the job, or has just taken it from the queue. If nobody holds its lock, that worker has died, or could not
reach the database."""

_DO_OTHERS_WAIT = text(
    "SELECT EXISTS (SELECT FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = :queue AND priority > :priority "
    "AND (scheduled_at IS NULL OR scheduled_at <= now()))"
)

_FORGET_ENTRY = text("DELETE FROM procrastinate_jobs WHERE status = 'doing' AND args->>'job_id' = :job_id")
"""It would count as one of the slots that the account holds."""

_WITHDRAW_ENTRY = text("DELETE FROM procrastinate_jobs WHERE status = 'todo' AND args->>'job_id' = :job_id")

_FORGET_ABANDONED = text(
    "DELETE FROM procrastinate_jobs WHERE status = 'doing' AND worker_id IS NULL AND NOT EXISTS "
    "(SELECT FROM job WHERE job.id::text = args->>'job_id' AND state IN ('queued', 'running'))"
)
"""Entries of the queue that a killed worker had taken, once another worker has ended their jobs."""

_FOLLOW_CLOCK = text(
    "UPDATE procrastinate_jobs SET scheduled_at = now() + (scheduled_at - created_at) FROM job WHERE job.id::text = args->>'job_id' "
    "AND status = 'todo' AND scheduled_at > created_at AND created_at - now() > scheduled_at - created_at"
)
"""Restart the delay of a job if the clock has been set back by more than that. A delay of a minute would otherwise last until
the clock has caught up."""


async def _end(tasks: Collection[asyncio.Task[None]]) -> None:
    """Cancel the tasks until they have ended. In Python 3.11, `asyncio.wait_for` loses a cancellation that comes together with its
    result; the connection pool uses it."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=_CANCEL_AGAIN_S)


async def get(session: AsyncSession, job_id: UUID) -> JobRead:
    """The job with this id. Callers check that the actor owns it. Raises NotFound."""
    job = await session.get(Job, job_id, populate_existing=True)
    if job is None:
        raise NotFound(t("The job"))
    return JobRead.model_validate(job)


async def get_own(session: AsyncSession, job_id: UUID, owner_id: UUID, *, kind: str) -> JobRead:
    """The owner's job of this kind. Raises NotFound."""
    query = select(Job).where(Job.id == job_id, Job.owner_id == owner_id, Job.kind == kind)
    job = await session.scalar(query.execution_options(populate_existing=True))
    if job is None:
        raise NotFound(t("The job"))
    return JobRead.model_validate(job)


_IS_UNDERWAY = Job.state.in_((JobState.QUEUED, JobState.RUNNING))


async def list_recent(session: AsyncSession, owner_id: UUID, *, kind: str | None = None, limit: int = 20) -> list[JobRead]:
    query = select(Job).where(Job.owner_id == owner_id).order_by(Job.created_at.desc()).limit(limit)
    if kind:
        query = query.where(Job.kind == kind)
    return [JobRead.model_validate(job) for job in await session.scalars(query)]


async def list_underway(session: AsyncSession, owner_id: UUID, *, limit: int, hidden: Collection[UUID] = ()) -> list[JobRead]:
    """The owner's jobs that wait or run, newest first, except those about the `hidden` subjects."""
    query = select(Job).where(Job.owner_id == owner_id, _IS_UNDERWAY).order_by(Job.created_at.desc()).limit(limit)
    if hidden:
        query = query.where(or_(Job.subject_id.is_(None), Job.subject_id.not_in(hidden)))
    return [JobRead.model_validate(job) for job in await session.scalars(query)]


async def find_waiting(session: AsyncSession, owner_id: UUID, *, kind: str, payload: JobPayload | None = None) -> JobRead | None:
    """The owner's job of this kind, with this payload if it is given, that has not started. It does not start before the transaction ends.

    Other callers wait here until then, so that two that find none do not both add one.
    """
    await acquire_lock(session, f"{kind}:{owner_id}")
    query = select(Job).where(Job.owner_id == owner_id, Job.kind == kind, Job.state == JobState.QUEUED)
    query = query.where(Job.started_at.is_(None))  # a resumed one continues from its checkpoint
    if payload is not None:
        query = query.where(Job.payload == payload.model_dump(mode="json"))
    job = await session.scalar(query.order_by(Job.created_at).limit(1).with_for_update())
    return JobRead.model_validate(job) if job else None


async def count_underway(session: AsyncSession, owner_id: UUID, *, kind: str) -> int:
    """The number of the owner's waiting and running jobs of a kind."""
    count = select(func.count()).select_from(Job).where(Job.owner_id == owner_id, Job.kind == kind, _IS_UNDERWAY)
    return await session.scalar(count) or 0


async def owners_underway(session: AsyncSession, *kinds: str) -> Collection[UUID | None]:
    """The owners of waiting and running jobs of these kinds; None owns those of the installation."""
    return (await session.scalars(select(Job.owner_id).where(Job.kind.in_(kinds), _IS_UNDERWAY).distinct())).all()


async def _count_others(session: AsyncSession, job: Job) -> int:
    """The number of other jobs of the same account that wait or run."""
    count = select(func.count()).select_from(Job).where(Job.account_id == job.account_id, Job.id != job.id, _IS_UNDERWAY)
    return await session.scalar(count) or 0


async def is_followed(session: AsyncSession, job_id: UUID) -> bool:
    """Whether a job of the same kind and owner waits, or started after this one and therefore works on newer data."""
    this, other = aliased(Job), aliased(Job)
    begins_later = or_(other.started_at.is_(None), other.started_at > this.started_at)
    is_underway = other.state.in_((JobState.QUEUED, JobState.RUNNING))
    same = and_(other.kind == this.kind, other.owner_id.is_not_distinct_from(this.owner_id), other.id != this.id)
    found = select(other.id).join(this, same).where(this.id == job_id, is_underway, begins_later)
    return await session.scalar(found.limit(1)) is not None


async def cancel(session: AsyncSession, job_id: UUID, *, owner_id: UUID | None) -> JobRead:
    """Cancel a job at its next step. One that waits, or whose process does not respond, ends immediately. Raises NotFound or Conflict."""
    is_it = and_(Job.id == job_id, Job.owner_id.is_not_distinct_from(owner_id))
    is_stalled = await session.scalar(select(Job.id).where(is_it, _is_stalled(STALLED_S))) is not None
    if is_stalled:
        await end_transactions(session, job_id)  # one of them may have locked the row
    job = await session.scalar(select(Job).where(is_it).with_for_update().execution_options(populate_existing=True))
    if job is None:
        raise NotFound(t("The job"))
    if JobState(job.state).is_over:
        raise Conflict(t("The job has already ended."))
    job.cancel_requested = True
    if job.state == JobState.QUEUED or is_stalled:
        job.state, job.ended_at, job.lease = JobState.CANCELED, now(), job.lease + 1
    await _announce(session, job)
    if is_stalled:  # last: until then, its lock keeps others from taking the job
        await end_connections(session, job_id)
    return JobRead.model_validate(job)


async def withdraw(session: AsyncSession, payload: JobPayload) -> None:
    """Delete the installation's jobs with this payload that have not started."""
    same = and_(Job.kind == payload.job_kind, Job.owner_id.is_(None), Job.payload == payload.model_dump(mode="json"))
    deleted = await session.scalars(delete(Job).where(same, Job.state == JobState.QUEUED).returning(Job.id))
    for job_id in deleted:
        await session.execute(_WITHDRAW_ENTRY, {"job_id": str(job_id)})


async def withhold(session: AsyncSession, subject_id: UUID, *, title: Message) -> None:
    """Rename the jobs about a subject whose own title is withheld from now on."""
    await session.execute(update(Job).where(Job.subject_id == subject_id).values({Job.title: title, Job.message: ""}))


async def forget(session: AsyncSession, owner_id: UUID) -> None:
    """Delete all jobs of a workspace or account that is being deleted; a running one stops at its next step."""
    await session.execute(delete(Job).where(Job.owner_id == owner_id))


async def forget_old(session: AsyncSession, *, before: datetime, limit: int) -> int:
    """Delete some of the installation's own jobs that ended before, and return how many: each email is one."""
    old = select(Job.id).where(Job.owner_id.is_(None), Job.ended_at < before).limit(limit).with_for_update(skip_locked=True)
    return len((await session.scalars(delete(Job).where(Job.id.in_(old)).returning(Job.id))).all())


def job_topic(job_id: UUID) -> str:
    return f"job:{job_id}"


def jobs_topic(owner_id: UUID | None) -> str:
    """The live topic of all jobs of this owner, or of the installation's own jobs for None."""
    return f"jobs:{owner_id or ''}"


async def _announce(session: AsyncSession, job: Job) -> None:
    await session.flush()
    await live.publish(session, job_topic(job.id), JobProgress(done=job.done, total=job.total))
    await live.publish(session, jobs_topic(job.owner_id), ChangedJob(id=str(job.id)))
    await live.publish(session, ALL_JOBS_TOPIC)

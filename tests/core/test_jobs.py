"""Jobs: progress, cancellation, failures, and resuming after a process died."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, ClassVar
from uuid import UUID, uuid4

import psycopg
import pytest
from procrastinate import App
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.json import Jsonb
from sqlalchemy import text, update
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs

from fundwright.core import job_entries, job_leases, jobs
from fundwright.core.database import Database, now
from fundwright.core.errors import Conflict, DatabaseAway, Invalid, NotFound
from fundwright.core.job_leases import Fenced, job_lock
from fundwright.core.jobs import Job, JobHandler, JobPayload, JobQueue, JobRead, JobRun, JobState, Lane, no_actor
from fundwright.core.messages import from_stored, nlater, t, using_language
from tests.support.databases import as_superuser
from tests.support.jobs import Trial, ended, read, trial, working
from tests.support.polling import eventually

OWNER = uuid4()


@pytest.fixture
async def queue(database_url: str) -> AsyncIterator[JobQueue]:
    database = Database(database_url)
    queue = JobQueue(database)
    async with queue.opened():
        yield queue
    await database.close()


async def add(queue: JobQueue, number: int = 0, *, owner_id: UUID = OWNER) -> UUID:
    async with queue.database.transaction() as session:
        return (await queue.enqueue(session, Trial(number=number), title="Test", owner_id=owner_id)).id


async def add_orphan(queue: JobQueue, **values: Any) -> UUID:
    """Add a job that looks as if its process had died."""
    orphan = Job(kind=Trial.job_kind, title="Test", owner_id=OWNER, payload={}, state=JobState.RUNNING, **values)
    async with queue.database.transaction() as session:
        session.add(orphan)
    return orphan.id


@asynccontextmanager
async def out_of_reach(url: str) -> AsyncIterator[None]:
    """Break all connections to the database and refuse new ones."""
    name = str(conninfo_to_dict(url)["dbname"])
    alter = sql.SQL("ALTER DATABASE {name} ALLOW_CONNECTIONS {is_open}")
    with psycopg.connect(as_superuser(url).replace(f"/{name}?", "/postgres?"), autocommit=True) as connection:
        connection.execute(alter.format(name=sql.Identifier(name), is_open=sql.Literal(False)))
        connection.execute("SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE datname = %s", [name])
        try:
            yield
        finally:
            connection.execute(alter.format(name=sql.Identifier(name), is_open=sql.Literal(True)))


class ShortTrial(JobPayload):
    job_kind: ClassVar[str] = "short trial"


class BackgroundTrial(JobPayload):
    job_kind: ClassVar[str] = "background trial"


class TestTitle:
    async def test_is_read_in_the_language_of_the_reader(self, queue: JobQueue) -> None:
        queue.register(trial(_nothing))
        async with queue.database.transaction() as session:
            title = nlater("Train {n} document", "Train {n} documents", 2)
            added = await queue.enqueue(session, Trial(), title=title, owner_id=OWNER)
            plain = await queue.enqueue(session, Trial(), title="My\x1ffile.csv", owner_id=OWNER)
        assert added.title == (await read(queue, added.id)).title == "Train 2 documents"
        with using_language("de"):
            assert (await read(queue, added.id)).title == "2 Dokumente trainieren"
            assert (await read(queue, plain.id)).title == "My file.csv"


async def _nothing(_run: JobRun[Trial, None]) -> None: ...


async def _add_short(*queues: JobQueue) -> UUID:
    """Add a job of another lane, so that its end tells that workers have looked for jobs."""
    for queue in queues:
        queue.register(JobHandler(ShortTrial, _nothing, no_actor, lane=Lane.SHORT))
    async with queues[0].database.transaction() as session:
        return (await queues[0].enqueue(session, ShortTrial(), title="Short", owner_id=None)).id


class TestEnqueue:
    async def test_runs_with_its_payload_and_keeps_the_result(self, queue: JobQueue) -> None:
        async def double(run: JobRun[Trial, None]) -> dict[str, Any]:
            await run.progress(1, 1, "numbers")
            return {"doubled": run.payload.number * 2}

        queue.register(trial(double))
        async with working(queue):
            job = await ended(queue, await add(queue, number=21))
        assert (job.state, job.result, job.done, job.total) == (JobState.SUCCEEDED, {"doubled": 42}, 1, 1)

    @pytest.mark.security(53)
    @pytest.mark.parametrize("lane", [Lane.LONG, Lane.WATCHED])
    async def test_accounts_that_hold_their_share_leave_a_slot_to_another(self, queue: JobQueue, lane: Lane) -> None:
        """Documents and imports are long jobs, and drafts are watched ones. There are more than twice as many slots as a share."""
        running, may_end = list[UUID | None](), asyncio.Event()

        async def wait(run: JobRun[Trial, None]) -> None:
            running.append(run.owner_id)
            if run.payload.number:
                await may_end.wait()

        queue.register(replace(trial(wait), lane=lane))
        hostile = [uuid4(), uuid4()]
        added = [await add(queue, number, owner_id=account) for account in hostile for number in range(1, 5)]
        async with working(queue, concurrency=2):
            await eventually(lambda: len(running) == 4)
            assert (await ended(queue, await add(queue))).state == JobState.SUCCEEDED
            assert sorted(map(str, running)) == sorted(map(str, [*hostile, *hostile, OWNER]))
            may_end.set()
            for job_id in added:
                await ended(queue, job_id)

    async def test_two_workers_together_keep_to_the_share(self, queue: JobQueue, database_url: str) -> None:
        running, may_end = list[UUID](), asyncio.Event()

        async def wait(run: JobRun[Trial, None]) -> None:
            running.append(run.id)
            await may_end.wait()

        other = JobQueue(queue.database)
        async with other.opened():
            for each in (queue, other):
                each.register(trial(wait))
            added = [await add(queue, number) for number in range(4)]
            async with working(queue, concurrency=1), working(other, concurrency=1):
                await ended(queue, await _add_short(queue, other))
                assert len(running) == 1
                may_end.set()
                for job_id in added:
                    await ended(queue, job_id)

    @pytest.mark.security(53)
    async def test_when_all_slots_are_in_use_accounts_take_turns(self, queue: JobQueue) -> None:
        order, running, may_end = list[UUID | None](), 0, asyncio.Semaphore(0)

        async def wait(run: JobRun[Trial, None]) -> None:
            nonlocal running
            order.append(run.owner_id)
            running += 1
            await may_end.acquire()

        queue.register(trial(wait))
        accounts = [uuid4() for _ in range(4)]
        added = [await add(queue, owner_id=account) for account in accounts for _ in range(3)]
        async with working(queue, concurrency=1):
            await eventually(lambda: running == 4)
            added.append(await add(queue))
            may_end.release()
            await eventually(lambda: running == 5)
            assert order[-1] == OWNER
            for _ in added:
                may_end.release()
            for job_id in added:
                await ended(queue, job_id)

    @pytest.mark.parametrize("lane", [Lane.SHORT, Lane.WATCHED])
    async def test_short_and_watched_ones_do_not_wait_for_long_ones(self, queue: JobQueue, lane: Lane) -> None:
        running, may_end = list[UUID](), asyncio.Event()

        async def wait(run: JobRun[Trial, None]) -> None:
            running.append(run.id)
            await may_end.wait()

        async def nothing(_run: JobRun[ShortTrial, None]) -> None: ...

        queue.register(trial(wait))
        queue.register(JobHandler(ShortTrial, nothing, no_actor, lane=lane))
        added = [await add(queue, number) for number in range(4)]
        async with working(queue):
            await eventually(lambda: len(running) == 2)
            async with queue.database.transaction() as session:
                short = await queue.enqueue(session, ShortTrial(), title="Short", owner_id=None)
            assert (await ended(queue, short.id)).state == JobState.SUCCEEDED
            assert len(running) == 2
            may_end.set()
            for job_id in added:
                await ended(queue, job_id)

    async def test_a_background_job_gives_way_and_continues(self, queue: JobQueue) -> None:
        order, has_begun, may_end, filled = list[str](), asyncio.Event(), asyncio.Event(), asyncio.Semaphore(0)
        may_pause = asyncio.Event()

        async def note(run: JobRun[Trial, None]) -> None:
            if run.payload.number:
                filled.release()
                await may_end.wait()
            else:
                order.append("other")

        async def pause_if_others_wait(run: JobRun[BackgroundTrial, None]) -> dict[str, Any]:
            order.append(f"background {run.checkpoint.get('next', 0)}")
            async with run.transaction() as session:
                await run.save_checkpoint(session, {"next": 1})
            await run.progress(1, 2, "steps")
            has_begun.set()
            await may_pause.wait()
            await run.pause_if_others_wait()
            return {"steps": 2}

        queue.register(trial(note))
        queue.register(JobHandler(BackgroundTrial, pause_if_others_wait, no_actor, is_background=True))
        async with queue.database.transaction() as session:
            background = await queue.enqueue(session, BackgroundTrial(), title="Background", owner_id=None)
        async with working(queue, concurrency=1):
            await has_begun.wait()
            for _ in range(3):  # all other slots
                await add(queue, 1, owner_id=uuid4())
                await filled.acquire()
            other = await add(queue)
            may_pause.set()
            await ended(queue, other)
            assert (await read(queue, background.id)).done == 1
            done = await ended(queue, background.id)
            may_end.set()
        assert order == ["background 0", "other", "background 1"]
        assert (done.state, done.result, done.done) == (JobState.SUCCEEDED, {"steps": 2}, 2)

    async def test_nothing_starts_when_the_transaction_is_rolled_back(self, queue: JobQueue) -> None:
        ran: list[UUID] = []

        async def note(run: JobRun[Trial, None]) -> None:
            ran.append(run.id)

        queue.register(trial(note))
        with suppress(RuntimeError):
            async with queue.database.transaction() as session:
                await queue.enqueue(session, Trial(), title="Lost", owner_id=OWNER)
                raise RuntimeError
        async with working(queue):
            kept = await add(queue)
            await ended(queue, kept)
        assert ran == [kept]

    async def test_an_unknown_kind_is_a_programming_error(self, queue: JobQueue) -> None:
        with pytest.raises(KeyError, match="no handler is registered for job kind 'trial'"):
            await add(queue)


class TestVersions:
    async def test_a_job_of_a_higher_version_or_an_unknown_kind_waits_for_another_process(
        self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)

        class NewerTrial(Trial):
            version = 2

        newer = JobQueue(queue.database)
        async with newer.opened():
            newer.register(JobHandler(NewerTrial, _nothing, no_actor))
            newer.register(JobHandler(ShortTrial, _nothing, no_actor))
            queue.register(trial(_nothing))
            async with queue.database.transaction() as session:
                left = [
                    (await newer.enqueue(session, payload, title="Test", owner_id=OWNER)).id
                    for payload in (NewerTrial(), ShortTrial())
                ]
            own = await add(queue)
            with capture_logs() as logs:
                async with working(queue, concurrency=1):
                    assert (await ended(queue, own)).state == JobState.SUCCEEDED
                    await eventually(lambda: len([entry for entry in logs if entry["event"] == "job.left"]) == 2)
                    assert [(await read(queue, job_id)).state for job_id in left] == [JobState.QUEUED] * 2
            async with queue.database.transaction() as session:
                await jobs.cancel(session, left[1], owner_id=OWNER)
            older = await add(queue)
            async with working(newer):
                for job_id in (left[0], older):
                    assert (await ended(queue, job_id)).state == JobState.SUCCEEDED


class TestLanguage:
    async def test_the_reason_of_a_failure_is_in_the_language_of_its_reader(self, queue: JobQueue) -> None:
        async def refuse(run: JobRun[Trial, None]) -> None:
            raise NotFound(t("The draft"))

        queue.register(trial(refuse))
        async with working(queue):
            with using_language("fr"):
                french = await add(queue)
            assert ((await ended(queue, french)).error or "").startswith("The draft was not found")
        with using_language("fr"):
            assert ((await read(queue, french)).error or "").startswith("Le brouillon est introuvable")
        with using_language("de"):
            assert ((await read(queue, french)).error or "").startswith("Der Entwurf wurde nicht gefunden")


@pytest.fixture
def reporting_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_PROGRESS_INTERVAL_S", 0)


async def test_whoever_waits_is_told_in_the_transaction_that_ends_a_job(queue: JobQueue) -> None:
    told: list[tuple[int, JobState]] = []

    async def succeed_or_fail(run: JobRun[Trial, None]) -> None:
        if run.payload.number:
            raise Invalid("No.")

    async def tell(session: AsyncSession, payload: Trial, job: JobRead) -> None:
        told.append((payload.number, job.state))
        assert (await jobs.get(session, job.id)).ended_at is not None

    queue.register(JobHandler(Trial, succeed_or_fail, no_actor, on_end=tell))
    await queue.run_inline(Trial(), title="Test", owner_id=OWNER)
    with pytest.raises(Invalid):
        await queue.run_inline(Trial(number=1), title="Test", owner_id=OWNER)
    assert told == [(0, JobState.SUCCEEDED), (1, JobState.FAILED)]


class TestFailure:
    async def test_an_expected_refusal_keeps_its_message(self, queue: JobQueue) -> None:
        async def refuse(_run: JobRun[Trial, None]) -> None:
            raise Invalid("The file is empty. Choose another one.")

        queue.register(trial(refuse))
        async with working(queue):
            job = await ended(queue, await add(queue))
        assert (job.state, job.error) == (JobState.FAILED, "The file is empty. Choose another one.")

    async def test_an_unexpected_error_shows_no_detail(self, queue: JobQueue) -> None:
        async def crash(_run: JobRun[Trial, None]) -> None:
            raise RuntimeError("secret detail")

        queue.register(trial(crash))
        async with working(queue):
            job = await ended(queue, await add(queue))
        assert job.error is not None and from_stored(job.error) == "Something went wrong" and "secret" not in job.error

    async def test_a_job_of_a_package_that_was_removed_fails_after_a_day(
        self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        job_id = await add_orphan(queue, created_at=now() - timedelta(hours=25))
        async with working(queue):
            job = await ended(queue, job_id)
        assert (job.state, job.error) == (
            JobState.FAILED,
            "The package that runs these jobs is not installed. Ask your administrator to install it, then start the job again.",
        )

    async def test_inline_raises_what_the_job_raised(self, queue: JobQueue) -> None:
        async def refuse(_run: JobRun[Trial, None]) -> None:
            raise Invalid("No.")

        queue.register(trial(refuse))
        with pytest.raises(Invalid):
            await queue.run_inline(Trial(), title="Test", owner_id=OWNER)

    @pytest.mark.usefixtures("reporting_each_step")
    async def test_a_caller_that_stops_waiting_cancels_the_job_at_its_next_step(self, queue: JobQueue) -> None:
        runs: list[JobRun[Trial, None]] = []

        async def endless(run: JobRun[Trial, None]) -> None:
            runs.append(run)
            for step in range(1_000_000):
                await run.progress(step)

        queue.register(trial(endless))
        waiting = asyncio.create_task(queue.run_inline(Trial(), title="Test", owner_id=OWNER))
        await eventually(lambda: runs)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await read(queue, runs[0].id)).state == JobState.CANCELED

    @pytest.mark.usefixtures("reporting_each_step")
    async def test_a_worker_resumes_the_job_of_a_process_that_was_told_to_end(
        self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        runs: list[JobRun[Trial, None]] = []

        async def endless_at_first(run: JobRun[Trial, None]) -> None:
            runs.append(run)
            while len(runs) == 1:
                await run.progress(0)

        queue.register(trial(endless_at_first))
        before = asyncio.all_tasks()
        waiting = asyncio.create_task(queue.run_inline(Trial(), title="Test", owner_id=OWNER))
        await eventually(lambda: runs)
        for task in asyncio.all_tasks() - before:  # as asyncio.run does for SIGTERM
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        async with working(queue):
            job = await ended(queue, runs[0].id)
        assert (job.state, job.cancel_requested, len(runs)) == (JobState.SUCCEEDED, False, 2)

    @pytest.mark.usefixtures("reporting_each_step")
    async def test_a_waiting_caller_learns_that_another_user_canceled_it(self, queue: JobQueue) -> None:
        async def stopped_at_once(run: JobRun[Trial, None]) -> None:
            async with queue.database.transaction() as session:
                await jobs.cancel(session, run.id, owner_id=OWNER)
            for step in range(1_000_000):
                await run.progress(step)

        queue.register(trial(stopped_at_once))
        with pytest.raises(Conflict, match="was canceled on its page"):
            await queue.run_inline(Trial(), title="Test", owner_id=OWNER)


class TestRights:
    @pytest.mark.usefixtures("reporting_each_step")
    async def test_a_job_without_checkpoints_ends_at_the_next_report_of_its_progress(self, queue: JobQueue) -> None:
        is_demoted = False

        async def load_actor(_session: AsyncSession, _account_id: UUID | None, _owner_id: UUID | None) -> None:
            if is_demoted:
                raise Invalid("You no longer have permission to do this.")

        async def endless(run: JobRun[Trial, None]) -> None:
            nonlocal is_demoted
            for step in range(1_000_000):
                await run.progress(step)
                is_demoted = True

        queue.register(trial(endless, load_actor=load_actor))
        async with working(queue):
            job = await ended(queue, await add(queue))
        assert (job.state, job.done) == (JobState.FAILED, 0)
        assert job.error == "You no longer have permission to do this."


class TestCancel:
    @pytest.mark.usefixtures("reporting_each_step")
    async def test_a_running_job_stops_at_its_next_step(self, queue: JobQueue) -> None:
        started = asyncio.Event()

        async def endless(run: JobRun[Trial, None]) -> None:
            for step in range(1_000_000):
                await run.progress(step)
                started.set()

        queue.register(trial(endless))
        async with working(queue):
            job_id = await add(queue)
            await started.wait()
            async with queue.database.transaction() as session:
                await jobs.cancel(session, job_id, owner_id=OWNER)
            assert (await ended(queue, job_id)).state == JobState.CANCELED

    async def test_a_waiting_job_never_starts(self, queue: JobQueue) -> None:
        async def never(_run: JobRun[Trial, None]) -> None:
            raise AssertionError

        queue.register(trial(never))
        job_id = await add(queue)
        async with queue.database.transaction() as session:
            assert (await jobs.cancel(session, job_id, owner_id=OWNER)).state == JobState.CANCELED
        async with queue.database.transaction() as session:
            with pytest.raises(Conflict):
                await jobs.cancel(session, job_id, owner_id=OWNER)

    async def test_another_users_job_is_not_found(self, queue: JobQueue) -> None:
        async def nothing(_run: JobRun[Trial, None]) -> None: ...

        queue.register(trial(nothing))
        job_id = await add(queue)
        async with queue.database.transaction() as session:
            with pytest.raises(NotFound):
                await jobs.cancel(session, job_id, owner_id=uuid4())


async def test_a_worker_that_has_failed_starts_again(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(_run: JobRun[Trial, None]) -> None: ...

    async def fail(_app: App, **_options: object) -> None:
        monkeypatch.undo()
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(jobs, "_RECONNECT_INTERVAL_S", 0)
    monkeypatch.setattr(App, "run_worker_async", fail)
    queue.register(trial(nothing))
    with capture_logs() as logs:
        async with working(queue):
            assert (await ended(queue, await add(queue))).state == JobState.SUCCEEDED
    assert "jobs.worker_failed" in [line["event"] for line in logs]


async def test_a_worker_ends_though_a_cancellation_was_lost(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = asyncio.Event()
    running = asyncio.Event()

    async def lose_the_first(_app: App, **_settings: object) -> None:
        with suppress(asyncio.CancelledError):
            running.set()
            await asyncio.Event().wait()
        lost.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(jobs, "_CANCEL_AGAIN_S", 0.01)
    monkeypatch.setattr(App, "run_worker_async", lose_the_first)
    worker = asyncio.create_task(queue.run_worker(concurrency=1))
    async with asyncio.timeout(30):
        await running.wait()
    worker.cancel()
    done, _ = await asyncio.wait([worker], timeout=10)
    assert lost.is_set()
    assert done


class TestLostConnection:
    @pytest.mark.slow
    async def test_the_worker_continues_when_the_server_is_there_again(self, queue: JobQueue, database_url: str) -> None:
        async def nothing(_run: JobRun[Trial, None]) -> None: ...

        queue.register(trial(nothing))
        async with working(queue):
            await ended(queue, await add(queue))
            with capture_logs() as logs:
                async with out_of_reach(database_url):
                    with pytest.raises(DatabaseAway):
                        await add(queue)
                    await eventually(lambda: "jobs.disconnected" in [line["event"] for line in logs])
            assert (await ended(queue, await add(queue))).state == JobState.SUCCEEDED

    async def test_a_job_whose_connection_broke_continues_instead_of_failing(
        self, queue: JobQueue, database_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        runs: list[UUID] = []
        is_back = asyncio.Event()

        async def write(run: JobRun[Trial, None]) -> None:
            runs.append(run.id)
            async with run.transaction() as session:
                if len(runs) == 1:
                    await session.execute(text("SELECT 1"))
                    await shielded(is_back.wait())  # like a step that cannot be canceled
                await session.execute(text("SELECT 1"))

        queue.register(trial(write))
        async with working(queue):
            job_id = await add(queue)
            await eventually(lambda: runs)
            async with out_of_reach(database_url):
                pass
            is_back.set()
            job = await ended(queue, job_id)
        assert (job.state, job.error, len(runs)) == (JobState.SUCCEEDED, None, 2)


async def shielded(work: Coroutine[Any, Any, Any]) -> None:
    """Wait for `work` to finish, even if canceled."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.shield(task)


class TestResume:
    async def test_a_job_that_a_worker_took_and_did_not_start_is_done_by_another(
        self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        queue.register(trial(_nothing))
        taken, failed = await add(queue), await add(queue)
        async with queue.database.transaction() as session:
            # Like a worker that is killed before it starts the job, and one that cannot reach the database at that moment.
            doing = text("UPDATE procrastinate_jobs SET status = 'doing' WHERE args->>'job_id' = :job_id")
            await session.execute(doing, {"job_id": str(taken)})
            gone = text("DELETE FROM procrastinate_jobs WHERE args->>'job_id' = :job_id")
            await session.execute(gone, {"job_id": str(failed)})
        async with working(queue):
            for job_id in (taken, failed):
                assert (await ended(queue, job_id)).state == JobState.SUCCEEDED

    async def test_a_job_that_is_to_start_later_is_left_alone(self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        queue.register(trial(_nothing))
        async with queue.database.transaction() as session:
            later = await queue.enqueue(session, Trial(), title="Test", owner_id=OWNER, delay_s=3_600)
        async with working(queue):
            for _ in range(2):  # once the second is found, the query that found the first is over
                assert (await ended(queue, await add_orphan(queue))).state == JobState.SUCCEEDED
            assert (await read(queue, later.id)).state == JobState.QUEUED

    @pytest.mark.slow
    async def test_a_delay_does_not_grow_when_the_clock_is_set_back(
        self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        queue.register(trial(_nothing))
        async with queue.database.transaction() as session:
            soon = await queue.enqueue(session, Trial(), title="Test", owner_id=OWNER, delay_s=1)
            later = await queue.enqueue(session, Trial(), title="Test", owner_id=OWNER, delay_s=100_000)
        async with queue.database.transaction() as session:  # as if all of this had happened before the clock was set back
            await session.execute(text("UPDATE job SET created_at = created_at + interval '10 hours'"))
            await session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = scheduled_at + interval '10 hours'"))
        async with working(queue):
            assert (await ended(queue, soon.id)).state == JobState.SUCCEEDED
            assert (await read(queue, later.id)).state == JobState.QUEUED

    async def test_a_job_that_was_let_go_can_be_taken_at_once(self, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """The server notices a closed connection later: in this case, only after the test."""
        job_id, open_still = uuid4(), list[psycopg.AsyncConnection]()

        async def later(connection: psycopg.AsyncConnection) -> None:
            open_still.append(connection)

        with monkeypatch.context() as patched:
            patched.setattr(psycopg.AsyncConnection, "close", later)
            for _ in range(2):
                async with job_lock(database_url, job_id) as is_mine:
                    assert is_mine
        for connection in open_still:
            await connection.close()

    async def test_a_job_whose_process_died_continues_from_its_checkpoint(self, queue: JobQueue) -> None:
        resumed_from: list[int] = []

        async def count(run: JobRun[Trial, None]) -> dict[str, Any]:
            resumed_from.append(run.checkpoint.get("at", 0))
            return {}

        queue.register(trial(count))
        orphan = await add_orphan(queue, checkpoint={"at": 7})
        async with working(queue):
            assert (await ended(queue, orphan)).state == JobState.SUCCEEDED
        assert resumed_from == [7]

    async def test_a_job_that_ended_five_processes_in_a_row_is_given_up(self, queue: JobQueue) -> None:
        runs: list[UUID] = []

        async def run(run: JobRun[Trial, None]) -> None:
            runs.append(run.id)

        queue.register(trial(run))
        suspected, guilty = await add_orphan(queue, attempts=4), await add_orphan(queue, attempts=5)
        async with working(queue):
            assert (await ended(queue, suspected)).state == JobState.SUCCEEDED
            given_up = await ended(queue, guilty)
        assert (given_up.state, runs) == (JobState.FAILED, [suspected])
        assert given_up.error
        assert given_up.error.startswith("The process that ran this job ended unexpectedly 5 times.")

    async def test_attempts_are_counted_from_the_last_checkpoint(self, queue: JobQueue) -> None:
        attempts: list[int] = []

        async def save(run: JobRun[Trial, None]) -> None:
            for _ in range(2):
                async with run.transaction() as session:
                    job = await session.get(Job, run.id)
                    assert job
                    attempts.append(job.attempts)
                    await run.save_checkpoint(session, {"at": 1})

        queue.register(trial(save))
        orphan = await add_orphan(queue, attempts=1)
        async with working(queue):
            assert (await ended(queue, orphan)).state == JobState.SUCCEEDED
        assert attempts == [2, 1]

    async def test_a_worker_that_is_stopped_in_an_orderly_way_does_not_count(
        self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        runs: list[UUID] = []

        async def wait_thrice(run: JobRun[Trial, None]) -> None:
            runs.append(run.id)
            if len(runs) <= 3:
                await asyncio.Event().wait()

        queue.register(trial(wait_thrice))
        job_id = await add(queue)
        for number in range(1, 4):
            async with working(queue):
                await eventually(lambda number=number: len(runs) == number)
        async with working(queue):
            assert (await ended(queue, job_id)).state == JobState.SUCCEEDED
        assert len(runs) == 4

    async def test_a_lost_connection_does_not_count(self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        runs = 0

        async def wait_thrice(_run: JobRun[Trial, None]) -> None:
            nonlocal runs
            runs += 1
            if runs <= 3:
                await asyncio.Event().wait()

        queue.register(trial(wait_thrice))
        async with working(queue):
            job_id = await add(queue)
            for number in range(1, 4):
                await eventually(lambda number=number: runs == number)
                async with queue.database.transaction() as session:
                    await session.execute(
                        text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1")
                    )
            assert (await ended(queue, job_id)).state == JobState.SUCCEEDED
        assert runs == 4

    async def test_the_queue_forgets_what_a_killed_worker_had_taken(
        self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def is_empty() -> bool:
            async with queue.database.transaction() as session:
                return not await session.scalar(text("SELECT count(*) FROM procrastinate_jobs"))

        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        queue.register(trial(_nothing))
        job_id = await add(queue)
        async with queue.database.transaction() as session:
            await session.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
        async with working(queue):
            assert (await ended(queue, job_id)).state == JobState.SUCCEEDED
            await eventually(is_empty)

    async def test_a_job_that_is_really_running_is_left_alone(self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        runs: list[UUID] = []
        finish = asyncio.Event()

        async def wait(run: JobRun[Trial, None]) -> None:
            if run.payload.number:
                runs.append(run.id)
                await finish.wait()

        queue.register(trial(wait))
        inline = asyncio.create_task(queue.run_inline(Trial(number=1), title="Test", owner_id=OWNER))
        await eventually(lambda: runs)
        async with working(queue):
            for _ in range(2):  # once the second is found, the query that found the first is over
                assert (await ended(queue, await add_orphan(queue))).state == JobState.SUCCEEDED
            assert (await read(queue, runs[0])).state == JobState.RUNNING
        finish.set()
        assert (await inline).state == JobState.SUCCEEDED
        assert len(runs) == 1

    async def test_a_job_that_lost_its_lock_ends_before_another_run_of_it_starts(
        self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """For example, if the database restarts while the job waits for a language model."""
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        running, most_at_once, runs = 0, 0, 0

        async def wait_first(_run: JobRun[Trial, None]) -> None:
            nonlocal running, most_at_once, runs
            running, runs = running + 1, runs + 1
            most_at_once = max(most_at_once, running)
            try:
                if runs == 1:
                    await asyncio.Event().wait()
            finally:
                running -= 1

        queue.register(trial(wait_first))
        async with working(queue):
            job_id = await add(queue)
            await eventually(lambda: running)
            async with queue.database.transaction() as session:
                await session.execute(
                    text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1")
                )
            assert (await ended(queue, job_id)).state == JobState.SUCCEEDED
        assert (runs, most_at_once) == (2, 1)


async def test_a_worker_takes_jobs_of_one_lane_while_another_looks_through_those_of_another(queue: JobQueue) -> None:
    queue.register(trial(_nothing))
    await add(queue)
    async with queue.database.transaction() as session:
        worker_id = await session.scalar(text("INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id"))
    async with await psycopg.AsyncConnection.connect(queue.database.direct_url) as other:
        await other.execute(job_entries._LOCK, {"queues": [Lane.SHORT]})
        async with asyncio.timeout(10):
            assert await queue._entries.fetch_job([Lane.LONG], worker_id) is not None


@pytest.mark.security(53)
async def test_jobs_for_later_do_not_make_it_slower_to_choose_the_next_one(queue: JobQueue) -> None:
    queue.register(trial(_nothing))
    for _ in range(20):
        async with queue.database.transaction() as session:
            await queue.enqueue(session, Trial(), title="Later", owner_id=None, delay_s=3600)
    await add(queue)
    values = {"queues": [Lane.LONG], "worker_id": None, "versions": Jsonb({"trial": 1}), "share": 1, "background": -1_000}
    async with await psycopg.AsyncConnection.connect(queue.database.direct_url) as connection:
        plan = await (await connection.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + job_entries._TAKE, values)).fetchone()
    assert plan is not None
    (joined,) = [each for each in plan[0][0]["Plan"]["Plans"] if each.get("Subplan Name") == "CTE entry"]
    assert joined["Actual Rows"] == 1


class Stalled:
    """A run whose process says nothing anymore, but goes on, as one does that wakes up."""

    def __init__(self, queue: JobQueue) -> None:
        self.wakes_up, self.has_begun, self.is_over = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.runs = 0
        self.refused: list[type[Exception]] = []
        queue.register(trial(self._run))

    async def _run(self, run: JobRun[Trial, None]) -> dict[str, Any]:
        self.runs += 1
        if self.runs == 1:
            late = asyncio.create_task(self._write_late(run))
            await asyncio.shield(late)
        return {"by": self.runs}

    async def _write_late(self, run: JobRun[Trial, None]) -> None:
        async def begun_before() -> None:
            async with run.transaction() as session:
                await session.execute(update(Job).where(Job.id == run.id).values(title="Written late"))
                self.has_begun.set()
                await self.wakes_up.wait()

        async def save() -> None:
            async with run.transaction() as session:
                await run.save_checkpoint(session, {"at": 1})

        for write in (begun_before, save, lambda: run.progress(1, 1)):
            try:
                await write()
            except (DatabaseAway, Fenced) as error:
                self.refused.append(type(error))
        self.is_over.set()


class TestStall:
    @pytest.fixture(autouse=True)
    def _without_heartbeats(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(job_leases, "HEARTBEAT_S", 3_600)
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)

    async def test_another_worker_continues_and_the_first_may_write_no_more(
        self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "LEASE_S", 0.3)
        stalled = Stalled(queue)
        other = JobQueue(queue.database)
        async with other.opened():
            other.register(queue._handlers["trial"])
            job_id = await add(queue)
            async with working(queue):
                await stalled.has_begun.wait()
                async with working(other):
                    job = await ended(queue, job_id)
                    assert (job.state, job.result, job.title) == (JobState.SUCCEEDED, {"by": 2}, "Test")
                    stalled.wakes_up.set()
                    await stalled.is_over.wait()
        assert stalled.refused == [DatabaseAway, Fenced, Fenced]
        assert await read(queue, job_id) == job

    async def test_cancel_ends_it_at_once(self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "STALLED_S", 0)
        stalled = Stalled(queue)
        job_id = await add(queue)
        async with working(queue):
            await stalled.has_begun.wait()
            async with queue.database.transaction() as session:
                assert (await jobs.cancel(session, job_id, owner_id=OWNER)).state == JobState.CANCELED
            stalled.wakes_up.set()
            await stalled.is_over.wait()
            assert (await ended(queue, await add(queue))).state == JobState.SUCCEEDED, "the worker goes on"
        assert stalled.refused == [DatabaseAway, Fenced, Fenced]
        job = await read(queue, job_id)
        assert (job.state, job.title, job.result) == (JobState.CANCELED, "Test", None)

    async def test_a_process_that_has_woken_up_keeps_its_job(self, queue: JobQueue) -> None:
        runs, may_end = 0, asyncio.Event()

        async def wait(_run: JobRun[Trial, None]) -> None:
            nonlocal runs
            runs += 1
            await may_end.wait()

        queue.register(trial(wait))
        other = JobQueue(queue.database)
        async with working(queue):
            job_id = await add(queue)
            await eventually(lambda: runs)
            await other._fence(job_id)  # which has found it stalled a moment before
            may_end.set()
            assert (await ended(queue, job_id)).state == JobState.SUCCEEDED
        assert runs == 1

    @pytest.mark.slow
    async def test_a_job_that_says_it_runs_is_left_alone(self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(job_leases, "HEARTBEAT_S", 0.05)
        monkeypatch.setattr(jobs, "LEASE_S", 2)
        runs, may_end = 0, asyncio.Event()

        async def wait(_run: JobRun[Trial, None]) -> None:
            nonlocal runs
            runs += 1
            await may_end.wait()

        queue.register(trial(wait))
        other = JobQueue(queue.database)
        async with other.opened():
            other.register(queue._handlers["trial"])
            job_id = await add(queue)
            async with working(queue), working(other):
                await eventually(lambda: runs)
                await asyncio.sleep(4)
                may_end.set()
                assert (await ended(queue, job_id)).state == JobState.SUCCEEDED
        assert runs == 1

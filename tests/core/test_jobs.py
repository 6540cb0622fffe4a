"""Jobs: watched, cancelled, failed, and resumed after their process died."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from structlog.testing import capture_logs

from fundwright.core import jobs
from fundwright.core.database import Database
from fundwright.core.errors import Conflict, DatabaseAway, Invalid, NotFound
from fundwright.core.jobs import Job, JobQueue, JobRead, JobRun, JobState, _job_lock
from fundwright.core.messages import nlater, speaking, t
from tests.polling import eventually

OWNER = uuid4()


@pytest.fixture
async def queue(database_url: str) -> AsyncIterator[JobQueue]:
    database = Database(database_url)
    queue = JobQueue(database)
    async with queue.opened():
        yield queue
    await database.close()


@asynccontextmanager
async def working(queue: JobQueue) -> AsyncIterator[None]:
    worker = asyncio.create_task(queue.run_worker(concurrency=2))
    try:
        yield
    finally:
        worker.cancel()
        with suppress(asyncio.CancelledError):
            await worker


async def add(queue: JobQueue, kind: str, **payload: Any) -> UUID:
    async with queue.database.transaction() as session:
        return (await queue.enqueue(session, kind, title="Test", owner_id=OWNER, payload=payload)).id


async def add_orphan(queue: JobQueue, kind: str, **values: Any) -> UUID:
    """Add a job that looks as if its process had died."""
    orphan = Job(kind=kind, title="Test", owner_id=OWNER, payload={}, state=JobState.RUNNING, **values)
    async with queue.database.transaction() as session:
        session.add(orphan)
    return orphan.id


async def read(queue: JobQueue, job_id: UUID) -> JobRead:
    async with queue.database.transaction() as session:
        return await jobs.get(session, job_id)


async def ended(queue: JobQueue, job_id: UUID) -> JobRead:
    async def look() -> JobRead | None:
        job = await read(queue, job_id)
        return job if job.state.is_over else None

    return await eventually(look)


@asynccontextmanager
async def out_of_reach(url: str) -> AsyncIterator[None]:
    """Break every connection of the database, and let no new one in meanwhile."""
    name = str(conninfo_to_dict(url)["dbname"])
    with psycopg.connect(url.replace(f"/{name}?", "/postgres?"), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


class TestTitle:
    async def test_is_read_in_the_language_of_the_reader(self, queue: JobQueue) -> None:
        queue.register("count", _nothing)
        async with queue.database.transaction() as session:
            title = nlater("Train {n} document", "Train {n} documents", 2)
            added = await queue.enqueue(session, "count", title=title, owner_id=OWNER, payload={})
            plain = await queue.enqueue(session, "count", title="My\x1ffile.csv", owner_id=OWNER, payload={})
        assert added.title == (await read(queue, added.id)).title == "Train 2 documents"
        with speaking("de"):
            assert (await read(queue, added.id)).title == "2 Dokumente trainieren"
            assert (await read(queue, plain.id)).title == "My file.csv"


async def _nothing(_run: JobRun) -> None: ...


class TestEnqueue:
    async def test_runs_with_its_payload_and_keeps_the_result(self, queue: JobQueue) -> None:
        async def double(run: JobRun) -> dict[str, Any]:
            await run.progress(1, 1, "numbers")
            return {"doubled": run.payload["number"] * 2}

        queue.register("double", double)
        async with working(queue):
            job = await ended(queue, await add(queue, "double", number=21))
        assert (job.state, job.result, job.done, job.total) == (JobState.SUCCEEDED, {"doubled": 42}, 1, 1)

    async def test_nothing_starts_when_the_transaction_is_rolled_back(self, queue: JobQueue) -> None:
        ran: list[UUID] = []

        async def note(run: JobRun) -> None:
            ran.append(run.id)

        queue.register("note", note)
        with suppress(RuntimeError):
            async with queue.database.transaction() as session:
                await queue.enqueue(session, "note", title="Lost", owner_id=OWNER, payload={})
                raise RuntimeError
        async with working(queue):
            kept = await add(queue, "note")
            await ended(queue, kept)
        assert ran == [kept]

    async def test_an_unknown_kind_is_a_programming_error(self, queue: JobQueue) -> None:
        with pytest.raises(KeyError, match="no handler is registered for job kind 'nothing'"):
            await add(queue, "nothing")


class TestLanguage:
    async def test_a_job_speaks_the_language_of_whoever_asked_for_it(self, queue: JobQueue) -> None:
        async def refuse(run: JobRun) -> None:
            raise NotFound(t("The draft"))

        queue.register("refuse", refuse)
        async with working(queue):
            with speaking("fr"):
                french = await add(queue, "refuse")
            english = await add(queue, "refuse")
            assert ((await ended(queue, french)).error or "").startswith("Le brouillon est introuvable")
            assert ((await ended(queue, english)).error or "").startswith("The draft was not found")


@pytest.fixture
def reporting_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_PROGRESS_INTERVAL_S", 0)


class TestFailure:
    async def test_an_expected_refusal_keeps_its_sentence(self, queue: JobQueue) -> None:
        async def refuse(_run: JobRun) -> None:
            raise Invalid("The file is empty. Choose another one.")

        queue.register("refuse", refuse)
        async with working(queue):
            job = await ended(queue, await add(queue, "refuse"))
        assert (job.state, job.error) == (JobState.FAILED, "The file is empty. Choose another one.")

    async def test_an_unexpected_error_shows_an_id_and_no_detail(self, queue: JobQueue) -> None:
        async def crash(_run: JobRun) -> None:
            raise RuntimeError("secret detail")

        queue.register("crash", crash)
        async with working(queue):
            job = await ended(queue, await add(queue, "crash"))
        assert job.error is not None and "error " in job.error and "secret" not in job.error

    async def test_inline_raises_what_the_job_raised(self, queue: JobQueue) -> None:
        async def refuse(_run: JobRun) -> None:
            raise Invalid("No.")

        queue.register("refuse", refuse)
        with pytest.raises(Invalid):
            await queue.run_inline("refuse", title="Test", owner_id=OWNER, payload={})

    @pytest.mark.usefixtures("reporting_each_step")
    async def test_who_waits_no_longer_stops_the_job_at_its_next_step(self, queue: JobQueue) -> None:
        runs: list[JobRun] = []

        async def endless(run: JobRun) -> None:
            runs.append(run)
            for step in range(1_000_000):
                await run.progress(step)

        queue.register("endless", endless)
        waiting = asyncio.create_task(queue.run_inline("endless", title="Test", owner_id=OWNER, payload={}))
        await eventually(lambda: runs)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await read(queue, runs[0].id)).state == JobState.CANCELLED

    @pytest.mark.usefixtures("reporting_each_step")
    async def test_who_waits_is_told_that_somebody_else_stopped_it(self, queue: JobQueue) -> None:
        async def stopped_at_once(run: JobRun) -> None:
            async with queue.database.transaction() as session:
                await jobs.cancel(session, run.id, owner_id=OWNER)
            for step in range(1_000_000):
                await run.progress(step)

        queue.register("stopped", stopped_at_once)
        with pytest.raises(Conflict, match="was stopped on its page"):
            await queue.run_inline("stopped", title="Test", owner_id=OWNER, payload={})


class TestCancel:
    @pytest.mark.usefixtures("reporting_each_step")
    async def test_a_running_job_stops_at_its_next_step(self, queue: JobQueue) -> None:
        started = asyncio.Event()

        async def endless(run: JobRun) -> None:
            for step in range(1_000_000):
                await run.progress(step)
                started.set()

        queue.register("endless", endless)
        async with working(queue):
            job_id = await add(queue, "endless")
            await started.wait()
            async with queue.database.transaction() as session:
                await jobs.cancel(session, job_id, owner_id=OWNER)
            assert (await ended(queue, job_id)).state == JobState.CANCELLED

    async def test_a_waiting_job_never_starts(self, queue: JobQueue) -> None:
        async def never(_run: JobRun) -> None:
            raise AssertionError

        queue.register("never", never)
        job_id = await add(queue, "never")
        async with queue.database.transaction() as session:
            assert (await jobs.cancel(session, job_id, owner_id=OWNER)).state == JobState.CANCELLED
        async with queue.database.transaction() as session:
            with pytest.raises(Conflict):
                await jobs.cancel(session, job_id, owner_id=OWNER)

    async def test_somebody_elses_job_is_not_found(self, queue: JobQueue) -> None:
        async def nothing(_run: JobRun) -> None: ...

        queue.register("nothing", nothing)
        job_id = await add(queue, "nothing")
        async with queue.database.transaction() as session:
            with pytest.raises(NotFound):
                await jobs.cancel(session, job_id, owner_id=uuid4())


class TestLostConnection:
    async def test_the_worker_goes_on_when_the_server_is_there_again(self, queue: JobQueue, database_url: str) -> None:
        async def nothing(_run: JobRun) -> None: ...

        queue.register("nothing", nothing)
        async with working(queue):
            await ended(queue, await add(queue, "nothing"))
            with capture_logs() as logs:
                async with out_of_reach(database_url):
                    with pytest.raises(DatabaseAway):
                        await add(queue, "nothing")
                    await eventually(lambda: "jobs.disconnected" in [line["event"] for line in logs])
            assert (await ended(queue, await add(queue, "nothing"))).state == JobState.SUCCEEDED


class TestResume:
    async def test_a_job_that_was_let_go_can_be_taken_at_once(self, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """The server learns of a closed connection later: here only after the test."""
        job_id, open_still = uuid4(), list[psycopg.AsyncConnection]()

        async def later(connection: psycopg.AsyncConnection) -> None:
            open_still.append(connection)

        with monkeypatch.context() as patched:
            patched.setattr(psycopg.AsyncConnection, "close", later)
            for _ in range(2):
                async with _job_lock(database_url, job_id) as is_mine:
                    assert is_mine
        for connection in open_still:
            await connection.close()

    async def test_a_job_whose_process_died_goes_on_from_its_checkpoint(self, queue: JobQueue) -> None:
        resumed_from: list[int] = []

        async def count(run: JobRun) -> dict[str, Any]:
            resumed_from.append(run.checkpoint.get("at", 0))
            return {}

        queue.register("count", count)
        orphan = await add_orphan(queue, "count", checkpoint={"at": 7})
        async with working(queue):
            assert (await ended(queue, orphan)).state == JobState.SUCCEEDED
        assert resumed_from == [7]

    async def test_a_job_that_is_really_running_is_left_alone(self, queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "_ORPHAN_INTERVAL_S", 0.01)
        runs: list[UUID] = []
        finish = asyncio.Event()

        async def wait(run: JobRun) -> None:
            runs.append(run.id)
            await finish.wait()

        async def nothing(_run: JobRun) -> None: ...

        queue.register("wait", wait)
        queue.register("nothing", nothing)
        inline = asyncio.create_task(queue.run_inline("wait", title="Test", owner_id=OWNER, payload={}))
        await eventually(lambda: runs)
        async with working(queue):
            for _ in range(2):  # once the second is found, the look that found the first is over
                assert (await ended(queue, await add_orphan(queue, "nothing"))).state == JobState.SUCCEEDED
        finish.set()
        assert (await inline).state == JobState.SUCCEEDED
        assert len(runs) == 1

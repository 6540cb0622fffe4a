"""After a worker is killed with SIGKILL, the next one finishes its jobs, with nothing lost or duplicated."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from uuid import UUID

import pytest
from sqlalchemy import text

from fundwright.accounts.schemas import Actor
from fundwright.core import jobs as core_jobs
from fundwright.core.assembly import Core
from fundwright.core.jobs import JobRead, JobState
from fundwright.opportunities import service as opportunities
from fundwright.training import adding, runs
from fundwright.training.schemas import PastedText
from tests.opportunities.files import notice_id, sam_file, sam_row
from tests.support.accounts import add_account
from tests.support.jobs import working
from tests.support.polling import eventually

_ROWS, _BROKEN = 20_000, 40
_DOCUMENTS = 3
_LIMIT_S = 90


async def read(core: Core, job_id: UUID) -> JobRead:
    async with core.database.transaction() as session:
        return await core_jobs.get(session, job_id)


async def until(core: Core, job_id: UUID, is_so: Callable[[JobRead], bool]) -> JobRead:
    async def look() -> JobRead | None:
        job = await read(core, job_id)
        return job if is_so(job) else None

    return await eventually(look, within_s=_LIMIT_S)


class Worker:
    """`fundwright worker` in a separate process, on the test's database."""

    def __init__(self, core: Core) -> None:
        url = core.settings.database_url
        assert url is not None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fundwright", "--data", str(core.settings.data), "worker"],
            env={
                **os.environ,
                "DATABASE_URL": url.get_secret_value(),
                "FUNDWRIGHT_MODELS": str(core.settings.models),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        assert self._process.wait() == -signal.SIGKILL

    def pause(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def wake_up(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)


@pytest.fixture
async def owner(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session)


async def once(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def killed_once(core: Core, job_id: UUID, *, in_the_middle: Callable[[JobRead], bool]) -> JobRead:
    """Let a worker run the job until `in_the_middle`, kill it, and let another worker finish the job."""
    first = Worker(core)
    try:
        await until(core, job_id, in_the_middle)
    finally:
        first.kill()
    left = await read(core, job_id)
    assert left.state == JobState.RUNNING, "the job was over before the worker was killed"
    second = Worker(core)
    try:
        return await until(core, job_id, lambda job: job.state.is_over)
    finally:
        second.stop()


@pytest.mark.slow
async def test_an_import_ends_with_exactly_the_right_counts(committed: Core, owner: Actor) -> None:
    rows = (
        sam_row(NoticeId=notice_id(n), Title=f"Repair of roof {n}", Description=f"Roof {n}. " * 40, **{"Sol#": f"W91-{n}"})
        for n in range(_ROWS)
    )
    broken = (sam_row(NoticeId=notice_id(_ROWS + n), PostedDate="soon") for n in range(_BROKEN))
    upload = await committed.files.spool(once(sam_file(*rows, *broken)))
    async with committed.database.transaction() as session:
        run = await opportunities.start_import(session, owner, committed, source="sam", filename="sam.csv", upload=upload)
    assert run.job_id
    ended = await killed_once(committed, run.job_id, in_the_middle=lambda job: bool(job.total and 0 < job.done < job.total / 2))
    assert (ended.state, ended.error) == (JobState.SUCCEEDED, None)
    async with committed.database.transaction() as session:
        report = await opportunities.get_import(session, owner, run.id)
        stored_rows = await session.scalar(text("SELECT count(*) FROM opportunity"))
        versions = await session.scalar(text("SELECT count(*) FROM opportunity_version"))
        rejections = await session.scalar(text("SELECT count(*) FROM import_rejection"))
    assert (report.new, report.changed, report.unchanged, report.rejected) == (_ROWS, 0, 0, _BROKEN)
    assert (stored_rows, versions, rejections) == (_ROWS, _ROWS, _BROKEN)


@pytest.mark.slow
async def test_the_job_of_a_worker_that_is_paused_is_done_by_another_once(
    committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_jobs, "LEASE_S", 12)
    monkeypatch.setattr(core_jobs, "_ORPHAN_INTERVAL_S", 1)

    async def start(*numbers: int) -> tuple[UUID, UUID]:
        rows = (sam_row(NoticeId=notice_id(n), Title=f"Repair of roof {n}") for n in numbers)
        upload = await committed.files.spool(once(sam_file(*rows)))
        async with committed.database.transaction() as session:
            run = await opportunities.start_import(session, owner, committed, source="sam", filename="sam.csv", upload=upload)
        assert run.job_id
        return run.id, run.job_id

    async def counts() -> tuple[int, int, int]:
        async with committed.database.transaction() as session:
            report = await opportunities.get_import(session, owner, run_id)
            return report.new, report.changed, await session.scalar(text("SELECT count(*) FROM opportunity_version")) or 0

    run_id, job_id = await start(*range(_ROWS))
    paused = Worker(committed)
    try:
        await until(committed, job_id, lambda job: bool(job.total and 0 < job.done < job.total / 2))
        paused.pause()
        async with working(committed.jobs):
            ended = await until(committed, job_id, lambda job: job.state.is_over)
        assert (ended.state, await counts()) == (JobState.SUCCEEDED, (_ROWS, 0, _ROWS))
        paused.wake_up()
        _, next_job = await start(_ROWS)  # the worker that was paused does it
        assert (await until(committed, next_job, lambda job: job.state.is_over)).state == JobState.SUCCEEDED
        assert (await read(committed, job_id), (await counts())[:2]) == (ended, (_ROWS, 0))
    finally:
        paused.wake_up()
        paused.stop()


@pytest.mark.slow
async def test_a_training_run_ends_with_every_document_and_passage_once(committed: Core, owner: Actor) -> None:
    async with committed.database.transaction() as session:
        for number in range(_DOCUMENTS):
            words = "\n\n".join(
                f"Roof {number}.{place} was repaired by a crew of {place} with shingles, gutters and flashing."
                for place in range(200)
            )
            await adding.add_text(session, owner, committed, PastedText(title=f"Roofs {number}", text=words))
    run = await runs.start_run(committed, owner)
    assert run.job_id
    ended = await killed_once(committed, run.job_id, in_the_middle=lambda job: job.done == 1)
    assert (ended.state, ended.error) == (JobState.SUCCEEDED, None)
    async with committed.database.transaction() as session:
        done = await runs.get_run(session, owner, run.id)
        passages = await session.scalar(text("SELECT count(*) FROM chunk"))
        places = await session.scalar(text("SELECT count(DISTINCT (document_id, start_offset)) FROM chunk"))
        without_vector = await session.scalar(
            text("SELECT count(*) FROM chunk c WHERE NOT EXISTS (SELECT FROM chunk_vector WHERE chunk_id = c.id)")
        )
    assert (done.documents, done.failed) == (_DOCUMENTS, ())
    assert done.chunks == passages == places
    assert without_vector == 0

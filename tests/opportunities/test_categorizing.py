from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import select

from fundwright.accounts.job_actors import acting_with
from fundwright.accounts.schemas import Actor, Permission
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryChange, CategoryColor, CategoryCreate
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.jobs import Job, JobCanceled, JobRead, JobRun, JobState
from fundwright.opportunities import categorizing, service
from fundwright.opportunities.schemas import CategorizeOpportunities, EmbedOpportunities
from tests.opportunities.conftest import ImportFile, listed
from tests.opportunities.files import notice_id, sam_file, sam_row
from tests.support.jobs import Trial, trial

WORDS = ("roof", "software", "health")


class WordEmbedder:
    """Vectors of the words in a text; counts its calls."""

    id = "words"
    dimension = len(WORDS) + 1

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        rows = [[*(float(text.lower().count(word)) for word in WORDS), 0.05] for text in texts]
        vectors = np.array(rows, np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


async def categorize(core: Core, actor: Actor) -> JobRead:
    return await core.jobs.run_inline(CategorizeOpportunities(), title="test", owner_id=actor.id)


async def embed(core: Core) -> WordEmbedder:
    embedder = core.cache["language.embedder"] = WordEmbedder()
    await core.jobs.run_inline(EmbedOpportunities(), title="test", owner_id=None)
    return embedder


class TestCategorize:
    async def test_sorts_into_the_actors_categories_and_changes_nothing_again(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        rows = [sam_row(NoticeId=notice_id(i), Title=f"{WORDS[i % 3]} {i}") for i in range(9)]
        await import_file(sam_file(*rows))
        await embed(committed)
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roof"))
            await categories.create(session, member, CategoryCreate(name="Software"))

        await categorize(committed, member)
        async with committed.database.transaction() as session:
            assert {row.title[:4] for row in await listed(session, member, category=roofs.id)} == {"roof"}

        again = await categorize(committed, member)
        assert again.result is not None
        assert (again.result["waiting"], again.result["labeled"]) == (0, 0)

    async def test_what_is_not_embedded_yet_is_embedded_by_a_job_of_its_own_and_sorted_then(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        committed.cache["language.embedder"] = WordEmbedder()
        await import_file(sam_file(sam_row(Title="roof")))
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roof"))
        job = await categorize(committed, member)
        assert job.result is not None
        assert job.result["waiting"] == 1
        await embed(committed)
        async with committed.database.transaction() as session:
            waiting = await service.find_categorizing(session, member)
            assert waiting is not None
            assert waiting.state == JobState.QUEUED, "the end of the embedding has asked for it"
            assert await listed(session, member, category=roofs.id) == []
        await categorize(committed, member)
        async with committed.database.transaction() as session:
            assert len(await listed(session, member, category=roofs.id)) == 1

    async def test_continues_where_it_was_stopped(
        self, committed: Core, member: Actor, import_file: ImportFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(categorizing, "_SORTED_AT_ONCE", 4)
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i), Title=f"roof {i}") for i in range(12))))
        embedder = await embed(committed)
        async with committed.database.transaction() as session:
            await categories.create(session, member, CategoryCreate(name="Roof"))
        result: dict[str, object] = {}

        async def twice(run: JobRun[Trial, Actor, categorizing.SortingCheckpoint]) -> None:
            async def stop(*_: object) -> None:
                if (counts := run.checkpoint.get("counts")) and categorizing.number_sorted(counts) >= 8:
                    raise JobCanceled

            with monkeypatch.context() as patched:
                patched.setattr(run, "progress", stop)
                with pytest.raises(JobCanceled):
                    await categorizing.categorize(run, embedder)
            result.update(await categorizing.categorize(run, embedder))

        committed.jobs.register(trial(twice, load_actor=acting_with(Permission.WORK)))
        await committed.jobs.run_inline(Trial(), title="x", owner_id=member.id)
        assert sum(number for number in result.values() if isinstance(number, int)) == 12, "each is sorted once"

    async def test_open_notices_are_sorted_first_and_a_job_that_waits_sorts_the_others(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        rows = [sam_row(NoticeId=notice_id(1), Title="roof open", ResponseDeadLine="2099-01-01")]
        rows += [sam_row(NoticeId=notice_id(2), Title="roof closed", ResponseDeadLine="2020-01-01")]
        await import_file(sam_file(*rows))
        await embed(committed)
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roof"))
            await service.categorize_soon(session, member, committed)
        await categorize(committed, member)
        async with committed.database.transaction() as session:
            assert [row.title for row in await listed(session, member, category=roofs.id)] == ["roof open"]

    async def test_of_two_jobs_that_run_at_once_the_later_one_continues(self, committed: Core, member: Actor) -> None:
        async with committed.database.transaction() as session:
            for minute in (1, 2):
                began = now() - timedelta(minutes=10 - minute)
                session.add(
                    Job(
                        kind=CategorizeOpportunities.job_kind, title="x", owner_id=member.id, state=JobState.RUNNING,
                        payload={}, started_at=began,
                    )
                )  # fmt: skip
            await session.flush()
            running = await session.scalars(select(Job.id).where(Job.owner_id == member.id).order_by(Job.started_at))
            assert [await jobs.is_followed(session, id) for id in running.all()] == [True, False]
            await session.rollback()

    async def test_decisions_that_follow_one_another_are_learned_by_one_job_that_starts_automatically(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i), Title=f"roof {i}") for i in range(3))))
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roof"))
            for row in await listed(session, member):
                await categories.accept(session, member, committed, row.id, roofs.id)
        async with committed.database.transaction() as session:
            waiting = await jobs.list_recent(session, member.id, kind=CategorizeOpportunities.job_kind, limit=9)
        assert [job.state for job in waiting] == [JobState.QUEUED]

    async def test_a_new_category_or_text_is_learned_by_a_job_that_starts_automatically(
        self, committed: Core, member: Actor
    ) -> None:
        async def count_waiting() -> int:
            async with committed.database.transaction() as session:
                return await jobs.count_underway(session, member.id, kind=CategorizeOpportunities.job_kind)

        async with committed.database.transaction() as session:
            old = await categories.create(session, member, CategoryCreate(name="Roof"))
            await categories.change(session, member, old.id, CategoryChange(color=CategoryColor.RED), core=committed)
        assert await count_waiting() == 0
        async with committed.database.transaction() as session:
            await categories.change(session, member, old.id, CategoryChange(description="shingles"), core=committed)
        assert await count_waiting() == 1
        async with committed.database.transaction() as session:
            await categories.create(session, member, CategoryCreate(name="Software"), core=committed)
        assert await count_waiting() == 1

    async def test_the_words_of_a_changed_notice_are_read_again(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(sam_row(Title="roof"), sam_row(NoticeId=notice_id(2), Title="health")))
        await embed(committed)
        async with committed.database.transaction() as session:
            software = await categories.create(session, member, CategoryCreate(name="Software"))
        await categorize(committed, member)
        await import_file(sam_file(sam_row(Title="software")))
        await embed(committed)
        await categorize(committed, member)
        async with committed.database.transaction() as session:
            assert [row.title for row in await listed(session, member, category=software.id)] == ["software"]

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotAllowed
from fundwright.core.jobs import Job, JobCanceled, JobHandler, JobRun, JobState, no_actor
from fundwright.opportunities import embedding, service
from fundwright.opportunities.models import OpportunityTerms, OpportunityVector, OpportunityWords
from fundwright.opportunities.repository import indexing
from fundwright.opportunities.schemas import EmbedOpportunities
from tests.opportunities.conftest import ImportFile
from tests.opportunities.files import notice_id, sam_file, sam_row
from tests.opportunities.test_service import add, notice
from tests.support.accounts import add_account


class LengthEmbedder:
    """Vectors of a text's length; records its calls."""

    id = "length"
    dimension = 2

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return np.array([[1, len(text)] for text in texts], np.float32)


@pytest.fixture
def embedder(committed: Core, monkeypatch: pytest.MonkeyPatch) -> LengthEmbedder:
    monkeypatch.setattr(embedding, "_EMBEDDED_AT_ONCE", 2)
    monkeypatch.setattr(embedding, "_READ_AT_ONCE", 4)
    made = committed.cache["language.embedder"] = LengthEmbedder()
    return made


async def embed(core: Core) -> dict[str, Any]:
    return (await core.jobs.run_inline(EmbedOpportunities(), title="test", owner_id=None)).result or {}


async def waiting(core: Core) -> list[Job]:
    async with core.database.transaction() as session:
        underway = Job.state.in_((JobState.QUEUED, JobState.RUNNING))
        return list(await session.scalars(select(Job).where(Job.kind == "embed", underway)))


async def not_sorting(_session: AsyncSession) -> None:
    pass


class TestEmbed:
    async def test_reads_the_open_and_the_newest_first_and_each_once(self, committed: Core, embedder: LengthEmbedder) -> None:
        async with committed.database.transaction() as session:
            await add(session, *(notice(n, closes_at=now() + timedelta(days=1 if n % 2 else -1)) for n in range(6)))
        assert await embed(committed) == {"embedded": 6, "model": "length"}
        assert [text.strip() for text in embedder.texts] == [f"Notice {n}" for n in (1, 3, 5, 0, 2, 4)]
        assert await embed(committed) == {"embedded": 0, "model": "length"}
        assert len(embedder.texts) == 6

    async def test_continues_where_it_was_stopped(self, committed: Core, embedder: LengthEmbedder) -> None:
        async with committed.database.transaction() as session:
            await add(session, *(notice(n) for n in range(10)))

        async def twice(run: JobRun[EmbedOpportunities, None, embedding.EmbeddingCheckpoint]) -> None:
            async def stop(texts: Sequence[str]) -> NDArray[np.float32]:
                if len(embedder.texts) > 4:
                    raise JobCanceled
                return await LengthEmbedder.embed(embedder, texts)

            embedder.embed = stop
            with pytest.raises(JobCanceled):
                await embedding.embed(run, embedder, not_sorting)
            del embedder.embed
            await embedding.embed(run, embedder, not_sorting)

        committed.jobs.register(JobHandler(EmbedOpportunities, twice, no_actor))
        await committed.jobs.run_inline(EmbedOpportunities(), title="x", owner_id=None)
        assert sorted(embedder.texts) == sorted(set(embedder.texts))
        assert len(embedder.texts) == 10

    async def test_what_is_new_is_sorted_each_time_it_has_doubled_and_at_the_end(
        self, committed: Core, embedder: LengthEmbedder
    ) -> None:
        async with committed.database.transaction() as session:
            await add(session, *(notice(n) for n in range(18)))
        seen: list[int] = []

        async def sort_again(_session: AsyncSession) -> None:
            seen.append(len(embedder.texts))

        async def begin(run: JobRun[EmbedOpportunities, None, embedding.EmbeddingCheckpoint]) -> None:
            await embedding.embed(run, embedder, sort_again)

        committed.jobs.register(JobHandler(EmbedOpportunities, begin, no_actor))
        await committed.jobs.run_inline(EmbedOpportunities(), title="x", owner_id=None)
        assert seen == [4, 8, 16, 18]

    async def test_progress_counts_what_arrives_meanwhile(
        self, committed: Core, embedder: LengthEmbedder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with committed.database.transaction() as session:
            await add(session, *(notice(n) for n in range(4)))
        monkeypatch.setattr(embedding, "_REPORT_INTERVAL_S", 0)
        seen: list[tuple[int, int]] = []

        async def begin(run: JobRun[EmbedOpportunities, None, embedding.EmbeddingCheckpoint]) -> None:
            async def add_some(texts: Sequence[str]) -> NDArray[np.float32]:
                if not embedder.texts:
                    async with committed.database.transaction() as session:
                        await add(session, *(notice(n) for n in range(4, 12)))
                return await LengthEmbedder.embed(embedder, texts)

            async def progress(done: int, total: int, _message: str = "") -> None:
                seen.append((done, total))

            monkeypatch.setattr(embedder, "embed", add_some)
            monkeypatch.setattr(run, "progress", progress)
            await embedding.embed(run, embedder, not_sorting)

        committed.jobs.register(JobHandler(EmbedOpportunities, begin, no_actor))
        await committed.jobs.run_inline(EmbedOpportunities(), title="x", owner_id=None)
        assert seen == [(0, 4), (2, 4), (4, 4), (6, 12), (8, 12), (10, 12), (12, 12)]

    async def test_progress_counts_each_notice_once(
        self, committed: Core, embedder: LengthEmbedder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with committed.database.transaction() as session:
            await add(session, *(notice(n) for n in range(6)))
        monkeypatch.setattr(embedding, "_REPORT_INTERVAL_S", 0)
        seen: list[tuple[int, int]] = []

        async def begin(run: JobRun[EmbedOpportunities, None, embedding.EmbeddingCheckpoint]) -> None:
            async def change_some(texts: Sequence[str]) -> NDArray[np.float32]:
                if len(embedder.texts) == 2:
                    async with committed.database.transaction() as session:
                        await add(session, *(notice(n, title=f"Changed {n}") for n in range(2)))
                return await LengthEmbedder.embed(embedder, texts)

            async def progress(done: int, total: int, _message: str = "") -> None:
                seen.append((done, total))

            monkeypatch.setattr(embedder, "embed", change_some)
            monkeypatch.setattr(run, "progress", progress)
            await embedding.embed(run, embedder, not_sorting)

        committed.jobs.register(JobHandler(EmbedOpportunities, begin, no_actor))
        await committed.jobs.run_inline(EmbedOpportunities(), title="x", owner_id=None)
        assert seen == [(0, 6), (2, 6), (4, 6), (4, 6), (6, 6)]

    @pytest.mark.parametrize(
        ("values", "kept"),
        [
            ({"due_at": now() + timedelta(days=9), "closes_at": now() + timedelta(days=9)}, {"words", "terms", "vector"}),
            ({"naics": "541519"}, {"terms", "vector"}),
            ({"agency": "VA"}, {"vector"}),
            ({"title": "Changed"}, set()),
            ({"description": "Changed"}, set()),
        ],
    )
    async def test_a_change_discards_what_was_computed_from_what_it_changes(
        self, committed: Core, embedder: LengthEmbedder, values: dict[str, object], kept: set[str]
    ) -> None:
        async with committed.database.transaction() as session:
            await add(session, notice(1), notice(2))
        await embed(committed)
        async with committed.database.transaction() as session:
            await indexing.add_terms(session, {id: b"" for id, *_ in await indexing.list_unread(session, limit=9)})
            await add(session, notice(1, **values))
            tables = {"words": OpportunityWords, "terms": OpportunityTerms, "vector": OpportunityVector}
            counts = {name: await session.scalar(select(func.count()).select_from(of)) for name, of in tables.items()}
        assert counts == {name: 2 if name in kept else 1 for name in tables}

    async def test_a_notice_that_changes_meanwhile_is_read_again(self, committed: Core, embedder: LengthEmbedder) -> None:
        async with committed.database.transaction() as session:
            await add(session, notice(1))

        async def change(texts: Sequence[str]) -> NDArray[np.float32]:
            del embedder.embed
            async with committed.database.transaction() as session:
                await add(session, notice(1, title="Changed"))
            return await embedder.embed(texts)

        embedder.embed = change
        await embed(committed)
        assert [text.strip() for text in embedder.texts] == ["Notice 1", "Changed"]


class TestEmbedLater:
    async def test_one_job_waits_after_imports_and_starts(
        self, committed: Core, import_file: ImportFile, embedder: LengthEmbedder
    ) -> None:
        for number in range(2):
            await import_file(sam_file(sam_row(NoticeId=notice_id(number))))
        async with committed.database.transaction() as session:
            await service.prepare(session, committed)
        assert len(await waiting(committed)) == 1

    async def test_another_follows_one_that_looks_no_more(self, committed: Core, embedder: LengthEmbedder) -> None:
        seen: list[int] = []

        async def begin(run: JobRun[EmbedOpportunities, None, embedding.EmbeddingCheckpoint]) -> None:
            async with run.transaction() as session:
                await embedding.embed_later(session, committed)
            seen.append(len(await waiting(committed)))
            await embedding.embed(run, embedder, not_sorting)
            async with run.transaction() as session:
                await embedding.embed_later(session, committed)
            seen.append(len(await waiting(committed)))

        committed.jobs.register(JobHandler(EmbedOpportunities, begin, no_actor))
        await committed.jobs.run_inline(EmbedOpportunities(), title="x", owner_id=None)
        assert seen == [1, 2]

    async def test_only_administrators_start_and_stop_it(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            ada, root = await add_account(session), await add_account(session, role=Role.ADMIN)
            with pytest.raises(NotAllowed):
                await service.start_embedding(session, ada, committed)
            started = await service.start_embedding(session, root, committed)
            with pytest.raises(NotAllowed):
                await service.cancel_embedding(session, ada)
            assert started is not None
            assert (await service.cancel_embedding(session, root)).state == JobState.CANCELED
            again = await service.start_embedding(session, root, committed)
            assert again is not None
            assert again.state == JobState.QUEUED

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate, SuggestionQuery
from fundwright.core.assembly import Core
from fundwright.core.jobs import JobCancelled, JobRead, JobRun
from fundwright.identity.acting import acting_with
from fundwright.identity.schemas import Actor, Permission
from fundwright.opportunities import categorising, service
from fundwright.opportunities.schemas import CategoriseOpportunities
from tests.jobs import Trial, trial
from tests.opportunities.conftest import ImportFile, listed
from tests.opportunities.files import notice_id, sam_file, sam_row

WORDS = ("roof", "software", "health")


class WordEmbedder:
    """Vectors of which words a text holds; counts what it was asked."""

    id = "words"
    dimension = len(WORDS) + 1

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        rows = [[*(float(text.lower().count(word)) for word in WORDS), 0.05] for text in texts]
        vectors = np.array(rows, np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


async def categorise(core: Core, actor: Actor) -> JobRead:
    return await core.jobs.run_inline(CategoriseOpportunities(), title="test", owner_id=actor.id)


class TestCategorise:
    async def test_embeds_once_and_sorts_into_the_actors_categories(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        embedder = WordEmbedder()
        committed.cache["language.embedder"] = embedder
        rows = [sam_row(NoticeId=notice_id(i), Title=f"{WORDS[i % 3]} {i}") for i in range(9)]
        await import_file(sam_file(*rows))
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roof"))
            await categories.create(session, member, CategoryCreate(name="Software"))

        first = await categorise(committed, member)
        assert first.result is not None
        assert first.result["embedded"] == 9
        async with committed.database.transaction() as session:
            assert {row.title[:4] for row in await listed(session, member, category=roofs.id)} == {"roof"}

        asked = len(embedder.texts)
        again = await categorise(committed, member)
        assert again.result is not None
        assert (again.result["embedded"], again.result["labelled"]) == (0, 0)
        assert len(embedder.texts) == asked

    @pytest.fixture
    def small_batches(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(categorising, "_EMBEDDED_AT_ONCE", 2)
        monkeypatch.setattr(categorising, "_READ_AT_ONCE", 4)

    @pytest.mark.usefixtures("small_batches")
    async def test_suggestions_appear_while_the_rest_is_read_and_learn_from_the_examples_from_the_start(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        suggested: list[int] = []
        embedder = committed.cache["language.embedder"] = WordEmbedder()
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i), Title=f"roof {i}") for i in range(12))))
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roof"))
            oldest = (await listed(session, member, sort="posted"))[-1]
            await categories.add_example(committed, session, member, roofs.id, oldest.id)

        async def count(texts: Sequence[str]) -> NDArray[np.float32]:
            async with committed.database.transaction() as session:
                suggested.append((await categories.list_suggestions(session, member, SuggestionQuery())).total)
            return await WordEmbedder.embed(embedder, texts)

        embedder.embed = count
        job = await categorise(committed, member)
        assert job.result is not None
        assert embedder.texts[0].startswith(oldest.title)
        assert sorted({*suggested}) == [0, 4, 8]
        assert (job.result["embedded"], job.result["labelled"], job.result["kept"]) == (12, 11, 1)
        assert (job.done, job.total) == (12, 12)

    @pytest.mark.usefixtures("small_batches")
    async def test_goes_on_where_it_was_stopped(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        embedder = committed.cache["language.embedder"] = WordEmbedder()
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i), Title=f"roof {i}") for i in range(12))))
        async with committed.database.transaction() as session:
            await categories.create(session, member, CategoryCreate(name="Roof"))
        result: dict[str, object] = {}

        async def twice(run: JobRun[Trial, Actor]) -> None:
            async def stop(texts: Sequence[str]) -> NDArray[np.float32]:
                if len(embedder.texts) > 8:
                    raise JobCancelled
                return await WordEmbedder.embed(embedder, texts)

            embedder.embed = stop
            with pytest.raises(JobCancelled):
                await categorising.categorise(run, embedder)
            del embedder.embed
            result.update(await categorising.categorise(run, embedder))

        committed.jobs.register(trial(twice, load_actor=acting_with(Permission.WORK)))
        await committed.jobs.run_inline(Trial(), title="x", owner_id=member.id)
        assert result == {"embedded": 12, "labelled": 12, "unchanged": 0, "abstained": 0, "kept": 0, "model": "words"}

    async def test_a_changed_notice_is_embedded_anew(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        committed.cache["language.embedder"] = WordEmbedder()
        await import_file(sam_file(sam_row(Title="roof"), sam_row(NoticeId=notice_id(2), Title="health")))
        await categorise(committed, member)
        await import_file(sam_file(sam_row(Title="software")))
        job = await categorise(committed, member)
        assert job.result is not None
        assert job.result["embedded"] == 1
        async with committed.database.transaction() as session:
            ids = {row.title: row.id for row in await listed(session, member)}
            found = await service.vectors_of(session, member, list(ids.values()), model_id="words")
        assert found[ids["software"]][1] > 0.9

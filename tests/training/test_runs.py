from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.asking import service as asking
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.computing import Computing
from fundwright.core.errors import Conflict, Invalid, NotFound
from fundwright.core.jobs import JobState
from fundwright.core.messages import using_language
from fundwright.core.paging import PageRequest
from fundwright.core.plugins import hookimpl
from fundwright.core.sweeping import UsedFilesReader
from fundwright.language import service as language
from fundwright.language.protocols import Vectors
from fundwright.reading.kinds import OUR_KINDS, DocumentKind
from fundwright.training import adding, extraction, removing, runs, samples, searching, service
from fundwright.training import jobs as training_jobs
from fundwright.training.models import Chunk, Document, TrainingRun
from fundwright.training.schemas import (
    DocumentQuery,
    DocumentState,
    DocumentTitle,
    FindFacts,
    PastedText,
    ProposeKinds,
    RunRead,
)
from fundwright.trash import service as trash
from tests.notifications.test_service import listed
from tests.support.accounts import add_account, count_audited
from tests.support.databases import as_owner
from tests.support.jobs import working
from tests.support.polling import eventually
from tests.training import hostile
from tests.training.conftest import AddFile

BOATS = "# Boats\n\nThe harbor ferry carries forty passengers across the bay every hour of the day in summer."
BREAD = "# Bread\n\nA sourdough loaf rises overnight in a cool kitchen and is baked in a very hot oven."
ROWING = "# Rowing\n\nA rowing boat takes people from one bank of the river to the other when the bridge is closed."


class Other:
    """An embedding model of another dimension."""

    id, dimension = "other", 3

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.array([0.6, 0.0, 0.8], dtype=np.float32), (len(texts), 1))


async def _train(core: Core, actor: Actor, *documents: UUID) -> RunRead:
    return await runs.run_inline(core, actor, documents)


async def _has_failed(core: Core, actor: Actor, run_id: UUID) -> bool:
    async with core.database.transaction() as session:
        return (await runs.get_run(session, actor, run_id)).state == JobState.FAILED


class TestRun:
    async def test_each_column_of_the_export_has_a_name_of_its_own(self, session: AsyncSession, owner: Actor) -> None:
        lines = [line async for line in runs.export_runs(session, owner, PageRequest())]
        assert lines == ["Status,Created,Started,Ended,Documents,Passages,Model,Errors\r\n"]

    async def test_reads_and_embeds_documents(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS, "boats.md")
            bread = await add_file(session, owner, committed, BREAD, "bread.md")
        run = await _train(committed, owner, boats.id, bread.id)
        assert (run.state, run.documents, run.chunks, run.failed) == (JobState.SUCCEEDED, 2, 2, ())
        assert run.model_id == "minilm-l6-v2-int8"
        assert run.duration_s is not None
        async with committed.database.transaction() as session:
            page = await service.list_documents(session, owner)
        assert {(item.title, item.state, item.chunk_count) for item in page.items} == {
            ("boats", DocumentState.TRAINED, 1),
            ("bread", DocumentState.TRAINED, 1),
        }

    async def test_leaves_no_words_waiting_to_be_indexed(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS, "boats.md")
        await _train(committed, owner, boats.id)
        with psycopg.connect(as_owner(committed.database.url)) as connection:
            assert connection.execute("SELECT gin_clean_pending_list('ix_chunk_search')").fetchone() == (0,)

    async def test_says_how_far_a_long_document_is_in_the_language_of_its_owner(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        said: list[str | None] = []

        async def progress(_run: object, _done: int, _total: int | None = None, message: str | None = None) -> None:
            said.append(message)

        async def count_embedded(*_arguments: object) -> tuple[int, int]:
            return 1_199, 12_309

        monkeypatch.setattr("fundwright.core.jobs.JobRun.progress", progress)
        monkeypatch.setattr("fundwright.training.repository.indexing.count_embedded", count_embedded)
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS, "boats.md")
        with using_language("de"):
            await _train(committed, owner, boats.id)
        assert "boats (1.200 / 12.309)" in said

    async def test_statistics_are_refreshed_at_once(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        """Until the statistics are refreshed, PostgreSQL plans questions for empty tables."""
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS)
        run = await _train(committed, owner, boats.id)
        async with committed.database.transaction() as session:
            known = await session.scalar(text("SELECT reltuples FROM pg_class WHERE relname = 'chunk'"))
        assert known == run.chunks

    async def test_a_bad_document_is_named_and_the_rest_continues(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            broken = await add_file(session, owner, committed, b"%PDF-1.7\nnot really", "broken.pdf")
            bread = await add_file(session, owner, committed, BREAD, "bread.md")
        run = await _train(committed, owner, broken.id, bread.id)
        assert run.documents == 1
        assert [failure.title for failure in run.failed] == ["broken"]
        assert "broken.pdf" in run.failed[0].reason
        async with committed.database.transaction() as session:
            document = await service.get_document(session, owner, broken.id)
            assert [id for id, _ in await searching.list_searched(session, owner)] == [bread.id]
            sources = await service.list_documents(session, owner, DocumentQuery(is_searched=True))
            assert [source.id for source in sources.items] == [bread.id]
        assert document.state == DocumentState.FAILED
        assert document.error == run.failed[0].reason
        (told,) = await listed(committed, owner)
        assert (told.title, told.path) == ("“broken” could not be read", f"/dashboard/history/{run.id}")

    async def test_a_document_at_which_the_code_fails_is_named_and_the_rest_continues(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        computed = Computing.run

        async def fails_once(self: Computing, function: partial[object], **options: Any) -> object:
            if function.func is extraction._divided and "poison.md" in function.args:
                raise KeyError("ſep")
            return await computed(self, function, **options)

        monkeypatch.setattr(Computing, "run", fails_once)
        async with committed.database.transaction() as session:
            poison = await add_file(session, owner, committed, BOATS, "poison.md")
            bread = await add_file(session, owner, committed, BREAD, "bread.md")
        run = await _train(committed, owner, poison.id, bread.id)
        assert (run.documents, [failure.title for failure in run.failed]) == (1, ["poison"])
        assert "crashed on “poison.md”" in run.failed[0].reason

    async def test_repeating_keeps_passages_and_their_ids(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS)
        embedder = await language.get_embedder(committed)
        found = []
        for _ in range(2):
            await _train(committed, owner, boats.id)
            found.append(await searching.find_passages(committed, owner, "ferry", embedder=embedder))
        assert found[0] == found[1]
        assert len(found[0]) == 1

    async def test_each_batch_of_a_long_document_says_that_its_job_does_not_end_processes(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fail(*_arguments: object, **_options: object) -> None:
            raise RuntimeError

        monkeypatch.setattr(
            "fundwright.training.repository.indexing.save_trained", fail
        )  # so that the number of attempts is that of an unfinished run
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS)
        run = await runs.start_run(committed, owner, [boats.id])
        async with committed.database.transaction() as session:
            await session.execute(update(jobs.Job).values(attempts=3))
        async with working(committed.jobs):
            await eventually(lambda: _has_failed(committed, owner, run.id))
        async with committed.database.transaction() as session:
            assert await session.scalar(select(jobs.Job.attempts).where(jobs.Job.id == run.job_id)) == 1

    async def test_resumes_after_the_documents_that_are_done(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS, "boats.md")
            bread = await add_file(session, owner, committed, BREAD, "bread.md")
        run = await runs.start_run(committed, owner, [boats.id, bread.id])
        async with committed.database.transaction() as session:
            job = await session.get(jobs.Job, run.job_id)
            assert job is not None
            job.checkpoint = {"next": 1}
        await committed.jobs._run(run.job_id, reraise=True)
        async with committed.database.transaction() as session:
            states = {item.title: item.state for item in (await service.list_documents(session, owner)).items}
        assert states == {"boats": DocumentState.WAITING, "bread": DocumentState.TRAINED}

    async def test_a_removed_document_does_not_stop_a_run(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS)
        run = await runs.start_run(committed, owner)
        async with committed.database.transaction() as session:
            await removing.remove_document(session, owner, boats.id)
        await committed.jobs._run(run.job_id, reraise=True)
        async with committed.database.transaction() as session:
            ended = await runs.get_run(session, owner, run.id)
        assert ended.state == JobState.SUCCEEDED
        assert len(ended.failed) == 1

    async def test_what_a_document_got_while_it_was_read_is_trained(
        self, committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def keep(known: UUID | None, content: str) -> UUID:
            async with committed.database.transaction() as session:
                pasted = PastedText(title="Boats", text=content)
                return (await adding.keep_text(session, owner, committed, known, pasted, filename="boats.md")).id

        document_id = await keep(None, BOATS)
        extract, read = training_jobs.extract, []

        async def extract_slowly(*arguments: Any, **options: Any) -> Any:
            found = await extract(*arguments, **options)
            read.append(found)
            if len(read) == 1:
                await keep(document_id, ROWING)
            return found

        monkeypatch.setattr(training_jobs, "extract", extract_slowly)
        await _train(committed, owner, document_id)
        assert len(read) == 2
        async with committed.database.transaction() as session:
            (passage,) = await session.scalars(select(Chunk.text).where(Chunk.document_id == document_id))
        assert "bridge" in passage

    async def test_a_queued_run_can_be_canceled_and_repeated(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            await add_file(session, owner, committed, BOATS)
        run = await runs.start_run(committed, owner)
        async with committed.database.transaction() as session:
            canceled = await runs.cancel_run(session, owner, run.id)
            repeated = await runs.repeat_run(session, owner, committed, run.id)
        assert canceled.state == JobState.CANCELED
        assert repeated.state == JobState.QUEUED
        assert repeated.total == 1
        async with committed.database.transaction() as session:
            assert [item.id for item in (await runs.list_runs(session, owner)).items] == [repeated.id, run.id]
            with pytest.raises(Conflict):
                await runs.cancel_run(session, owner, run.id)

    async def test_asking_twice_at_once_queues_one_run(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS, "boats.md")
            await add_file(session, owner, committed, BREAD, "bread.md")
        first, second = await asyncio.gather(runs.start_run(committed, owner), runs.start_run(committed, owner))
        one_of_them = await runs.start_run(committed, owner, [boats.id])
        async with committed.database.transaction() as session:
            repeated = await runs.repeat_run(session, owner, committed, first.id)
            assert (await runs.list_runs(session, owner)).total == 1
        assert first.id == second.id == one_of_them.id == repeated.id

    async def test_a_document_that_the_run_lacks_or_could_not_train_gets_a_run_of_its_own(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS, "boats.md")
            bread = await add_file(session, owner, committed, BREAD, "bread.md")
        run = await runs.start_run(committed, owner, [boats.id])
        more = await runs.start_run(committed, owner, [boats.id, bread.id])
        assert more.id != run.id
        async with committed.database.transaction() as session:
            for underway in await session.scalars(select(TrainingRun)):
                underway.failed = [{"document_id": str(boats.id), "title": "boats.md", "reason": "damaged"}]
        async with committed.database.transaction() as session:
            listed = (await service.list_documents(session, owner, DocumentQuery())).items
        assert {each.title: each.is_underway for each in listed} == {"boats": False, "bread": True}
        again = await runs.start_run(committed, owner, [boats.id])
        assert again.id not in (run.id, more.id)

    async def test_a_run_that_has_started_is_joined_unless_it_was_canceled(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            await add_file(session, owner, committed, BOATS, "boats.md")
        run = await runs.start_run(committed, owner)
        async with committed.database.transaction() as session:
            job = await session.get(jobs.Job, run.job_id)
            assert job is not None
            job.state = JobState.RUNNING
        assert (await runs.start_run(committed, owner)).id == run.id
        async with committed.database.transaction() as session:
            await runs.cancel_run(session, owner, run.id)
        assert (await runs.start_run(committed, owner)).id != run.id

    async def test_is_canceled_while_a_document_is_read_keeping_those_before_it(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        committed.plugins.register(hostile)
        async with committed.database.transaction() as session:
            quick = await add_file(session, owner, committed, BOATS, "quick.md")
            slow = await add_file(session, owner, committed, hostile.document("loop"), "slow.hostile")
        run = await runs.start_run(committed, owner, [quick.id, slow.id])
        monkeypatch.setattr(jobs, "_PATIENCE_S", 0.05)
        running = asyncio.create_task(committed.jobs._run(run.job_id, reraise=True))

        async def is_reading() -> bool:
            async with committed.database.transaction() as session:
                return (await jobs.get(session, run.job_id)).message == "slow"

        await eventually(is_reading)
        async with committed.database.transaction() as session:
            await runs.cancel_run(session, owner, run.id)
        await running
        async with committed.database.transaction() as session:
            ended = await runs.get_run(session, owner, run.id)
            states = {item.title: item.state for item in (await service.list_documents(session, owner)).items}
        assert (ended.state, ended.documents) == (JobState.CANCELED, 1)
        assert states == {"quick": DocumentState.TRAINED, "slow": DocumentState.WAITING}

    async def test_having_nothing_to_train_is_reported(self, committed: Core, owner: Actor) -> None:
        with pytest.raises(Invalid, match="Add a document"):
            await runs.start_run(committed, owner)

    async def test_more_documents_than_a_statement_takes_parameters(self, committed: Core, owner: Actor) -> None:
        with pytest.raises(Invalid, match="None of these documents exist anymore"):
            await runs.start_run(committed, owner, [uuid4() for _ in range(70_000)])

    @pytest.mark.security(40)
    async def test_a_stranger_finds_no_run(self, committed: Core, owner: Actor, stranger: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            await add_file(session, owner, committed, BOATS)
        run = await runs.start_run(committed, owner)
        async with committed.database.transaction() as session:
            for verb in (runs.get_run, runs.cancel_run, runs.list_run_documents):
                with pytest.raises(NotFound):
                    await verb(session, stranger, run.id)
            with pytest.raises(NotFound):
                await runs.repeat_run(session, stranger, committed, run.id)
            assert (await runs.list_runs(session, stranger)).total == 0


@pytest.mark.slow
async def test_documents_of_two_accounts_that_never_end_do_not_hold_up_a_third(
    committed: Core, owner: Actor, stranger: Actor, add_file: AddFile
) -> None:
    committed.plugins.register(hostile)
    async with committed.database.transaction() as session:
        third = await add_account(session)
    started = list[UUID]()
    for actor, content in ((owner, hostile.document("loop")), (stranger, hostile.document("loop"))):
        for _ in range(3):
            async with committed.database.transaction() as session:
                document = await add_file(session, actor, committed, content + b" " * len(started), "slow.hostile")
            run = await runs.start_run(committed, actor, [document.id])
            assert run.job_id
            started.append(run.job_id)

    async def states() -> list[JobState]:
        async with committed.database.transaction() as session:
            return [(await jobs.get(session, job_id)).state for job_id in started]

    async def are_reading() -> bool:
        return (await states()).count(JobState.RUNNING) >= 2

    async with working(committed.jobs):
        await eventually(are_reading, within_s=30)
        async with committed.database.transaction() as session:
            await add_file(session, third, committed, BOATS, "small.md")
        run = await runs.start_run(committed, third)
        assert run.job_id

        async def is_trained() -> bool:
            async with committed.database.transaction() as session:
                return (await runs.get_run(session, third, run.id)).state == JobState.SUCCEEDED

        await eventually(is_trained, within_s=30)  # 5 s on an idle machine
        assert (await states()).count(JobState.RUNNING) >= 2


@pytest.mark.security(42)
class TestHostileDocument:
    """Whatever a document's reader does, the document fails with a reason, and the run continues with the next one."""

    @pytest.mark.parametrize(
        ("action", "reason"),
        [
            (
                "allocate",
                "Reading “a.hostile” needed more than 1,000 MB of memory. Use a smaller or simpler file, and try again.",
            ),
            pytest.param(
                "flood",
                "Reading “a.hostile” produced more than 100 MB. Use a smaller file, and try again.",
                marks=pytest.mark.slow,
            ),
            ("crash", "The reader crashed on “a.hostile”. Save the file again or in another format, and try again."),
            (
                "kill",
                "“a.hostile” is damaged or not a valid hostile file. Open it, save it again, and add the new file.",
            ),
            *(
                pytest.param(
                    action,
                    "The reader crashed on “a.hostile”. Save the file again or in another format, and try again.",
                    marks=[pytest.mark.slow] * (number > 1),
                )
                for number, action in enumerate(hostile.FORGED)
            ),
            ("a reason with null characters", "No."),
        ],
    )
    async def test_fails_alone(self, committed: Core, owner: Actor, add_file: AddFile, action: str, reason: str) -> None:
        committed.plugins.register(hostile)
        async with committed.database.transaction() as session:
            bad = await add_file(session, owner, committed, hostile.document(action), "a.hostile")
            good = await add_file(session, owner, committed, BOATS, "boats.md")
        run = await _train(committed, owner, bad.id, good.id)
        assert (run.state, run.documents) == (JobState.SUCCEEDED, 1)
        assert [failed.reason for failed in run.failed] == [reason]

    async def test_what_is_sent_in_the_right_form_is_taken(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        """Without this test, the tests of forged results would pass even if they checked nothing."""
        committed.plugins.register(hostile)
        async with committed.database.transaction() as session:
            added = await add_file(session, owner, committed, hostile.document("nothing else"), "a.hostile")
        assert (await _train(committed, owner, added.id)).failed == ()

    @pytest.mark.slow
    async def test_is_killed_when_its_time_is_up(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(extraction, "LIMITS", replace(extraction.LIMITS, total_seconds=2))
        committed.plugins.register(hostile)
        async with committed.database.transaction() as session:
            bad = await add_file(session, owner, committed, hostile.document("loop"), "a.hostile")
        run = await _train(committed, owner, bad.id)
        assert [failed.reason for failed in run.failed] == [
            "Reading “a.hostile” took too long. Use a smaller or simpler file, and try again."
        ]


class TestAddedDocuments:
    async def test_are_trained_automatically(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with working(committed.jobs):
            async with committed.database.transaction() as session:
                boats = await add_file(session, owner, committed, BOATS, is_trained_later=True)
                assert boats.is_underway
                bread = await adding.add_text(session, owner, committed, PastedText(title="Bread", text=BREAD))

            async def trained() -> bool:
                async with committed.database.transaction() as session:
                    documents = (await service.list_documents(session, owner)).items
                return all(document.state == DocumentState.TRAINED and not document.is_underway for document in documents)

            await eventually(trained)
        async with committed.database.transaction() as session:
            assert (await service.get_document(session, owner, bread.id)).chunk_count == 1

    async def test_join_the_run_that_waits_but_none_that_has_started(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        async def add(content: str) -> list[int]:
            async with committed.database.transaction() as session:
                await add_file(session, owner, committed, content, is_trained_later=True)
            async with committed.database.transaction() as session:
                return [run.total for run in (await runs.list_runs(session, owner)).items]

        assert (await add(BOATS), await add(BREAD)) == ([1], [2])
        async with committed.database.transaction() as session:
            (run,) = (await runs.list_runs(session, owner)).items
            job = await session.get_one(jobs.Job, run.job_id)
            job.state = JobState.RUNNING
        assert await add(ROWING) == [1, 2]

    async def test_join_no_run_that_is_canceled(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            await add_file(session, owner, committed, BOATS, is_trained_later=True)
            (run,) = (await runs.list_runs(session, owner)).items
            await runs.cancel_run(session, owner, run.id)
            await add_file(session, owner, committed, BREAD, is_trained_later=True)
            assert [run.total for run in (await runs.list_runs(session, owner)).items] == [1, 1]

    async def test_are_all_trained_again_when_none_is_left(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS)
        await _train(committed, owner, boats.id)
        assert (await runs.start_run(committed, owner)).total == 1


class TestFindPassages:
    async def test_the_best_passage_comes_first(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            wanted = [
                (await add_file(session, owner, committed, content, name)).id
                for content, name in ((BOATS, "boats.md"), (BREAD, "bread.md"), (ROWING, "rowing.md"))
            ]
        await _train(committed, owner, *wanted)
        embedder = await language.get_embedder(committed)
        passages = await searching.find_passages(committed, owner, "Which ferry takes people across the bay?", embedder=embedder)
        async with committed.database.transaction() as session:
            assert [passage.document_title for passage in passages] == ["boats", "rowing", "bread"]
            assert passages[0].heading == ("Boats",)
            assert passages[0].score > passages[1].score > passages[2].score
            assert passages[0].similarity > passages[1].similarity > passages[2].similarity
            shown = await searching.get_passage(session, owner, passages[0].id)
        assert shown.before + shown.text + shown.after == "Boats\n\n" + BOATS.partition("\n\n")[2]

    async def test_an_answer_names_the_heading_of_its_sentence(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            work = f"# Work\n\n## Bread\n\n{BREAD.partition('# Bread')[2].strip()}\n\n## Boats\n\n{BOATS.partition('# Boats')[2].strip()}"
            document = await add_file(session, owner, committed, work)
        run = await _train(committed, owner, document.id)
        assert run.chunks == 1
        embedder = await language.get_embedder(committed)
        (answer,) = (
            await asking.find_answers(committed, owner, "How many passengers does the ferry carry?", embedder=embedder)
        ).answers
        assert answer.heading == ("Work", "Boats")
        (passage,) = await searching.find_passages(committed, owner, "sourdough", embedder=embedder)
        assert passage.place_at(passage.text.index("sourdough")) == (("Work", "Bread"), None)

    async def test_only_in_the_chosen_documents_and_kinds(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            boats, bread, rowing = [
                (await add_file(session, owner, committed, content, name)).id
                for content, name in ((BOATS, "boats.md"), (BREAD, "bread.md"), (ROWING, "rowing.md"))
            ]
        await _train(committed, owner, boats, bread, rowing)
        async with committed.database.transaction() as session:
            await session.execute(update(Document).values(kind=DocumentKind.ABOUT_US))
            (await session.get_one(Document, boats)).kind = DocumentKind.NOTICE
        embedder = await language.get_embedder(committed)
        find = partial(searching.find_passages, committed, owner, "ferry across the bay", embedder=embedder)
        assert {(passage.document_id, passage.document_kind) for passage in await find(document_ids=[boats, bread])} == {
            (boats, DocumentKind.NOTICE),
            (bread, DocumentKind.ABOUT_US),
        }
        assert {passage.document_id for passage in await find(kinds=OUR_KINDS)} == {bread, rowing}
        assert {passage.document_id for passage in await find(document_ids=[boats, bread], kinds=OUR_KINDS)} == {bread}
        assert await find(document_ids=[]) == []

    async def test_nothing_fits_although_one_document_was_trained_with_another_model(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            bread = await add_file(session, owner, committed, BREAD, "bread.md")
        await _train(committed, owner, bread.id)
        embedder = await language.get_embedder(committed)
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS, "boats.md")
        committed.cache["language.embedder"] = Other()
        await _train(committed, owner, boats.id)
        assert (await asking.find_answers(committed, owner, "quasar spectroscopy", embedder=embedder)).answers == ()

    @pytest.mark.security(40, 41)
    async def test_another_account_finds_nothing(self, committed: Core, owner: Actor, stranger: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS)
            bread = await add_file(session, stranger, committed, BREAD, "bread.md")
        await _train(committed, owner, boats.id)
        await _train(committed, stranger, bread.id)
        embedder = await language.get_embedder(committed)
        mine = await searching.find_passages(committed, owner, "harbor ferry", embedder=embedder)
        assert {passage.document_id for passage in mine} == {boats.id}
        others = await searching.find_passages(committed, stranger, "harbor ferry", embedder=embedder)
        assert {passage.document_id for passage in others} == {bread.id}
        assert (await asking.find_answers(committed, stranger, "harbor ferry", embedder=embedder)).answers == ()
        async with committed.database.transaction() as session:
            with pytest.raises(NotFound):
                await searching.get_passage(session, stranger, mine[0].id)
            with pytest.raises(NotFound):
                await searching.get_passage(session, owner, uuid4())

    async def test_samples_count_until_there_is_an_own_document(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            await samples.add_sample(session, owner, committed)
            run = (await runs.list_runs(session, owner)).items[0]
        await committed.jobs._run(run.job_id, reraise=True)
        embedder = await language.get_embedder(committed)
        found = await searching.find_passages(committed, owner, "Who designed the Tideline data platform?", embedder=embedder)
        async with committed.database.transaction() as session:
            assert found[0].document_title == "Sample: Resume Tomas Okafor"
            boats = await add_file(session, owner, committed, BOATS, "boats.md")
        await _train(committed, owner, boats.id)
        found = await searching.find_passages(committed, owner, "Who leads field operations on the ferry?", embedder=embedder)
        async with committed.database.transaction() as session:
            assert {passage.document_title for passage in found} == {"boats"}
            assert await samples.remove_sample(session, owner, committed) == 7
            assert (await service.list_documents(session, owner)).total == 1

    async def test_a_document_that_is_removed_meanwhile_is_not_found(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            boats = await add_file(session, owner, committed, BOATS)

        async def rename() -> None:
            async with committed.database.transaction() as session:
                await service.rename_document(session, owner, boats.id, DocumentTitle(title="Ferries"))

        async def choose_kind() -> None:
            async with committed.database.transaction() as session:
                await service.choose_kind(session, owner, committed, boats.id, DocumentKind.DATA)

        async with committed.database.transaction() as session:
            await removing.remove_document(session, owner, boats.id)
            waiting = [asyncio.create_task(rename()), asyncio.create_task(choose_kind())]
            await asyncio.wait(waiting, timeout=0.2)
        assert [type(error) for error in await asyncio.gather(*waiting, return_exceptions=True)] == [NotFound, NotFound]

    async def test_samples_restored_at_once_in_two_tabs_are_added_once(self, committed: Core, owner: Actor) -> None:
        async def restore() -> None:
            async with committed.database.transaction() as session:
                await samples.restore_sample(session, owner, committed)

        await asyncio.gather(restore(), restore())
        async with committed.database.transaction() as session:
            assert (await service.list_documents(session, owner)).total == 7
            assert (await runs.list_runs(session, owner)).total == 1
            assert await count_audited(session, "sample.restored") == 1

    @pytest.mark.slow
    async def test_documents_of_another_model_are_named_and_found_once_trained_again(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            await samples.add_sample(session, owner, committed)
            boats = await add_file(session, owner, committed, BOATS)
        await _train(committed, owner, boats.id)
        committed.cache["language.embedder"] = other = Other()
        async with committed.database.transaction() as session:
            sample = [item.id for item in (await service.list_documents(session, owner)).items if item.is_sample]
        await _train(committed, owner, *sample)
        async with committed.database.transaction() as session:
            assert await searching.count_outdated(session, owner, other) == 1
        with pytest.raises(Conflict, match="Train them again"):
            await searching.find_passages(committed, owner, "ferry", embedder=other)
        run = await runs.start_run(committed, owner)
        assert run.total == 1
        await committed.jobs._run(run.job_id, reraise=True)
        async with committed.database.transaction() as session:
            assert await searching.count_outdated(session, owner, other) == 0
        assert len(await searching.find_passages(committed, owner, "ferry", embedder=other)) == 1
        async with committed.database.transaction() as session:
            kept = await session.scalars(text("SELECT DISTINCT model_id FROM chunk_vector"))
            assert list(kept) == ["other"]

    @pytest.mark.parametrize("limit", ["_EXACT_LIMIT", "_CANDIDATES"])
    async def test_large_accounts_find_what_an_exact_search_finds(
        self, committed: Core, owner: Actor, add_file: AddFile, monkeypatch: pytest.MonkeyPatch, limit: str
    ) -> None:
        async with committed.database.transaction() as session:
            wanted = [
                (await add_file(session, owner, committed, content, name)).id
                for content, name in ((BOATS, "boats.md"), (BREAD, "bread.md"))
            ]
        await _train(committed, owner, *wanted)
        embedder = await language.get_embedder(committed)
        exact = await searching.find_passages(committed, owner, "loaf", embedder=embedder)
        assert [passage.document_title for passage in exact] == ["bread", "boats"]
        monkeypatch.setattr(f"fundwright.training.repository.searching.{limit}", 0)
        assert await searching.find_passages(committed, owner, "loaf", embedder=embedder) == exact


class TestAddDocument:
    async def test_the_same_content_is_reported_as_existing(
        self, committed: Core, owner: Actor, stranger: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            await add_file(session, owner, committed, BOATS, "boats.md")
            with pytest.raises(adding.AlreadyAdded, match="boats"):
                await add_file(session, owner, committed, BOATS, "other.md")
            await add_file(session, stranger, committed, BOATS, "boats.md")

    async def test_titles_tell_documents_apart(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        page = "<!doctype html><title>x</title><p>The ferry carries forty.</p>"
        async with committed.database.transaction() as session:
            titles = [
                (await add_file(session, owner, committed, content, name)).title
                for content, name in ((page, "x.html"), (BOATS, "x.md"), (BREAD, "x.md"), (f"{BREAD} More.", "x.md"))
            ]
            for text_ in ("Some text.", "Some more."):
                pasted = PastedText(title="Notes", text=text_)
                titles.append((await adding.add_text(session, owner, committed, pasted)).title)
        assert titles == ["x", "x.md", "x.md (2)", "x.md (3)", "Notes", "Notes (2)"]

    async def test_two_added_at_once_have_two_titles(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async def add(content: str) -> str:
            async with committed.database.transaction() as session:
                return (await add_file(session, owner, committed, content, "x.md")).title

        assert {*await asyncio.gather(*(add(f"{BOATS} {number}") for number in range(3)))} == {"x", "x.md", "x.md (2)"}

    @pytest.mark.security(42)
    async def test_a_name_gives_no_path(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            document = await add_file(session, owner, committed, BOATS, "../../etc/pass\\wd.md")
        assert (document.filename, document.title) == ("wd.md", "wd")

    async def test_what_cannot_be_read_is_refused_and_not_kept(self, committed: Core, owner: Actor, add_file: AddFile) -> None:
        async with committed.database.transaction() as session:
            with pytest.raises(Invalid, match="format"):
                await add_file(session, owner, committed, b"GIF89a" + bytes(60), "picture.pdf")
        assert not [path for path in (committed.settings.data / "files").rglob("*") if path.is_file()]

    async def test_pasted_text_is_a_document(self, committed: Core, owner: Actor) -> None:
        async with committed.database.transaction() as session:
            document = await adding.add_text(session, owner, committed, PastedText(title="Notes", text=BREAD))
        assert (document.source, document.state) == ("paste", DocumentState.WAITING)

    async def test_removing_takes_the_file_unless_another_user_has_it(
        self, committed: Core, owner: Actor, stranger: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            mine = await add_file(session, owner, committed, BOATS)
            theirs = await add_file(session, stranger, committed, BOATS)
        path = committed.files.path(mine.sha256)
        async with working(committed.jobs):
            await remove(committed, owner, mine.id)
            assert path.exists()
            await remove(committed, stranger, theirs.id)
            assert not path.exists()

    async def test_removing_leaves_a_file_that_another_package_needs(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        committed.plugins.register(Archive())
        async with committed.database.transaction() as session:
            document = await add_file(session, owner, committed, BOATS)
        async with working(committed.jobs):
            await remove(committed, owner, document.id)
        assert committed.files.path(document.sha256).read_text() == BOATS

    async def test_a_file_that_is_added_while_another_is_removed_stays(
        self, committed: Core, owner: Actor, stranger: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            mine = await add_file(session, owner, committed, BOATS)
        async with working(committed.jobs):
            async with committed.database.transaction() as one:
                await removing.remove_document(one, owner, mine.id)
                await trash.delete_forever(one, owner, committed, mine.id)
                async with committed.database.transaction() as other:
                    theirs = await add_file(other, stranger, committed, BOATS)
            await files_removed(committed)
        assert committed.files.path(theirs.sha256).read_text() == BOATS

    async def test_a_file_that_is_removed_while_another_is_added_stays(
        self, committed: Core, owner: Actor, stranger: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            mine = await add_file(session, owner, committed, BOATS)
        async with working(committed.jobs):
            async with committed.database.transaction() as other:
                theirs = await add_file(other, stranger, committed, BOATS)
                async with committed.database.transaction() as one:
                    await removing.remove_document(one, owner, mine.id)
                    await trash.delete_forever(one, owner, committed, mine.id)
                await job_waits_for_lock(committed)
            await files_removed(committed)
        assert committed.files.path(theirs.sha256).read_text() == BOATS


class Archive:
    """A plug-in that needs every file."""

    @hookimpl
    def used_files(self) -> list[UsedFilesReader]:
        return [_all]


async def _all(_session: AsyncSession, names: Collection[str]) -> Collection[str]:
    return names


class TestProposeKinds:
    async def test_documents_from_before_kinds_get_one_where_nobody_chose(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        resume = "Ada Example, PhD\n\nEducation\nPhD, Biology, 2001\n\nProfessional Experience\n2004 - present, Director\n"
        async with committed.database.transaction() as session:
            old = await add_file(session, owner, committed, resume, "Resume Example.txt")
            chosen = await add_file(session, owner, committed, f"{resume} ", "Resume of a leader.txt")
            asked = "Request for quotations. The contractor shall deliver bread daily. Quotes are due by May 3, 2026. Offerors must submit prices."
            notice = await add_file(session, owner, committed, asked, "RFP 26-01.md")
        await _train(committed, owner, old.id, chosen.id, notice.id)
        async with committed.database.transaction() as session:
            await session.execute(update(Document).values(kind=DocumentKind.ABOUT_US))
            await service.choose_kind(session, owner, committed, chosen.id, DocumentKind.ABOUT_US)
        await committed.jobs.run_inline(ProposeKinds(), title="test", owner_id=None)
        async with committed.database.transaction() as session:
            found = {document.id: document.kind for document in (await service.list_documents(session, owner)).items}
        assert found == {old.id: DocumentKind.RESUME, chosen.id: DocumentKind.ABOUT_US, notice.id: DocumentKind.NOTICE}


class TestFindFacts:
    async def test_one_job_waits_for_a_document_whose_kind_is_changed_repeatedly(
        self, committed: Core, owner: Actor, add_file: AddFile
    ) -> None:
        async with committed.database.transaction() as session:
            first, second = [await add_file(session, owner, committed, f"Boats {each}", f"boats {each}.txt") for each in (1, 2)]

        async def choose(document_id: UUID, *kinds: DocumentKind) -> int:
            """Returns how many jobs there are then."""
            for kind in kinds:
                async with committed.database.transaction() as session:
                    await service.choose_kind(session, owner, committed, document_id, kind)
            async with committed.database.transaction() as session:
                return await jobs.count_underway(session, owner.workspace_id, kind=FindFacts.job_kind)

        assert await choose(first.id, DocumentKind.DATA, DocumentKind.ABOUT_US, DocumentKind.DATA) == 1
        assert await choose(second.id, DocumentKind.DATA) == 2
        async with committed.database.transaction() as session:
            await session.execute(text("DELETE FROM job WHERE kind = 'find_facts'"))
        assert await choose(first.id, DocumentKind.DATA) == 0
        assert await choose(first.id, DocumentKind.ABOUT_US) == 1


async def remove(core: Core, actor: Actor, document_id: UUID) -> None:
    """Delete a document forever and wait until its file is gone, too."""
    async with core.database.transaction() as session:
        await removing.remove_document(session, actor, document_id)
        await trash.delete_forever(session, actor, core, document_id)
    await files_removed(core)


async def files_removed(core: Core) -> None:
    async def look() -> bool:
        async with core.database.transaction() as session:
            states = set(await session.scalars(text("SELECT state FROM job WHERE kind = 'remove_files'")))
        return states == {JobState.SUCCEEDED}

    await eventually(look)


async def job_waits_for_lock(core: Core) -> None:
    async def look() -> bool:
        async with core.database.transaction() as session:
            waiting = (
                "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND mode = 'ExclusiveLock' "
                "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
            )
            return bool(await session.scalar(text(waiting)))

    await eventually(look)

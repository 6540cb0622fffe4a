"""Documents, drafts, and categories in the trash."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import TypeVar
from uuid import UUID, uuid4

import numpy as np
import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.personal_data import DataFile, PersonalDataReader
from fundwright.accounts.schemas import Actor, Role, WorkspaceRole
from fundwright.asking import service as asking
from fundwright.billing import service as billing
from fundwright.billing.schemas import PlanChange, PlanCode
from fundwright.categories import repository as category_rows
from fundwright.categories import service as categories
from fundwright.categories.personal_data import own_files as own_categories
from fundwright.categories.schemas import CategoryCreate, SuggestionQuery
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotAllowed, NotFound
from fundwright.core.jobs import Job, JobRun, JobState
from fundwright.core.messages import using_language
from fundwright.generation import service as generation
from fundwright.generation.personal_data import own_files as own_drafts
from fundwright.generation.repository import begin_section
from fundwright.generation.schemas import DraftQuery, DraftRead, DraftState, SectionState
from fundwright.language import service as language
from fundwright.language.protocols import Embedder
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.training import adding, jobs, removing, runs, searching, storage
from fundwright.training import service as training
from fundwright.training.models import Chunk, ChunkVector
from fundwright.training.personal_data import own_files as own_documents
from fundwright.training.schemas import DocumentQuery, DocumentRead, DocumentState, PastedText
from fundwright.trash import service
from fundwright.trash.models import TrashItem
from fundwright.trash.schemas import KEPT, TrashQuery, TrashRead
from tests.support.accounts import add_account, count_audited
from tests.support.signing_in import HERE, with_settings

pytestmark = pytest.mark.security(48)

_BLOCKED = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")

T = TypeVar("T")

BOATS = "We operate two ferries. Each ferry carries forty passengers."


async def do(core: Core, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
    async with core.database.transaction() as session:
        return await work(session)


async def boats(core: Core, actor: Actor, title: str = "Boats", content: str = BOATS) -> DocumentRead:
    return await do(core, lambda session: adding.add_text(session, actor, core, PastedText(title=title, text=content)))


async def trained(core: Core, actor: Actor) -> DocumentRead:
    document = await boats(core, actor)
    await runs.run_inline(core, actor, [document.id])
    return document


async def throw_away(core: Core, actor: Actor, document_id: UUID) -> None:
    await do(core, lambda session: removing.remove_document(session, actor, document_id))


async def restore(core: Core, actor: Actor, item_id: UUID) -> None:
    await do(core, lambda session: service.restore(session, actor, core, item_id))


async def listed(core: Core, actor: Actor, query: TrashQuery | None = None) -> list[TrashRead]:
    return (await do(core, lambda session: service.list_trash(session, actor, query or TrashQuery()))).items


async def answers(core: Core, actor: Actor) -> list[str]:
    embedder = await language.get_embedder(core)
    found = (await asking.find_answers(core, actor, "How many passengers does a ferry carry?", embedder=embedder)).answers
    return [answer.document_title for answer in found]


async def grow_old(core: Core) -> None:
    """Let everything in the trash expire."""
    await do(core, lambda session: session.execute(update(TrashItem).values(trashed_at=now() - KEPT - timedelta(minutes=1))))


async def end_jobs(core: Core) -> None:
    """Let every job that waits count as finished."""
    await do(core, lambda session: session.execute(update(Job).values(state=JobState.SUCCEEDED)))


async def drafted(core: Core, actor: Actor) -> DraftRead:
    async with core.database.transaction() as session:
        await opportunities.load_sample_once(session)
        notice = (await opportunities.list_opportunities(session, actor, OpportunityQuery(page_size=1))).items[0]
        return await generation.start_draft(session, actor, core, opportunity_id=notice.id, template="cover-letter")


@pytest.fixture
async def ada(committed: Core) -> Actor:
    return await do(committed, lambda session: add_account(session, "ada@example.org"))


@pytest.fixture
async def stranger(committed: Core) -> Actor:
    return await do(committed, lambda session: add_account(session, "eve@example.org"))


class TestDocuments:
    @pytest.mark.security(41)
    async def test_in_the_trash_is_nowhere_else(self, committed: Core, ada: Actor) -> None:
        document = await trained(committed, ada)
        embedder = await language.get_embedder(committed)
        assert await answers(committed, ada) == ["Boats"]
        (passage,) = await searching.find_passages(committed, ada, "ferry", embedder=embedder)
        await throw_away(committed, ada, document.id)
        assert await answers(committed, ada) == []
        assert await searching.find_passages(committed, ada, "ferry", embedder=embedder, document_ids=[document.id]) == []
        assert await searching.read_documents(committed, ada) == []
        async with committed.database.transaction() as session:
            assert (await training.list_documents(session, ada, DocumentQuery())).total == 0
            assert await searching.list_searched(session, ada) == []
            assert (await searching.list_unsearched(session, ada)).count == 0
            assert (await training.read_figures(session, ada))[0].count == 0
            assert [line async for line in training.export_documents(session, ada, DocumentQuery())][1:] == []
            for lookup in (
                training.get_document(session, ada, document.id),
                searching.get_passage(session, ada, passage.id),
                training.check_documents(session, ada, [document.id]),
            ):
                with pytest.raises(NotFound):
                    await lookup
        with pytest.raises(NotFound):
            await training.find_file(committed, ada, document.id)
        (item,) = await listed(committed, ada)
        assert (item.id, item.kind, item.title) == (document.id, "document", "Boats")
        assert item.removed_at - item.trashed_at == timedelta(days=30)
        assert await do(committed, lambda session: count_audited(session, "document.deleted")) == 1

    async def test_restored_is_searched_again_without_training(self, committed: Core, ada: Actor) -> None:
        document = await trained(committed, ada)
        await throw_away(committed, ada, document.id)
        await restore(committed, ada, document.id)
        assert await answers(committed, ada) == ["Boats"]
        assert await listed(committed, ada) == []
        assert await do(committed, lambda session: count_audited(session, "trash.restored")) == 1
        with pytest.raises(NotFound):
            await restore(committed, ada, document.id)
        assert await answers(committed, ada) == ["Boats"]

    async def test_restored_before_it_was_trained_is_trained(self, committed: Core, ada: Actor) -> None:
        document = await boats(committed, ada)
        await throw_away(committed, ada, document.id)
        await restore(committed, ada, document.id)
        run = (await do(committed, lambda session: runs.list_runs(session, ada))).items[0]
        assert (run.state, run.total) == (JobState.QUEUED, 1)
        assert (await do(committed, lambda s: training.get_document(s, ada, document.id))).state == DocumentState.WAITING

    async def test_restored_while_the_run_that_missed_it_continues_is_trained(
        self, committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = [await boats(committed, ada, content=f"Ferry {number}.") for number in range(2)]
        await end_jobs(committed)
        embed = jobs._embed

        async def interrupted(run: JobRun, embedder: Embedder, owner_id: UUID, document_id: UUID, title: str, place: int) -> None:
            await embed(run, embedder, owner_id, document_id, title, place)
            await (throw_away if document_id == first.id else restore)(committed, ada, first.id)

        monkeypatch.setattr(jobs, "_embed", interrupted)
        run = await runs.run_inline(committed, ada, [first.id, second.id])
        assert [failure.document_id for failure in run.failed] == [first.id]
        newest = (await do(committed, lambda session: runs.list_runs(session, ada))).items[0]
        assert (newest.state, newest.total) == (JobState.QUEUED, 1)

    async def test_the_same_file_can_be_added_again_but_not_twice(self, committed: Core, ada: Actor) -> None:
        first = await boats(committed, ada)
        await throw_away(committed, ada, first.id)
        second = await boats(committed, ada, "Ferries")
        with pytest.raises(Conflict, match="“Ferries”"):
            await restore(committed, ada, first.id)
        await throw_away(committed, ada, second.id)
        await restore(committed, ada, first.id)

    async def test_restored_gets_a_number_if_its_title_is_used(self, committed: Core, ada: Actor) -> None:
        first = await boats(committed, ada)
        await throw_away(committed, ada, first.id)
        await boats(committed, ada, content="Other boats.")
        await restore(committed, ada, first.id)
        assert (await do(committed, lambda session: training.get_document(session, ada, first.id))).title == "Boats (2)"

    async def test_counts_toward_storage_but_not_toward_the_plan(self, committed: Core, ada: Actor) -> None:
        boss = await do(committed, lambda session: add_account(session, "root@example.org", role=Role.ADMIN))
        one = PlanChange(price_cents=0, documents=1, drafts=1, imports=1, workspaces=1)
        await do(committed, lambda session: billing.change_plan(session, boss, PlanCode.FREE, one, client=HERE))
        first = await boats(committed, ada)
        await throw_away(committed, ada, first.id)
        await boats(committed, ada, content="Other boats.")
        usage = await do(committed, lambda session: storage.get_usage(session, ada, committed))
        assert usage.size_bytes == len(BOATS) + len("Other boats.")
        assert await do(committed, lambda session: storage.count_documents(session, ada)) == 1
        with pytest.raises(billing.QuotaSpent):
            await restore(committed, ada, first.id)

    async def test_are_restored_after_the_storage_limit_was_lowered(self, committed: Core, ada: Actor) -> None:
        document = await boats(committed, ada)
        await throw_away(committed, ada, document.id)
        await restore(with_settings(committed, account_bytes=len(BOATS) - 1), ada, document.id)
        assert (await do(committed, lambda session: training.get_document(session, ada, document.id))).title == "Boats"

    async def test_are_in_the_copy_of_personal_data(self, committed: Core, ada: Actor) -> None:
        document = await trained(committed, ada)
        await throw_away(committed, ada, document.id)
        names = await names_in(committed, own_documents, ada)
        assert {f"training/files/{document.id}/pasted.md", f"training/texts/{document.id}.txt"} <= names

    async def test_leave_with_the_workspace(self, committed: Core, ada: Actor) -> None:
        document = await trained(committed, ada)
        await throw_away(committed, ada, document.id)
        async with committed.database.transaction() as session:
            await removing.remove_all(session, ada, committed)
            await session.execute(text("DELETE FROM workspace WHERE id = :id"), {"id": ada.id})
        assert await left(committed) == (0, 0, 0)
        assert await do(committed, waiting_files) == [[document.sha256]]


class TestDrafts:
    async def test_in_the_trash_is_not_listed_and_its_job_is_canceled(self, committed: Core, ada: Actor) -> None:
        draft = await drafted(committed, ada)
        await do(committed, lambda session: begin_section(session, draft.sections[0].id, is_first=True))
        async with committed.database.transaction() as session:
            await generation.delete_draft(session, ada, draft.id)
            assert (await generation.list_drafts(session, ada, DraftQuery())).total == 0
            with pytest.raises(NotFound):
                await generation.get_draft(session, ada, draft.id)
        with pytest.raises(NotFound):
            await generation.get_by_slug(committed, ada, draft.slug)
        assert [(item.kind, item.title) for item in await listed(committed, ada)] == [("draft", draft.title)]
        assert f"generation/drafts_in_trash/{draft.id}.json" in await names_in(committed, own_drafts, ada)
        await restore(committed, ada, draft.id)
        restored = await generation.get_by_slug(committed, ada, draft.slug)
        assert (restored.state, len(restored.sections)) == (DraftState.CANCELED, len(draft.sections))
        assert {section.state for section in restored.sections} == {SectionState.WAITING}, "nothing is being written"
        await do(committed, lambda session: generation.continue_draft(session, ada, committed, draft.id))

    async def test_two_deletions_at_the_same_moment_move_it_once(self, committed: Core, ada: Actor) -> None:
        draft = await drafted(committed, ada)
        await end_jobs(committed)
        deletions = [do(committed, lambda session: generation.delete_draft(session, ada, draft.id)) for _ in range(3)]
        outcomes = await asyncio.gather(*deletions, return_exceptions=True)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["NoneType", "NotFound", "NotFound"]


class TestCategories:
    async def test_in_the_trash_keeps_its_labels_and_restoring_brings_them_back(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await opportunities.load_sample_once(session)
            notices = (await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=1))).items
            category = await categories.create(session, ada, CategoryCreate(name="Roofing"))
            await categories.accept(session, ada, committed, notices[0].id, category.id)
            await categories.delete(session, ada, category.id)
        async with committed.database.transaction() as session:
            assert await categories.list_categories(session, ada) == []
            assert await categories.labels_of(session, ada, [notices[0].id]) == {}
            assert (await session.scalars(categories.labeled_with(ada))).all() == []
            assert (await categories.list_suggestions(session, ada, committed, SuggestionQuery(is_all=True))).total == 0
        assert [(item.kind, item.title) for item in await listed(committed, ada)] == [("category", "Roofing")]
        files = {file.name: file.content async for file in _files(committed, own_categories, ada)}
        assert "Roofing" in str(files["categories/categories_in_trash.json"])
        assert "Roofing,accepted" in str(files["categories/decisions.csv"])
        await restore(committed, ada, category.id)
        async with committed.database.transaction() as session:
            (found,) = await categories.list_counted(session, ada, committed)
            assert (found.id, found.name, found.accepted) == (category.id, "Roofing", 1)

    async def test_its_name_is_free_and_a_restored_one_gets_a_number(self, committed: Core, ada: Actor) -> None:
        for _ in range(2):
            async with committed.database.transaction() as session:
                category = await categories.create(session, ada, CategoryCreate(name="Roofing" * 11))
                await categories.delete(session, ada, category.id)
        for item in await listed(committed, ada):
            await restore(committed, ada, item.id)
        names = [each.name for each in await do(committed, lambda session: categories.list_categories(session, ada))]
        assert names == [f"{('Roofing' * 11)[:72]} (2)", "Roofing" * 11]

    async def test_goes_to_the_trash_while_a_run_adds_labels(self, committed: Core, ada: Actor) -> None:
        added = await do(committed, lambda session: categories.create(session, ada, CategoryCreate(name="Ferries")))
        first, second = uuid4(), uuid4()

        async def suggest(session: AsyncSession, subject_id: UUID) -> None:
            await category_rows.lock_additions(session, ada.id)
            await category_rows.suggest(session, ada.id, "model", [(subject_id, added.id, 0.9)])

        await do(committed, lambda session: suggest(session, first))
        async with committed.database.transaction() as run:
            await suggest(run, second)
            deletion = asyncio.create_task(do(committed, lambda session: categories.delete(session, ada, added.id)))
            async with committed.database.engine.connect() as watcher:
                while not await watcher.scalar(_BLOCKED):
                    await watcher.rollback()
            await suggest(run, first)
        await deletion
        assert [item.title for item in await listed(committed, ada)] == ["Ferries"]

    async def test_nobody_labels_with_it_at_the_moment_of_deletion(self, committed: Core, ada: Actor) -> None:
        """What was decided would be lost when the category is restored, and be shown until then."""
        async with committed.database.transaction() as session:
            await opportunities.load_sample_once(session)
            notice = (await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=1))).items[0]
            category = await categories.create(session, ada, CategoryCreate(name="Ferries"))
            phrases = await categories.list_phrases_to_embed(session, ada, model_id="model")
            vectors = [np.ones(4, dtype=np.float32) for texts in phrases.values() for _ in texts]
            await categories.set_prototypes(session, ada, phrases, vectors, model_id="model")
            lesson = await categories.read_lesson(session, ada, model_id="model")
        probabilities = np.full((1, len(lesson.keys)), 0.9)
        labelings: list[Callable[[AsyncSession], Awaitable[object]]] = [
            lambda session: categories.accept(session, ada, committed, notice.id, category.id),
            lambda session: categories.correct(session, ada, committed, notice.id, category.id),
            lambda session: categories.correct(session, ada, committed, notice.id, None),
            lambda session: categories.suggest(session, ada, lesson, [notice.id], probabilities),
        ]
        async with committed.database.transaction() as session:
            await categories.delete(session, ada, category.id)
            waiting = [asyncio.create_task(do(committed, labeling)) for labeling in labelings]
            async with committed.database.engine.connect() as watcher:
                while await watcher.scalar(_BLOCKED) != len(labelings):
                    await watcher.rollback()
        accepted, corrected, rejected, suggested = await asyncio.gather(*waiting, return_exceptions=True)
        assert isinstance(accepted, NotFound)
        assert isinstance(corrected, NotFound)
        assert rejected == []
        assert isinstance(suggested, categories.CategoriesChanged)
        assert await do(committed, lambda session: categories.labels_of(session, ada, [notice.id])) == {}


class TestTrash:
    async def test_is_paged_sorted_and_filtered(self, committed: Core, ada: Actor) -> None:
        for title in ("b ferry", "A ferry", "c barge"):
            document = await boats(committed, ada, title, title)
            await throw_away(committed, ada, document.id)
        async with committed.database.transaction() as session:
            category = await categories.create(session, ada, CategoryCreate(name="Ferries"))
            await categories.delete(session, ada, category.id)

        async def titles(**query: object) -> list[str]:
            return [item.title for item in await listed(committed, ada, TrashQuery.model_validate(query))]

        assert await titles() == ["Ferries", "c barge", "A ferry", "b ferry"]
        assert await titles(sort="title", kind="document") == ["A ferry", "b ferry", "c barge"]
        assert await titles(text="FERR") == ["Ferries", "A ferry", "b ferry"]
        assert await titles(sort="removed_at", page=2, page_size=3) == ["Ferries"]
        async with committed.database.transaction() as session:
            exported = service.export_trash(session, ada, committed, TrashQuery(kind="category"))
            with using_language("de"):
                lines = [line async for line in exported]
        assert lines[1].startswith("Ferries,Kategorie,")

    @pytest.mark.security(40)
    async def test_of_others_is_neither_listed_nor_restored_nor_deleted(
        self, committed: Core, ada: Actor, stranger: Actor
    ) -> None:
        document = await boats(committed, ada)
        await throw_away(committed, ada, document.id)
        assert await listed(committed, stranger) == []
        for attempt in (service.restore, service.delete_forever):
            with pytest.raises(NotFound):
                async with committed.database.transaction() as session:
                    await attempt(session, stranger, committed, document.id)
        assert await do(committed, lambda session: service.empty(session, stranger, committed)) == 0
        await restore(committed, ada, document.id)

    async def test_of_documents_needs_the_permission_to_work(self, committed: Core, ada: Actor) -> None:
        document = await boats(committed, ada)
        await throw_away(committed, ada, document.id)
        reviewer = ada.model_copy(update={"workspace_role": WorkspaceRole.REVIEWER})
        for attempt in (service.restore, service.delete_forever):
            with pytest.raises(NotAllowed):
                async with committed.database.transaction() as session:
                    await attempt(session, reviewer, committed, document.id)
        assert await do(committed, lambda session: service.empty(session, reviewer, committed)) == 0
        assert len(await listed(committed, ada)) == 1

    async def test_deleting_forever_takes_chunks_vectors_and_the_file(self, committed: Core, ada: Actor) -> None:
        document = await trained(committed, ada)
        await throw_away(committed, ada, document.id)
        await do(committed, lambda session: service.delete_forever(session, ada, committed, document.id))
        assert await left(committed) == (0, 0, 0)
        assert await do(committed, waiting_files) == [[document.sha256]]
        assert await do(committed, lambda session: count_audited(session, "trash.deleted")) == 1

    async def test_is_emptied_at_once(self, committed: Core, ada: Actor, stranger: Actor) -> None:
        for actor in (ada, ada, stranger):
            document = await boats(committed, actor, content=str(uuid4()))
            await throw_away(committed, actor, document.id)
        assert await do(committed, lambda session: service.empty(session, ada, committed)) == 2
        assert (len(await listed(committed, ada)), len(await listed(committed, stranger))) == (0, 1)

    @pytest.mark.parametrize("kind", ["document", "draft", "category"])
    async def test_restoring_in_two_tabs_restores_once(self, committed: Core, ada: Actor, kind: str) -> None:
        if kind == "document":
            row_id = (await boats(committed, ada)).id
            await throw_away(committed, ada, row_id)
        elif kind == "draft":
            row_id = (await drafted(committed, ada)).id
            await do(committed, lambda session: generation.delete_draft(session, ada, row_id))
        else:
            row_id = (await do(committed, lambda session: categories.create(session, ada, CategoryCreate(name="Ferries")))).id
            await do(committed, lambda session: categories.delete(session, ada, row_id))
        async with committed.database.transaction() as session:
            await service.restore(session, ada, committed, row_id)
            other = asyncio.create_task(restore(committed, ada, row_id))
            async with committed.database.engine.connect() as watcher:
                while not await watcher.scalar(_BLOCKED):
                    await watcher.rollback()
        with pytest.raises(NotFound):
            await other
        assert await do(committed, lambda session: count_audited(session, "trash.restored")) == 1


class TestExpiry:
    async def test_the_daily_sweep_removes_expired_items(self, committed: Core) -> None:
        assert service.remove_expired in committed.plugins.collect("sweepers")

    async def test_items_older_than_thirty_days_are_removed(
        self, committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "_BATCH", 1)
        old = [await boats(committed, ada, content=f"Ferry {number}.") for number in range(2)]
        for document in old:
            await throw_away(committed, ada, document.id)
        await service.remove_expired(committed)
        assert len(await listed(committed, ada)) == 2
        await grow_old(committed)
        recent = await boats(committed, ada, "Recent")
        await throw_away(committed, ada, recent.id)
        await service.remove_expired(committed)
        assert [item.title for item in await listed(committed, ada)] == ["Recent"]
        assert sorted(await do(committed, waiting_files)) == sorted([document.sha256] for document in old)

    async def test_an_item_that_is_restored_at_this_moment_stays(self, committed: Core, ada: Actor) -> None:
        document = await boats(committed, ada)
        await throw_away(committed, ada, document.id)
        await grow_old(committed)
        async with committed.database.transaction() as session:
            await service.restore(session, ada, committed, document.id)
            await service.remove_expired(committed)
        await do(committed, lambda session: training.get_document(session, ada, document.id))


async def left(core: Core) -> tuple[int, int, int]:
    """The number of items in the trash, of chunks, and of vectors."""
    async with core.database.transaction() as session:
        counts = [await session.scalar(select(func.count()).select_from(table)) or 0 for table in (TrashItem, Chunk, ChunkVector)]
    return counts[0], counts[1], counts[2]


async def waiting_files(session: AsyncSession) -> list[list[str]]:
    found = await session.scalars(text("SELECT payload -> 'sha256' FROM job WHERE kind = 'remove_files' ORDER BY created_at"))
    return list(found)


async def names_in(core: Core, read: PersonalDataReader, actor: Actor) -> set[str]:
    return {file.name async for file in _files(core, read, actor)}


async def _files(core: Core, read: PersonalDataReader, actor: Actor) -> AsyncIterator[DataFile]:
    async with core.database.transaction() as session:
        async for file in read(session, actor, core):
            yield file

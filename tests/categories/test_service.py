from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from uuid import UUID, uuid4

import numpy as np
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.categories import service
from fundwright.categories.schemas import (
    Band,
    CategoryChange,
    CategoryColor,
    CategoryCreate,
    CategoryRead,
    LabelSource,
    LabelState,
    SuggestionQuery,
)
from fundwright.core.assembly import Core
from fundwright.core.errors import NotFound
from fundwright.core.paging import PageRequest
from tests.categories.embedding import WordEmbedder, classify
from tests.support.accounts import add_account, count_audited

Item = tuple[UUID, str]


async def roofing(session: AsyncSession, actor: Actor) -> CategoryRead:
    return await service.create(session, actor, CategoryCreate(name="Roofing", description="shingles gutters roof repair"))


async def software(session: AsyncSession, actor: Actor) -> CategoryRead:
    return await service.create(session, actor, CategoryCreate(name="Software", description="cloud database programming"))


def subject(text: str) -> Item:
    return uuid4(), text


ROOF = "roof repair shingles gutters roofing"
CLOUD = "cloud database programming software"
SOUP = "tomato soup kettle"


class TestCreate:
    async def test_a_category_is_listed_by_name_with_what_was_given(self, session: AsyncSession, actor: Actor) -> None:
        await software(session, actor)
        await service.create(session, actor, CategoryCreate(name="  roofing ", color=CategoryColor.RED))
        assert [(c.name, c.color) for c in await service.list_categories(session, actor)] == [
            ("roofing", CategoryColor.RED),
            ("Software", CategoryColor.BLUE),
        ]

    async def test_a_second_one_of_the_same_name_is_refused_capitals_aside(self, session: AsyncSession, actor: Actor) -> None:
        await roofing(session, actor)
        with pytest.raises(service.NameTaken, match="ROOFING"):
            await service.create(session, actor, CategoryCreate(name="ROOFING"))

    async def test_a_second_one_of_the_same_name_is_refused_when_the_name_has_letters_of_other_languages(
        self, session: AsyncSession, actor: Actor
    ) -> None:
        await service.create(session, actor, CategoryCreate(name="Énergie"))
        with pytest.raises(service.NameTaken, match="Énergie"):
            await service.create(session, actor, CategoryCreate(name="Énergie"))

    async def test_of_several_that_are_added_at_once_one_gets_the_name(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            actor = await add_account(session)
            other = await service.create(session, actor, CategoryCreate(name="Other"))

        async def add(name: str) -> None:
            async with committed.database.transaction() as session:
                await service.create(session, actor, CategoryCreate(name=name))

        async def rename() -> None:
            async with committed.database.transaction() as session:
                await service.change(session, actor, other.id, CategoryChange(name="Roofing"))

        outcomes = await asyncio.gather(*(add("Roofing") for _ in range(4)), add("ROOFING"), rename(), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes if outcome is not None] == [service.NameTaken] * 5
        async with committed.database.transaction() as session:
            names = [category.name.lower() for category in await service.list_categories(session, actor)]
        assert names.count("roofing") == 1

    async def test_two_accounts_may_use_the_same_name_and_do_not_see_each_other(
        self, session: AsyncSession, actor: Actor
    ) -> None:
        other = await add_account(session)
        mine = await roofing(session, actor)
        theirs = await roofing(session, other)
        assert [c.id for c in await service.list_categories(session, actor)] == [mine.id]
        assert [c.id for c in await service.list_categories(session, other)] == [theirs.id]


class TestChange:
    async def test_renaming_keeps_the_rest(self, session: AsyncSession, actor: Actor) -> None:
        category = await roofing(session, actor)
        changed = await service.change(session, actor, category.id, CategoryChange(name="Roofs"))
        assert (changed.name, changed.description) == ("Roofs", category.description)

    async def test_a_category_may_change_the_capitals_of_its_own_name(self, session: AsyncSession, actor: Actor) -> None:
        category = await roofing(session, actor)
        assert (await service.change(session, actor, category.id, CategoryChange(name="ROOFING"))).name == "ROOFING"

    async def test_a_name_that_another_has_is_refused(self, session: AsyncSession, actor: Actor) -> None:
        category = await roofing(session, actor)
        await software(session, actor)
        with pytest.raises(service.NameTaken):
            await service.change(session, actor, category.id, CategoryChange(name="software"))

    async def test_a_change_that_started_before_another_one_is_refused(self, session: AsyncSession, actor: Actor) -> None:
        opened = await roofing(session, actor)
        changed = await service.change(
            session, actor, opened.id, CategoryChange(description="gutters", based_on=opened.changed_at)
        )
        with pytest.raises(service.CategoryChangedMeanwhile):
            await service.change(session, actor, opened.id, CategoryChange(name="Roofs", based_on=opened.changed_at))
        again = await service.change(session, actor, opened.id, CategoryChange(name="Roofs", based_on=changed.changed_at))
        assert (again.name, again.description) == ("Roofs", "gutters")

    async def test_of_the_description_does_not_wait_for_notices_that_are_being_labeled(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            actor = await add_account(session)
            category = await roofing(session, actor)
        async with committed.database.transaction() as labeling:
            await service.accept(labeling, actor, committed, uuid4(), category.id)
            async with committed.database.transaction() as session:
                await session.execute(text("SET LOCAL lock_timeout = '1s'"))
                changed = await service.change(session, actor, category.id, CategoryChange(description="gutters"))
        assert changed.description == "gutters"

    async def test_a_new_description_is_what_the_classifier_reads_next(self, session: AsyncSession, actor: Actor) -> None:
        category = await roofing(session, actor)
        item = subject(SOUP)
        assert (await classify(session, actor, [item], embedder=WordEmbedder())).abstained == 1
        await service.change(session, actor, category.id, CategoryChange(description="tomato soup kettle"))
        assert (await classify(session, actor, [item], embedder=WordEmbedder())).labeled == 1

    async def test_another_users_category_is_not_found(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        category = await roofing(session, actor)
        other = await add_account(session)
        with pytest.raises(NotFound):
            await service.change(session, other, category.id, CategoryChange(name="Mine now"))
        with pytest.raises(NotFound):
            await service.delete(session, other, category.id)
        with pytest.raises(NotFound):
            await service.correct(session, other, core, uuid4(), category.id)


class TestDelete:
    async def test_the_labels_go_with_it(self, session: AsyncSession, actor: Actor) -> None:
        category = await roofing(session, actor)
        item = subject(ROOF)
        await classify(session, actor, [item], embedder=WordEmbedder())
        await service.delete(session, actor, category.id)
        assert await service.labels_of(session, actor, [item[0]]) == {}
        assert await service.list_categories(session, actor) == []


class TestSample:
    async def test_a_new_account_starts_with_four_and_loses_them_with_one_call(self, session: AsyncSession, core: Core) -> None:
        actor = await add_account(session)
        if not await service.list_categories(session, actor):
            await service.add_sample(session, actor, core)
        own = await service.create(session, actor, CategoryCreate(name="Roofing"))
        samples = [category for category in await service.list_categories(session, actor) if category.is_sample]
        assert len(samples) == 4
        assert CategoryColor.RED not in {category.color for category in samples}
        assert await service.remove_sample(session, actor) == 4
        assert [category.id for category in await service.list_categories(session, actor)] == [own.id]

    async def test_restored_at_once_in_two_tabs_they_are_added_once(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            actor = await add_account(session)
            await service.remove_sample(session, actor)

        async def restore() -> None:
            async with committed.database.transaction() as session:
                await service.restore_sample(session, actor, committed)

        await asyncio.gather(restore(), restore())
        async with committed.database.transaction() as session:
            assert sum(category.is_sample for category in await service.list_categories(session, actor)) == 4
            assert await count_audited(session, "sample.restored") == 1


class TestClassify:
    async def test_near_subjects_are_labeled_and_far_ones_are_not(self, session: AsyncSession, actor: Actor) -> None:
        roofs, clouds = await roofing(session, actor), await software(session, actor)
        items = [subject(ROOF), subject(CLOUD), subject(SOUP)]
        done = await classify(session, actor, items, embedder=WordEmbedder())
        labels = await service.labels_of(session, actor, [item[0] for item in items])
        assert (done.labeled, done.abstained) == (2, 1)
        assert [label.category_id for label in labels[items[0][0]]] == [roofs.id]
        assert [label.category_id for label in labels[items[1][0]]] == [clouds.id]
        assert all(0.25 <= label.confidence <= 1 and label.state == LabelState.SUGGESTED for [label] in labels.values())

    async def test_a_subject_may_be_in_several_categories(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        roofs, clouds = await roofing(session, actor), await software(session, actor)
        both, more = [subject(f"{ROOF} {CLOUD} number{number}") for number in range(6)], subject(f"{ROOF} {CLOUD}")
        for id, _ in both:
            await service.accept(session, actor, core, id, roofs.id)
            await service.accept(session, actor, core, id, clouds.id)
        await classify(session, actor, [*both, more], embedder=WordEmbedder())
        labels = (await service.labels_of(session, actor, [more[0]]))[more[0]]
        assert {label.category_id for label in labels} == {roofs.id, clouds.id}

    async def test_what_is_accepted_for_one_category_may_be_suggested_for_another(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        roofs, clouds = await roofing(session, actor), await software(session, actor)
        examples, item = [subject(f"{CLOUD} number{number}") for number in range(4)], subject(f"{CLOUD} {ROOF}")
        for id, _ in examples:
            await service.accept(session, actor, core, id, clouds.id)
        await service.accept(session, actor, core, item[0], roofs.id)
        await classify(session, actor, [*examples, item], embedder=WordEmbedder())
        labels = (await service.labels_of(session, actor, [item[0]]))[item[0]]
        assert (labels[0].category_id, labels[0].state) == (roofs.id, LabelState.ACCEPTED)
        assert (clouds.id, LabelState.REJECTED) not in [(label.category_id, label.state) for label in labels]

    async def test_a_second_run_changes_nothing(self, session: AsyncSession, actor: Actor) -> None:
        await roofing(session, actor)
        items = [subject(ROOF), subject(SOUP)]
        await classify(session, actor, items, embedder=WordEmbedder())
        before = await service.labels_of(session, actor, [item[0] for item in items])
        again = await classify(session, actor, items, embedder=WordEmbedder())
        assert (again.labeled, again.unchanged, again.abstained) == (0, 1, 1)
        assert await service.labels_of(session, actor, [item[0] for item in items]) == before

    async def test_descriptions_are_embedded_once(self, session: AsyncSession, actor: Actor) -> None:
        await roofing(session, actor)
        embedder = WordEmbedder()
        await classify(session, actor, [subject(ROOF)], embedder=embedder)
        await classify(session, actor, [subject(CLOUD)], embedder=embedder)
        assert embedder.asked == ["Roofing", "shingles gutters roof repair"]

    async def test_a_name_of_one_letter_does_not_stop_the_others(self, session: AsyncSession, actor: Actor) -> None:
        await service.create(session, actor, CategoryCreate(name="C"))
        await roofing(session, actor)
        assert (await classify(session, actor, [subject(ROOF)], embedder=WordEmbedder())).labeled == 1

    async def test_without_categories_everything_is_left_alone(self, session: AsyncSession, actor: Actor) -> None:
        assert (await classify(session, actor, [subject(ROOF)], embedder=WordEmbedder())).abstained == 1
        assert (await classify(session, actor, [], embedder=WordEmbedder())).abstained == 0

    async def test_a_suggestion_that_no_longer_holds_is_withdrawn(self, session: AsyncSession, actor: Actor) -> None:
        category = await roofing(session, actor)
        item = subject("shingles gutters roof repair")
        await classify(session, actor, [item], embedder=WordEmbedder())
        await service.change(session, actor, category.id, CategoryChange(name="Kitchen", description="pots pans cutlery tables"))
        await classify(session, actor, [item], embedder=WordEmbedder())
        assert await service.labels_of(session, actor, [item[0]]) == {}

    async def test_what_a_person_decided_is_never_overwritten(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        await roofing(session, actor)
        clouds = await software(session, actor)
        moved, removed = subject(ROOF), subject(ROOF)
        await service.correct(session, actor, core, moved[0], clouds.id)
        await service.correct(session, actor, core, removed[0], None)
        done = await classify(session, actor, [moved, removed], embedder=WordEmbedder())
        labels = await service.labels_of(session, actor, [moved[0], removed[0]])
        assert done.kept == 1, "the other may still belong elsewhere"
        assert (labels[moved[0]][0].category_id, labels[moved[0]][0].source) == (clouds.id, LabelSource.PERSON)
        assert {label.state for label in labels[removed[0]]} == {LabelState.REJECTED}

    async def test_a_correction_is_an_example_for_the_next_run(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        category = await roofing(session, actor)
        like, example = subject("tomato soup kettle spoon"), subject(SOUP)
        assert (await classify(session, actor, [like], embedder=WordEmbedder())).abstained == 1
        await service.accept(session, actor, core, example[0], category.id)
        await classify(session, actor, [like], known=[example], embedder=WordEmbedder())
        [label] = (await service.labels_of(session, actor, [like[0]]))[like[0]]
        assert label.category_id == category.id

    async def test_another_model_has_to_embed_the_categories_first(self, session: AsyncSession, actor: Actor) -> None:
        await roofing(session, actor)
        await classify(session, actor, [subject(ROOF)], embedder=WordEmbedder("first"))
        assert await service.list_phrases_to_embed(session, actor, model_id="first") == {}
        with pytest.raises(service.CategoriesChanged):
            await service.read_lesson(session, actor, model_id="second")

    async def test_suggestions_for_categories_that_have_changed_are_refused(self, session: AsyncSession, actor: Actor) -> None:
        category = await roofing(session, actor)
        await classify(session, actor, [subject(ROOF)], embedder=WordEmbedder())
        lesson = await service.read_lesson(session, actor, model_id="words")
        await service.delete(session, actor, category.id)
        with pytest.raises(service.CategoriesChanged):
            await service.suggest(session, actor, lesson, [uuid4()], np.array([[0.9]]))

    @pytest.mark.slow
    async def test_a_thousand_subjects_in_one_call(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        await roofing(session, actor)
        items = [subject(f"{ROOF} number{number}") for number in range(1_000)]
        done = await classify(session, actor, items, embedder=WordEmbedder())
        assert done.labeled + done.abstained == 1_000
        assert (await service.list_suggestions(session, actor, core, SuggestionQuery(is_all=True))).total == done.labeled


class TestReview:
    async def test_accepting_makes_the_label_a_persons(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        await roofing(session, actor)
        item = subject(ROOF)
        await classify(session, actor, [item], embedder=WordEmbedder())
        label = await service.accept(session, actor, core, item[0], (await service.list_categories(session, actor))[0].id)
        assert (label.state, label.source, label.confidence) == (LabelState.ACCEPTED, LabelSource.PERSON, 1.0)
        (category,) = await service.list_counted(session, actor, core)
        assert (category.suggested, category.accepted) == (0, 1)

    async def test_a_category_that_does_not_exist_cannot_be_accepted(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        with pytest.raises(NotFound):
            await service.accept(session, actor, core, uuid4(), uuid4())

    async def test_rejecting_one_category_leaves_the_others(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        roofs, clouds = await roofing(session, actor), await software(session, actor)
        id = uuid4()
        await service.accept(session, actor, core, id, roofs.id)
        await service.reject(session, actor, core, id, clouds.id)
        states = {label.category_id: label.state for label in (await service.labels_of(session, actor, [id]))[id]}
        assert states == {roofs.id: LabelState.ACCEPTED, clouds.id: LabelState.REJECTED}

    async def test_none_of_these_rejects_every_category(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        roofs, clouds = await roofing(session, actor), await software(session, actor)
        id = uuid4()
        await service.accept(session, actor, core, id, roofs.id)
        labels = await service.correct(session, actor, core, id, None)
        assert {label.category_id: label.state for label in labels} == dict.fromkeys((roofs.id, clouds.id), LabelState.REJECTED)

    async def test_another_category_takes_the_place_of_those_that_are_suggested(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        roofs, clouds = await roofing(session, actor), await software(session, actor)
        item = subject(ROOF)
        await classify(session, actor, [item], embedder=WordEmbedder())
        labels = await service.correct(session, actor, core, item[0], clouds.id)
        states = {label.category_id: label.state for label in labels}
        assert states == {roofs.id: LabelState.REJECTED, clouds.id: LabelState.ACCEPTED}

    async def test_transactions_that_add_labels_wait_for_each_other(self, committed: Core) -> None:
        """Two transactions that each lock existing labels and then add others could wait for each other."""
        async with committed.database.transaction() as session:
            actor = await add_account(session)
            one, other = await roofing(session, actor), await software(session, actor)
            await classify(session, actor, [], embedder=WordEmbedder())
            lesson = await service.read_lesson(session, actor, model_id=WordEmbedder().id)
        item, both_have_begun = uuid4(), asyncio.Barrier(2)

        async def accept(session: AsyncSession, category: CategoryRead) -> None:
            await service.accept(session, actor, committed, item, category.id)

        async def suggest(session: AsyncSession, category: CategoryRead) -> None:
            probabilities = np.array([[0.9 * (id == category.id) for id in lesson.keys]])
            await service.suggest(session, actor, lesson, [item], probabilities)

        async def add(how: Callable[..., Awaitable[None]], *categories: CategoryRead) -> None:
            async with committed.database.transaction() as session:
                await how(session, categories[0])
                with suppress(TimeoutError, asyncio.BrokenBarrierError):
                    async with asyncio.timeout(0.3):
                        await both_have_begun.wait()
                await accept(session, categories[1])

        for how in (accept, suggest):
            both_have_begun = asyncio.Barrier(2)
            await asyncio.gather(add(accept, one, other), add(how, other, one))

    async def test_undoing_a_decision_brings_back_every_label_it_changed(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        await roofing(session, actor)
        await software(session, actor)
        item = subject(ROOF)
        await classify(session, actor, [item], embedder=WordEmbedder())
        before = (await service.labels_of(session, actor, [item[0]]))[item[0]]
        decided = await service.correct(session, actor, core, item[0], None)
        at = decided[0].decided_at
        await service.restore(session, actor, core, item[0], decided_at=at, before=before)
        assert (await service.labels_of(session, actor, [item[0]]))[item[0]] == before
        with pytest.raises(service.DecidedSince):
            await service.restore(session, actor, core, item[0], decided_at=at, before=before)

    async def test_undoing_a_decision_lets_the_model_suggest_again(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        category = await roofing(session, actor)
        item = subject(ROOF)
        await service.correct(session, actor, core, item[0], None)
        await service.remove_example(session, actor, core, item[0], category.id)
        assert (await classify(session, actor, [item], embedder=WordEmbedder())).labeled == 1
        with pytest.raises(NotFound):
            await service.remove_example(session, actor, core, item[0], category.id)

    async def test_suggestions_come_in_pages_surest_first(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        category = await roofing(session, actor)
        items = [subject(ROOF), subject(f"{ROOF} kettle"), subject(f"{ROOF} kettle spoon")]
        await classify(session, actor, items, embedder=WordEmbedder())
        first = await service.list_suggestions(session, actor, core, SuggestionQuery(page=1, page_size=2, is_all=True))
        second = await service.list_suggestions(
            session, actor, core, SuggestionQuery(page=2, page_size=2, category_id=category.id, is_all=True)
        )
        confidences = [label.confidence for label in (*first.items, *second.items)]
        assert first.total == second.total == 3
        assert confidences == sorted(confidences, reverse=True)
        least = await service.list_suggestions(session, actor, core, SuggestionQuery(sort="confidence", is_all=True))
        assert [label.confidence for label in least.items] == confidences[::-1]

    async def test_unlikely_suggestions_are_listed_on_request_and_a_subject_once(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        await roofing(session, actor)
        await software(session, actor)
        items = [subject(ROOF), subject(CLOUD), subject(SOUP)]
        await classify(session, actor, items, embedder=WordEmbedder())
        lesson = await service.read_lesson(session, actor, model_id="words")
        probabilities = np.array([[0.9, 0.6], [0.3, 0.7], [0.15, 0.12]])
        await service.suggest(session, actor, lesson, [id for id, _ in items], probabilities)
        likely = await service.list_suggestions(session, actor, core, SuggestionQuery(is_all=True))
        assert [(label.subject_id, label.band) for label in likely.items] == [
            (items[0][0], Band.HIGH), (items[1][0], Band.MEDIUM)
        ]  # fmt: skip
        everything = await service.list_suggestions(session, actor, core, SuggestionQuery(is_unsure_shown=True, is_all=True))
        assert [label.band for label in everything.items] == [Band.HIGH, Band.MEDIUM, Band.UNSURE]

    async def test_examples_of_a_category_are_what_people_put_there(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        category = await roofing(session, actor)
        suggested, given = subject(ROOF), uuid4()
        await classify(session, actor, [suggested], embedder=WordEmbedder())
        await service.accept(session, actor, core, given, category.id)
        assert [
            label.subject_id for label in (await service.list_examples(session, actor, category.id, PageRequest())).items
        ] == [given]


class TestLabeledWith:
    async def test_it_selects_subjects_of_one_category_or_of_any(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        roofs, _ = await roofing(session, actor), await software(session, actor)
        items = [subject(ROOF), subject(CLOUD)]
        rejected = uuid4()
        await classify(session, actor, items, embedder=WordEmbedder())
        await service.correct(session, actor, core, rejected, None)
        assert set(await session.scalars(service.labeled_with(actor, roofs.id))) == {items[0][0]}
        assert set(await session.scalars(service.labeled_with(actor))) == {items[0][0], items[1][0]}
        other = await add_account(session)
        assert set(await session.scalars(service.labeled_with(other, roofs.id))) == set()


class TestForgetSubjects:
    async def test_labels_of_vanished_subjects_go_for_every_account(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        category = await roofing(session, actor)
        gone, stays = uuid4(), uuid4()
        await service.accept(session, actor, core, gone, category.id)
        await service.accept(session, actor, core, stays, category.id)
        await service.forget_subjects(session, [gone])
        assert set(await service.labels_of(session, actor, [gone, stays])) == {stays}

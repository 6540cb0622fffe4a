from __future__ import annotations

import pytest
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy import update

from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.categories import service
from fundwright.categories.models import Label
from fundwright.categories.schemas import CategoryColor, CategoryCreate, CategoryRead, LabelSource, LabelState, SuggestionQuery
from fundwright.core.assembly import Core
from fundwright.core.jobs import Job, JobState
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.models import Opportunity, OpportunityText
from fundwright.opportunities.schemas import CategorizeOpportunities, OpportunityQuery, OpportunityRow
from fundwright_ui.runtime.html import shown_in
from fundwright_ui.screens.categories.category import category_screen
from fundwright_ui.shell.prompts import prompts
from fundwright_ui.testing import mounted, text_of
from fundwright_ui.ui import category_color
from tests.categories.embedding import WordEmbedder, classify
from tests.support.accounts import account_and_samples, add_account, add_member
from tests.support.jobs import working
from tests.support.snapshots import Snapshots

PATH = "/dashboard/category"


@pytest.fixture
async def ada(committed: Core, snapshots: Snapshots) -> Actor:
    return await snapshots.of(committed, account_and_samples)


async def add(core: Core, actor: Actor, name: str, description: str = "") -> CategoryRead:
    async with core.database.transaction() as session:
        return await service.create(session, actor, CategoryCreate(name=name, description=description))


async def some_opportunities(core: Core, actor: Actor, count: int) -> list[OpportunityRow]:
    async with core.database.transaction() as session:
        return (await opportunities.list_opportunities(session, actor, OpportunityQuery(page_size=count))).items


async def suggest(core: Core, actor: Actor, count: int) -> list[OpportunityRow]:
    """Let the classifier suggest the category named Roofing for some open opportunities."""
    rows = await some_opportunities(core, actor, count)
    async with core.database.transaction() as session:
        await session.execute(update(Opportunity).values(closes_at=None, status="posted"))
        items = [(row.id, "Roofing") for row in rows]
        await classify(session, actor, items, embedder=WordEmbedder())
    return rows


class TestCreating:
    async def test_an_account_without_categories_is_shown_what_to_do(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert "No categories yet." in screen.text
            assert not screen.has("button", "New category")  # the form is below
            await screen.type("Name", "Roofing")
            await screen.type("Description", "shingles, gutters")
            await screen.choose("Color", "red")
            await screen.click("button", "Create category")
            assert screen.toasts == ["The category was created."]
            await screen.expect(lambda: screen.has("article", "Roofing"))

    async def test_a_new_category_gets_a_color_that_no_other_has(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert screen.value("Color") == "blue"
            await screen.type("Name", "Roofing")
            await screen.click("button", "Create category")
            await screen.expect(lambda: screen.has("article", "Roofing"))
            await screen.click("button", "New category")
            assert screen.value("Color") == "green"

    async def test_a_name_that_is_taken_keeps_the_form_and_reports_it(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.click("button", "New category")
            await screen.type("Name", "roofing")
            await screen.click("button", "Create category")
            assert "You already have a category named “roofing”" in screen.text
            assert screen.value("Name") == "roofing"

    async def test_an_empty_name_is_rejected_next_to_the_field(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.click("button", "Create category")
            assert "Fill in this field." in screen.text


class TestChanging:
    async def test_renaming(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.click("button", "Edit Roofing")
            assert screen.value("Name") == "Roofing"
            assert screen.has("region", "Edit Roofing")
            await screen.type("Name", "Roofs")
            await screen.click("button", "Save")
            await screen.expect(lambda: screen.has("article", "Roofs"))

    async def test_what_was_changed_in_another_tab_is_not_overwritten(self, committed: Core, ada: Actor) -> None:
        category = await add(committed, ada, "Roofing")
        path = f"{PATH}?open=edit:{category.id}"
        async with (
            mounted(committed, ada, category_screen, path=path) as first,
            mounted(committed, ada, category_screen, path=path) as second,
        ):
            await first.type("Description", "shingles, gutters")
            await first.click("button", "Save")
            await second.type("Description", "slates")
            await second.click("button", "Save")
            assert "This category has been changed since you opened it." in second.text
            assert second.value("Description") == "slates"
        async with committed.database.transaction() as session:
            assert (await service.get_category(session, ada, category.id)).description == "shingles, gutters"

    async def test_what_was_changed_before_the_server_restarted_is_not_overwritten(self, committed: Core, ada: Actor) -> None:
        category = await add(committed, ada, "Roofing")
        path = f"{PATH}?open=edit:{category.id}"
        async with mounted(committed, ada, category_screen, path=path) as first:
            await first.type("Description", "shingles, gutters")
            await first.click("button", "Save")
        async with mounted(committed, ada, category_screen, path=path) as restarted:
            begun = {"name": "Roofing", "description": "slates", "based_on": category.changed_at.isoformat()}
            await restarted.emit("form", "on_submit", fields=begun)
            assert "This category has been changed since you opened it." in restarted.text
        async with committed.database.transaction() as session:
            assert (await service.get_category(session, ada, category.id)).description == "shingles, gutters"

    async def test_a_card_has_three_lines_and_a_menu(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            roofing = CategoryCreate(name="Roofing", description="shingles, gutters")
            await service.create(session, ada, roofing, core=committed)
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert [text for line in shown_in(screen.find("article", "Roofing").node) if (text := text_of(line))] == [
                "Roofing Examples Contracts Grants Edit Move to trash",
                "shingles, gutters",
                "0 accepted · 0 suggested",
            ]
            for label in ("Examples of Roofing", "Edit Roofing", "Move Roofing to trash"):
                assert any("popover" in each.get("a", {}) for each in screen.find("button", label).ancestors)

    async def test_moving_to_the_trash_can_be_undone(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.click("button", "Move Roofing to trash")
            await screen.expect("Moved to trash")
            assert screen.has("article", "Roofing")
            assert not screen.has("button", "Move Roofing to trash")
            assert screen.toasts == ["“Roofing” was moved to the trash."]

    async def test_samples_are_removed_after_a_question_and_restored_by_undo(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await service.add_sample(session, ada, committed)

        @component
        def shell() -> VdomDict:
            return html.div(category_screen.render(), prompts())

        async with mounted(committed, ada, shell, path=PATH) as screen:
            await screen.click("button", "Remove samples")
            assert screen.has("article", "Information technology")
            await screen.emit("ConfirmDialog", "on_confirm")
            await screen.expect("No categories yet.")
            assert screen.props("UndoToast")["message"] == "The sample categories were removed."
            await screen.emit("UndoToast", "on_undo")
            await screen.expect(lambda: screen.has("article", "Information technology"))
            assert not screen.has("UndoToast")
            assert screen.toasts == ["Undone."]

    async def test_the_notice_of_samples_stays_dismissed(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await service.add_sample(session, ada, committed)
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.click("button", "Dismiss")
            await screen.expect(lambda: "are samples" not in screen.text)
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.expect(lambda: screen.has("article", "Information technology") and "are samples" not in screen.text)

    async def test_the_counts_lead_to_the_lists(self, committed: Core, ada: Actor) -> None:
        category = await add(committed, ada, "Roofing")
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert screen.find("link", "Contracts").props["href"] == f"/dashboard/sam?category={category.id}&availability=any"
            assert screen.find("link", "Grants").props["href"] == f"/dashboard/nih?category={category.id}&availability=any"


class TestExamples:
    async def test_a_notice_is_searched_given_and_withdrawn(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        (wanted,) = await some_opportunities(committed, ada, 1)
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.click("button", "Examples of Roofing")
            assert "No examples yet." in screen.find("region", "Examples of Roofing").text
            assert "No examples yet." not in screen.find("article", "Roofing").text
            await screen.type("Find a notice to add as an example", wanted.number)
            await screen.click("button", f"Add {wanted.title} as an example")
            await screen.expect("1 accepted")
            await screen.expect(lambda: screen.has("button", f"Remove {wanted.title} from the examples"))
            await screen.click("button", f"Remove {wanted.title} from the examples")
            await screen.expect("Removed")
            await screen.expect("0 accepted")
            taken_back = screen.find("list", "Examples of Roofing")
            assert wanted.title in taken_back.text

    async def test_a_search_without_hits_shows_a_message(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.click("button", "Examples of Roofing")
            await screen.type("Find a notice to add as an example", "xylophonequartz")
            assert "No results. Try other words." in screen.text


class TestReview:
    async def test_accepting_takes_a_suggestion_from_the_queue(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        first, _ = await suggest(committed, ada, 2)
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert "2 suggestions" in screen.text
            await screen.click("button", f"Accept Roofing for {first.title}")
            await screen.expect("1 suggestion")
            await screen.expect("1 accepted · 1 suggested")

    async def test_an_accepted_row_keeps_its_place_and_can_be_undone(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        first, second = await suggest(committed, ada, 2)

        def titles() -> list[str]:
            return [link.text for link in screen.elements("link") if link.text in (first.title, second.title)]

        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            before = titles()
            accepted = first if before[0] == first.title else second
            await screen.click("button", f"Accept Roofing for {accepted.title}")
            await screen.expect("1 suggestion")
            assert titles() == before
            assert screen.has("button", "Undo")
            assert not screen.has("button", f"Accept Roofing for {accepted.title}")
            await screen.click("button", "Undo")
            await screen.expect("2 suggestions")
            assert titles() == before
            assert screen.has("button", f"Accept Roofing for {accepted.title}")
        async with committed.database.transaction() as session:
            [label] = (await service.labels_of(session, ada, [accepted.id]))[accepted.id]
        assert (label.state, label.source) == (LabelState.SUGGESTED, LabelSource.MODEL)

    async def test_the_category_that_was_shown_is_accepted_even_if_another_is_suggested_since(
        self, committed: Core, ada: Actor
    ) -> None:
        await add(committed, ada, "Roofing")
        (only,) = await suggest(committed, ada, 1)
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            click = screen.find("button", f"Accept Roofing for {only.title}").node["e"]["onClick"]["h"]
            software = await add(committed, ada, "Software")
            async with committed.database.transaction() as session:
                await classify(session, ada, [(only.id, "Software")], embedder=WordEmbedder())
                labels = (await service.labels_of(session, ada, [only.id]))[only.id]
                assert [label.category_id for label in labels] == [software.id]
            await screen.view.handle(click, {}, 1)
        async with committed.database.transaction() as session:
            labels = (await service.labels_of(session, ada, [only.id]))[only.id]
        assert [label.category_name for label in labels if label.state == LabelState.ACCEPTED] == ["Roofing"]

    async def test_a_title_of_codes_is_followed_by_the_beginning_of_the_description(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        coded, named = await suggest(committed, ada, 2)
        async with committed.database.transaction() as session:
            await session.execute(update(Opportunity).where(Opportunity.id == coded.id).values(title="FD2030-26-01615"))
            await session.execute(update(OpportunityText).values(description="Replace the\n roof."))
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            rows = [each.text for each in screen.elements("listitem")]
            assert ["Replace the roof." in row for row in rows] == ["FD2030-26-01615" in row for row in rows]
            assert sum("Replace the roof." in row for row in rows) == 1 and named.id != coded.id

    async def test_more_suggestions_wait_below_the_rows(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        rows = await suggest(committed, ada, 11)
        async with mounted(committed, ada, category_screen, path=f"{PATH}?sort=confidence") as screen:
            accept = screen.find("list", "Suggestions")
            assert len(accept.node["c"]) == 10
            first = next(each for each in screen.elements("button") if each.name.startswith("Accept Roofing"))
            await screen.click("button", first.name)
            await screen.expect("1 more entry in this list")
            assert len(screen.find("list", "Suggestions").node["c"]) == 10
            await screen.click("button", "Show")
            await screen.expect(lambda: not screen.has("button", "Undo"))
            assert len(screen.find("list", "Suggestions").node["c"]) == 10
            assert len(rows) == 11

    async def test_choosing_none_is_remembered(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        (only,) = await suggest(committed, ada, 1)
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.click("button", f"None of these for {only.title}")
            await screen.expect("0 suggestions")
        async with committed.database.transaction() as session:
            [label] = (await service.labels_of(session, ada, [only.id]))[only.id]
        assert label.state == LabelState.REJECTED

    async def test_another_category_is_chosen_by_its_number(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        (only,) = await suggest(committed, ada, 1)
        software = await add(committed, ada, "Software")
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            (field,) = [each for each in screen.elements("combobox") if each.props["name"] == "correct"]
            assert [option["c"][0] for option in field.node["c"]] == ["Other…", "1. Roofing", "2. Software"]
            await screen.view.handle(field.node["e"]["onChange"]["h"], {"value": str(software.id)}, 1)
            await screen.expect("Changed to Software")
            await screen.click("button", "Undo")
            await screen.expect("1 suggestion")
        async with committed.database.transaction() as session:
            [label] = (await service.labels_of(session, ada, [only.id]))[only.id]
        assert (label.category_name, label.state) == ("Roofing", LabelState.SUGGESTED)

    async def test_a_card_counts_what_its_queue_lists(self, committed: Core, ada: Actor) -> None:
        roofing, software = await add(committed, ada, "Roofing"), await add(committed, ada, "Software")
        high, low, unlikely, closed, other = [row.id for row in await suggest(committed, ada, 5)]
        async with committed.database.transaction() as session:
            await session.execute(update(Opportunity).where(Opportunity.id == closed).values(status="archived"))
            for id, confidence in ((low, 0.3), (unlikely, 0.15)):
                await session.execute(update(Label).where(Label.subject_id == id).values(confidence=confidence))
            await session.execute(update(Label).where(Label.subject_id == other).values(category_id=software.id))
        async with mounted(committed, ada, category_screen, path=f"{PATH}?all=1&unsure=1&page=2") as screen:
            await screen.expect("5 suggestions")
            assert "2 suggested" in screen.find("article", "Roofing").text
            await screen.click("link", "2 suggested")
            await screen.expect("2 suggestions")
            assert screen.address == f"{PATH}?of={roofing.id}"
            await screen.click("link", "1 suggested")
            await screen.expect("1 suggestion")
        async with committed.database.transaction() as session:
            for category in await service.list_counted(session, ada, committed):
                listed = await service.list_suggestions(session, ada, committed, SuggestionQuery(category_id=category.id))
                assert category.suggested == listed.total
            assert high in {
                label.subject_id for label in (await service.list_suggestions(session, ada, committed, SuggestionQuery())).items
            }

    async def test_closed_notices_are_shown_on_request(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        await suggest(committed, ada, 1)
        async with committed.database.transaction() as session:
            await session.execute(update(Opportunity).values(status="archived"))
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert "No open notices to review." in screen.text
            assert not screen.has("combobox", "Order") and not screen.has("combobox", "Category")  # there is nothing to filter
            await screen.choose("Notices", "1")
            await screen.expect("1 suggestion")
            assert screen.address == f"{PATH}?all=1"
        async with committed.database.transaction() as session:
            for is_all, count in ((False, 0), (True, 1)):
                query = SuggestionQuery(is_all=is_all)
                assert (await service.list_suggestions(session, ada, committed, query)).total == count
                assert len([line async for line in service.export_suggestions(session, ada, committed, query)]) == 1 + count

    async def test_unlikely_suggestions_are_shown_on_request(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        await suggest(committed, ada, 2)
        async with committed.database.transaction() as session:
            await session.execute(update(Label).values(confidence=0.15))
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert "0 suggestions" in screen.text
            await screen.click("link", "Show 2 unlikely suggestions")
            await screen.expect("2 suggestions")
            assert "Confidence: Unlikely" in screen.text
            assert screen.address == f"{PATH}?unsure=1"

    async def test_an_empty_queue_says_what_fills_it_and_offers_no_export(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")

        def exports() -> list[str]:
            return [link.text for link in screen.elements("link") if link.text == "Export as CSV"]

        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert "Choose “Categorize” to get suggestions." in screen.text
            empty = len(exports())
        await suggest(committed, ada, 1)
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert len(exports()) == empty + 1

    async def test_the_queue_is_paged_and_its_filters_are_in_the_url(self, committed: Core, ada: Actor) -> None:
        category = await add(committed, ada, "Roofing")
        await suggest(committed, ada, 12)
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert len(screen.find("list", "Suggestions").node["c"]) == 10
            await screen.click("link", "Next page")
            assert len(screen.find("list", "Suggestions").node["c"]) == 2
            await screen.choose("Order", "confidence")
            assert screen.address == f"{PATH}?sort=confidence"
        async with mounted(committed, ada, category_screen, path=f"{PATH}?of={category.id}&page=2") as screen:
            assert len(screen.find("list", "Suggestions").node["c"]) == 2

    @pytest.mark.parametrize("query", ["page=0", "page=x", "of=57947cae-a800-475a-abce-ebdee4bbb1b5", "of=none", "sort=drop"])
    async def test_an_address_it_does_not_understand_shows_the_first_page(self, committed: Core, ada: Actor, query: str) -> None:
        await add(committed, ada, "Roofing")
        await suggest(committed, ada, 1)
        async with mounted(committed, ada, category_screen, path=f"{PATH}?{query}") as screen:
            assert "1 suggestion" in screen.text

    async def test_one_account_does_not_see_anothers(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        await suggest(committed, ada, 1)
        async with committed.database.transaction() as session:
            bob = await add_account(session)
        async with mounted(committed, bob, category_screen, path=PATH) as screen:
            assert "Roofing" not in screen.text


class TestCategorizing:
    async def test_it_starts_a_job_and_shows_it(self, committed: Core, ada: Actor) -> None:
        await add(committed, ada, "Roofing")
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            await screen.click("button", "Categorize")
            await screen.expect("Waiting to start")
            await screen.click("button", "Cancel")
            await screen.expect("Canceled. Results so far were kept.")

    @pytest.mark.parametrize(
        ("waiting", "shown"),
        [
            (0, "Last run: 3 newly categorized, 9 in no category (all notices)"),
            (1_200, "Last run: 3 newly categorized, 9 in no category (all notices), 1,200 not indexed yet"),
        ],
    )
    async def test_the_last_run_says_how_many_notices_it_did_not_look_at(
        self, committed: Core, ada: Actor, waiting: int, shown: str
    ) -> None:
        await add(committed, ada, "Roofing")
        counts = {"labeled": 3, "unchanged": 0, "abstained": 9, "kept": 0, "waiting": waiting, "model": "words"}
        async with committed.database.transaction() as session:
            job = await committed.jobs.enqueue(session, CategorizeOpportunities(), title="test", owner_id=ada.id)
            await session.execute(update(Job).where(Job.id == job.id).values(state=JobState.SUCCEEDED, result=counts))
        async with mounted(committed, ada, category_screen, path=PATH) as screen:
            assert shown in [status.text for status in screen.elements("status")]

    async def test_a_new_category_fills_the_queue_of_a_reviewer_automatically(
        self, committed: Core, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(opportunities, "_SETTLED_AFTER_S", 0)
        committed.cache["language.embedder"] = WordEmbedder()
        async with committed.database.transaction() as session:
            await opportunities.load_sample_once(session)
            reviewer = await add_member(session, WorkspaceRole.REVIEWER)
        async with mounted(committed, reviewer, category_screen, path=PATH) as screen:
            assert "No categories yet." in screen.text
            await screen.type("Name", "Roofing")
            await screen.click("button", "Create category")
            await screen.expect(lambda: screen.has("article", "Roofing"))
            async with working(committed.jobs):
                await screen.expect(lambda: screen.has("list", "Suggestions"))
            names = [button.name for button in screen.elements("button")]
            await screen.click("button", next(name for name in names if name.startswith("Accept Roofing for ")))
            await screen.expect("Accepted")
        async with committed.database.transaction() as session:
            (category,) = await service.list_counted(session, reviewer, committed)
        assert category.accepted == 1


async def test_first_paint_shows_the_categories(committed: Core, ada: Actor) -> None:
    await add(committed, ada, "Roofing", "shingles and gutters")
    async with mounted(committed, ada, category_screen, path=PATH, is_live=False) as screen:
        assert "shingles and gutters" in screen.text


def test_every_color_of_a_category_has_a_chip_of_its_own() -> None:
    assert len({category_color(color) for color in CategoryColor}) == len(CategoryColor)

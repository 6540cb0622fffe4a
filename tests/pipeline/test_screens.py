"""The pipeline as a board and as a table, and on the page of an opportunity."""

from __future__ import annotations

from datetime import date

import pytest

from fundwright.core.messages import using_language
from fundwright.core.scopes import acting_in
from fundwright.opportunities.display_names import display_title
from fundwright.pipeline import service as pipeline
from fundwright.pipeline.schemas import PursuitChange, Stage
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import TaskForm
from fundwright_ui.screens.opportunities.nih import nih_screen
from fundwright_ui.screens.opportunities.opportunity import contract_screen, grant_screen
from fundwright_ui.screens.opportunities.sam import sam_screen
from fundwright_ui.screens.pipeline.amounts import dollars, short_dollars
from fundwright_ui.screens.pipeline.picture import stream
from fundwright_ui.screens.pipeline.pipeline import pipeline_screen
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.pipeline.conftest import Harbor

PATH = "/dashboard/pipeline"


class TestBoard:
    async def test_without_any_pursuit_it_says_how_to_add_one(self, harbor: Harbor) -> None:
        with acting_in(harbor.ada.scope):
            async with mounted(harbor.core, harbor.ada, pipeline_screen, path=PATH) as screen:
                await screen.expect(lambda: "Nothing in the pipeline yet." in screen.text)

    async def test_a_select_moves_a_card_and_lost_asks_for_the_reason(self, harbor: Harbor) -> None:
        added = await harbor.add(value=1_500_000, probability=20)
        name = f"Stage of “{display_title(added.title)}”"
        with acting_in(harbor.bob.scope):
            async with mounted(harbor.core, harbor.bob, pipeline_screen, path=PATH) as screen:
                await screen.expect(lambda: screen.has("combobox", name))
                assert "$1.5M · 20%" in screen.text
                await screen.choose(name, Stage.PREPARING)
                await screen.expect(lambda: any("was moved to “Preparing”" in each for each in screen.toasts))
                await screen.choose(name, Stage.LOST)
                await screen.expect(lambda: screen.has("textbox", "Reason"))
                assert (await harbor.get(added.id)).stage is Stage.PREPARING
                await screen.type("Reason", "Price")
                await screen.submit("Move to “Lost”")
                await screen.expect(lambda: not screen.has("combobox", name))
        moved = await harbor.get(added.id)
        assert (moved.stage, moved.reason) == (Stage.LOST, "Price")

    async def test_the_dialog_of_a_reason_stays_open_after_a_reload_and_is_of_one_pursuit(self, harbor: Harbor) -> None:
        one, other = [await harbor.add(notice=number) for number in range(2)]
        kept = list[str]()
        with acting_in(harbor.bob.scope):
            async with mounted(harbor.core, harbor.bob, pipeline_screen, path=PATH) as screen:
                await screen.expect(lambda: cards(screen) == 2)
                await screen.emit("Board", "on_move", id=str(one.id), stage="lost")
                await screen.expect(lambda: screen.has("textbox", "Reason"))
                first = screen.address
            for address in (first, first.replace(str(one.id), str(other.id))):
                async with mounted(harbor.core, harbor.bob, pipeline_screen, path=address) as screen:
                    await screen.expect(lambda: screen.has("textbox", "Reason"))
                    kept.append(screen.find("form", "Move to “Lost”").node["a"]["data-draft"])
            await harbor.move(other, Stage.WON)
            async with mounted(harbor.core, harbor.bob, pipeline_screen, path=address) as screen:
                await screen.expect(lambda: cards(screen) == 1)
                assert not screen.has("textbox", "Reason")
        assert kept[0] != kept[1]

    async def test_shows_twenty_cards_of_a_stage_and_more_on_request(
        self, harbor: Harbor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright.pipeline.service.SHOWN", 2)
        for number in range(5):
            await harbor.add(notice=number)
        with acting_in(harbor.vic.scope):
            async with mounted(harbor.core, harbor.vic, pipeline_screen, path=PATH) as screen:
                await screen.expect(lambda: cards(screen) == 2)
                await screen.click("button", "Show 2 more")
                await screen.expect(lambda: cards(screen) == 4)
                assert "identified=4" in screen.address
                assert not any(each.name.startswith("Stage of") for each in screen.elements("combobox"))

    async def test_drops_a_card_and_tells_who_moved_it_first(self, harbor: Harbor) -> None:
        added = await harbor.add()
        with acting_in(harbor.bob.scope):
            async with mounted(harbor.core, harbor.bob, pipeline_screen, path=PATH) as screen:
                await screen.expect(lambda: cards(screen) == 1)
                await screen.emit("Board", "on_move", id=str(added.id), stage="in_review")
                await screen.expect(lambda: any("was moved to “In review”" in each for each in screen.toasts))
                await screen.emit("Board", "on_move", id=str(added.id), stage="elsewhere")
                await screen.emit("Board", "on_move", id=str(harbor.ada.id), stage="won")
        assert (await harbor.get(added.id)).stage is Stage.IN_REVIEW

    async def test_filters_are_in_the_address_and_outcomes_lead_to_their_lists(self, harbor: Harbor) -> None:
        await harbor.add(stage=Stage.WON)
        await harbor.add(notice=1, lead_id=harbor.bob.id)
        with acting_in(harbor.ada.scope):
            async with mounted(harbor.core, harbor.ada, pipeline_screen, path=f"{PATH}?lead=none") as screen:
                await screen.expect(lambda: "1 pursuit" in screen.text)
                assert cards(screen) == 0
                assert str(screen.find("link", "Won 1").props["href"]) == f"{PATH}?lead=none&view=table&stage=won"
                await screen.click("link", "Bob")
                await screen.expect(lambda: cards(screen) == 1)
                assert screen.has("button", "Filter: Lead: Bob")
                await screen.click("link", "Grant")
                await screen.expect("No pursuits match.")
                await screen.click("button", "Remove filter Kind: Grant")
                await screen.expect(lambda: cards(screen) == 1)
                assert {"Filter: Due", "Filter: Kind"} <= {each.name for each in screen.elements("button")}

    async def test_a_passed_deadline_marks_only_what_was_not_submitted(self, harbor: Harbor) -> None:
        added = await harbor.add()
        await harbor.run("UPDATE opportunity SET due_at = now() - interval '3 days' WHERE id = :id", id=added.opportunity_id)
        with acting_in(harbor.ada.scope):
            async with mounted(harbor.core, harbor.ada, pipeline_screen, path=PATH) as screen:
                await screen.expect("Deadline passed")
                await harbor.move(added, Stage.SUBMITTED)
                await screen.expect(lambda: "Deadline passed" not in screen.text)

    async def test_a_card_shows_the_open_tasks_of_its_opportunity(self, harbor: Harbor) -> None:
        added = await harbor.add()
        for due_on in (None, date(2099, 3, 1)):
            form = TaskForm(title="Ask for a quote", opportunity_id=added.opportunity_id, due_on=due_on)
            await harbor.do(harbor.bob, lambda session, form=form: tasks.add_task(session, harbor.bob, form))
        with acting_in(harbor.ada.scope):
            async with mounted(harbor.core, harbor.ada, pipeline_screen, path=PATH) as screen:
                await screen.expect("2 tasks due Mar 1, 2099")


class TestTable:
    async def test_lists_sorts_and_opens_pursuits(self, harbor: Harbor) -> None:
        first = await harbor.add(value=10, probability=50, lead_id=harbor.bob.id)
        await harbor.add(notice=1, stage=Stage.WON)
        with acting_in(harbor.ada.scope):
            async with mounted(harbor.core, harbor.ada, pipeline_screen, path=f"{PATH}?view=table&sort=-stage") as screen:
                await screen.expect(lambda: len(screen.rows()) == 2)
                shown = screen.rows()[1]
                assert (shown["lead"], shown["probability"], shown["value"]) == ("Bob", "50%", "$10")
                await screen.emit("DataTable", "on_open", id=str(first.id))
                await screen.expect(lambda: screen.has("region", display_title(first.title)))
                await screen.go(f"{PATH}?view=table&stage=lost")
                await screen.expect("No pursuits match.")


class TestPanel:
    async def test_saves_all_fields_and_shows_the_history(self, harbor: Harbor) -> None:
        added = await harbor.add()
        with acting_in(harbor.bob.scope):
            async with mounted(harbor.core, harbor.bob, pipeline_screen, path=f"{PATH}?open={added.id}") as screen:
                await screen.expect(lambda: screen.has("textbox", "Reason"))
                await screen.type("Probability in %", "35")
                await screen.type("Value in US dollars", "90000")
                await screen.submit("Pursuit")
                await screen.expect(lambda: "The pursuit was saved." in screen.toasts)
        saved = await harbor.get(added.id)
        assert (saved.probability, saved.value) == (35, 90_000)

    async def test_keeps_what_was_typed_when_someone_else_was_first(self, harbor: Harbor) -> None:
        added = await harbor.add()
        with acting_in(harbor.bob.scope):
            async with mounted(harbor.core, harbor.bob, pipeline_screen, path=f"{PATH}?open={added.id}") as screen:
                await screen.expect(lambda: screen.has("textbox", "Reason"))
                await screen.type("Reason", "My reason")
                await harbor.run("UPDATE pursuit SET revision = revision + 1, probability = 5")
                await screen.submit("Pursuit")
                await screen.expect("Someone else has changed this pursuit in the meantime.")
                assert screen.value("Reason") == "My reason"
        assert (await harbor.get(added.id)).reason == ""

    async def test_what_someone_else_entered_is_not_overwritten_unseen(self, harbor: Harbor) -> None:
        added = await harbor.add()
        with acting_in(harbor.bob.scope):
            async with mounted(harbor.core, harbor.bob, pipeline_screen, path=f"{PATH}?open={added.id}") as screen:
                await screen.expect(lambda: screen.has("textbox", "Reason"))
                await screen.type("Reason", "My reason")
                moved = await harbor.move(added, Stage.PREPARING)
                await screen.expect(lambda: screen.value("Stage") == Stage.PREPARING)
                change = PursuitChange(reason="Her reason", based_on=moved.revision)
                await harbor.do(harbor.ada, lambda session: pipeline.change(session, harbor.ada, added.id, change))
                await screen.expect(lambda: "Her reason" in str(screen.view.tree))
                await screen.submit("Pursuit")
                await screen.expect("Someone else has changed this pursuit")
                assert (await harbor.get(added.id)).reason == "Her reason"
                await screen.submit("Pursuit")
                await screen.expect(lambda: "The pursuit was saved." in screen.toasts)
        assert (await harbor.get(added.id)).reason == "My reason"

    async def test_restored_text_is_saved_once_the_current_values_have_been_shown(self, harbor: Harbor) -> None:
        added = await harbor.add()
        await harbor.move(added, Stage.PREPARING)
        restored = {"stage": "preparing", "reason": "My reason", "based_on": str(added.revision)}
        with acting_in(harbor.bob.scope):
            async with mounted(harbor.core, harbor.bob, pipeline_screen, path=f"{PATH}?open={added.id}") as screen:
                await screen.expect(lambda: screen.has("textbox", "Reason"))
                await screen.emit("form", "on_submit", of="Pursuit", fields=restored)
                await screen.expect("Someone else has changed this pursuit")
                await screen.emit("form", "on_submit", of="Pursuit", fields=restored)
                await screen.expect(lambda: "The pursuit was saved." in screen.toasts)
        assert (await harbor.get(added.id)).reason == "My reason"

    async def test_moves_to_the_trash_with_undo(self, harbor: Harbor) -> None:
        added = await harbor.add()
        with acting_in(harbor.ada.scope):
            async with mounted(harbor.core, harbor.ada, pipeline_screen, path=f"{PATH}?open={added.id}") as screen:
                await screen.expect(lambda: screen.has("button", "Move to trash"))
                await screen.click("button", "Move to trash")
                await screen.expect(lambda: f"“{display_title(added.title)}” was moved to the trash." in screen.toasts)
                await screen.expect(lambda: "open=" not in screen.address)
        assert await harbor.listed() == []

    @pytest.mark.parametrize("name", ["vic", "eve"])
    async def test_a_viewer_reads_it_and_others_do_not_find_it(self, harbor: Harbor, name: str) -> None:
        added = await harbor.add(reason="Secret plan")
        actor = getattr(harbor, name)
        with acting_in(actor.scope):
            async with mounted(harbor.core, actor, pipeline_screen, path=f"{PATH}?open={added.id}") as screen:
                await screen.expect("Secret plan" if name == "vic" else "The pursuit was not found.")
                assert not screen.has("textbox", "Reason") and ("Secret plan" in screen.text) == (name == "vic")


class TestOpportunity:
    async def test_is_added_and_changed_in_place(self, harbor: Harbor) -> None:
        notice = harbor.notices[0]
        shown, path = (contract_screen, "sam") if notice.kind == "contract" else (grant_screen, "nih")
        with acting_in(harbor.bob.scope):
            async with mounted(
                harbor.core, harbor.bob, shown, path=f"/dashboard/{path}/{notice.id}", params={"id": str(notice.id)}
            ) as screen:
                await screen.click("button", "Add to pipeline")
                await screen.expect(lambda: screen.has("region", "Pipeline") and not screen.has("button", "Add to pipeline"))
                await screen.click("button", "Change")
                await screen.choose("Stage", Stage.QUALIFYING)
                await screen.type("Probability in %", "80")
                await screen.submit("Pursuit")
                await screen.expect(lambda: "The pursuit was saved." in screen.toasts)
                await screen.expect(lambda: not screen.has("form", "Pursuit") and "80%" in screen.text)
        (added,) = await harbor.listed()
        assert (added.stage, added.probability) == (Stage.QUALIFYING, 80)

    async def test_its_stage_is_in_the_list_of_its_workspace_only(self, harbor: Harbor) -> None:
        notice = harbor.notices[0]
        await harbor.add(stage=Stage.SUBMITTED)
        listing, path = (sam_screen, "sam") if notice.kind == "contract" else (nih_screen, "nih")
        for actor, count in ((harbor.vic, 1), (harbor.eve, 0)):
            with acting_in(actor.scope):
                async with mounted(harbor.core, actor, listing, path=f"/dashboard/{path}?availability=any") as screen:
                    await screen.expect(lambda screen=screen: bool(screen.rows()))
                    labels = [chip["label"] for row in screen.rows() for chip in row.get("status") or ()]
                    assert labels.count("Submitted") == count


def cards(screen: ScreenUnderTest) -> int:
    return len([each for each in screen.elements("link") if each.props.get("name") == "open"])


def test_amounts_are_in_the_readers_language() -> None:
    assert (dollars(1_250_000), short_dollars(250_000), short_dollars(12_000_000)) == ("$1,250,000", "$250,000", "$12M")
    with using_language("de"):
        assert dollars(1_250_000) == "1.250.000\xa0$"


def test_the_stream_is_as_thick_as_the_shares() -> None:
    drawn = stream([0.5, 1.0])
    assert drawn.startswith("M0 24.0 C50 24.0") and drawn.endswith("Z")
    assert "100 24.0" in drawn and "300 0.0" in drawn and "300 96.0" in drawn

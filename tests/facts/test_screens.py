"""The screen on which people decide about facts."""

from __future__ import annotations

import pytest

from fundwright.core.scopes import acting_in
from fundwright.facts import service
from fundwright.reading.facts import FactField, FactStatus
from fundwright.training import restricting
from fundwright.workspaces.schemas import Access, ChosenMember, RestrictionForm
from fundwright_ui.screens.facts.facts import facts_screen
from fundwright_ui.screens.workspaces.workspace import workspace_screen
from fundwright_ui.testing import mounted
from tests.facts.conftest import Bench, certified, employees, person
from tests.support.polling import eventually

PATH = service.PATH


class TestList:
    async def test_without_any_it_says_what_to_do(self, bench: Bench) -> None:
        team = bench.team
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: "No facts yet. Add documents about your organization" in screen.text)
                assert screen.find("link", "Add documents").props["href"].startswith("/dashboard/train")

    async def test_shows_values_status_and_place(self, bench: Bench) -> None:
        team = bench.team
        await bench.add("Letter", employees("31"), certified("8(a)", FactStatus.ENDED), person("Ann Ford", role="Manager"))
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: "3 facts" in screen.text)
                assert "Employees: 31" in screen.text and "Ended" in screen.text and "RoleManager" in screen.text.replace(" ", "")
                assert {"passage=" in link.props["href"] for link in screen.elements("link", "Letter")} == {True}
                await screen.go(f"{PATH}?kind=person")
                await screen.expect(lambda: "1 fact" in screen.text and "Employees" not in screen.text)

    async def test_a_viewer_only_reads(self, bench: Bench) -> None:
        team = bench.team
        await bench.add("Letter", employees("31"))
        await bench.add("Other", employees("12"), person("Ann Ford"))
        with acting_in(team.vic.scope):
            async with mounted(team.core, team.vic, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: "Ann Ford" in screen.text)
                for name in ("Accept Ann Ford", "Accept all shown", "Add fact", "All are right: Employees"):
                    assert not screen.has("button", name)
                assert not screen.has("checkbox", "Select Ann Ford")

    async def test_what_a_document_states_that_someone_may_only_view_is_only_read(self, bench: Bench) -> None:
        team = bench.team
        secret = await bench.add("Secret", employees("31"), person("Ann Ford"), is_restricted=True)
        await bench.add("Public", employees("12"), person("Bo Hill"))
        form = RestrictionForm(members=(ChosenMember(account_id=team.bob.id, access=Access.VIEW),))
        await team.do(team.ada, lambda session: restricting.restrict_document(session, team.ada, team.core, secret, form))
        with acting_in(team.bob.scope):
            async with mounted(team.core, team.bob, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: "Ann Ford" in screen.text)
                for name, is_offered in (
                    ("Accept Ann Ford", False),
                    ("Accept Bo Hill", True),
                    ("All are right: Employees", False),
                    ("Employees: choose 31, Secret", False),
                    ("Employees: choose 12, Public", True),
                ):
                    assert screen.has("button", name) is is_offered, name
                assert not screen.has("checkbox", "Select Ann Ford")
                await screen.click("button", "Accept all shown")
                await screen.expect(lambda: "1 fact was accepted." in screen.toasts)

    async def test_other_members_pages_follow(self, bench: Bench) -> None:
        team = bench.team
        await bench.add("Letter", employees("31"))
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: "Employees: 31" in screen.text)
                await bench.add("Other", person("Ann Ford"), actor=team.bob)
                await screen.expect(lambda: "1 more entry in this list" in screen.text)


class TestDeciding:
    async def test_one_by_one_with_undo(self, bench: Bench) -> None:
        team = bench.team
        await bench.add("Letter", employees("31"), person("Ann Ford"))
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: screen.has("button", "Accept Employees: 31"))
                await screen.click("button", "Accept Employees: 31")
                await screen.expect(lambda: screen.has("button", "Undo"))
                assert await bench.shown(state="accepted") == ["Employees: 31"]
                await screen.click("button", "Undo")
                await screen.expect(lambda: not screen.has("button", "Undo"))
                assert await bench.shown(state="accepted") == []
                await screen.click("button", "Reject Ann Ford")
                await screen.expect(lambda: screen.has("button", "Undo"))
        assert await bench.shown(state="rejected") == ["Ann Ford"]

    async def test_all_shown_accepts_what_is_current_and_can_be_undone(self, bench: Bench) -> None:
        team = bench.team
        await bench.add("Letter", employees("31"), certified("8(a)", FactStatus.ENDED), person("Ann Ford"))
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: screen.has("button", "Accept all shown"))
                await screen.click("button", "Accept all shown")
                await screen.expect(lambda: "2 facts were accepted." in screen.toasts)
                assert await bench.shown(state="accepted") == ["Employees: 31", "Ann Ford"]
                assert await bench.shown() == ["8(a)"]

    async def test_selected_ones(self, bench: Bench) -> None:
        team = bench.team
        await bench.add("Letter", employees("31"), person("Ann Ford"), person("Bo Lee"))
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: screen.has("checkbox", "Select Ann Ford"))
                await screen.check("Select Ann Ford")
                await screen.check("Select Bo Lee")
                await screen.expect(lambda: "2 selected" in screen.text)
                await screen.click("button", "Reject selected")
                await screen.expect(lambda: "2 facts were rejected." in screen.toasts)
        assert await bench.shown(state="rejected") == ["Ann Ford", "Bo Lee"]

    async def test_a_correction_is_saved_and_accepted(self, bench: Bench) -> None:
        team = bench.team
        await bench.add("Letter", employees("31"))
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: screen.has("button", "Edit Employees: 31"))
                await screen.click("button", "Edit Employees: 31")
                await screen.expect(lambda: screen.has("textbox", "Value"))
                await screen.type("Value", "32")
                await screen.submit("Edit fact")
                await screen.expect(lambda: "The fact was saved and accepted." in screen.toasts)
                await screen.go(f"{PATH}?state=accepted")
                await screen.expect(lambda: "The document states: Employees; 31" in screen.text)
        (fact,) = await bench.facts(state="accepted")
        assert fact.values[FactField.VALUE] == "32"

    async def test_a_fact_is_added_by_hand(self, bench: Bench) -> None:
        team = bench.team
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=f"{PATH}?add=person") as screen:
                await screen.expect(lambda: screen.has("textbox", "Name"))
                await screen.type("Name", "Ann Ford")
                await screen.type("Role", "Manager")
                await screen.submit("New fact")
                await screen.expect(lambda: "The fact was added." in screen.toasts)
        assert await bench.shown(state="accepted") == ["Ann Ford: Manager"]


class TestDisagreeing:
    async def test_one_click_chooses_and_another_takes_it_back(self, bench: Bench) -> None:
        team = bench.team
        await bench.add("2026", employees("31"))
        await bench.add("2018", employees("12"))
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: "Your documents disagree" in screen.text)
                assert "Nothing else to decide." in screen.text
                await screen.click("button", "Employees: choose 31, 2026")
                await screen.expect(lambda: screen.has("button", "Undo"))
                assert await bench.drafted() == ["Employees: 31"]
                await screen.click("button", "Undo")
                await screen.expect(lambda: not screen.has("button", "Undo"))
                assert len(await bench.shown(is_disputed=True)) == 2

                async def is_accepted() -> bool:  # once the list has read what was taken back
                    await screen.click("button", "All are right: Employees")
                    await screen.settle()
                    return screen.has("button", "Undo")

                await eventually(is_accepted)
        assert sorted(await bench.drafted()) == ["Employees: 12", "Employees: 31"]

    @pytest.mark.parametrize(("chosen", "rejected"), [("12, 2018", "Employees: 31"), ("31, 2026", "Employees: 12")])
    async def test_a_later_answer_replaces_the_accepted_one_or_is_rejected(
        self, bench: Bench, chosen: str, rejected: str
    ) -> None:
        team = bench.team
        await bench.add("2018", employees("12"))
        await bench.decide(service.FactState.ACCEPTED, *(await bench.facts()))
        await bench.add("2026", employees("31"))
        with acting_in(team.ada.scope):
            async with mounted(team.core, team.ada, facts_screen, path=PATH) as screen:
                await screen.expect(lambda: screen.has("button", f"Employees: choose {chosen}"))
                await screen.click("button", f"Employees: choose {chosen}")
                await screen.expect(lambda: screen.has("button", "Undo"))
        assert await bench.shown(state="rejected") == [rejected]
        assert await bench.shown(is_disputed=True) == []


async def test_the_profile_leads_there(bench: Bench) -> None:
    team = bench.team
    with acting_in(team.ada.scope):
        async with mounted(team.core, team.ada, workspace_screen, path="/dashboard/workspace?tab=profile") as screen:
            await screen.expect(lambda: screen.has("link", "Check the facts that your documents state"))

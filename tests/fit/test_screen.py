"""The section Fit of an opportunity."""

from __future__ import annotations

from fundwright.core.scopes import acting_in
from fundwright.profiles import service as profiles
from fundwright.profiles.schemas import OrganizationProfileForm
from fundwright_ui.runtime.connection import UndoOffer
from fundwright_ui.screens.opportunities.opportunity import contract_screen
from fundwright_ui.testing import mounted
from tests.fit.test_service import Harbor, harbor

__all__ = ["harbor"]


async def test_says_what_is_missing_and_then_how_each_part_counts(harbor: Harbor) -> None:
    params = {"id": str(harbor.notice)}
    with acting_in(harbor.vic.scope):
        async with mounted(harbor.core, harbor.vic, contract_screen, params=params) as screen:
            await screen.expect("No score yet")
            assert screen.find("link", "Add your NAICS codes to the profile.").props["href"] == profiles.PATH
            assert not screen.has("button", "Give your own score")
            form = OrganizationProfileForm(name="Harbor Light LLC", naics_codes="541511", address="Toledo, OH 43604")
            await harbor.do(harbor.ada, lambda session: profiles.save_profile(session, harbor.ada, harbor.core, form))
            await screen.expect("541511 is one of your NAICS codes.")
            assert "50 of 50 points" in screen.text and "No score yet" not in screen.text


async def test_a_first_score_of_someone_else_is_not_overwritten(harbor: Harbor) -> None:
    params = {"id": str(harbor.notice)}
    with acting_in(harbor.bob.scope):
        async with mounted(harbor.core, harbor.bob, contract_screen, params=params) as screen:
            await screen.expect(lambda: screen.has("button", "Give your own score"))
            await screen.click("button", "Give your own score")
            assert "scoring" in screen.address
            await screen.type("Score from 0 to 100", "20")
            await screen.type("Reason", "Too far.")
            given = await harbor.score(harbor.ada)
            await screen.expect("Your score: 80 of 100")
            await screen.submit("Your own score")
            await screen.expect("The score has been changed since you opened it.")
            assert (await harbor.fit(harbor.bob)).own == given
            await screen.submit("Your own score")
            await screen.expect("Your score: 20 of 100")


async def test_scores_clears_and_undoes(harbor: Harbor) -> None:
    params = {"id": str(harbor.notice)}
    with acting_in(harbor.bob.scope):
        async with mounted(harbor.core, harbor.bob, contract_screen, params=params) as screen:
            await screen.expect(lambda: screen.has("button", "Give your own score"))
            await screen.click("button", "Give your own score")
            await screen.type("Score from 0 to 100", "101")
            await screen.type("Reason", "We know the client.")
            await screen.submit("Your own score")
            assert screen.value("Reason") == "We know the client."
            assert (await harbor.fit(harbor.bob)).own is None
            await screen.type("Score from 0 to 100", "85")
            await screen.submit("Your own score")
            await screen.expect("Your score: 85 of 100")
            assert "We know the client." in screen.text
            offers: list[UndoOffer] = []
            screen.view.connection.offer_undo = offers.append
            await screen.click("button", "Clear your score")
            await screen.expect(lambda: "Your score: 85" not in screen.text)
            await harbor.do(harbor.bob, offers.pop().undo)
            await screen.expect("Your score: 85 of 100")

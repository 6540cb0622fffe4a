"""Saved searches at the list of opportunities, and the list of all of them."""

from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core.scopes import acting_in
from fundwright.workspaces.schemas import Access, ChosenMember
from fundwright_ui.screens.opportunities.sam import sam_screen
from fundwright_ui.screens.searches.saved_searches import saved_searches_screen
from fundwright_ui.testing import mounted
from tests.searches.conftest import Harbor

LIST, ALL = "/dashboard/sam", "/dashboard/saved-searches"


class TestMenu:
    async def test_saves_the_words_filters_and_order_of_the_list(self, harbor: Harbor) -> None:
        with acting_in(harbor.bob.scope):
            path = f"{LIST}?q=cloud&availability=any&sort=due&page_size=50&open=save-search"
            async with mounted(harbor.core, harbor.bob, sam_screen, path=path) as screen:
                name = screen.find("textbox", "Name").props
                assert (name["defaultValue"], name["autoFocus"], name["data-select"]) == (
                    "cloud",
                    True,
                    True,
                )  # typing replaces it
                await screen.type("Name", "Cloud hosting")
                await screen.submit("Save search")
                await screen.expect(lambda: screen.has("link", "Cloud hosting"))
                await screen.expect(lambda: screen.has("region", "Saved search") and "Saved by Bob" in screen.text)
                assert "saved=" in screen.address and "open=" not in screen.address
        (saved,) = await harbor.listed(harbor.ada)
        assert (saved.name, saved.query.text, saved.query.availability, saved.query.sort) == (
            "Cloud hosting",
            "cloud",
            None,
            "due",
        )

    async def test_opens_a_search_and_shows_how_many_matches_are_new(self, harbor: Harbor) -> None:
        saved = await harbor.save(text="cloud")
        await harbor.arrive("cloud")
        with acting_in(harbor.ada.scope):
            async with mounted(harbor.core, harbor.ada, sam_screen, path=LIST) as screen:
                await screen.expect(lambda: "1 new" in screen.text)
                assert screen.find("link", "Cloud 1 new").props["href"] == saved.path
                await screen.go(saved.path)
                await screen.expect(lambda: screen.has("link", "1 new since you last opened it"))
                await screen.expect(lambda: not screen.has("link", "Cloud 1 new"))
                await screen.go(str(screen.find("link", "1 new since you last opened it").props["href"]))
                await screen.expect(lambda: "Only notices imported after" in screen.text)
                await screen.expect(lambda: len(screen.rows()) == 1)
                await screen.go(str(screen.find("link", "Show all matches").props["href"]))
                await screen.expect(lambda: "Only notices imported after" not in screen.text)

    async def test_a_viewer_opens_and_follows_but_does_not_save(self, harbor: Harbor) -> None:
        saved = await harbor.save()
        with acting_in(harbor.vic.scope):
            async with mounted(harbor.core, harbor.vic, sam_screen, path=saved.path) as screen:
                await screen.expect(lambda: screen.has("button", "Follow Cloud"))
                assert not screen.has("button", "Save search") and not screen.has("button", "Move to trash")
                await screen.click("button", "Follow Cloud")
                await screen.expect(lambda: screen.has("button", "Unfollow Cloud"))
        assert [each.is_followed for each in await harbor.listed(harbor.vic)] == [True]


class TestBar:
    async def test_saves_changed_filters_or_discards_them(self, harbor: Harbor) -> None:
        saved = await harbor.save(text="cloud")
        with acting_in(harbor.bob.scope):
            async with mounted(harbor.core, harbor.bob, sam_screen, path=f"{saved.path}&sort=due") as screen:
                await screen.expect(lambda: "Changed" in screen.text)
                assert screen.find("link", "Discard changes").props["href"] == saved.path
                await screen.click("button", "Update search")
                await screen.expect(lambda: "Changed" not in screen.text)
        assert (await harbor.listed(harbor.ada))[0].query.sort == "due"

    async def test_is_moved_to_the_trash_and_back(self, harbor: Harbor) -> None:
        saved = await harbor.save(text="cloud")
        with acting_in(harbor.ada.scope):
            async with mounted(harbor.core, harbor.ada, sam_screen, path=saved.path) as screen:
                await screen.expect(lambda: screen.has("button", "Move to trash"))
                await screen.click("button", "Move to trash")
                await screen.expect(lambda: "“Cloud” was moved to the trash." in screen.toasts)
                await screen.expect(lambda: "saved=" not in screen.address)
        assert await harbor.listed(harbor.ada) == []

    @pytest.mark.parametrize("name", ["eve", "vic"])
    async def test_says_nothing_of_a_search_that_the_person_must_not_see(self, harbor: Harbor, name: str) -> None:
        actor: Actor = getattr(harbor, name)
        saved = await harbor.save(name="Secret plan")
        await harbor.restrict(saved)
        with acting_in(actor.scope):
            async with mounted(harbor.core, actor, sam_screen, path=saved.path) as screen:
                await screen.expect(lambda: "This saved search was deleted, or only other members can see it." in screen.text)
                assert "Secret plan" not in screen.text

    async def test_a_member_who_may_only_view_it_cannot_change_it(self, harbor: Harbor) -> None:
        saved = await harbor.save()
        await harbor.restrict(saved, ChosenMember(account_id=harbor.bob.id, access=Access.VIEW))
        with acting_in(harbor.bob.scope):
            async with mounted(harbor.core, harbor.bob, sam_screen, path=f"{saved.path}&sort=due") as screen:
                await screen.expect(lambda: "Changed" in screen.text)
                assert not screen.has("button", "Update search") and not screen.has("button", "Rename")
                assert screen.has("button", "Who can see this")


class TestAll:
    async def test_without_any_it_says_how_to_save_one(self, harbor: Harbor) -> None:
        with acting_in(harbor.ada.scope):
            async with mounted(harbor.core, harbor.ada, saved_searches_screen, path=ALL) as screen:
                await screen.expect(lambda: "No saved searches yet." in screen.text)

    async def test_is_filtered_and_a_search_is_renamed_and_deleted_with_undo(self, harbor: Harbor) -> None:
        saved = await harbor.save(name="Cloud")
        await harbor.save(harbor.bob, name="Boats", kind="grant")
        with acting_in(harbor.ada.scope):
            async with mounted(
                harbor.core, harbor.ada, saved_searches_screen, path=f"{ALL}?kind=contract&open={saved.id}"
            ) as screen:
                await screen.expect(lambda: "1 saved search" in screen.text)
                assert [row["name"]["label"] for row in screen.rows()] == ["Cloud"]
                await screen.click("button", "Rename")
                await screen.type("Name", "Clouds")
                await screen.submit("Rename saved search")
                await screen.expect(lambda: [row["name"]["label"] for row in screen.rows()] == ["Clouds"])
                await screen.click("button", "Move to trash")
                await screen.expect(lambda: "Moved to trash" in str(screen.rows()))
        assert [each.name for each in await harbor.listed(harbor.ada)] == ["Boats"]

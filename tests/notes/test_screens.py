"""Notes on the page of an opportunity, and the list of all of them."""

from __future__ import annotations

import pytest

from fundwright.core.scopes import acting_in
from fundwright.notes import service
from fundwright_ui.screens.notes.notes import notes_screen
from fundwright_ui.screens.opportunities.opportunity import contract_screen
from fundwright_ui.testing import mounted
from tests.notes.test_service import change, delete, listed, pin, write
from tests.support.teams import Team

PATH = service.PATH


async def test_the_page_of_an_opportunity_adds_changes_and_pins_a_note(team: Team) -> None:
    notice = await team.opportunity_id()
    with acting_in(team.ada.scope):
        path = f"/dashboard/sam/{notice}"
        async with mounted(team.core, team.ada, contract_screen, path=path, params={"id": str(notice)}) as screen:
            await screen.expect(lambda: "No notes yet." in screen.text)
            await screen.click("button", "Add note")
            await screen.expect(lambda: screen.has("textbox", "Note"))
            await screen.type("Note", "Incumbent: **Acme**")
            await screen.submit("New note")
            await screen.expect(lambda: screen.has("article", "Incumbent: Acme"))
            await screen.click("button", "Pin")
            await screen.expect(lambda: "Pinned" in screen.text)
            await screen.click("button", "Edit")
            await screen.expect(lambda: screen.has("textbox", "Note"))
            await screen.type("Note", "Incumbent: Zenith")
            await screen.submit("Note")
            await screen.expect(lambda: screen.has("article", "Incumbent: Zenith"))
    assert await listed(team, team.bob) == ["Incumbent: Zenith"]


async def test_what_someone_else_has_saved_is_shown_and_replaced_only_on_request(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "notes_topic", lambda _owner_id: "none")  # the page does not follow
    note = await write(team)
    with acting_in(team.ada.scope):
        async with mounted(team.core, team.ada, notes_screen, path=f"{PATH}?note={note.id}") as screen:
            await screen.expect(lambda: screen.has("textbox", "Note"))
            await change(team, team.bob, note, "Bob’s")
            await screen.type("Note", "Ada’s")
            await screen.submit("Note")
            await screen.expect(lambda: "Someone else has saved another version:" in screen.text and "Bob’s" in screen.text)
            assert await listed(team, team.bob) == ["Bob’s"]
            await screen.click("button", "Keep mine")
            await screen.type("Note", "Ada’s")
            await screen.submit("Note")
            await screen.expect(lambda: "The note was saved." in screen.toasts)
    assert await listed(team, team.bob) == ["Ada’s"]


class TestList:
    async def test_without_any_it_says_where_to_write_one(self, team: Team) -> None:
        with acting_in(team.vic.scope):
            async with mounted(team.core, team.vic, notes_screen, path=PATH) as screen:
                await screen.expect(lambda: "No notes yet. Open an opportunity" in screen.text)

    async def test_shows_pinned_ones_first_filters_and_follows(self, team: Team) -> None:
        first = await write(team, words="First")
        await write(team, team.bob, words="Second")
        await pin(team, team.ada, first)
        with acting_in(team.vic.scope):
            async with mounted(team.core, team.vic, notes_screen, path=PATH) as screen:
                await screen.expect(lambda: "2 notes" in screen.text)
                assert screen.text.index("First") < screen.text.index("Second")
                assert not screen.has("button", "Edit") and not screen.has("button", "Pin")
                await screen.go(f"{PATH}?author={team.bob.id}")
                await screen.expect(lambda: "1 note" in screen.text and not screen.has("article", "First"))
                await change(team, team.bob, (await write(team, team.bob, words="Third")), "Third!")
                await delete(team, team.ada, first)

    async def test_opens_the_note_that_the_address_names(self, team: Team) -> None:
        note = await write(team)
        with acting_in(team.vic.scope):
            async with mounted(team.core, team.vic, notes_screen, path=f"{PATH}?text=nothing&open={note.id}") as screen:
                await screen.expect(lambda: "No notes match. Change the filters." in screen.text)
                await screen.expect(lambda: screen.has("article", "Met the contracting officer"))

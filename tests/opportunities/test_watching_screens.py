"""Watching on the page of an opportunity, and the list of what is watched."""

from __future__ import annotations

from datetime import timedelta

from fundwright.core.scopes import acting_in
from fundwright_ui.runtime.connection import UndoOffer
from fundwright_ui.screens.opportunities.nih import nih_screen
from fundwright_ui.screens.opportunities.opportunity import contract_screen
from fundwright_ui.screens.opportunities.sam import sam_screen
from fundwright_ui.testing import mounted
from tests.opportunities.conftest import run_import
from tests.opportunities.files import nih_file, nih_row, notice_id
from tests.opportunities.test_watching import FIRST, OTHER, TODAY, Lookout, lookout

__all__ = ["lookout"]


async def test_the_button_watches_says_so_and_offers_undo(lookout: Lookout) -> None:
    await lookout.arrive(FIRST, OTHER)
    await lookout.watch(lookout.bob)
    id = str(await lookout.find(1))
    with acting_in(lookout.ada.scope):
        at = {"path": f"/dashboard/sam/{id}", "params": {"id": id}}
        async with mounted(lookout.core, lookout.ada, contract_screen, **at) as screen:
            offers: list[UndoOffer] = []
            screen.view.connection.offer_undo = offers.append
            assert "Watched by Bob" in screen.text
            assert screen.find("button", "Watch").props["aria-pressed"] is False
            await screen.click("button", "Watch")
            await screen.expect(lambda: screen.has("button", "Watching"))
            assert screen.find("button", "Watching").props["aria-pressed"] is True
            assert await lookout.watchers(lookout.ada) == (True, ["Bob"])
            async with lookout.core.database.transaction() as session:
                await offers[0].undo(session)
            await screen.expect(lambda: screen.has("button", "Watch"))
            assert await lookout.watchers(lookout.ada) == (False, ["Bob"])


async def test_an_administrator_with_support_access_has_no_button(lookout: Lookout) -> None:
    await lookout.arrive(FIRST)
    supporter = lookout.ada.model_copy(update={"is_support": True})
    with acting_in(supporter.scope):
        id = str(await lookout.find(1))
        async with mounted(lookout.core, supporter, contract_screen, path=f"/dashboard/sam/{id}", params={"id": id}) as screen:
            assert "Runway repair" in screen.text
            assert not screen.has("button", "Watch")


async def test_the_filter_shows_what_is_watched_and_when_it_is_due(lookout: Lookout) -> None:
    due = TODAY + timedelta(days=30)
    await lookout.arrive({**FIRST, "ResponseDeadLine": due.isoformat()}, {**OTHER, "ResponseDeadLine": due.isoformat()})
    grants = lookout.folder / "grants.jsonl"
    grants.write_bytes(nih_file(nih_row()))
    await run_import(lookout.core, lookout.eve, grants, source="nih")
    await lookout.watch(lookout.ada)
    await lookout.watch(lookout.bob, 2)
    with acting_in(lookout.ada.scope):
        async with mounted(lookout.core, lookout.ada, sam_screen, path="/dashboard/sam") as screen:
            assert len(screen.rows()) == 2 and "Due in the next 90 days" not in screen.text
            await screen.click("button", "More filters")
            await screen.click("link", "By me")
            assert screen.address == "/dashboard/sam?watched=me" and [row["title"] for row in screen.rows()] == ["Runway repair"]
            assert "Due in the next 90 days" in screen.text and "30 days left" in screen.text
            in_picture, in_table = screen.elements("link", "Runway repair")
            assert in_picture.props["href"] == in_table.props["href"] == f"/dashboard/sam/{await lookout.find(1)}"
            await screen.click("button", "Filter: Watched: By me")
            await screen.click("link", "By anyone in the workspace")
            assert len(screen.rows()) == 2
            await lookout.unwatch(lookout.bob, 2)
            await screen.expect(lambda: len(screen.rows()) == 1)
        async with mounted(lookout.core, lookout.ada, nih_screen, path="/dashboard/nih?watched=me") as screen:
            assert "Runway repair" in screen.text  # of both kinds


async def test_the_eye_in_a_row_watches(lookout: Lookout) -> None:
    await lookout.arrive(FIRST, OTHER)
    id = str(await lookout.find(1))
    with acting_in(lookout.ada.scope):
        async with mounted(lookout.core, lookout.ada, sam_screen, path="/dashboard/sam") as screen:

            def eyes() -> dict[str, bool]:
                return {row["title"]: row["watch"]["isWatched"] for row in screen.rows()}

            assert eyes() == {"Runway repair": False, "Submarine paint": False}
            await screen.emit("DataTable", "onAction", id=id)
            await screen.expect(lambda: eyes() == {"Runway repair": True, "Submarine paint": False})
            await lookout.watch(lookout.bob, 2)
            await screen.emit("DataTable", "onAction", id=id)
            await screen.expect(lambda: eyes() == {"Runway repair": False, "Submarine paint": False})


async def test_the_list_of_what_is_watched_is_empty_for_others(lookout: Lookout) -> None:
    await lookout.arrive(FIRST)
    await lookout.watch(lookout.ada)
    with acting_in(lookout.eve.scope):
        async with mounted(lookout.core, lookout.eve, sam_screen, path="/dashboard/sam?watched=anyone") as screen:
            assert notice_id(1) not in screen.text and "Runway repair" not in screen.text

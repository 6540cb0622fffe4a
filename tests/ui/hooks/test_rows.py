"""Lists whose rows stay in place."""

from __future__ import annotations

from typing import Any

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core import live
from fundwright.core.assembly import Core
from fundwright.core.paging import Page
from fundwright_ui import button, list_row, more_rows, row_actions, use_query, use_rows, use_url_state
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.support.polling import eventually

TOPIC = "letters"


class Letters:
    """A list of letters that tests change behind the page's back."""

    def __init__(self, *letters: str, page_size: int = 25) -> None:
        self.listed = list(letters)
        self.page_size = page_size
        self.reads = 0

    async def read(self, _session: AsyncSession) -> Page[str]:
        self.reads += 1
        return Page(items=self.listed[: self.page_size], total=len(self.listed), page=1, page_size=self.page_size)

    @component
    def screen(self) -> VdomDict:
        url = use_url_state()
        page = url.get("page")
        found = use_query(self.read, key=[page], topics=[TOPIC])
        rows = use_rows(found, lambda letters: letters, key=[page], id=lambda letter: letter)

        def remove(letter: str) -> Any:
            async def undo(_session: AsyncSession) -> None:
                self.listed.append(letter)

            def removed() -> None:
                self.listed.remove(letter)
                rows.settle(letter, f"{letter} removed", undo=undo)

            return removed

        def undo(letter: str) -> Any:
            def undone() -> None:
                self.listed.append(letter)
                rows.reopen(letter)

            return undone

        def load() -> None:
            found.reload()
            rows.load()

        return html.div(
            html.ul(
                *(
                    list_row(
                        each.item,
                        row_actions(
                            button("Remove", on_click=remove(each.item)),
                            outcome=each.outcome,
                            on_undo=undo(each.id) if each.can_undo else None,
                        ),
                        key=each.id,
                    )
                    for each in rows.shown
                )
            ),
            more_rows(rows.more, on_load=load),
        )


def rows_of(screen: ScreenUnderTest) -> list[str]:
    return [each.text for each in screen.elements("listitem")]


async def changed(core: Core, screen: ScreenUnderTest) -> None:
    async with core.database.transaction() as session:
        await live.publish(session, TOPIC)
    await screen.settle()


async def test_a_row_that_was_acted_on_stays_where_it_was(committed: Core) -> None:
    letters = Letters("a", "b", "c")
    async with mounted(committed, None, letters.screen) as screen:
        await screen.view.handle(screen.elements("button", "Remove")[1].node["e"]["onClick"]["h"], {}, 1)
        await screen.expect("b removed")
        await changed(committed, screen)
        assert rows_of(screen) == ["a Remove", "b Remove Undo b removed", "c Remove"]


async def test_a_row_whose_action_was_undone_is_as_before_while_the_list_is_read_again(committed: Core) -> None:
    letters = Letters("a", "b")
    async with mounted(committed, None, letters.screen) as screen:
        await screen.view.handle(screen.elements("button", "Remove")[1].node["e"]["onClick"]["h"], {}, 1)
        await changed(committed, screen)
        await screen.click("button", "Undo")
        assert rows_of(screen) == ["a Remove", "b Remove"]
        await changed(committed, screen)
        assert rows_of(screen) == ["a Remove", "b Remove"]
        letters.listed = ["a"]
        await changed(committed, screen)
        await screen.expect("No longer in this list")


async def test_a_row_that_was_removed_elsewhere_right_after_undo_is_gone(committed: Core) -> None:
    letters = Letters("a", "b")
    async with mounted(committed, None, letters.screen) as screen:
        await screen.view.handle(screen.elements("button", "Remove")[1].node["e"]["onClick"]["h"], {}, 1)
        letters.listed.append("c")
        await changed(committed, screen)
        await screen.expect("1 more entry in this list")
        await screen.click("button", "Undo")
        letters.listed = ["a"]
        await changed(committed, screen)
        await screen.expect("No longer in this list")


async def test_a_row_whose_undone_action_was_repeated_elsewhere_is_gone(committed: Core) -> None:
    letters = Letters("a", "b")
    async with mounted(committed, None, letters.screen) as screen:
        await screen.view.handle(screen.elements("button", "Remove")[1].node["e"]["onClick"]["h"], {}, 1)
        await changed(committed, screen)
        await eventually(lambda: letters.reads == 2)
        await screen.click("button", "Undo")
        letters.listed = ["a"]  # as it was read before
        await changed(committed, screen)
        await screen.expect("No longer in this list")


async def test_a_live_change_moves_no_row(committed: Core) -> None:
    letters = Letters("b", "c")
    async with mounted(committed, None, letters.screen) as screen:
        letters.listed = ["a", "c"]
        await changed(committed, screen)
        await screen.expect("1 more entry in this list")
        assert rows_of(screen) == ["b Remove No longer in this list", "c Remove"]
        await screen.click("button", "Show")
        assert rows_of(screen) == ["a Remove", "c Remove"]
        assert "more entr" not in screen.text


async def test_a_row_that_new_rows_push_to_the_next_page_is_not_reported_as_gone(committed: Core) -> None:
    letters = Letters("b", "c", page_size=2)
    async with mounted(committed, None, letters.screen) as screen:
        letters.listed = ["a", "b", "c"]
        await changed(committed, screen)
        await screen.expect("1 more entry in this list")
        assert rows_of(screen) == ["b Remove", "c Remove"]
        letters.listed = ["b"]
        await changed(committed, screen)
        await screen.expect("No longer in this list")
        assert rows_of(screen) == ["b Remove", "c Remove No longer in this list"]


async def test_another_page_is_loaded_as_it_is(committed: Core) -> None:
    letters = Letters("a", "b")
    async with mounted(committed, None, letters.screen) as screen:
        letters.listed = ["c"]
        await screen.go("/?page=2")
        assert rows_of(screen) == ["c Remove"]


async def test_rows_are_the_same_after_a_rest(committed: Core) -> None:
    letters = Letters("a", "b")
    async with mounted(committed, None, letters.screen) as screen:
        screen.view.release_memory()
        letters.listed = ["b"]
        await changed(committed, screen)
        await screen.expect("No longer in this list")
        assert rows_of(screen) == ["a Remove No longer in this list", "b Remove"]

"""Elements whose behavior none of our screens show."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field
from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright.core.errors import Invalid
from fundwright_ui import form, tabs, text_area, text_field, use_action
from fundwright_ui.testing import mounted
from fundwright_ui.ui import Tab, alert, pagination


@component
def chapters() -> VdomDict:
    chosen, choose = use_state("one")
    return tabs([Tab("one", "One"), Tab("two", "Two")], chosen, html.p(f"Chapter {chosen}"), label="Chapters", on_choose=choose)


async def test_a_tab_shows_its_panel(committed: Core) -> None:
    async with mounted(committed, None, chapters) as screen:
        await screen.click("tab", "Two")
        one, two = screen.elements("tab")
        panel = screen.find("tabpanel")
        assert panel.text == "Chapter two"
        assert (one.props["aria-selected"], two.props["aria-selected"]) == (False, True)
        assert (one.props["tabIndex"], two.props["tabIndex"]) == (-1, 0)
        assert panel.props["id"] == two.props["aria-controls"]
        assert panel.props["aria-labelledby"] == two.props["id"]


async def test_tabs_that_lead_elsewhere_are_links(committed: Core) -> None:
    @component
    def links() -> VdomDict:
        return tabs([Tab("one", "One", "/one"), Tab("two", "Two", "/two")], "two", label="Chapters")

    async with mounted(committed, None, links) as screen:
        assert not screen.has("tablist")
        assert screen.find("link", "Two").props["aria-current"] == "page"


@pytest.mark.parametrize("given", [{"type": "password"}, {"autocomplete": "new-password"}])
def test_a_password_is_not_sent_while_it_is_typed(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="while it is typed"):
        text_field("password", "Password", on_change=print, **given)


class Note(BaseModel):
    text: Annotated[str, Field(min_length=3)]


class TestDraftsOfForms:
    async def test_a_form_with_text_names_its_draft_and_says_when_it_was_saved(self, committed: Core) -> None:
        saved: list[str] = []

        @component
        def notes() -> Component:
            async def save(_session: AsyncSession, note: Note) -> None:
                if note.text == "broken":
                    raise Invalid("No room.")
                saved.append(note.text)

            return form(text_area("text", "Text"), on_submit=use_action(save), model=Note, label="Note", submit="Save")

        async with mounted(committed, None, notes, path="/notes?open=7&page=2") as screen:
            assert screen.find("form").props["data-draft"] == "/notes?open=7#Note"
            for text in ("a", "broken"):
                await screen.type("Text", text)
                await screen.click("button", "Save")
                assert [frame for frame in screen.frames if frame["type"] == "saved"] == []
            await screen.type("Text", "A note")
            await screen.click("button", "Save")
            assert [frame for frame in screen.frames if frame["type"] == "saved"] == [
                {"type": "saved", "form": "/notes?open=7#Note"}
            ]
        assert saved == ["A note"]

    @pytest.mark.parametrize("kind", ["search", "date", "password"])
    async def test_a_form_without_text_of_its_own_has_none(self, committed: Core, kind: Any) -> None:
        @component
        def query() -> Component:
            return form(text_field("q", "Words", type=kind), on_submit=lambda: None, label="Find")

        async with mounted(committed, None, query) as screen:
            assert "data-draft" not in screen.find("form").props


@pytest.mark.parametrize(
    ("page", "last", "shown"),
    [(1, 3, "‹ 1 2 3 ›"), (1, 40, "‹ 1 2 3 … 40 ›"), (20, 40, "‹ 1 … 18 19 20 21 22 … 40 ›"), (4, 7, "‹ 1 2 3 4 5 6 7 ›")],
)
def test_pagination_marks_the_pages_that_it_leaves_out(page: int, last: int, shown: str) -> None:
    made = pagination(page, last, href=str)
    assert made is not None
    children = [child for child in made["children"] if child is not None]
    assert " ".join(child["children"][0] for child in children) == shown


def test_commands_in_messages_are_code() -> None:
    shown = alert("Run `fundwright mail` on the server.", variant="info")
    assert html.p("Run ", html.code("fundwright mail"), " on the server.") in shown["children"][0]["children"]

"""Primitives whose behavior no screen of ours shows."""

from __future__ import annotations

import pytest
from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright.core.assembly import Core
from fundwright_ui import tabs, text_field
from fundwright_ui.runtime.testing import mounted
from fundwright_ui.ui import Tab


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
        text_field("password", "Password", on_change=print, **given)  # pyright: ignore[reportArgumentType]

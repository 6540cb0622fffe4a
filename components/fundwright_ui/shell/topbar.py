"""The end of the top bar: palette, bell, theme and language, and account menu."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import cast

from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright_ui.extension import SidebarEntry
from fundwright_ui.shell.account import account_menu, logout_dialog
from fundwright_ui.shell.bell import use_bell
from fundwright_ui.shell.palette import command_palette
from fundwright_ui.shell.settings import settings_drawer, use_language
from fundwright_ui.widgets import ActChosen


@component
def topbar_actions(
    entries: Sequence[SidebarEntry], links: Sequence[SidebarEntry], on_toggle_sidebar: Callable[[], Awaitable[None]] | None = None
) -> VdomDict:
    """`entries` are the pages that shortcuts may open, `links` those of the account menu. One component for all four, because
    each would cost every open page 1 kB."""
    words, set_words = use_state(cast("str | None", None))
    is_leaving, set_leaving = use_state(False)
    on_language = use_language()

    async def act(chosen: ActChosen) -> None:
        if chosen.act == "logout":
            set_leaving(True)
        elif chosen.act == "sidebar" and on_toggle_sidebar is not None:
            await on_toggle_sidebar()

    return html.div(
        {"className": "fw-topbar-actions"},
        command_palette(
            entries, words, on_words=set_words, on_act=act, on_language=on_language, has_sidebar=on_toggle_sidebar is not None
        ),
        use_bell(),
        settings_drawer(on_language),
        account_menu(links, on_logout=lambda: set_leaving(True)),
        logout_dialog(on_cancel=lambda: set_leaving(False)) if is_leaving else None,
    )

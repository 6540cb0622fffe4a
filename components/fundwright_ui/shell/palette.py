"""Ctrl K: pages, opportunities, drafts and actions by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import cast

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import nt, t
from fundwright_ui.extension import SidebarEntry
from fundwright_ui.hooks import use_actor, use_connection, use_query
from fundwright_ui.shell.account import logout_dialog
from fundwright_ui.shell.commands import find, shortcuts
from fundwright_ui.shell.settings import use_language
from fundwright_ui.ui.buttons import icon_button
from fundwright_ui.widgets import ActChosen, CommandGroup, CommandPalette

_MOST_CHARACTERS = 200


@component
def command_palette(entries: Sequence[SidebarEntry], on_toggle_sidebar: Callable[[], Awaitable[None]] | None = None) -> VdomDict:
    """The magnifier of the top bar. `entries` are the pages that shortcuts may lead to."""
    words, set_words = use_state(cast("str | None", None))
    is_leaving, set_leaving = use_state(False)

    async def act(chosen: ActChosen) -> None:
        if chosen.act == "logout":
            set_leaving(True)
        elif chosen.act == "sidebar" and on_toggle_sidebar is not None:
            await on_toggle_sidebar()

    palette = partial(
        CommandPalette,
        shortcuts=shortcuts(*entries),
        on_search=lambda typed: set_words(typed.words.strip()[:_MOST_CHARACTERS]),
        on_command=act,
        on_close=lambda: set_words(None),
    )
    return html.div(
        html.fragment(palette(fallback=[icon_button(t("Find anything"), "search")]))
        if words is None
        else _answers(palette, words, on_toggle_sidebar is not None),
        logout_dialog(on_cancel=lambda: set_leaving(False)) if is_leaving else None,
    )


@component
def _answers(palette: Callable[..., VdomDict], words: str, has_sidebar: bool) -> VdomDict:
    """The open palette: nothing that it needs is kept for pages on which it is closed."""
    connection, actor = use_connection(), use_actor()

    async def read(session: AsyncSession) -> tuple[str, list[CommandGroup]]:
        return words, await find(session, connection, actor, words, has_sidebar=has_sidebar)

    found = use_query(read, key=[words])
    answered, groups = found.value or (None, [])
    return palette(
        words=answered,
        groups=groups,
        summary=found.error or _summary(groups),
        on_language=use_language(),
        fallback=[icon_button(t("Find anything"), "search")],
    )


def _summary(groups: Sequence[CommandGroup]) -> str:
    number = sum(len(group.commands) for group in groups)
    return nt("{n} found", "{n} found", number) if number else t("Nothing goes by that name. Try fewer or other words.")

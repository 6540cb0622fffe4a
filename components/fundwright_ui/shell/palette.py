"""The command palette (Ctrl K): pages, opportunities, drafts, and actions by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from reactpy import component, html
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import nt, t
from fundwright_ui.extension import SidebarEntry
from fundwright_ui.hooks import Action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.shell.commands import find, shortcuts
from fundwright_ui.ui.icons import icon
from fundwright_ui.widgets import ActChosen, CommandGroup, CommandPalette, WordsTyped

_MAX_CHARACTERS = 200


def command_palette(
    entries: Sequence[SidebarEntry],
    words: str | None,
    *,
    on_words: Callable[[str | None], None],
    on_act: Callable[[ActChosen], Awaitable[None]],
    on_language: Action,
    has_sidebar: bool,
) -> VdomDict | Component:
    """The search field of the top bar, which opens the palette. `entries` are the pages that shortcuts may open; the palette is
    closed while `words` is None."""

    def search(typed: WordsTyped) -> None:
        on_words(typed.words.strip()[:_MAX_CHARACTERS])

    palette = partial(
        CommandPalette,
        shortcuts=shortcuts(*entries),
        on_search=search,
        on_command=on_act,
        on_close=lambda: on_words(None),
        fallback=[
            html.button(
                {"type": "button", "className": "fw-search-everything", "aria-label": t("Search everything")},
                icon("search"),
                html.span(t("Search")),
                html.kbd({"aria-hidden": "true"}, t("Ctrl"), " K"),
            )
        ],
    )
    if words is None:
        return html.fragment(palette())
    return _answers(partial(palette, on_language=on_language), words, has_sidebar)


@component
def _answers(palette: Callable[..., VdomDict], words: str, has_sidebar: bool) -> VdomDict:
    """The open palette. Closed palettes keep nothing in memory."""
    connection, actor = use_connection(), use_actor()

    async def read(session: AsyncSession) -> tuple[str, list[CommandGroup]]:
        return words, await find(session, actor, connection, words, has_sidebar=has_sidebar)

    found = use_query(read, key=[words])
    answered, groups = found.value or (None, [])
    return palette(words=answered, groups=groups, summary=found.failure or _summary(groups))


def _summary(groups: Sequence[CommandGroup]) -> str:
    number = sum(len(group.commands) for group in groups)
    return nt("{n} result", "{n} results", number) if number else t("No results")

"""The command palette and keyboard shortcuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from fundwright.core.messages import Language as LanguageCode
from fundwright_ui.widgets.base import Nothing, On, Props, Widget
from fundwright_ui.widgets.dialogs import LanguageChosen

Act = Literal["settings", "shortcuts", "sidebar", "logout"]
Mode = Literal["light", "dark", "system"]


class Command(Props):
    """A line of the palette, which opens `path` or runs an action."""

    id: str
    label: str
    detail: str = ""
    path: str = ""
    mode: Mode | None = None
    language: LanguageCode | None = None
    act: Act | None = None


class CommandGroup(Props):
    label: str
    commands: Sequence[Command]


class Shortcut(Props):
    """Pressing `g` and then `key` opens `path`."""

    key: str
    label: str
    path: str


class WordsTyped(Props):
    words: str


class ActChosen(Props):
    act: Act


class CommandPalette(Widget):
    """Finds pages, opportunities, drafts, and actions (Ctrl K), and lists the shortcuts (?). `groups` and `summary` are the results
    for `words`."""

    shortcuts: Sequence[Shortcut]
    words: str | None = None
    groups: Sequence[CommandGroup] = ()
    summary: str = ""
    on_search: On[WordsTyped] = None
    on_command: On[ActChosen] = None
    on_language: On[LanguageChosen] = None
    on_close: On[Nothing] = None

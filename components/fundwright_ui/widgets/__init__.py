"""Typed declarations of the widgets in `web/src/widgets`. The toaster has none, because only the web client uses it."""

from __future__ import annotations

from fundwright_ui.widgets.base import Nothing, On, Props, Slot, Widget
from fundwright_ui.widgets.board import Board, CardMoved
from fundwright_ui.widgets.chart import Chart, Series, chart
from fundwright_ui.widgets.clipboard import CopyButton, copy_button
from fundwright_ui.widgets.data_table import (
    ActionCell,
    Chip,
    Column,
    DataTable,
    DetailCell,
    LinkCell,
    NoteCell,
    Row,
    RowOpened,
    Sort,
    TableQuery,
    WatchCell,
    data_table,
)
from fundwright_ui.widgets.dialogs import (
    AccountLink,
    AccountMenu,
    ConfirmDialog,
    FormDialog,
    Language,
    LanguageChosen,
    SettingsDrawer,
    danger_dialog,
    delete_dialog,
    form_dialog,
)
from fundwright_ui.widgets.editor import LeftTexts, NamedSection, SectionChosen, SectionEditor, UnsavedTexts, section_editor
from fundwright_ui.widgets.files import FileDrop, FileUploaded
from fundwright_ui.widgets.markdown import Citation, CitationOpened, ClaimMark, MarkdownView, markdown_view
from fundwright_ui.widgets.mentions import Mentions
from fundwright_ui.widgets.palette import ActChosen, Command, CommandGroup, CommandPalette, Shortcut, WordsTyped
from fundwright_ui.widgets.passkeys import (
    Passkey,
    PasskeyAnswered,
    PasskeyRefused,
    Reauthentication,
    ReauthenticationDialog,
    refusal_of,
)
from fundwright_ui.widgets.undo import UndoToast
from fundwright_ui.widgets.workspaces import WorkspaceChoice, WorkspaceChosen, WorkspaceLink, WorkspaceMenu, WorkspaceSwitcher

ALL: tuple[type[Widget], ...] = (
    AccountMenu,
    Board,
    Chart,
    CommandPalette,
    ConfirmDialog,
    CopyButton,
    DataTable,
    FileDrop,
    FormDialog,
    LeftTexts,
    MarkdownView,
    Mentions,
    Passkey,
    ReauthenticationDialog,
    SectionEditor,
    SettingsDrawer,
    UndoToast,
    UnsavedTexts,
    WorkspaceSwitcher,
)
"""Widgets that TypeScript types are written for."""

__all__ = [
    "ALL",
    "AccountLink",
    "AccountMenu",
    "ActChosen",
    "ActionCell",
    "Board",
    "CardMoved",
    "Chart",
    "Chip",
    "Citation",
    "CitationOpened",
    "ClaimMark",
    "Column",
    "Command",
    "CommandGroup",
    "CommandPalette",
    "ConfirmDialog",
    "CopyButton",
    "DataTable",
    "DetailCell",
    "FileDrop",
    "FileUploaded",
    "FormDialog",
    "Language",
    "LanguageChosen",
    "LeftTexts",
    "LinkCell",
    "MarkdownView",
    "Mentions",
    "NamedSection",
    "NoteCell",
    "Nothing",
    "On",
    "Passkey",
    "PasskeyAnswered",
    "PasskeyRefused",
    "Props",
    "Reauthentication",
    "ReauthenticationDialog",
    "Row",
    "RowOpened",
    "SectionChosen",
    "SectionEditor",
    "Series",
    "SettingsDrawer",
    "Shortcut",
    "Slot",
    "Sort",
    "TableQuery",
    "UndoToast",
    "UnsavedTexts",
    "WatchCell",
    "Widget",
    "WordsTyped",
    "WorkspaceChoice",
    "WorkspaceChosen",
    "WorkspaceLink",
    "WorkspaceMenu",
    "WorkspaceSwitcher",
    "chart",
    "copy_button",
    "danger_dialog",
    "data_table",
    "delete_dialog",
    "form_dialog",
    "markdown_view",
    "refusal_of",
    "section_editor",
]

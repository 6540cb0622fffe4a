"""The navigation of signed-in pages."""

from __future__ import annotations

from fundwright_ui.sidebar.entries import ENTRIES, entries_of, menu_entries, work_entries
from fundwright_ui.sidebar.sidebar import drawer, sidebar
from fundwright_ui.sidebar.workspaces import workspace_switcher

__all__ = ["ENTRIES", "drawer", "entries_of", "menu_entries", "sidebar", "work_entries", "workspace_switcher"]

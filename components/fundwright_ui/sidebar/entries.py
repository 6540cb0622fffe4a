"""Which entries the navigation has."""

from __future__ import annotations

from fundwright_ui.extension import SidebarEntry
from fundwright_ui.hooks import Connection

ENTRIES = (
    SidebarEntry("Opportunities", "/dashboard/nih", icon="opportunities", also=("/dashboard/sam",)),
    SidebarEntry("Category", "/dashboard/category", icon="category"),
    SidebarEntry("Train", "/dashboard/train", icon="train"),
    SidebarEntry("Embedding History", "/dashboard/history", icon="history"),
    SidebarEntry("Generate", "/generate/index", icon="generate"),
)
"""Those that Fundwright itself registers."""


def entries_of(connection: Connection) -> list[SidebarEntry]:
    """All registered entries that the signed-in actor may see, in order of registration."""
    entries: list[SidebarEntry] = connection.core.plugins.collect("sidebar_entries")
    role = connection.actor.role if connection.actor else None
    return [entry for entry in entries if entry.roles is None or role in entry.roles]


def is_current(entry: SidebarEntry, path: str) -> bool:
    """Whether the page at `path` belongs to the entry: one of its own pages, or one below."""
    return any(path == own or path.startswith(f"{own}/") for own in (entry.path, *entry.also))

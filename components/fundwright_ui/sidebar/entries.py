"""The entries of the sidebar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission, Role
from fundwright_ui.extension import SidebarEntry
from fundwright_ui.product import Connection

_USERS: frozenset[str] = frozenset({Role.USER})
_ADMINISTRATORS: frozenset[str] = roles_with(Permission.ADMINISTER)
_ADMIN = "Admin area"

_WORK_ENTRIES = (
    SidebarEntry("Opportunities", "/dashboard/nih", icon="opportunities", also=("/dashboard/sam",), roles=_USERS),
    SidebarEntry("Category", "/dashboard/category", icon="category", roles=_USERS),
    SidebarEntry("Train", "/dashboard/train", icon="train", also=("/dashboard/passage",), roles=_USERS),
    SidebarEntry("Embedding History", "/dashboard/history", icon="history", roles=_USERS),
    SidebarEntry("Generate", "/generate/index", icon="generate", also=("/generate/slug", "/generate/templates"), roles=_USERS),
)
_ADMINISTRATION_ENTRIES = (
    SidebarEntry("Dashboard", "/dashboard/index", icon="dashboard", roles=_ADMINISTRATORS),
    SidebarEntry("Analyze", "/dashboard/analyze", icon="analyze", roles=_ADMINISTRATORS),
    SidebarEntry("History", "/dashboard/history", icon="history", roles=_ADMINISTRATORS),
    SidebarEntry("Payment", "/dashboard/payment/history", icon="payment", roles=_ADMINISTRATORS),
    SidebarEntry("Setting", "/dashboard/user/account", icon="settings", roles=_ADMINISTRATORS),
    SidebarEntry("New post", "/dashboard/blog/new-post", icon="edit", roles=_ADMINISTRATORS, heading=_ADMIN, group="Blog"),
    SidebarEntry(
        "List",
        "/dashboard/blog/list",
        icon="blog",
        also=("/dashboard/blog",),
        roles=_ADMINISTRATORS,
        heading=_ADMIN,
        group="Blog",
    ),
    SidebarEntry("Feedback", "/dashboard/feedback", icon="feedback", roles=_ADMINISTRATORS, heading=_ADMIN),
    SidebarEntry("Premium Link", "/dashboard/freepremium", icon="link", roles=_ADMINISTRATORS, heading=_ADMIN),
    SidebarEntry("Subscription", "/dashboard/subscription", icon="star", roles=_ADMINISTRATORS, heading=_ADMIN),
)

_WORKSPACE_ENTRIES = (
    SidebarEntry("Pipeline", "/dashboard/pipeline", icon="pipeline", heading="Workspace"),
    SidebarEntry("Tasks", "/dashboard/tasks", icon="check", also=("/dashboard/notes",), heading="Workspace"),
)

ENTRIES = (
    *_WORK_ENTRIES,
    *_ADMINISTRATION_ENTRIES,
    *(
        replace(entry, roles=_ADMINISTRATORS, heading="Work")
        for entry in _WORK_ENTRIES
        if entry.path not in {known.path for known in _ADMINISTRATION_ENTRIES}
    ),
    *_WORKSPACE_ENTRIES,
    SidebarEntry("People", "/dashboard/users", icon="people", roles=_ADMINISTRATORS, heading="Administration"),
    SidebarEntry("Audit trail", "/dashboard/audit", icon="audit", roles=_ADMINISTRATORS, heading="Administration"),
    SidebarEntry("Outbox", "/dashboard/outbox", icon="mail", roles=_ADMINISTRATORS, heading="Administration"),
)
"""Fundwright's own entries: work entries for users, administration entries for administrators (the product specification lists both),
below them what everyone's workspace has, and what else administrators need every day."""

IN_MENU = (
    SidebarEntry("Dashboard", "/dashboard/index"),
    SidebarEntry("Trash", "/dashboard/trash"),
    SidebarEntry("Workspace", "/dashboard/workspace"),
    SidebarEntry("Account", "/dashboard/user/account"),
)
"""Further pages of the account menu."""


def entries_of(connection: Connection) -> list[SidebarEntry]:
    """Return all registered entries for the actor's role, in order of registration."""
    return _entries_for(connection, connection.actor.role if connection.actor else None)


def work_entries(connection: Connection) -> list[SidebarEntry]:
    """Return the entries for work, regardless of the role."""
    return _entries_for(connection, Role.USER)


def menu_entries(connection: Connection, shown: Sequence[SidebarEntry]) -> list[SidebarEntry]:
    """The links of the account menu: entries for work and `IN_MENU`, except pages that are among the entries `shown` beside it."""
    role, paths = connection.actor.role if connection.actor else None, {entry.path for entry in shown}
    own = [entry for entry in IN_MENU if entry.roles is None or role in entry.roles]
    return [entry for entry in (*work_entries(connection), *own) if entry.path not in paths]


def _entries_for(connection: Connection, role: str | None) -> list[SidebarEntry]:
    entries: list[SidebarEntry] = connection.core.plugins.collect("sidebar_entries")
    return [entry for entry in entries if entry.roles is None or role in entry.roles]


def current_entry(entries: Iterable[SidebarEntry], path: str) -> SidebarEntry | None:
    """The entry of the page at `path`: that of its own address, or else of the closest one above it."""
    matches = [(len(own), entry) for entry in entries for own in (entry.path, *entry.also) if f"{path}/".startswith(f"{own}/")]
    return max(matches, key=lambda match: match[0])[1] if matches else None

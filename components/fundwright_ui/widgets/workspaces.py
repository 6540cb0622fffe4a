"""The switcher of workspaces."""

from __future__ import annotations

from collections.abc import Sequence

from fundwright_ui.widgets.base import Nothing, On, Props, Widget


class WorkspaceChoice(Props):
    id: str
    name: str
    role: str
    is_current: bool = False


class WorkspaceLink(Props):
    label: str
    href: str


class WorkspaceMenu(Props):
    """What the open menu shows. Without `search_label`, it has no search field."""

    choices: Sequence[WorkspaceChoice]
    links: Sequence[WorkspaceLink]
    search_label: str = ""
    nothing: str = ""
    """Shown instead of choices if the search finds none."""
    support: Sequence[WorkspaceChoice] = ()
    """Workspaces that an administrator may only view, below `support_label`."""
    support_label: str = ""


class WorkspaceChosen(Props):
    id: str


class WorkspaceSwitcher(Widget):
    """The name of the workspace, which opens the menu of all workspaces. `menu` is loaded when it opens."""

    label: str
    name: str
    menu: WorkspaceMenu | None = None
    on_open: On[Nothing] = None
    on_choose: On[WorkspaceChosen] = None

"""What a plug-in package can add to the interface: screens, the sidebar entries that lead to them, icons, and widgets.

```python
from fundwright.core.plugins import hookimpl
from fundwright_ui import SidebarEntry

@hookimpl
def screens():
    return [hello_screen]

@hookimpl
def sidebar_entries():
    return [SidebarEntry("Hello", "/dashboard/hello", icon="star")]
```
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fundwright.core.plugins import hookspec
from fundwright_ui.runtime.modules import WebModule
from fundwright_ui.runtime.router import Screen

if TYPE_CHECKING:
    from fundwright_ui.ui.icons import Icon

__all__ = ["Screen", "SidebarEntry", "WebModule", "icons", "screens", "sidebar_entries", "web_modules"]


@dataclass(frozen=True)
class SidebarEntry:
    """A link in the sidebar. `label`, `heading`, and `group` are English message ids; `roles=None` means every role. Neighbors
    with the same heading are listed below it, and those with the same group below that.

    The link is marked as current on its own page, on pages below it, and on those in `also`.
    """

    label: str
    path: str
    icon: str = "circle"
    roles: frozenset[str] | None = None
    heading: str | None = None
    group: str | None = None
    also: tuple[str, ...] = ()


@hookspec
def screens() -> Iterable[Screen]:
    """Screens and the addresses that they serve. The first screen registered for an address wins."""
    return ()


@hookspec
def sidebar_entries() -> Iterable[SidebarEntry]:
    """Links for the sidebar, in the order in which they are shown."""
    return ()


@hookspec
def icons() -> Iterable[Icon]:
    """The package's icons for `icon`, buttons, and the sidebar. Their names must be unique."""
    return ()


@hookspec
def web_modules() -> Iterable[WebModule]:
    """The package's widgets and the ES modules that draw them. Their names must be unique."""
    return ()

"""The hooks of the package. Every command loads this module, so the screen is imported only when it is needed."""

from pathlib import Path

from fundwright.core.plugins import hookimpl
from fundwright_ui import SidebarEntry, WebModule


@hookimpl
def screens():
    from fundwright_bell.bell import bell_screen

    return [bell_screen]


@hookimpl
def sidebar_entries():
    return [SidebarEntry("Bell", "/dashboard/bell", icon="star")]


@hookimpl
def web_modules():
    from fundwright_bell.bell import BellPull

    return [WebModule(Path(__file__).with_name("bell.js"), [BellPull])]

"""The hooks of the package."""

from pathlib import Path

from fundwright.core.migrations import Migrations
from fundwright.core.plugins import hookimpl
from fundwright_ui import SidebarEntry, WebModule

_FOLDER = Path(__file__).parent


@hookimpl
def migrations():
    return [Migrations("partners", _FOLDER / "migrations")]


@hookimpl
def job_handlers():
    from fundwright_partners.partners import HANDLER

    return [HANDLER]


@hookimpl
def screens():
    from fundwright_partners.partners import partners_screen

    return [partners_screen]


@hookimpl
def sidebar_entries():
    return [SidebarEntry("Partners", "/dashboard/partners", icon="star")]


@hookimpl
def web_modules():
    from fundwright_partners.partners import Fold

    return [WebModule(_FOLDER / "fold.js", [Fold])]

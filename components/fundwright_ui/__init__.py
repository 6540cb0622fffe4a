"""The public interface for packages that extend the screens; docs/screens.md and docs/extending.md show it in use.

Names are imported lazily: every command loads the plug-ins, but only the server shows screens.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fundwright.core import messages
from fundwright_ui.runtime.host import use_translations

if TYPE_CHECKING:
    from fundwright.core.messages import nt, t
    from fundwright_ui.extension import SidebarEntry, WebModule
    from fundwright_ui.hooks import (
        UNCHANGED,
        use_action,
        use_live,
        use_query,
        use_rows,
        use_url_state,
    )
    from fundwright_ui.product import use_actor, use_connection, use_saved_state
    from fundwright_ui.runtime.router import screen
    from fundwright_ui.screens.jobs import job_progress
    from fundwright_ui.screens.listing import ask, existing_page, export_button, open_below, pages, search_box, sort_of
    from fundwright_ui.ui import (
        Icon,
        alert,
        button,
        card,
        category_chip,
        category_color,
        checkbox,
        chip,
        columns,
        definition_list,
        empty,
        form,
        grid,
        icon,
        icon_button,
        link_button,
        list_row,
        loading,
        moment,
        more_rows,
        page,
        pagination,
        problem,
        progress,
        row,
        row_actions,
        section,
        select_field,
        stack,
        tabs,
        text_area,
        text_field,
        text_link,
    )
    from fundwright_ui.widgets import Column, On, Props, Row, Slot, Widget, data_table, form_dialog

use_translations(messages)

__all__ = [
    "UNCHANGED",
    "Column",
    "Icon",
    "On",
    "Props",
    "Row",
    "SidebarEntry",
    "Slot",
    "WebModule",
    "Widget",
    "alert",
    "ask",
    "button",
    "card",
    "category_chip",
    "category_color",
    "checkbox",
    "chip",
    "columns",
    "data_table",
    "definition_list",
    "empty",
    "existing_page",
    "export_button",
    "form",
    "form_dialog",
    "grid",
    "icon",
    "icon_button",
    "job_progress",
    "link_button",
    "list_row",
    "loading",
    "moment",
    "more_rows",
    "nt",
    "open_below",
    "page",
    "pages",
    "pagination",
    "problem",
    "progress",
    "row",
    "row_actions",
    "screen",
    "search_box",
    "section",
    "select_field",
    "sort_of",
    "stack",
    "t",
    "tabs",
    "text_area",
    "text_field",
    "text_link",
    "use_action",
    "use_actor",
    "use_connection",
    "use_live",
    "use_query",
    "use_rows",
    "use_saved_state",
    "use_url_state",
]

_HOMES = {
    "fundwright_ui.hooks": {"UNCHANGED"},
    "fundwright_ui.extension": {"SidebarEntry", "WebModule"},
    "fundwright.core.messages": {"nt", "t"},
    "fundwright_ui.product": {"use_actor", "use_connection", "use_saved_state"},
    "fundwright_ui.runtime.router": {"screen"},
    "fundwright_ui.screens.jobs": {"job_progress"},
    "fundwright_ui.screens.listing": {
        "ask",
        "existing_page",
        "export_button",
        "open_below",
        "pages",
        "search_box",
        "sort_of",
    },
    "fundwright_ui.widgets": {"Column", "On", "Props", "Row", "Slot", "Widget", "data_table", "form_dialog"},
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), None)
    home = home or ("fundwright_ui.hooks" if name.startswith("use_") else "fundwright_ui.ui")
    return getattr(import_module(home), name)

"""What a package that extends the interface needs; docs/screens.md and docs/extending.md show it in use.

Each name is imported when it is asked for: every command loads the plug-ins, and only the server shows screens.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fundwright.core.messages import nt, t
    from fundwright_ui.extension import SidebarEntry, WebModule
    from fundwright_ui.hooks import (
        use_action,
        use_actor,
        use_connection,
        use_live,
        use_query,
        use_rows,
        use_saved_state,
        use_url_state,
    )
    from fundwright_ui.runtime.router import screen
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
    from fundwright_ui.widgets import On, Props, Widget

__all__ = [
    "Icon",
    "On",
    "Props",
    "SidebarEntry",
    "WebModule",
    "Widget",
    "alert",
    "button",
    "card",
    "category_chip",
    "category_color",
    "checkbox",
    "chip",
    "columns",
    "definition_list",
    "empty",
    "form",
    "grid",
    "icon",
    "icon_button",
    "link_button",
    "list_row",
    "loading",
    "moment",
    "more_rows",
    "nt",
    "page",
    "pagination",
    "problem",
    "progress",
    "row",
    "row_actions",
    "screen",
    "section",
    "select_field",
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
    "fundwright_ui.extension": {"SidebarEntry", "WebModule"},
    "fundwright.core.messages": {"nt", "t"},
    "fundwright_ui.runtime.router": {"screen"},
    "fundwright_ui.widgets": {"On", "Props", "Widget"},
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), None)
    home = home or ("fundwright_ui.hooks" if name.startswith("use_") else "fundwright_ui.ui")
    return getattr(import_module(home), name)

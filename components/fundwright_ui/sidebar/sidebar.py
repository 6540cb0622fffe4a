"""The sidebar: 280 px wide, 102 px when narrow, a drawer on small screens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reactpy import component, html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.extension import SidebarEntry
from fundwright_ui.product import Connection, use_connection
from fundwright_ui.runtime.events import Payload, handler
from fundwright_ui.sidebar.badges import MATCHES, TRAININGS, badge, badge_id, use_counts
from fundwright_ui.sidebar.entries import current_entry
from fundwright_ui.sidebar.logo import logo
from fundwright_ui.sidebar.workspaces import workspace_switcher
from fundwright_ui.ui.buttons import icon_button
from fundwright_ui.ui.elements import OnEvent, attributes, classes
from fundwright_ui.ui.icons import icon


def sidebar(connection: Connection, entries: Sequence[SidebarEntry], *, is_narrow: bool, on_toggle: OnEvent) -> VdomDict:
    """Small screens hide it and have `drawer` instead."""
    toggle = icon_button(t("Expand sidebar") if is_narrow else t("Collapse sidebar"), "chevron_left", on_click=on_toggle)
    return html.nav(
        {
            "className": classes("fw-sidebar", "fw-sidebar-collapsed" if is_narrow else None),
            "id": "sidebar",
            "aria-label": t("Main"),
        },
        html.div({"className": "fw-sidebar-header"}, logo(connection), html.div({"className": "fw-sidebar-toggle"}, toggle)),
        workspace_switcher(entries),
        _entries(entries, is_narrow),
    )


def drawer(connection: Connection, entries: Sequence[SidebarEntry], *, on_close: Callable[[], object]) -> VdomDict:
    """The open sidebar of small screens. Escape and a click beside it close it, and so does choosing the open page."""

    def close_on_escape(payload: Payload) -> None:
        if payload.get("key") == "Escape":
            on_close()

    return html.div(
        {
            "className": "fw-drawer",
            "role": "dialog",
            "aria-modal": "true",
            "aria-label": t("Navigation"),
            "onKeyDown": handler(close_on_escape),
        },
        html.nav(
            {"className": "fw-sidebar", "aria-label": t("Main")},
            html.div(
                {"className": "fw-sidebar-header"},
                logo(connection),
                icon_button(t("Close navigation"), "close", on_click=on_close, autofocus=True),
            ),
            workspace_switcher(entries),
            _entries(entries, False, on_close),
        ),
        html.button(
            {"type": "button", "className": "fw-backdrop", "aria-hidden": "true", "tabIndex": -1, "onClick": handler(on_close)}
        ),
    )


@component
def _entries(entries: Sequence[SidebarEntry], is_narrow: bool, on_current: Callable[[], object] | None = None) -> VdomDict:
    """`on_current` is called when the entry of the open page is chosen."""
    connection = use_connection()
    counts = use_counts({entry.path for entry in entries})
    current = current_entry(entries, connection.location.path)
    items: list[VdomDict] = []
    heading = group = None
    for entry in entries:
        if entry.heading and entry.heading != heading:
            heading = entry.heading
            items.append(html.li({"key": f"heading-{heading}", "className": "fw-nav-heading"}, t(heading)))
        if entry.group and entry.group != group:
            items.append(html.li({"key": f"group-{entry.group}", "className": "fw-nav-group"}, t(entry.group)))
        group = entry.group
        is_counted = entry.path in (MATCHES, TRAININGS)
        items.append(
            html.li(
                {"key": entry.path},
                html.a(
                    attributes(
                        className="fw-nav-item",
                        href=connection.href(entry.path),
                        title=t(entry.label) if is_narrow else None,
                        aria_current="page" if entry is current else None,
                        aria_describedby=badge_id(entry.path) if is_counted else None,
                        onClick=handler(on_current) if on_current is not None and entry is current else None,
                    ),
                    icon(entry.icon),
                    html.span(t(entry.label)),
                    badge(entry.path, counts.get(entry.path, 0)) if is_counted else None,
                ),
            )
        )
    return html.ul({"className": "fw-nav"}, *items)

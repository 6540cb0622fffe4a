"""Layouts of the areas. A layout stays mounted while the person moves within its area."""

from __future__ import annotations

from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict

from fundwright.core.messages import t
from fundwright_ui.extension import SidebarEntry
from fundwright_ui.product import use_connection, use_saved_state
from fundwright_ui.runtime.events import handler
from fundwright_ui.runtime.router import PUBLIC
from fundwright_ui.shell.prompts import prompts
from fundwright_ui.shell.topbar import topbar_actions
from fundwright_ui.sidebar import entries_of, menu_entries, sidebar, work_entries
from fundwright_ui.sidebar.entries import current_entry
from fundwright_ui.sidebar.logo import logo
from fundwright_ui.ui.buttons import icon_button
from fundwright_ui.ui.elements import classes

_FEEDBACK = SidebarEntry("Send feedback", "/feedback")


def frame(area: str, screen: Component) -> Component:
    if area == PUBLIC:
        return public_frame(screen)
    return generate_frame(screen) if area == "generate" else dashboard_frame(screen)


@component
def public_frame(screen: Component) -> VdomDict:
    """Screens of the public area have their own landmarks."""
    return html.div(_skip_link(), screen)


@component
def dashboard_frame(screen: Component) -> VdomDict:
    """Sidebar, top bar with settings and account menu, and the screen."""
    connection = use_connection()
    path = connection.location.path
    narrow = use_saved_state("sidebar is narrow", False)
    opened_at, set_opened_at = use_state("")
    is_open = opened_at == path  # navigation closes the drawer
    entries, links = entries_of(connection), menu_entries(connection)

    async def toggle() -> None:
        await narrow.set(not narrow.value)

    return html.div(
        {"className": classes("fw-shell", "fw-shell-collapsed" if narrow.value else None)},
        _skip_link(),
        sidebar(
            connection,
            entries,
            is_narrow=narrow.value,
            is_open=is_open,
            on_toggle=toggle,
            on_close=lambda: set_opened_at(""),
        ),
        html.button(
            {
                "type": "button",
                "className": classes("fw-backdrop", "fw-backdrop-open" if is_open else None),
                "aria-hidden": "true",
                "tabIndex": -1,
                "onClick": handler(lambda: set_opened_at("")),
            }
        ),
        html.div(
            {"className": "fw-shell-body"},
            html.header(
                {"className": "fw-topbar"},
                html.div(
                    {"className": "fw-menu-button"},
                    icon_button(t("Open navigation"), "menu", on_click=lambda: set_opened_at(path), expanded=is_open),
                ),
                topbar_actions([*entries, *links], [*links, _FEEDBACK], toggle),
            ),
            _main(screen),
        ),
    )


@component
def generate_frame(screen: Component) -> VdomDict:
    """A top bar with a link back; the screen takes the full width."""
    connection = use_connection()
    entries = work_entries(connection)
    current = current_entry(entries, connection.location.path)
    links = [entry for entry in entries if not entry.path.startswith("/generate/")]
    return html.div(
        {"className": "fw-shell fw-shell-plain"},
        _skip_link(),
        html.div(
            {"className": "fw-shell-body"},
            html.header(
                {"className": "fw-topbar"},
                logo(connection),
                html.nav(
                    {"className": "fw-tabs fw-hide-small", "aria-label": t("Main")},
                    *(
                        html.a(
                            {
                                "key": entry.path,
                                "className": "fw-tab",
                                "href": connection.href(entry.path),
                                **({"aria-current": "page"} if entry is current else {}),
                            },
                            t(entry.label),
                        )
                        for entry in entries
                    ),
                ),
                topbar_actions(entries, links),
            ),
            _main(screen),
        ),
    )


def _main(screen: Component) -> VdomDict:
    return html.main({"className": "fw-main", "id": "main", "tabIndex": -1}, screen, prompts())


def _skip_link() -> VdomDict:
    return html.a({"className": "fw-skip-link", "href": "#main"}, t("Skip to content"))

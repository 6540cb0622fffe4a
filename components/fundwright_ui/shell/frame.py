"""Layouts of the areas. A layout stays mounted while the person moves within its area."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict

from fundwright.core.messages import t
from fundwright_ui.extension import SidebarEntry
from fundwright_ui.product import use_connection, use_saved_state
from fundwright_ui.runtime.router import PUBLIC
from fundwright_ui.shell.prompts import prompts
from fundwright_ui.shell.settings import language_offer
from fundwright_ui.shell.support import support_banner
from fundwright_ui.shell.topbar import topbar_actions
from fundwright_ui.sidebar import drawer, entries_of, menu_entries, sidebar, work_entries, workspace_switcher
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
    return html.div(_skip_link(), screen, language_offer())


@component
def dashboard_frame(screen: Component) -> VdomDict:
    """Sidebar, top bar, and the screen."""
    connection = use_connection()
    narrow, navigation = use_saved_state("sidebar is narrow", False), _use_drawer()
    entries = entries_of(connection)

    async def toggle() -> None:
        await narrow.set(not narrow.value)

    return html.div(
        {"className": classes("fw-shell", "fw-shell-collapsed" if narrow.value else None)},
        _skip_link(),
        navigation.drawer or sidebar(connection, entries, is_narrow=narrow.value, on_toggle=toggle),
        _body(screen, navigation, entries, toggle=toggle),
        language_offer(),
    )


@component
def generate_frame(screen: Component) -> VdomDict:
    """A top bar with the work entries as tabs; the screen takes the full width."""
    connection, navigation = use_connection(), _use_drawer()
    tabs = work_entries(connection)
    current = current_entry(tabs, connection.location.path)
    return html.div(
        {"className": "fw-shell fw-shell-plain"},
        _skip_link(),
        navigation.drawer,
        _body(
            screen,
            navigation,
            [entry for entry in tabs if entry is current],
            logo(connection),
            workspace_switcher(tabs),
            html.nav(
                {"className": "fw-tabs", "aria-label": t("Main")},
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
                    for entry in tabs
                ),
            ),
        ),
        language_offer(),
    )


@dataclass(frozen=True)
class _Drawer:
    """The sidebar on small screens."""

    drawer: VdomDict | None
    """None while it is closed."""
    open: Callable[[], None]


def _use_drawer() -> _Drawer:
    connection = use_connection()
    path = connection.location.path
    opened_at, set_opened_at = use_state("")
    is_open = opened_at == path  # navigation closes the drawer
    shown = drawer(connection, entries_of(connection), on_close=lambda: set_opened_at("")) if is_open else None
    return _Drawer(shown, lambda: set_opened_at(path))


def _body(
    screen: Component,
    navigation: _Drawer,
    shown: Sequence[SidebarEntry],
    *start: VdomDict | Component,
    toggle: Callable[[], Awaitable[None]] | None = None,
) -> VdomDict:
    """The top bar, which begins with `start`, and the screen. The account menu contains the pages that are not in `shown`;
    `toggle` collapses and expands the sidebar."""
    connection, is_open = use_connection(), navigation.drawer is not None
    links = menu_entries(connection, shown)
    return html.div(
        {"className": "fw-shell-body", **({"inert": True} if is_open else {})},
        html.header(
            {"className": "fw-topbar"},
            html.div(
                {"className": "fw-menu-button"},
                icon_button(t("Open navigation"), "menu", on_click=navigation.open, expanded=is_open),
            ),
            *start,
            topbar_actions([*entries_of(connection), *links], [*links, _FEEDBACK], toggle),
        ),
        support_banner(),
        _main(screen),
    )


def _main(screen: Component) -> VdomDict:
    return html.main({"className": "fw-main", "id": "main", "tabIndex": -1}, screen, prompts())


def _skip_link() -> VdomDict:
    return html.a({"className": "fw-skip-link", "href": "#main"}, t("Skip to content"))

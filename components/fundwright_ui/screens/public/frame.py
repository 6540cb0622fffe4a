"""The layout of public pages."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.product import Connection
from fundwright_ui.sidebar.logo import logo
from fundwright_ui.ui import link_button, page, text_link
from fundwright_ui.ui.elements import Child, classes


def public_page(connection: Connection, title: str, *children: Child, subtitle: str | None = None) -> VdomDict:
    """A page of cards in the layout."""
    return public_frame(connection, page(title, *children, subtitle=subtitle), is_wide=True)


def public_frame(connection: Connection, *children: Child, is_wide: bool = False) -> VdomDict:
    """The logo, links to other public pages, and a link to sign in; one column of text unless `is_wide`."""
    link = (t("Go to home"), "/") if connection.actor else (t("Login"), "/auth/login")
    return html.div(
        {"className": "fw-public"},
        html.header(
            {"className": "fw-public-header"},
            logo(connection),
            html.nav(
                {"className": "fw-row", "aria-label": t("Main")},
                text_link(t("Blog"), connection.href("/blog")),
                text_link(t("Pricing"), connection.href("/pricing")),
                text_link(t("Help"), connection.href("/help")),
                link_button(link[0], connection.href(link[1]), variant="soft", size="small"),
            ),
        ),
        html.main(
            {"className": classes("fw-public-main", "fw-public-wide" if is_wide else None), "id": "main", "tabIndex": -1},
            *children,
        ),
    )

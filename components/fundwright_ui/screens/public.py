"""The frame of pages that anybody may read."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.hooks import Connection
from fundwright_ui.sidebar.logo import logo
from fundwright_ui.ui import link_button, page
from fundwright_ui.ui.elements import Child


def public_page(connection: Connection, title: str, *children: Child, subtitle: str | None = None) -> VdomDict:
    """A page under the logo, with the way in for those who are not signed in."""
    return html.div(
        {"className": "fw-public"},
        html.header(
            {"className": "fw-public-header"},
            logo(connection),
            None if connection.actor else link_button(t("Login"), connection.href("/auth/login")),
        ),
        html.main({"className": "fw-public-main", "id": "main"}, page(title, *children, subtitle=subtitle)),
    )

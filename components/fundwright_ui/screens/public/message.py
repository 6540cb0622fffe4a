"""Pages with a single message and a link home."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.product import Connection
from fundwright_ui.sidebar.logo import logo
from fundwright_ui.ui.elements import Child


def message_page(connection: Connection, title: str, sentence: str, *more: Child, code: str | None = None) -> VdomDict:
    """`code` is shown above the title in large digits."""
    return html.div(
        html.header({"className": "fw-login-header"}, logo(connection)),
        html.main(
            {"className": "fw-message", "id": "main"},
            html.p({"className": "fw-message-code", "aria-hidden": "true"}, code) if code else None,
            html.h1(title),
            html.p(sentence),
            html.a({"className": "fw-button fw-button-contained", "href": connection.href("/")}, t("Go to home")),
            *more,
        ),
    )

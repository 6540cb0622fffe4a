"""`/404`: where every unknown address leads."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.hooks import use_connection
from fundwright_ui.runtime.router import screen


@screen("/404", "404 Page not found", area="public", status=404)
def not_found_screen() -> VdomDict:
    connection = use_connection()
    return html.main(
        {"className": "fw-message", "id": "main"},
        html.p({"className": "fw-message-code", "aria-hidden": "true"}, "404"),
        html.h1(t("Sorry, page not found!")),
        html.p(t("There is nothing at this address. It may be mistyped, or the thing may have been removed.")),
        html.a({"className": "fw-button fw-button-contained fw-button-large", "href": connection.href("/")}, t("Go to home")),
    )

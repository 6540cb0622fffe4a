"""`/500`: what a page that failed looks like."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.hooks import use_connection
from fundwright_ui.runtime.router import screen


@screen("/500", "500 Server error", area="public", status=500)
def server_error_screen() -> VdomDict:
    connection = use_connection()
    return html.main(
        {"className": "fw-message", "id": "main"},
        html.p({"className": "fw-message-code", "aria-hidden": "true"}, "500"),
        html.h1(t("Something went wrong on our side")),
        html.p(t("What you saved is safe. Go back and try again; if it happens again, tell your administrator when it did.")),
        html.a({"className": "fw-button fw-button-contained fw-button-large", "href": connection.href("/")}, t("Go to home")),
    )

"""The product's logo."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright_ui.product import Connection


def logo(connection: Connection) -> VdomDict:
    """The product's name, linked to the home page."""
    return html.a(
        {"className": "fw-logo", "href": connection.href("/"), "aria-label": "Fundwright"},
        *logo_mark(),
    )


def logo_mark() -> tuple[VdomDict, VdomDict]:
    """The mark and the name."""
    return (
        html.svg(
            {"className": "fw-logo-mark", "viewBox": "0 0 32 32", "fill": "currentColor", "aria-hidden": "true"},
            html.path({"d": "M6 4h20v5H12v5h11v5H12v9H6z"}),
            html.path({"d": "M21 19l6 9h-7l-4-6z", "opacity": "0.56"}),
        ),
        html.span({"className": "fw-logo-text"}, "Fundwright"),
    )

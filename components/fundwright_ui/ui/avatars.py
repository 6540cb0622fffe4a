"""Avatars."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright_ui.ui.elements import classes


def avatar(name: str, photo: str | None, *, large: bool = False) -> VdomDict:
    """The photo at this address, or the initial. Decorative, because the name is shown beside it."""
    look = classes("fw-avatar", "fw-avatar-large" if large else None)
    if photo:
        return html.img({"className": look, "src": photo, "alt": ""})
    return html.span({"className": look, "aria-hidden": "true"}, name[:1])

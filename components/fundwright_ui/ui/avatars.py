"""Avatars."""

from __future__ import annotations

from typing import Literal

from reactpy import html
from reactpy.types import VdomDict

from fundwright_ui.ui.elements import classes


def avatar(name: str, photo: str | None, *, size: Literal["small", "large"] | None = None) -> VdomDict:
    """The photo at this address, or the initial. Decorative, because the name is shown beside it."""
    look = classes("fw-avatar", f"fw-avatar-{size}" if size else None)
    if photo:
        return html.img({"className": look, "src": photo, "alt": ""})
    return html.span({"className": look, "aria-hidden": "true"}, name[:1])

"""Mentions of members."""

from __future__ import annotations

from fundwright_ui.widgets.base import Widget


class Mentions(Widget):
    """Offers members after `@` in the text area of its form, with `path` as the API's list of them. Control and Enter send the form.
    The text area `takes_focus` when it appears."""

    path: str
    takes_focus: bool = False

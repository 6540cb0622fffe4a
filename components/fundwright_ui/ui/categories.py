"""A category as it is shown everywhere."""

from __future__ import annotations

from reactpy.types import VdomDict

from fundwright.categories.schemas import Colour
from fundwright_ui.ui.data import Color, chip

_COLORS: dict[Colour, Color] = {
    Colour.GREY: "secondary",
    Colour.BLUE: "info",
    Colour.GREEN: "success",
    Colour.ORANGE: "warning",
    Colour.RED: "error",
    Colour.PURPLE: "primary",
}


def category_color(colour: Colour) -> Color:
    """The colour of a category's chip: for `chip(…)` here and for a table's `Chip(…)`."""
    return _COLORS[colour]


def category_chip(name: str, colour: Colour, *, key: str | None = None) -> VdomDict:
    """A category's name in its colour."""
    return chip(name, color=category_color(colour), key=key)

"""Chips for categories and confidence."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.categories.schemas import Band, CategoryColor
from fundwright.core.messages import percent, t
from fundwright_ui.ui.display import Color, chip

_COLORS: dict[CategoryColor, Color] = {
    CategoryColor.GRAY: "secondary",
    CategoryColor.BLUE: "info",
    CategoryColor.GREEN: "success",
    CategoryColor.ORANGE: "warning",
    CategoryColor.RED: "error",
    CategoryColor.PURPLE: "purple",
}


def category_color(color: CategoryColor) -> Color:
    """The color of a category's chip: for `chip(…)` here and for a table's `Chip(…)`."""
    return _COLORS[color]


def category_chip(name: str, color: CategoryColor, *, key: str | None = None) -> VdomDict:
    """A category's name in its color."""
    return chip(name, color=category_color(color), key=key)


def confidence_chip(band: Band, probability: float) -> VdomDict:
    """The confidence of a suggestion. The number is in its tooltip and available to assistive technology."""
    text = t("Confidence: {band}", band=band.label)
    return html.span({"className": f"fw-confidence fw-confidence-{band}", "title": percent(probability)}, text)

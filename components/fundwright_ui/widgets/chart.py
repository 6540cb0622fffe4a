"""Charts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal

from reactpy import html
from reactpy.types import VdomDict

from fundwright_ui.widgets.base import Props, Widget


class Series(Props):
    """One line or one color of bars: a number for each day."""

    label: str
    values: tuple[int, ...]


class Chart(Widget):
    """Numbers by day, as a line for each series or as stacked bars. Show the same numbers in a table beside it."""

    label: str
    days: Sequence[date]
    series: Sequence[Series]
    kind: Literal["lines", "bars"] = "lines"
    language: str = "en"


def chart(
    *, label: str, days: Sequence[date], series: Sequence[Series], kind: Literal["lines", "bars"], language: str
) -> VdomDict:
    """A `Chart` with reserved space before any script runs."""
    place = html.div({"className": "fw-chart fw-skeleton", "aria-hidden": "true"})
    return Chart(label=label, days=days, series=series, kind=kind, language=language, fallback=[place])

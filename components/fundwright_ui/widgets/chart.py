"""Charts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal

from reactpy import html
from reactpy.types import VdomDict

from fundwright_ui.widgets.base import Props, Widget


class Series(Props):
    """The values of one line or of one color of bars, one for each day."""

    label: str
    values: tuple[int, ...]


class Chart(Widget):
    """Values by day, as lines or stacked bars. For accessibility, also show the values in a table."""

    label: str
    days: Sequence[date]
    series: Sequence[Series]
    kind: Literal["lines", "bars"] = "lines"
    language: str = "en"


def chart(
    *, label: str, days: Sequence[date], series: Sequence[Series], kind: Literal["lines", "bars"], language: str
) -> VdomDict:
    """A `Chart` whose space is reserved before any script runs."""
    place = html.div({"className": "fw-chart fw-skeleton", "aria-hidden": "true"})
    return Chart(label=label, days=days, series=series, kind=kind, language=language, fallback=[place])

"""The days until a deadline, as a chip and as a cell of a table."""

from __future__ import annotations

from datetime import date

from babel.dates import format_date
from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import current_language, nt, t
from fundwright_ui.ui import chip
from fundwright_ui.widgets import NoteCell

SOON_DAYS = 7
"""Deadlines within this number of days are red."""
_COUNTED_DAYS = 3 * 365
"""Grants without a deadline are published with a day decades away. The days until one beyond this number are not counted."""


def due_chip(day: date, today: date) -> VdomDict | None:
    """The days until a deadline, with its date as the tooltip; None if it is years away."""
    left = (day - today).days
    if left > _COUNTED_DAYS:
        return None
    label = nt("{n} day left", "{n} days left", left) if left > 0 else t("Due today")
    return html.span(
        {"title": format_date(day, locale=current_language())},
        chip(label, color="error" if left <= SOON_DAYS else "secondary"),
    )


def due_cell(day: date, today: date, language: str) -> NoteCell | date:
    """Return the days until a deadline, with its date, or only the date if it has passed or is years away."""
    left = (day - today).days
    if not 0 <= left <= _COUNTED_DAYS:
        return day
    label = nt("{n} day", "{n} days", left) if left else t("Today")
    return NoteCell(label=label, note=format_date(day, locale=language), color="error" if left <= SOON_DAYS else "secondary")

"""Dates and times."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from babel.dates import format_date, format_time
from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import current_language


def moment(at: datetime, *, shown: Literal["date", "datetime"] = "datetime") -> VdomDict:
    """A time. The server uses UTC only; the browser shows it in the reader's time zone."""
    utc, language = at.astimezone(UTC), current_language()
    day = format_date(utc, locale=language)
    text = day if shown == "date" else f"{day}, {format_time(utc, 'short', locale=language)} UTC"
    return html.time({"dateTime": utc.isoformat(), "data-moment": shown}, text)

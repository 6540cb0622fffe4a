"""Dates and times."""

from __future__ import annotations

from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time
from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import current_language

_reader_zone: ContextVar[ZoneInfo | None] = ContextVar("reader_zone", default=None)


def show_moments_in(zone: str | None) -> None:
    """Show the times of the current task in this IANA time zone; None if the reader's is unknown."""
    _reader_zone.set(ZoneInfo(zone) if zone else None)


def moment(at: datetime, *, shown: Literal["date", "datetime"] = "datetime") -> VdomDict:
    """A time in the reader's time zone. If only the browser knows it, the time is first shown in UTC."""
    zone, language = _reader_zone.get(), current_language()
    local = at.astimezone(zone or UTC)
    text = format_date(local, locale=language)
    if shown == "datetime":
        text += f", {format_time(local, 'short', locale=language)}{'' if zone else ' UTC'}"
    return html.time({"dateTime": at.astimezone(UTC).isoformat(), "data-moment": shown}, text)

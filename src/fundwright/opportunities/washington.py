"""Dates and times of the sources, in the time of Washington, DC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from fundwright.core.days import YEARS

WASHINGTON = ZoneInfo("America/New_York")
"""The sources name deadlines without a zone, and whole days, in the time of Washington, DC."""
END_OF_DAY = time(23, 59, 59)
_MMDDYYYY = re.compile(r"(\d\d)/?(\d\d)/?(\d{4})")


def moment(text: str, *, end_of_day: bool = False) -> datetime | None:
    """A moment from `2026-03-07 07:16:16.091-05`, `2026-03-23T17:00:00`, `2026-03-23`, `03232026` or `03/23/2026`.

    A day without a time is its first second, or its last with `end_of_day`. None when it is no moment.
    """
    text = text.strip()
    try:
        if match := _MMDDYYYY.fullmatch(text):
            month, day, year = map(int, match.groups())
            read = datetime(year, month, day)  # noqa: DTZ001 (given its zone below)
            is_day = True
        else:
            read = datetime.fromisoformat(text)
            is_day = len(text) <= 10
        if read.year not in YEARS:
            return None
        if is_day and end_of_day:
            read = datetime.combine(read.date(), END_OF_DAY)
        return (read if read.tzinfo else read.replace(tzinfo=WASHINGTON)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def deadline(text: str) -> tuple[datetime | None, str]:
    """The last moment of a deadline, or else its text."""
    due_at = moment(text, end_of_day=True)
    return due_at, "" if due_at else text


def is_whole_day(due_at: datetime) -> bool:
    """Whether the source named a day and no time."""
    return due_at.astimezone(WASHINGTON).time() == END_OF_DAY


def day_in_washington(value: datetime) -> date:
    return value.astimezone(WASHINGTON).date()

"""Dates and times of the sources, in Washington time (ET)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from fundwright.core.days import YEARS

WASHINGTON = ZoneInfo("America/New_York")
"""Deadlines without a time zone, and whole days, are in the time of Washington, DC."""
END_OF_DAY = time(23, 59, 59)
_MMDDYYYY = re.compile(r"(\d\d)/?(\d\d)/?(\d{4})")


def moment(text: str, *, end_of_day: bool = False) -> datetime | None:
    """Parse `2026-03-07 07:16:16.091-05`, `2026-03-23T17:00:00`, `2026-03-23`, `03232026`, or `03/23/2026`.

    A date without a time is the first second of the day, or the last with `end_of_day`. Returns None if it cannot be parsed.
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
    """Return the last moment of a deadline, or else its text."""
    due_at = moment(text, end_of_day=True)
    return due_at, "" if due_at else text


def is_whole_day(due_at: datetime) -> bool:
    """Whether the source gave a date without a time."""
    return due_at.astimezone(WASHINGTON).time() == END_OF_DAY


def day_start(day: date) -> datetime:
    """The first moment of a day in Washington."""
    return datetime(day.year, day.month, day.day, tzinfo=WASHINGTON)


def day_in_washington(value: datetime) -> date:
    return value.astimezone(WASHINGTON).date()


def days_left(due_at: datetime, now: datetime) -> int:
    """Days from today to the day of a deadline, which is shown as a date in Washington: 0 on that day, negative after it."""
    return (day_in_washington(due_at) - day_in_washington(now)).days

"""Dates and times of the sources, in Washington time (ET)."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from dateutil import parser

from fundwright.core.days import YEARS

WASHINGTON = ZoneInfo("America/New_York")
"""Deadlines without a time zone, and whole days, are in the time of Washington, DC."""
END_OF_DAY = time(23, 59, 59)
_MMDDYYYY = re.compile(r"(0[1-9]|1[0-2])/?([0-3]\d)/?(\d{4})")
_MMDDYYYY_BEFORE_TIME = re.compile(r"^(0[1-9]|1[0-2])([0-3]\d)(\d{4})(?=\s)")
_SERIAL = re.compile(r"[2-9]\d{4}(?:\.\d{1,12})?")
"""Days since 1899-12-30, as which spreadsheet programs store dates: from 1954 to 2173."""
_NAMED_ZONE = re.compile(r"\[[\w/+-]{1,40}\]$")
"""After the offset: `2026-12-15T17:00-05:00[America/New_York]`."""
_US_ZONE = re.compile(
    r"(?<![a-z])(?:(?:[ecmph]|ak)[sd]?t|(?:eastern|central|mountain|pacific|alaska|hawaii)(?: (?:standard|daylight))?(?: time)?)\)?$",
    re.IGNORECASE,
)
_US_ZONES = {
    "e": WASHINGTON,
    "c": ZoneInfo("America/Chicago"),
    "m": ZoneInfo("America/Denver"),
    "p": ZoneInfo("America/Los_Angeles"),
    "a": ZoneInfo("America/Anchorage"),
    "h": ZoneInfo("Pacific/Honolulu"),
}
"""By the first letter. EST is the time of the East in the summer, too, as people write it all year."""
_MIDNIGHT_AT_THE_END = re.compile(r"(?<!\d)24:00(?::00(?:\.0{1,9})?)?(?![\d:])")
_DAY_BEFORE_MONTH = re.compile(r"(?<!\d)(?:1[3-9]|[23]\d)[/-]\d{1,2}[/-]\d")
_WITH_DOTS = re.compile(r"(?<![\d.])\d{1,2}\.\d{1,2}\.\d")
_NUMBER = re.compile(r"\d*\.?\d*")
_MOST_CHARACTERS = 100
_LARGEST_OFFSET = timedelta(hours=14)


def moment(text: str, *, end_of_day: bool = False) -> datetime | None:
    """Parse dates and times as the sources publish them (`2026-03-07 07:16:16.091-05`, `03232026`), as spreadsheet programs save them
    (`3/7/2026 7:16`, `7-Mar-26`, `46088.5`), or as people write them in the United States (`March 7, 2026 5:00 p.m. ET`).

    A date without a time is the first second of the day, or the last with `end_of_day`. Returns None if it cannot be parsed, is not
    complete, or has the day before the month.
    """
    text = text.strip()
    if not text or len(text) > _MOST_CHARACTERS:
        return None
    try:
        read, is_day = _published(text) or _written(text)
        if read.year not in YEARS or abs(read.utcoffset() or timedelta()) > _LARGEST_OFFSET:
            return None
        if is_day and end_of_day:
            read = datetime.combine(read.date(), END_OF_DAY, read.tzinfo)
        return (read if read.tzinfo else read.replace(tzinfo=WASHINGTON)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _published(text: str) -> tuple[datetime, bool] | None:
    """Parse the usual formats of the sources, which is fast. Returns also whether it is a date without a time."""
    try:
        if match := _MMDDYYYY.fullmatch(text):
            month, day, year = map(int, match.groups())
            return datetime(year, month, day), True  # noqa: DTZ001 (given its zone later)
        return datetime.fromisoformat(text), len(text) <= 10
    except ValueError:
        return None


@lru_cache(maxsize=10_000)
def _written(text: str) -> tuple[datetime, bool]:
    """Parse any other format. Raises ValueError or OverflowError."""
    if _SERIAL.fullmatch(text):
        days = float(text)
        return datetime(1899, 12, 30) + timedelta(seconds=round(days * 86_400)), days.is_integer()  # noqa: DTZ001
    if _NUMBER.fullmatch(text) or _DAY_BEFORE_MONTH.search(text):
        raise ValueError(text)
    text = _MMDDYYYY_BEFORE_TIME.sub(r"\1/\2/\3", _MIDNIGHT_AT_THE_END.sub("23:59:59", _NAMED_ZONE.sub("", text)))
    zone = None
    if match := _US_ZONE.search(text):
        zone, text = _US_ZONES[match[0][0].lower()], text[: match.start()].rstrip(" ,(")
    # What the text lacks is taken from the default.
    first, second = (
        parser.parse(text, default=default, tzinfos=_no_other_zone, dayfirst=bool(_WITH_DOTS.search(text)))
        for default in (datetime(2000, 1, 1, 0), datetime(2001, 2, 2, 1))  # noqa: DTZ001
    )
    if first.date() != second.date() or (zone and first.tzinfo):
        raise ValueError(text)
    return first.replace(tzinfo=zone or first.tzinfo), first.hour != second.hour


def _no_other_zone(name: str | None, offset_s: int | None) -> tzinfo | None:
    """Without this, `dateutil` ignores the names of zones that it does not know."""
    if name and offset_s is None:
        raise ValueError(name)
    return None if offset_s is None else timezone(timedelta(seconds=offset_s))


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

"""The date of a document: what it says about itself, or else its file name or its title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

_LINES, _LINE_CHARACTERS, _READ_CHARACTERS = 8, 200, 60_000
"""How many first and last lines say what date the document has, and how much of a line and of the text is read."""
_CUE = re.compile(
    r"\b(?:as of|rev(?:ised|ision)?\.?|updated?|last edit(?:ed)?|edits|modified|effective|version|issued|filled|stand|mis à jour|état)\b|^\W{0,3}(?:date|datum)\b|©|copyright",
    re.IGNORECASE,
)
_AFTER_CUE = 40
_TITLE_LINES, _TITLE_WORDS = 3, 8
"""A title may say the month: “Capability statement, May 2019.” Figures alone in it are often something else."""
_MONTHS = {
    **dict(zip(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], range(1, 13), strict=True)),
    "mär": 3,
    "mai": 5,
    "okt": 10,
    "dez": 12,
    "fév": 2,
    "avr": 4,
    "aoû": 8,
    "déc": 12,
    "juin": 6,
    "juil": 7,
}
_M = r"(?P<name>(?:jan|feb|mar|mär|apr|avr|may|mai|jun|juin|jul|juil|aug|aoû|sep|oct|okt|nov|dec|dez|déc|fév)[a-zéû]{0,6})\.?"
_Y, _YY = r"(?P<year>(?:19|20)\d\d)", r"(?P<year>\d\d)"
_FORMS = tuple(
    re.compile(rf"(?<![\w/.,$-]){form}(?![\w/]|[.,-]\d)", re.IGNORECASE)
    for form in (
        rf"{_Y}-(?P<month>\d\d?)-(?P<day>\d\d?)",
        rf"(?P<month>\d\d?)/(?P<day>\d\d?)/(?:{_Y}|(?P<short>\d\d))",
        rf"(?P<day>\d\d?)\.(?P<month>\d\d?)\.{_Y}",
        rf"(?P<day>\d\d?)\.?[ -]{_M},?[ -]{_Y}",
        rf"{_M} (?P<day>\d\d?)(?:st|nd|rd|th)?, ?{_Y}",
        rf"{_M},?[ -]?{_Y}",
        rf"{_M}[-'’]?{_YY}",
        rf"{_Y}-(?P<month>\d\d)",
        rf"(?P<month>\d\d?)/(?:{_Y}|(?P<short>\d\d))",
        rf"{_Y}[ -]?q(?P<quarter>[1-4])",
        rf"q(?P<quarter>[1-4])[ -]?{_Y}",
        _Y,
    )
)
"""From the most to the least exact. Days of the month come second in numbers, as Americans write them, unless there are dots."""
_NAMED_FORMS = tuple(form for form in _FORMS if "name" in form.groupindex)
"""Those with the name of a month."""
_UNTIL = re.compile(
    r"\b(?:(?:valid|good) )?(?:exp(?:\.|ir\w*)?|through|thru|until|till|valid to|bis|jusqu\w*)(?: (?:date|on|the|until|through|zum|au|le)\b)*[: ]{1,3}",
    re.IGNORECASE,
)
"""“Exp. date:,” “expires on,” “valid through.”"""


class Expiry(NamedTuple):
    """Where a text says when something ends: from `cue` on, with the date from `start` to `end`. `last` is the last day."""

    cue: int
    start: int
    end: int
    last: date


def date_of(text: str, *, filename: str, today: date) -> date | None:
    """Return the date of a document, never one after `today`; None if nothing says it. Without a day, it is the first of the month, and
    without a month, January 1."""
    lines = [line.strip()[:_LINE_CHARACTERS] for line in text[:_READ_CHARACTERS].splitlines() if line.strip()]
    edges = [*lines[:_LINES], *lines[_LINES:][-_LINES:]]
    stated = (line[cue.end() : cue.end() + _AFTER_CUE] for line in edges for cue in _CUE.finditer(line))
    name = filename.rpartition(".")[0].replace("_", " ")
    titles = (line for line in lines[:_TITLE_LINES] if len(line.split()) <= _TITLE_WORDS)
    for source, forms in (*((each, _FORMS) for each in (*stated, name)), *((each, _NAMED_FORMS) for each in titles)):
        if found := _latest_in(source, forms, today):
            return found
    return None


def _latest_in(text: str, forms: Sequence[re.Pattern[str]], today: date) -> date | None:
    """Return the latest past date of the most exact form that there is."""
    found = ([day for day in _dates(form, text) if day <= today] for form in forms)
    return next((max(days) for days in found if days), None)


def expiry_in(text: str) -> Expiry | None:
    """Return the first date in a text that follows words such as “expires,” “valid through,” and “until.”"""
    for cue in _UNTIL.finditer(text):
        for form in _FORMS:
            found = form.match(text, cue.end())
            if found and (period := _period(found)):
                return Expiry(cue.start(), found.start(), found.end(), period[1])
    return None


def last_day_of(text: str) -> date | None:
    """Return the last day of a text that is a date: “June 2027” ends on June 30, and “2027” on December 31."""
    periods = (_period(found) for form in _FORMS if (found := form.fullmatch(text.strip())))
    return next((period[1] for period in periods if period), None)


def _dates(form: re.Pattern[str], text: str) -> Iterator[date]:
    return (period[0] for found in form.finditer(text) if (period := _period(found)))


def _period(found: re.Match[str]) -> tuple[date, date] | None:
    """The first and the last day of a date, or None if it is no day of the calendar."""
    part = {name: value for name, value in found.groupdict().items() if value}
    year = int(part.get("year") or part["short"])
    year = year if year > 99 else 2000 + year
    month = _month(part["name"]) if "name" in part else int(part.get("month", 1))
    if month is None:
        return None
    month = 3 * int(part["quarter"]) - 2 if "quarter" in part else month
    months = 3 if "quarter" in part else 1 if {"name", "month"} & part.keys() else 12
    try:
        first = date(year, month, int(part.get("day", 1)))
    except ValueError:
        return None
    end = first.month - 1 + months
    return first, first if "day" in part else date(first.year + end // 12, end % 12 + 1, 1) - timedelta(days=1)


def _month(name: str) -> int | None:
    name = name.casefold()
    return _MONTHS.get(name[:4]) or _MONTHS.get(name[:3])  # the expressions ignore case, for which a dotless i is an i

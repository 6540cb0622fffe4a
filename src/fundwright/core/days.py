"""Days in requests, with bounds that keep calculations inside the calendar."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator

from fundwright.core.messages import t

YEARS = range(1900, 2201)
_NUMBER = re.compile(r"[-+]?[\d.]+")


def _within_bounds(day: date) -> date:
    if day.year not in YEARS:
        raise ValueError(t("Choose dates between {first} and {last}.", first=str(YEARS[0]), last=str(YEARS[-1])))
    return day


def _no_number(given: object) -> object:
    """Pydantic would count a number as seconds since 1970."""
    if isinstance(given, int | float) or (isinstance(given, str) and _NUMBER.fullmatch(given.strip())):
        raise ValueError(t("“{value}” is not a date. Write dates like 2026-01-31.", value=str(given)[:50]))
    return given


def none_if_empty(value: object) -> object:
    """Forms send "" for what nobody chose."""
    return None if value == "" else value


Day = Annotated[date, BeforeValidator(_no_number), AfterValidator(_within_bounds)]
"""The type of every day in a request. The first and last days of the calendar have no day before or after them."""
OptionalDay = Annotated[Day | None, BeforeValidator(none_if_empty)]

Moment = Annotated[AwareDatetime, BeforeValidator(_no_number)]
"""The type of a moment in the address of a list."""

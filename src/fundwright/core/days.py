"""Days in requests, with bounds that keep calculations inside the calendar."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import AfterValidator

from fundwright.core.messages import t

YEARS = range(1900, 2201)


def _within_bounds(day: date) -> date:
    if day.year not in YEARS:
        raise ValueError(t("Choose dates between {first} and {last}.", first=str(YEARS[0]), last=str(YEARS[-1])))
    return day


Day = Annotated[date, AfterValidator(_within_bounds)]
"""The type of every day in a request. The first and last days of the calendar have no day before or after them."""

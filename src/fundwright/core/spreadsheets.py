"""Lists as spreadsheets open them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import datetime
from typing import cast


def csv_line(values: Sequence[object]) -> str:
    """One line of CSV with its end; a cell that a spreadsheet would run as a formula begins with an apostrophe."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow([_cell(value) for value in values])
    return buffer.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(str, cast(list[object], value)))
    if isinstance(value, datetime):
        return value.isoformat()
    text = str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text

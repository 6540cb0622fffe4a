"""CSV for spreadsheets: column and state names in the reader's language, times and numbers in machine-readable form."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TypeVar, cast

from fundwright.core.messages import t

T = TypeVar("T")

_FORMULA_BEGINS_WITH = frozenset("=+-@")
_PARTS = re.compile(r"(?<=[;\t\r\n])")
"""Some spreadsheets split a line at semicolons, tabs, or both; those that do not split at commas see no quotes around a cell either."""
_IGNORED_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
"""Control and formatting characters and spaces, which spreadsheets may drop from the start of a cell."""


async def csv_lines(
    columns: Sequence[tuple[str, Callable[[T], object]]], items: AsyncIterable[T] | Iterable[T]
) -> AsyncIterator[str]:
    """Yield a list as lines of CSV. Each column has its name in the reader's language and a function that reads its cell."""
    yield csv_line([name for name, _ in columns])
    read = [cell for _, cell in columns]
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield csv_line([cell(item) for cell in read])
    else:
        for item in items:
            yield csv_line([cell(item) for cell in read])


def csv_line(values: Sequence[object]) -> str:
    """One line of CSV with its end. What a spreadsheet would run as a formula begins with an apostrophe, and a cell with the separator
    of another kind of CSV is quoted."""
    cells = [_cell(value) for value in values]
    has_separator = any(";" in cell or "\t" in cell for cell in cells)
    buffer = io.StringIO()
    quoting = csv.QUOTE_ALL if has_separator else csv.QUOTE_MINIMAL
    csv.writer(buffer, lineterminator="\r\n", quoting=quoting).writerow(cells)
    return buffer.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bool):
        return t("yes") if value else t("no")
    if isinstance(value, list):
        text = " ".join(map(str, cast(list[object], value)))
    else:
        text = str(getattr(value, "label", value) if isinstance(value, StrEnum) else value)
    marked = "".join(f"'{part}" if _may_be_formula(part) else part for part in _PARTS.split(text))
    return f"'{marked}" if text[:1] in ("\t", "\r", "\n") else marked


def _may_be_formula(text: str) -> bool:
    """Whether a spreadsheet may run what begins a cell as a formula: also after blanks and quotes, and with full-width or small signs."""
    visible = (character for character in text if unicodedata.category(character) not in _IGNORED_CATEGORIES and character != '"')
    return unicodedata.normalize("NFKC", next(visible, "")) in _FORMULA_BEGINS_WITH

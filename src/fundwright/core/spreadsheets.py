"""CSV for spreadsheets: column and state names in the reader's language, times and numbers in machine-readable form."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TypeVar, cast

from fundwright.core.messages import t

T = TypeVar("T")

_FORMULA_BEGINS_WITH = frozenset("=+-@")
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
    """One line of CSV with its end; a cell that a spreadsheet would run as a formula begins with an apostrophe."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow([_cell(value) for value in values])
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
    return f"'{text}" if _may_be_formula(text) else text


def _may_be_formula(text: str) -> bool:
    """Whether a spreadsheet may run a cell as a formula: also after blanks, and with full-width or small signs."""
    if text[:1] in ("\t", "\r", "\n"):
        return True
    first = next((character for character in text if unicodedata.category(character) not in _IGNORED_CATEGORIES), "")
    return unicodedata.normalize("NFKC", first) in _FORMULA_BEGINS_WITH

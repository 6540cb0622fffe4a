"""Divides rows of tables that the parser of PDF files has put into one, because there are rules only between groups of rows.

The columns are those of the parser. `grids` finds tables where there is no parser, on pages whose text is recognized.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf
from operator import attrgetter
from statistics import median
from unicodedata import normalize

from fundwright.reading.placed import Box, Line, around, joined, rows_of

_NUMBER = re.compile(r"[$€£+-]?\d[\d,. ]{0,30}%?")
_LEAST_COLUMNS = 2
"""Nobody writes two numbers below each other into a cell, and that in so many columns: these are numbers of two rows."""
_BETWEEN = 0.25
"""A text that is further from the next row, as a share of the distance of rows, stands for all of them."""

_middle = attrgetter("middle")

Parts = list[dict[int, tuple[Line, int]]]
"""For each row, the text of each column, and how many rows it spans."""


def ordered(texts: Iterable[Line]) -> list[Line]:
    """Sort texts from top to bottom."""
    return sorted(texts, key=_middle)


def between(texts: Sequence[Line], top: float, bottom: float) -> Sequence[Line]:
    """Those ordered texts whose middle is between two heights."""
    return texts[bisect_left(texts, top, key=_middle) : bisect_right(texts, bottom, key=_middle)]


def divided(rows: Sequence[Sequence[tuple[str, Box]]], texts: Sequence[Line]) -> list[Parts]:
    """Return what each row consists of, from top to bottom, or nothing for a single row.

    Each cell of `rows` has its text and the place of the first line of this text. `texts` are those of the whole table, see `ordered`.
    """
    tops = [min((box[1] for text, box in row if text.strip()), default=None) for row in rows]
    inside = list[Sequence[Line]]()
    for place, top in enumerate(tops):
        below = (each for each in tops[place + 1 :] if top is not None and each is not None and each > top)
        end = next(below, inf)
        inside.append(between(texts, inf if top is None else top - 1, end))
    found = list[Parts]()
    for row, within in zip(rows, inside, strict=True):
        parts = _parts(row, within, rows_of(text for text in within if _NUMBER.fullmatch(text.text)))
        found.append(parts if _numbers(parts) >= _LEAST_COLUMNS else [])
    least = 2 if any(found) else 3
    for place, (row, within) in enumerate(zip(rows, inside, strict=True)):
        lines = [] if found[place] else rows_of(within)
        if len(lines) >= least and _is_named(parts := _parts(row, within, lines)):
            found[place] = parts
    return found


def _parts(row: Sequence[tuple[str, Box]], texts: Sequence[Line], rows: Sequence[Sequence[Line]]) -> Parts:
    """A row divided like `rows`, or nothing if that would lose or move a text."""
    middles = [median(each.middle for each in line) for line in rows]
    if len(middles) < 2:
        return []
    distance = min(after - before for before, after in pairwise(middles))
    cells = [(column, box) for column, (text, box) in enumerate(row) if text.strip()]
    lines: list[dict[int, list[Line]]] = [{} for _ in middles]
    spanning = dict[int, list[Line]]()
    for text in texts:
        column, _ = min(cells, key=lambda cell: max(cell[1][0] - text.box[2], text.box[0] - cell[1][2], 0.0))
        place = min(range(len(middles)), key=lambda each: abs(middles[each] - text.middle))
        is_between = abs(middles[place] - text.middle) > _BETWEEN * distance
        (spanning if is_between else lines[place]).setdefault(column, []).append(text)
    if any(column in line for column in spanning for line in lines):
        return []
    parts: Parts = [{column: (_joined(several), 1) for column, several in line.items()} for line in lines]
    parts[0].update({column: (_joined(several), len(parts)) for column, several in spanning.items()})
    whole = ["".join(part[column][0].text for part in parts if column in part) for column in range(len(row))]
    return parts if [*map(letters_of, whole)] == [letters_of(text) for text, _ in row] else []


def _numbers(parts: Sequence[Mapping[int, tuple[Line, int]]]) -> int:
    """In how many columns each part has a number."""
    columns = [{column for column, (text, _) in part.items() if _NUMBER.fullmatch(text.text)} for part in parts]
    return len(set.intersection(*columns)) if columns else 0


def _is_named(parts: Parts) -> bool:
    """Whether the names of columns stand above the first numbers."""
    return _numbers(parts[1:]) >= _LEAST_COLUMNS and not _numbers(parts[:1]) and all(span == 1 for _, span in parts[0].values())


def _joined(texts: Sequence[Line]) -> Line:
    """Texts of a cell, in their lines."""
    return Line("\n".join(joined(line).text for line in rows_of(texts)), around([text.box for text in texts]))


def letters_of(text: str) -> str:
    """All that a text says, without spaces, case, and punctuation."""
    return "".join(filter(str.isalnum, normalize("NFKC", text).casefold()))

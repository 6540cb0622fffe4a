"""Texts at places of a page, put into lines, columns, and paragraphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar
from unicodedata import bidirectional

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fundwright.reading.columns import is_prose

Box = tuple[float, float, float, float]
"""Left, top, right, and bottom, from the top left of the page."""
_Number = TypeVar("_Number", int, float)
GAP = "    "
"""Stands between columns of a line."""
_COLUMN_GAP = 2.0
"""Texts on one line that are further apart than this many times their height are columns."""
_PARAGRAPH_GAP = 1.4
"""Lines that are further apart than this many times the usual distance, which a quarter of them do not exceed, belong to different paragraphs."""
_MIN_BESIDE = 5
"""Columns of prose have at least so many lines."""


class Line(Struct, frozen=True):
    text: str
    box: Box
    confidence: float | None = None
    """How certain text recognition is of it, from 0 to 1."""
    words: tuple[Line, ...] = ()
    """Its words with their places, if they are known."""

    @property
    def height(self) -> float:
        return max(self.box[3] - self.box[1], 1.0)

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2


def contains(outer: Box, inner: Box) -> bool:
    """Whether the middle of the inner box is in the outer one."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] - 1 <= x <= outer[2] + 1 and outer[1] - 1 <= y <= outer[3] + 1


def are_in(outer: Box, boxes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each of the boxes has its middle in the outer one, as `contains` says. `boxes` has the shape (n, 4), and the result (n,)."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    return (outer[0] - 1 <= x) & (x <= outer[2] + 1) & (outer[1] - 1 <= y) & (y <= outer[3] + 1)


def around(boxes: Sequence[tuple[_Number, _Number, _Number, _Number]]) -> tuple[_Number, _Number, _Number, _Number]:
    """The smallest box that contains all of these."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def rows_of(texts: Iterable[Line]) -> list[list[Line]]:
    """Texts that stand side by side, from top to bottom and from left to right."""
    rows = list[list[Line]]()
    bottom = 0.0  # of the last row
    for text in sorted(texts, key=lambda text: (text.middle, text.box[0])):
        if rows and text.middle <= bottom:  # its tops are not below their middles, and those not below this one
            rows[-1].append(text)
            bottom = max(bottom, text.box[3])
        else:
            rows.append([text])
            bottom = text.box[3]
    for row in rows:
        row.sort(key=lambda text: text.box[0])
    return rows


def joined(row: Sequence[Line]) -> Line:
    """Put texts that stand side by side into one line."""
    text, before = "", 0
    for place in _in_reading_order(row):
        part = row[place]
        left, right = sorted((before, place))
        gap = row[right].box[0] - row[left].box[2] if right - left == 1 else 0.0
        is_apart = (gap > 0.1 * part.height or right - left > 1) and not part.text.startswith(" ")
        text += GAP if text and gap > _COLUMN_GAP * part.height else " " if text and is_apart else ""
        text, before = text + part.text.strip("\n"), place
    words = tuple(word for part in row for word in part.words or (part,))
    return Line(text.strip(), around([part.box for part in row]), confidence_of(row), words)


def _in_reading_order(row: Sequence[Line]) -> list[int]:
    """The places of words, which stand from left to right. Those in Arabic or Hebrew are read from right to left, and numbers and other words between them
    from left to right."""
    if not any(has_right_to_left(part.text) for part in row):
        return list(range(len(row)))
    directions = [_direction(part.text) for part in row]
    is_right_to_left = directions.count("R") > directions.count("L")
    order = list(range(len(row)))[:: -1 if is_right_to_left else 1]
    against = "LN" if is_right_to_left else "R"
    start = 0
    while start < len(order):
        end = start + 1
        if directions[order[start]] in against:
            end = next((place for place in range(end, len(order)) if directions[order[place]] not in f"{against} "), len(order))
            while directions[order[end - 1]] == " ":
                end -= 1
            order[start:end] = reversed(order[start:end])
        start = end
    return order


def _direction(text: str) -> str:
    """L or R for words from left to right or from right to left, N for numbers, and a space for signs."""
    kinds = {bidirectional(character) for character in text}
    return "R" if has_right_to_left(text) else "L" if "L" in kinds else "N" if kinds & {"EN", "AN"} else " "


def has_right_to_left(text: str) -> bool:
    """Whether there is Arabic or Hebrew in it."""
    return not text.isascii() and any(bidirectional(character) in ("R", "AL") for character in text)


def confidence_of(texts: Sequence[Line]) -> float | None:
    """The mean confidence of their characters."""
    sure = [(text.confidence, len(text.text)) for text in texts if text.confidence is not None and text.text]
    return sum(each * length for each, length in sure) / sum(length for _, length in sure) if sure else None


def paragraphs_of(texts: Iterable[Line]) -> list[list[Line]]:
    """The lines of each paragraph, in reading order: columns of prose after one another, and rows of tables in one line each."""
    found = list[list[Line]]()
    for rows in _streams(rows_of(texts)):
        lines = [joined(row) for row in rows]
        distances = [after.middle - before.middle for before, after in pairwise(lines)]
        usual = sorted(distances)[len(distances) // 4] if distances else 0.0
        for line, distance in zip(lines, [float("inf"), *distances], strict=True):
            if distance > _PARAGRAPH_GAP * usual:
                found.append([])
            found[-1].append(line)
    return found


def _streams(rows: list[list[Line]]) -> Iterator[list[list[Line]]]:
    """Divide rows where two columns of prose stand side by side."""
    best = max(((*_beside(rows, edge), edge) for edge in _edges(rows)), default=None)
    if best is None or best[0] < _MIN_BESIDE:
        if rows:
            yield rows
        return
    _, first, last, edge = best
    between = rows[first:last]
    left = [part for row in between if (part := [text for text in row if text.box[0] < edge])]
    right = [part for row in between if (part := [text for text in row if text.box[0] >= edge])]
    if not (is_prose([joined(row).text for row in left]) and is_prose([joined(row).text for row in right], least_running=1)):
        yield rows
        return
    for part in (rows[:first], left, right, rows[last:]):
        yield from _streams(part)


def _edges(rows: Sequence[Sequence[Line]]) -> set[float]:
    """Where texts begin that are not the first ones of the page."""
    least = min((row[0].box[0] + 2 * row[0].height for row in rows), default=0.0)
    return {text.box[0] for row in rows for text in row if text.box[0] > least}


def _beside(rows: Sequence[Sequence[Line]], edge: float) -> tuple[int, int, int]:
    """How many lines stand on each side of an edge, at least, where no text crosses it, and between which rows this is."""
    best, start = (0, 0, 0), 0
    for place in range(len(rows) + 1):
        if place == len(rows) or any(text.box[0] < edge < text.box[2] for text in rows[place]):
            between = rows[start:place]
            left = sum(any(text.box[0] < edge for text in row) for row in between)
            right = sum(any(text.box[0] >= edge for text in row) for row in between)
            best = max(best, (min(left, right), start, place))
            start = place + 1
    return best

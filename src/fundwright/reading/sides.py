"""Divides a page on which two columns of labeled values stand side by side, such as the sheets of four projects. liteparse takes them for one table, and
the label of one project gets the value of another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from fundwright.reading.placed import Box, Line, contains, rows_of

_MIN_GAP = 8.0
"""Points between the columns."""
_MIDDLE = 0.3, 0.7
"""Where the gap is, as a share of the width of the table."""
_CELL_GAP = 1.2
"""A label ends before a space of this many times its height."""
_MIN_LABELS, _MIN_LETTERS = 2, 3
"""As many equal labels begin lines in both columns."""


def by_sides(layout: Sequence[Any], texts: Iterable[tuple[str, Box]]) -> list[Any]:
    """The blocks of a page, with those that stand across both columns divided, and the left column first."""
    items = [Line(*item) for item in texts]
    table, gap = next(
        ((block, gap) for block in layout if block.kind == "table" for gap in _gaps(block, items)), (None, (0.0, 0.0))
    )
    if table is None:
        return list(layout)
    sides: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for block in layout:
        left, right = block.bbox.x, block.bbox.x + block.bbox.width
        inside = [item for item in items if contains(_box(block), item.box)]
        if right <= gap[1] or left >= gap[0]:
            sides[1 if right <= gap[1] else 2].append(block)
        elif block.bbox.y < table.bbox.y or any(item.box[0] < gap[0] and item.box[2] > gap[1] for item in inside):
            sides[0].append(block)  # a title above both
        else:
            sides[1].append(_part(block, left, gap[0]))
            sides[2].append(_part(block, gap[1], right))
    return [block for side in sides for block in sorted(side, key=lambda block: block.bbox.y)]


def _gaps(table: Any, items: Sequence[Line]) -> list[tuple[float, float]]:
    """The gaps between two columns of a table that have the same labels."""
    inside = [item for item in items if contains(_box(table), item.box)]
    left, width = table.bbox.x, table.bbox.width
    taken, gaps = left, list[tuple[float, float]]()
    for start, end in sorted((item.box[0], item.box[2]) for item in inside):
        if start - taken >= _MIN_GAP and _MIDDLE[0] <= ((start + taken) / 2 - left) / max(width, 1.0) <= _MIDDLE[1]:
            gaps.append((taken, start))
        taken = max(taken, end)
    return [
        gap
        for gap in gaps
        if len(
            _labels([item for item in inside if item.box[2] <= gap[0]])
            & _labels([item for item in inside if item.box[0] >= gap[1]])
        )
        >= _MIN_LABELS
    ]


def _labels(items: Sequence[Line]) -> frozenset[str]:
    """What stands at the beginning of lines, before a wide space."""
    if not items:
        return frozenset()
    edge = min(item.box[0] for item in items)
    found = set[str]()
    for row in rows_of(items):
        if row[0].box[0] - edge > row[0].height:
            continue
        label = [row[0].text]
        for before, after in pairwise(row):
            if after.box[0] - before.box[2] > _CELL_GAP * before.height:
                found.add(" ".join(" ".join(label).split()).casefold())
                break
            label.append(after.text)
    return frozenset(label for label in found if sum(map(str.isalpha, label)) >= _MIN_LETTERS)


def _box(block: Any) -> Box:
    return block.bbox.x, block.bbox.y, block.bbox.x + block.bbox.width, block.bbox.y + block.bbox.height


def _part(block: Any, left: float, right: float) -> SimpleNamespace:
    box = SimpleNamespace(x=left, y=block.bbox.y, width=right - left, height=block.bbox.height)
    return SimpleNamespace(kind="paragraph", bbox=box, level=None)

"""Finds tables among words at places of a page: between lines that are drawn, or in columns with nothing between them.

This is for pages whose text is recognized, where nothing else knows what a table is. In other PDF files, the parser finds tables and their columns,
and `table_rows` only divides the rows that it joins.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from msgspec.structs import replace

from fundwright.reading.columns import is_prose
from fundwright.reading.placed import Box, Line, around, joined, paragraphs_of, rows_of

_TOLERANCE = 5.0
"""Lines that should meet, or be one, are not further apart than this, on a page that is 1,000 high."""
_GUTTER = 0.4
"""Columns are further apart than this many times the height of their texts, more than words are."""
_MOST_ACROSS = 0.1
"""A share of the rows may have a text that stands between columns."""
_WIDE_GAP = 1.5
"""A row of a table has texts that are further apart than this many times their height. Other rows only continue a table."""
_ROW_GAP = 3.0
"""Rows that are further apart than this many times their height are of different tables."""
_MIN_ROWS, _MIN_COLUMNS = 2, 3
"""A table that is not drawn has at least so many: texts in two columns are labels with values, lists, or letterheads."""
_CLOSE = 0.8
"""Lines of one row are closer than this many times the usual distance of rows."""
_MOST_RULINGS = 400


@dataclass(frozen=True, slots=True)
class GridCell:
    """The lines of a cell, its first column from 0, and how many rows and columns it spans."""

    column: int
    lines: tuple[Line, ...]
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Grid:
    rows: tuple[tuple[GridCell, ...], ...]
    box: Box


def parts_of(lines: Sequence[Line], rulings: Sequence[Box] = ()) -> list[Grid | list[Line]]:
    """The tables of a page and the lines of its paragraphs, in reading order. `rulings` are the lines that are drawn on it."""
    grids = list[Grid]()
    for group in _connected(rulings[:_MOST_RULINGS]):
        grid, rest = _ruled(group, lines)
        if grid is not None:
            grids.append(grid)
            lines = rest
    aligned, lines = _aligned(lines)
    parts = list[Grid | list[Line]]()
    for grid in sorted([*grids, *aligned], key=lambda grid: grid.box[1]):
        parts += paragraphs_of(line for line in lines if line.middle < grid.box[1])
        lines = [line for line in lines if line.middle >= grid.box[1]]
        parts.append(grid)
    return [*parts, *paragraphs_of(lines)]


def lines_in(part: Grid | Sequence[Line]) -> Sequence[Line]:
    return [line for row in part.rows for cell in row for line in cell.lines] if isinstance(part, Grid) else part


def _connected(rulings: Sequence[Box]) -> list[list[Box]]:
    """Groups of lines that touch each other."""
    groups = list[list[Box]]()
    for ruling in rulings:
        touching = [group for group in groups if any(_touch(ruling, each) for each in group)]
        groups = [group for group in groups if group not in touching]
        groups.append([ruling, *chain.from_iterable(touching)])
    return groups


def _touch(first: Box, second: Box) -> bool:
    return all(first[side] <= second[side + 2] + _TOLERANCE and second[side] <= first[side + 2] + _TOLERANCE for side in (0, 1))


def _ruled(rulings: Sequence[Box], lines: Sequence[Line]) -> tuple[Grid | None, list[Line]]:
    """The table that lines draw, and the texts outside. None if they draw fewer than four cells, or cells without a text."""
    box = around(rulings)
    across = [each for each in rulings if each[2] - each[0] > each[3] - each[1]]
    down = [each for each in rulings if each[2] - each[0] <= each[3] - each[1]]
    xs = _positions([box[0], box[2], *((each[0] + each[2]) / 2 for each in down)])
    ys = _positions([box[1], box[3], *((each[1] + each[3]) / 2 for each in across)])
    inside, outside = _divided(lines, box)
    if len(xs) < 3 or len(ys) < 3 or not inside:
        return None, list(lines)
    words = dict[tuple[int, int], list[Line]]()
    for word in inside:
        row = min(max(bisect_right(ys, word.middle) - 1, 0), len(ys) - 2)
        column = min(max(bisect_right(xs, (word.box[0] + word.box[2]) / 2) - 1, 0), len(xs) - 2)
        words.setdefault((row, column), []).append(word)

    def ends_right(row: int, column: int) -> bool:
        middle = (ys[row] + ys[row + 1]) / 2
        return any(abs((each[0] + each[2]) / 2 - xs[column + 1]) <= _TOLERANCE and each[1] <= middle <= each[3] for each in down)

    def ends_below(row: int, column: int) -> bool:
        middle = (xs[column] + xs[column + 1]) / 2
        return any(abs((each[1] + each[3]) / 2 - ys[row + 1]) <= _TOLERANCE and each[0] <= middle <= each[2] for each in across)

    rows, taken = [list[GridCell]() for _ in ys[1:]], set[tuple[int, int]]()
    for row in range(len(ys) - 1):
        for column in range(len(xs) - 1):
            if (row, column) in taken:
                continue
            right, below = column + 1, row + 1
            while right < len(xs) - 1 and not ends_right(row, right - 1) and (row, right) not in taken:
                right += 1
            while below < len(ys) - 1 and not any(ends_below(below - 1, each) for each in range(column, right)):
                below += 1
            places = [(each, other) for each in range(row, below) for other in range(column, right)]
            taken.update(places)
            text = _lines(chain.from_iterable(words.get(place, ()) for place in places))
            rows[row].append(GridCell(column, text, below - row, right - column))
    return Grid(tuple(map(tuple, rows)), box), outside


def _positions(places: Iterable[float]) -> list[float]:
    """Places that are apart."""
    found = list[float]()
    for place in sorted(places):
        if not found or place - found[-1] > 2 * _TOLERANCE:
            found.append(place)
    return found


def _divided(lines: Sequence[Line], box: Box) -> tuple[list[Line], list[Line]]:
    """The words inside of a box, and the lines outside."""
    inside, outside = list[Line](), list[Line]()
    for line in lines:
        words = line.words or (line,)
        within = [word for word in words if _is_within(word, box)]
        inside += within
        if not within:
            outside.append(line)
        elif len(within) < len(words):
            outside.append(_line([word for word in words if word not in within]))
    return inside, outside


def _is_within(word: Line, box: Box) -> bool:
    return box[0] <= (word.box[0] + word.box[2]) / 2 <= box[2] and box[1] <= word.middle <= box[3]


def _aligned(lines: Sequence[Line]) -> tuple[list[Grid], list[Line]]:
    """The tables whose columns have nothing between them, and the other lines."""
    grids, rest = list[Grid](), list[Line]()
    for rows in _spread(rows_of(lines)):
        grid = _in_columns([[word for line in row for word in line.words or (line,)] for row in rows])
        if grid is None:
            rest += chain.from_iterable(rows)
        else:
            grids.append(grid)
    return grids, rest


def _spread(rows: Sequence[list[Line]]) -> Iterator[list[list[Line]]]:
    """Divide the lines of a page into those that are rows of tables, because their texts are far apart, and the others. A single text between two rows
    belongs to their table."""
    run, between = list[list[Line]](), list[list[Line]]()
    for row in rows:
        if (between or run) and _top(row) - _bottom((between or run)[-1]) > _ROW_GAP * row[0].height:
            yield from filter(None, (run, between))
            run, between = [], []
        if not _is_spread([word for line in row for word in line.words or (line,)]):
            if not run or between:
                yield from filter(None, (run, between))
                run, between = [], []
            between.append(row)
        else:
            if not run:
                yield from filter(None, (between,))
                between = []
            run, between = [*run, *between, row], []
    yield from filter(None, (run, between))


def _is_spread(words: Sequence[Line]) -> bool:
    return any(after.box[0] - before.box[2] > _WIDE_GAP * after.height for before, after in pairwise(words))


def _in_columns(rows: Sequence[Sequence[Line]]) -> Grid | None:
    """A table, unless there are few rows or columns, or several columns are prose."""
    gutters = _gutters([row for row in rows if _is_spread(row)])
    if len(rows) < _MIN_ROWS or len(gutters) < _MIN_COLUMNS - 1:
        return None
    cells = [[list(words) for words in _cells(row, gutters)] for row in rows]
    columns = [[" ".join(word.text for word in words) for words in column] for column in zip(*cells, strict=True)]
    if sum(is_prose(column, least_running=1) for column in columns) > 1:
        return None
    middles = [min(word.middle for word in row) for row in rows]
    distances = [after - before for before, after in pairwise(middles)]
    of_rows = sorted(distance for distance, row in zip(distances, cells[1:], strict=True) if row[0])
    usual = of_rows[len(of_rows) // 2] if of_rows else 0.0
    merged = cells[:1]
    for row, distance in zip(cells[1:], distances, strict=True):
        if not row[0] and distance < _CLOSE * usual:  # a cell continues
            merged[-1] = [[*above, *below] for above, below in zip(merged[-1], row, strict=True)]
        else:
            merged.append(row)
    grid = tuple(tuple(GridCell(column, _lines(words)) for column, words in enumerate(row)) for row in merged)
    return Grid(grid, around([word.box for row in rows for word in row]))


def _gutters(rows: Sequence[Sequence[Line]]) -> list[tuple[float, float]]:
    """Where hardly any row has a text between two columns."""
    words = [word for row in rows for word in row]
    if not words:
        return []
    height = sorted(word.height for word in words)[len(words) // 2]
    texts = [_parts(row, _GUTTER * height) for row in rows]
    edges = sorted({edge for parts in texts for part in parts for edge in part})
    found = list[tuple[float, float]]()
    for left, right in pairwise(edges):
        if sum(any(start < right and left < end for start, end in parts) for parts in texts) <= _MOST_ACROSS * len(rows):
            if found and found[-1][1] == left:
                left = found.pop()[0]
            found.append((left, right))
    return [each for each in found if each[1] - each[0] >= _GUTTER * height]


def _parts(row: Sequence[Line], gap: float) -> list[tuple[float, float]]:
    """From where to where texts stand, without gaps that are smaller."""
    parts = list[tuple[float, float]]()
    for word in row:
        if parts and word.box[0] - parts[-1][1] < gap:
            parts[-1] = (parts[-1][0], max(parts[-1][1], word.box[2]))
        else:
            parts.append((word.box[0], word.box[2]))
    return parts


def _cells(row: Sequence[Line], gutters: Sequence[tuple[float, float]]) -> list[list[Line]]:
    """The words in each column. If words stand between columns, their text is in the first of these."""
    cells = [list[Line]() for _ in range(len(gutters) + 1)]
    column = 0
    for before, word in zip([None, *row], row, strict=False):
        place = sum((left + right) / 2 < (word.box[0] + word.box[2]) / 2 for left, right in gutters)
        is_across = any(word.box[0] < right and left < word.box[2] for left, right in gutters[column:place])
        is_after = before is not None and any(before.box[2] > left for left, _ in gutters[column:place])
        column = column if is_across or is_after else place
        cells[column].append(word)
    return cells


def _lines(words: Iterable[Line]) -> tuple[Line, ...]:
    return tuple(_line(row) for row in rows_of(words))


def _line(words: Sequence[Line]) -> Line:
    """Words side by side. How far they are apart is not known well enough to tell whether they are one word."""
    return replace(joined(words), text=" ".join(word.text for word in words))


def _top(row: Sequence[Line]) -> float:
    return min(line.box[1] for line in row)


def _bottom(row: Sequence[Line]) -> float:
    return max(line.box[3] for line in row)

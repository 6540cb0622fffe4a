"""Makes blocks of the cells of spreadsheets: what stands above each table, and the table with the names of its columns."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import has_box, with_boxes
from fundwright.reading.document import (
    Block,
    Cell,
    Document,
    Heading,
    Mark,
    Paragraph,
    Run,
    SheetPlace,
    Table,
    plain,
    without_signs,
)
from fundwright.reading.from_docling import MIN_COLUMNS, are_names

_MOST_COVERED = 1_000_000
_ROWS_BELOW = 10
"""The rows below a row that tell how wide its table is."""
_MOST_UNNAMED = 0.25
"""The share of the columns that may lack a name, beside the first one."""
_LONGEST_CAPTION = 200
_FEWEST_BESIDE = 2
"""Tables beside each other have at least so many columns."""
_MOST_GAPS = 20
_LETTER = re.compile(r"[^\W\d_]")


@dataclass
class Sheet:
    """The cells of a sheet by their row and column."""

    name: str = ""
    is_hidden: bool = False
    shown: dict[int, dict[int, str]] = field(default_factory=dict[int, dict[int, str]])
    unseen: list[Run] = field(default_factory=list[Run])
    """What a person does not see, which stands below the tables."""
    merged: Sequence[tuple[int, int, int, int]] = ()
    """The first and last row, and the first and last column, of each merged cell."""
    first: int = 0
    """The number of the first row and of the first column."""

    def add(self, row: int, column: int, text: str, mark: Mark | None = None) -> None:
        if text and (mark or self.is_hidden):
            self.unseen.append(Run(f"{text} ", mark or Mark.HIDDEN))
        elif text:
            self.shown.setdefault(row, {})[column] = text

    def blocks(self) -> Iterator[Block]:
        """Titles, notes, and tables, without blank rows and columns."""
        parts = _beside_each_other(self)
        for part in parts:
            yield from _Grid(part, least=MIN_COLUMNS if len(parts) == 1 else _FEWEST_BESIDE).blocks()
        if self.unseen:
            yield Paragraph(tuple(self.unseen), place=self.place())

    def place(self, *corners: tuple[int, int]) -> SheetPlace | None:
        """The place of the cells between these, each with its row and column, if the sheet has a name."""
        cells = ":".join(dict.fromkeys(f"{_letters(column - self.first)}{row - self.first + 1}" for row, column in corners))
        return SheetPlace(without_signs(self.name), cells) if self.name else None


def _letters(column: int) -> str:
    """The name of a column from 0: A, B, …, Z, AA."""
    before, letter = divmod(column, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + letter)


def document_of(sheets: Iterable[Sheet], title: str = "") -> Document:
    """The document of a spreadsheet, with the names of its sheets if there are several that a person sees."""
    sheets = list(sheets)
    count = sum(not sheet.is_hidden for sheet in sheets)
    blocks = list[Block]()
    for sheet in sheets:
        if count > 1 and not sheet.is_hidden:
            blocks.append(Heading(plain(without_signs(sheet.name)), 1))
        blocks.extend(sheet.blocks())
    return Document(tuple(with_boxes(blocks)), title, sheets=count)


def _beside_each_other(sheet: Sheet) -> list[Sheet]:
    """The parts of a sheet on both sides of blank columns if each of them is a table of its own, or else the sheet."""
    columns = sorted({column for row in sheet.shown.values() for column in row})
    gaps = [(before, after) for before, after in pairwise(columns) if after - before > 1]
    if not 0 < len(gaps) <= _MOST_GAPS:
        return [sheet]
    parts, heads, first = list[Sheet](), list[int](), columns[0]
    for before, after in [*gaps, (columns[-1], columns[-1] + 1)]:
        part = _between(sheet, first, before)
        if (head := _head(part)) is not None:
            parts.append(part)
            heads.append(head)
            first = after
    return parts if len(parts) > 1 and first > columns[-1] and _are_several(parts, heads) else [sheet]


def _are_several(parts: Sequence[Sheet], heads: Sequence[int]) -> bool:
    """Whether parts with names in the rows `heads` are tables of their own, and not one with blank columns: they begin or end in different rows,
    each has a title, or names are repeated."""
    names = [text for part, head in zip(parts, heads, strict=True) for text in part.shown[head].values()]
    extents = {(head, max(part.shown)) for part, head in zip(parts, heads, strict=True)}
    have_titles = all(min(part.shown) < head for part, head in zip(parts, heads, strict=True))
    return len(extents) > 1 or have_titles or len(set(names)) < len(names)


def _between(sheet: Sheet, first: int, last: int) -> Sheet:
    rows = {
        number: {column: text for column, text in row.items() if first <= column <= last} for number, row in sheet.shown.items()
    }
    return replace(sheet, shown={number: row for number, row in rows.items() if row}, unseen=[])


def _head(sheet: Sheet) -> int | None:
    """The row with the names of columns if they stand above all columns, and below the first one a different label in each row. What stands apart
    in a table has none."""
    report_progress()
    numbers = sorted(sheet.shown)
    rows = [sheet.shown[number] for number in numbers]
    first = min(column for row in rows for column in row)
    named = next((place for place, row in enumerate(rows) if len(row) > 1), len(rows))
    head, body = rows[named : named + 1], rows[named + 1 :]
    labels = [row.get(first, "") for row in body]
    is_table = (
        bool(body)
        and head[0].keys() >= {column for row in body for column in row}
        and are_names(list(head[0].values()))
        and all(_LETTER.search(label) for label in labels)
        and len(labels) == len(set(labels))
    )
    return numbers[named] if is_table else None


class _Grid:
    """The rows and columns of a sheet that are not blank. Their places count from 0. Tables have at least so many columns."""

    def __init__(self, sheet: Sheet, *, least: int) -> None:
        self._least = least
        self._sheet = sheet
        self._numbers = sorted(sheet.shown)
        self._columns = columns = sorted({column for row in sheet.shown.values() for column in row})
        places = {column: place for place, column in enumerate(columns)}
        self._texts = [{places[column]: text for column, text in sorted(sheet.shown[row].items())} for row in self._numbers]
        self._spans = dict[tuple[int, int], tuple[int, int]]()
        self._covered = defaultdict[int, set[int]](set)
        covered = 0
        for top, bottom, left, right in sheet.merged:
            report_progress()
            below = range(bisect_left(self._numbers, top), bisect_right(self._numbers, bottom))
            across = range(bisect_left(columns, left), bisect_right(columns, right))
            covered += len(below) * len(across)
            if below and across and covered <= _MOST_COVERED:
                self._spans[below[0], across[0]] = len(below), len(across)
                for row in below:
                    covered_here = across[row == below[0] :]
                    self._covered[row].update(covered_here)
                    for place in self._texts[row].keys() & covered_here:  # nobody sees what a merged cell covers
                        del self._texts[row][place]

    def blocks(self) -> Iterator[Block]:
        tables = list(self._tables())
        starts = [start for start, _, _ in tables]
        yield from self._above(0, starts[0] if starts else len(self._texts))
        for (start, first, names), end in zip(tables, [*starts[1:], len(self._texts)], strict=False):
            caption = self._caption(start, first)
            yield from self._above(start, first - bool(caption))
            yield self._table(first, end, names, caption)

    def _tables(self) -> Iterator[tuple[int, int, int]]:
        """For each table with names of columns, the first row of its title, the first row of the names, and the number of rows with names."""
        gaps = [place for place in range(1, len(self._texts)) if self._numbers[place] - self._numbers[place - 1] > 1]
        named, title = None, None
        for start, end in pairwise([0, *gaps, len(self._texts)]):
            title = start if title is None else title
            names = self._names(start, end)
            if names is not None and (named is None or title < names or self._differs(names, named)):
                yield title, *self._names_with_groups(names, start, end)
                named, title = names, None
            elif any(len(texts) > 1 for texts in self._texts[start:end]):
                title = None

    def _names(self, start: int, end: int) -> int | None:
        """The first of these rows that is as wide as the table below it, if its cells name columns."""
        for row in range(start, end):
            report_progress()
            below = range(row + 1, end) if row + 1 < end else range(end, len(self._texts))
            below = below[:_ROWS_BELOW]
            counts = Counter(place for each in below for place in self._texts[each])
            width = {place for place, count in counts.items() if 2 * count > len(below)}
            filled = self._filled(row)
            unnamed = width - filled - {min(width, default=0)}
            is_wide = len(self._texts[row]) > 1 and len(filled) >= self._least and len(width) > 1
            if is_wide and len(unnamed) <= _MOST_UNNAMED * len(width):
                return row if are_names(list(self._texts[row].values())) else None
        return None

    def _filled(self, row: int) -> set[int]:
        spans = ((place, self._spans.get((row, place), (1, 1))[1]) for place in self._texts[row])
        return self._covered[row].union(*(range(place, place + span) for place, span in spans))

    def _names_with_groups(self, names: int, start: int, end: int) -> tuple[int, int]:
        """The first row of the names, and their number: cells across columns name groups of columns."""

        def groups(row: int) -> bool:
            return len(self._texts[row]) > 1 and any(self._spans.get((row, place), (1, 1))[1] > 1 for place in self._texts[row])

        if names > start and (groups(names - 1) or self._group(names - 1)):
            return names - 1, 2
        has_second = groups(names) and names + 1 < end and are_names(list(self._texts[names + 1].values()))
        return names, 2 if has_second or (names + 2 < end and self._group(names)) else 1

    def _group(self, row: int) -> bool:
        """Whether the texts of a row are names of groups of columns though no cells are merged: the names below are repeated, each once in each
        group, or there is no name above the first column, and groups above all others. They become cells across the columns of their group."""
        above, below = self._texts[row], self._texts[row + 1]
        repeated = {text for text, count in Counter(below.values()).items() if count > 1}
        grouped = repeated or (set(below.values()) if min(above) > min(below) else set())
        if not grouped or self._numbers[row + 1] - self._numbers[row] > 1 or not are_names([*above.values(), *below.values()]):
            return False
        spans = dict[int, int]()
        for place in sorted(above.keys() | below.keys()):
            last = max(spans, default=None)
            if place in above and (last is None or above[place] != above[last] or place not in below):
                spans[place] = 1
            elif last is not None and last + spans[last] == place and below.get(place) in grouped:
                spans[last] += 1
        groups = [tuple(below.get(start + each, "") for each in range(width)) for start, width in spans.items() if width > 1]
        is_whole = bool(repeated) or len(groups) == len(spans)
        if not is_whole or len(groups) < 2 or any(len(set(group)) < len(group) for group in groups):
            return False
        for start, width in spans.items():
            if width > 1:
                self._spans[row, start] = 1, width
                self._covered[row].update(range(start + 1, start + width))
        return True

    def _differs(self, names: int, before: int) -> bool:
        """Whether a row without a title above it begins another table, and does not go on with the one before."""
        if self._texts[names].keys() != self._texts[before].keys() or self._texts[names] == self._texts[before]:
            return True
        below = self._texts[names + 1 : names + 1 + _ROWS_BELOW]
        return any(not are_names([texts[place]]) for texts in below for place in texts.keys() & self._texts[names].keys())

    def _caption(self, start: int, names: int) -> str:
        """The text right above the names of columns: a title, or what is in the row directly above them."""
        above = names - 1
        if above < start or (len(self._texts[above]) > 1 and self._numbers[names] - self._numbers[above] > 1):
            return ""
        caption = ", ".join(self._texts[above].values())
        return caption if len(caption) <= _LONGEST_CAPTION and not has_box(caption) else ""

    def _above(self, start: int, end: int) -> Iterator[Block]:
        """Rows with one text before and after the others are paragraphs, and those between are a table without names."""
        wide = [row for row in range(start, end) if len(self._texts[row]) > 1] or [end]
        for row in range(start, end):
            if row == wide[0]:
                yield self._table(wide[0], wide[-1] + 1)
            elif not wide[0] < row <= wide[-1]:
                yield from (Paragraph(plain(text), place=self._place((row, place))) for place, text in self._texts[row].items())

    def _table(self, start: int, end: int, names: int = 0, caption: str = "") -> Table:
        used = sorted({place for texts in self._texts[start:end] for place in texts})
        rows = list[tuple[tuple[int, Cell], ...]]()
        for row in range(start, end):
            cells = list[tuple[int, Cell]]()
            for number, place in enumerate(used):
                report_progress()
                if place not in self._covered[row]:
                    text = self._texts[row].get(place, "")
                    below, across = self._spans.get((row, place), (1, 1))
                    spanned = max(1, bisect_left(used, place + across) - number)
                    cells.append((number, Cell((Paragraph(plain(text)),) if text else (), min(below, end - row), spanned)))
            rows.append(tuple(cells))
        place = self._place((start, used[0]), (end - 1, used[-1]))
        return Table(tuple(rows), names, plain(caption) if caption else (), place=place)

    def _place(self, *corners: tuple[int, int]) -> SheetPlace | None:
        return self._sheet.place(*((self._numbers[row], self._columns[place]) for row, place in corners))

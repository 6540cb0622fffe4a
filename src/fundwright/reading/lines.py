"""What people see of a document, as lines of text: the paragraphs, items, and rows of which passages are made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fundwright.reading.document import (
    Attachment,
    Block,
    Cell,
    Document,
    Field,
    Figure,
    Heading,
    Item,
    Margin,
    Note,
    Paragraph,
    Table,
    visible,
    walk,
)

BULLET = "•"
_LONGEST_REPEATED = 200
"""A cell that spans rows is repeated in each as its label, up to this many characters."""
_LONGEST_HEAD = 1_000
"""Longer names of columns are not repeated."""
_MOST_COLUMNS = 200
_LONGEST_CELL = 800
_FEW_ROWS, _MANY_LINES = 3, 2
"""A table without names of columns and with so few rows arranges text on the page if a cell is so long or has so many line breaks."""
_NO = re.compile(r"(?:no|n|nein|non)\b", re.IGNORECASE)
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufdd0-\ufdef\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Line:
    """A heading of `level` 1 or deeper, or a part of the text that is not divided unless it is very long. `page` counts from 1 if the format
    has pages."""

    text: str
    level: int | None = None
    page: int | None = None
    head: str = ""
    """For a row after the first ones: the caption and the names of the columns of its table, which a passage repeats."""
    row: int = 0
    """The number of the row in its table, from 1, or 0."""


def lines_of(document: Document) -> list[Line]:
    """The visible text in reading order. Headers and footers come last, because only they may have a date or a number."""
    margins = [block for block in document.blocks if isinstance(block, Margin)]
    body = [block for block in document.blocks if not isinstance(block, Margin)]
    seen = set[str]()
    found = [*_lines(body)]
    for line in _lines(margins):
        if line.text not in seen:
            seen.add(line.text)
            found.append(replace(line, level=None))
    return [replace(line, text=storable(line.text), head=storable(line.head)) for line in found]


def storable(text: str) -> str:
    """Remove characters that neither a database nor a Word file can hold, and replace each lone surrogate, such as half an emoji in a PDF, with a
    question mark."""
    return _UNSTORABLE.sub("", text.replace("\xa0", " ")).encode(errors="replace").decode()


def _lines(blocks: Iterable[Block]) -> Iterator[Line]:
    """Notes follow their paragraph in the same line."""
    pending: Line | None = None
    for block in blocks:
        found: Iterable[Line] = _lines_in(block)
        if isinstance(block, Note):
            found = list(found)
            noted = " ".join(line.text for line in found)
            if noted and pending is not None and pending.level is None and not pending.row:
                pending = replace(pending, text=f"{pending.text}\n{noted}")
                continue
        if pending is not None:
            yield pending
            pending = None
        for line in found:
            if pending is not None:
                yield pending
            pending = line
    if pending is not None:
        yield pending


def _lines_in(block: Block) -> Iterator[Line]:
    match block:
        case Heading():
            yield from _line(visible(block.runs), block.page, level=block.level)
        case Paragraph():
            yield from _line(visible(block.runs), block.page)
        case Item():
            text = _item(block)
            if text:
                yield Line(text, page=block.page)
        case Field():
            if block.value.strip():
                yield Line(f"{block.label}: {block.value}" if block.label else block.value, page=block.page)
        case Table():
            yield from _table(block)
        case Attachment():
            inner = list(_lines(block.blocks))
            if inner and block.filename:
                yield Line(block.filename, level=1, page=block.page)
            yield from (replace(line, level=line.level and line.level + 1, page=block.page) for line in inner)
        case Note() | Margin() | Figure():
            yield from _lines(block.blocks)


def _line(text: str, page: int | None, *, level: int | None = None) -> Iterator[Line]:
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if lines:
        yield Line("\n".join(lines), level=level, page=page)


def _item(item: Item, *, bullet: str = f"{BULLET} ") -> str:
    """An item that is not checked is not a statement of the document."""
    text = visible(item.runs).strip()
    if item.is_checked is False or not text:
        return ""
    return f"{item.marker} {text}" if item.marker else f"{bullet}{text}"


def _table(table: Table) -> Iterator[Line]:
    """Rows with bars between cells, below their caption. If a table arranges text on the page, its cells are read one after another."""
    caption = visible(table.caption).strip()
    if arranges_text(table):
        yield from _line(caption, table.page)
        for row in table.rows:
            for _, cell in row:
                yield from _lines(cell.blocks)
        return
    grid = _grid(table)
    width = max(map(len, grid), default=0)
    names = [_name_of_column(grid[: table.head], place) for place in range(width)]
    body = [row for place, row in enumerate(grid[table.head :], table.head) if not _is_denied(table.rows[place], names)]
    written = [_row(cells) for cells in body if any(cells)]
    head = "\n".join([*([caption] if caption else []), *([f"{_row(names)}\n{'|' + ' - |' * width}"] if any(names) else [])])
    if not written:
        yield from _line(head, table.page)
        return
    for number, row in enumerate(written, 1):
        text = f"{head}\n{row}" if head and number == 1 else row
        yield Line(text, page=table.page, head=head if number > 1 and len(head) <= _LONGEST_HEAD else "", row=number)


def arranges_text(table: Table) -> bool:
    """Whether its cells are read one after another, because it only arranges text on the page."""
    cells = [cell for row in table.rows for _, cell in row]
    if max((len(row) for row in table.rows), default=0) < 2:
        return True
    if table.head:
        return False
    if any(isinstance(block, Heading | Table | Figure) for cell in cells for block in walk(cell.blocks)):
        return True
    # Only here, or the text of tables in tables would be made twice on each level.
    texts = ["\n".join(line.text for line in _lines(cell.blocks)) for cell in cells] if len(table.rows) <= _FEW_ROWS else []
    return any(len(text) > _LONGEST_CELL or text.count("\n") >= _MANY_LINES for text in texts)


def _grid(table: Table) -> list[list[str]]:
    """The text of each place of the table. A label that spans rows stands in each of them, one that spans columns in the first."""
    width = max((place + cell.columns for row in table.rows for place, cell in row), default=0)
    grid = [[""] * width for _ in table.rows]
    for number, row in enumerate(table.rows):
        for place, cell in row:
            text = _text(cell)
            below = range(number, min(len(grid), number + cell.rows) if len(text) <= _LONGEST_REPEATED else number + 1)
            across = range(place, place + cell.columns if number < table.head else place + 1)
            for each in below:
                for column in across:
                    grid[each][column] = text
    return grid


def _text(cell: Cell) -> str:
    """A cell in one line. Boxes without a label are shown as characters."""
    parts = list[str]()
    for block in cell.blocks:
        if isinstance(block, Item) and block.is_checked is not None and not visible(block.runs).strip():
            parts.append("☒" if block.is_checked else "☐")
        elif isinstance(block, Item):
            parts.append(_item(block, bullet=""))
        elif isinstance(block, Note):
            parts.extend(f"({line.text})" for line in _lines(block.blocks))
        else:
            parts.extend(line.text for line in _lines_in(block))
    return " ".join(" ".join(part.split()) for part in parts if part).replace("|", "/")


def _name_of_column(head: Sequence[Sequence[str]], place: int) -> str:
    """The names above a column, from the top: “FY 2025 / Q1”."""
    return " / ".join(dict.fromkeys(row[place] for row in head if row[place]))


def _row(cells: Sequence[str]) -> str:
    """Blank cells at the end of very wide rows are left out, so that they do not become many times as long as the file."""
    if len(cells) > _MOST_COLUMNS:
        last = max((place for place, cell in enumerate(cells) if cell), default=0)
        cells = cells[: last + 1]
    return f"| {' | '.join(cells)} |"


def _is_denied(row: Sequence[tuple[int, Cell]], names: Sequence[str]) -> bool:
    """Whether all boxes in a row are empty, or the one that is checked says no, so that the row is not a statement of the document."""
    boxes = [
        (block, names[place] if place < len(names) else "")
        for place, cell in row
        for block in cell.blocks
        if isinstance(block, Item) and block.is_checked is not None
    ]
    checked = [visible(box.runs).strip() or name for box, name in boxes if box.is_checked]
    return bool(boxes) and all(_NO.match(name) for name in checked)

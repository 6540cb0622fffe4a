"""What people see of a document, as lines of text: the paragraphs, items, and rows of which passages are made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from fundwright.core.sandbox_progress import report_progress
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
    Quote,
    Table,
    visible,
    walk,
)
from fundwright.reading.symbols import CHECKED, UNCHECKED

BULLET = "•"
LONGEST_REPEATED = 200
"""A cell that spans rows is repeated in each as its label, up to this many characters."""
_LONGEST_HEAD = 1_000
"""Longer names of columns are not repeated."""
_MOST_COLUMNS = 200
_LONGEST_CELL = 800
_FEW_ROWS, _MANY_LINES = 3, 2
"""A table without names of columns and with so few rows arranges text on the page if a cell is so long or has so many line breaks."""
_NO = re.compile(r"(?:no|n|nein|non)\b", re.IGNORECASE)
_YES_OR_NO = re.compile(r"(?P<yes>yes|y|ja|j|oui|o)|(?P<no>no|n|nein|non)", re.IGNORECASE)
_SAYS_YES_OR_NO = re.compile(r"(?:^|[\s:])(?:yes|ja|oui|no|nein|non)$", re.IGNORECASE)
_CROSS = re.compile(rf"[xX×✕✖✗✘✓✔√●{CHECKED}☑]")
"""Marks a column for a row, as a checked box does."""
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufdd0-\ufdef\ufffe\uffff]")


class Aside(StrEnum):
    """Why a text of a document is no statement of it. It answers questions, and nothing else is made of it."""

    BOX = "box"
    """A box that is not checked, or a row that is answered with no."""
    SPEAKER_NOTES = "speaker_notes"
    QUOTE = "quote"
    """What an email quotes of another message."""


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
    aside: Aside | None = None


def lines_of(document: Document, *, with_asides: bool = False) -> list[Line]:
    """What the document states, in reading order. Headers and footers come last, because only they may have a date or a number. What is no statement
    of the document is there only `with_asides`."""
    margins = [block for block in document.blocks if isinstance(block, Margin)]
    body = [block for block in document.blocks if not isinstance(block, Margin)]
    seen = set[str]()
    found = [*_lines(body)]
    for line in _lines(margins):
        if line.text not in seen:
            seen.add(line.text)
            found.append(replace(line, level=None))
    return [
        replace(line, text=storable(line.text), head=storable(line.head)) for line in found if with_asides or line.aside is None
    ]


def storable(text: str) -> str:
    """Remove characters that neither a database nor a Word file can hold, and replace each lone surrogate, such as half an emoji in a PDF, with a
    question mark."""
    return _UNSTORABLE.sub("", text.replace("\xa0", " ")).encode(errors="replace").decode()


def _stated(blocks: Iterable[Block]) -> Iterator[Line]:
    return (line for line in _lines(blocks) if line.aside is None)


def _lines(blocks: Iterable[Block]) -> Iterator[Line]:
    """Notes follow their paragraph in the same line."""
    pending: Line | None = None
    for block in blocks:
        report_progress()
        found: Iterable[Line] = _lines_in(block)
        if isinstance(block, Note) and not block.is_for_speaker:
            found = list(found)
            noted = " ".join(line.text for line in found if line.aside is None)
            is_of_text = pending is not None and pending.level is None and not pending.row
            if noted and pending is not None and is_of_text and pending.aside in (None, Aside.BOX):
                pending = replace(pending, text=f"{pending.text}\n{noted}")
                yield from (line for line in found if line.aside is not None)
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
            else:
                yield from _unchecked(block)
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
        case Note(is_for_speaker=True):
            yield from (replace(line, level=None, aside=Aside.SPEAKER_NOTES) for line in _lines(block.blocks))
        case Quote():
            yield from (replace(line, level=None, aside=Aside.QUOTE) for line in _lines(block.blocks))
        case Note() | Margin() | Figure():
            yield from _lines(block.blocks)


def _line(text: str, page: int | None, *, level: int | None = None) -> Iterator[Line]:
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if lines:
        yield Line("\n".join(lines), level=level, page=page)


def _item(item: Item, *, bullet: str | None = None) -> str:
    """An item that is not checked is not a statement of the document."""
    text = visible(item.runs).strip()
    if item.is_checked is False or not text:
        return ""
    bullet = f"{CHECKED if item.is_checked else BULLET} " if bullet is None else bullet
    return f"{item.marker} {text}" if item.marker else f"{bullet}{text}"


def _unchecked(item: Item, page: int | None = None) -> Iterator[Line]:
    """A box that is not checked. One for yes or no says nothing that the other one does not say, too."""
    text = " ".join(visible(item.runs).split())
    if item.is_checked is False and text and not _SAYS_YES_OR_NO.search(text):
        yield Line(f"{UNCHECKED} {text}", page=item.page or page, aside=Aside.BOX)


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
    head = table.head or int(_answers_of(grid[:1]) is not None)
    names = [_name_of_column(grid[:head], place) for place in range(width)]
    answers = _answers_of(grid[head - 1 : head], grid[head:])
    asides, written = list[Line](), list[str]()
    for row, cells in zip(table.rows[head:], grid[head:], strict=True):
        if _is_denied(row, names) or (answers is not None and answers.deny(cells)):
            asides += _denied(row, cells, names, answers, table.page)
            continue
        asides += _boxes_of(row, table.page)
        if any(cells):
            written.append(_row(cells))
    top = "\n".join([*([caption] if caption else []), *([f"{_row(names)}\n{'|' + ' - |' * width}"] if any(names) else [])])
    if not written:
        yield from _line(top, table.page)
    for number, row in enumerate(written, 1):
        text = f"{top}\n{row}" if top and number == 1 else row
        yield Line(text, page=table.page, head=top if number > 1 and len(top) <= _LONGEST_HEAD else "", row=number)
    yield from asides


def arranges_text(table: Table) -> bool:
    """Whether its cells are read one after another, because it only arranges text on the page."""
    cells = [cell for row in table.rows for _, cell in row]
    if max((len(row) for row in table.rows), default=0) < 2:
        return True
    if table.head:
        return False
    if any(isinstance(block, Heading | Table | Figure | Quote) for cell in cells for block in walk(cell.blocks)):
        return True
    # Only here, or the text of tables in tables would be made twice on each level.
    texts = ["\n".join(line.text for line in _stated(cell.blocks)) for cell in cells] if len(table.rows) <= _FEW_ROWS else []
    return any(len(text) > _LONGEST_CELL or text.count("\n") >= _MANY_LINES for text in texts)


def _grid(table: Table) -> list[list[str]]:
    """The text of each place of the table. A label that spans rows stands in each of them, one that spans columns in the first."""
    width = max((place + cell.columns for row in table.rows for place, cell in row), default=0)
    grid = [[""] * width for _ in table.rows]
    for number, row in enumerate(table.rows):
        for place, cell in row:
            text = _text(cell)
            below = range(number, min(len(grid), number + cell.rows) if len(text) <= LONGEST_REPEATED else number + 1)
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
            parts.extend(f"({line.text})" for line in _stated(block.blocks))
        else:
            parts.extend(line.text for line in _stated([block]))
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


class _Answers(NamedTuple):
    """The columns of a table whose rows are answered with yes or no."""

    yes: int
    no: int

    def deny(self, cells: Sequence[str]) -> bool:
        """Whether a row is answered with no, or has nothing but its label."""
        marked = [place for place, cell in enumerate(cells) if _CROSS.fullmatch(cell)]
        return self.yes not in marked if marked else sum(cell not in ("", UNCHECKED) for cell in cells) <= 1


def _answers_of(head: Sequence[Sequence[str]], body: Sequence[Sequence[str]] | None = None) -> _Answers | None:
    """The columns named yes and no, if nothing but marks is below them."""
    found = {
        match.lastgroup: place for place, name in enumerate(head[0] if head else ()) if (match := _YES_OR_NO.fullmatch(name))
    }
    if len(found) < 2 or len(head[0]) < 3:
        return None
    answers = _Answers(found["yes"], found["no"])
    marks = [row[place] for row in body or () for place in answers if row[place] not in ("", UNCHECKED)]
    return answers if body is None or (marks and all(map(_CROSS.fullmatch, marks))) else None


def _boxes_in(row: Sequence[tuple[int, Cell]]) -> list[tuple[int, Item]]:
    """The boxes of a row with their columns."""
    return [
        (place, block) for place, cell in row for block in cell.blocks if isinstance(block, Item) and block.is_checked is not None
    ]


def _is_denied(row: Sequence[tuple[int, Cell]], names: Sequence[str]) -> bool:
    """Whether all boxes in a row are empty, or the one that is checked says no, so that the row is not a statement of the document."""
    boxes = _boxes_in(row)
    return bool(boxes) and all(_NO.match(name) for name in _checked(boxes, names))


def _checked(boxes: Iterable[tuple[int, Item]], names: Sequence[str]) -> list[str]:
    """What the boxes say that are checked: their label, or the name of their column."""
    return [visible(box.runs).strip() or (names[place] if place < len(names) else "") for place, box in boxes if box.is_checked]


def _denied(
    row: Sequence[tuple[int, Cell]], cells: Sequence[str], names: Sequence[str], answers: _Answers | None, page: int | None
) -> Iterator[Line]:
    """What a row says that is answered with no, or with nothing."""
    boxes = _boxes_in(row)
    crossed = [place for place, cell in enumerate(cells) if answers and _CROSS.fullmatch(cell)]
    places = {*crossed, *(place for place, _ in boxes), *(answers or ())}
    label = ", ".join(dict.fromkeys(text for place, text in enumerate(cells) if text and place not in places))
    said = _checked(boxes, names) or [names[place] for place in crossed]
    if said:
        yield Line(f"{label}: {said[0]}" if label else said[0], page=page, aside=Aside.BOX)
    elif any(visible(box.runs).strip() and not _SAYS_YES_OR_NO.search(visible(box.runs).strip()) for _, box in boxes):
        yield from _boxes_of(row, page)
    elif label:
        yield Line(f"{UNCHECKED} {label}", page=page, aside=Aside.BOX)


def _boxes_of(row: Sequence[tuple[int, Cell]], page: int | None) -> Iterator[Line]:
    """The boxes of a row that are not checked, with their labels."""
    for _, box in _boxes_in(row):
        yield from _unchecked(box, page)

"""A document as a person sees it: an ordered tree of headings, paragraphs, list items, tables, form fields, notes, and figures.

Readers convert files to it. What a person who opens the file does not see (deleted, struck, hidden) stays in the tree, marked, and is
not part of the visible text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

_END = "\ufdd0"
_BEGIN = "\ufdd1\ufdd2\ufdd3"
"""Unicode reserves U+FDD0 to U+FDEF for use inside a program: no file contains them after `without_signs`."""
NOTE = "\ufdd4"
"""Stands in a text before the key of a note that the text refers to, and `_END` after it."""
HEAD = "\ufdd5"
"""Stands in the first cell of a row that names columns."""
_KEPT = "–—‘’“”…"
_AS_KEPT = {ord(character): chr(0xFDE0 + place) for place, character in enumerate(_KEPT)}
_FROM_KEPT = {0xFDE0 + place: character for place, character in enumerate(_KEPT)} | {ord(HEAD): ""}
_SIGNS = dict.fromkeys(range(0xFDD0, 0xFDF0))


class Mark(Enum):
    """Why a person who opens the file does not see a text as part of it. The value is the sign before it while it is read."""

    STRUCK = _BEGIN[0]
    DELETED = _BEGIN[1]
    HIDDEN = _BEGIN[2]

    def around(self, text: str) -> str:
        """The text with signs around it, which `runs_of` understands."""
        return f"{self.value}{text}{_END}" if text else ""


@dataclass(frozen=True, slots=True)
class Run:
    """Text with one mark, or none if it is visible."""

    text: str
    mark: Mark | None = None


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    runs: Runs
    level: int
    """1 or deeper."""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    runs: Runs
    page: int | None = None
    is_preformatted: bool = False
    """Whether spaces and line breaks are part of it, as in program code and typewriter tables."""
    confidence: float | None = None
    """How certain text recognition is of it, from 0 to 1. None if the text itself is in the file."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list, or a box that can be checked."""

    runs: Runs
    marker: str = ""
    """Its number, such as “2.1.1”. Empty for a bullet or a box."""
    is_checked: bool | None = None
    """None if it has no box."""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    blocks: tuple[Block, ...]
    rows: int = 1
    columns: int = 1
    """The number of rows and columns that it spans."""


@dataclass(frozen=True, slots=True)
class Table:
    """Each row has its own cells, from left to right. A cell that spans rows is only in the first of them."""

    rows: tuple[tuple[tuple[int, Cell], ...], ...]
    """For each row, the column (from 0) and the cell."""
    head: int = 0
    """The number of first rows that name the columns."""
    caption: Runs = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form that is filled in."""

    label: str
    value: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote, endnote, or annotation, directly after the block that refers to it."""

    blocks: tuple[Block, ...]
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Margin:
    """A header or footer of pages."""

    blocks: tuple[Block, ...]
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture, drawing, or chart, with the text that describes it."""

    blocks: tuple[Block, ...]
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file in the file, such as an attachment of an email. Its reader reads `content`, see `formats.read`."""

    filename: str
    content: bytes = b""
    blocks: tuple[Block, ...] = ()
    page: int | None = None


Block = Heading | Paragraph | Item | Table | Field | Note | Margin | Figure | Attachment


@dataclass(frozen=True, slots=True)
class Document:
    blocks: tuple[Block, ...]
    title: str = ""
    """The title in the properties of the file."""
    page_labels: tuple[str, ...] = ()
    """What the file calls its pages, such as “iv” or “A-2”. Empty if it does not say, or has no pages."""


def without_signs(text: str) -> str:
    """Remove the characters that mark text while it is read. Readers do this with every text of a file before they add marks."""
    return text.translate(_SIGNS)


def kept(text: str) -> str:
    """The text with signs for its typographic characters, which `runs_of` writes again. docling replaces those of web pages by plain ones."""
    return text.translate(_AS_KEPT)


def note_sign(key: str) -> str:
    """A reference to the note with this key, to be put into a text."""
    return f"{NOTE}{key}{_END}"


def runs_of(text: str) -> tuple[Runs, list[str]]:
    """Split a text with signs into runs. Returns the keys of its notes, too."""
    runs, keys = list[Run](), list[str]()
    text = text.translate(_FROM_KEPT)
    mark, start, place = None, 0, 0
    while place < len(text):
        character = text[place]
        if "\ufdd0" <= character <= NOTE:
            if start < place:
                runs.append(Run(text[start:place], mark))
            if character == NOTE:
                end = text.find(_END, place)
                end = len(text) if end < 0 else end
                keys.append(text[place + 1 : end])
                place = end
            else:
                mark = Mark(character) if character != _END else None
            start = place + 1
        place += 1
    if start < len(text):
        runs.append(Run(text[start:], mark))
    return tuple(runs), keys


def visible(runs: Runs) -> str:
    """The text that a person sees."""
    return "".join(run.text for run in runs if run.mark is None)


def plain(text: str) -> Runs:
    """The runs of a visible text."""
    return (Run(text),)


def inside(block: Block) -> Sequence[Block]:
    """The blocks directly inside a block."""
    match block:
        case Note() | Margin() | Figure() | Attachment():
            return block.blocks
        case Table():
            return [inner for row in block.rows for _, cell in row for inner in cell.blocks]
        case _:
            return ()


def walk(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks and all blocks inside them, in reading order."""
    pending = list(reversed(blocks))
    while pending:
        block = pending.pop()
        yield block
        pending.extend(reversed(inside(block)))

"""A document as a person sees it: an ordered tree of headings, paragraphs, list items, tables, form fields, notes, and figures.

Readers convert files to it. What a person who opens the file does not see (deleted, struck, hidden) stays in the tree, marked, and is
not part of the visible text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from fundwright.core.unpickling import sent

END = "\ufdd0"
"""Stands after a text with a sign. Unicode reserves U+FDD0 to U+FDEF for use inside a program: no file contains them after `without_signs`."""
NOTE = "\ufdd4"
"""Stands in a text before the key of a note that the text refers to, and `END` after it."""
HEAD = "\ufdd5"
"""Stands in the first cell of a row that names columns."""
FORM = "\ufdd6"
"""Stands in the first cell of a table that is a form: labels, each with its value beside it."""
QUOTE = "\ufdd7"
"""Stands before a text of an email that quotes another message, once for each quotation that it is in."""
_KEPT = "–—‘’“”…"
_AS_KEPT = {ord(character): chr(0xFDE0 + place) for place, character in enumerate(_KEPT)}
_FROM_KEPT = {0xFDE0 + place: character for place, character in enumerate(_KEPT)} | {ord(HEAD): "", ord(FORM): ""}
_SIGNS = dict.fromkeys(range(0xFDD0, 0xFDF0))


INVISIBLE_POINTS = 2.0
"""The largest size of type that a person does not see."""
MOST_WORDS = 5_000
"""As many words of a page have places."""
PageNumber = Annotated[int, Meta(ge=1, le=2**31 - 1)]
"""From 1, in the order of the file."""
MOST_POINTS = 1_000_000
Points = Annotated[int, Meta(ge=0, le=MOST_POINTS)]
PageBox = tuple[Points, Points, Points, Points]
"""Left, top, right, and bottom, rounded to whole points so that all of a text is inside. They count from the top left of a page of a PDF file as it is
shown: turned as the file says, and upright if it is a `Scan`."""


class Mark(StrEnum):
    """Why a person who opens the file does not see a text as part of it."""

    STRUCK = "struck"
    DELETED = "deleted"
    HIDDEN = "hidden"

    @property
    def sign(self) -> str:
        """Stands before such a text while it is read."""
        return _SIGN_OF[self]

    def around(self, text: str) -> str:
        """The text with signs around it, which `runs_of` understands."""
        return f"{self.sign}{text}{END}" if text else ""


_SIGN_OF = {Mark.STRUCK: "\ufdd1", Mark.DELETED: "\ufdd2", Mark.HIDDEN: "\ufdd3"}
_MARK_OF = {sign: mark for mark, sign in _SIGN_OF.items()}


class Run(Struct, frozen=True, omit_defaults=True):
    """Text with one mark, or none if it is visible."""

    text: str
    mark: Mark | None = None


Runs = tuple[Run, ...]


class Heading(Struct, frozen=True, omit_defaults=True, tag="heading"):
    runs: Runs
    level: Annotated[int, Meta(ge=1, le=100)]
    """1 or deeper."""
    page: PageNumber | None = None
    box: PageBox | None = None


class SheetPlace(Struct, frozen=True, omit_defaults=True):
    """Where a block stands in a spreadsheet: the name of the sheet and its cells, such as “B2:F14”, or "" if they are apart."""

    sheet: str
    cells: str = ""


class Paragraph(Struct, frozen=True, omit_defaults=True, tag="paragraph"):
    runs: Runs
    page: PageNumber | None = None
    box: PageBox | None = None
    is_preformatted: bool = False
    """Whether spaces and line breaks are part of it, as in program code and typewriter tables."""
    confidence: float | None = None
    """How certain text recognition is of it, from 0 to 1. None if the text itself is in the file."""
    place: SheetPlace | None = None


class Item(Struct, frozen=True, omit_defaults=True, tag="item"):
    """An item of a list, or a box that can be checked."""

    runs: Runs
    marker: str = ""
    """Its number, such as “2.1.1”. Empty for a bullet or a box."""
    is_checked: bool | None = None
    """None if it has no box."""
    page: PageNumber | None = None
    box: PageBox | None = None


class Cell(Struct, frozen=True, omit_defaults=True):
    blocks: tuple[Block, ...]
    rows: int = 1
    columns: int = 1
    """The number of rows and columns that it spans."""


class Table(Struct, frozen=True, omit_defaults=True, tag="table"):
    """Each row has its own cells, from left to right. A cell that spans rows is only in the first of them."""

    rows: tuple[tuple[tuple[int, Cell], ...], ...]
    """For each row, the column (from 0) and the cell."""
    head: int = 0
    """The number of first rows that name the columns."""
    caption: Runs = ()
    page: PageNumber | None = None
    box: PageBox | None = None
    place: SheetPlace | None = None


class Field(Struct, frozen=True, omit_defaults=True, tag="field"):
    """A field of a form that is filled in."""

    label: str
    value: str
    page: PageNumber | None = None
    box: PageBox | None = None


class Note(Struct, frozen=True, omit_defaults=True, tag="note"):
    """A footnote, endnote, or annotation, directly after the block that refers to it."""

    blocks: tuple[Block, ...]
    page: PageNumber | None = None
    box: PageBox | None = None
    is_for_speaker: bool = False
    """Whether it is for the person who presents its slide: those who see the slide do not see it."""


class Margin(Struct, frozen=True, omit_defaults=True, tag="margin"):
    """A header or footer of pages."""

    blocks: tuple[Block, ...]
    page: PageNumber | None = None
    box: PageBox | None = None


class Figure(Struct, frozen=True, omit_defaults=True, tag="figure"):
    """A picture, drawing, or chart, with the text that describes it."""

    blocks: tuple[Block, ...]
    page: PageNumber | None = None
    box: PageBox | None = None


class Quote(Struct, frozen=True, omit_defaults=True, tag="quote"):
    """What an email quotes of another message."""

    blocks: tuple[Block, ...]
    page: PageNumber | None = None
    box: PageBox | None = None


class Attachment(Struct, frozen=True, omit_defaults=True, tag="attachment"):
    """A file in the file, such as an attachment of an email. Its reader reads `content`, see `formats.read`."""

    filename: str
    content: bytes = b""
    blocks: tuple[Block, ...] = ()
    page: PageNumber | None = None
    box: PageBox | None = None


Block = Heading | Paragraph | Item | Table | Field | Note | Margin | Figure | Quote | Attachment


class Missing(Enum):
    """What a file holds that is not among the blocks of its document."""

    TEXT = "text"
    CHARACTERS = "characters"
    """Text in a font or encoding that does not say which characters it has."""
    PICTURE = "picture"
    PAGES = "pages"
    """The last pages of a long scan."""
    CHART = "chart"
    DIAGRAM = "diagram"
    COMMENTS = "comments"
    SPEAKER_NOTES = "speaker_notes"
    SHAPES = "shapes"
    """Text in drawings of spreadsheets."""
    MEDIA = "media"
    OBJECT = "object"
    """A file of another program, shown in the document."""
    ATTACHMENT = "attachment"
    UNKNOWN = "unknown"
    """The file could not be compared with what was read."""


class Unread(Struct, frozen=True, omit_defaults=True):
    """Something in a file that was not read."""

    missing: Missing
    page: PageNumber | None = None
    name: str = ""
    count: int = 1


Share = Annotated[float, Meta(ge=-1, le=2)]
"""Of the width or height of a page."""


PageWidth = Annotated[float, Meta(gt=0, le=MOST_POINTS)]
"""In points."""


@sent
class Word(Struct, frozen=True, array_like=True):
    """A word and its box, from the top left of the page."""

    text: Annotated[str, Meta(min_length=1, max_length=60_000)]
    left: Share
    top: Share
    right: Share
    bottom: Share


class Scan(Struct, frozen=True, omit_defaults=True):
    """A page that is a picture, with the words that were recognized in it, after it was turned by `turn` degrees, counterclockwise, so that it is
    upright. `height` is a share of its width, which is in points, or None for a picture that is no page of a PDF file."""

    page: PageNumber
    words: Annotated[tuple[Word, ...], Meta(max_length=MOST_WORDS)]
    turn: Annotated[float, Meta(ge=0, le=360)] = 0.0
    height: Annotated[float, Meta(ge=0, le=1_000_000)] = 1.0
    width: PageWidth | None = None


class Document(Struct, frozen=True, omit_defaults=True):
    blocks: tuple[Block, ...]
    title: str = ""
    """The title in the properties of the file."""
    pages: int = 0
    """The number of pages or slides, or 0 if the format has none."""
    are_slides: bool = False
    """Whether its pages are slides."""
    sheets: int = 0
    """The number of sheets of a spreadsheet that are not hidden."""
    fields: int = 0
    """The number of fields of forms that are filled in, also of those whose values are among other texts."""
    page_labels: tuple[str, ...] = ()
    """What the file calls its pages, such as “iv” or “A-2”. Empty if it does not say, or has no pages."""
    unread: tuple[Unread, ...] = ()
    """What the file holds that is not among the blocks."""
    scans: tuple[Scan, ...] = ()
    """The pages whose text was recognized. A file without pages has page 1."""


def without_signs(text: str) -> str:
    """Remove the characters that mark text while it is read. Readers do this with every text of a file before they add marks."""
    return text.translate(_SIGNS)


def kept(text: str) -> str:
    """The text with signs for its typographic characters, which `runs_of` writes again. docling replaces those of web pages by plain ones."""
    return text.translate(_AS_KEPT)


def note_sign(key: str) -> str:
    """A reference to the note with this key, to be put into a text."""
    return f"{NOTE}{key}{END}"


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
                end = text.find(END, place)
                end = len(text) if end < 0 else end
                keys.append(text[place + 1 : end])
                place = end
            else:
                mark = _MARK_OF.get(character)
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


def runs_in(block: Block) -> Runs:
    """The runs of a block itself: its text, or the caption of a table."""
    match block:
        case Heading(runs=runs) | Paragraph(runs=runs) | Item(runs=runs) | Table(caption=runs):
            return runs
        case _:
            return ()


def text_in(block: Block) -> str:
    """All that a block itself says, whether a person sees it or not."""
    text = "".join(run.text for run in runs_in(block))
    match block:
        case Item():
            return f"{block.marker} {text}"
        case Field():
            return f"{block.label} {block.value}"
        case Attachment():
            return block.filename
        case _:
            return text


def inside(block: Block) -> Sequence[Block]:
    """The blocks directly inside a block."""
    match block:
        case Note() | Margin() | Figure() | Quote() | Attachment():
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

"""What the screen of a document shows: its pages as pictures, or its blocks in portions that are not too long, with words highlighted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from fundwright.reading.document import Mark


class Highlight(StrEnum):
    CITED = "cited"
    HIT = "hit"
    CURRENT = "current"
    """The hit of the search that was gone to."""


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    hidden_by: Mark | None = None
    highlight: Highlight | None = None


Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ShownCell:
    blocks: tuple[ShownBlock, ...] = ()
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """`pieces` are the text, the caption of a table, the value of a field, or the name of an attachment. `label` is the marker of an item or the
    label of a field, `level` that of a heading."""

    kind: Literal[
        "heading",
        "paragraph",
        "preformatted",
        "item",
        "table",
        "field",
        "note",
        "speaker_notes",
        "margin",
        "quote",
        "figure",
        "attachment",
    ]
    pieces: Pieces = ()
    label: Pieces = ()
    level: int = 0
    is_checked: bool | None = None
    rows: tuple[tuple[ShownCell, ...], ...] = ()
    head: int = 0
    blocks: tuple[ShownBlock, ...] = ()


Place = tuple[int, int]
"""A page, or 1 if the format has none, and a part of it, from 1."""


@dataclass(frozen=True, slots=True)
class Position:
    """A part of a page, and the places before and after it. `pages` is 0 if the format has none. `labels` are what the file calls its pages."""

    page: int
    pages: int
    part: int = 1
    parts: int = 1
    labels: tuple[str, ...] = ()
    previous: Place | None = None
    next: Place | None = None


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of a document. `hits` counts those of the search in the whole document, and `hit` is the number of the one that was gone to, or 0.
    `is_cut` says whether there is more in this part than is shown, `is_cited` whether words of the passage are highlighted."""

    position: Position
    blocks: tuple[ShownBlock, ...]
    is_cut: bool
    is_cited: bool
    has_hidden: bool
    hits: int
    hit: int
    hit_on_page: int
    """The number of that hit among those of its page, from 0, or -1."""
    previous_hit: int
    next_hit: int


@dataclass(frozen=True, slots=True)
class PlacedText:
    """Words that follow each other on a line of a page, or a highlight, and its box as shares of the page's width and height."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    highlight: Highlight | None = None


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page as a picture. `height` is a share of its width."""

    position: Position
    height: float
    lines: tuple[PlacedText, ...]
    marks: tuple[PlacedText, ...]
    is_cited: bool

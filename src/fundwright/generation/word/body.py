"""Converts Markdown (GFM tables and strikethrough, no HTML) to paragraphs, lists, and tables of a Word document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from fundwright.generation.footnotes import Footnotes
from fundwright.generation.word.elements import PLAIN, RunFormat, clean, field, is_right_to_left, runs, w

BULLETS, NUMBERS = 1, 2
"""`w:abstractNum` of bulleted and numbered lists; the `w:num` of bullets has the same number."""
INDENT = 360
"""Twips for each level of a list."""

# Without text_join, an escaped bracket stays a separate node and therefore cannot be part of a citation.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["image", "text_join"])
_LINK = re.compile(r"(?:https?://\S+|mailto:[^\s?]+)\Z", re.IGNORECASE)
_DEEPEST_LEVEL = 8
_DEEPEST_LOOK = 20
"""The maximum nesting of emphasis, strikethrough, and links that is shown."""
_MAX_COLUMNS = 63
"""Word does not open wider tables."""
_CHARACTER = 115
"""A generous width of a character of table text, in twips."""
_CELL_PADDING = 240


@dataclass(frozen=True)
class _Place:
    """The context of a block: its style, its list, and whether it begins the list item."""

    style: str = "BodyText"
    level: int = -1
    number: int = 0
    """The `w:num` of the item that begins here, or 0."""


class Body:
    """The blocks of a document. `links` contains the addresses of relationships, and `numberings` the first numbers of numbered
    lists."""

    def __init__(self, footnotes: Footnotes, *, width: int) -> None:
        self.blocks: list[Element] = []
        self.links: dict[str, str] = {}
        self.numberings: list[tuple[int, int]] = []
        self._footnotes = footnotes
        self._width = width
        self._noted: set[int] = set()
        self._highest = 1

    def add(self, style: str, text: str) -> None:
        """Add a paragraph of plain text."""
        self.blocks.append(_paragraph(_Place(style), runs(text), text))

    def add_markdown(self, text: str) -> None:
        root = SyntaxTreeNode(_parsed(text))
        levels = [int(node.tag[1]) for node in root.walk() if node.type == "heading"]
        self._highest = min(levels, default=1)  # becomes the second level of the document, below the section's heading
        self._add_blocks(root.children, _Place())

    def _add_blocks(self, nodes: Iterable[SyntaxTreeNode], place: _Place) -> None:
        for node in nodes:
            match node.type:
                case "paragraph":
                    self._add_paragraph(node, place)
                case "heading":
                    level = min(2 + int(node.tag[1]) - self._highest, 3)
                    self._add_paragraph(node, _Place(f"Heading{level}") if place == _Place() else place)
                case "bullet_list" | "ordered_list":
                    self._add_list(node, place)
                case "blockquote":
                    self._add_blocks(node.children, place if place.level >= 0 else _Place("Quote"))
                case "fence" | "code_block":
                    self.blocks.append(_paragraph(replace(place, style="Code"), _lines(node.content.rstrip("\n")), node.content))
                case "hr":
                    self.blocks.append(_paragraph(_Place("Rule"), (), ""))
                case "table":
                    self._add_table(node)
                case _:
                    self._add_blocks(node.children, place)
            place = replace(place, style="ListContinue", number=0) if place.number else place

    def _add_paragraph(self, node: SyntaxTreeNode, place: _Place) -> None:
        content = list(self._inline(node.children, PLAIN))
        if content or place.number:
            self.blocks.append(_paragraph(place, content, _text_of(node)))

    def _add_list(self, node: SyntaxTreeNode, place: _Place) -> None:
        level = min(place.level + 1, _DEEPEST_LEVEL)
        style, number = "ListBullet", BULLETS
        if node.type == "ordered_list":
            self.numberings.append((level, int(node.attrs.get("start", 1))))
            style, number = "ListNumber", BULLETS + len(self.numberings)
        for item in node.children:
            begin = _Place(style, level, number)
            if not item.children or item.children[0].type != "paragraph":
                self.blocks.append(_paragraph(begin, (), ""))
                begin = replace(begin, style="ListContinue", number=0)
            self._add_blocks(item.children, begin)

    def _add_table(self, node: SyntaxTreeNode) -> None:
        rows = [row.children for part in node.children for row in part.children]
        has_head = any(_text_of(cell).strip() for cell in rows[0])
        rows = rows if has_head else rows[1:]
        if not rows:
            return
        if len(rows[0]) > _MAX_COLUMNS:
            for row in rows:
                self.add("BodyText", " | ".join(_text_of(cell) for cell in row))
            return
        widths = _column_widths([[_text_of(cell) for cell in row] for row in rows], self._width)
        is_mirrored = is_right_to_left(_text_of(node))
        table = w(
            "tbl",
            w(
                "tblPr",
                w("tblStyle", val="DraftTable"),
                *([w("bidiVisual")] if is_mirrored else []),
                w("tblW", w=sum(widths), type="dxa"),
                w("tblLayout", type="fixed"),
                w(
                    "tblLook",
                    val="0420" if has_head else "0400",
                    firstRow=int(has_head),
                    lastRow=0,
                    firstColumn=0,
                    lastColumn=0,
                    noHBand=0,
                    noVBand=1,
                ),
            ),
            w("tblGrid", *(w("gridCol", w=width) for width in widths)),
        )
        for index, row in enumerate(rows):
            is_head = has_head and index == 0
            row_properties = w("trPr", w("cantSplit"), *([w("tblHeader")] if is_head else []))
            table.append(
                w("tr", row_properties, *(self._cell(cell, width, is_head) for cell, width in zip(row, widths, strict=True)))
            )
        self.blocks += [table, _paragraph(_Place("AfterTable"), (), "")]

    def _cell(self, cell: SyntaxTreeNode, width: int, is_head: bool) -> Element:
        paragraph = _paragraph(
            _Place("TableHeading" if is_head else "TableText"),
            self._inline(cell.children, PLAIN),
            _text_of(cell),
            align=_alignment(cell),
        )
        return w("tc", w("tcPr", w("tcW", w=width, type="dxa")), paragraph)

    def _inline(self, nodes: Sequence[SyntaxTreeNode], formatting: RunFormat) -> Iterator[Element]:
        for node in nodes:
            match node.type:
                case "text":
                    yield from self._cited(node.content, formatting)
                case "softbreak":
                    yield from runs(" ", formatting)
                case "hardbreak":
                    yield w("r", w("br"))
                case "code_inline":
                    yield from runs(node.content, formatting.changed(style="CodeText"))
                case "strong":
                    yield from self._inline(node.children, formatting.changed(is_bold=True))
                case "em":
                    yield from self._inline(node.children, formatting.changed(is_italic=True))
                case "s":
                    yield from self._inline(node.children, formatting.changed(is_struck=True))
                case "link" if _LINK.match(address := str(node.attrs.get("href", ""))):
                    yield self._link(address, self._inline(node.children, formatting.changed(style="Hyperlink")))
                case _ if node.children:
                    yield from self._inline(node.children, formatting)
                case _:
                    yield from runs(node.content, formatting)

    def _link(self, address: str, content: Iterable[Element]) -> Element:
        link = w("hyperlink", *content, history=1)
        link.set("r:id", self.links.setdefault(address, f"rIdLink{len(self.links) + 1}"))
        return link

    def _cited(self, text: str, formatting: RunFormat) -> Iterator[Element]:
        previous: str | int = ""
        for piece in self._footnotes.split(text):
            if isinstance(piece, int):
                if isinstance(previous, int):
                    yield from runs(", ", RunFormat("FootnoteReference"))
                yield from self._reference(piece)
            else:
                yield from runs(piece, formatting)
            previous = piece or previous

    def _reference(self, number: int) -> Iterator[Element]:
        """Insert a footnote where it is first cited, and later a cross-reference to it, as Word itself does."""
        formatting, bookmark = RunFormat("FootnoteReference"), f"_RefNote{number}"
        if number in self._noted:
            yield from field(f"NOTEREF {bookmark} \\f \\h", str(number), formatting)
            return
        self._noted.add(number)
        yield w("bookmarkStart", id=number, name=bookmark)
        yield w("r", *formatting.properties(), w("footnoteReference", id=number))
        yield w("bookmarkEnd", id=number)


def _parsed(text: str) -> list[Token]:
    tokens = _MARKDOWN.parse(clean(text))
    for token in tokens:
        if token.children:
            token.children = [child for child in token.children if child.nesting == 0 or child.level < _DEEPEST_LOOK]
    return tokens


def _paragraph(place: _Place, content: Iterable[Element], text: str, *, align: str = "") -> Element:
    indent = INDENT * (place.level + 1)
    properties = [
        w("pStyle", val=place.style),
        *([w("numPr", w("ilvl", val=place.level), w("numId", val=place.number))] if place.number else []),
        *([w("bidi")] if is_right_to_left(text) else []),
        *([w("ind", left=indent)] if place.level >= 0 and not place.number else []),
        *([w("jc", val=align)] if align else []),
    ]
    return w("p", w("pPr", *properties), *content)


def _lines(text: str) -> Iterator[Element]:
    for index, line in enumerate(text.split("\n")):
        if index:
            yield w("r", w("br"))
        yield from runs(line)


def _text_of(node: SyntaxTreeNode) -> str:
    if node.children:
        return "".join(map(_text_of, node.children))
    return node.content or (" " if node.type in ("softbreak", "hardbreak") else "")


def _alignment(cell: SyntaxTreeNode) -> str:
    match re.search(r"text-align:(\w+)", str(cell.attrs.get("style", ""))):
        case re.Match() as found if found.group(1) in ("center", "right"):
            return "center" if found.group(1) == "center" else "end"
        case _:
            return ""


def _column_widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return widths that add up to `width`: enough for the longest word of each column, and the rest in proportion to the column's
    text."""
    columns = list(zip(*rows, strict=True))
    least = [max(max(map(len, cell.split()), default=1) for cell in column) * _CHARACTER + _CELL_PADDING for column in columns]
    wanted = [max(max(map(len, column)) * _CHARACTER + _CELL_PADDING, low) for column, low in zip(columns, least, strict=True)]
    if sum(least) >= width:
        shares, start, left = least, [0] * len(columns), width
    else:
        shares, start, left = [min(want, width) for want in wanted], least, width - sum(least)
    total = sum(shares)
    widths = [low + left * share // total for low, share in zip(start, shares, strict=True)]
    widths[-1] += width - sum(widths)
    return widths

"""Markdown written by people or models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from reactpy import html
from reactpy.types import VdomDict

from fundwright_ui.widgets.base import On, Props, Widget

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["image", "text_join"])
_CITATION = re.compile(r"\[([0-9]{1,4}(?:\s*[,;]\s*[0-9]{1,4})*)\]")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_MARK = re.compile(r"[*_~`\[\]<>&|\\#\r\n]|^[ \t]*[-+]", re.MULTILINE)
"""What makes an element: a text without any takes no time to format."""
_OUTSIDE = r"https?:|mailto:[^?]*\Z"
"""The part after “?” in an email link could add hidden recipients."""
_SAFE_ADDRESS = re.compile(rf"{_OUTSIDE}|/(?!/)|#", re.IGNORECASE)
_OUTSIDE_ADDRESS = re.compile(_OUTSIDE, re.IGNORECASE)
_ELEMENTS: dict[str, Any] = {
    "paragraph": html.p,
    "bullet_list": html.ul,
    "ordered_list": html.ol,
    "list_item": html.li,
    "blockquote": html.blockquote,
    "strong": html.strong,
    "em": html.em,
    "s": html.s,
    "table": html.table,
    "thead": html.thead,
    "tbody": html.tbody,
    "tr": html.tr,
    "th": html.th,
    "td": html.td,
}
_HEADINGS = (html.h1, html.h2, html.h3, html.h4, html.h5, html.h6)


class Citation(Props):
    """The target of `[number]` in the text."""

    number: int
    title: str


class CitationOpened(Props):
    number: int
    place: int | None = None
    """Of the `[number]` among those of the text, counted from 0; None in an editor."""


class ClaimMark(Props):
    """Characters of the text, counted from 0, of a claim that no passage supports, and why. Marks are in order and do not
    overlap."""

    start: int
    end: int
    is_cited: bool
    """It cites a passage that does not support it; otherwise it cites none."""
    note: str


@dataclass(frozen=True)
class _Limits:
    """How much of a text is formatted. Cells count separately, because two characters can create a row as wide as its table."""

    characters: int
    marks: int
    cells: int


_ON_THE_LOOP = _Limits(characters=5_000, marks=250, cells=300)
"""Takes at most 10 ms, during which nobody else is served. Prose of 5,000 characters has about 200 marks."""
_IN_A_PROCESS = _Limits(characters=50_000, marks=50_000, cells=5_000)


class MarkdownView(Widget):
    """Markdown with an allowlist: no HTML, no images, and links only to http, https, and mailto addresses and our own pages. `[n]`
    opens a citation."""

    text: str
    citations: Sequence[Citation] = ()
    marks: Sequence[ClaimMark] = ()
    on_citation: On[CitationOpened] = None


def markdown_view(
    text: str,
    *,
    citations: Sequence[Citation] = (),
    marks: Sequence[ClaimMark] = (),
    on_citation: On[CitationOpened] = None,
    key: str | None = None,
) -> VdomDict:
    """A `MarkdownView` whose text is readable before any script runs. The end of a long text is unformatted until then."""
    return MarkdownView(
        text=text,
        citations=citations,
        marks=marks,
        on_citation=on_citation,
        key=key,
        fallback=[html.div({"className": "fw-markdown", "dir": "auto"}, *rendered(text, {each.number for each in citations}))],
    )


def rendered(text: str, cited: Set[int] = frozenset()) -> list[VdomDict | str]:
    """Markdown as elements, with an allowlist, and the numbers `cited` as citations. Everything else is shown as text, as is
    everything after the first few hundred marks."""
    return _rendered(text, _Reader(cited), _ON_THE_LOOP)


def rendered_for_guests(text: str, cited: Set[int], *, source: Callable[[int], str]) -> list[VdomDict | str]:
    """Like `rendered`, for a page without scripts: much more is formatted, so call it in a process of `core.computing`. Citations link to
    the id `source(number)` on the page, and nothing links to other pages of ours."""
    return _rendered(text, _Reader(cited, _OUTSIDE_ADDRESS, source), _IN_A_PROCESS)


@dataclass(frozen=True)
class _Reader:
    """What the reader of a text can follow."""

    cited: Set[int]
    addresses: re.Pattern[str] = _SAFE_ADDRESS
    source: Callable[[int], str] | None = None

    def citation(self, number: int) -> VdomDict:
        if self.source is None:
            return html.span({"className": "fw-citation"}, str(number))
        return html.a({"className": "fw-citation", "href": f"#{self.source(number)}"}, str(number))


def _rendered(text: str, reader: _Reader, limits: _Limits) -> list[VdomDict | str]:
    end = _formatted_end(text, limits)
    try:
        elements = list(_render(SyntaxTreeNode(_MARKDOWN.parse(text[:end])).children, reader))
    except RecursionError:  # thousands of elements within each other
        elements, end = [], 0
    if remaining := text[end:].strip():
        elements.append(html.div({"className": "fw-prewrap"}, remaining))
    return elements


def _formatted_end(text: str, limits: _Limits) -> int:
    """The end of the last paragraph within the limits, or else of the last line, or else of what has few enough marks."""
    start = end_of_paragraph = marks = cells = columns = rows = cells_of_table = 0
    for found in _LINE.finditer(text):
        line = found.group()
        marks += len(_MARK.findall(line))
        if is_blank := not line.strip():
            cells, columns, rows = cells + cells_of_table, 0, 0
        else:
            columns, rows = max(columns, line.count("|") + 1), rows + 1
        cells_of_table = rows * columns if columns > 1 else 0
        if start + len(line) > limits.characters or marks > limits.marks or cells + cells_of_table > limits.cells:
            return end_of_paragraph or start or _beginning(line, limits)
        start += len(line)
        if is_blank:
            end_of_paragraph = start
    return len(text)


def _beginning(line: str, limits: _Limits) -> int:
    marks = (mark.start() for mark in _MARK.finditer(line))
    return min(limits.characters, next(islice(marks, limits.marks, None), len(line)))


def _citations(text: str, reader: _Reader) -> Iterator[VdomDict | str]:
    """Text with its citations, as the widget shows them."""
    pieces = _CITATION.split(text) if reader.cited else [text]
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            yield re.sub(" $", "\u202f", piece) if place < len(pieces) - 1 else piece
            continue
        numbers = [int(number) for number in re.split("[,;]", piece)]
        if set(numbers) <= reader.cited:
            yield from (reader.citation(number) for number in numbers)
        else:
            yield f"[{piece}]"


def _render(nodes: Iterable[SyntaxTreeNode], reader: _Reader) -> Iterator[VdomDict | str]:
    for node in nodes:
        match node.type:
            case "text":
                yield from _citations(node.content, reader)
            case "softbreak":
                yield "\n"
            case "hardbreak":
                yield html.br()
            case "hr":
                yield html.hr()
            case "code_inline":
                yield html.code(node.content)
            case "fence" | "code_block":
                yield html.pre(html.code(node.content))
            case "heading":
                yield _HEADINGS[int(node.tag[1]) - 1](*_render(node.children, reader))
            case "link" if reader.addresses.match(str(node.attrs.get("href", ""))):
                href = str(node.attrs["href"])
                elsewhere = {"target": "_blank", "rel": "noopener noreferrer"} if href.lower().startswith("http") else {}
                yield html.a({"href": href, **elsewhere}, *_render(node.children, reader))
            case "paragraph" if node.parent is not None and node.parent.type == "list_item" and node.hidden:
                yield from _render(node.children, reader)
            case kind if kind in _ELEMENTS:
                yield _ELEMENTS[kind](*_render(node.children, reader))
            case _:
                yield from _render(node.children, reader) if node.children else [node.content]

"""The part of a passage around what answers a question, laid out as in its document: rows as tables, items with bullets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from reactpy import html
from reactpy.types import VdomDict

from fundwright.language.structure import Block, BlockKind, read
from fundwright_ui.ui.elements import Child

_CHARACTERS_BEFORE, _CHARACTERS_AFTER = 160, 320


def excerpt(text: str, start: int, end: int) -> VdomDict:
    """`start` and `end` are the place of what answers, which is marked."""
    blocks = [block for block in read(text) if block.end > start - _CHARACTERS_BEFORE and block.start < end + _CHARACTERS_AFTER]

    def marked(block: Block, shown: str) -> Child:
        return html.mark(shown) if block.start >= start and block.end <= end else shown

    groups = [(look, list(group)) for look, group in groupby(blocks, _look)]
    return html.div({"className": "fw-excerpt", "dir": "auto"}, *(_LOOKS[look](group, marked) for look, group in groups))


def _look(block: Block) -> str:
    if block.kind in (BlockKind.ROW, BlockKind.PAIR):
        return "table"
    return {BlockKind.ITEM: "list", BlockKind.HEADING: "heading", BlockKind.SENTENCE: "text"}.get(block.kind, "lines")


_Mark = Callable[[Block, str], Child]


def _table(blocks: Sequence[Block], marked: _Mark) -> VdomDict:
    columns = blocks[0].columns if all(block.columns == blocks[0].columns for block in blocks) else ()
    head = html.thead(html.tr(*(html.th({"scope": "col"}, column) for column in columns))) if columns else None
    rows = [
        html.tr(html.th({"scope": "row"}, block.label), html.td(marked(block, block.text)))
        if block.label
        else html.tr(*(html.td(marked(block, cell) if cell else "") for cell in block.cells))
        for block in blocks
    ]
    return html.div(
        {"className": "fw-table-scroll", "tabIndex": 0}, html.table({"className": "fw-table"}, head, html.tbody(*rows))
    )


def _list(blocks: Sequence[Block], marked: _Mark) -> VdomDict:
    return html.ul(*(html.li(marked(block, block.text)) for block in blocks))


def _heading(blocks: Sequence[Block], marked: _Mark) -> VdomDict:
    return html.p(*(html.strong(block.text) for block in blocks))


def _text(blocks: Sequence[Block], marked: _Mark) -> VdomDict:
    children: list[Child] = []
    for block in blocks:
        shown = f"{block.label}. {block.text}" if block.label else block.text
        children += [marked(block, shown), " "]
    return html.p(*children)


def _lines(blocks: Sequence[Block], marked: _Mark) -> VdomDict:
    children: list[Child] = []
    for block in blocks:
        children += [marked(block, block.text), html.br()]
    return html.p(*children[:-1])


_LOOKS: dict[str, Callable[[Sequence[Block], _Mark], VdomDict]] = {
    "table": _table,
    "list": _list,
    "heading": _heading,
    "text": _text,
    "lines": _lines,
}

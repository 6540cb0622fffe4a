"""The part of a passage around an answer, laid out as in its document: rows as tables, items with bullets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Protocol

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright.language.structure import Block, BlockKind, read
from fundwright_ui.ui.elements import Child

_CHARACTERS_BEFORE, _CHARACTERS_AFTER = 160, 320


def excerpt(text: str, start: int, end: int) -> VdomDict:
    """`start` and `end` delimit the answer, which is marked."""
    blocks = [block for block in read(text) if block.end > start - _CHARACTERS_BEFORE and block.start < end + _CHARACTERS_AFTER]

    def marked(block: Block, shown: str) -> Child:
        return html.mark(shown) if block.start >= start and block.end <= end else shown

    alike = groupby(blocks, lambda block: (_look(block), block.columns))
    groups = [(look, list(group)) for (look, _), group in alike]
    return html.div(
        {"className": "fw-excerpt", "dir": "auto"},
        *(_LOOKS[look](group, marked, key=f"{index}:{look}") for index, (look, group) in enumerate(groups)),
    )


def _look(block: Block) -> str:
    if block.kind in (BlockKind.ROW, BlockKind.PAIR):
        return "table"
    if block.kind == BlockKind.ITEM and block.number:
        return "numbered"
    return {BlockKind.ITEM: "list", BlockKind.HEADING: "heading", BlockKind.SENTENCE: "text"}.get(block.kind, "lines")


_Mark = Callable[[Block, str], Child]


def _table(blocks: Sequence[Block], marked: _Mark, *, key: str) -> VdomDict:
    heads = [html.th({"scope": "col", "key": f"{index}:{column}"}, column) for index, column in enumerate(blocks[0].columns)]
    return html.div(
        {"className": "fw-table-scroll", "role": "group", "aria-label": t("Scrollable table"), "tabIndex": 0, "key": key},
        html.table(
            {"className": "fw-table"},
            html.thead(html.tr(*heads)) if heads else None,
            html.tbody(*(_row(block, marked, key=str(index)) for index, block in enumerate(blocks))),
        ),
    )


def _row(block: Block, marked: _Mark, *, key: str) -> VdomDict:
    if block.label:
        return html.tr({"key": key}, html.th({"scope": "row"}, block.label), html.td(marked(block, block.text)))
    cells = (html.td({"key": str(index)}, marked(block, cell) if cell else "") for index, cell in enumerate(block.cells))
    return html.tr({"key": key}, *cells)


def _list(blocks: Sequence[Block], marked: _Mark, *, key: str) -> VdomDict:
    items = (html.li({"key": str(index)}, marked(block, block.text)) for index, block in enumerate(blocks))
    return html.ul({"key": key}, *items)


def _numbers(blocks: Sequence[Block], marked: _Mark, *, key: str) -> VdomDict:
    items = (html.li({"key": str(index)}, marked(block, _numbered(block))) for index, block in enumerate(blocks))
    return html.ul({"key": key, "className": "fw-numbered"}, *items)


def _heading(blocks: Sequence[Block], _marked: _Mark, *, key: str) -> VdomDict:
    return html.p({"key": key}, html.strong(" › ".join(map(_numbered, blocks))))


def _numbered(block: Block) -> str:
    return f"{block.number} {block.text}" if block.number else block.text


def _text(blocks: Sequence[Block], marked: _Mark, *, key: str) -> VdomDict:
    children: list[Child] = []
    for block in blocks:
        children += [marked(block, f"{block.label}. {block.text}" if block.label else block.text), " "]
    return html.p({"key": key}, *children)


def _lines(blocks: Sequence[Block], marked: _Mark, *, key: str) -> VdomDict:
    children: list[Child] = []
    for block in blocks:
        children += [marked(block, block.text), html.br()]
    return html.p({"key": key}, *children[:-1])


class _Look(Protocol):
    def __call__(self, blocks: Sequence[Block], marked: _Mark, /, *, key: str) -> VdomDict: ...


_LOOKS: dict[str, _Look] = {
    "table": _table,
    "list": _list,
    "numbered": _numbers,
    "heading": _heading,
    "text": _text,
    "lines": _lines,
}

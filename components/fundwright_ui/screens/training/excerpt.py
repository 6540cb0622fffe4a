"""The part of a passage around an answer, laid out as in its document: rows as tables, items with bullets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Protocol

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright.language.schemas import heading_text
from fundwright.reading.entries import Entry, EntryKind, Value, statements_of
from fundwright.training.schemas import Passage
from fundwright_ui.ui.elements import Child

_CHARACTERS_BEFORE, _CHARACTERS_AFTER = 160, 320
_ENDS = (".", "!", "?", "…", ":", ";", ",", "”", '"', ")")
_Mark = Callable[[int, int], Child]
"""The text between two places of the passage, marked if it is in the answer."""


def excerpt(passage: Passage, start: int = 0, end: int = 0) -> VdomDict:
    """`start` and `end` delimit the answer, which is marked."""
    text, first, last = passage.text, start - _CHARACTERS_BEFORE, end + _CHARACTERS_AFTER

    def marked(begin: int, stop: int) -> Child:
        shown = " ".join(text[begin:stop].split())
        return html.mark(shown) if begin >= start and stop <= end else shown

    statements = [
        each for entry in passage.entries() for each in _statements(text, entry) if each.end > first and each.start < last
    ]
    groups = [(look, list(group)) for (look, *_), group in groupby(statements, _together)]
    return html.div(
        {"className": "fw-excerpt", "dir": "auto"},
        *(_LOOKS[look](group, marked, key=f"{index}:{look}") for index, (look, group) in enumerate(groups)),
    )


def _statements(text: str, entry: Entry) -> Iterator[Entry]:
    for each in _unfolded(text, entry):
        for start, end in statements_of(text, each):
            yield replace(each, text=text[start:end], start=start, end=end)


def _unfolded(text: str, entry: Entry) -> Sequence[Entry]:
    """A label that stands above its value is shown as the heading that it is."""
    is_above = entry.kind is EntryKind.VALUES and len(entry.values) == 1 and "\n\n" in text[entry.start : entry.values[0].start]
    if not is_above:
        return (entry,)
    (value,) = entry.values
    heading = replace(entry, kind=EntryKind.HEADING, text=value.label, end=entry.start + len(value.label), values=())
    return heading, replace(entry, kind=EntryKind.PARAGRAPH, text=value.text, start=value.start, end=value.end, values=())


def _together(entry: Entry) -> tuple[str, tuple[str, ...], int]:
    """The look of an entry, and what else entries that are shown together have in common."""
    match entry.kind:
        case EntryKind.ITEM:
            return "numbered" if any(map(str.isalnum, entry.mark)) else "list", (), 0
        case EntryKind.HEADING:
            return "heading", (), 0
        case EntryKind.PARAGRAPH:
            return "text", (), entry.group
        case _:
            return "table", entry.columns, 0


def _table(entries: Sequence[Entry], marked: _Mark, *, key: str) -> VdomDict:
    heads = [html.th({"scope": "col", "key": f"{index}:{column}"}, column) for index, column in enumerate(entries[0].columns)]
    return html.div(
        {"className": "fw-table-scroll", "role": "group", "aria-label": t("Scrollable table"), "tabIndex": 0, "key": key},
        html.table(
            {"className": "fw-table"},
            html.thead(html.tr(*heads)) if heads else None,
            html.tbody(*(row for index, entry in enumerate(entries) for row in _rows(entry, marked, key=str(index)))),
        ),
    )


def _rows(entry: Entry, marked: _Mark, *, key: str) -> Iterator[VdomDict]:
    """The table row of an entry, or those of a form, one for each label."""
    if entry.kind is EntryKind.ROW:
        cells = (
            html.td({"key": str(index)}, marked(cell.start, cell.end) if cell else "") for index, cell in enumerate(_cells(entry))
        )
        yield html.tr({"key": key}, *cells)
        return
    for index, value in enumerate(entry.values):
        cell = html.td({} if value.label else {"colSpan": 2}, marked(value.start, value.end))
        yield html.tr({"key": f"{key}:{index}"}, html.th({"scope": "row"}, value.label) if value.label else None, cell)


def _cells(row: Entry) -> Iterator[Value | None]:
    """The cells of a row, None for blank ones."""
    values = [*row.values]
    for column in row.columns or [value.label for value in values]:
        yield values.pop(0) if values and values[0].label == column else None


def _list(entries: Sequence[Entry], marked: _Mark, *, key: str) -> VdomDict:
    items = (html.li({"key": str(index)}, marked(entry.start, entry.end)) for index, entry in enumerate(entries))
    return html.ul({"key": key}, *items)


def _numbers(entries: Sequence[Entry], marked: _Mark, *, key: str) -> VdomDict:
    items = (
        html.li({"key": str(index)}, f"{entry.mark} ", marked(entry.start, entry.end)) for index, entry in enumerate(entries)
    )
    return html.ul({"key": key, "className": "fw-numbered"}, *items)


def _heading(entries: Sequence[Entry], _marked: _Mark, *, key: str) -> VdomDict:
    return html.p({"key": key}, html.strong(heading_text([entry.text for entry in entries])))


def _paragraph(statements: Sequence[Entry], marked: _Mark, *, key: str) -> VdomDict:
    """Sentences follow each other, lines stand below each other."""
    children: list[Child] = []
    for each in statements:
        children += [marked(each.start, each.end), " " if each.text.endswith(_ENDS) else html.br()]
    return html.p({"key": key}, *children[:-1])


class _Look(Protocol):
    def __call__(self, entries: Sequence[Entry], marked: _Mark, /, *, key: str) -> VdomDict: ...


_LOOKS: dict[str, _Look] = {
    "table": _table,
    "list": _list,
    "numbered": _numbers,
    "heading": _heading,
    "text": _paragraph,
}

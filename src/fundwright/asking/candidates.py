"""What of a passage may answer a question: its sentences, items, rows, labeled values, and lists, each with the record that it belongs to."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from fundwright.asking.listings import RequestedList
from fundwright.language.schemas import nearest_heading
from fundwright.language.structure import MAX_CHARACTERS, Block, BlockKind, read
from fundwright.language.units import spell_out_label, spell_out_units
from fundwright.reading.records import Record, divide
from fundwright.reading.symbols import CHECKED, UNCHECKED
from fundwright.training.schemas import Passage

_EXCEPTS = re.compile(
    r"(?:but|except|however|instead|otherwise|unless|aber|außer|jedoch|sonst|cependant|excepté|mais|sauf|sinon|toutefois)\b",
    re.IGNORECASE,
)
"""Begins a sentence that is shown together with the one before it, which says what it is an exception to."""

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_ALONE = (BlockKind.HEADING, BlockKind.ROW, BlockKind.ITEM)
"""Kinds of blocks that are records of their own."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement of a passage, from `start` to `end` of its text. `text` has the names of its columns or its label, and units in words."""

    passage: int
    start: int
    end: int
    text: str
    heading: str
    block: Block
    line: str
    """The line of the passage up to the end of the statement."""
    record: int
    """The number, within the passage, of the record that it belongs to: a row, an item, a paragraph, or the labeled values of one thing."""
    around: str
    """The text of the record, with what stands above it: headings, names of columns, the line above a list, the title of the document."""
    is_checked: bool | None = None
    """Whether it is the label of a box that is checked. None if it is no box."""
    is_list: bool = False
    """Whether it is the list that the question asks for."""
    box: str = ""
    """The label of a box, or of a row that is answered with no."""
    names_box: bool = False
    """Whether the question names it."""


def candidates_in(passage: Passage, index: int) -> list[Candidate]:
    """Return what of a passage may answer. Its headings answer nothing."""
    text, found = passage.text, list[Candidate]()
    divided = divide(text)
    titles = [text[start:end] for start, end in divided.titles] if divided.is_about_one else []
    spans = sorted((start, end, number) for number, each in enumerate(divided.records) for start, end in each.units)
    parts: dict[int, dict[str, None]] = {}
    heading = nearest_heading(passage.heading)
    above: Block | None = None
    for number, block in _in_records(text):
        begin = max(text.rfind("\n", 0, block.start) + 1, above.end if above else 0)
        headings = passage.place_at(block.start)[0]
        said = f"{block.label}: {block.text}" if block.label else block.text
        is_after = above is not None and found and found[-1].end == above.end
        above = block
        if block.kind == BlockKind.HEADING or said in headings or said.endswith("?"):
            heading = block.text
            continue
        words, start = _in_words(block), block.start
        if is_after and _EXCEPTS.match(words):
            words, start = f"{found[-1].text} {words}", found[-1].start
        is_checked = text[: block.start].endswith(f"{CHECKED} ")
        line = text[begin : block.end]
        found.append(Candidate(index, start, block.end, words, heading, block, line, number, "", is_checked or None))
        record = _record_at(divided.records, spans, block.start, block.end)
        around = (text[first:last] for first, last in (*record.context, *record.units)) if record else ()
        parts.setdefault(number, {}).update(dict.fromkeys((passage.document_title, *headings, heading, *titles, *around, words)))
    together = {number: " ".join(each) for number, each in parts.items()}
    return [replace(each, around=together[each.record], box=each.text if each.is_checked else "") for each in found]


def boxes_in(passage: Passage, index: int) -> Iterator[Candidate]:
    """Yield the boxes of a passage that are not checked, and its rows that are answered with no: each is a line."""
    for line in re.finditer(r"\S[^\n]*", passage.text):
        is_box = line[0].startswith(UNCHECKED)
        text = line[0].removeprefix(UNCHECKED).strip()
        headings = passage.place_at(line.start())[0]
        start = line.end() - len(text)
        yield Candidate(
            index,
            start,
            line.end(),
            text,
            nearest_heading(headings),
            Block(BlockKind.ITEM, text, start, line.end()),
            line[0],
            -1,
            f"{passage.document_title} {' '.join(headings)} {text}",
            is_checked=False if is_box else None,
            box=text if is_box else text.rpartition(":")[0],
        )


def lists_of(candidates: Sequence[Candidate], wanted: RequestedList) -> Iterator[Candidate]:
    """Yield what stands under a label or heading that names the list that the question asks for."""
    for name_of in (lambda each: each.block.label, lambda each: each.heading):
        for name, group in groupby(candidates, key=name_of):
            listed = list(group)
            text = "; ".join(each.text for each in listed)
            if name and len(text) <= MAX_CHARACTERS and wanted.is_named_by(name, text):
                yield replace(listed[0], end=listed[-1].end, text=f"{name}: {text}", is_list=True)


def _record_at(records: Sequence[Record], spans: Sequence[tuple[int, int, int]], start: int, end: int) -> Record | None:
    """The record with a part from `start` to `end`; `spans` are the parts of all records, each with the number of its record."""
    place = bisect_left(spans, (end,)) - 1
    return records[spans[place][2]] if place >= 0 and spans[place][1] > start else None


def _in_records(text: str) -> Iterator[tuple[int, Block]]:
    """Yield the blocks of a text, each with the number of its record. A repeated label begins the next record."""
    record, end, labels = 0, 0, set[str]()
    kind = BlockKind.HEADING
    for block in read(text):
        is_pair = block.kind == kind == BlockKind.PAIR
        is_apart = block.kind in _ALONE or kind in _ALONE or (not is_pair and _BLANK_LINE.search(text, end, block.start))
        if is_apart or block.label in labels:
            record, labels = record + 1, set()
        kind, end, labels = block.kind, block.end, labels | ({block.label} if block.kind == BlockKind.PAIR else set())
        yield record, block


def _in_words(block: Block) -> str:
    """Return the text of a block, with units spelled out and with the names of the columns of its cells."""
    if block.columns:
        cells = zip(block.columns, block.cells, strict=True)
        return "; ".join(f"{spell_out_label(column)}: {spell_out_units(cell)}" for column, cell in cells if cell)
    return f"{spell_out_label(block.label)}: {spell_out_units(block.text)}" if block.label else spell_out_units(block.text)

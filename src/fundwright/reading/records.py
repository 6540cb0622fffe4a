"""Divides a cited passage into records, by its structure alone: a table row with the names of its columns, an item of a list, the labeled values
of one project with the text below them, or a paragraph.

What a sentence says about one thing must stand in one record: the value of another row is the value of another contract.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from fundwright.reading.sentences import divided

Span = tuple[int, int]
"""The first character of a part of a text, and the one after its last."""

_RULE = re.compile(r"\|?(?:\s?:?-{1,100}:?\s?\|){1,200}\s?(?::?-{1,100}:?)?\s?")
_ITEM = re.compile(r"\s{0,40}(?:[-*•–▪●○◦■□‣]|\(?(?:\d{1,2}|[a-z])[.)]|\d{1,2}(?:\.\d{1,2}){1,3}\.?)\s{1,20}(?=\S)")
_PAIR = re.compile(r"\s{0,40}([A-ZÄÖÜÉÀ0-9(#][^:|\n]{0,48}):(?!//)\s{1,40}(?=\S)")
_LABEL_WORDS = 6
_ENDS = re.compile(r"[.!?;,…][\"”’')\]]{0,2}$")
_HEADING_WORDS = 12
_TITLE_LINES = 2
"""The name of a form may be above the name of the project."""
_UNCHECKED = re.compile(r"☐|\[ \]")
_BOX = re.compile(r"[☐☑☒✓✔]|\[[ xX]\]")
_CELL = re.compile(r"[^|]+")


@dataclass(slots=True)
class Record:
    """`units` are its sentences, items, values, and cells; `context` are the headings, names of columns, and the line above a list, which belong
    to several records."""

    units: list[Span] = field(default_factory=list[Span])
    context: list[Span] = field(default_factory=list[Span])
    unchecked: list[Span] = field(default_factory=list[Span])
    """What stands beside boxes that are not checked."""
    labels: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class Divided:
    """The records of a passage, in order. `titles` are its first lines if they are short, and `is_about_one` says whether no label stands under
    two headings, so that the passage may be about one thing: a résumé, but not two projects."""

    records: tuple[Record, ...]
    titles: list[Span]
    is_about_one: bool


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    text: str
    is_after_blank: bool
    is_before_blank: bool


def divide(text: str) -> Divided:
    """Boxes that are not checked are in no record."""
    reading = _Reading(text)
    records = tuple(record for record in reading.records() if record.units or record.unchecked)
    first = [line for line in islice(_lines(text), _TITLE_LINES) if _is_prose(line) and _is_short(line.text.rstrip("."))]
    return Divided(
        records, [(line.start, line.end) for line in first], all(len(headings) == 1 for headings in reading.headings.values())
    )


class _Reading:
    def __init__(self, text: str) -> None:
        self.text = text
        self.context: list[Span] = []
        """The heading above."""
        self.lead: list[Span] = []
        """The paragraph directly above a list."""
        self.columns: list[Span] = []
        self.open: Record | None = None
        """Labeled values, which the text below them belongs to."""
        self.headings: dict[str, set[Span]] = {}
        """Above each label."""

    def records(self) -> Iterator[Record]:
        lines = list(_lines(self.text))
        place = 0
        while place < len(lines):
            line = lines[place]
            after = lines[place + 1] if place + 1 < len(lines) else None
            if _is_row(line):
                if after is not None and not line.is_before_blank and _RULE.fullmatch(after.text):
                    self.columns, place = [cell.span() for cell in _CELL.finditer(self.text, line.start, line.end)], place + 2
                    continue
                if self.open:
                    yield self.open
                cells = list(_CELL.finditer(self.text, line.start, line.end))
                unchecked = {number for number, cell in enumerate(cells) if _UNCHECKED.fullmatch(cell[0].strip())}
                columns = (column for number, column in enumerate(self.columns) if number not in unchecked)
                parts = [_parts(self.text, *cell.span()) for cell in cells]
                units, unnamed = ([span for part in parts for span in part[side]] for side in (0, 1))
                yield Record(
                    units,
                    [*self.context, *columns],
                    [*unnamed, *(self.columns[each] for each in unchecked if each < len(self.columns))],
                )
                self.open, place = None, place + 1
                continue
            self.columns = []
            if item := _ITEM.match(line.text):
                yield from self._item(line.start + item.end(), line.end)
                place += 1
            elif pair := _label_of(line):
                yield from self._pair(line, pair)
                place += 1
            else:
                last = place
                while not lines[last].is_before_blank and last + 1 < len(lines) and _is_prose(lines[last + 1]):
                    last += 1
                yield from self._paragraph(line, lines[last])
                place = last + 1
        if self.open:
            yield self.open

    def _item(self, start: int, end: int) -> Iterator[Record]:
        units, unchecked = _parts(self.text, start, end)
        if self.open:
            self.open.units += units
            self.open.unchecked += unchecked
        else:
            yield Record(units, [*self.context, *self.lead], unchecked)

    def _pair(self, line: _Line, pair: re.Match[str]) -> Iterator[Record]:
        label = re.sub(r"[\W\d]+", " ", pair[1]).strip().casefold()  # “Project 2” begins what “Project 1” has begun
        self.headings.setdefault(label, set()).update(self.context or [(0, 0)])
        if self.open is None or label in self.open.labels:
            if self.open:
                yield self.open
            self.open = Record(context=[*self.context])
        self.open.labels.add(label)
        self.open.context.append((line.start, line.start + pair.end(1)))
        units, unchecked = _parts(self.text, line.start + pair.end(), line.end)
        self.open.units += units
        self.open.unchecked += unchecked

    def _paragraph(self, first: _Line, last: _Line) -> Iterator[Record]:
        text = self.text[first.start : last.end]
        if first is last and first.is_after_blank and _is_short(text):
            if self.open:
                yield self.open
            self.open = None
            self.context, self.lead = [(first.start, last.end)], []
            yield Record([(first.start, last.end)])
            return
        units, unchecked = _parts(self.text, first.start, last.end)
        self.lead = [(first.start, last.end)]
        if self.open and (len(self.open.labels) > 1 or not first.is_after_blank):
            self.open.units += units
            self.open.unchecked += unchecked
        else:
            yield Record(units, [*self.context], unchecked)


def _lines(text: str) -> Iterator[_Line]:
    found: list[_Line] = []
    start, is_after_blank = 0, True
    for raw in text.splitlines(keepends=True):
        line = raw.rstrip()
        if line:
            found.append(_Line(start, start + len(line), line, is_after_blank, is_before_blank=False))
        elif found:
            found[-1].is_before_blank = True
        is_after_blank = not line
        start += len(raw)
    if found:
        found[-1].is_before_blank = True
    return iter(found)


def _is_row(line: _Line) -> bool:
    return line.text.lstrip().startswith("|") or " | " in line.text


def _label_of(line: _Line) -> re.Match[str] | None:
    pair = _PAIR.match(line.text)
    return pair if pair and len(pair[1].split()) <= _LABEL_WORDS else None


def _is_short(text: str) -> bool:
    """Whether a line may be a heading."""
    return len(text.split()) <= _HEADING_WORDS and not _ENDS.search(text) and not _BOX.search(text)


def _is_prose(line: _Line) -> bool:
    return not (_is_row(line) or _ITEM.match(line.text) or _label_of(line))


def _parts(text: str, start: int, end: int) -> tuple[list[Span], list[Span]]:
    """The sentences of a part, and what follows boxes that are not checked."""
    units, unchecked = list[Span](), list[Span]()
    boxes = [*_BOX.finditer(text, start, end)]
    for box, after in zip([None, *boxes], [*boxes, None], strict=True):
        first, last = box.end() if box else start, after.start() if after else end
        if box is not None and _UNCHECKED.fullmatch(box[0]):
            unchecked.append((first, last))
        else:
            units += divided(text, first, last)
    return units, unchecked

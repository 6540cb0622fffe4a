"""What of a passage may answer a question: its sentences, items, rows, labeled values, and lists, each with the record that it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from fundwright.asking.listings import RequestedList
from fundwright.language.schemas import nearest_heading
from fundwright.reading.entries import LONGEST, Entry, EntryKind, Value, statements_of
from fundwright.reading.labels import words_of
from fundwright.reading.symbols import UNCHECKED
from fundwright.reading.units import spell_out_label, spell_out_units
from fundwright.training.schemas import Passage

_EXCEPTS = re.compile(
    r"(?:but|except|however|instead|otherwise|unless|aber|außer|jedoch|sonst|cependant|excepté|mais|sauf|sinon|toutefois)\b",
    re.IGNORECASE,
)
"""Begins a sentence that is shown together with the one before it, which says what it is an exception to."""
_TITLE_LINES, _TITLE_WORDS = 2, 12
"""The name of a form may be above the name of the project."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement of a passage, from `start` to `end` of its text. `text` has the names of its columns or its label, and units in words."""

    passage: int
    start: int
    end: int
    text: str
    line: str
    """The line of the passage up to the end of the statement."""
    values: tuple[Value, ...] = ()
    """The cells of a row, or a labeled value."""
    is_row: bool = False
    heading: str = ""
    record: int = -1
    """The number, within the passage, of the record that it belongs to: a row, an item, a paragraph, or the labeled values of one thing."""
    around: str = ""
    """The text of the record, with what stands above it: headings, names of columns, the line above a list, the title of the document."""
    is_checked: bool | None = None
    """Whether it is the label of a box that is checked. None if it is no box."""
    is_list: bool = False
    """Whether it is the list that the question asks for."""
    box: str = ""
    """The label of a box, or of a row that is answered with no."""
    names_box: bool = False
    """Whether the question names it."""

    @property
    def label(self) -> str:
        return self.values[0].label if self.values and not self.is_row else ""

    @property
    def value(self) -> str:
        """What stands after the label, "" if there is none."""
        return self.values[0].text if self.label else ""

    @property
    def cells(self) -> list[tuple[str, str]]:
        """What names the statement and then the rest of it, each with the name of its column."""
        if self.is_row:
            return [(value.text, value.label) for value in self.values]
        return [(self.label, ""), (self.value, self.label)] if self.label else [(self.line, "")]


@dataclass(slots=True)
class _Record:
    """`said` are its texts and those above it, each once. `labels` are those of a form; what stands below the form belongs to it, too."""

    first: Entry
    said: dict[str, None]
    candidates: list[Candidate] = field(default_factory=list[Candidate])
    labels: set[str] = field(default_factory=set[str])


def candidates_in(passage: Passage, index: int) -> list[Candidate]:
    """Return what of a passage may answer. Its questions, and headings without values, answer nothing."""
    entries = passage.entries()
    titles = _titles(passage.text, entries)
    records: list[_Record] = []
    lead, question = "", ""
    last: Candidate | None = None
    for before, entry, after in zip([None, *entries], entries, [*entries[1:], None], strict=False):
        if entry.kind is EntryKind.HEADING or (before and before.path != entry.path):
            lead = question = ""
        if not entry.values and (entry.kind is EntryKind.HEADING or entry.text in entry.path):
            continue
        if not (records and _continued(records[-1], entry, after)):
            above = (lead,) if entry.kind is EntryKind.ITEM else ()
            records.append(_Record(entry, dict.fromkeys((passage.document_title, *entry.path, *titles, *above))))
        record = records[-1]
        if entry.kind is EntryKind.PARAGRAPH:
            lead = entry.text
        if entry.kind is EntryKind.VALUES and not _is_below(passage.text, entry):
            record.labels |= _labels(entry)
        for each in _candidates(passage.text, entry, index):
            if each.text.endswith("?"):
                question = each.text
                continue
            heading = question or each.heading or nearest_heading(entry.path)
            each = replace(each, heading=heading, record=len(records))
            if last and last.heading == heading and _EXCEPTS.match(each.text):
                each = replace(each, text=f"{last.text} {each.text}", start=last.start)
            record.candidates.append(each)
            last = each
            record.said |= dict.fromkeys((heading, each.text))
    return [replace(each, around=" ".join(record.said)) for record in records for each in record.candidates]


def _candidates(text: str, entry: Entry, index: int) -> Iterator[Candidate]:
    """The statements of an entry: of a form, each value."""
    is_row = entry.kind is EntryKind.ROW
    if entry.values and entry.kind is not EntryKind.ITEM and not _is_below(text, entry):
        for values in [entry.values] if is_row else [(each,) for each in entry.values]:
            words = "; ".join(map(_in_words, values))
            yield Candidate(index, entry.start, entry.end, words, text[entry.start : entry.end], values, is_row=is_row)
        return
    begin = text.rfind("\n", 0, entry.start) + 1
    heading = ""
    if entry.values and entry.kind is EntryKind.VALUES:
        heading = entry.values[0].label
        entry = replace(entry, kind=EntryKind.PARAGRAPH, start=entry.values[0].start)
    for start, end in statements_of(text, entry):
        said = " ".join(text[start:end].split())
        box = said if entry.is_checked else ""
        words, is_checked = spell_out_units(said), entry.is_checked or None
        yield Candidate(index, start, end, words, text[begin:end], heading=heading, is_checked=is_checked, box=box)
        begin = end


def _is_below(text: str, entry: Entry) -> bool:
    """Whether a label stands above prose, as a heading does."""
    return bool(entry.values) and "\n" in text[entry.start : entry.values[0].start] and ". " in entry.values[0].text


def _continued(record: _Record, entry: Entry, after: Entry | None) -> bool:
    """Whether an entry belongs to the record above it: a value below the name of a project, the next value of a form, or text below its values."""
    if EntryKind.ROW in (record.first.kind, entry.kind) or record.first.path != entry.path:
        return False
    if entry.kind is EntryKind.VALUES:
        is_titled = record.first.kind is EntryKind.PARAGRAPH and record.first.group == entry.group
        return (bool(record.labels) or is_titled) and record.labels.isdisjoint(_labels(entry))
    is_title = after is not None and after.kind is EntryKind.VALUES and after.group == entry.group
    return len(record.labels) > 1 and not is_title


def _labels(entry: Entry) -> set[str]:
    """The labels of a form; “Project 2” begins what “Project 1” has begun."""
    return {" ".join(words_of(value.label)) for value in entry.values}


def _titles(text: str, entries: Sequence[Entry]) -> list[str]:
    """The first lines of a passage if they are short, and if it may be about one thing: no label stands under two headings."""
    paths: dict[str, set[tuple[str, ...]]] = {}
    for entry in entries:
        for label in _labels(entry) if entry.kind is EntryKind.VALUES else ():
            paths.setdefault(label, set()).add(entry.path)
    if any(len(each) > 1 for each in paths.values()):
        return []
    lines = [line.strip() for line in text.split("\n") if line.strip()][:_TITLE_LINES]
    first = [entry.text for entry in entries[:_TITLE_LINES] if entry.kind in (EntryKind.HEADING, EntryKind.PARAGRAPH)]
    return [line for line in lines if len(line.split()) <= _TITLE_WORDS and any(line in each for each in first)]


def boxes_in(passage: Passage, index: int) -> Iterator[Candidate]:
    """Yield the boxes of a passage that are not checked, and its rows that are answered with no: each is a line."""
    for line in re.finditer(r"\S[^\n]*", passage.text):
        is_box = line[0].startswith(UNCHECKED)
        text = line[0].removeprefix(UNCHECKED).strip()
        headings = passage.place_at(line.start())[0]
        yield Candidate(
            index,
            line.end() - len(text),
            line.end(),
            text,
            line[0],
            heading=nearest_heading(headings),
            around=f"{passage.document_title} {' '.join(headings)} {text}",
            is_checked=False if is_box else None,
            box=text if is_box else text.rpartition(":")[0],
        )


def lists_of(candidates: Sequence[Candidate], wanted: RequestedList) -> Iterator[Candidate]:
    """Yield what stands under a label or heading that names the list that the question asks for."""
    for name_of in (lambda each: each.label, lambda each: each.heading):
        for name, group in groupby(candidates, key=name_of):
            listed = list(group)
            text = "; ".join(each.text for each in listed)
            if name and len(text) <= LONGEST and wanted.is_named_by(name, text):
                yield replace(listed[0], end=listed[-1].end, text=f"{name}: {text}", is_list=True)


def _in_words(value: Value) -> str:
    """The text of a value after its label or the name of its column, with units spelled out."""
    text = spell_out_units(value.text)
    return f"{spell_out_label(value.label)}: {text}" if value.label else text

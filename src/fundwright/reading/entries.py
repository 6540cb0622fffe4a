"""The entries of a document's text: headings, paragraphs, items, rows, and labeled values, each with the headings above it.

Works on the text that `lines` makes of blocks, so it recognizes the forms that these write: rows between bars, a rule below the names of columns,
bullets, checked boxes, and “Label: value.” In paragraphs, people also arrange labels and values with spaces, dots, and tabs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import groupby, zip_longest

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.facts import FactField
from fundwright.reading.labels import Meaning, is_label, meaning_of
from fundwright.reading.patterns import MONEY
from fundwright.reading.sentences import divided
from fundwright.reading.symbols import CHECKED
from fundwright.reading.topics import NOT_DRAFTED, topics_of

_NO_AMOUNTS = (FactField.PERIOD, FactField.CUSTOMER, FactField.CONTRACT)
_BLOCK = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_LINE = re.compile(r"[^\n]+")
_RULE = re.compile(r"\|(?: - \|)+")
_CELL = re.compile(r"(?<=\|)[^|]*(?=\|)")
_MARK = re.compile(rf"\s*(?:[-*•–▪●○◦■□‣»›►➢✓✔·{CHECKED}]|\(?(?:\d\d?|[a-z])[.)]|\d\d?(?:\.\d\d?){{1,3}}\.?)\s+(?=\S)")
_PAIR = re.compile(r"\s*(\w[^:|\n]{0,48}?)\s*(?::(?=\s)|\s\.{2,}(?=\s)|\.{4,}|…)\s*(?=\S)")
_GAP = re.compile(r"\s*(\w[^:|\n]{0,38}?)(?:\t|\s{2,})(?=\S)")
_CODED = re.compile(r"\s*((?:UEI|CAGE|NAICS|DUNS|EIN|PSC)(?: [Cc]odes?)?) +[A-Z\d][\w ,;()-]*")
"""“CAGE 7R2T4”"""
_BARE = tuple(re.compile(rf"\s*([A-Z]\w*(?: \w+){{{count}}}) (?=[A-Z\d$])") for count in (2, 1, 0))
_COLON = re.compile(r":\s+(?=\S)")
_WORD = re.compile(r"\S+")
_LINE_BEFORE = 60
"""As many characters before a colon as a label may have."""
_BETWEEN = re.compile(r"\s*[|·•;~]\s+|\s{4,}|\t")
LONGEST = 2_000
"""Longer lines are prose, or no text at all: no expression searches them."""
_LABEL_WORDS, _TITLE_WORDS, _SHORTEST_TITLE, _PROSE_WORDS = 6, 8, 4, 12
_WRAPPED = 60
"""A line of this length may go on in the next one."""
_NO_TITLE = re.compile(r"[.,;!]$|\S: \S|@|\d{3}|\s{3}|\t")


class EntryKind(Enum):
    HEADING = auto()
    PARAGRAPH = auto()
    ITEM = auto()
    ROW = auto()
    """A row of a table whose columns have names, or of three cells or more without labels."""
    VALUES = auto()
    """Labels with a value each: a line, or a row of a form. A heading may have them, too."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value with its label, or a cell with the name of its column. The offsets are those of the value in the text."""

    label: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """`text` is in one line, without marks. `path` are the headings above it, and of a heading, with itself. `group` is the number of its table or
    paragraph: entries that a person sees together."""

    kind: EntryKind
    text: str
    start: int
    end: int
    path: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    group: int = 0
    mark: str = ""
    """The bullet, number, or box before an item."""
    head: str = ""
    """The names of the columns of a row, as the text has them."""
    columns: tuple[str, ...] = ()
    """The names of the columns, including those of blank cells, which are not among `values`."""

    @property
    def is_checked(self) -> bool:
        return CHECKED in self.mark


def statements_of(text: str, entry: Entry) -> list[tuple[int, int]]:
    """Return (start, end) of each statement of an entry of this text: of each sentence of a paragraph, or each line if none ends with a full stop. Other
    entries, and paragraphs of more than `LONGEST` characters, are one statement."""
    whole = (entry.start, entry.end)
    return [*divided(text, *whole)] if entry.kind is EntryKind.PARAGRAPH and entry.end - entry.start <= LONGEST else [whole]


def entries_of(text: str, headings_at: Callable[[int], tuple[str, ...]]) -> list[Entry]:
    """Return the entries in order. `headings_at` says which headings stand above a character of the text, the heading itself included. In texts
    without formatting, a short line that names a topic or is in capitals is a heading, too."""
    found = list[Entry]()
    before: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    blocks = [*_BLOCK.finditer(text)]
    for group, block in enumerate(blocks, 1):
        report_progress()
        path = headings_at(block.start())
        named = named if path == before else ()
        flat = _flat(block[0])
        lines = [*_LINE.finditer(text, block.start(), block.end())]
        if path and path != before and flat[:200] == path[-1][:200]:
            values = _Block(text, path, group).values_in(lines[0]) if len(lines) == 1 else ()
            found.append(Entry(EntryKind.HEADING, flat, block.start(), block.end(), path, values, group))
            lines = []
        elif len(lines[0][0]) <= LONGEST and (
            (
                _is_title(lines[0][0], is_formatted=bool(path))
                or (len(lines) == 1 and group < len(blocks) and _stands_above(lines[0][0], blocks[group][0]))
            )
            and (len(lines) > 1 or group < len(blocks))
            and not (_have_bare_labels(lines) or (len(lines) > 1 and _is_bare_label(lines[0][0])))
        ):
            named = (lines[0][0].strip(" *_:#"),)
            found.append(Entry(EntryKind.HEADING, named[0], lines[0].start(), lines[0].end(), path + named, group=group))
            lines = lines[1:]
        found += _Block(text, path + named, group).entries(lines)
        before = path
    return [*_labeled_by_headings(found)]


def by_meaning(values: Iterable[Value], *, is_person: bool) -> dict[Meaning, list[Value]]:
    """Return the values by what their labels mean, in a record about a person or a project. What an amount is called is not trusted: “Obligated to date,” “Paid.”"""
    told: dict[Meaning, list[Value]] = {}
    for value in values:
        meaning = meaning_of(value.label, is_person=is_person)
        if meaning in _NO_AMOUNTS and MONEY.match(value.text):
            meaning = FactField.VALUE
        if meaning and value.text.strip(" -–—/"):
            told.setdefault(meaning, []).append(value)
    return told


def _stands_above(line: str, below: str) -> bool:
    """Whether a short line alone is a heading that only its type shows: a list, a table, or prose follows."""
    words = line.split()
    if (
        not 0 < len(words) <= _TITLE_WORDS
        or not line[0].isupper()
        or _MARK.match(line)
        or line.startswith("|")
        or _NO_TITLE.search(line)
    ):
        return False
    is_prose = len(below.split()) >= _PROSE_WORDS and below.rstrip(" ”\"')").endswith((".", "!", "?", ":"))
    return bool(_MARK.match(below)) or below.startswith("|") or is_prose


def _labeled_by_headings(entries: Sequence[Entry]) -> Iterator[Entry]:
    """“CLIENT” above “City of Ames” is a label with its value, if nothing else stands below it."""
    above: tuple[str, ...] = ()
    """The last heading that is no label: what the labels are about, if it is their sibling."""
    replaced: dict[tuple[str, ...], tuple[str, ...]] = {}
    place = 0
    while place < len(entries):
        heading, *below = entries[place : place + 3]
        is_alone = len(below) == 1 or (len(below) == 2 and (below[1].path != heading.path or below[1].kind is EntryKind.VALUES))
        if heading.kind is EntryKind.HEADING and is_label(heading.text) and is_alone and below[0].kind is EntryKind.PARAGRAPH:
            value = Value(heading.text, below[0].text, below[0].start, below[0].end)
            path = above if above[:-1] == heading.path[:-1] else heading.path[:-1]
            replaced[heading.path] = path
            text = f"{heading.text} {value.text}"
            yield replace(heading, kind=EntryKind.VALUES, text=text, end=value.end, path=path, values=(value,))
            place += 2
            continue
        if heading.kind is EntryKind.HEADING:
            above = heading.path
            replaced.pop(above, None)
        yield replace(heading, path=replaced.get(heading.path, heading.path))
        place += 1


def _is_title(line: str, *, is_formatted: bool) -> bool:
    """Whether a line stands above what it names: “THINGS WE DO,” “Our services:” Where the reader has found headings, a line that only names a
    topic is none, unless what stands below it is not for drafts."""
    words = line.split()
    if not 0 < len(words) <= _TITLE_WORDS or _MARK.match(line) or line.startswith("|") or _NO_TITLE.search(line):
        return False
    named = topics_of(line.partition(",")[0])
    is_named = bool(named) and (not is_formatted or bool(NOT_DRAFTED & named.keys()))
    return line.strip().endswith(":") or (line.isupper() and len(line) > _SHORTEST_TITLE) or is_named


class _Form(Enum):
    ROW = auto()
    LONG = auto()
    PROSE = auto()


def _form_of(line: re.Match[str]) -> _Form:
    return _Form.LONG if len(line[0]) > LONGEST else _Form.ROW if line[0].startswith("|") else _Form.PROSE


class _Block:
    def __init__(self, text: str, path: tuple[str, ...], group: int) -> None:
        self._text, self._path, self._group = text, path, group
        self._columns: tuple[str, ...] = ()
        self._head = ""
        self._is_form = False
        """Whether several lines have a known label and a value after a gap, so that gaps separate labels from values."""
        self._has_bare_labels = False
        """Whether most lines begin with a known label."""

    def entries(self, lines: Sequence[re.Match[str]]) -> Iterator[Entry]:
        told = [line for line in lines if any(map(str.isalnum, line[0])) or line[0].startswith("|")]
        for form, same in groupby(told, key=_form_of):
            match form:
                case _Form.ROW:
                    yield from self._rows([*same])
                case _Form.LONG:
                    yield from (self._paragraph([line]) for line in same)
                case _Form.PROSE:
                    yield from self._prose([*same])

    def _rows(self, rows: Sequence[re.Match[str]]) -> Iterator[Entry]:
        for row, after in zip_longest(rows, rows[1:]):
            if _RULE.fullmatch(row[0]):
                continue
            if after and _RULE.fullmatch(after[0]):
                names = [value.text for value in self._cells(row)]
                firsts = [self._cells(each)[0].text for each in rows]
                self._columns = () if _is_form(names, firsts) else tuple(names)
                self._head = f"{row[0]}\n{after[0]}"
                if self._columns:
                    continue
            yield self._row(row)

    def _row(self, row: re.Match[str]) -> Entry:
        cells = self._cells(row)
        text = " | ".join(cell.text for cell in cells if cell.text)
        if self._columns and len(self._columns) == len(cells):
            named = (_named(cell, name) for cell, name in zip(cells, self._columns, strict=True))
            values = tuple(value for value in named if value.text)
            row_entry = Entry(EntryKind.ROW, text, row.start(), row.end(), self._path, values, self._group)
            return replace(row_entry, head=self._head, columns=self._columns)
        filled = [cell for cell in cells if cell.text]
        is_form = len(filled) < 3 or any(is_label(cell.text) or _PAIR.match(cell.text) for cell in filled[::2])
        kind, values = (EntryKind.VALUES, tuple(_form_values(filled))) if is_form else (EntryKind.ROW, tuple(filled))
        return Entry(kind, text, row.start(), row.end(), self._path, values, self._group)

    def _cells(self, row: re.Match[str]) -> list[Value]:
        return [self._value("", *cell.span()) for cell in _CELL.finditer(self._text, row.start(), row.end())]

    def _value(self, label: str, start: int, end: int) -> Value:
        raw = self._text[start:end]
        start += len(raw) - len(raw.lstrip())
        raw = raw.strip().rstrip(" |·•;~")
        return Value(label.strip(" *_.:•"), _flat(raw), start, start + len(raw))

    def _prose(self, lines: Sequence[re.Match[str]]) -> Iterator[Entry]:
        self._is_form = sum(_is_spaced(line[0]) for line in lines) > 1
        self._has_bare_labels = _have_bare_labels(lines)
        parsed = [*self._parsed(lines)]
        waiting: list[re.Match[str]] = []
        last: Entry | None = None
        rest: list[re.Match[str]] = []
        """The lines in which the last item or value goes on."""
        before = 0
        for place, (line, pairs) in enumerate(parsed):
            mark = _MARK.match(line[0])
            goes_on = place + 1 < len(parsed) and bool(parsed[place + 1][1])
            if (
                last is not None
                and not mark
                and not pairs
                and (goes_on or last.kind is EntryKind.ITEM or before >= _WRAPPED or _is_indented(line[0]))
            ):
                rest.append(line)
                before = len(line[0])
                continue
            before = len(line[0])
            if last is not None:
                yield self._continued(last, rest)
                last, rest = None, []
            if waiting and (mark or pairs):
                yield self._paragraph(waiting)
                waiting = []
            if pairs and not (mark and not is_label(pairs[0].label)):
                last = Entry(EntryKind.VALUES, _flat(line[0]), line.start(), line.end(), self._path, pairs, self._group)
            elif mark:
                start = line.start() + mark.end()
                last = Entry(
                    EntryKind.ITEM,
                    _flat(self._text[start : line.end()]),
                    start,
                    line.end(),
                    self._path,
                    pairs,
                    self._group,
                    mark[0].strip(),
                )
            else:
                waiting.append(line)
        if last is not None:
            yield self._continued(last, rest)
        if waiting:
            yield self._paragraph(waiting)

    def _parsed(self, lines: Sequence[re.Match[str]]) -> Iterator[tuple[re.Match[str], tuple[Value, ...]]]:
        """The lines with the labeled values in each. A label alone in its line stands before the value below it."""
        waiting: re.Match[str] | None = None
        for line, after in zip_longest(lines, lines[1:]):
            if waiting is not None:
                yield line, (self._value(waiting[0], *line.span()),)
                waiting = None
            elif _is_bare_label(line[0]) and after is not None and not (_is_bare_label(after[0]) or self.values_in(after)):
                waiting = line
            else:
                yield line, self.values_in(line)

    def _paragraph(self, lines: Sequence[re.Match[str]]) -> Entry:
        start, end = lines[0].start(), lines[-1].end()
        return Entry(EntryKind.PARAGRAPH, _flat(self._text[start:end]), start, end, self._path, group=self._group)

    def _continued(self, entry: Entry, rest: Sequence[re.Match[str]]) -> Entry:
        """A value or an item that is longer than its line."""
        if not rest:
            return entry
        end = rest[-1].end()
        *before, last = entry.values or [Value("", "", 0, 0)]
        longer = Value(last.label, " ".join((last.text, *(_flat(line[0]) for line in rest))), last.start, end)
        values = (*before, longer) if entry.values else ()
        return replace(entry, text=_flat(self._text[entry.start : end]), end=end, values=values)

    def values_in(self, line: re.Match[str]) -> tuple[Value, ...]:
        """The labeled values of a line: several only if each part of it has a label."""
        spans, first = list[tuple[int, int]](), line.start()
        for between in _BETWEEN.finditer(self._text, line.start(), line.end()):
            spans.append((first, between.start()))
            first = between.end()
        spans.append((first, line.end()))
        inline = [*self._labels_in(line)]
        if len(inline) > 1 and inline[0][0] == line.start():
            ends = [*(start for start, _, _ in inline[1:]), line.end()]
            return tuple(self._value(label, place, end) for (_, label, place), end in zip(inline, ends, strict=True))
        several = [self._pair(*span) for span in spans if self._text[slice(*span)].strip()]
        if len(several) > 1 and all(several):
            return tuple(pair for pair in several if pair)
        one = self._pair(*line.span())
        return (one,) if one else ()

    def _labels_in(self, line: re.Match[str]) -> Iterator[tuple[int, str, int]]:
        """Where known labels with a colon begin, and where the values after them do."""
        for colon in _COLON.finditer(self._text, line.start(), line.end()):
            words = [*_WORD.finditer(self._text, max(line.start(), colon.start() - _LINE_BEFORE), colon.start())]
            for word in words[-_LABEL_WORDS:]:
                label = self._text[word.start() : colon.start()]
                if is_label(label) and label[0].isupper():
                    yield word.start(), label, colon.end()
                    break

    def _pair(self, start: int, end: int) -> Value | None:
        mark = _MARK.match(self._text, start, end)
        first = mark.end() if mark else start
        if (
            (found := _PAIR.match(self._text, first, end))
            and len(found[1].split()) <= _LABEL_WORDS
            and ". " not in found[1]
            and ("," not in found[1] or is_label(found[1]))
        ):
            return self._value(found[1], found.end(), end)
        if (found := _GAP.match(self._text, first, end)) and (self._is_form or is_label(found[1])):
            return self._value(found[1], found.end(), end)
        line = self._text[first:end]
        if (found := _CODED.fullmatch(line)) or (self._has_bare_labels and (found := _label_before(line))):
            return self._value(found[1], first + found.end(1), end)
        return None


def _is_indented(line: str) -> bool:
    return line.startswith(("    ", "\t"))


def _is_spaced(line: str) -> bool:
    found = _GAP.match(line)
    return found is not None and is_label(found[1])


def _is_bare_label(line: str) -> bool:
    """“CONTRACT NO.” or “Client:” alone in a line."""
    label = line.strip(" *_.:")
    return is_label(label) and (label.isupper() or line.rstrip(" *_").endswith(":"))


def _have_bare_labels(lines: Sequence[re.Match[str]]) -> bool:
    """Whether most lines begin with a known label, and values have a figure: “Contract Management” is neither."""
    labeled = [line[0] for line in lines if _label_before(line[0])]
    return len(labeled) > 2 and 2 * len(labeled) > len(lines) and any(map(str.isdigit, "".join(labeled)))


def _label_before(line: str) -> re.Match[str] | None:
    """The label at the beginning of “Customer Minnesota Department of Health,” whose bold type is lost."""
    found = (each for pattern in _BARE if (each := pattern.match(line)) and is_label(each[1]))
    return next(found, None)


def _named(cell: Value, name: str) -> Value:
    return Value(name, cell.text, cell.start, cell.end)


def _is_form(names: Sequence[str], firsts: Sequence[str]) -> bool:
    """Whether what looks like names of columns are labels with their values. `firsts` are the first cells of all rows."""
    labels, values = names[::2], names[1::2]
    is_pair = len(names) == 2 and " " in names[1] and sum(map(is_label, firsts)) > 1
    return (len(names) > 3 or is_pair) and all(map(is_label, labels)) and not any(map(is_label, values))


def _form_values(filled: Sequence[Value]) -> Iterator[Value]:
    """Labels and values take turns; a cell may have both, as in “NAME: Ada Example.”"""
    if len(filled) == 1 or (filled and _PAIR.match(filled[0].text) and not filled[0].text.endswith(":")):
        for cell in filled:
            found = _PAIR.match(cell.text)
            label, text = (found[1], cell.text[found.end() :]) if found else ("", cell.text)
            yield Value(label, text, cell.end - len(text), cell.end)
        return
    pending = filled
    while pending:
        label, *pending = pending
        if pending and not (is_label(label.text) and is_label(pending[0].text)):  # a label without a value
            value, *pending = pending
            yield Value(label.text.strip(" *_.:•"), value.text, value.start, value.end)


def _flat(text: str) -> str:
    return " ".join(text.split())

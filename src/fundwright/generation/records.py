"""Checks whether the values of a table row or a sentence belong to one record of the sources: one project, one person, or one table
row.

Values that each appear in a source can be wrong in combination, such as one project's customer with another's amount. Two parts of
a source are different records only if both have a value for the same label or column, or both are about people. A section that
continues a project is therefore not mistaken for another one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fundwright.language import field_labels
from fundwright.language.extractive.people import named_person, person_named
from fundwright.language.extractive.projects import ProjectField, project_field
from fundwright.language.structure import Block, BlockKind, read
from fundwright.language.topics import topics_of
from fundwright.language.value_patterns import MONEY, PERIOD

_WORD = re.compile(r"\w+")
_PARTS = re.compile(r"[;•·/]\s|<br ?/?>|\s…")
_IDENTIFIERS = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("uei", r"\buei\b|\bunique entity\b"),
        ("cage", r"\bn?cage\b"),
        ("naics", r"\bnaics\b"),
        ("psc", r"\bpsc\b"),
        ("duns", r"\bduns\b"),
        ("ein", r"\b(?:ein|tin|tax id)\b"),
    )
)
_NAMING = frozenset((ProjectField.TITLE, ProjectField.CUSTOMER, ProjectField.CONTRACT))
_OF_PROJECTS = _NAMING | {ProjectField.VALUE}
_MIN_NUMBER = 5
MAX_VALUES = 100
"""Rows with more values are not compared and count as not found."""
_NAME = re.compile(r"\b[^\W\d_a-z][\w&'’.-]{0,40}(?: (?:(?:of|the|for|and) ){0,2}[^\W\d_a-z][\w&'’.-]{0,40}){1,12}")
_ACRONYM = re.compile(r"\b[A-Z]{3,8}\b")
_CATEGORIES = (ProjectField.RATING, ProjectField.TYPE)
"""Fields whose values are common words."""
_DENIES = re.compile(r"\b(?:not|no|never|unlike|instead)\b|n['’]t\b", re.IGNORECASE)
_CODE = re.compile(r"\b(?=[\w-]{0,30}\d)[\w-]{5,31}\b")
_MIN_FIELDS = 3
"""A record with fewer fields continues when one of its labels is repeated."""
_HEADLINES = (BlockKind.ITEM, BlockKind.LINE, BlockKind.SENTENCE)
_MAX_HEADING_WORDS = 12


@dataclass(slots=True)
class _Record:
    """`words` contains its text and the headings above it, without punctuation; `fields` contains its labeled values by field."""

    document: str
    name: str
    words: str = " "
    labels: set[str] = field(default_factory=set[str])
    fields: dict[str, str] = field(default_factory=dict[str, str])
    categories: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Its rating and type, as they are written."""
    person: frozenset[str] = frozenset()
    """The words of the person's name, if the record is about a person."""
    is_empty: bool = True
    """Whether there is no text below its headings."""
    is_cut: bool = False
    """Whether it may continue a record from an earlier passage of the document."""

    def add(self, text: str, label: str = "") -> None:
        self.words += f"{_flat(label)} {_flat(text)} " if label else f"{_flat(text)} "
        if label:
            self.labels.add(_flat(label))
            key = _key(label)
            self.fields.setdefault(key, _flat(text))
            if key in _CATEGORIES:
                self.categories.setdefault(key, tuple(_category_words(key, text)))
            if project_field(label) == ProjectField.TITLE:
                self.person = self.person or person_named(text)

    def holds(self, part: str) -> bool:
        return f" {part} " in self.words

    def is_apart_from(self, best: _Record, names: Sequence[str]) -> bool:
        """Whether it is certainly another record than the row's record, `best`. `names` contains the row's first cell and its
        numbers: documents that share one describe the same project."""
        if self.document == best.document:
            if self.is_cut or best.is_cut:
                return False
        elif any(self.holds(name) and best.holds(name) for name in names):
            return False
        elif best.holds(names[0]) and len(self.fields.keys() & _OF_PROJECTS) > 1:
            return True
        if self.person and best.person:
            return not _is_same_person(self.person, best.person)
        return any(self.fields[name] != best.fields[name] for name in self.fields.keys() & best.fields.keys())


class _Records:
    """The records of the sources, with a word index of integer bit sets, because a table may have hundreds of rows."""

    def __init__(self, records: Sequence[_Record]) -> None:
        self.records = records
        self._having: dict[str, int] = {}
        self._categories = {word for record in records for words in record.categories.values() for word in words}
        for place, record in enumerate(records):
            for word in set(record.words.split()):
                self._having[word] = self._having.get(word, 0) | 1 << place

    def holding(self, text: str) -> list[int]:
        """Return the positions of the records that contain a text."""
        words = _flat(text)
        having = (1 << len(self.records)) - 1 if words else 0
        for word in words.split():
            having &= self._having.get(word, 0)
        found: list[int] = []
        while having:
            lowest = having & -having
            place = lowest.bit_length() - 1
            if self.records[place].holds(words):
                found.append(place)
            having ^= lowest
        return found

    def values_of(self, part: str) -> list[str]:
        """Return the whole part, or else the amounts, periods, numbers, and names in it that a record has."""
        if self.holding(part):
            return [part]
        values = (match.group() for pattern in (MONEY, PERIOD, _CODE, _NAME) for match in pattern.finditer(part))
        return [value for value in values if self.holding(value)] or [part]

    def named_in(self, sentence: str) -> list[tuple[str, list[int]]]:
        """Return the names in a sentence that records contain, with the positions of these records. A capital letter at the beginning
        of a sentence, and words such as “contract”, are not part of a name that records have."""
        names = [name for match in _NAME.finditer(sentence) if (name := self._longest_held(match.group().split(" ")))]
        acronyms = (match.group() for match in _ACRONYM.finditer(sentence))
        names += [each for each in acronyms if each not in self._categories and not any(each in name for name in names)]
        return [(name, places) for name in names if (places := self.holding(name))]

    def _longest_held(self, words: Sequence[str]) -> str:
        runs = (
            " ".join(words[start : start + length])
            for length in range(len(words), 1, -1)
            for start in range(len(words) - length + 1)
        )
        return next((run for run in runs if self.holding(run)), "")

    def foreign_category(self, sentence: str, best: int, names: Sequence[str]) -> str:
        """Return the rating or type in a sentence that another record has but this one does not, or ''."""
        record = self.records[best]
        for other in self.records:
            for key in record.categories.keys() & other.categories.keys():
                own = record.categories[key]
                if other.is_apart_from(record, names) and not any(_is_in(word, sentence) for word in own):
                    foreign = (word for word in other.categories[key] if word not in own and _is_in(word, sentence))
                    if found := next(foreign, ""):
                        return found
        return ""

    def is_of_other(self, part: str, best: int, names: Sequence[str]) -> bool:
        """Whether the part occurs only in records other than that of the row or sentence."""
        holding, record = self.holding(part), self.records[best]
        return (
            bool(holding) and best not in holding and all(self.records[place].is_apart_from(record, names) for place in holding)
        )


@lru_cache(maxsize=1_000)
def foreign_cells(cells: tuple[str, ...], sources: tuple[tuple[str, str], ...]) -> Mapping[int, str]:
    """Return the cells of a row that have values from another record than most of the row, with these values. Each source is a text
    with the title of its document and its headings."""
    records = _records_of(sources)
    written = [[part.strip() for part in _PARTS.split(cell) if _flat(part)] for cell in cells]
    if sum(map(len, written)) > MAX_VALUES:
        return dict(enumerate(cells))
    if len(cells) < 2 or not records.records or not all(written):
        return {}
    row = [[value for part in parts for value in records.values_of(part)] for parts in written]
    best = _nearest(records, row)
    names = [_flat(cell) for place, cell in enumerate(cells) if not place or _is_number(cell)]
    foreign: dict[int, str] = {}
    for place, parts in enumerate(row):
        of_others = [part for part in parts if records.is_of_other(part, best, names)]
        if of_others:
            foreign[place] = "; ".join(of_others)
    return foreign


def foreign_value(sentence: str, sources: Sequence[tuple[str, str]]) -> str:
    """Return the amount, period, rating, or type of a sentence if it belongs to another record than the names of the sentence, or ''. Sentences
    with several amounts or periods are skipped, because they may list records."""
    amounts, periods = ([match.group() for match in pattern.finditer(sentence)] for pattern in (MONEY, PERIOD))
    if len(amounts) > 1 or len(periods) > 1:
        return ""
    records = _records_of(tuple(sources))
    if len(records.records) < 2:
        return ""
    named = records.named_in(sentence)
    of_all = frozenset[int].intersection(*(frozenset(places) for _, places in named)) if named else frozenset[int]()
    if not of_all:
        return ""
    names = [_flat(name) for name, _ in named]
    for value in (*amounts, *periods):
        if all(records.is_of_other(value, place, names) for place in of_all):
            return value
    if _DENIES.search(sentence):
        return ""
    foreign = [records.foreign_category(sentence, place, names) for place in of_all]
    return foreign[0] if all(foreign) else ""


def _category_words(key: str, text: str) -> Iterator[str]:
    """Return the ratings or acronyms of types in a value, such as “Very Good” and “Exceptional” in “Very Good (2023), Exceptional (2022).”"""
    for part in re.split(r"[\d(),;/|]+", text):
        word = part.strip()
        if word[:1].isupper() and (key == ProjectField.RATING or word.isupper()):
            yield word


def _is_in(word: str, sentence: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence))


def _nearest(records: _Records, row: Sequence[Sequence[str]]) -> int:
    """Return the record with most cells of a row, or with most parts of a single cell. If there are several, prefers one with the
    first cell."""
    shares: Counter[int] = Counter()
    for parts in row:
        for part in parts:
            shares.update(dict.fromkeys(records.holding(part), 1 / len(parts)))
    first = frozenset(records.holding(row[0][0]))
    return max(range(len(records.records)), key=lambda place: (round(shares[place], 6), place in first))


def is_of_other_label(label: str, value: str, sources: Sequence[tuple[str, str]]) -> bool:
    """Whether the sources know the label, but have the value only with other labels."""
    key = _key(label)
    pairs = _pairs_of(tuple(text for text, _ in sources))
    wanted = [f" {_flat(part)} " for part in (value, *(match.group() for match in _CODE.finditer(value)))]
    holders = next((found for part in wanted if (found := [label for label, words in pairs if part in words])), [])
    return any(label == key for label, _ in pairs) and bool(holders) and key not in holders


@lru_cache(maxsize=200)
def _pairs_of(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the field and the words of each labeled value."""
    return tuple((_key(block.label), f" {_flat(block.text)} ") for text in texts for block in read(text) if block.label)


@lru_cache(maxsize=200)
def _records_of(sources: tuple[tuple[str, str], ...]) -> _Records:
    """Return the records of the sources. Passages below the same heading of a document share one record."""
    found: dict[tuple[str, str], _Record] = {}
    records: list[_Record] = []
    for text, about in sources:
        for record in _records_in(text, about):
            if record.is_empty:
                continue
            same = found.setdefault((record.document, record.name), record) if record.name else record
            if same is record:
                records.append(record)
            else:
                same.words += record.words
                same.fields = record.fields | same.fields
    return _Records(records)


def _records_in(text: str, about: str) -> Iterator[_Record]:
    document, _, path = about.partition("\n\n")
    above = [heading for heading in path.split(" › ") if _names_record(heading)]
    blocks = read(text)
    record = _begin(document, above[-1] if above else "", path)
    record.is_cut = not above and bool(blocks) and not _begins_record(blocks[0])
    for place, block in enumerate(blocks):
        person = named_person(block, blocks[place + 1 : place + 4])
        is_other = _flat(block.text) != _flat(record.name) and not (person and _is_same_person(person, record.person))
        if block.kind == BlockKind.ROW and block.columns and not record.person:
            yield _row(document, record, block)
        elif is_other and (person or (_is_title(block) and not record.person)):
            yield record
            record = _begin(document, block.text, path)
            record.person = person
        elif block.kind in _HEADLINES and MONEY.search(block.text) and PERIOD.search(block.text):
            yield _headline(document, record, block)
        else:
            if _begins_next(record, block):
                yield record
                title = blocks[place - 1]
                record = _begin(document, title.text if title.kind in _HEADLINES else "", path)
            record.person = record.person or person
            record.add(block.text, block.label)
            record.is_empty = False
    yield record


def _begin(document: str, name: str, path: str) -> _Record:
    record = _Record(document, name)
    for text in (document, path, name):
        record.add(text)
    return record


def _row(document: str, section: _Record, block: Block) -> _Record:
    row = _begin(document, "", section.name)
    row.is_empty = False
    for column, cell in zip(block.columns, block.cells, strict=True):
        row.add(cell, column)
    return row


def _headline(document: str, section: _Record, block: Block) -> _Record:
    """Read a one-line project, such as “City of Savannah – Living Shoreline, $890,000, 2021-2023: 900 feet of reef”."""
    record = _begin(document, "", section.name)
    record.is_empty = False
    record.add(block.text)
    for name, pattern in (("amount", MONEY), ("period", PERIOD)):
        if found := pattern.search(block.text):
            record.fields[name] = _flat(found.group())
    return record


def _names_record(heading: str) -> bool:
    """Whether a heading names a project or a person, not a part of a description."""
    is_part = topics_of(heading) or field_labels.is_known(heading) or project_field(heading)
    return bool(heading.strip()) and not is_part and len(heading.split()) <= _MAX_HEADING_WORDS


def _is_title(block: Block) -> bool:
    return block.kind == BlockKind.HEADING and _names_record(block.text)


def _is_number(cell: str) -> bool:
    """Whether it may be a contract number."""
    is_other = MONEY.search(cell) or PERIOD.search(cell)
    return not is_other and len(cell) >= _MIN_NUMBER and any(map(str.isdigit, cell))


def _begins_record(block: Block) -> bool:
    return block.kind == BlockKind.HEADING or (block.kind == BlockKind.PAIR and project_field(block.label) in _NAMING)


def _begins_next(record: _Record, block: Block) -> bool:
    """Whether a label that names a project is repeated with another value. A person, by contrast, can have several positions."""
    if record.person:
        person = person_named(block.text) if project_field(block.label) == ProjectField.TITLE else frozenset[str]()
        return bool(person) and not _is_same_person(person, record.person)
    is_repeated = _flat(block.label) in record.labels and project_field(block.label) in _NAMING
    return is_repeated and len(record.fields) >= _MIN_FIELDS and record.fields.get(_key(block.label)) != _flat(block.text)


def _is_same_person(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether both are the same person: “Marcus Boyd” is “Marcus T. Boyd, PMP.”"""
    return bool(one and other) and (one <= other or other <= one)


def _key(label: str) -> str:
    """Return the field of a label. All labels of a project's customer have the same field, and so do those of an identifier."""
    identifier = next((name for name, pattern in _IDENTIFIERS if pattern.search(label)), None)
    return identifier or project_field(label) or _flat(label)


def _flat(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))

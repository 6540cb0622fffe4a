"""Finds projects: rows, forms, and what documents about past performance tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from fundwright.reading import labels
from fundwright.reading.dates import last_day_of
from fundwright.reading.entries import Entry, EntryKind, Value, by_meaning
from fundwright.reading.facts import Fact, FactField, FactKind, FactStatus
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.names import is_role
from fundwright.reading.patterns import EMAIL, MONEY, NAME_WORDS, NOT_TO_CITE, YEAR
from fundwright.reading.sentences import sentences_of
from fundwright.reading.states import status_of
from fundwright.reading.topics import NOT_DRAFTED, Topic, topics_of

_AWARD = r"\b(?-i:(?=[\d-]{0,10}[A-Z])(?:[A-Z\d]{6}-?\d\d-?[ACDFGHKLPV]-?[A-Z\d]{4,8}|\d?[A-Z]\d\d ?[A-Z]{2}\d{6}(?:-\d\d)?))\b"
"""A federal contract or order, or an award of the NIH."""
_NUMBERED = re.compile(
    r"\b(?:contract|order|award|grant|agreement|subaward)(?: (?:no\.?|number|#))? ((?=[\w-]*\d)[A-Z][A-Z\d]*-?[\w-]{3,}\b|\d[\w-]{5,})|"
    + _AWARD,
    re.IGNORECASE,
)
_PROVES = {FactField.CONTRACT, FactField.VALUE, FactField.PERIOD}
_NAMES_PROJECT = {FactField.CUSTOMER, FactField.TITLE}
_WITH_FIGURES = re.compile(r"\s*\([^()\d]{0,100}\d[^()]{0,200}\)")
"""A remark in brackets with a figure."""
_SHORTEST_NUMBER = 4
"""Shorter ones number the rows of a table."""
_AWARDED = re.compile(_AWARD)
_REMARK = re.compile(r"\(.{1,80}$")
_NO_PROJECT = re.compile(r"\b(?:publication|patent|invention|literature|citation|bibliograph)", re.IGNORECASE)
_IN_NAMES = {Topic.CONTACT, Topic.FACILITIES}
"""Topics of words that names of projects have, too."""
_FINISHED = re.compile(r"\b(?:completed|delivered)\b", re.IGNORECASE)
_OF_PRIME = re.compile(r"\bprime['’]s number\b|\btheir number\b|\bnot ours\b", re.IGNORECASE)
_BROKEN_OFF = re.compile(r"\b(?:terminated|cancell?ed|withdrawn|not funded)\b", re.IGNORECASE)
_LOST = re.compile(r"(?:lost|declined|terminated)\b", re.IGNORECASE)
_FEW_WORDS = 3
_MOST_WORK = 1_200
_ONCE = frozenset((FactField.TITLE, FactField.CUSTOMER, FactField.CONTRACT))
"""A form has one of each: another begins the next form."""


@dataclass(slots=True)
class _Record:
    """A row, or labeled values and the text that belongs to them."""

    path: tuple[str, ...]
    entries: list[Entry]

    @property
    def values(self) -> list[Value]:
        return [value for entry in self.entries for value in entry.values]

    @property
    def texts(self) -> list[Entry]:
        return [entry for entry in self.entries if not entry.values]


def projects_in(entries: Sequence[Entry], kind: DocumentKind) -> Iterator[Fact]:
    """Yield projects. Résumés, earlier proposals, and emails tell of those of others, too, so they have none."""
    is_message = any(
        value.label.casefold() in ("from", "von", "de") and EMAIL.search(value.text)
        for entry in entries
        for value in entry.values
    )
    if kind in (DocumentKind.RESUME, DocumentKind.PREVIOUS_PROPOSAL) or is_message:
        return
    found = [(fact, record.path) for record in _records(entries) if (fact := _project(record, kind)) is not None]
    yield from (fact for fact, _ in found)
    if kind is DocumentKind.ABOUT_US:
        listed = [entry for entry in entries if entry.kind is EntryKind.ITEM and MONEY.search(entry.text)]
        yield from (_told([entry], "") for entry in listed if _AWARDED.search(entry.text) or _FINISHED.search(entry.text))
    if kind is DocumentKind.PAST_PERFORMANCE:
        covered = {path for _, path in found}
        yield from _told_projects([entry for entry in entries if entry.path not in covered and entry.kind is not EntryKind.ROW])


def _records(entries: Sequence[Entry]) -> Iterator[_Record]:
    """Rows, and forms with the text below them. A label that comes again, or another customer, title, or contract in another paragraph, begins the
    next form, together with what stands above it in its paragraph."""
    opened: _Record | None = None
    seen: dict[object, int] = {}
    """The group of each label, and of each meaning of which a form has one."""
    for entry in entries:
        if entry.kind is EntryKind.ROW:
            yield _Record(entry.path, [entry])
            continue
        used = {value.label.casefold() for value in entry.values}
        meant = {labels.meaning_of(value.label) for value in entry.values} & _ONCE
        begins = used & seen.keys() or any(seen.get(each, entry.group) != entry.group for each in meant)
        begins = bool(begins) and entry.kind is EntryKind.VALUES
        above = list[Entry]()
        if opened and (begins or entry.path != opened.path):
            if begins and opened.entries[0].group != entry.group:
                above = [each for each in opened.entries if each.group == entry.group]
                opened.entries = [each for each in opened.entries if each.group != entry.group]
            yield opened
            opened = None
        if entry.kind is EntryKind.VALUES and opened is None:
            opened, seen = _Record(entry.path, above), {}
        if opened and NOT_TO_CITE.search(entry.text):
            yield from [opened] if opened.entries else []
            opened = None
        if opened:
            opened.entries.append(entry)
            seen |= dict.fromkeys((*used, *meant), entry.group)
    if opened:
        yield opened


def _project(record: _Record, kind: DocumentKind) -> Fact | None:
    if any(value.text.strip(" .:").casefold() in ("total", "totals", "sum") for value in record.values):
        return None
    told = by_meaning(record.values, is_person=False)
    values: dict[FactField, str] = {}
    for name in (FactField.TITLE, FactField.CUSTOMER, FactField.CONTRACT, FactField.VALUE, FactField.PERIOD, FactField.RATING):
        fitting = [
            value
            for value in told.get(name, ())
            if _fits(name, value.text) and not NOT_TO_CITE.search(_outside_brackets(value.text))
        ]
        if name is FactField.VALUE:
            fitting = [value for value in reversed(fitting) if not labels.is_ceiling(value.label)]
        if fitting:
            values[name] = _without_remarks(name, fitting[0].text)
    if period := _first_to_last(told.get(FactField.PERIOD, ())):
        values[FactField.PERIOD] = period
    values = _only(" ".join(entry.text for entry in record.texts)) | values
    if FactField.CONTRACT in values and FactField.VALUE not in values and MONEY.fullmatch(values[FactField.CONTRACT]):
        values[FactField.VALUE] = values.pop(FactField.CONTRACT)
    if FactField.TITLE not in values and record.entries[0].kind is not EntryKind.ROW and (title := _title_of(record.path)):
        values[FactField.TITLE] = title
    amounts = [value.text for value in record.values if MONEY.fullmatch(value.text) and not labels.is_ceiling(value.label)]
    if FactField.VALUE not in values and len(amounts) == 1:
        values[FactField.VALUE] = amounts[0]
    days = [
        value.text for value in record.values if not {*labels.words_of(value.label)} & labels.EXPIRES and last_day_of(value.text)
    ]
    if len(days) in (1, 2) and values.get(FactField.PERIOD, days[0]) in days:
        values[FactField.PERIOD] = " – ".join(sorted(dict.fromkeys(days), key=lambda day: last_day_of(day) or date.min))
    is_listed = kind is DocumentKind.PAST_PERFORMANCE and record.entries[0].kind is EntryKind.ROW
    if is_listed and {FactField.VALUE, FactField.PERIOD} <= values.keys() and not values.keys() & _NAMES_PROJECT:
        unused = (value.text for value in record.values if value.text not in values.values())
        if customer := next((text for text in unused if any(map(str.isalpha, text))), ""):
            values[FactField.CUSTOMER] = customer
    if FactField.CUSTOMER not in values and not (FactField.TITLE in values and FactField.VALUE in values):
        return None
    # Sheets of data list visits and classes by customer, too.
    if not values.keys() & ({FactField.VALUE} if kind is DocumentKind.DATA else _PROVES):
        return None
    unknown = [
        f"{value.label}: {value.text}"
        for value in record.values
        if value.label and not (labels.is_known(value.label) or is_role(value.label))
    ]
    work = [value.text for value in told.get(FactField.WORK, ())] + [entry.text for entry in record.texts]
    work += [each for each in unknown if len(each.split()) > _FEW_WORDS]
    if work:
        values[FactField.WORK] = _joined(work)
    customer = values.get(FactField.CUSTOMER, "")
    if FactField.CONTRACT not in values and (found := _AWARDED.search(customer)):
        values[FactField.CONTRACT] = found[0]
        values[FactField.CUSTOMER] = f"{customer[: found.start()]}{customer[found.end() :]}".strip(" ,;()")
    remarks = [values.get(FactField.PERIOD, ""), *_REMARK.findall(customer)]
    remarks += [value.text for name in (labels.STATE, FactField.VALUE) for value in told.get(name, ())]
    remarks += [
        value.text for value in told.get(FactField.RATING, ()) if _LOST.match(value.text)
    ]  # “Pending” is said of the rating
    remarks += [value.text for value in told.get(FactField.WORK, ()) if _is_remark(value.text)]
    return Fact(FactKind.PROJECT, values, record.entries[0].start, max(entry.end for entry in record.entries), status_of(remarks))


def _first_to_last(values: Sequence[Value]) -> str:
    """The first and the last day, if they have labels of their own."""
    ends = [next((each.text for each in values if {*labels.words_of(each.label)} & words), "") for words in labels.ENDS]
    return " – ".join(ends) if all(ends) else ""


def _is_remark(work: str) -> bool:
    """Whether the cell for what was done only says what became of it: “declined,” “terminated for convenience.”"""
    return bool(_BROKEN_OFF.search(work)) or len(work.split()) <= _FEW_WORDS


def _title_of(path: tuple[str, ...]) -> str:
    """The name of the project in the heading above it: “Past performance: Lake Sorrel,” “Hearings by phone,” but not “Past performance.”"""
    heading = path[-1] if path else ""
    kind, _, name = heading.partition(": ")
    is_name = topics_of(heading).keys() <= (_IN_NAMES if len(heading.split()) > _FEW_WORDS else set[Topic]())
    return name if name and topics_of(kind) else heading if is_name else ""


def _without_remarks(name: FactField, text: str) -> str:
    """“$1,372,000 our share (the prime’s order: $24.8M)” without what is said of others, and “47PX0321C0056, prime” without the kind of contract."""
    if name in (FactField.VALUE, FactField.CUSTOMER):
        return _WITH_FIGURES.sub("", text).strip() or text
    return text.partition(", ")[0] if name is FactField.CONTRACT else text


def _outside_brackets(text: str) -> str:
    return re.sub(r"\([^()]{0,200}\)", "", text)


def _fits(name: FactField, text: str) -> bool:
    """Whether a value has the form of such values: an amount has a figure, a period a year."""
    if name is FactField.VALUE:
        return bool(MONEY.search(text)) or bool(re.fullmatch(r"[\d.,]{5,}", text))
    if name is FactField.CONTRACT:
        return any(map(str.isdigit, text)) and sum(map(str.isalnum, text)) >= _SHORTEST_NUMBER
    if name is FactField.PERIOD:
        return any(map(str.isdigit, text))
    return len(text) > 1


def _told_projects(entries: Sequence[Entry]) -> Iterator[Fact]:
    """Projects that a document about past performance tells of in sentences: each paragraph with an amount or a number of a contract, or else the
    section as a whole, together with what stands below it as its results."""
    title = ""
    opened: tuple[tuple[str, ...], list[Entry], str] | None = None
    for path, section in groupby(entries, key=lambda entry: entry.path):
        named = topics_of(path[-1]).keys() if path else set[Topic]()
        if NOT_DRAFTED & named or NOT_TO_CITE.search(" ".join(path)) or any(map(_NO_PROJECT.search, path[-1:])):
            continue
        if opened and Topic.OUTCOMES in named and path[: len(opened[0])] == opened[0]:
            opened[1].extend(entry for entry in section if entry.kind in (EntryKind.PARAGRAPH, EntryKind.ITEM))
            continue
        heading = _title_of(path)
        title = heading if heading and not heading.startswith("Dear ") else title
        told = list[Entry]()
        for entry in section:
            is_short = len(entry.text.split()) <= NAME_WORDS and not entry.text.endswith((".", ",", ":", ")"))
            if is_short and entry.kind is EntryKind.PARAGRAPH:
                title = title or ("" if topics_of(entry.text) else entry.text)
            elif entry.kind in (EntryKind.PARAGRAPH, EntryKind.ITEM):
                told.append(entry)
        paragraphs = [entry for entry in told if entry.kind is EntryKind.PARAGRAPH and _is_project(entry.text)]
        if len(paragraphs) > 1:
            yield from (_told([entry], "") for entry in paragraphs)
        elif _tells_of_work(told):
            yield from [_told(*opened[1:])] if opened else []
            opened = (path, told, title)
    yield from [_told(*opened[1:])] if opened else []


def _tells_of_work(told: Sequence[Entry]) -> bool:
    """Whether a section that has an amount or a year may be about a project. A form with boxes is not."""
    has_figure = any(YEAR.search(entry.text) or MONEY.search(entry.text) for entry in told)
    return has_figure and not any(entry.is_checked for entry in told)


def _is_project(text: str) -> bool:
    return bool(MONEY.search(text) or _NUMBERED.search(text))


def _told(entries: Sequence[Entry], title: str) -> Fact:
    """A project in the words of its record. What has only one reading, such as the only amount, is a value of its own, too."""
    text = _joined([entry.text for entry in entries if not any(_names_customer(value) for value in entry.values)])
    only = _only(text)
    first, *more = sentences_of(text) or [""]
    if not title and more and len(first.split()) <= NAME_WORDS:
        title, text = first.rstrip("."), " ".join(more)
    values = {
        FactField.TITLE: title,
        **only,
        FactField.WORK: text,
    }
    status = FactStatus.OF_OTHERS if _OF_PRIME.search(text) else FactStatus.CURRENT
    return Fact(
        FactKind.PROJECT, {name: value for name, value in values.items() if value}, entries[0].start, entries[-1].end, status
    )


def _only(text: str) -> dict[FactField, str]:
    """The number of a contract and the amount in a text that has one of them."""
    found = {
        FactField.CONTRACT: {found[1] or found[0] for found in _NUMBERED.finditer(text)},
        FactField.VALUE: {*MONEY.findall(text)},
    }
    return {field: values.pop() for field, values in found.items() if len(values) == 1}


def _names_customer(value: Value) -> bool:
    return labels.meaning_of(value.label) is FactField.CUSTOMER


def _joined(texts: Sequence[str]) -> str:
    """Texts one after another, as sentences."""
    ended = [text if text.endswith((".", "!", "?", ":", ";", "”", '"')) else f"{text};" for text in texts]
    return " ".join(ended).removesuffix(";")[:_MOST_WORK]

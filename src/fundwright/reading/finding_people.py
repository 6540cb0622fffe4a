"""Finds people: in rows, in sentences that introduce them, and in résumés."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile, zip_longest

from fundwright.reading import labels
from fundwright.reading.entries import Entry, EntryKind, by_meaning
from fundwright.reading.facts import Fact, FactField, FactKind, FactStatus
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.names import Person, is_role, person_in
from fundwright.reading.patterns import ADDRESS, EMAIL, LINE, NAME_WORDS, PHONE, YEAR
from fundwright.reading.sentences import sentences_of, spans_of
from fundwright.reading.states import status_of
from fundwright.reading.topics import Topic, topics_of

_QUALIFIES = re.compile(
    r"\b(?:\w+[- ])?years?\b|\b(?:degree|certif\w+|licen[cs]ed|registered|[ABM]\.?A?\.?[AS]\.?|Ph\.?D|M\.?D|B\.?Tech|Master|Bachelor)\b|\bjahre\b|\bans\b|^(?-i:[A-Z]{3,6}(?:, [A-Z]{2,6})*)\.?$",
    re.IGNORECASE,
)
_YEARS = re.compile(r"\b(?:years?|yrs|jahre|ans)\b", re.IGNORECASE)
_WRAPPED = 60
_LINES_WITH_ROLE = 4
_TODAY = re.compile(r"\b(?:19|20)\d\d ?(?:to|-|–|—) ?(?:present|today|now|current)\b", re.IGNORECASE)
_YEARS_THERE = re.compile(r"\b(?:19|20)\d\d ?(?:to|-|–|—) ?(?:(?:19|20)\d\d|present|today|now|current)\b", re.IGNORECASE)
_PERIOD = re.compile(r"\(?\b(?:19|20)\d\d\b.{0,20}$|^(?:19|20)\d\d.{0,12}?(?:present|today|now|current)\b", re.IGNORECASE)
_DATED = re.compile(r"(?:,|\bthrough|\bsince|\buntil) (?:19|20)\d\d$")
"""“OSHA 30-Hour Construction, 2020,” but not “Foreman, 2008-2012.”"""
_BIOSKETCH = re.compile(
    r"\A[^\n]{0,80}\s{0,4}[^\n]{0,20}NAME:?[\s|]{1,9}([^\n]{3,60}?)[\s|]{1,9}(?:[-\s|]{0,40}eRA COMMONS[^\n]{3,60}?[\s|]{1,9})?[-\s|]{0,60}"
    r"POSITION TITLE:?[\s|]{1,9}([^\n]{3,80}?)[\s|]{1,9}(?=EDUCATION|INSTITUTION)",
    re.IGNORECASE,
)
"""The name and the position in the form of the NIH for biographical sketches, however its table was read."""
_BARS = re.compile(r"[\s|]+")
_IS = re.compile(r"is (?:our|the|an?) (?=\w)")
_LEFT = re.compile(r"(?:^|, (?:who |and )?)(?:has )?(?:left|departed|resigned|passed away|is no longer)\b", re.IGNORECASE)
"""“Dana Rivers, our first director, left in 2024.”"""
_ROLE_END = re.compile(r"[,;(–—]|\s-\s|\.\s|\bsince\b|\bfrom\b")
_OF_PROJECTS = {FactField.CUSTOMER, FactField.VALUE, FactField.CONTRACT}
_BELOW_NAME = 4
"""Entries below a heading that names a person."""
_MOST_QUALIFICATIONS = 8
_ROLE_WORDS, _SHORT_ROLE_WORDS = 14, 6


def people_in(text: str, entries: Sequence[Entry], kind: DocumentKind) -> Iterator[Fact]:
    """Yield the people of the organization. Sheets of past work name those of customers, so they have none."""
    if kind is DocumentKind.RESUME:
        rows = [fact for entry in entries if entry.kind is EntryKind.ROW for fact in _person_of_row(entry)]
        yield from rows or _resumes(text, entries)
        return
    if kind is DocumentKind.PAST_PERFORMANCE:
        return
    for place, entry in enumerate(entries):
        if entry.kind is EntryKind.ROW:
            yield from _person_of_row(entry)
        if kind is DocumentKind.DATA:
            continue
        with_role = [value for value in entry.values if is_role(value.label)] if entry.kind is EntryKind.VALUES else []
        if entry.kind in (EntryKind.ROW, EntryKind.VALUES) and not with_role:
            yield from _person_of_cells(entry)
        if entry.kind is EntryKind.ROW:
            continue
        for value in with_role:
            if person := person_in(value.text):
                yield _person(person.name, value.label, [], entry.start, entry.end)
        if not (with_role or any(each.search(entry.text) for each in (EMAIL, PHONE, ADDRESS))):
            is_headed = entry.kind is EntryKind.HEADING
            after = entries[place + 1 : place + 1 + _BELOW_NAME] if is_headed else ()
            below = [*takewhile(lambda each, path=entry.path: each.path == path, after)]
            yield from _introduced(entry, below, is_among_people=any(Topic.PEOPLE in topics_of(each) for each in entry.path))


def _person_of_row(entry: Entry) -> Iterator[Fact]:
    told = by_meaning(entry.values, is_person=True)
    name = next((value for value in told.get(FactField.NAME, ()) if person_in(value.text)), None)
    if name is None or not (told.get(FactField.ROLE) or told.get(FactField.QUALIFICATIONS)):
        return  # a table of something else
    roles = [value.text for value in told.get(FactField.ROLE, ())]
    held = [value.text for value in told.get(FactField.QUALIFICATIONS, ())]
    status = status_of([*(value.text for value in told.get(labels.STATE, ())), *roles])
    yield _person(name.text, roles[0] if roles else "", held, entry.start, entry.end, status)


def _person_of_cells(entry: Entry) -> Iterator[Fact]:
    """Whatever its columns are called, a row is about a person if one cell is a name alone and another one begins with a role."""
    is_about_others = any(labels.OTHERS & {*labels.words_of(value.label)} for value in entry.values)
    if is_about_others or by_meaning(entry.values, is_person=False).keys() & _OF_PROJECTS or [*_person_of_row(entry)]:
        return
    cells = [
        value.text
        for value in entry.values
        if labels.meaning_of(value.label, is_person=True) or not labels.is_known(value.label, is_person=True)
    ]
    cells += [value.label for value in entry.values if entry.kind is EntryKind.VALUES]
    names = [cell for cell in cells if (person := person_in(cell)) and not person.rest]
    told = ((cell, _ROLE_END.split(cell)[0].strip()) for cell in cells)
    told = (
        (cell, role) for cell, role in told if is_role(role) and len(role.split()) <= _SHORT_ROLE_WORDS and not person_in(role)
    )
    if len(names) == 1 and (found := next(told, None)):
        cell, role = found
        yield _person(
            names[0], role, [cell] if cell != role and _QUALIFIES.search(cell) else [], entry.start, entry.end, status_of(cells)
        )


def _introduced(entry: Entry, below: Sequence[Entry], *, is_among_people: bool) -> Iterator[Fact]:
    """“Loretta Banks, Executive Director. Holds a Master of Social Work,” “Teresa Law is our laboratory manager,” or the same as a heading and what
    stands below it. Without a role, only among people."""
    person = person_in(entry.text)
    if person is None:
        return
    first, *more = [entry.text[start:end] for start, end in spans_of(entry.text)]
    if _LEFT.search(first):
        return
    begun = person_in(first)
    said = begun.rest.rstrip(".") if begun else ""
    role, *parts = _IS.sub("", said).split(", ")
    more += [sentence for each in below for sentence in sentences_of(each.text)]
    end = below[-1].end if below else entry.end
    begins_role = role[:1].isupper() or entry.kind is EntryKind.ITEM or _IS.match(said)
    if begins_role and is_role(role) and len(role.split()) <= _ROLE_WORDS:
        status = status_of([role, *parts])
        yield _person(person.name, role, [*parts, *(each for each in more if _QUALIFIES.search(each))], entry.start, end, status)
    elif is_among_people:
        told = more if below else [first, *more]
        role = role if below and len(role.split()) <= _ROLE_WORDS else ""
        yield _person(person.name, role, [each for each in told if _QUALIFIES.search(each)] or told[:1], entry.start, end)


def _resumes(text: str, entries: Sequence[Entry]) -> Iterator[Fact]:
    """Each person from the name on to the next one."""
    opened: tuple[Person, list[Entry]] | None = None
    named = (
        value for entry in entries for value in entry.values if labels.meaning_of(value.label, is_person=True) is FactField.NAME
    )
    is_labeled = any(person_in(value.text) for value in named)
    if not is_labeled and (form := _BIOSKETCH.search(text)) and (person := person_in(_BARS.sub(" ", form[1]))):
        opened = (Person(person.name, _BARS.sub(" ", form[2])), [entries[0]])
    for entry, after in zip_longest(entries, entries[1:]):
        person = None if opened and _is_within(entry, opened[1][0]) else _named_by(text, entry, after, is_first=opened is None)
        if person and (opened is None or opened[0].name.casefold() != person.name.casefold()):
            if opened:
                yield _resume(text, *opened)
            opened = (person, [entry])
        elif opened:
            opened[1].append(entry)
    if opened:
        yield _resume(text, *opened)


def _is_within(entry: Entry, named: Entry) -> bool:
    """Whether a heading stands below the one that names the person, as that of a former employer does."""
    depth = len(named.path)
    return {entry.kind, named.kind} == {EntryKind.HEADING} and len(entry.path) > depth and entry.path[:depth] == named.path


def _named_by(text: str, entry: Entry, after: Entry | None, *, is_first: bool) -> Person | None:
    """The person whose résumé begins here: a heading, the value of “Name,” the label of a row about a person, or a line alone."""
    if entry.kind is EntryKind.HEADING:
        return person_in(entry.text)
    named = (value for value in entry.values if labels.meaning_of(value.label, is_person=True) is FactField.NAME)
    if value := next(named, None):
        return person_in(value.text)
    if entry.values and entry.kind is EntryKind.VALUES:
        label = entry.values[0].label
        person = (
            None if labels.is_label(label) else person_in(label)
        )  # “Dana Rivers        Boise, Idaho,” “Agnes Mason, Program Manager | 29 years”
        return person if person and (is_first or is_role(person.rest)) else None
    if entry.kind is not EntryKind.PARAGRAPH:
        return None
    first, *others = _raw_lines(text, entry.start, entry.end) or [""]
    if not is_first and _YEARS_THERE.search(first):
        return None  # an employer
    name, *beside = re.split(r"\s{2,}", first.strip())
    person = person_in(name)
    if person is None or is_first:
        return person
    introduced = next(_introduced(entry, (), is_among_people=False), None)
    if introduced:
        return person
    below = _raw_lines(text, after.start, after.end)[:1] if after and not others else []
    is_alone = len(name.split()) <= _ROLE_WORDS and (not person.rest or is_role(person.rest))
    return person if is_alone and any(map(is_role, [person.rest, *beside, *others[:1], *below])) else None


def _resume(text: str, person: Person, entries: Sequence[Entry]) -> Fact:
    name_entry, *below = entries
    role, held, end = "", list[str](), name_entry.end
    first_line, *own = _raw_lines(text, name_entry.start, name_entry.end) or [""]
    # A person's role stands after the name, or in the line below it.
    lines = [_IS.sub("", person.rest), *re.split(r"\s{2,}", first_line.strip())[1:], *own]
    lines += [line for entry in below[:2] if not entry.values for line in _raw_lines(text, entry.start, entry.end)]
    for line in lines[:_LINES_WITH_ROLE]:
        first, *parts = (part.strip(" ,.*") for part in re.split(r"\s*[|*•]\s*|\s{2,}|;\s|(?<=[a-z])\.\s", line))
        if (
            not role
            and is_role(first)
            and len(first.split()) <= _ROLE_WORDS
            and not (person_in(first) or _YEARS_THERE.search(first))
        ):
            role, end = first, max(end, below[0].end if below and line != person.rest else end)
            held += [part for part in parts if _QUALIFIES.search(part)]
    if name_entry.kind is EntryKind.VALUES and person_in(name_entry.values[0].label):
        held += [each for value in name_entry.values[:1] for each in sentences_of(value.text) if _QUALIFIES.search(each)]
    for entry in entries:
        told = by_meaning(entry.values, is_person=True)
        role = role or next((value.text for value in told.get(FactField.ROLE, ())), "")
        if not role and _TODAY.search(entry.text):
            parts = (_PERIOD.sub("", part).strip(" -–—,:") for part in re.split(r",\s|:\s|\s{2,}| [|–—] ", entry.text))
            role = next(
                (part for part in parts if is_role(part) and len(part.split()) <= _ROLE_WORDS and not person_in(part)), ""
            )
        found = [line for value in told.get(FactField.QUALIFICATIONS, ()) for line in _lines_in(text[value.start : value.end])]
        if entry.kind is EntryKind.ITEM and _DATED.search(entry.text) and len(entry.text.split()) <= NAME_WORDS:
            found = [entry.text]
        if not entry.values and entry.kind is not EntryKind.HEADING and _names_qualifications(entry.path[-1:]):
            found = _lines_in(entry.text)
        if entry.values and not told and _QUALIFIES.search(entry.text) and YEAR.search(entry.text):
            found = [entry.text.replace(" | ", ", ")]
        held += [" ".join(line.split()) for line in found]
        end = entry.end if found else end
    told_below = [
        (" ".join(own), name_entry.end),
        *((entry.text, entry.end) for entry in below if not entry.values and not labels.is_label(entry.text)),
    ]
    for told_text, told_end in told_below:
        if len(held) > 1 and any(_YEARS.search(each) for each in held):
            break
        found = [told_text[first:last] for first, last in spans_of(told_text) if _QUALIFIES.search(told_text[first:last])]
        held += found
        end = max(end, told_end) if found else end
    return _person(person.name, role, sorted(held, key=lambda each: not _YEARS.search(each)), name_entry.start, end)


def _names_qualifications(headings: Sequence[str]) -> bool:
    return any(labels.meaning_of(each, is_person=True) is FactField.QUALIFICATIONS for each in headings)


def _raw_lines(text: str, start: int, end: int) -> list[str]:
    """The lines of a part of a text that have a letter or a digit."""
    return [line for line in LINE.findall(text, start, end) if any(map(str.isalnum, line))]


def _lines_in(text: str) -> list[str]:
    """The lines of a list of short ones, or the sentences of a text that is wrapped to fit its column."""
    lines = text.split("\n")
    return lines if max(map(len, lines[:-1]), default=0) < _WRAPPED else sentences_of(text)


def _person(name: str, role: str, held: Sequence[str], start: int, end: int, status: FactStatus = FactStatus.CURRENT) -> Fact:
    current = [" ".join(each for each in sentences_of(text) if status_of([each]) is FactStatus.CURRENT) for text in held]
    kept = list(dict.fromkeys(each.strip(" .;") for each in current if each.strip(" .;")))[:_MOST_QUALIFICATIONS]
    values = {FactField.NAME: name, FactField.ROLE: role, FactField.QUALIFICATIONS: "; ".join(kept)}
    return Fact(FactKind.PERSON, {field: value for field, value in values.items() if value}, start, end, status)

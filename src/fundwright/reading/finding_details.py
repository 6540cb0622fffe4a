"""Finds data, certifications, and contacts of an organization."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import groupby

from fundwright.core.messages import t
from fundwright.reading import labels
from fundwright.reading.dates import expiry_in, last_day_of
from fundwright.reading.entries import Entry, EntryKind, Value
from fundwright.reading.facts import Fact, FactField, FactKind, FactStatus
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.names import is_role, person_in
from fundwright.reading.patterns import ADDRESS, EMAIL, LINE, NAME_WORDS, PHONE
from fundwright.reading.sentences import sentences_of
from fundwright.reading.states import status_of
from fundwright.reading.topics import Topic, topics_of

_CODES = (
    ("UEI", re.compile(r"\b(?i:UEI|Unique Entity ID)\b[^\w\n]{0,6}(?:is )?((?=[A-Z0-9]*\d)[A-Z0-9]{12})\b")),
    ("CAGE", re.compile(r"\b(?i:CAGE(?: code)?)\b[^\w\n]{0,6}(?:is )?((?=[A-Z0-9]*\d)[A-Z0-9]{5})\b")),
    (
        "NAICS",
        re.compile(
            r"\bNAICS(?: [Cc]odes?)?\b[^\w\n]{0,6}(?:are |is )?(\d{6}(?:(?: \([^)\n]{1,40}\))?(?:,|;| and|, and)\s?\d{6})*)"
        ),
    ),
    ("EIN", re.compile(r"\bEIN\b[^\w\n]{0,6}(?:is )?(\d\d-\d{7})\b")),
)
_DENIED = re.compile(r"\b(?:not|no(?!\.)|never|none|denied|without)\b(?![- ]for[- ]profit)|n['’]t\b", re.IGNORECASE)
_PLANNED = re.compile(r"\b(?:planned|pending|applied for|in progress)\b", re.IGNORECASE)
_HELD = re.compile(
    r"\b(?:certified (?:us|as)|are (?:also )?(?:an? )?(?=[\w()-]*(?:certified|owned))|we hold|is certified|accredited)",
    re.IGNORECASE,
)
_STANDARD = re.compile(r"\bISO(?:/IEC)? \d{4}")
_CODE_WORD = re.compile(r"[\w()-]+")
_NEGATED = re.compile(r"(?:^|\s)(?:not|no|non|kein\w*|pas)(?:\s|$)", re.IGNORECASE)
_REACHED = re.compile(r"\b(?:call|contact|reach|write to|ask for|attn:?)\s+(?=[A-Z])", re.IGNORECASE)
_LINES_BEFORE = 2
"""The name and the address may be above the phone number."""
_DETAIL_WORDS = 40
_FORMER = frozenset(("former", "past", "old", "previous", "lapsed"))
_NAMES_COLUMN = frozenset(("what", "question", "item", "field"))
_OWN_DATA = (DocumentKind.ABOUT_US, DocumentKind.DATA)


def details_in(text: str, entries: Sequence[Entry], kind: DocumentKind, forms: Set[int]) -> Iterator[Fact]:
    """Yield labeled values, codes, addresses, and listed certifications. `forms` are the groups of entries that `forms_in` returns."""
    for entry in entries if kind in _OWN_DATA else ():
        if entry.kind is EntryKind.ROW and (certification := _certification_of_row(entry)):
            yield certification
            continue
        if entry.group in forms:
            yield from _details_of_form(entry)
            continue
        if entry.kind is EntryKind.ITEM and entry.is_checked:
            before, _, after = entry.text.rpartition(": ")
            name = after.strip() if len(before.split()) > 2 or before == "Other" else entry.text
            if name and len(name.split()) <= NAME_WORDS and "?" not in name and not name.casefold().startswith("is "):
                yield _certification(name, entry.start, entry.end)
            continue
        is_short = entry.kind is EntryKind.PARAGRAPH and len(entry.text.split()) <= _DETAIL_WORDS
        if is_short and (found := ADDRESS.search(entry.text)):
            values = {FactField.LABEL: t("Address"), FactField.VALUE: found[0]}
            yield Fact(FactKind.DETAIL, values, entry.start, entry.end)
        labeled = " ".join(value.text for value in entry.values if {*labels.words_of(value.label)} & labels.DETAIL)
        is_former = bool({*labels.words_of(entry.text)} & _FORMER)
        for label, code in () if is_former else _CODES:
            if (found := code.search(entry.text)) and found[1] not in labeled:
                values = {FactField.LABEL: label, FactField.VALUE: found[1]}
                yield Fact(FactKind.DETAIL, values, entry.start, entry.end, status_of([entry.text]))
        if entry.kind in (EntryKind.VALUES, EntryKind.HEADING):
            for value in entry.values:
                words = {*labels.words_of(value.label)}
                is_former = bool(words & _FORMER)
                if (
                    words & labels.DETAIL
                    and any(map(str.isalnum, value.text))
                    and not any(code.search(value.text) for _, code in _CODES)
                    and len(value.text.split()) <= _DETAIL_WORDS
                    and not is_former
                    and not PHONE.fullmatch(value.text)
                ):
                    values = {FactField.LABEL: value.label, FactField.VALUE: value.text}
                    yield Fact(FactKind.DETAIL, values, entry.start, entry.end, status_of([value.text, value.label]))
        elif (
            kind is DocumentKind.ABOUT_US
            and entry.kind in (EntryKind.ITEM, EntryKind.PARAGRAPH)
            and any(Topic.COMPANY_DATA in topics_of(each) for each in entry.path[-1:])
        ):
            for line in LINE.finditer(text, entry.start, entry.end):
                name = " ".join(line[0].split()).strip("•-*– ;,.")
                if (
                    any(map(str.islower, name))
                    and not name[0].isdigit()
                    and " | " not in name
                    and len(name.split()) <= NAME_WORDS
                    and not (
                        labels.is_label(name.partition(" (")[0])
                        or PHONE.search(name)
                        or EMAIL.search(name)
                        or ADDRESS.search(name)
                    )
                ):
                    yield _certification(name, line.start(), line.end())


def forms_in(entries: Sequence[Entry]) -> Set[int]:
    """The groups of entries, such as a form for vendors, that state two different registrations of an organization."""
    stated: dict[int, set[str]] = {}
    for entry in entries:
        for label, value in labels_and_values(entry):
            if any(map(str.isdigit, value)):
                stated.setdefault(entry.group, set()).update(labels.REGISTRATION.intersection(labels.words_of(label)))
    return {group for group, words in stated.items() if len(words) > 1}


def labels_and_values(entry: Entry) -> list[tuple[str, str]]:
    """The cells of a row are pairs of them if there is an even number: “| UEI | … | CAGE | … |.”"""
    if entry.kind is not EntryKind.ROW:
        return [(value.label, value.text) for value in entry.values]
    cells = [value.text for value in entry.values]
    return [] if len(cells) % 2 else [*zip(cells[::2], cells[1::2], strict=True)]


def _details_of_form(entry: Entry) -> Iterator[Fact]:
    """What a form about the organization states: below “Question | Our answer,” each label is a cell."""
    for label, value in labels_and_values(entry):
        is_short = len(label.split()) <= NAME_WORDS and len(value.split()) <= _DETAIL_WORDS
        is_answered = any(map(str.isalnum, value)) and not (_FORMER | _NAMES_COLUMN) & {*labels.words_of(label)}
        if is_short and is_answered and not (PHONE.search(value) or EMAIL.search(value)):
            values = {FactField.LABEL: label, FactField.VALUE: value}
            yield Fact(FactKind.DETAIL, values, entry.start, entry.end, _held_by(value))


def _certification(text: str, start: int, end: int) -> Fact:
    """A certification in one line. What stands before and after its expiry is its name and a value."""
    values, expiry = {FactField.NAME: text}, expiry_in(text)
    if expiry and (name := text[: expiry.cue].rstrip(" (,;:–—-|")):
        name += ")" * (name.count("(") > name.count(")"))
        after = text[expiry.end :].strip(" ),;.|–—-")
        values = {FactField.NAME: name, FactField.VALUE: after, FactField.EXPIRES: text[expiry.start : expiry.end]}
    return Fact(FactKind.CERTIFICATION, {field: value for field, value in values.items() if value}, start, end, _held_by(text))


def _held_by(text: str) -> FactStatus:
    """What a line about a certification says of it. A negation anywhere says that it is not held."""
    if _DENIED.search(text):
        return FactStatus.DENIED
    return FactStatus.PLANNED if _PLANNED.search(text) else status_of([text])


def _certification_of_row(entry: Entry) -> Fact | None:
    """The certification of a row, if its first cell names a known one, or if its first column is for certifications and another column has an expiry
    date."""
    first, *others = entry.values
    expires = next((value for value in others if {*labels.words_of(value.label)} & labels.EXPIRES), None)
    last = last_day_of(expires.text) if expires else None
    is_listed = last is not None and bool({*labels.words_of(first.label)} & labels.CERTIFICATION)
    if not is_listed and not (_names_certification(first.text) and len(first.text.split()) <= NAME_WORDS):
        return None
    number = next((value.text for value in others if labels.is_number(value.label)), "")
    values = {FactField.NAME: first.text, FactField.VALUE: number, FactField.EXPIRES: expires.text if expires and last else ""}
    told = status_of(value.text for value in entry.values if value is not expires)
    if told is FactStatus.CURRENT and any(_PLANNED.search(each.text) for each in others):
        told = FactStatus.PLANNED
    status = FactStatus.DENIED if any(_NEGATED.match(each.text) for each in others) else told
    return Fact(
        FactKind.CERTIFICATION, {field: value for field, value in values.items() if value}, entry.start, entry.end, status
    )


def certifications_in(entries: Sequence[Entry], kind: DocumentKind) -> Iterator[Fact]:
    """Sentences that say that we hold a certification."""
    for entry in entries if kind in _OWN_DATA else ():
        for sentence in sentences_of(entry.text) if entry.kind in (EntryKind.PARAGRAPH, EntryKind.ITEM) else ():
            if _names_certification(sentence) and _HELD.search(sentence) and len(sentence.split()) <= _DETAIL_WORDS:
                yield _certification(sentence.rstrip("."), entry.start, entry.end)


def _names_certification(text: str) -> bool:
    return bool(_STANDARD.search(text)) or any(word.casefold() in labels.CERTIFICATIONS for word in _CODE_WORD.findall(text))


def contacts_in(text: str, entries: Sequence[Entry], kind: DocumentKind) -> Iterator[Fact]:
    """Who can be reached: what stands together with an email address or a phone number."""
    for _, section in groupby(entries if kind is DocumentKind.ABOUT_US else (), key=lambda entry: entry.path):
        near = [entry for entry in section if entry.kind is not EntryKind.HEADING]
        reached = [place for place, entry in enumerate(near) if EMAIL.search(entry.text) or PHONE.search(entry.text)]
        if not reached:
            continue
        named = [place for place, entry in enumerate(near) if any(map(_names_contact, entry.values))]
        first = min(named[0], reached[0]) if named else max(0, reached[0] - _LINES_BEFORE)
        near = near[first : max(reached[-1:] + named[:1]) + 1]
        start, end = near[0].start, near[-1].end
        lines = [line.strip(" *_#•") for line in re.split(r"\n|(?<=[a-z])\. | [|·] ", text[start:end])]
        told = [value.text for entry in near for value in entry.values if _names_contact(value)]
        told += [part for line in lines for part in (line, line.partition(": ")[2]) if part]
        told += [value.text for entry in near for value in entry.values]
        told += [part for entry in near for part in _REACHED.split(entry.text)[1:]]
        person = next((found for part in told if (found := person_in(part))), None)
        role = re.split(r",\s*(?=[\d(P])|, (?=\S+@|at\b|or\b)|\s{2,}|[;|]", person.rest)[0].strip(" ,.") if person else ""
        email, phone, address = (each.search(text, start, end) for each in (EMAIL, PHONE, ADDRESS))
        label = next((value.label for entry in near for value in entry.values if _names_contact(value)), "")
        values = {
            FactField.LABEL: label,
            FactField.NAME: person.name if person else "",
            FactField.ROLE: role if is_role(role) else "",
            FactField.PHONE: phone[0] if phone else "",
            FactField.EMAIL: email[0] if email else "",
            FactField.ADDRESS: address[0] if address else "",
        }
        yield Fact(FactKind.CONTACT, {name: value for name, value in values.items() if value}, start, end)


def _names_contact(value: Value) -> bool:
    return bool({*labels.words_of(value.label)} & {"contact", "poc", "kontakt", "ansprechpartner"})

"""Finds the facts of an organization in the entries of a document, each in one record: a row, a form, a section about one person or project.

Values come from the record with their labels and nothing else, so a fact never has the value of another record. What a record says about its state
decides whether it is current.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date
from itertools import groupby, takewhile, zip_longest

from fundwright.core.messages import t
from fundwright.reading import labels
from fundwright.reading.dates import expiry_in, last_day_of
from fundwright.reading.entries import Entry, EntryKind, Value
from fundwright.reading.facts import Fact, FactField, FactKind, FactStatus
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.names import Person, is_role, person_in
from fundwright.reading.sentences import spans_of
from fundwright.reading.topics import NOT_DRAFTED, Topic, topics_of

MONEY = re.compile(
    r"[$€£]\s?\d+(?:[.,]\d+)*(?:[ \xa0\u202f]\d{3}(?!\d))*(?:\s?(?:[KMBkm]|thousand|million|billion)\b(?!-))?"
    r"|(?<![\d.,])\d[\d.,]*+ (?:EUR|USD|dollars|Euro)\b"
)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
PHONE = re.compile(r"(?<![\d-])(?:\+\d{1,3} ?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)|\+\d{1,3}[ \d]{7,14}\d")
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
ADDRESS = re.compile(r"(?:\d{1,5} (?=[A-Z\d])|P\.?O\.? Box )[^\n;|]{4,80}?(?:,|\b[A-Z]{2}) \d{5}(?:-\d{4})?\b")
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
_QUALIFIES = re.compile(
    r"\b(?:\w+[- ])?years?\b|\b(?:degree|certif\w+|licen[cs]ed|registered|[ABM]\.?A?\.?[AS]\.?|Ph\.?D|M\.?D|B\.?Tech|Master|Bachelor)\b|\bjahre\b|\bans\b|^(?-i:[A-Z]{3,6}(?:, [A-Z]{2,6})*)\.?$",
    re.IGNORECASE,
)
_YEARS = re.compile(r"\b(?:years?|yrs|jahre|ans)\b", re.IGNORECASE)
_STATES = (
    (
        FactStatus.OF_OTHERS,
        "not ours|not our|theirs|not on this|their money|their contract|fiscal sponsor|prime's number|belongs to|borrowed|by others|their number",
    ),
    (
        FactStatus.DENIED,
        "declined|not funded|fell through|rejected|withdrawn|not selected|unsuccessful|no award|not awarded|not received|not held|none(?! of)|do not cite|don't cite|don't list|do not list|do not use|former",
    ),
    (
        FactStatus.ENDED,
        "terminated|cancell?ed|expired|lapsed|sold|decommissioned|retired|scrapped|graduated|inactive|abandoned|halted|resigned|revoked|not renewed|discontinued|ended",
    ),
    (
        FactStatus.PLANNED,
        r"pending|pledged|asked|on order|to be hired|planned|proposed|applied(?! [a-z])|applied for|app\.? due|submitted|in progress|not yet|expected|anticipated|tbd|under review",
    ),
)
_AT_BEGINNING = {FactStatus.DENIED: "|lost", FactStatus.ENDED: "|left|returned to", FactStatus.PLANNED: r"|sub\.|to be"}
"""Words that say it only where a remark begins: “Lost,” but not “no days lost.”"""
_STATE = tuple(
    (
        status,
        re.compile(
            rf"(?:^|[(\[;:,–—]\s?|\s-\s)(?:{words}{_AT_BEGINNING.get(status, '')})(?![\w-])"
            rf"|(?<![\w-])(?<!than )(?:{words})(?: \S+)?[.)]?$",
            re.IGNORECASE,
        ),
    )
    for status, words in _STATES
)
"""At the beginning of a remark, after a dash or a bracket, or at its end: “Secret (inactive since 2019),” but not “repair of returned goods.”"""
_LINE = re.compile(r"[^\n]+")
NOT_TO_CITE = re.compile(
    r"\b(?:do not|don't|don’t|never) (?:cite|list|use|mention|name|quote|show)\b|\b(?:delete|remove) before\b|\bnot for (?:this|the) proposal\b",
    re.IGNORECASE,
)
_AWARD = r"\b(?-i:(?=[\d-]*[A-Z])(?:[A-Z\d]{6}-?\d\d-?[ACDFGHKLPV]-?[A-Z\d]{4,8}|\d?[A-Z]\d\d ?[A-Z]{2}\d{6}(?:-\d\d)?))\b"
"""A federal contract or order, or an award of the NIH."""
_NUMBERED = re.compile(
    r"\b(?:contract|order|award|grant|agreement|subaward)(?: (?:no\.?|number|#))? ((?=[\w-]*\d)[A-Z][A-Z\d]*-?[\w-]{3,}\b|\d[\w-]{5,})|"
    + _AWARD,
    re.IGNORECASE,
)
_PROVES = {FactField.CONTRACT, FactField.VALUE, FactField.PERIOD}
_NAMES_PROJECT = {FactField.CUSTOMER, FactField.TITLE}
_NO_AMOUNTS = (FactField.PERIOD, FactField.CUSTOMER, FactField.CONTRACT)
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
_DENIED = re.compile(r"\b(?:not|no(?!\.)|never|none|denied|without)\b(?![- ]for[- ]profit)|n['’]t\b", re.IGNORECASE)
_PLANNED = re.compile(r"\b(?:planned|pending|applied for|in progress)\b", re.IGNORECASE)
_HELD = re.compile(
    r"\b(?:certified (?:us|as)|are (?:also )?(?:an? )?(?=[\w()-]*(?:certified|owned))|we hold|is certified|accredited)",
    re.IGNORECASE,
)
_STANDARD = re.compile(r"\bISO(?:/IEC)? \d{4}")
_CODE_WORD = re.compile(r"[\w()-]+")
_BROKEN_OFF = re.compile(r"\b(?:terminated|cancell?ed|withdrawn|not funded)\b", re.IGNORECASE)
_NEGATED = re.compile(r"(?:^|\s)(?:not|no|non|kein\w*|pas)(?:\s|$)", re.IGNORECASE)
_WRAPPED, _LINES_WITH_ROLE = 60, 4
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
_LOST = re.compile(r"(?:lost|declined|terminated)\b", re.IGNORECASE)
_LEFT = re.compile(r"(?:^|, (?:who |and )?)(?:has )?(?:left|departed|resigned|passed away|is no longer)\b", re.IGNORECASE)
"""“Dana Rivers, our first director, left in 2024.”"""
_REACHED = re.compile(r"\b(?:call|contact|reach|write to|ask for|attn:?)\s+(?=[A-Z])", re.IGNORECASE)
_BELOW_NAME = 4
"""Entries below a heading that names a person."""
_LINES_BEFORE = 2
"""The name and the address may be above the phone number."""
_FEW_WORDS = 3
_MOST_CHARACTERS = 4_000
"""Longer entries are prose, or no text at all."""
_NAME_WORDS, _DETAIL_WORDS = 12, 40
_FORMER = frozenset(("former", "past", "old", "previous", "lapsed"))
_NAMES_COLUMN = frozenset(("what", "question", "item", "field"))
_MOST_WORK, _MOST_QUALIFICATIONS, _ROLE_WORDS = 1_200, 8, 14
_ONCE = frozenset((FactField.TITLE, FactField.CUSTOMER, FactField.CONTRACT))
"""A form has one of each: another begins the next form."""
_OWN_DATA = (DocumentKind.ABOUT_US, DocumentKind.DATA)


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


def facts_of(text: str, entries: Sequence[Entry], kind: DocumentKind) -> list[Fact]:
    """Return the facts in a text with these entries, in the order of their kinds. Documents that are not ours have none. What a document dates stays as
    it is stated: whether it has ended depends on the day."""
    if not kind.is_ours:
        return []
    entries = [entry for entry in entries if entry.end - entry.start <= _MOST_CHARACTERS]
    forms = _forms(entries)
    return [
        *_details(text, entries, kind, forms),
        *_certifications(entries, kind),
        *_contacts(text, entries, kind),
        *_people(text, entries, kind),
        *_projects([entry for entry in entries if entry.group not in forms], kind),
    ]


def status_of(texts: Iterable[str]) -> FactStatus:
    """What texts about the state of something say: “SOLD,” “app. due 2027.” Current if they say nothing."""
    joined = [text.casefold() for text in texts]
    return next((status for status, words in _STATE if any(words.search(text) for text in joined)), FactStatus.CURRENT)


# --- Data of the organization


def _details(text: str, entries: Sequence[Entry], kind: DocumentKind, forms: Set[int]) -> Iterator[Fact]:
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
            if name and len(name.split()) <= _NAME_WORDS and "?" not in name and not name.casefold().startswith("is "):
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
            for line in _LINE.finditer(text, entry.start, entry.end):
                name = " ".join(line[0].split()).strip("•-*– ;,.")
                if (
                    any(map(str.islower, name))
                    and not name[0].isdigit()
                    and " | " not in name
                    and len(name.split()) <= _NAME_WORDS
                    and not (
                        labels.is_label(name.partition(" (")[0])
                        or PHONE.search(name)
                        or EMAIL.search(name)
                        or ADDRESS.search(name)
                    )
                ):
                    yield _certification(name, line.start(), line.end())


def _forms(entries: Sequence[Entry]) -> Set[int]:
    """The groups of entries, such as a form for vendors, that state two different registrations of an organization."""
    stated: dict[int, set[str]] = {}
    for entry in entries:
        for label, value in _labels_and_values(entry):
            if any(map(str.isdigit, value)):
                stated.setdefault(entry.group, set()).update(labels.REGISTRATION.intersection(labels.words_of(label)))
    return {group for group, words in stated.items() if len(words) > 1}


def _labels_and_values(entry: Entry) -> list[tuple[str, str]]:
    """The cells of a row are pairs of them if there is an even number: “| UEI | … | CAGE | … |.”"""
    if entry.kind is not EntryKind.ROW:
        return [(value.label, value.text) for value in entry.values]
    cells = [value.text for value in entry.values]
    return [] if len(cells) % 2 else [*zip(cells[::2], cells[1::2], strict=True)]


def _details_of_form(entry: Entry) -> Iterator[Fact]:
    """What a form about the organization states: below “Question | Our answer,” each label is a cell."""
    for label, value in _labels_and_values(entry):
        is_short = len(label.split()) <= _NAME_WORDS and len(value.split()) <= _DETAIL_WORDS
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
    if not is_listed and not (_names_certification(first.text) and len(first.text.split()) <= _NAME_WORDS):
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


def _certifications(entries: Sequence[Entry], kind: DocumentKind) -> Iterator[Fact]:
    """Sentences that say that we hold a certification."""
    for entry in entries if kind in _OWN_DATA else ():
        for sentence in _sentences(entry.text) if entry.kind in (EntryKind.PARAGRAPH, EntryKind.ITEM) else ():
            if _names_certification(sentence) and _HELD.search(sentence) and len(sentence.split()) <= _DETAIL_WORDS:
                yield _certification(sentence.rstrip("."), entry.start, entry.end)


def _names_certification(text: str) -> bool:
    return bool(_STANDARD.search(text)) or any(word.casefold() in labels.CERTIFICATIONS for word in _CODE_WORD.findall(text))


# --- Contacts


def _contacts(text: str, entries: Sequence[Entry], kind: DocumentKind) -> Iterator[Fact]:
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


# --- People


def _people(text: str, entries: Sequence[Entry], kind: DocumentKind) -> Iterator[Fact]:
    if kind is DocumentKind.RESUME:
        rows = [fact for entry in entries if entry.kind is EntryKind.ROW for fact in _person_of_row(entry)]
        yield from rows or _resumes(text, entries)
        return
    if kind is DocumentKind.PAST_PERFORMANCE:
        return
    for place, entry in enumerate(entries):
        if entry.kind is EntryKind.ROW:
            yield from _person_of_row(entry)
        if entry.kind is EntryKind.ROW or kind is DocumentKind.DATA:
            continue
        with_role = [value for value in entry.values if is_role(value.label)] if entry.kind is EntryKind.VALUES else []
        for value in with_role:
            if person := person_in(value.text):
                yield _person(person.name, value.label, [], entry.start, entry.end)
        if not (with_role or any(each.search(entry.text) for each in (EMAIL, PHONE, ADDRESS))):
            is_headed = entry.kind is EntryKind.HEADING
            after = entries[place + 1 : place + 1 + _BELOW_NAME] if is_headed else ()
            below = [*takewhile(lambda each, path=entry.path: each.path == path, after)]
            yield from _introduced(entry, below, is_among_people=any(Topic.PEOPLE in topics_of(each) for each in entry.path))


def _person_of_row(entry: Entry) -> Iterator[Fact]:
    told = _meant(entry.values, is_person=True)
    name = next((value for value in told.get(FactField.NAME, ()) if person_in(value.text)), None)
    if name is None or not (told.get(FactField.ROLE) or told.get(FactField.QUALIFICATIONS)):
        return  # a table of something else
    roles = [value.text for value in told.get(FactField.ROLE, ())]
    held = [value.text for value in told.get(FactField.QUALIFICATIONS, ())]
    status = status_of([*(value.text for value in told.get(labels.STATE, ())), *roles])
    yield _person(name.text, roles[0] if roles else "", held, entry.start, entry.end, status)


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
    more += [sentence for each in below for sentence in _sentences(each.text)]
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
        held += [each for value in name_entry.values[:1] for each in _sentences(value.text) if _QUALIFIES.search(each)]
    for entry in entries:
        told = _meant(entry.values, is_person=True)
        role = role or next((value.text for value in told.get(FactField.ROLE, ())), "")
        if not role and _TODAY.search(entry.text):
            parts = (_PERIOD.sub("", part).strip(" -–—,:") for part in re.split(r",\s|:\s|\s{2,}| [|–—] ", entry.text))
            role = next(
                (part for part in parts if is_role(part) and len(part.split()) <= _ROLE_WORDS and not person_in(part)), ""
            )
        found = [line for value in told.get(FactField.QUALIFICATIONS, ()) for line in _lines_in(text[value.start : value.end])]
        if entry.kind is EntryKind.ITEM and _DATED.search(entry.text) and len(entry.text.split()) <= _NAME_WORDS:
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
    return [line for line in _LINE.findall(text, start, end) if any(map(str.isalnum, line))]


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in spans_of(text)]


def _lines_in(text: str) -> list[str]:
    """The lines of a list of short ones, or the sentences of a text that is wrapped to fit its column."""
    lines = text.split("\n")
    return lines if max(map(len, lines[:-1]), default=0) < _WRAPPED else _sentences(text)


def _person(name: str, role: str, held: Sequence[str], start: int, end: int, status: FactStatus = FactStatus.CURRENT) -> Fact:
    current = [" ".join(each for each in _sentences(text) if status_of([each]) is FactStatus.CURRENT) for text in held]
    kept = list(dict.fromkeys(each.strip(" .;") for each in current if each.strip(" .;")))[:_MOST_QUALIFICATIONS]
    values = {FactField.NAME: name, FactField.ROLE: role, FactField.QUALIFICATIONS: "; ".join(kept)}
    return Fact(FactKind.PERSON, {field: value for field, value in values.items() if value}, start, end, status)


# --- Projects


def _projects(entries: Sequence[Entry], kind: DocumentKind) -> Iterator[Fact]:
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
    told = _meant(record.values, is_person=False)
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
            is_short = len(entry.text.split()) <= _NAME_WORDS and not entry.text.endswith((".", ",", ":", ")"))
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
    first, *more = _sentences(text) or [""]
    if not title and more and len(first.split()) <= _NAME_WORDS:
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


def _meant(values: Iterable[Value], *, is_person: bool) -> dict[labels.Meaning, list[Value]]:
    told: dict[labels.Meaning, list[Value]] = {}
    for value in values:
        meaning = labels.meaning_of(value.label, is_person=is_person)
        if meaning in _NO_AMOUNTS and MONEY.match(value.text):
            meaning = FactField.VALUE  # “Obligated to date,” “Paid”
        if meaning and value.text.strip(" -–—/"):
            told.setdefault(meaning, []).append(value)
    return told

"""Chooses the statements of documents that answer a question: sentences, items, and rows, whole and in their own words.

Evidence is where a statement stands: under a heading that names the topic of the question, by its words or by its meaning. Where no heading does,
the similarity of statement and question decides, and it has to be high.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fundwright.generation.extractive.headings import Headings
from fundwright.language.protocols import NumberedPassage, Vectors
from fundwright.reading.company import is_named_in
from fundwright.reading.entries import LONGEST, Entry, EntryKind, entries_of
from fundwright.reading.facts import FactStatus
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.labels import STATE, meaning_of
from fundwright.reading.names import organization_in, person_in
from fundwright.reading.patterns import EMAIL, MONEY, NOT_TO_CITE, PHONE
from fundwright.reading.sentences import spans_of
from fundwright.reading.states import status_of
from fundwright.reading.topics import NOT_DRAFTED, Topic, topics_of

_ABOUT_US, _PROPOSAL = DocumentKind.ABOUT_US, DocumentKind.PREVIOUS_PROPOSAL
_KINDS: Mapping[Topic, frozenset[DocumentKind]] = {
    Topic.CAPABILITIES: frozenset((_ABOUT_US,)),
    Topic.DIFFERENTIATORS: frozenset((_ABOUT_US,)),
    Topic.FACILITIES: frozenset((_ABOUT_US, DocumentKind.DATA)),
    Topic.PROFILE: frozenset((_ABOUT_US,)),
    Topic.FIT: frozenset((_ABOUT_US,)),
    Topic.CONTACT: frozenset((_ABOUT_US,)),
    Topic.COMPANY_DATA: frozenset((_ABOUT_US,)),
    Topic.PAST_PERFORMANCE: frozenset((_ABOUT_US, DocumentKind.PAST_PERFORMANCE)),
    Topic.PEOPLE: frozenset((_ABOUT_US, DocumentKind.RESUME)),
    **{
        topic: frozenset((_PROPOSAL,))
        for topic in (Topic.NEED, Topic.AIMS, Topic.APPROACH, Topic.OUTCOMES, Topic.OFFER, Topic.PLAN)
    },
}
"""Kinds of documents that can answer. The results of a past project, for example, are not the expected results of the next one."""
_ALSO: Mapping[Topic, frozenset[Topic]] = {
    Topic.FIT: frozenset((Topic.CAPABILITIES, Topic.DIFFERENTIATORS)),
    Topic.OFFER: frozenset((Topic.AIMS,)),
}
"""Topics of headings under which answers stand, too."""
_LABELED, _HEADED, _ABOVE, _TITLED = 1.2, 1.0, 0.7, 0.6
"""The evidence of a label of the statement itself, of the nearest heading, of one above it, and of the title of the document."""
_LEAST_EVIDENCE = 0.55
MIN_RELEVANCE, MIN_POSSIBLE = 0.42, 0.3
"""The least cosine of a statement and the question: for an answer without a heading, and for one that is only shown for a person to judge."""
_MOST_POSSIBLE = 2
_OVERRUN = 1.5
"""A section may be this much longer than asked, rather than end in the middle of a list."""
_FEWEST_WORDS, _MOST_WORDS = 3, 80
_DENIES = re.compile(
    r"\b(?:we|they|it|I) (?:do|did|does|can|will|could|have|had|hold|are|is|were) ?(?:not|no|n['’]t)\b|\b(?:don|doesn|can|won|aren|isn)['’]t\b"
    r"|\bno longer\b|\bhold no\b|\bsubbed out\b|\bnot offered\b|\bvacant\b|\bask \w+ before\b|\bout of (?:service|order)\b|\bback to (?:the )?(?:dealer|owner|lessor)\b|\b(?:given|went) back\b|\bon loan\b|\blease ended\b|\bnot purchased\b|\bwish list\b|\bDOWN\b|\bfor parts\b|\bif (?:awarded|funded|selected|we (?:win|won))\b|\bwe hope\b|\bsample document\b|\bnot in (?:the )?text\b",
    re.IGNORECASE,
)
_NOTHING = re.compile(r":\s{0,4}(?:none|no|n/?a|nil|not held)\b.{0,3}$", re.IGNORECASE)
_OBLIGES = re.compile(r"\b(?:shall|must)\b|\ball rights reserved\b", re.IGNORECASE)
_OURS = re.compile(r"\b(?:we|us|our)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(r"(?:he|she|it|they|this|these|those|his|her|its|their)\b", re.IGNORECASE)
_INTRODUCES = re.compile(
    r"\b(?:(?:is|are) an?|founded|established|started|began|opened|incorporated|since|employees|people|staff|nonprofit|\w+-owned)\b",
    re.IGNORECASE,
)
_WEAK = frozenset(("since", "people", "staff"))
"""Signs of an introduction only together with another one."""
_LISTED = frozenset((Topic.CAPABILITIES, Topic.FIT))
_FEWEST_ITEMS = 3
_FIRST_WORDS = 3
_SIGN = 0.1
_ENDS = (".", "!", "?", "”", '"', ")")
_OWN_LABEL = re.compile(r"((?:[A-Z][\w-]*)(?: [\w-]+){0,2})(?::|(?<=\d)[.)])\s")
"""“Aim 2.” or “Goal:” before a statement."""
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Statement:
    """`text` is what is quoted. `section` is the same for statements under one heading of one passage."""

    text: str
    number: int
    section: int
    path: tuple[str, ...]
    kind: DocumentKind
    document: str
    is_listed: bool

    @property
    def headed(self) -> str:
        return f"{self.path[-1]}\n{self.text}" if self.path else self.text


@dataclass(frozen=True, slots=True)
class Comparison:
    """The cosine of each question and each statement, shape (questions, statements), and of the opportunity and each statement."""

    relevance: Vectors
    fit: Vectors


@dataclass(frozen=True, slots=True)
class Choice:
    """Indexes of statements: those that answer, in the order of the documents, and those that a person should judge."""

    answer: tuple[int, ...]
    possible: tuple[int, ...]


def statements_of(passages: Sequence[NumberedPassage], written: str, company: str) -> list[Statement]:
    """Return what can be quoted from the passages of an organization of this name and is not written yet."""
    found = dict[str, Statement]()
    for section, passage in enumerate(passages):
        named = {topic for heading in passage.heading[-1:] for topic in topics_of(heading)}
        if passage.is_record or NOT_DRAFTED & named or any(map(NOT_TO_CITE.search, passage.heading)):
            continue
        for entry in entries_of(f"{passage.head}\n{passage.text}".strip(), lambda _, path=passage.heading: path):
            for text, is_listed in _texts_of(entry, passage.kind):
                key = text.casefold().rstrip(".")
                if (
                    len(text) <= LONGEST
                    and _is_quotable(text, passage.kind)
                    and not (passage.kind is _ABOUT_US and _is_about_another(text, company))
                    and key not in found
                    and text.rstrip(".") not in written
                ):
                    found[key] = Statement(
                        text, passage.number, section, passage.heading, passage.kind, passage.document, is_listed
                    )
    return list(found.values())


def _texts_of(entry: Entry, kind: DocumentKind) -> Sequence[tuple[str, bool]]:
    match entry.kind:
        case EntryKind.HEADING:
            return ()
        case EntryKind.ITEM:
            return () if status_of([entry.text]) is not FactStatus.CURRENT and kind is not _PROPOSAL else ((entry.text, True),)
        case EntryKind.ROW:
            return ((text, True),) if (text := _row(entry)) else ()
        case EntryKind.VALUES if entry.values and "|" in entry.text:
            texts = [f"{value.label}: {value.text}" for value in entry.values]
            return [(text, True) for text in texts if status_of([text]) is FactStatus.CURRENT]
        case _:
            return [(text, not text.endswith(_ENDS)) for text in _sentences(entry.text)]


def _sentences(text: str) -> Sequence[str]:
    """The sentences of a text. What follows a label, such as “Aim 1. Lock the cartridge. Produce three lots,” stays with it, and what points back,
    such as “She has nine years of experience,” with the sentence before it."""
    if _OWN_LABEL.match(text) and len(text.split()) <= _MOST_WORDS:
        return [text]
    found = list[str]()
    for start, end in spans_of(text):
        if found and _POINTS_BACK.match(text, start):
            found[-1] = f"{found[-1]} {text[start:end]}"
        else:
            found.append(text[start:end])
    return found


def _row(entry: Entry) -> str:
    """What a row says: its longest name first, then its other cells. Empty if its remarks say that it is past, planned, or of others."""
    if (
        any(_DENIES.search(value.text) or value.text.strip() == "0" for value in entry.values)
        or status_of(value.text for value in entry.values) is not FactStatus.CURRENT
    ):
        return ""
    told = [value for value in entry.values if len(_LETTER.findall(value.text)) > 2 and meaning_of(value.label) != STATE]
    told = [value for value in told if not (len(value.text) < 8 and any(map(str.isdigit, value.text)))]
    kept = [value for value in told if not MONEY.fullmatch(value.text)]
    return ", ".join(value.text for value in kept[:4])


def _is_quotable(text: str, kind: DocumentKind) -> bool:
    words = len(text.split())
    letters = len(_LETTER.findall(text))
    if not _FEWEST_WORDS <= words <= _MOST_WORDS and not (words > 1 and letters > 8 and words <= _MOST_WORDS):
        return False
    if EMAIL.search(text) or PHONE.search(text) or text.endswith(("?", ":")) or " | " in text or letters < len(text) * 0.4:
        return False
    return not (_DENIES.search(text) or _OBLIGES.search(text) or _NOTHING.search(text))


def _is_about_another(text: str, company: str) -> bool:
    """Whether a statement presents another organization: “Kanova Hospital (610 beds) takes our patients,” but not “Ames County renewed our contract.”"""
    name = organization_in(text)
    return bool(name) and not is_named_in(name, company) and (text.partition(name)[2].startswith(" (") or not _OURS.search(text))


def choose(
    statements: Sequence[Statement],
    compared: Comparison,
    headings: Headings,
    question: int,
    topic: Topic | None,
    *,
    words: int,
    taken: Collection[int],
) -> Choice:
    """Choose statements for a question. `taken` are those of other questions."""
    relevance = compared.relevance[question] + (0.5 * compared.fit if topic is Topic.FIT else 0.0)
    allowed = [
        place
        for place, each in enumerate(statements)
        if place not in taken and (topic not in _KINDS or each.kind in _KINDS[topic])
    ]
    evidence = {place: _evidence(statements[place], topic, headings) for place in allowed}
    headed = [place for place in allowed if evidence[place] >= _LEAST_EVIDENCE]
    if topic is Topic.PROFILE:
        introducing = [{*_INTRODUCES.findall(each.text.casefold())} for each in statements]
        headed = [place for place in headed if introducing[place]] + [
            place
            for place in allowed
            if evidence[place] < _LEAST_EVIDENCE
            and not statements[place].is_listed
            and _introduces(statements[place], introducing[place])
        ]
        relevance = relevance + _SIGN * np.array([len(signs) for signs in introducing])
    if headed:
        return Choice(
            _within(statements, relevance, evidence, headed, words * _OVERRUN, by_fit=topic in (Topic.FIT, Topic.PROFILE)), ()
        )
    if topic in _LISTED and (listed := _best_list(statements, relevance, allowed)):
        return Choice(_within(statements, relevance, evidence, listed, words * _OVERRUN, by_fit=False), ())
    ordered = sorted(allowed, key=lambda place: -relevance[place])
    least = MIN_POSSIBLE if topic in _LISTED else MIN_RELEVANCE
    answer = [place for place in ordered if relevance[place] >= least and not _names_another(statements[place], topic)]
    if answer:
        return Choice(_within(statements, relevance, evidence, answer, words, by_fit=True), ())
    return Choice((), tuple(place for place in ordered if relevance[place] >= MIN_POSSIBLE)[:_MOST_POSSIBLE])


def _evidence(statement: Statement, topic: Topic | None, headings: Headings) -> float:
    """How clearly the headings above a statement, or the title of its document, name the topic."""
    if topic is None:
        return 0.0
    wanted = {topic, *_ALSO.get(topic, ())}
    label = _OWN_LABEL.match(statement.text)
    if (
        topic is Topic.NEED
        and not (label or statement.is_listed)
        and Topic.AIMS in topics_of(statement.path[-1] if statement.path else "")
    ):
        return _ABOVE  # an introduction above the aims says why they matter
    begin = label[1] if label else " ".join(statement.text.split()[:_FIRST_WORDS]) if topic is Topic.AIMS else ""
    if wanted & topics_of(begin).keys():
        return _LABELED  # “Aim 2. …,” “Our goal is …”
    found = 0.0
    for distance, heading in enumerate(reversed(statement.path)):
        meant = headings.get((statement.kind, statement.document, heading))
        named = {meant: 1.0} if meant else topics_of(heading)
        weight = max((named.get(each, 0.0) for each in wanted), default=0.0)
        if not distance and named and not weight:
            return 0.0  # the nearest heading says that it is about something else
        found = max(found, weight * (_ABOVE if distance else _HEADED))
    title = topics_of(statement.document)
    return max(found, _TITLED * max(title.get(each, 0.0) for each in wanted)) if statement.kind is DocumentKind.DATA else found


def _introduces(statement: Statement, signs: set[str]) -> bool:
    """Whether a statement under a heading about something else introduces the organization, and not a person."""
    if any(map(person_in, statement.path[-1:])):
        return False
    named = topics_of(statement.path[-1]).keys() if statement.path else set[Topic]()
    return len(signs) > 1 or bool(signs - _WEAK and named <= {Topic.PROFILE, Topic.CAPABILITIES})


def _best_list(statements: Sequence[Statement], relevance: Vectors, allowed: Sequence[int]) -> Sequence[int]:
    """The list below a heading whose words name no topic which is most similar to the question: “ON THE TABLES MOST DAYS.”"""
    lists: dict[int, list[int]] = {}
    for place in allowed:
        each = statements[place]
        if each.is_listed and each.kind is _ABOUT_US and not (each.path and topics_of(each.path[-1])):
            lists.setdefault(each.section, []).append(place)
    means = [(float(np.mean([relevance[place] for place in own])), own) for own in lists.values() if len(own) >= _FEWEST_ITEMS]
    return max(means, default=(0.0, []))[1]


def _names_another(statement: Statement, topic: Topic | None) -> bool:
    named = topics_of(statement.path[-1]) if statement.path else {}
    is_about_us = topic in _LISTED and Topic.PROFILE in named  # what we do is part of who we are
    return topic is not None and bool(named) and topic not in named and not is_about_us


def _within(
    statements: Sequence[Statement],
    relevance: Vectors,
    evidence: Mapping[int, float],
    places: Sequence[int],
    most: float,
    *,
    by_fit: bool,
) -> tuple[int, ...]:
    """As many statements as there are words for: section by section, the clearest heading first."""
    sections: dict[int, list[int]] = {}
    for place in places:
        sections.setdefault(statements[place].section, []).append(place)
    for section, own in sections.items():
        labeled = [place for place in own if evidence[place] == _LABELED]
        sections[section] = labeled if len(labeled) > 1 else own
    order = sorted(
        sections.values(),
        key=lambda own: (-round(max(evidence[each] for each in own), 1), -float(np.mean([relevance[each] for each in own]))),
    )
    ranked = sorted(places, key=lambda place: -relevance[place]) if by_fit else [place for own in order for place in own]
    kept, spent = list[int](), 0
    for place in ranked:
        count = len(statements[place].text.split())
        if spent + count <= most or not kept:
            kept.append(place)
            spent += count
    return tuple(sorted(kept))

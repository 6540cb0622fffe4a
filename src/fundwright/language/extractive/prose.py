"""Chooses the sentences and list items that answer a question.

The score of a sentence has two parts. The first is its position: a heading that names the topic of the question, the title of its
document, and the kind of the document. The second is its content: its similarity to the question minus half its similarity to a
generic question, because sentences about projects and plans resemble every question of a proposal. Answers without a heading are
chosen by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998, https://doi.org/10.1145/290941.291025).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fundwright.language.extractive.claims import Others
from fundwright.language.extractive.facts import EMAIL, PHONE
from fundwright.language.extractive.headings import Headings
from fundwright.language.extractive.inventory import is_no_item, item_of, names_prices
from fundwright.language.extractive.projects import ProjectField, project_field
from fundwright.language.protocols import NumberedPassage, Vectors
from fundwright.language.schemas import OUR_KINDS, DocumentKind, nearest_heading
from fundwright.language.structure import BlockKind, read
from fundwright.language.topics import Topic, topics_of

MIN_RELEVANCE = 0.37
"""The minimum relevance of a sentence if no heading names the topic."""
MIN_POSSIBLE = 0.2
"""If nothing answers the question, sentences with at least this relevance are shown as possible matches, wherever they are."""
_MAX_POSSIBLE = 2
_NAMED, _ABOVE, _DOCUMENT, _OTHER = 1.0, 0.8, 0.3, -0.4
"""The evidence if the topic is named by the nearest heading, a heading above it, or the document, or if the heading names another
topic."""
_EVIDENCE_WEIGHT = 0.1
_RELEVANCE_WEIGHT = 0.7
_FIT_WEIGHT = 0.3
_MIN_SHARE = 0.6
"""A sentence with less than this share of the best one's relevance is omitted."""
_DUPLICATE_SIMILARITY = 0.92
"""Sentences with a higher cosine similarity are duplicates."""
_MIN_FIT = 0.22
_MIN_WORDS, _MAX_WORDS, _MIN_LISTED_WORDS = 4, 70, 2
_SMALL_SHARE = 0.2
_MIN_LETTERS = 0.45
"""The minimum share of letters in a sentence: “First pass yield 99.1% in 2025.”"""
_STANDARD = re.compile(r"\b(?:ISO(?:/IEC)?|IEC|EN|AS|NIST(?: SP)?|ASTM|ANSI|SOC|OHSAS)[ -]?[A-Z]?\d[\d:./-]*(?<!\D)")
"""“ISO/IEC 27001:2022.”"""
_NAME_WORDS = 8
_NAMED_FACTOR = 1.6
"""If a heading names the topic, the text may exceed the requested length by this factor."""

_PROPOSALS = frozenset((DocumentKind.ABOUT_US, DocumentKind.PREVIOUS_PROPOSAL))
_KINDS: dict[Topic, frozenset[DocumentKind]] = {
    Topic.CAPABILITIES: _PROPOSALS,
    Topic.DIFFERENTIATORS: _PROPOSALS,
    Topic.FACILITIES: _PROPOSALS | {DocumentKind.DATA},
    Topic.PROFILE: frozenset((DocumentKind.ABOUT_US,)),
    Topic.FIT: _PROPOSALS | {DocumentKind.PAST_PERFORMANCE},
    Topic.NEED: _PROPOSALS | {DocumentKind.DATA},
    Topic.AIMS: _PROPOSALS,
    Topic.APPROACH: _PROPOSALS,
    Topic.OUTCOMES: _PROPOSALS,
    Topic.OFFER: _PROPOSALS,
    Topic.PAST_PERFORMANCE: _PROPOSALS | {DocumentKind.PAST_PERFORMANCE},
    Topic.PEOPLE: _PROPOSALS | {DocumentKind.RESUME},
    Topic.COMPANY_DATA: _PROPOSALS,
    Topic.CONTACT: frozenset((DocumentKind.ABOUT_US,)),
    Topic.CHALLENGES: _PROPOSALS | {DocumentKind.PAST_PERFORMANCE},
    Topic.PLAN: _PROPOSALS,
    Topic.REVIEW: frozenset((DocumentKind.PREVIOUS_PROPOSAL,)),
    Topic.NOT_OFFERED: frozenset((DocumentKind.ABOUT_US,)),
}
"""Kinds of documents that can answer. The results of a past project, for example, are not the expected results of the next one."""
_MAIN_KIND = {Topic.PAST_PERFORMANCE: DocumentKind.PAST_PERFORMANCE, Topic.PEOPLE: DocumentKind.RESUME}
_RELATED: dict[Topic, frozenset[Topic]] = {
    Topic.OFFER: frozenset((Topic.AIMS, Topic.OUTCOMES)),
    Topic.NEED: frozenset((Topic.AIMS,)),
    Topic.FIT: frozenset((Topic.CAPABILITIES, Topic.DIFFERENTIATORS, Topic.PAST_PERFORMANCE, Topic.PROFILE)),
}
"""Topics of other headings under which an answer can be, if it is relevant; those headings then do not count as naming another
topic."""
_HEADED_ONLY = frozenset(
    (Topic.DIFFERENTIATORS, Topic.AIMS, Topic.PAST_PERFORMANCE, Topic.PEOPLE, Topic.COMPANY_DATA, Topic.CONTACT)
)
"""Many sentences resemble these topics, so a heading is required."""
_NAICS = re.compile(r"\d{6}\b")
_INTRODUCING = frozenset((Topic.PROFILE,))
_FACT_TOPICS = frozenset((Topic.PAST_PERFORMANCE, Topic.PEOPLE, Topic.COMPANY_DATA, Topic.CONTACT))
"""Lines under these topics are names and numbers, not statements about us."""
_NAMES_OF_PROJECT = frozenset((ProjectField.TITLE, ProjectField.CUSTOMER, ProjectField.CONTRACT))
"""Labels of a project's names and numbers, which do not describe the work."""
_FUTURE = re.compile(
    r"\b(?:will|want to|would|hopes? to|intends? to|aim|objective|determine|test whether|plans? to|propos\w+|expect\w*|anticipat\w+|by (?:month|year|the end|20\d\d|day)|target|aims? to|goal|objective|deliverables?|milestones?|is defined as|(?:is |are )?measured? (?:by|against|as)|primary measure"
    r"|werden|wird|sollen|erwart\w+|bis (?:ende|monat)|geplant|prévoi\w+|prévu\w*|livr\w+ra|attend\w*|d'ici)\b",
    re.IGNORECASE,
)
_PROFILE = re.compile(
    r"\b(?:founded|established|incorporated|headquartered|since (?:19|20)\d\d|employees|people|members|nonprofit|small business|is an? |are an? |gegründet|seit (?:19|20)\d\d|mitarbeit\w+|fondée? en|depuis (?:19|20)\d\d|salariés)\b",
    re.IGNORECASE,
)
_AIM_LABEL = re.compile(
    r"(?:specific |research )?(?:aim|objective|goal|hypothesis|task|phase|milestone|step|ziel|arbeitspaket|objectif|étape|lot)s?\s?\d{0,2}[a-c]?|central hypothesis|long-term goal",
    re.IGNORECASE,
)
_AIM = re.compile(
    r"\b(?:goals?|hypothes\w+|objectives?|aims?|purpose|propos\w+|will|ziele?|hypothese|objectifs?|buts?)\b", re.IGNORECASE
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|does|did|do|will|would|can|could|may|must|holds?|leads?|led|runs?|ran|makes?|made|builds?|built|wins?|won|keeps?|kept|meets?|met|takes?|took|gives?|gave"
    r"|holds?|held|writes?|wrote|brings?|brought|grew|grows?|fell|falls?|rose|cut|sells?|sold|teaches|taught|provides?|designs|offers?|uses?|employs?|operates?|owns?|serves?|covers?|supports|manages"
    r"|maintains?|delivers?|develops?|studies|combines?|trains|treats|helps?|works?|includes?|means?|shows?|staffs?|performs?|self-performs|lives?|owns?|reports?|sits?|stands?"
    r"|ist|sind|war|waren|hat|haben|hatte|wird|werden|wurde|wurden|kann|können|est|sont|était|a|ont|avait|sera|seront|peut|peuvent|\w{2,}(?<!e)ons|\w{3,}(?:ait|aient|ent|te|ten))\b"
)
_DISTINCT = re.compile(
    r"\b(?:the only|no other|unusual|unique\w*|unlike|never|nobody else|within \d+ (?:hours|days)|einzige\w*|seul\w*)(?!\w)",
    re.IGNORECASE,
)
"""Words that make a sentence about us a differentiator."""
_FOUNDED = re.compile(
    r"\b(?:founded|incorporated|headquartered|based in|in business (?:since|for)|gegründet|mit sitz in|fondée? en|basée? à)\b",
    re.IGNORECASE,
)
"""Words for when a company was founded and where it works."""
_OFFERED = re.compile(
    r"\b(?:provid|offer|speciali[sz]|design|install|maintain|inspect|build|develop|manufactur|deliver|suppl(?:y|ies)|repair|operat|monitor|train|advis|test|calibrat|clean|translat|manag|perform|conduct|support"
    r"|biete|entw|plan|liefer|proposo|conce|réalis|fourni)\w*",
    re.IGNORECASE,
)
_STATED = re.compile(r"\b(?:is|are|was|were|has|have|had|will|we|our|i|it|they|ist|sind|wir|est|sont|nous)\b", re.IGNORECASE)
_MIN_LISTED_PARTS = 3
_MIN_SMALL_SHARE = 0.6
_UNDER_ANY_HEADING: dict[Topic | None, re.Pattern[str]] = {Topic.DIFFERENTIATORS: _DISTINCT, Topic.PROFILE: _FOUNDED}
"""Topics that text in a document about us answers under any heading if no heading names the topic."""
_NOT_OFFERED = re.compile(r"(?:we|wir|nous)\s(?:do not|don['’]t|no longer|bieten kein|ne)\b", re.IGNORECASE)
_PERSONAL_SUBJECT = re.compile(r"(?:we|wir|nous|i|ich|je|they)\b", re.IGNORECASE)
_PAST = re.compile(r"\b[a-zäöü]\w*ed\b")
_NO_SUBJECT = re.compile(
    r"(?:\w+ed|led|built|won|wrote|held|made|ran|kept|met|cut|taught)\b|\w+ing\b(?! \w+ (?:is|are|was|were)\b)|(?:has|have|had|was|were)\b",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?![\w*])")
_WRITTEN_ITEM = re.compile(r"^[-*+•] +(\S[^\n]*)$", re.MULTILINE)
_ITEM_NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){1,3}|\(?\d{1,2}[.)])\s+")
_ITEM_LABEL = re.compile(r"([A-ZÄÖÜÉÀ][^:.;]{2,40}):\s")
_ADDRESS = re.compile(r"@|\d{3}\)?[ .-]\d{3}|\b[A-Z]{2} \d{5}\b")
_CITED = re.compile(r" ?\[[0-9]{1,4}\]")
_NOTE = re.compile(r"\s{0,5}\[\[[^\]]{0,300}\]\]|^\[[^\]]{20,400}\]?|\s\[[^\]]{20,400}\]$")
"""Notes that the authors of the document wrote for each other."""
_SENTENCE_END = re.compile(r"[.!…][\"”’')\]]{0,3}$")
_REFERS_BACK = re.compile(
    r"(?:he|she|it|they|his|her|its|their|this|these|those|such|both|however|also|additionally|moreover|furthermore|therefore|"
    r"er|sie|es|dies\w*|außerdem|daher|il|elle|ils|elles|cette?|ces|de plus)\b|.{0,60}\b(?:he|she)\b",
    re.IGNORECASE,
)


_NOT_QUOTED = frozenset((Topic.REVIEW, Topic.NOT_OFFERED))
_PROGRAMS = frozenset((Topic.CAPABILITIES, Topic.APPROACH))
_PLAN, _NO_TOPICS = frozenset((Topic.PLAN,)), frozenset[Topic]()
_NEED_WORDS = re.compile(
    r"\b(?:cannot|can['’]t|could not|lacks?|lacking|loses?|lost|without|unable|fewer than|shortages?|barriers?|obstacles?|problems?|burden\w*|unmet|rarely|hardly|nobody|not enough|fehl\w+|mangel\w*|manque\w*)\b",
    re.IGNORECASE,
)
_AIM_WORDS = re.compile(
    r"\b(?:will|want|would|aim|goal|objective|plan|propos\w+)\b.{0,60}\b(?:to|raise|open|build|reach|reduce|increase|demonstrate|develop|screen|equip|close)\b|\bover \d+ (?:months|years)\b",
    re.IGNORECASE,
)
_METHOD_WORDS = re.compile(
    r"\b(?:years? \d|months? \d|weeks? \d|days? \d|phase|budget period|go/no-go|jahr \d|monat \d|année \d|mois \d)\b",
    re.IGNORECASE,
)


def _planned_topics(text: str) -> frozenset[Topic]:
    """Return the topics that a sentence of a plan answers, judged by its words."""
    if _METHOD_WORDS.search(text):
        return frozenset((Topic.APPROACH,))
    if _AIM_WORDS.search(text):
        return frozenset((Topic.AIMS, Topic.OFFER))
    return frozenset((Topic.NEED,)) if _NEED_WORDS.search(text) else frozenset((Topic.APPROACH,))


@dataclass(frozen=True)
class Candidate:
    """A sentence or item that can be quoted. `named` are the topics of the headings above it, the nearest last."""

    number: int
    place: int
    text: str
    heading: tuple[str, ...]
    kind: DocumentKind
    document: str
    named: tuple[frozenset[Topic], ...]
    is_listed: bool
    label: str = ""
    is_introduction: bool = False
    """Whether it introduces the organization."""
    of_document: frozenset[Topic] = frozenset()
    """The topics in the title of its document."""
    is_planned: bool = False
    """Whether it is in a proposal, or below a heading that names a plan, so that its words determine its topic."""
    is_written: bool = False
    """Whether an earlier section of the draft already contains it."""
    before: int | None = None
    """Index of the candidate that this one refers to (“She …”) and that must precede it."""

    @property
    def quoted(self) -> str:
        return f"{self.label}: {self.text}" if self.label else self.text

    @property
    def is_of_programs(self) -> bool:
        """Whether its heading is “Programs” or the like: what the organization offers, and its approach if nothing else is."""
        return any(topics >= _PROGRAMS for topics in self.named)

    def evidence(self, topic: Topic | None) -> float:
        """How strongly its headings and its document suggest that it answers a question about `topic`."""
        if topic is None:
            return 0.0
        if _AIM_LABEL.fullmatch(self.label) and topic == Topic.AIMS:
            return _NAMED
        if self.is_planned and not any(topics - _PLAN for topics in self.named[-1:]) and topic in _planned_topics(self.quoted):
            return _ABOVE
        for distance, topics in enumerate(reversed(self.named)):
            topics = topics - _PLAN
            if topic in topics:
                return _NAMED if distance == 0 else _ABOVE
            if topics & _RELATED.get(topic, frozenset()):
                return _ABOVE if topic == Topic.OFFER and self.kind == DocumentKind.PREVIOUS_PROPOSAL else 0.0
            if topics:
                return _OTHER
        if topic == Topic.PROFILE and not self.is_listed and (self.is_introduction or _PROFILE.search(self.text)):
            return _ABOVE
        if self.kind == _MAIN_KIND.get(topic):
            return _ABOVE
        is_of_document = topic in self.of_document
        return _ABOVE if is_of_document and self.kind == DocumentKind.DATA else _DOCUMENT if is_of_document else 0.0


def candidates(
    passages: Sequence[NumberedPassage],
    others: Others,
    *,
    written: str,
    work: Mapping[str, Collection[str]],
    headings: Headings,
) -> list[Candidate]:
    """The quotable sentences and items of the passages, without duplicates, in order. `work` contains the sentences about our work
    in each project document; the other sentences of these documents are about others. `headings` are those classified by their
    meaning."""
    found: list[Candidate] = []
    mentioned: set[str] = set()
    items = {_CITED.sub("", item[1]).strip().casefold() for item in _WRITTEN_ITEM.finditer(written)}
    written = " ".join(written.split()).casefold()
    for passage in passages:
        if not passage.kind.is_ours:
            continue
        last_place, last = -2, 0
        for candidate in _candidates_of(passage, others, headings):
            key = candidate.text.casefold()
            # Short items occur within many sentences that say something else.
            is_written = candidate.quoted.casefold() in items if candidate.is_listed else key in written
            is_name = candidate.is_listed and others.is_us(candidate.text) and len(candidate.text.split()) <= _NAME_WORDS
            is_of_others = (
                passage.kind == DocumentKind.PAST_PERFORMANCE
                and candidate.text not in work.get(passage.document, (candidate.text,))
                and not any(Topic.CHALLENGES in topics for topics in candidate.named)
            )
            if key in mentioned or is_name or is_of_others or not others.may_claim(candidate.text):
                continue
            candidate = replace(candidate, is_written=is_written)
            if not candidate.is_listed and _REFERS_BACK.match(candidate.text):
                if last_place != candidate.place - 1:
                    continue
                candidate = replace(candidate, before=last)
            mentioned.add(key)
            last_place, last = candidate.place, len(found)
            found.append(candidate)
    return found


def _candidates_of(passage: NumberedPassage, others: Others, headings: Headings) -> Iterator[Candidate]:
    above = tuple(topics_of(part) or headings.get(part, _NO_TOPICS) for part in passage.heading)
    named, heading = above, passage.heading
    is_headed, is_begun, is_before_aims = True, False, False
    is_priced = names_prices(nearest_heading(passage.heading))
    of_document = topics_of(passage.document) or headings.get(passage.document, _NO_TOPICS)
    is_equipment = passage.kind == DocumentKind.DATA and Topic.FACILITIES in of_document
    for place, block in enumerate(read(passage.text)):
        if block.kind == BlockKind.HEADING:
            # The passage starts with its own heading.
            own = topics_of(block.text) or headings.get(block.text, _NO_TOPICS)
            last = nearest_heading(passage.heading)
            is_own = block.text.casefold() == last.casefold()
            # A heading after the first text, in the same style as the passage's heading, is a sibling of it, not a child.
            is_beside = is_begun and last.isupper() == block.text.isupper()
            named = above if is_own else (*above[:-1], own) if is_beside else (*above, own)
            path = passage.heading[:-1] if is_beside else passage.heading
            heading = passage.heading if is_own else (*path, block.text)
            is_priced = names_prices(block.text)
            is_headed, is_before_aims = is_own or is_beside, Topic.AIMS in own
            continue
        is_begun = is_begun or is_headed
        if any(each & _NOT_QUOTED for each in named):
            continue
        label = block.label if block.kind in (BlockKind.PAIR, BlockKind.SENTENCE) else ""
        topics = topics_of(label) if label else frozenset[Topic]()
        if block.kind == BlockKind.ITEM and (first := _ITEM_LABEL.match(block.text)) and topics_of(first[1]):
            # “Own fleet: two aircraft” answers questions about the topic above it and about equipment.
            topics = topics_of(first[1]) | (named[-1] if named else frozenset[Topic]())
        text = " ".join(_NOTE.sub("", _EMPHASIS.sub(r"\2", block.text)).split())
        text = text.rstrip(",;") if block.kind == BlockKind.ITEM else text
        # A page of aims starts with the need for them.
        is_before_aims = is_before_aims and block.kind == BlockKind.SENTENCE and not _AIM.search(f"{label} {text}")
        if is_before_aims:
            topics = frozenset((Topic.NEED,))
        is_listed = block.kind in (BlockKind.ITEM, BlockKind.PAIR)
        is_stated = is_equipment or (
            passage.kind in _PROPOSALS
            and not _ADDRESS.search(text)
            and (topics or _AIM_LABEL.fullmatch(label) or len(text.split()) > 5)
        )
        is_of_project = not topics and project_field(label) in _NAMES_OF_PROJECT
        if block.kind == BlockKind.PAIR and (not is_stated or is_of_project):
            continue
        is_line_listed = (
            block.kind == BlockKind.LINE
            and ((any(named[-1:]) and not named[-1] & _FACT_TOPICS) or (is_equipment and len(text.split()) >= _MIN_WORDS))
            and not _ADDRESS.search(text)
        )
        is_unended = block.kind == BlockKind.LINE or (block.kind == BlockKind.SENTENCE and not _SENTENCE_END.search(text))
        is_table_of_items = (
            not named[-1] & _FACT_TOPICS if any(named[-1:]) else bool(of_document and block.columns) or is_equipment
        )
        if block.kind == BlockKind.ROW and is_table_of_items:
            is_counted = len(block.cells) == 2 and block.cells[1].isdecimal()
            is_listed, text = True, ": ".join(block.cells) if is_counted else item_of(block)
        elif is_line_listed or (is_unended and not any(named) and _enumerates(text)):
            is_listed, text = True, _ITEM_NUMBER.sub("", text)
        elif block.kind not in (BlockKind.ITEM, BlockKind.SENTENCE, BlockKind.PAIR):
            continue
        if is_equipment and block.kind == BlockKind.PAIR and text.isdecimal():
            text = f"{label}: {text}"  # “Supervisor SUV      5”
            label = ""
        is_of_facilities = is_equipment or any(Topic.FACILITIES in topics for topics in named[-1:])
        is_in_row = block.kind == BlockKind.ROW
        is_contact = bool(PHONE.search(text) or EMAIL.search(text))
        if (
            is_contact
            or not _is_worth_quoting(text, is_listed=is_listed, may_be_upper=is_in_row)
            or (is_of_facilities and (is_priced or is_no_item(block)))
        ):
            continue
        is_kept = _AIM_LABEL.fullmatch(label) or (block.kind == BlockKind.PAIR and not topics)
        yield Candidate(
            number=passage.number,
            place=place,
            text=text,
            heading=heading,
            kind=passage.kind,
            document=passage.document,
            named=(*named, topics) if topics else named,
            is_listed=is_listed,
            label=label if is_kept else "",
            of_document=of_document,
            is_planned=passage.kind == DocumentKind.PREVIOUS_PROPOSAL or any(Topic.PLAN in each for each in named),
            is_introduction=passage.kind == DocumentKind.ABOUT_US and not is_listed and others.has_us_as_subject(text),
        )


def _is_worth_quoting(text: str, *, is_listed: bool, may_be_upper: bool = False) -> bool:
    words = text.split()
    least = _MIN_LISTED_WORDS if is_listed else _MIN_WORDS
    if not least <= len(words) <= _MAX_WORDS or text.endswith(("?", ":", ";", ",")) or "|" in text:
        return False
    if is_listed:
        plain = _STANDARD.sub("standard", text)
        return (
            not (text[0] == "(" and text[-1] == ")")
            and (may_be_upper or not (plain.isupper() and len(words) > 1))
            and _share_of_letters(plain) > 0.5
        )
    if not _SENTENCE_END.search(text):
        return False
    # Titles have few words in lower case. German nouns are capitalized, so the share is low.
    small = sum(word[0].islower() for word in words)
    if small < max(2, len(words) * _SMALL_SHARE):
        return False
    # Sentences cut off at the border of a passage do not start like a sentence.
    is_started = words[0][0].isupper() or words[0][0] in "“\"'(" or words[0][0].isdigit()
    return is_started and _share_of_letters(text) > _MIN_LETTERS and text.upper() != text


def _share_of_letters(text: str) -> float:
    return sum(character.isalpha() for character in text) / len(text)


def is_full_sentence(text: str) -> bool:
    """Whether it is a full sentence, with a subject and a verb, unlike “Removed 16 boilers.”"""
    if _PERSONAL_SUBJECT.match(text):
        return True
    return not _NO_SUBJECT.match(text) and bool(_FINITE.search(text) or _PAST.search(text))


@dataclass(frozen=True)
class Comparison:
    """For each candidate: relevance to each question (questions, candidates), fit to the opportunity, and unit vectors."""

    relevance: Vectors
    fit: Vectors
    vectors: Vectors


@dataclass(frozen=True)
class Choice:
    """Indexes of candidates: the answer to a question, or else possible matches."""

    answer: tuple[int, ...] = ()
    possible: tuple[int, ...] = ()


def choose(
    found: Sequence[Candidate],
    compared: Comparison,
    place: int,
    topic: Topic | None,
    *,
    words: int,
    taken: frozenset[int],
    others: Others,
) -> Choice:
    """The answer to the question at `place`, with about this many words."""
    kinds = _KINDS[topic] if topic else OUR_KINDS - {DocumentKind.RESUME}
    relevant = [
        index
        for index, candidate in enumerate(found)
        if index not in taken and candidate.kind in kinds and _is_asked_for(candidate, topic, others)
    ]
    chosen = _choose(found, compared, place, topic, [index for index in relevant if not found[index].is_written], words=words)
    if not chosen.answer and (words_of_topic := _UNDER_ANY_HEADING.get(topic)):
        anywhere = [
            index for index in relevant if found[index].kind == DocumentKind.ABOUT_US and words_of_topic.search(found[index].text)
        ]
        chosen = Choice(answer=tuple(_fit_length(found, anywhere, compared, place, words=words)))
    if not chosen.answer and topic == Topic.CAPABILITIES:
        offered = _with_lists(found, relevant, [index for index in relevant if _states_offer(found[index])])
        chosen = Choice(answer=tuple(_fit_length(found, offered, compared, place, words=words)))
    if not chosen.answer and topic is not None:
        # Repeat an answer under the right heading rather than list the question as open.
        repeated = [index for index in relevant if found[index].is_written and found[index].evidence(topic) == _NAMED]
        chosen = Choice(answer=tuple(_fit_length(found, repeated, compared, place, words=words)))
    return chosen if chosen.answer else Choice(possible=_possible(found, compared, place, topic))


def in_order(found: Sequence[Candidate], chosen: Sequence[int], *, is_by_fit: bool) -> list[Candidate]:
    """Return the chosen candidates in the order of their documents. With `is_by_fit`, what is under one heading stays together, and the
    headings are in the order of `chosen`, the best first."""
    headings = list(dict.fromkeys((found[index].document, found[index].heading) for index in chosen)) if is_by_fit else []
    places = {heading: place for place, heading in enumerate(headings)}
    return [
        found[index]
        for index in sorted(chosen, key=lambda index: (places.get((found[index].document, found[index].heading), 0), index))
    ]


def _with_lists(found: Sequence[Candidate], relevant: Sequence[int], chosen: Sequence[int]) -> list[int]:
    """Return the chosen candidates, with the other items of any list from which one is chosen."""
    lists = {(found[index].number, found[index].heading) for index in chosen if found[index].is_listed}
    return [
        index
        for index in relevant
        if index in chosen or (found[index].is_listed and (found[index].number, found[index].heading) in lists)
    ]


def _states_offer(candidate: Candidate) -> bool:
    """Whether a document about us says what we offer, below its title, in its introduction of us, or below headings that name no topic."""
    if candidate.kind != DocumentKind.ABOUT_US or any(topics - _INTRODUCING for topics in candidate.named):
        return False
    is_stated = candidate.is_introduction or _PERSONAL_SUBJECT.match(candidate.text)
    return _enumerates(candidate.text) or bool(is_stated and _OFFERED.search(candidate.text))


def _enumerates(text: str) -> bool:
    """“Streamgage installation, sonde calibration, and telemetry.” An address or a list of names has more capitals."""
    words = text.split()
    small = sum(word[0].islower() for word in words)
    return (
        len(re.split("[,;]", text)) >= _MIN_LISTED_PARTS and small >= len(words) * _MIN_SMALL_SHARE and not _STATED.search(text)
    )


def _possible(found: Sequence[Candidate], compared: Comparison, place: int, topic: Topic | None) -> tuple[int, ...]:
    """Return candidates close to an answer for a person to review: no identifiers, and nothing about individuals."""
    if topic in _FACT_TOPICS - {Topic.PAST_PERFORMANCE}:
        return ()
    relevance = compared.relevance[place]
    close = [
        index
        for index, candidate in enumerate(found)
        if candidate.kind != DocumentKind.RESUME and not _is_code(candidate) and relevance[index] >= MIN_POSSIBLE
    ]
    return tuple(sorted(close, key=lambda index: -float(relevance[index]))[:_MAX_POSSIBLE])


def _is_code(candidate: Candidate) -> bool:
    """“541511 · Custom Computer Programming Services” is company data, whatever it resembles."""
    return any(Topic.COMPANY_DATA in topics for topics in candidate.named[-1:]) and bool(_NAICS.match(candidate.text))


def _choose(
    found: Sequence[Candidate], compared: Comparison, place: int, topic: Topic | None, may: list[int], *, words: int
) -> Choice:
    relevance = compared.relevance[place]
    if topic == Topic.FIT:
        return _choose_fitting(found, compared, may, words)
    evidence = {index: found[index].evidence(topic) for index in may}
    named = [index for index in may if evidence[index] >= _ABOVE]
    if topic == Topic.OFFER and any(evidence[index] == _NAMED for index in named):
        named = [index for index in named if evidence[index] == _NAMED]
    if topic == Topic.APPROACH:
        named = [index for index in named if not found[index].is_of_programs] or named
    total = {index: float(relevance[index]) + _EVIDENCE_WEIGHT * evidence[index] for index in may}
    relevant = [] if topic in _HEADED_ONLY else [index for index in may if total[index] >= MIN_RELEVANCE]
    if named:
        more = [
            index
            for index in relevant
            if index not in named and topic in (Topic.NEED, Topic.OUTCOMES, Topic.FACILITIES, Topic.OFFER)
        ]
        kept = _fit_length(
            found,
            named,
            compared,
            place,
            words=int(words * (_NAMED_FACTOR if any(evidence[index] == _NAMED for index in named) else 1)),
        )
        spent = sum(len(found[index].text.split()) for index in kept)
        if more and spent < words:
            kept += [index for index in _diverse(found, more, total, compared, words=words - spent) if index not in kept]
        return Choice(answer=tuple(kept))
    if relevant:
        return Choice(answer=tuple(_diverse(found, relevant, total, compared, words=words)))
    return Choice()


def _is_asked_for(candidate: Candidate, topic: Topic | None, others: Others) -> bool:
    if topic == Topic.CAPABILITIES and _NOT_OFFERED.match(candidate.text):
        return False
    if topic in (Topic.OUTCOMES, Topic.OFFER):
        is_future = bool(_FUTURE.search(f"{nearest_heading(candidate.heading)} {candidate.quoted}"))
        kinds = _PROPOSALS if topic == Topic.OUTCOMES else frozenset((DocumentKind.PREVIOUS_PROPOSAL,))
        return is_future or (candidate.evidence(topic) == _NAMED and candidate.kind in kinds)
    if topic == Topic.PROFILE:
        return others.mentions_us(candidate.text) or candidate.evidence(topic) == _NAMED
    return True


def _fit_length(found: Sequence[Candidate], named: list[int], compared: Comparison, place: int, *, words: int) -> list[int]:
    """The candidates under the heading, in order; if they are too long, the least relevant are omitted."""
    value = compared.relevance[place] + _FIT_WEIGHT * compared.fit
    kept: list[int] = []
    spent = 0
    # Position counts, too: authors put the most important things first.
    order = sorted(named, key=lambda index: -float(value[index]) + 0.02 * named.index(index))
    for index in order:
        count = len(found[index].text.split())
        if spent + count > words and kept:
            continue
        kept.append(index)
        spent += count
    for index in list(kept):
        before = found[index].before
        if before is not None and before not in kept:
            kept.append(before)
    return kept


def _diverse(
    found: Sequence[Candidate], relevant: list[int], total: dict[int, float], compared: Comparison, *, words: int
) -> list[int]:
    best = max(total[index] for index in relevant)
    open_to_choice = [index for index in relevant if total[index] >= _MIN_SHARE * best]
    chosen: list[int] = []
    spent = 0
    while open_to_choice and spent < words:
        scores = np.array([total[index] + _FIT_WEIGHT * float(compared.fit[index]) for index in open_to_choice])
        seen = (
            (compared.vectors[open_to_choice] @ compared.vectors[chosen].T).max(axis=1)
            if chosen
            else np.zeros(len(open_to_choice))
        )
        value = _RELEVANCE_WEIGHT * scores - (1 - _RELEVANCE_WEIGHT) * seen
        place = int(np.argmax(value))
        index: int | None = open_to_choice.pop(place)
        if seen[place] >= _DUPLICATE_SIMILARITY:
            continue
        while index is not None and index not in chosen:
            chosen.append(index)
            spent += len(found[index].text.split())
            index = found[index].before
        open_to_choice = [index for index in open_to_choice if index not in chosen]
    return chosen


def _choose_fitting(found: Sequence[Candidate], compared: Comparison, may: list[int], words: int) -> Choice:
    """Return the capabilities and past work that best match the requirements of the opportunity."""
    fit = {index: float(compared.fit[index]) for index in may if found[index].evidence(Topic.FIT) > _OTHER}
    close = [index for index, value in fit.items() if value >= _MIN_FIT]
    if close:
        return Choice(answer=tuple(_diverse(found, close, fit, compared, words=words)))
    return Choice()

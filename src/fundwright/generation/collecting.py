"""Collects the material for a section: parts of the documents about us, the facts in them, and the requirements of the notice.

A part is the text between two headings, so that a citation names the right one. Parts are chosen by their headings, by the kind of their document,
and by a search. A fact cites its own record.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import groupby
from uuid import UUID

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.facts import service as facts
from fundwright.facts.schemas import DraftFact
from fundwright.generation.choosing import used_by_drafts
from fundwright.language.protocols import CitedFact, Embedder
from fundwright.opportunities.schemas import OpportunityRead
from fundwright.reading.company import infer_company
from fundwright.reading.entries import Entry, entries_of
from fundwright.reading.kinds import OUR_KINDS, DocumentKind
from fundwright.reading.topics import Topic, topics_of
from fundwright.reading.topics import topic_of as topic_named
from fundwright.templates.schemas import TemplateQuestion, TemplateSection
from fundwright.training import searching
from fundwright.training.schemas import DocumentText, Passage, PassagePlace

_FOUND_PER_QUESTION = 24
_REQUIREMENTS = 6
_DEADLINE_S = 120.0
"""A million characters of documents take some seconds."""
_MIN_SIMILARITY = 0.2
"""The minimum cosine similarity of a passage that answers a question. It is low, because the answer may be one of many sentences.
"""
_MOST_PART_WORDS = 260
_MAX_CHARACTERS = 400_000
"""The number of characters read from a document, more than the writer gets in total."""
_EXTRACTIVE_WORDS, _GENERATIVE_WORDS = 9_000, 2_200
"""The size of a writer's input. A generative writer reads all of it, and its context may be as short as 4,096 tokens."""
_HEADED, _OF_KIND, _REPETITION = 1.0, 0.6, 0.15
"""Added to the similarity if a heading names the topic, or if the document's kind fits; and subtracted if an earlier section has
cited the part."""
_KINDS_OF_TOPICS = {
    Topic.PAST_PERFORMANCE: frozenset((DocumentKind.PAST_PERFORMANCE,)),
    Topic.PEOPLE: frozenset((DocumentKind.RESUME,)),
    Topic.COMPANY_DATA: frozenset((DocumentKind.ABOUT_US,)),
    Topic.CONTACT: frozenset((DocumentKind.ABOUT_US,)),
    Topic.CAPABILITIES: frozenset((DocumentKind.ABOUT_US,)),
    Topic.PROFILE: frozenset((DocumentKind.ABOUT_US,)),
    Topic.FIT: frozenset((DocumentKind.ABOUT_US, DocumentKind.PAST_PERFORMANCE)),
    Topic.OFFER: frozenset((DocumentKind.PREVIOUS_PROPOSAL,)),
    Topic.NEED: frozenset((DocumentKind.PREVIOUS_PROPOSAL,)),
    Topic.AIMS: frozenset((DocumentKind.PREVIOUS_PROPOSAL,)),
    Topic.APPROACH: frozenset((DocumentKind.PREVIOUS_PROPOSAL,)),
    Topic.OUTCOMES: frozenset((DocumentKind.PREVIOUS_PROPOSAL,)),
}


class Part(Passage):
    """A part of a document, with the names of the columns if it begins with a row. A record is the part that a fact cites."""

    head: str = ""
    is_record: bool = False


@dataclass(frozen=True)
class Material:
    """The material for a section. The writer's passage n is `parts[n - 1]`."""

    parts: list[Part]
    facts: tuple[CitedFact, ...]
    requirements: tuple[str, ...]
    company: str
    unanswered: frozenset[int]
    """The indexes of questions that no part answers."""


@needs(Permission.READ)
async def collect(
    core: Core,
    actor: Actor,
    section: TemplateSection,
    opportunity: OpportunityRead,
    embedder: Embedder,
    *,
    cited: Collection[tuple[UUID, str]] = (),
    document_ids: Collection[UUID] | None = None,
    company: str = "",
    is_generative: bool = False,
) -> Material:
    """Find parts of the documents about us for each question of a section. `cited` has the passage and the text of the draft's
    existing citations."""
    similar: list[dict[UUID, float]] = []
    for question in section.questions:
        passages = await searching.find_passages(
            core,
            actor,
            question_text(question, opportunity),
            embedder=embedder,
            limit=_FOUND_PER_QUESTION,
            document_ids=document_ids,
            kinds=OUR_KINDS,
        )
        similar.append({passage.id: passage.similarity for passage in passages})
    required = await searching.find_passages(
        core,
        actor,
        f"{opportunity.title} {section.heading}",
        embedder=embedder,
        limit=_REQUIREMENTS,
        document_ids=document_ids,
        kinds=[kind for kind in DocumentKind if kind.is_requirement],
    )
    found = tuple(passage_id for passages in similar for passage_id in passages)
    async with core.database.reading() as session:
        known = await facts.for_drafts(session, actor, document_ids)
    first = (*(fact.passage_id for fact in known if fact.passage_id), *found)
    documents = await searching.read_documents(core, actor, document_ids=document_ids, kinds=OUR_KINDS, first=first)
    choose = partial(
        _choose_from, section, documents, known, similar, cited, company=company, is_generative=is_generative, today=now().date()
    )
    parts, cited_facts, unanswered, company = await core.computing.run(choose, deadline_s=_DEADLINE_S, is_background=True)
    requirements = tuple(passage.text for passage in required)
    return Material(parts=parts, facts=cited_facts, requirements=requirements, company=company, unanswered=unanswered)


def _choose_from(
    section: TemplateSection,
    documents: Sequence[DocumentText],
    known: Sequence[DraftFact],
    similar: Sequence[Mapping[UUID, float]],
    cited: Collection[tuple[UUID, str]],
    *,
    company: str,
    is_generative: bool,
    today: date,
) -> tuple[list[Part], tuple[CitedFact, ...], frozenset[int], str]:
    """Like `_choose`, from documents that may be about others, with the facts in them and the name of the company; the documents say it unless it
    is given."""
    own = used_by_drafts(documents, company, today)
    company = company or infer_company([(document.kind, document.text) for document in own])  # which may have had another name
    parts, unanswered = _choose(section, own, similar, cited, is_generative=is_generative)
    return parts, tuple(_cited(known, {document.id: document for document in own}, parts)), unanswered, company


def _cited(known: Sequence[DraftFact], documents: Mapping[UUID, DocumentText], parts: list[Part]) -> Iterator[CitedFact]:
    """The facts that drafts may use, each with the number of the part that is its record. Adds these parts. Proposals of other documents are left
    out, and so is what restricted ones state; other accepted facts have no number."""
    numbers = {(part.document_id, part.start, part.end): number for number, part in enumerate(parts, 1)}
    for fact in known:
        document = documents.get(fact.document_id) if fact.document_id else None
        if document is None or fact.start is None or fact.end is None:
            if fact.is_accepted and not fact.is_restricted:
                yield CitedFact(kind=fact.kind, values=fact.values, number=None)
            continue
        record = (document.id, fact.start, fact.end)
        if record not in numbers:
            parts.append(_part(document, fact.start, fact.end).model_copy(update={"is_record": True}))
            numbers[record] = len(parts)
        yield CitedFact(kind=fact.kind, values=fact.values, number=numbers[record])


def _choose(
    section: TemplateSection,
    documents: Sequence[DocumentText],
    similar: Sequence[Mapping[UUID, float]],
    cited: Collection[tuple[UUID, str]],
    *,
    is_generative: bool,
) -> tuple[list[Part], frozenset[int]]:
    """Return the parts for a writer, in document order, and the indexes of questions that none of them answers."""
    topics = [topic_of(section, question) for question in section.questions]
    scored: list[tuple[float, int, Part]] = []
    unanswered = set(range(len(topics)))
    for document in documents:
        for part in parts_of(document):
            passages = [place.id for place in document.passages if place.start < part.end and part.start < place.end]
            best = -1.0
            for place, topic in enumerate(topics):
                similarity = max((similar[place].get(passage_id, 0.0) for passage_id in passages), default=0.0)
                evidence = _evidence(part, topic)
                if similarity >= _MIN_SIMILARITY or evidence:
                    unanswered.discard(place)
                    best = max(best, similarity + evidence)
            if best >= 0 or not is_generative:
                scored.append((best - _REPETITION * ((part.id, part.text) in cited), len(scored), part))
    most_words = _GENERATIVE_WORDS if is_generative else _EXTRACTIVE_WORDS
    kept: list[tuple[int, Part]] = []
    words = 0
    for _, place, part in sorted(scored, key=lambda item: (-item[0], item[1])):
        words += len(part.text.split())
        if words > most_words and kept:
            break
        kept.append((place, part))
    return [part for _, part in sorted(kept, key=lambda item: item[0])], frozenset(unanswered if is_generative else ())


def question_text(question: TemplateQuestion, opportunity: OpportunityRead) -> str:
    return question.ask.replace("{opportunity}", opportunity.title)


def topic_of(section: TemplateSection, question: TemplateQuestion) -> Topic | None:
    """Return the topic of a question. If the template does not name one, the section's heading determines the topic of its first
    question."""
    if question.topic is not None or question != section.questions[0]:
        return question.topic
    return topic_named(section.heading)


def _evidence(part: Part, topic: Topic | None) -> float:
    if topic is None:
        return 0.0
    is_headed = any(topic in topics_of(heading) for heading in part.heading)
    return _HEADED * is_headed + _OF_KIND * (part.document_kind in _KINDS_OF_TOPICS.get(topic, ()))


def parts_of(document: DocumentText) -> Iterator[Part]:
    """Return the parts of a document in order. Each is under one heading and on one page, because a citation names only one."""
    entries = _entries(document)
    for _, section in groupby(entries, key=lambda entry: (entry.path, _place(document, entry.start)[1])):
        opened, words = list[Entry](), 0
        for entry in section:
            count = len(entry.text.split())
            if opened and words + count > _MOST_PART_WORDS:
                yield _part(document, opened[0].start, opened[-1].end, path=opened[0].path, head=opened[0].head)
                opened, words = [], 0
            opened.append(entry)
            words += count
        yield _part(document, opened[0].start, opened[-1].end, path=opened[0].path, head=opened[0].head)


def _entries(document: DocumentText) -> list[Entry]:
    return entries_of(document.text[:_MAX_CHARACTERS], lambda offset: _place(document, offset)[0])


def _passage(document: DocumentText, offset: int) -> PassagePlace:
    after = bisect_right(document.passages, offset, key=lambda passage: passage.start)
    return document.passages[max(after - 1, 0)]


def _place(document: DocumentText, offset: int) -> tuple[tuple[str, ...], int | None]:
    """Return the headings above a character of a document, and its page."""
    passage = _passage(document, offset)
    return passage.place_at(offset - passage.start)


def _part(document: DocumentText, start: int, end: int, *, path: tuple[str, ...] = (), head: str = "") -> Part:
    text = document.text[start:end]
    begin = start + len(text) - len(text.lstrip())
    place, (heading, page) = _passage(document, begin), _place(document, begin)
    return Part(
        id=place.id,
        document_id=document.id,
        document_title=document.title,
        document_kind=document.kind,
        heading=path or heading,
        page=page,
        text=text.strip(),
        score=0.0,
        similarity=0.0,
        start=begin,
        end=begin + len(text.strip()),
        head=head,
    )

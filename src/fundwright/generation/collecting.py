"""Collects the material for a section: parts of the documents about us, and the requirements of the notice.

A part is the text between two headings, so that a citation names the right one. Résumés and past-performance sheets are not split.
Parts are chosen by their headings, by the kind of their document, and by a search.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.language import structure
from fundwright.language.company import infer_company, is_of_another, presents_another
from fundwright.language.protocols import Embedder
from fundwright.language.schemas import OUR_KINDS, DocumentKind, nearest_heading
from fundwright.language.structure import BlockKind
from fundwright.language.topics import Topic, topics_of
from fundwright.opportunities.schemas import OpportunityRead
from fundwright.templates.schemas import TemplateQuestion, TemplateSection
from fundwright.training import service as training
from fundwright.training.schemas import DocumentText, Passage, PassagePlace

_FOUND_PER_QUESTION = 24
_REQUIREMENTS = 6
_DEADLINE_S = 120.0
"""A million characters of documents take some seconds."""
_MIN_SIMILARITY = 0.2
"""The minimum cosine similarity of a passage that answers a question. It is low, because the answer may be one of many sentences.
"""
_MIN_PART_WORDS = 40
"""The number of words after which an unrelated heading starts a new part."""
_WHOLE_WORDS, _MAX_PART_WORDS = 400, 260
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


@dataclass(frozen=True)
class Material:
    """The material for a section. The writer's passage n is `parts[n - 1]`."""

    parts: list[Passage]
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
        passages = await training.find_passages(
            core,
            actor,
            question_text(question, opportunity),
            embedder=embedder,
            limit=_FOUND_PER_QUESTION,
            document_ids=document_ids,
            kinds=OUR_KINDS,
        )
        similar.append({passage.id: passage.similarity for passage in passages})
    required = await training.find_passages(
        core,
        actor,
        f"{opportunity.title} {section.heading}",
        embedder=embedder,
        limit=_REQUIREMENTS,
        document_ids=document_ids,
        kinds=[kind for kind in DocumentKind if not kind.is_ours],
    )
    found = tuple(passage_id for passages in similar for passage_id in passages)
    documents = await training.read_documents(core, actor, document_ids=document_ids, kinds=OUR_KINDS, first=found)
    choose = partial(_choose_from, section, documents, similar, cited, company=company, is_generative=is_generative)
    parts, unanswered, company = await core.computing.run(choose, deadline_s=_DEADLINE_S, is_background=True)
    return Material(parts=parts, requirements=tuple(passage.text for passage in required), company=company, unanswered=unanswered)


def _choose_from(
    section: TemplateSection,
    documents: Sequence[DocumentText],
    similar: Sequence[Mapping[UUID, float]],
    cited: Collection[tuple[UUID, str]],
    *,
    company: str,
    is_generative: bool,
) -> tuple[list[Passage], frozenset[int], str]:
    """Like `_choose`, from documents that may be about others, with the name of the company; the documents say it unless it is given."""
    company = company or infer_company([(document.kind, document.text) for document in documents])
    own = _without_others(documents, company)
    return *_choose(section, own, similar, cited, is_generative=is_generative), company


def _without_others(documents: Sequence[DocumentText], company: str) -> list[DocumentText]:
    """Exclude documents in which another organization presents itself, if others present the company, and sheets about projects of
    another contractor."""
    own = [
        document
        for document in documents
        if not (document.kind == DocumentKind.PAST_PERFORMANCE and is_of_another(document.text, company))
    ]
    others = [document for document in own if document.kind == DocumentKind.ABOUT_US and presents_another(document.text, company)]
    is_presented = any(document.kind == DocumentKind.ABOUT_US and document not in others for document in own)
    return [document for document in own if document not in others] if is_presented else own


def _choose(
    section: TemplateSection,
    documents: Sequence[DocumentText],
    similar: Sequence[Mapping[UUID, float]],
    cited: Collection[tuple[UUID, str]],
    *,
    is_generative: bool,
) -> tuple[list[Passage], frozenset[int]]:
    """Return the parts for a writer, in document order, and the indexes of questions that none of them answers."""
    topics = [topic_of(section, question) for question in section.questions]
    scored: list[tuple[float, int, Passage]] = []
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
    kept: list[tuple[int, Passage]] = []
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
    return next(iter(sorted(topics_of(section.heading))), None)


def _evidence(part: Passage, topic: Topic | None) -> float:
    if topic is None:
        return 0.0
    is_headed = any(topic in topics_of(heading) for heading in part.heading)
    return _HEADED * is_headed + _OF_KIND * (part.document_kind in _KINDS_OF_TOPICS.get(topic, ()))


def parts_of(document: DocumentText) -> Iterator[Passage]:
    """Return the parts of a document in order."""
    is_whole = document.kind in (DocumentKind.RESUME, DocumentKind.PAST_PERFORMANCE)
    most_words = _WHOLE_WORDS if is_whole else _MAX_PART_WORDS
    start, above = 0, ""
    heading: tuple[str, ...] = ()
    words, page = 0, document.passages[0].page
    for block in structure.read(document.text[:_MAX_CHARACTERS]):
        is_heading, topics = block.kind == BlockKind.HEADING, frozenset[Topic]()
        if is_heading:
            topics = topics_of(block.text)
        is_apart = any(Topic.NOT_OFFERED in topics_of(each) for each in heading[-1:])
        begins = is_heading and not is_whole and words and (bool(topics) or is_apart or words >= _MIN_PART_WORDS)
        before, page = page, _place(document, block.start)[1]
        # A citation names a single page.
        if begins or page != before or words + len(block.text.split()) > most_words:
            if block.start > start:
                yield _part(document, start, block.start, heading)
            start, words = block.start, 0
            if not is_heading:
                words = len(block.text.split())
        elif not is_heading:
            words += len(block.text.split())
        if is_heading and not is_whole and (start == block.start or not heading):
            # A heading in capitals remains the parent of mixed-case headings after it.
            above = block.text if topics else above if above.isupper() and not block.text.isupper() else ""
            heading = (block.text,) if above in (block.text, "") else (above, block.text)
    end = min(len(document.text), _MAX_CHARACTERS)
    if document.text[start:end].strip():
        yield _part(document, start, end, heading)


def _passage(document: DocumentText, offset: int) -> PassagePlace:
    after = bisect_right(document.passages, offset, key=lambda passage: passage.start)
    return document.passages[max(after - 1, 0)]


def _place(document: DocumentText, offset: int) -> tuple[tuple[str, ...], int | None]:
    """Return the headings above a character of a document, and its page."""
    passage = _passage(document, offset)
    return passage.place_at(offset - passage.start)


def _part(document: DocumentText, start: int, end: int, heading: tuple[str, ...]) -> Passage:
    text = document.text[start:end]
    begin = start + len(text) - len(text.lstrip())
    place, (above, page) = _passage(document, begin), _place(document, begin)
    # The file's reader knows the headings more reliably than they can be recognized in the text.
    is_known = nearest_heading(heading) in above
    return Passage(
        id=place.id,
        document_id=document.id,
        document_title=document.title,
        document_kind=document.kind,
        heading=above if is_known else heading,
        page=page,
        text=text.strip(),
        score=0.0,
        similarity=0.0,
        start=begin,
        end=begin + len(text.strip()),
    )

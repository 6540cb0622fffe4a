"""Classifies headings without known words by their meaning and the first lines below them.

“THINGS WE DO EVERY DAY” above a list of services is more similar to the examples of capabilities than to those of any other
section. The heading alone and the heading with the text below it have equal weight. The thresholds were set on headings of the
invented firms (`tests/firms`): of those that are recognized by their words, 34 are also classified by meaning, 32 of them
correctly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fundwright.language.protocols import Embedder, NumberedPassage, Vectors
from fundwright.language.schemas import DocumentKind, nearest_heading
from fundwright.language.structure import BlockKind, read
from fundwright.language.topics import Topic, topics_of

Headings = Mapping[str, frozenset[Topic]]
"""Topics by heading."""

_KINDS = frozenset((DocumentKind.ABOUT_US, DocumentKind.PREVIOUS_PROPOSAL, DocumentKind.DATA))
_MIN_SIMILARITY, _MIN_MARGIN, _MIN_ABOVE_OTHER = 0.35, 0.075, 0.13
"""The minimum cosine similarity with the nearest example, and the minimum margin over the examples of other sections and of texts
that belong to no section."""
_MAX_HEADINGS, _CHARACTERS_BELOW = 60, 300
_EXAMPLES: Mapping[Topic, tuple[str, ...]] = {
    Topic.CAPABILITIES: (
        "What we do: we design, build, install, maintain, and repair",
        "Our services: consulting, training, support, and inspection for customers",
        "Work we take on every day",
        "How we help our customers and what we bring to them",
        "Products we make and sell",
    ),
    Topic.DIFFERENTIATORS: (
        "Why choose us over our competitors",
        "What sets us apart: never late, award-winning, the only one, certified quality",
        "Why customers come back to us: no accidents, on-time delivery, low turnover",
        "Reasons to hire us",
    ),
    Topic.FACILITIES: (
        "Our building, shop floor, laboratory, and equipment",
        "Machines, vehicles, and tools we own, with square feet of space",
        "Where we work: our offices and warehouses",
    ),
    Topic.PEOPLE: (
        "Our team and key staff: president, manager, engineer",
        "The people who will do the work, with years of experience",
    ),
    Topic.COMPANY_DATA: (
        "UEI, CAGE code, NAICS codes, business size, and certifications",
        "Registration numbers and codes for forms",
    ),
    Topic.CONTACT: ("Contact us: name, telephone number, email, and address", "How to reach us; call or write"),
    Topic.PAST_PERFORMANCE: (
        "Projects we have completed, with customer, contract value, and dates",
        "Past contracts and clients",
        "Recent jobs we finished for agencies",
    ),
    Topic.PROFILE: ("Who we are: a small business founded in, with employees", "Our history and mission", "About the company"),
    Topic.NEED: ("The problem: how many people lack, suffer, or cannot get", "Why this project is needed in the community"),
    Topic.AIMS: ("Goals and objectives of the project", "What we want to achieve; specific aims"),
    Topic.APPROACH: ("Methods, work plan, and timeline", "How we will carry out the project step by step"),
    Topic.OUTCOMES: ("Expected results and how we will measure success", "Evaluation: targets and indicators"),
}
_OTHER = (
    "Notes and comments",
    "Page header and document revision",
    "Sample document",
    "Budget and costs",
    "Legal notice, confidentiality, insurance",
    "Review panel comments on the application",
    "A single project: its customer, location, and date",
    "Publications, honors, and awards of a person",
    "Education and employment of a person",
)
_TOPICS = tuple(topic for topic, examples in _EXAMPLES.items() for _ in examples)


class HeadingClassifier:
    """Compares headings with examples, whose vectors are computed once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._examples: Vectors | None = None

    async def find(self, passages: Sequence[NumberedPassage]) -> Headings:
        """Return the topics of headings that are not recognized by their words. Headings without a clear topic are left out."""
        unrecognized = dict(_unrecognized(passages))
        if not unrecognized:
            return {}
        if self._examples is None:
            self._examples = await self._embedder.embed([*(text for texts in _EXAMPLES.values() for text in texts), *_OTHER])
        texts = [*unrecognized, *(f"{heading}\n{below}" for heading, below in unrecognized.items())]
        alone, with_text = np.split(await self._embedder.embed(texts), 2)
        passage_similarities = (alone + with_text) / 2 @ self._examples.T
        return {
            heading: frozenset((topic,))
            for heading, row in zip(unrecognized, passage_similarities, strict=True)
            if (topic := _nearest(row))
        }


def _nearest(similar: Vectors) -> Topic | None:
    best = {topic: max(similar[place] for place, other in enumerate(_TOPICS) if other == topic) for topic in _EXAMPLES}
    first, second = sorted(best, key=lambda topic: -best[topic])[:2]
    is_sure = best[first] >= _MIN_SIMILARITY and best[first] - best[second] >= _MIN_MARGIN
    return first if is_sure and best[first] - max(similar[len(_TOPICS) :]) >= _MIN_ABOVE_OTHER else None


def _unrecognized(passages: Sequence[NumberedPassage]) -> Iterable[tuple[str, str]]:
    """Headings with the first lines below them, if there are any."""
    found: dict[str, str] = {}
    for passage in passages:
        heading = nearest_heading(passage.heading)
        for block in read(passage.text) if passage.kind in _KINDS else ():
            if block.kind == BlockKind.HEADING:
                heading = block.text
            if block.kind == BlockKind.HEADING and passage.kind != DocumentKind.DATA:
                continue
            heading = passage.document if passage.kind == DocumentKind.DATA else heading
            if heading and not topics_of(heading) and len(found.get(heading, "")) < _CHARACTERS_BELOW:
                text = f"{block.label}: {block.text}" if block.label else block.text
                found[heading] = f"{found.get(heading, '')} {text}".strip()[:_CHARACTERS_BELOW]
    return list(found.items())[:_MAX_HEADINGS]

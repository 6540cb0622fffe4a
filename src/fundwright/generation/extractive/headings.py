"""Finds out what the headings of people's own words are about, by their meaning and the first lines below them.

“Down the hall” above a list of instruments is about facilities. A linear classifier on the embeddings of the heading, and of the heading with
the text below it, is fitted to the sections in `examples.txt`, by ridge regression. Which sections there can be depends on the kind of the document: a proposal
has aims, and a text about an organization has none. The sections of a document are assigned together, because two are seldom about the same topic.
`scripts/headings.py` stores the weights for the default model in `headings.npz`; another model's are fitted when they are first needed.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from fundwright.language.protocols import Embedder, Vectors
from fundwright.language.threads import MODELS
from fundwright.reading.kinds import DocumentKind
from fundwright.reading.topics import NOT_DRAFTED, Topic, topics_of

if TYPE_CHECKING:
    from fundwright.generation.extractive.statements import Statement

Headings = Mapping[tuple[DocumentKind, str, str], Topic]
"""The topic of a heading, by the kind and the title of its document, and the heading."""
Weights = Mapping[DocumentKind, Vectors]
"""By kind of document, shape (features, topics)."""

EXAMPLES, WEIGHTS = Path(__file__).with_name("examples.txt"), Path(__file__).with_name("headings.npz")
_MAX_HEADINGS, _CHARACTERS_BELOW = 200, 300
_KEPT = 2_000
"""The number of sections whose fits are kept: each section of a draft asks for those of the same documents."""
_CLEAR, _STANDARD_WORDS = 0.9, 3
"""The weight of words that tell a topic without the text below them, in a heading as short as “Past performance.” “How we would go about it” is not."""
_PRIOR = 10.0
"""Of the weights, in examples."""
_BALANCE = 0.5
"""The exponent of the weight of rare topics."""
_AGAIN = 0.05
"""How much better a second section of a document about the same topic has to fit."""
_OF_ORGANIZATIONS = (
    Topic.CAPABILITIES,
    Topic.COMPANY_DATA,
    Topic.CONTACT,
    Topic.DIFFERENTIATORS,
    Topic.FACILITIES,
    Topic.PAST_PERFORMANCE,
    Topic.PEOPLE,
    Topic.PROFILE,
    None,
)
_OF_PROPOSALS = (
    Topic.AIMS,
    Topic.APPROACH,
    Topic.FACILITIES,
    Topic.NEED,
    Topic.OFFER,
    Topic.OUTCOMES,
    Topic.PEOPLE,
    None,
)
_TOPICS: Mapping[DocumentKind, tuple[Topic | None, ...]] = {
    DocumentKind.ABOUT_US: _OF_ORGANIZATIONS,
    DocumentKind.PREVIOUS_PROPOSAL: _OF_PROPOSALS,
}
"""None stands for what no draft asks for."""


@dataclass(frozen=True)
class Section:
    """A heading of a document, and the beginning of what stands below it."""

    kind: DocumentKind
    document: str
    heading: str
    text: str


@dataclass(frozen=True)
class Example:
    section: Section
    topic: Topic | None


class HeadingClassifier:
    """Assigns topics to the headings of documents. Reads files when it is made."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._weights = stored_weights(embedder.id, embedder.dimension)
        self._examples = () if self._weights else examples()
        self._fits: Mapping[Section, Vectors] = {}
        self._turn = asyncio.Lock()

    async def find(self, statements: Sequence[Statement]) -> Headings:
        """Return the topics of headings, without those about what drafts do not ask for."""
        sections = _sections(statements)[:_MAX_HEADINGS]
        fits = await self._fits_of(sections)
        found: dict[tuple[DocumentKind, str, str], Topic] = {}
        for (kind, document), rows in groupby(range(len(sections)), key=lambda row: (sections[row].kind, sections[row].document)):
            own = [*rows]
            for row, place in zip(own, _assigned(np.stack([fits[sections[row]] for row in own])), strict=True):
                if topic := _TOPICS[kind][place]:
                    found[kind, document, sections[row].heading] = topic
        return found

    async def _fits_of(self, sections: Sequence[Section]) -> Mapping[Section, Vectors]:
        """How well each topic fits each section."""
        known = self._fits
        if unknown := [section for section in sections if section not in known]:
            async with self._turn:  # the weights of a model are fitted once
                self._weights = self._weights or await fit(self._embedder, self._examples)
            features, weights = await _features(self._embedder, unknown), self._weights
            new = {each: row @ weights[each.kind] for each, row in zip(unknown, features, strict=True)}
            known = {**known, **new}
            self._fits = new if len(known) > _KEPT else {**self._fits, **new}
        return known


def _assigned(fits: Vectors) -> Sequence[int]:
    """Give each section of a document the topic that fits best, preferring different ones. `fits` has a row for each section."""
    count = len(fits)
    last = fits.shape[1] - 1  # of what no draft asks for, which may come as often as it likes
    again = _AGAIN * np.arange(count)
    each_time = [fits[:, [place]] - again * (place < last) for place in range(last + 1)]
    _, columns = linear_sum_assignment(np.hstack(each_time), maximize=True)
    return [int(column) // count for column in columns]


def _sections(statements: Sequence[Statement]) -> list[Section]:
    """The sections of documents, in order, but those whose headings clearly name a topic that documents of the kind are not asked for."""
    below: dict[tuple[DocumentKind, str, str], str] = {}
    for statement in statements:
        if statement.path and statement.kind in _TOPICS and not _names_another(statement.path[-1], statement.kind):
            key = (statement.kind, statement.document, statement.path[-1])
            below[key] = f"{below.get(key, '')} {statement.text}".strip()[:_CHARACTERS_BELOW]
    documents = list(dict.fromkeys((kind, document) for kind, document, _ in below))
    found = [Section(*key, text) for key, text in below.items()]
    return sorted(found, key=lambda section: documents.index((section.kind, section.document)))


def _names_another(heading: str, kind: DocumentKind) -> bool:
    named = topics_of(heading)
    is_short = len(heading.split()) <= _STANDARD_WORDS
    clear = {topic for topic, weight in named.items() if is_short and weight >= _CLEAR}
    return bool(NOT_DRAFTED & named.keys()) or (bool(clear) and clear.isdisjoint(_TOPICS[kind]))


async def _features(embedder: Embedder, sections: Sequence[Section]) -> Vectors:
    """Shape (sections, 2 x dimension + 1): of the heading, of the heading with the text, and a constant."""
    texts = [each.heading for each in sections] + [f"{each.heading}: {each.text}" for each in sections]
    headings, whole = np.split(await embedder.embed(texts), 2)
    return np.hstack([headings, whole, np.ones((len(sections), 1), dtype=headings.dtype)])


async def fit(embedder: Embedder, examples: Sequence[Example]) -> Weights:
    """Fit weights to examples."""
    features = await _features(embedder, [each.section for each in examples])
    weights: dict[DocumentKind, Vectors] = {}
    for kind, topics in _TOPICS.items():
        rows = [each.section.kind is kind for each in examples]
        targets = np.array([[each.topic is topic for topic in topics] for each in examples if each.section.kind is kind])
        weights[kind] = await asyncio.get_running_loop().run_in_executor(MODELS, _ridge, features[rows], targets)
    return weights


def _ridge(features: Vectors, targets: NDArray[np.bool_]) -> Vectors:
    """Ridge regression in which examples of rare topics weigh more. There are fewer examples than features, so the equations are those of examples."""
    weight = targets @ (1 / np.maximum(targets.sum(axis=0), 1)) ** _BALANCE
    similarities = features @ features.T + np.diag(_PRIOR * weight.mean() / weight)
    return (features.T @ np.linalg.solve(similarities, targets.astype(np.float64))).astype(np.float32)


def examples() -> Sequence[Example]:
    before, *parts = re.split(r"^=== (\w+) \| (\w+) \| (.*)\n", EXAMPLES.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert not before, "a section has no header"
    return [
        Example(
            Section(DocumentKind(kind), "", heading, " ".join(text.split())[:_CHARACTERS_BELOW]),
            Topic(topic) if topic != "other" else None,
        )
        for topic, kind, heading, text in zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True)
    ]


def digest() -> str:
    """The digest of what weights are fitted to: the examples, and the order of the topics."""
    topics = {kind.value: [topic and topic.value for topic in topics] for kind, topics in _TOPICS.items()}
    return hashlib.sha256(f"{topics}{EXAMPLES.read_text(encoding='utf-8')}".encode()).hexdigest()


def stored_weights(embedder_id: str, dimension: int) -> Weights | None:
    """Return the weights that are stored for a model, if there are any."""
    with np.load(WEIGHTS) as stored:
        weights = {kind: stored[kind.value].astype(np.float32) for kind in _TOPICS}
        is_for_model = str(stored["embedder"]) == embedder_id
    return weights if is_for_model and all(len(each) == 2 * dimension + 1 for each in weights.values()) else None

"""An embedder for tests: hashes words into a vector, so that texts with common words are similar."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import chain
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.categories import service as categories
from fundwright.categories.classifier import Subject
from fundwright.categories.schemas import Classified
from fundwright.categories.terms import terms_of
from fundwright.language.protocols import Embedder

DIMENSION = 3989


class WordEmbedder:
    dimension = DIMENSION

    def __init__(self, id: str = "words") -> None:
        self.id = id
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.stack([word_vector(text) for text in texts])


def word_vector(text: str) -> NDArray[np.float32]:
    vector = np.zeros(DIMENSION, dtype=np.float32)
    for word in re.findall(r"[a-z]{4,}", text.lower()):
        vector[zlib.crc32(word.encode()) % DIMENSION] += 1
    norm = np.linalg.norm(vector)
    return (vector / np.float32(norm)) if norm else vector


OTHERS = [
    "hydraulic pump for trucks", "lawn mowing and snow removal", "office chairs and desks", "surgical gloves and masks",
    "translation services spanish", "jet engine turbine blades", "ammunition storage boxes", "dairy milk and bread delivery",
    "concrete paving of parking lots", "fire alarm inspection", "janitorial cleaning of offices", "x-ray machine maintenance",
    "leadership training seminar", "satellite antenna components", "diesel fuel delivery", "laboratory freezer rental",
    "elevator maintenance contract", "uniforms and boots", "library book purchase", "pest control in barracks",
]  # fmt: skip


def as_subject(text: str) -> Subject:
    return Subject(terms_of(text, ""), word_vector(text))


async def classify(
    session: AsyncSession,
    actor: Actor,
    items: Sequence[tuple[UUID, str]],
    *,
    embedder: Embedder,
    known: Sequence[tuple[UUID, str]] = (),
) -> Classified:
    """Like the job: embed the phrases of changed categories, learn from the decisions about `items` and `known`, and classify."""
    phrases = await categories.list_phrases_to_embed(session, actor, model_id=embedder.id)
    if phrases:
        vectors = await embedder.embed(list(chain.from_iterable(phrases.values())))
        await categories.set_prototypes(session, actor, phrases, vectors, model_id=embedder.id)
    lesson = await categories.read_lesson(session, actor, model_id=embedder.id)
    if not items or not lesson.keys:
        return Classified(abstained=len(items))
    examples = {id: as_subject(text) for id, text in (*known, *items)}
    classifier = categories.learn(lesson, examples, [as_subject(text) for text in OTHERS])
    probabilities = classifier.probabilities([as_subject(text) for _, text in items])
    return await categories.suggest(session, actor, lesson, [id for id, _ in items], probabilities)

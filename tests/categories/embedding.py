"""An embedder for tests: words hashed into a vector, so that texts sharing words are near each other."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import chain
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.categories import service as categories
from fundwright.categories.schemas import Classified
from fundwright.identity.schemas import Actor
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


async def classify(
    session: AsyncSession, actor: Actor, items: Sequence[tuple[UUID, NDArray[np.float32]]], *, embedder: Embedder
) -> Classified:
    """What the job does: embed the phrases of the categories that changed, then sort."""
    phrases = await categories.list_phrases_to_embed(session, actor, model_id=embedder.id)
    if phrases:
        vectors = await embedder.embed(list(chain.from_iterable(phrases.values())))
        await categories.supply_prototypes(session, actor, phrases, vectors, model_id=embedder.id)
    return await categories.classify(session, actor, items, model_id=embedder.id)

"""An embedder for tests: words hashed into a vector, so that texts sharing words are near each other."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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

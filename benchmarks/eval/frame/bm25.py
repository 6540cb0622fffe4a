"""Textbook BM25, independent of the product's search: the baseline "words alone". Uses the stems of PostgreSQL's English dictionary."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text

from fundwright.core.assembly import Core

_K1, _B = 1.5, 0.75
_AT_ONCE = 500

Counts = Mapping[str, int]


async def count_stems(core: Core, texts: Sequence[str]) -> Sequence[Counts]:
    """How often each stem occurs in each text, without stop words."""
    query = text(
        "SELECT place, lexeme, cardinality(positions) FROM unnest(CAST(:texts AS text[])) WITH ORDINALITY AS given (words, place) "
        "CROSS JOIN LATERAL unnest(to_tsvector('english', words))"
    )
    counts: list[dict[str, int]] = [{} for _ in texts]
    async with core.database.transaction() as session:
        for start in range(0, len(texts), _AT_ONCE):
            given = [words.replace("\0", " ") for words in texts[start : start + _AT_ONCE]]
            for place, lexeme, number in await session.execute(query, {"texts": given}):
                counts[start + place - 1][lexeme] = number
    return counts


class Bm25:
    def __init__(self, texts: Sequence[Counts]) -> None:
        lengths = np.array([sum(counts.values()) for counts in texts], dtype=np.float32)
        penalty = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1e-9))
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, counts in enumerate(texts):
            for lexeme, number in counts.items():
                found[lexeme].append((place, number))
        self._size = len(texts)
        self._postings = {lexeme: self._weigh(entries, penalty) for lexeme, entries in found.items()}

    def scores(self, query: Counts) -> NDArray[np.float32]:
        """The score of each text, in order."""
        scores = np.zeros(self._size, dtype=np.float32)
        for lexeme, number in query.items():
            if lexeme in self._postings:
                places, weights = self._postings[lexeme]
                scores[places] += number * weights
        return scores

    def ranking(self, query: Counts, *, limit: int) -> list[int]:
        """The texts that contain any word of the query, best first."""
        return list(best(self.scores(query), limit=limit, above=0))

    def _weigh(
        self, entries: list[tuple[int, int]], penalty: NDArray[np.float32]
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        places = np.array([place for place, _ in entries], dtype=np.intp)
        numbers = np.array([number for _, number in entries], dtype=np.float32)
        rarity = math.log(1 + (self._size - len(entries) + 0.5) / (len(entries) + 0.5))
        return places, (rarity * numbers * (_K1 + 1) / (numbers + penalty[places])).astype(np.float32)


def best(scores: NDArray[np.float32], *, limit: int, above: float = -math.inf) -> Iterator[int]:
    """Indexes of the highest scores, highest first; the first of equal ones comes first."""
    for place in np.argsort(-scores, kind="stable")[:limit]:
        if scores[place] <= above:
            return
        yield int(place)

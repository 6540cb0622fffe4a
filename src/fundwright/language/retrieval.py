"""Finds passages and notices by words (BM25) and by meaning (cosine of embeddings), and combines the scores.

The weight of each word of a text is stored with the text (`word_weights` in the database). It is computed with a constant average
length, so that it never becomes outdated; how rare the word is affects only the weights of the question. BM25 is then an inner
product of sparse vectors, which pgvector computes. After a first search, the words and embeddings of the best texts are added to
the question, and the results are scored again.

Sources: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009,
https://doi.org/10.1561/1500000019), and Rocchio's relevance feedback. The constants of fusion and feedback were chosen by grid
search: for passages on the Cranfield collection, whose questions are long, and for notices, whose searches are short, by every fold
when one kind of organization is left out of tests/relevance. `make eval` measures the results.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

import numpy as np
from pgvector import SparseVector

from fundwright.language.protocols import Vectors

WORD_DIMENSION = 2**24
DEPTH = 300
"""The number of the best by words, and of the best by meaning, that compete. With 50, recall at 100 falls by .05, with 200 by .02.
"""
FEEDBACK_TEXTS = 5

PASSAGE_WORDS = 0.4
"""The share of words in the score of a passage; meaning has the rest."""
NOTICE_SATURATION = 0.6
"""k1 of BM25 for notices (1.5 for passages). With a smaller value, another word of the search counts more than repetitions of the
first."""
_FEEDBACK_WORDS, _FEEDBACK_SHARE = 30, 0.5

Weights = Mapping[int, float]
"""Weights of words by their indexes in a sparse vector."""
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Statistics:
    """The number of texts, and how many of them contain each word. It may be older than the texts."""

    texts: int
    found_in: Mapping[int, int]

    def rarity(self, place: int) -> float:
        """Return the inverse document frequency of a word, above 0."""
        found_in = self.found_in.get(place, 0)
        return math.log(1 + (max(self.texts - found_in, 0) + 0.5) / (found_in + 0.5))


def place_of(lexeme: str) -> int:
    """Same as `word_place` in the database."""
    return int(hashlib.md5(lexeme.encode(), usedforsecurity=False).hexdigest()[:6], 16)


def weigh(counts: Mapping[str, int], statistics: Statistics) -> Weights:
    """Weight the words of a question by frequency and rarity."""
    weights: dict[int, float] = {}
    for lexeme, count in counts.items():
        place = place_of(lexeme)
        weights[place] = weights.get(place, 0) + count * statistics.rarity(place)
    return weights


def rarest(lexemes: Collection[str], statistics: Statistics, *, most: int) -> Sequence[str]:
    """Return the rarest words first, as many as occur in at most `most` texts together, but at least one."""
    found_in = {lexeme: statistics.found_in.get(place_of(lexeme), 0) for lexeme in lexemes}
    ordered = sorted(lexemes, key=lambda lexeme: found_in[lexeme])
    sums = accumulate(found_in[lexeme] for lexeme in ordered)
    return [lexeme for lexeme, many in zip(ordered, sums, strict=True) if many <= most] or ordered[:1]


def any_of(lexemes: Collection[str]) -> str:
    """Return a `tsquery` for any of the lexemes."""
    return " | ".join("'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'" for lexeme in lexemes)


def words_vector(weights: Weights) -> SparseVector:
    """Return the sparse vector whose inner product with the words of a text is the BM25 score."""
    return SparseVector(dict(weights), WORD_DIMENSION)


def fuse(words: Mapping[Key, float], meaning: Mapping[Key, float], *, share: float) -> dict[Key, float]:
    """Return combined scores in 0..1, best first. The lists, which `scaled` returned, are added with this share of words; what one
    of them lacks is 0 in it."""
    scores = {key: share * words.get(key, 0) + (1 - share) * meaning.get(key, 0) for key in {**words, **meaning}}
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def scaled(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Return the best scores, scaled from 0 for the lowest of them to 1 for the highest."""
    best = dict(sorted(scores.items(), key=lambda item: -item[1])[:DEPTH])
    least, greatest = min(best.values(), default=0), max(best.values(), default=0)
    span = greatest - least
    return {key: (score - least) / span if span else 1.0 for key, score in best.items()}


def with_feedback(
    weights: Weights, vector: Vectors, best: Sequence[tuple[Weights, Vectors]], statistics: Statistics
) -> tuple[Weights, Vectors]:
    """Add to the question what the best texts have in common: their heaviest words, and the mean of their embeddings."""
    if not best:
        return weights, vector
    sums: dict[int, float] = {}
    for words, _ in best:
        for place, weight in words.items():
            sums[place] = sums.get(place, 0) + weight * statistics.rarity(place)
    heaviest = dict(sorted(sums.items(), key=lambda item: -item[1])[:_FEEDBACK_WORDS])
    mixed = {place: (1 - _FEEDBACK_SHARE) * share for place, share in _shares(weights).items()}
    for place, share in _shares(heaviest).items():
        mixed[place] = mixed.get(place, 0) + _FEEDBACK_SHARE * share
    moved = vector + np.mean([embedding for _, embedding in best], axis=0)
    return mixed, (moved / max(float(np.linalg.norm(moved)), 1e-12)).astype(np.float32)


def _shares(weights: Weights) -> Weights:
    total = sum(weights.values())
    return {place: weight / total for place, weight in weights.items()} if total else {}

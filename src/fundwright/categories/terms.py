"""Converts a text to hashed words and character sequences for the classifier.

Each term is hashed to a column, so no vocabulary has to be stored: a text is read once, stored in about 2 kB, and can be compared
with every other text. Words, character sequences, and agencies have separate columns.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fundwright.core.unpickling import sent

Terms = NDArray[np.uint32]
"""One number for each term of a text: its column in the lower 24 bits, and its count, at most 255, in the upper 8."""
Matrix = sparse.csr_matrix

_WORDS, _SEQUENCES, _AGENCIES = 1 << 18, 1 << 17, 1 << 12
COLUMNS = _WORDS + _SEQUENCES + _AGENCIES
_COLUMN = 0xFFFFFF
_READ_FOR_WORDS = 4_000
_READ_FOR_SEQUENCES = 300
"""The number of characters. The title and the first sentence say what a notice is about; reading more did not help and takes space.
"""
_LENGTHS = (3, 4, 5)
_AGENCY_SIMILARITY = 0.15
"""The similarity that two texts get for having the same agency. The cosine of words counts up to 1."""

_WORD = re.compile(r"[a-z0-9]{2,}")
_STOP_WORDS = frozenset(re.findall(
    r"\w+",
    "about above after again all also am an and any are as at be because been before being below between both but by can "
    "could did do does doing down during each few for from further had has have having he her here hers him his how if in "
    "into is it its itself me more most my no nor not of off on once only or other our ours out over own same she should so "
    "some such than that the their theirs them then there these they this those through to too under until up very was we "
    "were what when where which while who whom why will with within would you your yours",
))  # fmt: skip


def terms_of(title: str, text: str, agency: str = "") -> Terms:
    """Return the terms of a text: single words and pairs of words from the first 4,000 characters, and sequences of 3 to 5
    characters within the words of the first 300."""
    whole = f"{title}. {text[:_READ_FOR_WORDS]}".lower()
    counts: Counter[int] = Counter()
    words = [word for word in _WORD.findall(whole) if word not in _STOP_WORDS]
    counts.update(_columns(words, 0, _WORDS))
    counts.update(_columns((f"{a} {b}" for a, b in pairwise(words)), 0, _WORDS))
    counts.update(_columns(_sequences(whole[:_READ_FOR_SEQUENCES]), _WORDS, _SEQUENCES))
    if agency:
        counts.update(_columns([agency.lower()], _WORDS + _SEQUENCES, _AGENCIES))
    packed = [column | min(count, 255) << 24 for column, count in sorted(counts.items())]
    return np.array(packed, dtype=np.uint32)


def words_of(terms: Terms) -> Terms:
    """Return only the words and pairs of words."""
    return terms[(terms & _COLUMN) < _WORDS]


def _columns(terms: Iterable[str], start: int, size: int) -> Iterable[int]:
    return (start + zlib.crc32(term.encode()) % size for term in terms)


def _sequences(text: str) -> Iterable[str]:
    for word in text.split():
        padded = f" {word} "
        for length in _LENGTHS:
            for start in range(max(1, len(padded) - length + 1)):
                yield padded[start : start + length]
            if len(padded) <= length:
                break


@sent
class Weighting:
    """Weights terms by their rarity among the given texts: TF-IDF with 1 + log(count), each kind of term normalized separately."""

    def __init__(self, texts: Sequence[Terms]) -> None:
        counted = _counts(texts)
        frequency = np.bincount(counted.indices, minlength=COLUMNS)
        rarity = np.log((1 + len(texts)) / (1 + frequency)) + 1
        self._rarity = np.where(frequency > 1, rarity, 0).astype(np.float32)

    def matrix(self, texts: Sequence[Terms]) -> Matrix:
        """Return (texts, COLUMNS). The product of two rows is 1.5 times the cosine of their words, plus half the cosine of their
        character sequences, plus 0.15 if they have the same agency."""
        weighed = _counts(texts)
        columns = weighed.indices
        rows = np.repeat(np.arange(len(texts)), np.diff(weighed.indptr))
        values = (1 + np.log(weighed.data)) * self._rarity[columns]
        for start, end, share in ((0, _WORDS, 1.5), (_WORDS, _WORDS + _SEQUENCES, 0.5)):
            of_kind = (columns >= start) & (columns < end)
            lengths = np.sqrt(np.bincount(rows[of_kind], weights=values[of_kind] ** 2, minlength=len(texts)) / share)
            values[of_kind] /= np.maximum(lengths, 1e-9)[rows[of_kind]]
        values[columns >= _WORDS + _SEQUENCES] = np.sqrt(_AGENCY_SIMILARITY)
        weighed.data = values.astype(np.float32)
        return weighed


def _counts(texts: Sequence[Terms]) -> Any:
    packed = np.concatenate([np.zeros(0, dtype=np.uint32), *texts])
    starts = np.cumsum([0, *(len(terms) for terms in texts)])
    values = (packed >> 24).astype(np.float32), (packed & _COLUMN).astype(np.int32), starts
    return sparse.csr_matrix(values, shape=(len(texts), COLUMNS))

"""Sketches of texts (MinHash), which tell how similar two texts are without reading them again.

Source: Broder, "On the resemblance and containment of documents" (1997).
"""

from __future__ import annotations

import re
import zlib
from itertools import islice

import numpy as np

SIZE = 64
"""The number of values of a sketch. Two texts share about as many of them as the share of their word triples that both have."""
_WORDS = 3
_MOST_WORDS = 200_000
_WORD = re.compile(r"\w+")
_RANDOM = np.random.default_rng(44)
_FACTORS = _RANDOM.integers(2**63, 2**64, SIZE, dtype=np.uint64) | np.uint64(1)
_TERMS = _RANDOM.integers(0, 2**63, SIZE, dtype=np.uint64)


def sketch_of(text: str) -> list[int]:
    """Return 64 integers of 31 bits, or none if the text has fewer than three words. Figures count as equal, because they are what a new
    version of a text changes."""
    words = [re.sub(r"\d", "0", word[0].casefold()) for word in islice(_WORD.finditer(text), _MOST_WORDS)]
    triples = {zlib.crc32(" ".join(words[start : start + _WORDS]).encode()) for start in range(len(words) - _WORDS + 1)}
    if not triples:
        return []
    values = np.fromiter(triples, dtype=np.uint64, count=len(triples))
    return [int(((factor * values + term) >> np.uint64(33)).min()) for factor, term in zip(_FACTORS, _TERMS, strict=True)]

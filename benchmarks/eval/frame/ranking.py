"""Quality measures for a ranking."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def ndcg(ranking: Sequence[Key], grades: Mapping[Key, int], *, depth: int = 10) -> float:
    """Normalized discounted cumulative gain with gain 2^grade - 1: 1 if the best items come first. Items without a grade gain
    nothing."""
    ideal = _gain(sorted(grades.values(), reverse=True)[:depth])
    return _gain([grades.get(each, 0) for each in ranking[:depth]]) / ideal if ideal else 0.0


def recall(ranking: Sequence[Key], relevant: Collection[Key], *, depth: int = 100) -> float:
    return len(set(relevant) & set(ranking[:depth])) / len(relevant)


def _gain(grades: Sequence[int]) -> float:
    return sum((2**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(grades))

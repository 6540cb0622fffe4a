"""Detects the ways in which a claim can contradict its source, one module for each."""

from __future__ import annotations

from fundwright.generation.contrasts import actors, directions, imagined, negations, numbers, plans, words
from fundwright.generation.contrasts.pair import Pair


def contradictions_of(pair: Pair) -> dict[str, bool]:
    """Return each contradiction by name, and whether it was found."""
    return {
        name: is_found
        for kind in (numbers, actors, negations, directions, plans, imagined, words)
        for name, is_found in kind.contradictions(pair).items()
    }

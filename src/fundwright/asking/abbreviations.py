"""Finds what abbreviations in a question stand for: “EMR” for the “experience modification rate” of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ABBREVIATION = re.compile(r"\b[A-Z]{3,8}\b")
_MAX_ABBREVIATIONS = 5
_SYLLABLE = 3
"""The least number of letters with which an abbreviation such as NAVSUP begins each of its words."""
_BETWEEN = r"[\s-]+(?:(?:of|and|the|for|to|in|per|&)[\s-]+)?"


def abbreviations_in(question: str) -> list[str]:
    """Return the first few abbreviations. Only a few, because each is searched in all of the workspace's documents."""
    return list(dict.fromkeys(_ABBREVIATION.findall(question)))[:_MAX_ABBREVIATIONS]


def initials_pattern(abbreviation: str) -> str:
    """Return a pattern, for PostgreSQL and Python, of words with these initials, such as “information system security officer” for
    ISSO, or of words that begin with these parts, such as “naval supply” for NAVSUP."""
    initials = _BETWEEN.join(f"{letter}[a-z]{{2,40}}" for letter in abbreviation)
    syllables = (_BETWEEN.join(f"{part}[a-z]{{0,40}}" for part in parts) for parts in _splits(abbreviation) if len(parts) > 1)
    return r"\y(?:" + "|".join((initials, *syllables)) + r")\y"


def _splits(word: str) -> Iterator[tuple[str, ...]]:
    """Yield every division of a word into parts of `_SYLLABLE` letters or more."""
    yield (word,)
    for end in range(_SYLLABLE, len(word) - _SYLLABLE + 1):
        for rest in _splits(word[end:]):
            yield word[:end], *rest

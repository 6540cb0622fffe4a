"""Splits a text into clauses, and finds the most similar source clause for each clause of a claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fundwright.generation.normalizing import MONTHS, PREFIX, Text, Token, listed

_CLAUSE_WORDS = frozenset(listed("but while whereas although though because"))
_NEXT_CLAUSE_WORDS = frozenset(listed("and compared against with whereas"))
UNLIKE = re.compile(r"unlike (?P<whom>[^,;]{1,60}),", re.IGNORECASE)
"""Phrases such as “unlike …” that contrast the subject of a clause with someone else."""


class Clause:
    def __init__(self, source: Text, places: Sequence[int]) -> None:
        tokens = [source.tokens[place] for place in places]
        self.places = places
        self.sentence = tokens[0].sentence
        self.text = source.text[tokens[0].start : tokens[-1].end]
        self.words = words_of(tokens)
        self.keys = {token.key for token in tokens}
        self.prefixes = {token.word[:PREFIX] for token in tokens if token.is_content and not token.is_measure}

    def has(self, token: Token) -> bool:
        return token.key in self.keys or (
            len(token.word) > PREFIX and not token.is_measure and token.word[:PREFIX] in self.prefixes
        )


@dataclass(frozen=True, slots=True)
class Match:
    """A clause of the claim, the most similar clause of the source, and the positions of the words they share."""

    tokens: Sequence[Token]
    clause: Clause
    shared: Sequence[int]


def clauses_of(text: Text) -> list[list[int]]:
    """Return the positions of the tokens of each clause."""
    clauses: list[list[int]] = []
    has_comma = False
    for place, token in enumerate(text.tokens):
        before = text.tokens[place - 1] if place else token
        gap = text.text[before.end : token.start]
        is_new = not place or before.sentence != token.sentence or ";" in gap or "\n" in gap or token.word in _CLAUSE_WORDS
        # “…, and …” begins a clause, but not in “a, b, and c”.
        if is_new or ("," in gap and token.word in _NEXT_CLAUSE_WORDS and not has_comma and len(clauses[-1]) > 4):
            clauses.append([])
            has_comma = False
        else:
            has_comma = has_comma or "," in gap
        clauses[-1].append(place)
    return clauses


@lru_cache(maxsize=200)
def clauses_in(source: Text) -> Sequence[Clause]:
    """Return the clauses of a source. Cached, because many sentences cite the same source."""
    return [Clause(source, places) for places in clauses_of(source)]


def words_of(tokens: Sequence[Token]) -> set[str]:
    """Return words in lower case, without the month of May."""
    return {token.word for token in tokens if not (token.is_name and token.key in MONTHS)}


def is_same(first: Token, second: Token) -> bool:
    if first.key == second.key:
        return True
    is_plain = first.is_content and second.is_content and not first.is_measure and not second.is_measure
    return is_plain and len(first.word) > PREFIX < len(second.word) and first.word[:PREFIX] == second.word[:PREFIX]

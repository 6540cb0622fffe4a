"""Detects an added or missing negation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from fundwright.generation.contrasts.pair import Pair
from fundwright.generation.normalizing import PLAIN_NEGATIONS, Text, Token, listed, stems

_SOURCE_NEGATIONS = PLAIN_NEGATIONS | stems("exclude lack")
_NEGATIONS = _SOURCE_NEGATIONS | stems(
    "zero free except unable postpone defer cancel fail reject ineligible refuse deny without exempt waive exclusion"
)
_POLARITY = PLAIN_NEGATIONS | frozenset(listed("fewer except unable excluded lacks failed unless"))
_NEGATES_SUBJECT = stems("not exclude lack free unable")
"""“The price excludes permits” is “permits are not included in the price”; “approved without comments” is not “not approved”."""


def contradictions(pair: Pair) -> dict[str, bool]:
    return {
        "negation": _is_negation_added(pair) or _is_negation_dropped(pair),
        "polarity": _has_negation(pair.claim.tokens) != _has_negation(pair.nearest_sentence),
    }


def _has_negation(tokens: Sequence[Token]) -> bool:
    return any(token.word in _POLARITY for token in tokens)


@lru_cache(maxsize=200)
def _negations(text: Text, words: frozenset[str]) -> list[tuple[int, list[str]]]:
    """Return the positions of negations, each with up to four words of the clause after it."""
    found: list[tuple[int, list[str]]] = []
    for place, token in enumerate(text.tokens):
        if token.word not in words and token.key not in words:
            continue
        following = [other.word for other in text.tokens[place + 1 : place + 7]]
        if "than" in following or (following and following[0] in ("later", "fewer", "less", "more", "only")):
            continue  # part of a comparator
        scope: list[str] = []
        for at in range(place + 1, min(place + 9, len(text.tokens))):
            other = text.tokens[at]
            if other.sentence != token.sentence or (scope and text.positions[at] - text.positions[at - 1] > 1):
                break
            if other.is_content:
                scope.append(other.key)
        found.append((place, scope[:4]))
    return found


def _before(pair: Pair, place: int) -> list[str]:
    return [token.key for token in pair.source.around(place, 6, 0)[:-1] if token.is_content][-3:]


def _is_negation_added(pair: Pair) -> bool:
    stated = [
        {*scope, *(_before(pair, place) if pair.source.tokens[place].key in _NEGATES_SUBJECT else ())}
        for place, scope in _negations(pair.source, _NEGATIONS)
    ]
    for place, scope in _negations(pair.claim, PLAIN_NEGATIONS):
        # “no” negates the next word, “not” the whole clause.
        is_close = pair.claim.tokens[place].word in ("no", "without")
        mentioned = set(scope) & pair.source.places.keys()
        if (
            scope
            and not any(_is_negated_alike(set(scope), other, mentioned, is_close) for other in stated)
            and (mentioned or not stated)
        ):
            return True
    return False


def _is_negated_alike(claimed: set[str], stated: set[str], mentioned: set[str], is_close: bool) -> bool:
    least = 1 if is_close else min(len(claimed), len(stated) or 1) // 2 + 1
    return len(claimed & stated) >= min(least, max(1, len(mentioned)))


def _is_negation_dropped(pair: Pair) -> bool:
    if any(
        token.word in _NEGATIONS or token.key in _NEGATIONS or token.word in ("remain", "remains") for token in pair.claim.tokens
    ):
        return False
    for place, scope in _negations(pair.source, _SOURCE_NEGATIONS):
        shared = [key for key in scope if key in pair.claim.places]
        before = _before(pair, place)
        is_scope_claimed = bool(shared) and scope[0] in pair.claim.places and len(shared) * 3 >= len(scope) * 2
        is_rest_claimed = bool(shared and before) and all(key in pair.claim.places for key in before)
        if len(shared) * 3 >= len(scope) * 2 and any(len(pair.source.places[key]) == 1 for key in shared[:2]):
            return True
        if (is_scope_claimed or is_rest_claimed) and _is_stated_at(pair, place, pair.claim.places[shared[0]][0]):
            return True
    return False


def _is_stated_at(pair: Pair, place: int, claimed: int) -> bool:
    """Whether the words around a position of the claim occur in the source only near `place`."""
    sentence = pair.source.tokens[place].sentence
    same = pair.same_places(claimed)
    return all(pair.source.tokens[at].sentence == sentence and abs(at - place) <= 10 for at in same)

"""Detects “more than” for “less than”, “rose” for “fell”, “from 4 to 19” for “from 19 to 4”, and “all” for some."""

from __future__ import annotations

import re

from fundwright.generation.contrasts.pair import Pair
from fundwright.generation.normalizing import PLAIN_NEGATIONS, Text, Token, listed, stems

_UP = stems("increase gain improve extend lengthen double exceed expand climb")
_DOWN = stems("decrease halve slow worsen")
_UP_WORDS = frozenset(listed("up more above higher greater longer exceeding exceeded"))
_DOWN_WORDS = frozenset(listed("down less fewer below lower shorter"))
_LEVELS = frozenset(listed("above below"))
_ALL = frozenset(listed("all every each entire nationwide throughout always worldwide national everywhere whole both"))
_EXCEPTIONS = stems("except but exception other")
_TIMES = stems("hour day night week month quarter season year time shift winter summer decade")
_AT_LEAST = re.compile(
    r"\b(?:no fewer than|no less than|not less than|at least|more than|greater than|longer than|over|above|exceed|exceeds|exceeding|"
    r"exceeded|minimum|minimum of)$"
)
_AT_MOST = re.compile(
    r"\b(?:no more than|not more than|no later than|no longer than|at most|less than|fewer than|shorter than|under|below|within|up to|"
    r"as long as|as many as|as much as|as high as|maximum|maximum of)$"
)
_REFUSES_MORE = re.compile(r"\b(?:no|not|none|never|nobody)(?: \w{1,20}){0,4} (?:more|greater|longer|larger|higher|later) than$")
_REFUSES_LESS = re.compile(r"\b(?:no|not|none|never|nobody)(?: \w{1,20}){0,4} (?:less|fewer|shorter|smaller|lower) than$")
_OR_MORE = re.compile(r"\A(?:\w{1,20} )?(?:or (?:more|above|higher|greater|longer)\b|above\b)")
_OR_LESS = re.compile(r"\A(?:\w{1,20} )?(?:or (?:less|fewer|below|lower|shorter)\b|below\b)")


def contradictions(pair: Pair) -> dict[str, bool]:
    return {
        "direction": _is_direction_other(pair) or _is_comparator_other(pair) or _is_preposition_other(pair) or _is_all_added(pair)
    }


def _is_direction_other(pair: Pair) -> bool:
    for place, token in pair.first(lambda token: _is_up(token) or _is_down(token)):
        is_up, is_down = _is_up(token), _is_down(token)
        if is_up == is_down:
            continue
        nearby = [
            [word for word in pair.source.around(at, 7, 7) if token.word in _LEVELS or word.word not in _LEVELS]
            for at in pair.same_places(place)
        ]
        same, other = (_is_up, _is_down) if is_up else (_is_down, _is_up)
        if (
            nearby
            and not any(same(word) for words in nearby for word in words)
            and all(any(map(other, words)) for words in nearby)
        ):
            return True
    return False


def _is_all_added(pair: Pair) -> bool:
    for place, token in pair.first(lambda token: token.word in _ALL):
        following = pair.claim.tokens[place + 1].key if place + 1 < len(pair.claim.tokens) else ""
        if (token.word in ("each", "every") and following in _TIMES) or pair.claim.places.keys() & _EXCEPTIONS:
            continue
        nearby = {word.word for at in pair.same_places(place) for word in pair.source.around(at, 8, 8)}
        if not nearby & (_ALL | {"per"}):
            return True
    return False


def _is_comparator_other(pair: Pair) -> bool:
    in_sources: dict[str, list[str]] = {}  # of each number, which a claim may repeat
    for place, token in enumerate(pair.claim.tokens):
        if token.value is None:
            continue
        in_claim = _comparator(pair.claim, place)
        if token.key not in in_sources:
            in_sources[token.key] = [_comparator(pair.source, at) for at in pair.at(token)]
        in_source = in_sources[token.key]
        is_negated = in_claim == "up" and any(other.word in PLAIN_NEGATIONS for other in pair.claim.tokens)
        if (
            in_claim
            and not is_negated
            and in_source
            and all(other != in_claim and (other or in_claim == "up") for other in in_source)
        ):
            return True
    return False


def _is_preposition_other(pair: Pair) -> bool:
    """“from 19 to 870” for “from 870 to 19”."""
    for place, token in enumerate(pair.claim.tokens):
        if token.value is None:
            continue
        in_claim = _preposition(pair.claim, place)
        in_source = {_preposition(pair.source, at) for at in pair.at(token)}
        if in_claim and in_source and not in_source & {in_claim, ""}:
            return True
    return False


def _is_up(token: Token) -> bool:
    return token.key in _UP or token.word in _UP_WORDS


def _is_down(token: Token) -> bool:
    return token.key in _DOWN or token.word in _DOWN_WORDS


def _comparator(text: Text, place: int) -> str:
    """Return “up” for “more than 5”, “at least 5”, and “5 or more”, and “down” for “less than 5”, “up to 5”, and “5 or less”."""
    nearby = text.around(place, 7, 3)
    here = nearby.index(text.tokens[place])
    words = [token.word for token in nearby]
    just_before = words[max(0, here - 4) : here]
    if {"minimum", "maximum"} & set(just_before):
        return "up" if "minimum" in just_before else "down"
    before = " ".join(word for word in words[:here] if word not in ("a", "an", "the", "our", "its"))
    after = " ".join(words[here + 1 :])
    if before.endswith("over") and any(token.key in _TIMES for token in nearby[here + 1 :][:1]):
        before = ""  # “over two winters” means “during two winters”
    if _REFUSES_MORE.search(before):
        return "down"
    if _REFUSES_LESS.search(before):
        return "up"
    if _AT_LEAST.search(before) or _OR_MORE.match(after):
        return "up"
    return "down" if _AT_MOST.search(before) or _OR_LESS.match(after) else ""


def _preposition(text: Text, place: int) -> str:
    before = text.around(place, 2, 0)[:-1]
    return next((token.word for token in reversed(before) if token.word in ("from", "to")), "")

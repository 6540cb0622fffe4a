"""Detects numbers that are missing from the source or have another word, label, unit, or period there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from fundwright.generation.contrasts.alignment import Gap
from fundwright.generation.contrasts.neighbors import nearest
from fundwright.generation.contrasts.pair import MAX_PLACES, PERIODS, Pair
from fundwright.generation.normalizing import Text, Token, is_year, stem

_MOSTLY_ELSEWHERE = 0.75
_FREQUENCIES = {
    stem(word): stem(period)
    for word, period in (
        ("daily", "day"), ("weekly", "week"), ("monthly", "month"), ("quarterly", "quarter"), ("hourly", "hour"), ("yearly", "year"),
    )
}  # fmt: skip


def contradictions(pair: Pair) -> dict[str, bool]:
    _, gaps = pair.aligned
    return {
        "numbers": any(token.is_measure for token in pair.missing_tokens) or _is_repeated(pair),
        "labels": any(_has_other_label(pair, token) or _has_other_unit(pair, token) for token in pair.claim.tokens)
        or _elsewhere(pair, lambda token: bool(token.label)) >= _MOSTLY_ELSEWHERE,
        "moved": _is_moved(pair, is_year)
        or _is_moved(pair, lambda token: token.value is not None and not is_year(token))
        or _is_of_another_row(pair),
        "rate": _is_rate_other(pair),
        "renumbered": pair.is_mostly_ordered and any(_is_renumbered(pair, gap) for gap in gaps),
    }


def _is_repeated(pair: Pair) -> bool:
    """Whether a number occurs more often in the claim than in the source."""
    given = Counter(pair.source.values)
    return any(0 < given[value] < times for value, times in Counter(pair.claim.values).items())


def _has_other_label(pair: Pair, token: Token) -> bool:
    if not token.label:
        return False
    values = pair.source.labeled.get(token.label)
    return bool(values) and token.value not in values


def _has_other_unit(pair: Pair, token: Token) -> bool:
    if not token.unit:
        return False
    units = [pair.source.tokens[place].unit for place in pair.at(token)]
    return any(units) and token.unit not in units


def _elsewhere(pair: Pair, is_anchor: Callable[[Token], bool]) -> float:
    """Return the share of the words near a number (or name) that are nearer to another one in the source."""
    in_claim = nearest(pair.claim, is_anchor, pair.source.places.keys(), 6, is_claim=True)
    in_source = nearest(pair.source, is_anchor, None, 10, of=in_claim) if in_claim else {}
    is_shared = [bool(keys & in_source[word]) for word, keys in in_claim.items() if word in in_source]
    return 1 - sum(is_shared) / len(is_shared) if is_shared else 0.0


def _is_renumbered(pair: Pair, gap: Gap) -> bool:
    return any(token.is_measure for token in pair.replacing(gap)) and any(token.is_measure for token in pair.lost(gap))


def _is_moved(pair: Pair, is_anchor: Callable[[Token], bool]) -> bool:
    """Whether a number (or name) is near a word that in the source is nearer to another one, which is not in the claim."""
    claim, source = pair.claim, pair.source
    numbers = [
        place
        for place, token in enumerate(claim.tokens)
        if is_anchor(token) and token.key in source.places and token.key not in pair.known.places
    ]
    for place in numbers[:6]:
        number = claim.tokens[place]
        for other, word in enumerate(claim.tokens):
            far = abs(claim.positions[other] - claim.positions[place])
            if (
                not word.is_content
                or word.is_measure
                or word.sentence != number.sentence
                or far > 4
                or word.key in pair.known.places
            ):
                continue
            if any(abs(claim.positions[at] - claim.positions[other]) < far for at in numbers if at != place):
                continue
            if len(source.places.get(word.key, ())) == 1 and _has_nearer(pair, source.places[word.key][0], number, is_anchor):
                return True
    return False


def _is_of_another_row(pair: Pair) -> bool:
    """Whether a number is in a table row with none of the claim's words, while another row has several of them."""
    sentences = list(zip(pair.source.sentence_keys, pair.source.rows, strict=True))
    words = {token.key for token in pair.claim.content if not token.is_measure} - pair.known.places.keys()
    for key in {token.key for token in pair.claim.tokens if token.is_measure}:
        in_claim = [(keys, is_row) for keys, is_row in sentences if key in keys]
        others = [len(words & keys) for keys, is_row in sentences if is_row and key not in keys]
        if in_claim and not any(words & keys or not is_row for keys, is_row in in_claim) and max(others, default=0) > 1:
            return True
    return False


def _has_nearer(pair: Pair, place: int, number: Token, is_anchor: Callable[[Token], bool]) -> bool:
    own = nearest = 99
    for at in range(max(0, place - 8), min(len(pair.source.tokens), place + 9)):
        token = pair.source.tokens[at]
        if token.sentence == pair.source.tokens[place].sentence and is_anchor(token):
            distance = abs(pair.source.positions[at] - pair.source.positions[place])
            if token.key == number.key:
                own = min(own, distance)
            elif token.key not in pair.keys and token.unit == number.unit:
                nearest = min(nearest, distance)
    return nearest <= 4 and own > nearest + 3


def _is_rate_other(pair: Pair) -> bool:
    """“$520 a week” for “$520 a month”."""
    for place, token in enumerate(pair.claim.tokens):
        in_claim = _rate(pair.claim, place) if token.value is not None else ""
        in_source = {_rate(pair.source, at) for at in pair.source.places.get(token.key, ())[:MAX_PLACES]} if in_claim else set()
        if in_source - {""} and in_claim not in in_source:
            return True
    return False


def _rate(text: Text, place: int) -> str:
    """Return “month” for “$520 a month” and for “280 meals monthly”."""
    after = text.around(place, 0, 5)[1:]
    for token, following in pairwise([*after, None]):
        if token is None or token.value is not None:
            return ""
        if token.word in ("a", "an", "per", "each", "every") and following and following.key in PERIODS:
            return following.key
        if token.key in _FREQUENCIES:
            return _FREQUENCIES[token.key]
    return ""

"""Finds the words near numbers and names."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence

from fundwright.generation.contrasts.pair import ROLES
from fundwright.generation.normalizing import Text, Token


def nearest(
    text: Text,
    is_anchor: Callable[[Token], bool],
    only: Collection[str] | None,
    width: int,
    *,
    of: Collection[str] | None = None,
    is_claim: bool = False,
) -> dict[str, set[str]]:
    """Return the nearest anchors of each other word, or of the words `of`, over all their positions. The first word of a claim does
    not count as a name just because it is capitalized."""
    tokens = text.tokens
    is_first_plain = is_claim and len(tokens) > 1 and not tokens[1].is_name
    anchors = [place for place in _places(text, only) if is_anchor(tokens[place]) and not (is_first_plain and place == 0)]
    keys = {tokens[place].key for place in anchors}
    positions = [text.positions[place] for place in anchors]
    found: dict[str, set[str]] = {}
    for place in _places(text, of):
        token = tokens[place]
        if not token.is_content or token.key in keys:
            continue
        position = text.positions[place]
        around = slice(bisect_left(positions, position - width - 1), bisect_right(positions, position + width + 1))
        nearby = [
            (abs(text.positions[at] - position), tokens[at].key)
            for at in anchors[around]
            if tokens[at].sentence == token.sentence
        ]
        least = min(nearby, default=(width + 1, ""))[0]
        if least <= width:
            found.setdefault(token.key, set()).update(key for far, key in nearby if far <= least + 1)
    return found


def _places(text: Text, keys: Collection[str] | None) -> Sequence[int]:
    if keys is None:
        return range(len(text.tokens))
    return sorted(place for key in keys for place in text.places.get(key, ()))


def is_name(token: Token) -> bool:
    return token.is_name and token.is_content and token.value is None and token.key not in ROLES


def is_amount(token: Token) -> bool:
    """Whether it is a number other than a year."""
    return token.value is not None and (bool(token.unit) or not 1900 <= token.value < 2100)

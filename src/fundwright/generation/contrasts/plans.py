"""Detects plans presented as completed, “may” as “must”, and the past as the present."""

from __future__ import annotations

import re
from itertools import pairwise

from fundwright.generation.contrasts.clauses import Match, words_of
from fundwright.generation.contrasts.pair import MAX_PLACES, Pair
from fundwright.generation.normalizing import Text, is_year, listed

_PLANS = frozenset(
    listed(
        "will shall would should may might proposed planned expected intended pending submitted estimated projected anticipated "
        "scheduled upcoming seeking postponed deferred delayed canceled development hoped wanted tried attempted propose proposes "
        "expect expects intend intends hope hopes seek seeks requests asks await awaits awaiting requesting construction"
    )
)
"""Words for work that is not done yet."""
_OPEN = _PLANS | frozenset(
    listed(
        "must can could need needs required possible if unless once when until subject nominated future request ask aim aims goal "
        "target allowed permitted wants going plan plans planning review not no never nor neither without nobody nothing cannot"
    )
)
"""Words of a claim that leave open whether the work is done."""
_IS_TO = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|plans?|hopes?|needs?|remains?) to\b|(?<!found )(?<!shown )(?<!known )(?<!said )\bto be\b",
    re.IGNORECASE,
)
_WEAK = frozenset(
    listed(
        "may might can could optional optionally usually often typically generally sometimes expected should encouraged welcome likely "
        "mostly normally probably preferred preference"
    )
)
_STRONG = frozenset(
    listed("must required requires require always mandatory never guaranteed guarantees will shall cannot ineligible")
)
_PRESENT = frozenset(listed("is are serves leads directs now current currently still has heads chairs works manages runs"))
_PAST = frozenset(listed("was were had former formerly until previously ago earlier before been led served"))
_PLAN_WIDTH = 6
"""The maximum number of words between a plan and the words that the claim takes from it."""


def contradictions(pair: Pair) -> dict[str, bool]:
    return {
        "planned": any(_is_plan(pair, match) for match in pair.matches),
        "modality": any(_is_strengthened(pair, match) for match in pair.matches),
        "former": _is_range_open(pair) or _is_former(pair),
    }


def _is_plan(pair: Pair, match: Match) -> bool:
    if pair.words & _OPEN or _IS_TO.search(pair.claim.text):
        return False
    plans = [
        place
        for place in match.clause.places
        if words_of([pair.source.tokens[place]]) & _PLANS and pair.source.tokens[place].key not in pair.keys
    ]
    return any(pair.is_close(place, match, _PLAN_WIDTH) for place in plans) or bool(_IS_TO.search(match.clause.text))


def _is_strengthened(pair: Pair, match: Match) -> bool:
    in_claim = words_of(match.tokens)
    in_source = match.clause.words
    return bool(in_claim & _STRONG and not pair.words & _WEAK and in_source & _WEAK and not in_source & _STRONG)


def _is_range_open(pair: Pair) -> bool:
    """“since 2010” for “2010 to 2016”."""
    for before, token in pairwise(pair.claim.tokens):
        if before.word == "since" and is_year(token):
            places = pair.source.places.get(token.key, ())[:MAX_PLACES]
            if any(_is_range(pair.source, place) for place in places) and not any(
                _is_beginning(pair.source, at) for at in places
            ):
                return True
    return False


def _is_former(pair: Pair) -> bool:
    """“directs” for “director from 2019 to 2023”, and “is certified” for “certified (expired)”."""
    begun = pair.claim.tokens[1:6]
    is_present = pair.words & _PRESENT or any(
        token.word.endswith("s") and not token.is_name and token.is_content for token in begun
    )
    if not is_present or pair.words & _PAST or any(token.is_measure for token in pair.claim.tokens):
        return False
    best = pair.source.nearest_sentence(pair.keys)
    places = {token.start for token in best}
    for place, token in enumerate(pair.source.tokens):
        if token.start in places and any(
            other.is_content and other.key in pair.keys for other in pair.source.around(place, 5, 3) if other is not token
        ):
            is_over = is_year(token) and _is_range(pair.source, place)
            if is_over or (token.word in ("expired", "formerly") and token.key not in pair.keys):
                return True
    return False


def _is_range(text: Text, place: int) -> bool:
    """Whether a year begins a range that ends with another year."""
    after = text.around(place, 0, 2)[1:]
    dash = text.text[text.tokens[place].end :][:3].strip()[:1] in ("–", "—", "-")
    if not after:
        return False
    return is_year(after[0]) if dash else after[0].word in ("to", "through", "until") and len(after) > 1 and is_year(after[1])


def _is_beginning(text: Text, place: int) -> bool:
    """Whether something begins in a year and has no end."""
    before = {token.word for token in text.around(place, 3, 0)[:-1]}
    after = [token.word for token in text.around(place, 0, 2)[1:]]
    dash = re.match(r"\s?[–—-](?!\d)", text.text[text.tokens[place].end :][:3])
    return bool(before & {"since", "founded", "in"}) or "present" in after or dash is not None

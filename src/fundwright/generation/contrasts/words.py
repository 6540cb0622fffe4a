"""Detects replaced words: opposites, swapped sides, and words with a narrower or stronger meaning."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from fundwright.generation.contrasts.actors import AGENTS
from fundwright.generation.contrasts.alignment import Gap
from fundwright.generation.contrasts.clauses import Match
from fundwright.generation.contrasts.pair import MAX_PLACES, PERIODS, ROLES, Pair
from fundwright.generation.normalizing import Text, Token, listed, stem

_ENDS_LIKE_SUPERLATIVE = frozenset(
    listed(
        "interest west test request latest forest guest harvest honest invest contest protest northwest midwest southwest rest digest "
        "suggest arrest chest quest priest tempest nest pest crest vest attest manifest conquest modest earnest"
    )
)
_SUPERLATIVES = frozenset(listed("best leading unique unmatched unprecedented premier unrivaled foremost worst"))
_NOT = frozenset(listed("no not never nothing cannot"))
_OWN = frozenset(listed("own itself ourselves himself herself alone"))
_OWN_SOURCE = _OWN | {"our", "internal", "personally"}
"""Words for work done by one's own staff."""
_BOASTS = frozenset(
    listed(
        "fluently alone fully exclusively solely entirely completely consistently significantly dramatically extensive exceptional "
        "exceptionally proven widely renowned guaranteed nationally internationally globally recognized outstanding excellent perfect "
        "flawless perfectly flawlessly substantially greatly highly strongly successful successfully extensively continuously "
        "permanently immediately instantly always"
    )
)
"""Words that claim more than the source says."""
_LESSENED = frozenset(listed("co vice deputy assistant associate acting former honorary provisional draft preliminary interim"))
"""Words that lessen the noun after them."""
_MOSTLY_UNRELATED = 0.33
_FAR = 20
"""The number of words before and after a word that are examined for its neighbors, to limit the time for repeated words."""
_TOGETHER = 12
_QUANTIFIERS = frozenset(listed("all every each only both none"))
_LIMITS = frozenset(listed("only half partly partially nearly almost hardly except unless neither nor without never"))
"""Words that limit a statement."""
_LIMITED = _LIMITS | frozenset(listed("just no not but until"))
_PREPOSITIONS = frozenset(listed("of in for with to on by from at as per into under over than that which who and or"))
_OPPOSITES = (
    "before after", "day night", "old new", "minimum maximum", "internal external", "indoor outdoor", "above below", "above under", "below exceed",
    "approve reject defer", "accept reject", "own lease", "grant loan", "open close", "with without", "early late", "ahead behind", "ahead after",
    "ahead late", "public private", "permanent temporary", "required optional", "standard optional", "direct indirect", "domestic foreign",
    "pass fail", "complete incomplete", "prime subcontractor", "first last", "more less", "higher lower", "increase decrease", "grow shrink",
    "larger smaller", "longer shorter", "faster slower", "better worse", "add remove", "import export", "summer winter", "urban rural",
    "exempt require", "allow prohibit", "begin finish", "always usually", "weekly monthly", "daily weekly", "quarterly monthly",
    "quarterly annually", "monthly annually", "young aged old", "rich poor", "upper lower", "left right", "men women", "male female", "adults children",
    "employer employee", "lend borrow", "treated untreated", "coated uncoated", "gain loss", "north south", "current former", "full part", "strong weak",
    "wet dry", "survive lose", "hot cold", "manual automatic", "local remote", "mandatory voluntary", "paid unpaid",
)  # fmt: skip
"""Words that exclude each other."""


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _OPPOSITES:
        keys = [stem(word) for word in group.split()]
        for key in keys:
            found.setdefault(key, set()).update(other for other in keys if other != key)
    return {key: frozenset(others) for key, others in found.items()}


_OPPOSITE_OF = _opposites()


def contradictions(pair: Pair) -> dict[str, bool]:
    _, gaps = pair.aligned
    return {
        "opposite": any(_is_opposite(pair, match) for match in pair.matches),
        "flipped": any(_is_flipped(pair, gap) for gap in gaps) or _are_exchanged(gaps),
        "replaced": pair.is_mostly_ordered and any(_is_replaced(pair, gap) for gap in gaps),
        "turned": _is_turned(pair),
        "lessened": _is_less_dropped(pair),
        "own": _is_own_added(pair),
        "boast": _is_boast(pair),
        "superlative": _is_superlative_added(pair),
        "invented": _is_invented(pair),
    }


def _is_opposite(pair: Pair, match: Match) -> bool:
    if pair.words & _NOT:
        return False
    in_source = {token.key for token in pair.source.by_sentence[match.clause.sentence]}
    for token in match.tokens:
        opposites = _opposites_of(token)
        if opposites and token.key not in in_source and (opposites & in_source) - pair.keys:
            if token.word in ("with", "without") and match.clause.words & _NOT:
                continue
            return True
    return False


def _opposites_of(token: Token) -> frozenset[str]:
    """Return the opposites of a word. “Monthly” and “yearly” are opposites; “12 months” and “a year” are not."""
    is_period = token.key in PERIODS and not token.word.endswith("ly")
    return frozenset() if is_period else _OPPOSITE_OF.get(token.key, frozenset())


def _is_replaced(pair: Pair, gap: Gap) -> bool:
    """Whether the claim has other words in a gap, and the source has them elsewhere."""
    return bool(pair.lost(gap)) and any(_is_written(pair, token) for token in pair.replacing(gap))


def _is_written(pair: Pair, token: Token) -> bool:
    """Whether the source has the word itself, not just a synonym."""
    places = pair.source.places.get(token.key, ())[:MAX_PLACES]
    return any(token.is_measure or pair.source.tokens[place].word[:3] == token.word[:3] for place in places)


def _is_flipped(pair: Pair, gap: Gap) -> bool:
    """“before” for “after”, “acquired” for “was acquired by”, and “all deliveries” for “all later deliveries”."""
    in_source = {token.key for token in gap.source} - pair.keys
    if not pair.words & _NOT and any(_opposites_of(token) & in_source for token in gap.claim):
        return True
    if gap.before is None or gap.after is None or not pair.is_mostly_ordered:
        return False
    is_by = {token.word for token in gap.claim} ^ {token.word for token in gap.source} >= {"by"}
    is_actor = gap.after.is_name or gap.after.key in AGENTS
    is_bare = not any(token.is_content for token in (*gap.claim, *gap.source))
    is_narrowed = (
        _is_quantified(pair, gap.before)
        and gap.before.key not in PERIODS
        and gap.after.key not in PERIODS
        and not gap.claim
        and bool(pair.lost(gap))
    )
    is_limited = any(token.word in _LIMITS and token.key not in pair.keys for token in gap.source) and not pair.words & _LIMITED
    return (is_by and is_actor and is_bare) or is_narrowed or is_limited


def _are_exchanged(gaps: Sequence[Gap]) -> bool:
    """“passed the drop test but failed the vibration test” for the other way around."""
    replaced = [
        (
            frozenset(token.key for token in gap.claim if token.is_content),
            frozenset(token.key for token in gap.source if token.is_content),
        )
        for gap in gaps
    ]
    return any(claimed and stated and (stated, claimed) in replaced for claimed, stated in replaced)


def _is_quantified(pair: Pair, token: Token) -> bool:
    before = next((before for before, other in pairwise(pair.claim.tokens) if other is token), token)
    return bool({token.word, before.word} & _QUANTIFIERS)


def _is_turned(pair: Pair) -> bool:
    """Whether a word's neighbors before and after it are swapped: “Print loans exceeded digital loans” for “Digital loans exceeded
    print loans”."""
    in_source: dict[str, list[tuple[set[str], set[str]]]] = {}  # beside each word, which a claim may repeat
    for place, token in enumerate(pair.claim.tokens):
        if not token.is_content or token.is_measure or token.is_name or _is_passive(pair.claim, place):
            continue
        places = pair.source.places.get(token.key, ())[:MAX_PLACES]
        if not places or any(_is_passive(pair.source, at) for at in places):
            continue
        before, after = _beside(pair.claim, place)
        if token.key not in in_source:
            in_source[token.key] = [_beside(pair.source, at) for at in places]
        for first, last in in_source[token.key]:
            if (after - before) & (first - last) and (before - after) & (last - first):
                return True
    return False


def _beside(text: Text, place: int) -> tuple[set[str], set[str]]:
    """Return up to three different content words before and after a word in its clause."""
    sides: list[set[str]] = []
    for step in (-1, 1):
        keys: set[str] = set()
        at = place + step
        while (
            0 <= at < len(text.tokens)
            and abs(at - place) <= _FAR
            and text.tokens[at].sentence == text.tokens[place].sentence
            and len(keys) < 3
        ):
            token = text.tokens[at]
            if abs(text.positions[at] - text.positions[at - step]) > 1 or token.word in _PREPOSITIONS:
                break
            if token.is_content:
                keys.add(token.key)
            at += step
        sides.append(keys)
    return sides[0], sides[1]


def _is_passive(text: Text, place: int) -> bool:
    before = {token.word for token in text.around(place, 3, 0)[:-1]}
    after = {token.word for token in text.around(place, 0, 5)[1:]}
    return bool(before & {"was", "were", "is", "are", "been", "be", "being", "to"}) or "by" in after


def _is_less_dropped(pair: Pair) -> bool:
    """“investigator” for “co-investigator”."""
    for before, token in pairwise([None, *pair.claim.tokens]):
        if token is None or token.key not in ROLES or (before and before.word in _LESSENED):
            continue
        places = pair.source.places.get(token.key, ())[:MAX_PLACES]
        if places and all(at and pair.source.tokens[at - 1].word in _LESSENED for at in places) and not pair.words & _LESSENED:
            return True
    return False


def _is_own_added(pair: Pair) -> bool:
    return bool(pair.words & _OWN) and not any(token.word in _OWN_SOURCE for token in pair.source.tokens)


def _is_boast(pair: Pair) -> bool:
    return any(token.word in _BOASTS for token in pair.missing_tokens)


def _is_superlative_added(pair: Pair) -> bool:
    return any(map(_is_superlative, pair.claim.tokens)) and not any(map(_is_superlative, pair.source.tokens))


def _is_superlative(token: Token) -> bool:
    word = token.word
    return word in _SUPERLATIVES or (
        len(word) > 5 and word.endswith("est") and word not in _ENDS_LIKE_SUPERLATIVE and not token.is_name
    )


def _is_invented(pair: Pair) -> bool:
    """Whether much of the claim is missing, and the rest is scattered in the source."""
    content = [(place, token) for place, token in enumerate(pair.claim.tokens) if token.is_content]
    neighbors = list(pairwise(content))
    if len(pair.missing) < 2 or not neighbors:
        return False
    apart = sum(
        bool({place, other} & pair.missing) or not _are_together(pair, first.key, second.key)
        for (place, first), (other, second) in neighbors
    )
    return apart / len(neighbors) * len(pair.missing) / len(content) >= _MOSTLY_UNRELATED


def _are_together(pair: Pair, first: str, second: str) -> bool:
    tokens, others = pair.source.tokens, pair.source.places.get(second, [])
    for place in pair.source.places.get(first, ()):
        for other in others[bisect_left(others, place - _TOGETHER) : bisect_right(others, place + _TOGETHER)]:
            if tokens[place].sentence == tokens[other].sentence:
                return True
    return False

"""Pairs a claim with its source, and finds which of its words, numbers, and names are in the source in any form."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cached_property

from fundwright.generation.contrasts.alignment import MOSTLY_ORDERED, Gap, gaps_of
from fundwright.generation.contrasts.clauses import Clause, Match, clauses_in, clauses_of, is_same, words_of
from fundwright.generation.normalizing import PREFIX, Text, Token, listed, stem, stems

ROLES = stems(
    "manager director vice president officer lead chief principal investigator superintendent subcontractor prime contractor editor professor "
    "engineer nurse analyst sponsor curator archivist supervisor owner founder chair"
)
_MAGNITUDE = re.compile(r"[kK]$|thousand|million|billion")
_NOT_A_DIGIT = re.compile(r"[^0-9]")
_CONVERSIONS = {
    stem(unit): (times, stem(smaller))
    for unit, times, smaller in (
        ("week", 7.0, "day"), ("year", 12.0, "month"), ("day", 24.0, "hour"), ("hour", 60.0, "minute"), ("minute", 60.0, "second"),
    )
}  # fmt: skip
_COMPUTED = frozenset(
    listed(
        "by drop gain rise increase decrease higher lower longer shorter larger smaller more fewer less total altogether combined "
        "together over only"
    )
)
"""Words of a claim that states the sum or difference of two numbers."""
_YEAR = stem("year")
PERIODS = stems("day week month quarter year hour minute second night season shift")
_LONGER = 2
"""How many times as long as the claim a sentence may be before it counts as less similar."""
_MAX_REPLACED = 4
_AROUND = 5
"""The number of words before and after a position that identify it."""
_MAX_COMPARED = 6
MAX_PLACES = 20
"""The maximum number of comparison words of a claim, and of positions of a number in the source, that are examined, to limit the
time for a claim."""


class Pair:
    """`known` contains names that need no support. `keys` and `words` are those of the claim."""

    def __init__(self, claim: Text, source: Text, known: Text) -> None:
        self.claim, self.source, self.known = claim, source, known
        self.keys = claim.places.keys()
        self.words = words_of(claim.tokens)
        self.missing = frozenset(
            place for place, token in enumerate(claim.tokens) if token.is_content and not self._is_found(place, token)
        )
        """The positions of claim words that are not in the source."""

    @property
    def missing_tokens(self) -> list[Token]:
        return [self.claim.tokens[place] for place in sorted(self.missing)]

    @property
    def clauses(self) -> Sequence[Clause]:
        return clauses_in(self.source)

    @cached_property
    def aligned(self) -> tuple[float, list[Gap]]:
        """The share of the claim's words in the same order in one source sentence, and the gaps between them."""
        return gaps_of(self.claim, self.source)

    @property
    def is_mostly_ordered(self) -> bool:
        return self.aligned[0] >= MOSTLY_ORDERED

    def _is_found(self, place: int, token: Token) -> bool:
        if token.key in self.source.places or token.key in self.known.places:
            return True
        if token.value is not None:
            return self._is_converted(token)
        if token.is_code:
            return False
        if token.is_acronym and token.letters in self.source.initials | self.known.initials:
            return True
        if (
            not token.is_name
            and token.key not in ROLES
            and len(token.word) > PREFIX
            and token.word[:PREFIX] in self.source.prefixes
        ):
            return True
        return self._is_spelled_out(place)

    def _is_converted(self, token: Token) -> bool:
        """Whether the source has the same amount in another unit: “four weeks” for “28 days”, “$1.13 million” for “$1,130,500”."""
        assert token.value is not None
        for unit, (times, smaller) in _CONVERSIONS.items():
            if (token.unit == unit and token.value * times in self.source.values) or (
                token.unit == smaller and token.value / times in self.source.values
            ):
                return True
        if self._is_computed(token.value) or (token.unit == _YEAR and token.value in self.source.spans_of_years):
            return True
        if not _MAGNITUDE.search(token.text):
            return False
        digits = len(_NOT_A_DIGIT.sub("", token.text).strip("0")) or 1
        return any(value and _rounded(value, digits) == token.value for value in self.source.values)

    def _is_computed(self, value: float) -> bool:
        """Whether the number follows from numbers of the source: “25 fewer, from 190 to 165”, “five, three of them new and two
        used”, “three years” for 2020 to 2023."""
        given = {other for other in self.given if other != value}
        if any(other in given and other != value - other for other in (value - first for first in given)):
            return True
        if any(first + value in given for first in given):
            return True
        is_sum = bool(self.words & _COMPUTED)
        measured = self.source.measured
        return any(
            value
            in (round(abs((first.value or 0) - (second.value or 0)), 6), is_sum and (first.value or 0) + (second.value or 0))
            for first in measured[:MAX_PLACES]
            for second in measured[:MAX_PLACES]
            if (first.value in given or is_sum)
            and (first.unit == second.unit or not (first.unit and second.unit))
            and first.sentence == second.sentence
        )

    def _is_spelled_out(self, place: int) -> bool:
        """Whether the word is part of a name that the source abbreviates to an acronym."""
        tokens = self.claim.tokens
        for start in range(max(0, place - 5), place + 1):
            letters = ""
            for end in range(start, min(len(tokens), start + 7)):
                if tokens[end].is_measure:
                    break
                letters += tokens[end].word[0] if tokens[end].is_content else ""
                is_long_enough = len(letters) > 2 or (len(letters) == 2 and not tokens[place].is_name)
                if end >= place and is_long_enough and letters in self.source.acronyms:
                    return True
        return False

    def at(self, token: Token) -> Sequence[int]:
        """Return the first few positions of the token in the source."""
        return self.source.places.get(token.key, [])[:MAX_PLACES]

    def first(self, is_meant: Callable[[Token], bool]) -> list[tuple[int, Token]]:
        return [(place, token) for place, token in enumerate(self.claim.tokens) if is_meant(token)][:_MAX_COMPARED]

    def same_places(self, place: int) -> list[int]:
        """Return the source positions that have most of the words around a position of the claim."""
        here = self.claim.tokens[place]
        around = {
            token.key
            for token in self.claim.tokens[max(0, place - _AROUND) : place + _AROUND + 1]
            if token.is_content and token is not here
        }
        best: list[int] = []
        most = 0
        for at in sorted(at for key in around for at in self.source.places.get(key, ())):
            shared = len({token.key for token in self.source.around(at, _AROUND, _AROUND)} & around)
            if shared > most:
                best, most = [at], shared
            elif shared == most:
                best.append(at)
        return best

    @cached_property
    def matches(self) -> list[Match]:
        """Each clause of the claim, with the source clause that has most of its words."""
        found: list[Match] = []
        for places in clauses_of(self.claim):
            tokens = [self.claim.tokens[place] for place in places]
            content = [token for token in tokens if token.is_content and token.key not in self.known.places]
            if not content:
                continue
            scores = [
                sum(
                    (2 if token.is_measure else 1) / (5 + len(self.source.places.get(token.key, ())))
                    for token in content
                    if clause.has(token)
                )
                for clause in self.clauses
            ]
            most = max(scores, default=0.0)
            if not most:
                continue
            clause = self.clauses[scores.index(most)]
            shared = [place for place in clause.places if any(is_same(token, self.source.tokens[place]) for token in content)]
            found.append(Match(tokens, clause, shared))
        return found

    def is_close(self, place: int, match: Match, width: int) -> bool:
        position = self.source.positions[place]
        return any(abs(self.source.positions[other] - position) <= width for other in match.shared)

    def replacing(self, gap: Gap) -> list[Token]:
        replacing = [token for token in gap.claim if token.is_content and token.key not in self.known.places]
        return replacing if len(replacing) <= _MAX_REPLACED else []

    def lost(self, gap: Gap) -> list[Token]:
        return [
            token
            for token in gap.source
            if token.is_content and token.key not in self.keys and (gap.is_inside or token.key not in self.known.places)
        ]

    @cached_property
    def given(self) -> frozenset[float]:
        """The numbers of the claim that are in the source."""
        return frozenset(self.claim.values) & frozenset(self.source.values)

    @cached_property
    def nearest_sentence(self) -> list[Token]:
        """The source sentence with most of the claim's words, the shortest if there are several."""
        keys = {token.key for token in self.claim.content} - self.known.places.keys()
        sentences = zip(self.source.sentence_keys, self.source.sentences, strict=True)
        return max(sentences, key=lambda sentence: (len(keys & sentence[0]), -len(sentence[1])), default=(frozenset(), []))[1]

    @cached_property
    def nearness(self) -> float:
        """The cosine of the claim's words with those of the most similar source sentence, or two consecutive ones."""
        keys_of_claim = {token.key for token in self.claim.content} - self.known.places.keys()
        if not keys_of_claim:
            return 1.0
        return max(
            (
                shared / math.sqrt(len(keys_of_claim) * min(len(keys - self.known.places.keys()), _LONGER * len(keys_of_claim)))
                for keys in self.source.nearby_content
                if (shared := len(keys_of_claim & keys))
            ),
            default=0.0,
        )


def _rounded(value: float, digits: int) -> float:
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))

"""Whether the passages that a sentence cites say what it says. The answer is “not found in the source”, never “false”.

Contradictions are looked for one by one: a number, name, code, or unit that is not there, a negation more or less, “more than” for “less
than”, roles that are swapped, somebody else's work. A logistic regression weighs them with the share of words that are missing or stand
elsewhere. `python -m benchmarks.eval.checking --fit` fits it on the pairs in tests/checking and writes checking.json; `python -m
benchmarks.eval checking` measures it.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files

from fundwright.generation.contrasts import contrasts_of
from fundwright.generation.wording import PREFIX, Text, Token, listed, read_text, stem, stems

_PLAIN_NEGATIONS = frozenset(listed("not no never without none nobody nothing neither nor cannot"))
_SOURCE_NEGATIONS = _PLAIN_NEGATIONS | stems("exclude lack")
_NEGATIONS = _SOURCE_NEGATIONS | stems("zero free except unable postpone defer cancel fail reject ineligible refuse deny without")
_NEGATES_SUBJECT = stems("not exclude lack free unable")
"""“The price excludes permits” is “permits are not included in the price”; “approved without comments” is not “not approved”."""
_UP = stems("increase gain improve extend lengthen double exceed expand climb")
_DOWN = stems("decrease halve slow worsen")
_UP_WORDS = frozenset(listed("up more above higher greater longer exceeding exceeded"))
_DOWN_WORDS = frozenset(listed("down less fewer below lower shorter"))
_LEVELS = frozenset(listed("above below"))
_ALL = frozenset(listed("all every each entire nationwide throughout always worldwide national everywhere whole both"))
_EXCEPTIONS = stems("except but exception other")
_TIMES = stems("hour day night week month quarter season year time shift winter summer decade")
_AWARDS = stems(
    "award prize medal honor winner win certification certified accredited accreditation registered licensed recipient named iso cmmc "
    "hubzone sdvosb edwosb wosb nadcap fellow"
)
_ROLES = stems(
    "manager director vice president officer lead chief principal investigator superintendent subcontractor prime contractor editor professor "
    "engineer nurse analyst sponsor curator archivist supervisor owner founder chair"
)
_OTHERS = stems("partner subcontractor sponsor customer client vendor supplier district agency contractor association")
"""Who somebody else may be."""
_AT_LEAST = re.compile(
    r"\b(?:no fewer than|no less than|not less than|at least|more than|greater than|longer than|over|above|exceed|exceeds|exceeding|"
    r"exceeded|minimum|minimum of)$"
)
_AT_MOST = re.compile(
    r"\b(?:no more than|not more than|no later than|no longer than|at most|less than|fewer than|shorter than|under|below|within|up to|"
    r"as long as|as many as|as much as|as high as|maximum|maximum of)$"
)
_REFUSES_MORE = re.compile(r"\b(?:no|not) (?:more|greater|longer) than$")
_REFUSES_LESS = re.compile(r"\b(?:no|not) (?:less|fewer|shorter) than$")
_OR_MORE = re.compile(r"\A(?:\w{1,20} )?(?:or (?:more|above|higher|greater|longer)\b|above\b)")
_OR_LESS = re.compile(r"\A(?:\w{1,20} )?(?:or (?:less|fewer|below|lower|shorter)\b|below\b)")
_MAGNITUDE = re.compile(r"[kK]$|thousand|million|billion")
_NOT_A_DIGIT = re.compile(r"[^0-9]")
_CONVERSIONS = {stem("week"): (7.0, stem("day")), stem("year"): (12.0, stem("month"))}
_MOSTLY_ELSEWHERE = 0.75
_MOSTLY_UNRELATED = 0.33
_LEAST_VERBATIM = 3
_LONG_PART = 6
_MOST_COMPARED = 6
_MOST_PLACES = 20
"""So many words such as “more” of a claim, and places of one number in the source, are looked into, so that no claim takes long."""
_QUOTE_GAP = 3
"""Words between two words of a quote that the sentence does not have."""


class CheckState(StrEnum):
    """`not_found`: the passages that the sentence cites do not say this. `no_source`: it cites none."""

    SUPPORTED = "supported"
    NOT_FOUND = "not_found"
    NO_SOURCE = "no_source"


@dataclass(frozen=True, slots=True)
class Quote:
    """Characters of a passage, counted from 0."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """`probability` is that of being supported. `quotes` hold the words that support it; `missing` are words of the sentence."""

    state: CheckState
    probability: float
    quotes: tuple[Quote, ...] = ()
    missing: tuple[str, ...] = ()


def check(sentence: str, passages: Sequence[str], *, known: str = "") -> Verdict:
    """Compare a sentence with the passages it cites. `known` are titles, headings, and the firm's name: what needs no proof."""
    claim = Text(sentence)
    if not passages:
        return Verdict(CheckState.NO_SOURCE, 0.0)
    if not claim.content:
        return Verdict(CheckState.SUPPORTED, 1.0)
    comparison = _Comparison(claim, read_text("\n\n".join(passages)), read_text(known))
    missing = comparison.missing
    probability = 1.0 if comparison.is_verbatim() else 1 - _MODEL.probability(comparison.features())
    if probability < _MODEL.least:
        return Verdict(CheckState.NOT_FOUND, probability, missing=missing)
    return Verdict(CheckState.SUPPORTED, probability, quotes=_quotes(claim, passages), missing=missing)


def features_of(sentence: str, passages: Sequence[str], *, known: str = "") -> dict[str, float]:
    """What the regression weighs, by name."""
    return _Comparison(Text(sentence), read_text("\n\n".join(passages)), read_text(known)).features()


@dataclass(frozen=True)
class Model:
    """The regression: the probability that a sentence is not supported. One with less than `least` of being supported is not found."""

    least: float
    bias: float
    weights: Mapping[str, float]

    def probability(self, features: Mapping[str, float]) -> float:
        return 1 / (1 + math.exp(-self.bias - sum(self.weights[name] * value for name, value in features.items())))


class _Comparison:
    def __init__(self, claim: Text, source: Text, known: Text) -> None:
        self.claim, self.source, self.known = claim, source, known
        found = [not token.is_content or self._is_found(place, token) for place, token in enumerate(claim.tokens)]
        self.lacks = [not is_found for is_found in found]
        self.content = [(token, is_found) for token, is_found in zip(claim.tokens, found, strict=True) if token.is_content]

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(token.text for token, is_found in self.content if not is_found))

    def is_verbatim(self) -> bool:
        """Whether each part of the claim stands in the source in a row, with no negation just before it."""
        return all(self._is_quoted(part) for part in _parts(self.claim))

    def _is_quoted(self, tokens: Sequence[Token]) -> bool:
        keys = [token.key for token in tokens]
        if len(keys) < _LEAST_VERBATIM and not all(token.is_measure for token in tokens):
            return False
        for place in self.source.places.get(keys[0], ()):
            if [token.key for token in self.source.tokens[place : place + len(keys)]] == keys:
                around = self.source.around(place, 3, 0)[:-1]
                return not any(token.word in _PLAIN_NEGATIONS and not self._is_number_sign(token) for token in around)
        return False

    def _is_number_sign(self, token: Token) -> bool:
        """“No.” of “Contract No.: 12”."""
        return token.word == "no" and self.source.text[token.end : token.end + 1] == "."

    def features(self) -> dict[str, float]:
        missing = [token for token, is_found in self.content if not is_found]
        first = [] if len(self.claim.tokens) > 1 and self.claim.tokens[1].is_name else self.claim.tokens[:1]
        names = any(token.is_name and token not in first and not token.is_measure for token in missing)
        numbers = any(token.is_measure for token in missing) or self._is_repeated()
        labels = any(self._has_other_label(token) or self._has_other_unit(token) for token in self.claim.tokens)
        negation = self._is_negation_added() or self._is_negation_dropped()
        direction = (
            self._is_direction_other() or self._is_comparator_other() or self._is_preposition_other() or self._is_all_added()
        )
        role = any(token.key in _ROLES | _AWARDS for token in missing if token.word != "led")
        swapped = (
            self._is_swapped(_is_amount)
            or self._is_swapped(_is_name)
            or self._is_done_by_others()
            or self._is_role_of_others()
            or self._is_compared_otherwise()
        )
        unconnected, labels_elsewhere = self._unconnected(), self._elsewhere(lambda token: bool(token.label))
        unrelated = unconnected * len(missing) / len(self.content)
        contrasts, degrees = contrasts_of(self.claim, self.source, self.known, self.lacks)
        contradictions = {
            "numbers": numbers,
            "labels": labels or labels_elsewhere >= _MOSTLY_ELSEWHERE,
            "names": names,
            "roles": role,
            "negation": negation,
            "direction": direction,
            "swapped": swapped,
            "invented": unrelated >= _MOSTLY_UNRELATED and len(missing) > 1,
            **contrasts,
        }
        return {name: float(is_so) for name, is_so in contradictions.items()} | {
            "any": float(any(contradictions.values())),
            "unrelated": unrelated,
            "unconnected": unconnected,
            "names_elsewhere": self._elsewhere(_is_name),
            **degrees,
        }

    # Words, numbers, and names

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
            and token.key not in _ROLES
            and len(token.word) > PREFIX
            and token.word[:PREFIX] in self.source.prefixes
        ):
            return True
        return self._is_spelled_out(place)

    def _is_converted(self, token: Token) -> bool:
        """“four weeks” for “28 days”, and “$1.13 million” for “$1,130,500”."""
        assert token.value is not None
        for unit, (times, smaller) in _CONVERSIONS.items():
            if (token.unit == unit and token.value * times in self.source.values) or (
                token.unit == smaller and token.value / times in self.source.values
            ):
                return True
        if self._is_computed(token.value):
            return True
        if not _MAGNITUDE.search(token.text):
            return False
        digits = len(_NOT_A_DIGIT.sub("", token.text).strip("0")) or 1
        return any(value and _rounded(value, digits) == token.value for value in self.source.values)

    def _is_computed(self, value: float) -> bool:
        """“25 fewer, from 190 to 165”, “five, three of them new and two used”, and “three years” from 2020 to 2023."""
        given = {other for other in self.claim.values if other in self.source.values and other != value}
        if any(value in (abs(first - second), first + second) for first in given for second in given if first < second):
            return True
        measured = [token for token in self.source.tokens if token.value is not None]
        return any(
            abs((first.value or 0) - (second.value or 0)) == value
            for first in measured[:_MOST_PLACES]
            for second in measured[:_MOST_PLACES]
            if first.value in given
            and (first.unit == second.unit or not (first.unit and second.unit))
            and first.sentence == second.sentence
        )

    def _is_spelled_out(self, place: int) -> bool:
        """Whether the word is part of a name that the source shortens to an acronym."""
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

    def _is_repeated(self) -> bool:
        """Whether a number is more often in the claim than in the source."""
        given = Counter(self.source.values)
        return any(0 < given[value] < times for value, times in Counter(self.claim.values).items())

    def _has_other_label(self, token: Token) -> bool:
        if not token.label:
            return False
        values = {other.value for other in self.source.tokens if other.label == token.label}
        return bool(values) and token.value not in values

    def _has_other_unit(self, token: Token) -> bool:
        if not token.unit:
            return False
        units = [self.source.tokens[place].unit for place in self._at(token)]
        return any(units) and token.unit not in units

    def _at(self, token: Token) -> Sequence[int]:
        """Places of the token in the source, the first few."""
        return self.source.places.get(token.key, [])[:_MOST_PLACES]

    # Negations, directions, and scope

    def _negations(self, text: Text, words: frozenset[str]) -> list[tuple[int, list[str]]]:
        """Places of negations with the words after them, up to four of the clause."""
        found: list[tuple[int, list[str]]] = []
        for place, token in enumerate(text.tokens):
            if token.word not in words and token.key not in words:
                continue
            following = text.tokens[place + 1].word if place + 1 < len(text.tokens) else ""
            if token.word in ("no", "not") and following in ("later", "fewer", "less", "more", "only"):
                continue
            scope: list[str] = []
            for at in range(place + 1, min(place + 9, len(text.tokens))):
                other = text.tokens[at]
                if other.sentence != token.sentence or (scope and text.positions[at] - text.positions[at - 1] > 1):
                    break
                if other.is_content:
                    scope.append(other.key)
            found.append((place, scope[:4]))
        return found

    def _before(self, place: int) -> list[str]:
        return [token.key for token in self.source.around(place, 6, 0)[:-1] if token.is_content][-3:]

    def _is_negation_added(self) -> bool:
        theirs = [
            {*scope, *(self._before(place) if self.source.tokens[place].key in _NEGATES_SUBJECT else ())}
            for place, scope in self._negations(self.source, _NEGATIONS)
        ]
        for place, scope in self._negations(self.claim, _PLAIN_NEGATIONS):
            # “no” negates the next word, “not” the whole clause.
            least = 1 if self.claim.tokens[place].word in ("no", "without") else len(set(scope)) // 2 + 1
            said = set(scope) & self.source.places.keys()
            least = min(least, max(1, len(said)))
            if scope and not any(len(other & set(scope)) >= least for other in theirs) and (said or not theirs):
                return True
        return False

    def _is_negation_dropped(self) -> bool:
        if any(
            token.word in _NEGATIONS or token.key in _NEGATIONS or token.word in ("remain", "remains")
            for token in self.claim.tokens
        ):
            return False
        for place, scope in self._negations(self.source, _SOURCE_NEGATIONS):
            shared = [key for key in scope if key in self.claim.places]
            before = self._before(place)
            is_scope_claimed = bool(shared) and scope[0] in self.claim.places and len(shared) * 3 >= len(scope) * 2
            is_rest_claimed = bool(shared and before) and all(key in self.claim.places for key in before)
            if len(shared) * 3 >= len(scope) * 2 and any(len(self.source.places[key]) == 1 for key in shared[:2]):
                return True
            if (is_scope_claimed or is_rest_claimed) and self._is_said_at(place, self.claim.places[shared[0]][0]):
                return True
        return False

    def _is_said_at(self, place: int, claimed: int) -> bool:
        """Whether the words around a place of the claim are nowhere in the source but near `place`."""
        sentence = self.source.tokens[place].sentence
        same = self._same_places(claimed)
        return all(self.source.tokens[at].sentence == sentence and abs(at - place) <= 10 for at in same)

    def _first(self, is_meant: Callable[[Token], bool]) -> list[tuple[int, Token]]:
        return [(place, token) for place, token in enumerate(self.claim.tokens) if is_meant(token)][:_MOST_COMPARED]

    def _same_places(self, place: int, width: int = 5) -> list[int]:
        """Places of the source with most of the words around a place of the claim."""
        here = self.claim.tokens[place]
        around = {
            token.key
            for token in self.claim.tokens[max(0, place - width) : place + width + 1]
            if token.is_content and token is not here
        }
        best: list[int] = []
        most = 0
        for at in sorted(at for key in around for at in self.source.places.get(key, ())):
            shared = len({token.key for token in self.source.around(at, width, width)} & around)
            if shared > most:
                best, most = [at], shared
            elif shared == most:
                best.append(at)
        return best

    def _is_direction_other(self) -> bool:
        for place, token in self._first(lambda token: _is_up(token) or _is_down(token)):
            is_up, is_down = _is_up(token), _is_down(token)
            if is_up == is_down:
                continue
            near = [
                [word for word in self.source.around(at, 7, 7) if token.word in _LEVELS or word.word not in _LEVELS]
                for at in self._same_places(place)
            ]
            same, other = (_is_up, _is_down) if is_up else (_is_down, _is_up)
            if near and not any(same(word) for words in near for word in words) and all(any(map(other, words)) for words in near):
                return True
        return False

    def _is_all_added(self) -> bool:
        for place, token in self._first(lambda token: token.word in _ALL):
            following = self.claim.tokens[place + 1].key if place + 1 < len(self.claim.tokens) else ""
            if (token.word in ("each", "every") and following in _TIMES) or self.claim.places.keys() & _EXCEPTIONS:
                continue
            near = {word.word for at in self._same_places(place) for word in self.source.around(at, 8, 8)}
            if not near & (_ALL | {"per"}):
                return True
        return False

    def _is_comparator_other(self) -> bool:
        for place, token in enumerate(self.claim.tokens):
            if token.value is None:
                continue
            mine = _comparator(self.claim, place)
            theirs = [_comparator(self.source, at) for at in self._at(token)]
            is_negated = mine == "up" and any(other.word in _PLAIN_NEGATIONS for other in self.claim.tokens)
            if mine and not is_negated and theirs and all(their != mine and (their or mine == "up") for their in theirs):
                return True
        return False

    def _is_preposition_other(self) -> bool:
        """“from 19 to 870” for “from 870 to 19”."""
        for place, token in enumerate(self.claim.tokens):
            if token.value is None:
                continue
            mine = _preposition(self.claim, place)
            theirs = {_preposition(self.source, at) for at in self._at(token)}
            if mine and theirs and not theirs & {mine, ""}:
                return True
        return False

    # Who and what belongs together

    def _is_swapped(self, is_anchor: Callable[[Token], bool]) -> bool:
        """Whether two words stand by each other's number (or name): “12 for A and 37 for B” for “37 for A and 12 for B”."""
        once = {key for key, places in self.claim.places.items() if len(places) == 1 and key in self.source.places}
        mine = _nearest(self.claim, is_anchor, once, 6, is_claim=True)
        theirs = _nearest(self.source, is_anchor, {key for keys in mine.values() for key in keys}, 14)
        wrong: set[tuple[str, str]] = set()
        for word, keys in mine.items():
            others = theirs.get(word, set())
            if others and not keys & others:
                wrong.update((key, other) for key in keys for other in others)
        return any((other, key) in wrong and not self._are_listed(key, other) for key, other in wrong)

    def _are_listed(self, first: str, second: str) -> bool:
        """Whether nothing but names, commas, and “and” is between two words of the claim: a list may have any order."""
        start, end = sorted((self.claim.places[first][0], self.claim.places[second][0]))
        return all(token.is_name or not token.is_content for token in self.claim.tokens[start + 1 : end])

    def _is_role_of_others(self) -> bool:
        """Whether the source gives a role to a name that is not in the claim, which gives it to another one."""
        mine = _nearest(self.claim, _is_name, None, 6, is_claim=True)
        theirs = _nearest(self.source, _is_name, None, 6)
        for role in _ROLES & mine.keys() & theirs.keys():
            if (
                not mine[role] & theirs[role]
                and not theirs[role] & self.claim.places.keys()
                and mine[role] <= self.source.places.keys()
            ):
                return True
        return False

    def _is_compared_otherwise(self) -> bool:
        """“B … more than A” for “A … more than B”, and “A … to B” for “B … to A”."""
        for word, is_object in (("than", lambda token: token.is_content), ("to", _is_name)):
            mine, theirs = _objects(self.claim, word, is_object), _objects(self.source, word, is_object)
            if mine and theirs and not mine & theirs and mine <= self.source.places.keys() and theirs & self.claim.places.keys():
                return True
        return False

    def _elsewhere(self, is_anchor: Callable[[Token], bool]) -> float:
        """Share of the words by a number (or name) that have another one nearer to them in the source."""
        mine = _nearest(self.claim, is_anchor, self.source.places.keys(), 6, is_claim=True)
        theirs = _nearest(self.source, is_anchor, None, 10)
        judged = [bool(keys & theirs[word]) for word, keys in mine.items() if word in theirs]
        return 1 - sum(judged) / len(judged) if judged else 0.0

    def _is_done_by_others(self) -> bool:
        """Whether the source names somebody else, who is not in the claim or stands there as the one it was done for."""
        agent = self._agent()
        keys = {token.key for token in agent} - self.known.places.keys()
        claimed = [place for place, token in enumerate(self.claim.tokens) if token.key in keys]
        if not claimed:
            return bool(keys)
        return any(token.word in ("to", "for") for token in self.claim.tokens[max(0, claimed[0] - 2) : claimed[0]])

    def _agent(self) -> list[Token]:
        """Who did it, in the sentence of the source that shares most words with the claim: after “by”, or at the beginning."""
        keys = {token.key for token in self.claim.content} - self.known.places.keys()
        best = max(self.source.sentences, key=lambda tokens: len({token.key for token in tokens} & keys), default=[])
        for place, token in enumerate(best):
            if token.word == "by":
                agent = [other for other in best[place + 1 : place + 5] if other.is_content][:2]
                done = [other for other in best[:place] if other.is_content][-1:]
                is_somebody = bool(agent) and not agent[0].is_measure and (agent[0].is_name or agent[0].key in _OTHERS)
                if is_somebody and done and done[0].key in self.claim.places:
                    return agent
        if len(best) < 4 or self.source.text[best[0].end : best[0].end + 1] == ":":
            return []
        opening = [token for token in best[:4] if token.is_content][:2]
        return opening if any(token.key in _OTHERS and not token.word.endswith("ed") for token in opening) else []

    def _unconnected(self) -> float:
        """Share of neighboring words that are missing, or that are nowhere near each other in the source."""
        pairs = list(zip(self.content, self.content[1:], strict=False))
        if not pairs:
            return 0.0
        return sum(not (found and also and self._are_together(a.key, b.key)) for (a, found), (b, also) in pairs) / len(pairs)

    def _are_together(self, first: str, second: str, width: int = 12) -> bool:
        tokens, others = self.source.tokens, self.source.places.get(second, [])
        for place in self.source.places.get(first, ()):
            for other in others[bisect_left(others, place - width) : bisect_right(others, place + width)]:
                if tokens[place].sentence == tokens[other].sentence:
                    return True
        return False


def _parts(claim: Text) -> list[list[Token]]:
    """What stands between semicolons and the ends of sentences, and a long text after a colon."""
    parts: list[list[Token]] = []
    for place, token in enumerate(claim.tokens):
        before = claim.tokens[place - 1] if place else token
        gap = claim.text[before.end : token.start]
        is_heading = ":" in gap and len(claim.tokens) - place >= _LONG_PART
        if not parts or before.sentence != token.sentence or ";" in gap or "\n" in gap or is_heading:
            parts.append([])
        parts[-1].append(token)
    return parts


def _rounded(value: float, digits: int) -> float:
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def _is_name(token: Token) -> bool:
    return token.is_name and token.is_content and token.value is None and token.key not in _ROLES


def _is_amount(token: Token) -> bool:
    """A number that is no year."""
    return token.value is not None and (bool(token.unit) or not 1900 <= token.value < 2100)


def _is_up(token: Token) -> bool:
    return token.key in _UP or token.word in _UP_WORDS


def _is_down(token: Token) -> bool:
    return token.key in _DOWN or token.word in _DOWN_WORDS


def _comparator(text: Text, place: int) -> str:
    """“up” for “more than 5”, “at least 5”, and “5 or more”; “down” for “less than 5”, “up to 5”, and “5 or less”."""
    near = text.around(place, 4, 3)
    here = near.index(text.tokens[place])
    words = [token.word for token in near]
    if {"minimum", "maximum"} & set(words[:here]):
        return "up" if "minimum" in words[:here] else "down"
    before = " ".join(word for word in words[:here] if word not in ("a", "an", "the", "our", "its"))
    after = " ".join(words[here + 1 :])
    if before.endswith("over") and any(token.key in _TIMES for token in near[here + 1 :][:1]):
        before = ""  # “over two winters” is during them
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


def _objects(text: Text, word: str, is_object: Callable[[Token], bool]) -> set[str]:
    """The words after each `word`, up to three."""
    found: set[str] = set()
    for place in text.places.get(word, [])[:_MOST_PLACES]:
        following = text.around(place, 0, 4)[1:]
        if following and following[0].value is None:
            found.update(token.key for token in following if is_object(token) and token.value is None)
    return found


def _nearest(
    text: Text, is_anchor: Callable[[Token], bool], only: Collection[str] | None, width: int, *, is_claim: bool = False
) -> dict[str, set[str]]:
    """The nearest anchors of each other word, in all its places. The first word of a claim is capitalized anyway."""
    tokens = text.tokens
    is_first_plain = is_claim and len(tokens) > 1 and not tokens[1].is_name
    anchors = [
        place
        for place, token in enumerate(tokens)
        if is_anchor(token) and (only is None or token.key in only) and not (is_first_plain and place == 0)
    ]
    keys = {tokens[place].key for place in anchors}
    positions = [text.positions[place] for place in anchors]
    found: dict[str, set[str]] = {}
    for place, token in enumerate(tokens):
        if not token.is_content or token.key in keys:
            continue
        position = text.positions[place]
        around = slice(bisect_left(positions, position - width - 1), bisect_right(positions, position + width + 1))
        near = [
            (abs(text.positions[at] - position), tokens[at].key)
            for at in anchors[around]
            if tokens[at].sentence == token.sentence
        ]
        least = min(near, default=(width + 1, ""))[0]
        if least <= width:
            found.setdefault(token.key, set()).update(key for far, key in near if far <= least + 1)
    return found


def _quotes(claim: Text, passages: Sequence[str]) -> tuple[Quote, ...]:
    """The runs of shared words in the sentences that support the claim: the fewest that have all shared words."""
    texts = [read_text(passage) for passage in passages]
    sentences = [(passage, tokens) for passage, text in enumerate(texts) for tokens in text.sentences]
    wanted = {token.key for token in claim.content}
    quotes: list[Quote] = []
    while wanted:
        passage, best = max(sentences, key=lambda item: len(wanted & {token.key for token in item[1]}), default=(0, []))
        shared = wanted & {token.key for token in best}
        if not shared or (quotes and len(shared) < 2 and not any(token.is_measure and token.key in shared for token in best)):
            break
        wanted -= shared
        mine = {token.key for token in claim.content}
        quotes += [Quote(passage, start, end) for start, end in _runs(best, mine)]
    return tuple(sorted(set(quotes), key=lambda quote: (quote.passage, quote.start)))


def _runs(tokens: Sequence[Token], keys: Collection[str]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    last = -_QUOTE_GAP - 2
    for place, token in enumerate(tokens):
        if token.key not in keys:
            continue
        if runs and place - last <= _QUOTE_GAP + 1:
            runs[-1] = (runs[-1][0], token.end)
        else:
            runs.append((token.start, token.end))
        last = place
    return runs


_MODEL = Model(**json.loads(files("fundwright.generation").joinpath("checking.json").read_text("utf-8")))

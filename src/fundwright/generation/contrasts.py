"""How a claim differs from the part of its source that says nearly the same: a plan told as done, “may” as “will”, one word for another.

The claim is aligned, in order, with the sentence of the source that shares most of its words, and each of its clauses with a clause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fundwright.generation.wording import MONTHS, PREFIX, Text, Token, listed, stem, stems

_PLANS = frozenset(
    listed(
        "will shall would should may might proposed planned expected intended pending submitted estimated projected anticipated "
        "scheduled upcoming seeking postponed deferred delayed canceled development hoped wanted tried attempted propose proposes "
        "expect expects intend intends hope hopes seek seeks requests asks await awaits awaiting requesting construction"
    )
)
"""Words of what is not done yet."""
_OPEN = _PLANS | frozenset(
    listed(
        "must can could need needs required possible if unless once when until subject nominated future request ask aim aims goal "
        "target allowed permitted wants going plan plans planning review not no never nor neither without nobody nothing cannot"
    )
)
"""Words with which a claim leaves open whether it is done."""
_IS_TO = re.compile(r"\b(?:is|are|was|were|am|has|have|had|plans?|hopes?|needs?|remains?) to\b|\bto be\b", re.IGNORECASE)
_WEAK = frozenset(
    listed(
        "may might can could optional optionally usually often typically generally sometimes expected should encouraged welcome likely "
        "mostly normally probably preferred preference"
    )
)
_STRONG = frozenset(
    listed("must required requires require always mandatory never guaranteed guarantees will shall cannot ineligible")
)
_ENDS_LIKE_SUPERLATIVE = frozenset(
    listed(
        "interest west test request latest forest guest harvest honest invest contest protest northwest midwest southwest rest digest "
        "suggest arrest chest quest priest tempest nest pest crest vest attest manifest conquest modest earnest"
    )
)
_SUPERLATIVES = frozenset(listed("best leading unique unmatched unprecedented premier unrivaled foremost worst"))
_OPPOSITES = (
    "before after", "day night", "old new", "minimum maximum", "internal external", "indoor outdoor", "above below", "above under", "below exceed",
    "approve reject defer", "accept reject", "own lease", "grant loan", "open close", "with without", "early late", "ahead behind", "ahead after",
    "ahead late", "public private", "permanent temporary", "required optional", "standard optional", "direct indirect", "domestic foreign",
    "pass fail", "complete incomplete", "prime subcontractor", "first last", "more less", "higher lower", "increase decrease", "grow shrink",
    "larger smaller", "longer shorter", "faster slower", "better worse", "add remove", "import export", "summer winter", "urban rural",
    "exempt require", "allow prohibit", "begin finish", "always usually", "weekly monthly", "daily weekly", "quarterly monthly",
    "quarterly annually", "monthly annually", "young aged old", "rich poor", "upper lower", "left right", "men women", "male female", "adults children",
    "employer employee", "lend borrow", "treated untreated", "coated uncoated", "gain loss", "north south", "current former", "full part", "strong weak",
    "wet dry", "hot cold", "manual automatic", "local remote", "mandatory voluntary", "paid unpaid",
)  # fmt: skip
"""Words of which at most one can be true."""
_NOT = frozenset(listed("no not never nothing cannot"))
_OWN = frozenset(listed("own itself ourselves himself herself alone"))
_OWN_SOURCE = _OWN | {"our", "internal", "personally"}
"""Words of work done by oneself."""
_BOASTS = frozenset(
    listed(
        "fluently alone fully exclusively solely entirely completely consistently significantly dramatically extensive exceptional "
        "exceptionally proven widely renowned guaranteed nationally internationally globally recognized outstanding excellent perfect "
        "flawless perfectly flawlessly substantially greatly highly strongly successful successfully extensively continuously "
        "permanently immediately instantly always"
    )
)
"""Words that promise more than their sentence says."""
_LESSENED = frozenset(listed("co vice deputy assistant associate acting former honorary provisional draft preliminary interim"))
"""Words before a noun that make it less."""
_QUANTIFIERS = frozenset(listed("all every each only both none"))
_LIMITS = frozenset(listed("only half partly partially nearly almost hardly except unless neither nor without never"))
"""Words without which the sentence says more."""
_LIMITED = _LIMITS | frozenset(listed("just no not but until"))
_PERIODS = stems("day week month quarter year hour minute second night season shift")
_FREQUENCIES = {
    stem(word): stem(period)
    for word, period in (
        ("daily", "day"), ("weekly", "week"), ("monthly", "month"), ("quarterly", "quarter"), ("hourly", "hour"), ("yearly", "year"),
    )
}  # fmt: skip
_AGENTS = stems(
    "partner subcontractor sponsor customer client vendor supplier district agency contractor association department university college "
    "hospital foundation county city state tribe government council board staff crew volunteer nurse engineer student collaborator laboratory "
    "firm company center office team unit family owner landlord library librarian teacher investigator analyst inspector ministry service "
    "bureau fund grantee applicant employer manufacturer pilot physician committee panel consultant regulator commission individual resident "
    "utility operator"
)
"""Who may do something."""
_OURS = stems("crew staff team engineer nurse analyst pilot unit office laboratory teacher center inspector operator")
"""Who may be our own people, if nobody else is said to have them."""
_PRONOUNS = frozenset(listed("we our us ours it its he she his her they their this these that those i my"))
_LEGAL_FORMS = frozenset(listed("llc inc corp co ltd company corporation"))
_SKIPPED = frozenset(
    listed(
        "the a an of s its their his her our that which who this these those it he she they we us i and also then so just very been "
        "being be"
    )
)
_PRESENT = frozenset(listed("is are serves leads directs now current currently still has heads chairs works manages runs"))
_PAST = frozenset(listed("was were had former formerly until previously ago earlier before been led served"))
_PREPOSITIONS = frozenset(listed("of in for with to on by from at as per into under over than that which who and or"))
_HALF_ORDERED, _MOSTLY_ORDERED, _NEARLY_ORDERED = 0.5, 0.7, 0.75
"""Shares of the words of a claim that stand in the same order in one sentence of the source."""
_PLAN_WIDTH = 6
"""Words between a plan and the words that the claim has of it."""
_EDGE = 4
"""Words of the source looked at beyond the first and the last word that both have."""
_MOST_REPLACED = 4
_MOST_PLACES = 20
_MOST_ALIGNED = 200
"""Words of a sentence that are aligned, so that no claim takes long."""
_CLAUSE_WORDS = frozenset(listed("but while whereas although though because"))
_NEXT_CLAUSE_WORDS = frozenset(listed("and compared against with whereas"))


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _OPPOSITES:
        keys = [stem(word) for word in group.split()]
        for key in keys:
            found.setdefault(key, set()).update(other for other in keys if other != key)
    return {key: frozenset(others) for key, others in found.items()}


_OPPOSITE_OF = _opposites()


def contrasts_of(claim: Text, source: Text, known: Text, missing: Sequence[bool]) -> tuple[dict[str, bool], dict[str, float]]:
    """Contradictions and degrees, by name. `missing` says of each token of the claim whether the source lacks it."""
    return _Contrasts(claim, source, known, missing).features()


@dataclass(frozen=True, slots=True)
class _Gap:
    """What the claim and the source have between two words that both have, or before the first or after the last one."""

    claim: Sequence[Token]
    source: Sequence[Token]
    before: Token | None
    after: Token | None

    @property
    def is_inside(self) -> bool:
        return self.before is not None and self.after is not None


class _Contrasts:
    def __init__(self, claim: Text, source: Text, known: Text, missing: Sequence[bool]) -> None:
        self.claim, self.source, self.known = claim, source, known
        self.missing = {token.start for token, is_missing in zip(claim.tokens, missing, strict=True) if is_missing}
        self.keys = claim.places.keys()
        self.words = _words(claim.tokens)
        self.clauses = [_Clause(source, places) for places in _clauses(source)]

    def features(self) -> tuple[dict[str, bool], dict[str, float]]:
        matches = list(self._matches())
        ordered, gaps = self._gaps()
        return {
            "planned": any(self._is_plan(match) for match in matches),
            "modality": any(self._is_strengthened(match) for match in matches),
            "superlative": self._is_superlative_added(),
            "opposite": any(self._is_opposite(match) for match in matches),
            "agent": any(self._is_agent_other(match) for match in matches),
            "moved": self._is_moved(_is_amount) or self._is_moved(_is_year),
            "own": self._is_own_added(),
            "boast": self._is_boast(),
            "turned": self._is_turned(),
            "rate": self._is_rate_other(),
            "former": self._is_range_open() or self._is_former(),
            "lessened": self._is_less_dropped(),
            "flipped": any(self._is_flipped(gap, ordered) for gap in gaps) or _are_exchanged(gaps),
            "replaced": ordered >= _MOSTLY_ORDERED and any(self._is_replaced(gap) for gap in gaps),
        }, {
            "ordered": ordered,
            "names_moved": float(self._is_moved(_is_name)),
            "unknown": float(ordered >= _NEARLY_ORDERED and any(self._is_unknown(gap) for gap in gaps)),
            "renumbered": float(ordered >= _MOSTLY_ORDERED and any(self._is_renumbered(gap) for gap in gaps)),
        }

    # Clause by clause

    def _matches(self) -> Iterator[_Match]:
        """The clauses of the claim, each with the clause of the source that has most of its words."""
        for places in _clauses(self.claim):
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
            shared = [place for place in clause.places if any(_is_same(token, self.source.tokens[place]) for token in content)]
            yield _Match(tokens, clause, shared)

    def _is_plan(self, match: _Match) -> bool:
        if self.words & _OPEN or _IS_TO.search(self.claim.text):
            return False
        plans = [
            place
            for place in match.clause.places
            if _words([self.source.tokens[place]]) & _PLANS and self.source.tokens[place].key not in self.keys
        ]
        return any(self._is_close(place, match, _PLAN_WIDTH) for place in plans) or bool(_IS_TO.search(match.clause.text))

    def _is_close(self, place: int, match: _Match, width: int) -> bool:
        position = self.source.positions[place]
        return any(abs(self.source.positions[other] - position) <= width for other in match.shared)

    def _is_strengthened(self, match: _Match) -> bool:
        mine = _words(match.tokens)
        theirs = match.clause.words
        return bool(mine & _STRONG and not self.words & _WEAK and theirs & _WEAK and not theirs & _STRONG)

    def _is_opposite(self, match: _Match) -> bool:
        if self.words & _NOT:
            return False
        theirs = {token.key for token in self.source.tokens if token.sentence == match.clause.sentence}
        for token in match.tokens:
            opposites = _OPPOSITE_OF.get(token.key)
            if opposites and token.key not in theirs and (opposites & theirs) - self.keys:
                if token.word in ("with", "without") and match.clause.words & _NOT:
                    continue
                return True
        return False

    def _is_agent_other(self, match: _Match) -> bool:
        """Whether the source says that somebody else, who is not in the claim, does it."""
        tokens = [self.source.tokens[place] for place in match.clause.places]
        shared = {self.source.tokens[place].start for place in match.shared if self._is_agent(self.source.tokens[place])}
        first = next((place for place, token in enumerate(tokens) if token.start in shared), 0)
        opening = [
            token for place, token in enumerate(tokens[:first]) if not self._is_label(token) and self._may_act(tokens, place)
        ]
        mine = next((place for place, token in enumerate(match.tokens) if token.is_content and match.clause.has(token)), 0)
        is_somebody = any(token.word in ("we", "our", "us", "ours") for token in match.tokens) or any(
            token.key in self.known.places or token.key in _AGENTS or (token.is_name and token.is_content)
            for token in match.tokens[:mine]
        )
        if not is_somebody:
            return False
        if not any(token.key in _AGENTS for token in match.tokens[:mine]):
            opening = [token for token in opening if token.key not in _OURS]
        if any(token.key in _AGENTS for token in opening) or (opening and first <= 5):
            return True
        for place, token in enumerate(tokens):
            if token.word == "by" and self._is_close(match.clause.places[place], match, 3):
                after = [other for other in tokens[place + 1 : place + 5] if other.key in _AGENTS or _is_name(other)]
                if after and not any(other.key in self.keys or other.key in self.known.places for other in after):
                    return True
        return False

    def _may_act(self, tokens: Sequence[Token], place: int) -> bool:
        """Whether a token at the beginning of a clause of the source is somebody whom the claim does not have."""
        token = tokens[place]
        if token.key in self.known.places or token.word in _PRONOUNS or token.word in _LEGAL_FORMS or self._is_agent_named(token):
            return False
        following = tokens[place + 1] if place + 1 < len(tokens) else token
        is_name = (
            _is_name(token) and token.key not in MONTHS and (place > 0 or following.is_name) and following.key not in self.keys
        )
        return token.key in _AGENTS or is_name

    def _is_label(self, token: Token) -> bool:
        return self.source.text[token.end : token.end + 1] == ":"

    def _is_agent_named(self, token: Token) -> bool:
        return token.key in self.keys and self._is_agent(token)

    def _is_agent(self, token: Token) -> bool:
        """Whether a word of the claim does not only stand there as the one for whom it is done, or whose it is."""
        for place in self.claim.places.get(token.key, ()):
            before = {other.word for other in self.claim.tokens[max(0, place - 2) : place]}
            end = self.claim.tokens[place].end
            if not before & {"for", "to"} and self.claim.text[end : end + 2] not in ("'s", "’s"):
                return True
        return False

    # Word by word

    def _gaps(self) -> tuple[float, list[_Gap]]:
        """Share of the claim's words that stand in one sentence of the source in the same order, and what is between them."""
        claim = [token for token in self.claim.tokens if token.word not in _SKIPPED][:_MOST_ALIGNED]
        count = sum(token.is_content for token in claim)
        sentences = sorted(
            self.source.sentences, key=lambda tokens: -len({token.key for token in tokens if token.is_content} & self.keys)
        )
        best: tuple[float, list[tuple[int, int]], list[Token]] = (0.0, [], [])
        for tokens in sentences[:2]:
            source = [token for token in tokens if token.word not in _SKIPPED][:_MOST_ALIGNED]
            score, pairs = _aligned(claim, source)
            if score > best[0]:
                best = (score, pairs, source)
        _, pairs, source = best
        ordered = sum(claim[mine].is_content for mine, _ in pairs) / count if count else 0.0
        if len(pairs) < 2 or ordered < _HALF_ORDERED:
            return ordered, []
        gaps: list[_Gap] = []
        for (mine, theirs), (next_mine, next_theirs) in pairwise([(-1, -1), *pairs, (len(claim), len(source))]):
            before = claim[mine] if mine >= 0 else None
            after = claim[next_mine] if next_mine < len(claim) else None
            there = source[theirs + 1 : next_theirs]
            there = there if before and after else there[-_EDGE:] if after else there[:_EDGE]
            gaps.append(_Gap(claim[mine + 1 : next_mine], there, before, after))
        return ordered, [gap for gap in gaps if gap.claim or gap.source]

    def _replacing(self, gap: _Gap) -> list[Token]:
        replacing = [token for token in gap.claim if token.is_content and token.key not in self.known.places]
        return replacing if len(replacing) <= _MOST_REPLACED else []

    def _lost(self, gap: _Gap) -> list[Token]:
        return [
            token
            for token in gap.source
            if token.is_content and token.key not in self.keys and (gap.is_inside or token.key not in self.known.places)
        ]

    def _is_replaced(self, gap: _Gap) -> bool:
        """Whether words stand for others, but elsewhere in the source."""
        return bool(self._lost(gap)) and any(self._is_written(token) for token in self._replacing(gap))

    def _is_written(self, token: Token) -> bool:
        """Whether the source has the word itself, not only another one for it."""
        places = self.source.places.get(token.key, ())[:_MOST_PLACES]
        return any(token.is_measure or self.source.tokens[place].word[:3] == token.word[:3] for place in places)

    def _is_unknown(self, gap: _Gap) -> bool:
        """Whether words that are not in the source stand for others."""
        return bool(self._lost(gap)) and any(token.start in self.missing for token in self._replacing(gap))

    def _is_renumbered(self, gap: _Gap) -> bool:
        return any(token.is_measure for token in self._replacing(gap)) and any(token.is_measure for token in self._lost(gap))

    def _is_flipped(self, gap: _Gap, ordered: float) -> bool:
        """“before” for “after”, “acquired” for “was acquired by”, and “all deliveries” for “all later deliveries”."""
        theirs = {token.key for token in gap.source} - self.keys
        if not self.words & _NOT and any(_OPPOSITE_OF.get(token.key, frozenset()) & theirs for token in gap.claim):
            return True
        if gap.before is None or gap.after is None or ordered < _MOSTLY_ORDERED:
            return False
        is_by = {token.word for token in gap.claim} ^ {token.word for token in gap.source} >= {"by"}
        is_actor = gap.after.is_name or gap.after.key in _AGENTS
        is_bare = not any(token.is_content for token in (*gap.claim, *gap.source))
        is_narrowed = (
            self._is_quantified(gap.before)
            and gap.before.key not in _PERIODS
            and gap.after.key not in _PERIODS
            and not gap.claim
            and bool(self._lost(gap))
        )
        is_limited = (
            any(token.word in _LIMITS and token.key not in self.keys for token in gap.source) and not self.words & _LIMITED
        )
        return (is_by and is_actor and is_bare) or is_narrowed or is_limited

    def _is_turned(self) -> bool:
        """“Print loans exceeded digital loans” for “Digital loans exceeded print loans”: what stood before a word stands after it."""
        for place, token in enumerate(self.claim.tokens):
            if not token.is_content or token.is_measure or token.is_name or _is_passive(self.claim, place):
                continue
            places = self.source.places.get(token.key, ())[:_MOST_PLACES]
            if not places or any(_is_passive(self.source, at) for at in places):
                continue
            before, after = self._beside(self.claim, place)
            for at in places:
                first, last = self._beside(self.source, at)
                if (after - before) & (first - last) and (before - after) & (last - first):
                    return True
        return False

    def _beside(self, text: Text, place: int) -> tuple[set[str], set[str]]:
        """The content words just before and after a word, in its clause."""
        sides: list[set[str]] = []
        for step in (-1, 1):
            keys: set[str] = set()
            at = place + step
            while 0 <= at < len(text.tokens) and text.tokens[at].sentence == text.tokens[place].sentence and len(keys) < 3:
                token = text.tokens[at]
                if abs(text.positions[at] - text.positions[at - step]) > 1 or token.word in _PREPOSITIONS:
                    break
                if token.is_content:
                    keys.add(token.key)
                at += step
            sides.append(keys)
        return sides[0], sides[1]

    def _is_quantified(self, token: Token) -> bool:
        before = next((before for before, other in pairwise(self.claim.tokens) if other is token), token)
        return bool({token.word, before.word} & _QUANTIFIERS)

    # Numbers, times, and degrees

    def _is_moved(self, is_anchor: Callable[[Token], bool]) -> bool:
        """Whether a number (or name) stands by a word that in the source has another one, which is not in the claim, nearer to it."""
        claim, source = self.claim, self.source
        numbers = [
            place
            for place, token in enumerate(claim.tokens)
            if is_anchor(token) and token.key in source.places and token.key not in self.known.places
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
                    or word.key in self.known.places
                ):
                    continue
                if any(abs(claim.positions[at] - claim.positions[other]) < far for at in numbers if at != place):
                    continue
                if len(source.places.get(word.key, ())) == 1 and self._has_nearer(source.places[word.key][0], number, is_anchor):
                    return True
        return False

    def _has_nearer(self, place: int, number: Token, is_anchor: Callable[[Token], bool]) -> bool:
        own = nearest = 99
        for at in range(max(0, place - 8), min(len(self.source.tokens), place + 9)):
            token = self.source.tokens[at]
            if token.sentence == self.source.tokens[place].sentence and is_anchor(token):
                distance = abs(self.source.positions[at] - self.source.positions[place])
                if token.key == number.key:
                    own = min(own, distance)
                elif token.key not in self.keys and token.unit == number.unit:
                    nearest = min(nearest, distance)
        return nearest <= 4 and own > nearest + 3

    def _is_rate_other(self) -> bool:
        """“$520 a week” for “$520 a month”."""
        for place, token in enumerate(self.claim.tokens):
            mine = _rate(self.claim, place) if token.value is not None else ""
            theirs = {_rate(self.source, at) for at in self.source.places.get(token.key, ())[:_MOST_PLACES]} if mine else set()
            if theirs - {""} and mine not in theirs:
                return True
        return False

    def _is_range_open(self) -> bool:
        """“since 2010” for “2010 to 2016”."""
        for before, token in pairwise(self.claim.tokens):
            if before.word == "since" and _is_year(token):
                places = self.source.places.get(token.key, ())[:_MOST_PLACES]
                if any(_is_range(self.source, place) for place in places) and not any(
                    _is_beginning(self.source, at) for at in places
                ):
                    return True
        return False

    def _is_former(self) -> bool:
        """“directs” for “director from 2019 to 2023”, and “is certified” for “certified (expired)”."""
        begun = self.claim.tokens[1:6]
        is_present = self.words & _PRESENT or any(
            token.word.endswith("s") and not token.is_name and token.is_content for token in begun
        )
        if not is_present or self.words & _PAST or any(token.is_measure for token in self.claim.tokens):
            return False
        best = max(self.source.sentences, key=lambda tokens: len({token.key for token in tokens} & self.keys), default=[])
        places = {token.start for token in best}
        for place, token in enumerate(self.source.tokens):
            if token.start in places and any(
                other.is_content and other.key in self.keys for other in self.source.around(place, 5, 3) if other is not token
            ):
                is_over = _is_year(token) and _is_range(self.source, place)
                if is_over or (token.word in ("expired", "formerly") and token.key not in self.keys):
                    return True
        return False

    def _is_less_dropped(self) -> bool:
        """“investigator” for “co-investigator”."""
        for before, token in pairwise([None, *self.claim.tokens]):
            if token is None or not token.is_content or token.is_measure or (before and before.word in _LESSENED):
                continue
            places = self.source.places.get(token.key, ())[:_MOST_PLACES]
            if (
                places
                and all(at and self.source.tokens[at - 1].word in _LESSENED for at in places)
                and not self.words & _LESSENED
            ):
                return True
        return False

    def _is_own_added(self) -> bool:
        return bool(self.words & _OWN) and not any(token.word in _OWN_SOURCE for token in self.source.tokens)

    def _is_boast(self) -> bool:
        return any(token.word in _BOASTS and token.start in self.missing for token in self.claim.tokens)

    def _is_superlative_added(self) -> bool:
        return any(map(_is_superlative, self.claim.tokens)) and not any(map(_is_superlative, self.source.tokens))


class _Clause:
    def __init__(self, source: Text, places: Sequence[int]) -> None:
        tokens = [source.tokens[place] for place in places]
        self.places = places
        self.sentence = tokens[0].sentence
        self.text = source.text[tokens[0].start : tokens[-1].end]
        self.words = _words(tokens)
        self.keys = {token.key for token in tokens}
        self.prefixes = {token.word[:PREFIX] for token in tokens if token.is_content and not token.is_measure}

    def has(self, token: Token) -> bool:
        return token.key in self.keys or (
            len(token.word) > PREFIX and not token.is_measure and token.word[:PREFIX] in self.prefixes
        )


@dataclass(frozen=True, slots=True)
class _Match:
    """A clause of the claim and the one of the source that is nearest to it, with the places of the words that both have."""

    tokens: Sequence[Token]
    clause: _Clause
    shared: Sequence[int]


def _clauses(text: Text) -> list[list[int]]:
    """Places of the tokens of each clause."""
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


def _words(tokens: Sequence[Token]) -> set[str]:
    """Words in lower case, without the month of May."""
    return {token.word for token in tokens if not (token.is_name and token.key in MONTHS)}


def _is_same(first: Token, second: Token) -> bool:
    if first.key == second.key:
        return True
    is_plain = first.is_content and second.is_content and not first.is_measure and not second.is_measure
    return is_plain and len(first.word) > PREFIX < len(second.word) and first.word[:PREFIX] == second.word[:PREFIX]


def _aligned(claim: Sequence[Token], source: Sequence[Token]) -> tuple[float, list[tuple[int, int]]]:
    """The heaviest common subsequence, in which runs count more, as pairs of places."""
    same = [[_is_same(mine, theirs) for theirs in source] for mine in claim]
    best = [[0.0] * (len(source) + 1) for _ in range(len(claim) + 1)]
    for mine in range(len(claim) - 1, -1, -1):
        weight = 1.0 if claim[mine].is_content else 0.25
        row, below = best[mine], best[mine + 1]
        for theirs in range(len(source) - 1, -1, -1):
            row[theirs] = max(below[theirs], row[theirs + 1])
            if same[mine][theirs]:
                is_run = mine + 1 < len(claim) and theirs + 1 < len(source) and same[mine + 1][theirs + 1]
                row[theirs] = max(row[theirs], weight + 0.1 * is_run + below[theirs + 1])
    pairs: list[tuple[int, int]] = []
    mine = theirs = 0
    while mine < len(claim) and theirs < len(source):
        here = best[mine][theirs]
        if here == best[mine + 1][theirs]:
            mine += 1
        elif here == best[mine][theirs + 1]:
            theirs += 1
        else:
            pairs.append((mine, theirs))
            mine, theirs = mine + 1, theirs + 1
    return best[0][0], pairs


def _are_exchanged(gaps: Sequence[_Gap]) -> bool:
    """“passed the drop test but failed the vibration test” for the other way around."""
    replaced = [
        (
            frozenset(token.key for token in gap.claim if token.is_content),
            frozenset(token.key for token in gap.source if token.is_content),
        )
        for gap in gaps
    ]
    return any(mine and theirs and (theirs, mine) in replaced for mine, theirs in replaced)


def _is_passive(text: Text, place: int) -> bool:
    before = {token.word for token in text.around(place, 3, 0)[:-1]}
    after = {token.word for token in text.around(place, 0, 5)[1:]}
    return bool(before & {"was", "were", "is", "are", "been", "be", "being", "to"}) or "by" in after


def _is_name(token: Token) -> bool:
    return token.is_name and token.is_content and token.value is None


def _is_year(token: Token) -> bool:
    return token.value is not None and 1900 <= token.value < 2100


def _is_amount(token: Token) -> bool:
    return token.value is not None and not _is_year(token)


def _is_superlative(token: Token) -> bool:
    word = token.word
    return word in _SUPERLATIVES or (
        len(word) > 5 and word.endswith("est") and word not in _ENDS_LIKE_SUPERLATIVE and not token.is_name
    )


def _rate(text: Text, place: int) -> str:
    """“month” of “$520 a month”, and of “280 meals monthly”."""
    after = text.around(place, 0, 5)[1:]
    for token, following in pairwise([*after, None]):
        if token is None or token.value is not None:
            return ""
        if token.word in ("a", "an", "per", "each", "every") and following and following.key in _PERIODS:
            return following.key
        if token.key in _FREQUENCIES:
            return _FREQUENCIES[token.key]
    return ""


def _is_range(text: Text, place: int) -> bool:
    """Whether a year begins a range that ends with another one."""
    after = text.around(place, 0, 2)[1:]
    dash = text.text[text.tokens[place].end :][:3].strip()[:1] in ("–", "—", "-")
    if not after:
        return False
    return _is_year(after[0]) if dash else after[0].word in ("to", "through", "until") and len(after) > 1 and _is_year(after[1])


def _is_beginning(text: Text, place: int) -> bool:
    """Whether something begins in a year and has no end."""
    before = {token.word for token in text.around(place, 3, 0)[:-1]}
    after = [token.word for token in text.around(place, 0, 2)[1:]]
    dash = re.match(r"\s?[–—-](?!\d)", text.text[text.tokens[place].end :][:3])
    return bool(before & {"since", "founded", "in"}) or "present" in after or dash is not None

"""Says where a sentence comes from: word for word from the passages that it cites, with edits that keep the meaning, or in other words.

Of the last, what can be checked exactly is checked: each number with its unit, date, amount, name, and code must stand in one record of
each passage, “at least” must not be “at most” there, and what is denied must not be claimed. Whether the rest means the same is not judged.
`make eval ONLY=checking` measures this on the pairs in tests/checking.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from fundwright.generation.normalizing import MONTHS, Text, Token, is_year, read_text
from fundwright.generation.records import Record, Span, divide
from fundwright.generation.schemas import Provenance

_LIGHT = frozenset(
    [
        "a",
        "an",
        "the",
        "we",
        "our",
        "us",
        "i",
        "my",
        "it",
        "its",
        "they",
        "their",
        "this",
        "that",
        "has",
        "have",
        "had",
        "firm",
        "company",
        "organization",
        "business",
        "team",
    ]
)
"""Words that an edit may add, drop, or replace: “the firm has” is “we have.”"""
_NEGATIONS = frozenset(["not", "no", "never", "without", "none", "nobody", "nothing", "neither", "nor", "cannot"])
_AFTER_NO = frozenset(["later", "fewer", "less", "more", "exceed", "exceeding", "to"])
_TURNS = _NEGATIONS | frozenset(
    [
        "will",
        "would",
        "shall",
        "plan",
        "plans",
        "planned",
        "planning",
        "propose",
        "proposes",
        "proposed",
        "intend",
        "intends",
        "expect",
        "expects",
        "expected",
        "aim",
        "aims",
        "unless",
        "except",
        "but",
        "only",
        "may",
        "might",
        "could",
        "if",
        "until",
        "least",
        "most",
        "up",
        "under",
        "over",
        "less",
        "more",
        "than",
        "fewer",
    ]
)
"""Words that an edit must not leave out, because they turn the meaning."""
_AT_LEAST, _AT_MOST = "at least", "at most"
_BOUNDS = {
    **dict.fromkeys(
        (
            "at least",
            "no fewer than",
            "no less than",
            "not less than",
            "more than",
            "over",
            "minimum of",
            "exceed",
            "exceeds",
            "above",
        ),
        _AT_LEAST,
    ),
    **dict.fromkeys(
        (
            *("at most", "up to", "no more than", "not more than", "less than", "fewer than", "under", "below", "maximum of"),
            *("not exceed", "not to exceed", "not exceeding"),
        ),
        _AT_MOST,
    ),
}
_BOUND_WORDS = 3
_ALIKE = 0.5
"""A sentence of the source that is as similar to the claim speaks of the same."""
_MIN_SHOWN = 3
"""The least number of words that a quotation has without a figure or name."""
_GAP = 4
_LONGEST_ACRONYM = 8
_ROUNDED = re.compile(r"[kKmM]$|thousand|million|billion")
_CONVERSIONS = (
    ("week", 7.0, "day"), ("year", 12.0, "month"), ("day", 24.0, "hour"), ("hour", 60.0, "minute"), ("minute", 60.0, "second"),
)  # fmt: skip
_LEAD = re.compile(r"\s{0,9}(?:[-*+]\s)?\*\*([^*\n]{1,200})\*\*:?\s")
"""What the text after it is about: “**Boiler plant**: We replaced two boilers.”"""
_PARTS = re.compile(r";|\n")
_JOINS = ("", ".", ",", "(", "'", "’", "-", "/", "&")
"""What stands within a name."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A character range of a passage, counted from 0."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """`quotes` are the parts of the passages that the sentence repeats, or that have its words. `found` is the number of its figures and names
    that stand in one record of each passage, and `missing` are the others, and words that turn the meaning."""

    provenance: Provenance
    quotes: tuple[Quote, ...] = ()
    found: int = 0
    missing: tuple[str, ...] = ()


def check(sentence: str, passages: Sequence[str], *, company: str = "", about: str = "", row: Sequence[str] = ()) -> Verdict:
    """Compare a sentence, or a cell of a `row`, with the passages that it cites. The company's name needs no support, nor do names and years in
    `about`, the titles and headings of the passages."""
    if not passages:
        return Verdict(Provenance.NO_SOURCE)
    claim, known = Text(sentence), read_text(f"{company}\n\n{about}")
    light = _LIGHT | {token.key for token in read_text(company).tokens}
    sources = [_read(passage) for passage in passages]
    everywhere = [source.records for source in sources]
    lead = _LEAD.match(sentence) if not row else None
    texts = [part for part in _PARTS.split(sentence[lead.end() :] if lead else sentence) if Text(part).tokens]
    together = row or [*([lead[1]] if lead else []), *texts]
    records = _of_row(together, sources, known, leaves_out=bool(row)) if len(together) > 1 else everywhere
    parts = [Text(part) for part in texts]
    if verdict := _repeated(parts, records, light):
        return verdict
    if _repeated(parts, everywhere, light):
        return Verdict(Provenance.WRITTEN, missing=(" ".join(sentence.split()),))
    return _written(claim, records, known)


class _Record:
    """The tokens of a record, by unit and by what is looked up."""

    def __init__(self, text: Text, record: Record) -> None:
        self.units = [_within(text, span) for span in (*record.units, *record.context)]
        self.all = [token for unit in self.units for token in unit]
        self.keys = frozenset(token.key for token in self.all)
        self.unchecked = [[token for token in _within(text, span) if token.is_content] for span in record.unchecked]

    @cached_property
    def by_value(self) -> Mapping[float, Sequence[int]]:
        """The places of each number."""
        found: dict[float, list[int]] = {}
        for place, token in enumerate(self.all):
            if token.value is not None:
                found.setdefault(token.value, []).append(place)
        return found

    @cached_property
    def labeled(self) -> Mapping[str, Collection[float | None]]:
        """The numbers with each label."""
        found: dict[str, set[float | None]] = {}
        for token in self.all:
            found.setdefault(token.label, set()).add(token.value)
        return found

    @cached_property
    def initials(self) -> str:
        """Of its words, in order."""
        words = (token for token in self.all if token.is_content and not token.is_measure)
        return "".join(token.letters if token.is_acronym else token.word[0] for token in words)

    @cached_property
    def acronyms(self) -> frozenset[str]:
        return frozenset(token.letters for token in self.all if token.is_acronym)

    def numbers(self, value: float | None) -> Sequence[Token]:
        return [self.all[place] for place in self.by_value.get(value, ())] if value is not None else []


class _Passage:
    def __init__(self, passage: str) -> None:
        self.text = Text(passage)
        divided = divide(passage)
        self.records = [_Record(self.text, record) for record in divided.records]
        self.titles = {token.key for span in divided.titles for token in _within(self.text, span)}
        whole = Record(
            [span for each in divided.records for span in each.units],
            [],
            [span for each in divided.records for span in each.unchecked],
        )
        self.whole = _Record(self.text, whole) if divided.is_about_one else None

    def about(self, cells: Sequence[Collection[str]], known: Text) -> _Record | None:
        """The record with most of the cells of a row. It is the whole passage if that is about one thing, which its title names."""
        if self.whole and all(key in self.titles or key in known.keys for key in cells[0]):
            return self.whole
        return max(self.records, key=lambda record: [len(record.keys.intersection(cell)) for cell in cells], default=None)


@lru_cache(maxsize=200)
def _read(passage: str) -> _Passage:
    """Cached, because many sentences cite the same passage."""
    return _Passage(passage)


def _of_row(row: Sequence[str], sources: Sequence[_Passage], known: Text, *, leaves_out: bool) -> list[list[_Record]]:
    """The record of each passage that a row is about. `leaves_out` says whether only those count that have its first cell, or two others."""
    cells = [{token.key for token in Text(cell).content} for cell in row]
    found = [source.about(cells, known) for source in sources]

    def has(record: _Record, cell: Collection[str]) -> bool:
        return bool(cell) and all(key in record.keys or key in known.keys for key in cell)

    is_about = [
        record is not None and (has(record, cells[0]) or sum(has(record, cell) for cell in cells) > 1) for record in found
    ]
    leaves_out = leaves_out and any(is_about)
    return [[record] if record and (is_one or not leaves_out) else [] for record, is_one in zip(found, is_about, strict=True)]


def _within(text: Text, span: Span) -> list[Token]:
    return [token for token in text.tokens if span[0] <= token.start and token.end <= span[1]]


def _repeated(parts: Sequence[Text], sources: Sequence[Sequence[_Record]], light: Collection[str]) -> Verdict | None:
    """The verdict on a claim of which each part stands in a record, word for word or with edits; None if one does not."""
    found = [_place_of(part, sources, light) for part in parts]
    if not all(found):
        return None
    is_quoted = all(place and place[0] is Provenance.QUOTED for place in found)
    return Verdict(Provenance.QUOTED if is_quoted else Provenance.EDITED, tuple(place[1] for place in found if place))


def _place_of(part: Text, sources: Sequence[Sequence[_Record]], light: Collection[str]) -> tuple[Provenance, Quote] | None:
    words = [_exact(token) for token in part.tokens]
    for number, record in _each(sources):
        if words and (found := _quoted(words, record)):
            return Provenance.QUOTED, Quote(number, *found)
    keys = [_key(token) for token in part.tokens if not _is_light(token, light)]
    for number, record in _each(sources):
        if keys and (found := _edited(keys, record, light) or _joined(keys, record, light)):
            return Provenance.EDITED, Quote(number, *found)
    return None


def _each(sources: Sequence[Sequence[_Record]]) -> Iterator[tuple[int, _Record]]:
    return ((number, record) for number, records in enumerate(sources) for record in records)


def _quoted(words: Sequence[str], record: _Record) -> Span | None:
    """Where the words stand: as whole sentences, items, values, or cells that follow each other."""
    for first, unit in enumerate(record.units):
        seen = list[str]()
        for following in record.units[first:]:
            seen += map(_exact, following)
            if seen != words[: len(seen)]:
                break
            if len(seen) == len(words):
                return unit[0].start, following[-1].end
    return None


def _edited(keys: Sequence[str], record: _Record, light: Collection[str]) -> Span | None:
    """Where the claim stands as part of sentences that follow each other."""
    own = [token for token in record.all if not _is_light(token, light)]
    found = [_key(token) for token in own]
    for place in range(len(found) - len(keys) + 1):
        if found[place] == keys[0] and found[place : place + len(keys)] == keys:
            part = own[place : place + len(keys)]
            if not _leaves_out(record, part[0].start, part[-1].end):
                return part[0].start, part[-1].end
    return None


def _joined(keys: Sequence[str], record: _Record, light: Collection[str]) -> Span | None:
    """Where the claim stands as whole cells or values, others left out."""
    units, place = list[Sequence[Token]](), 0
    for unit in record.units:
        own = [_key(token) for token in unit if not _is_light(token, light)]
        if own and keys[place : place + len(own)] == own:
            units.append(unit)
            place += len(own)
    return (units[0][0].start, units[-1][-1].end) if place == len(keys) else None


def _leaves_out(record: _Record, start: int, end: int) -> bool:
    """Whether the rest of the sentences turns the meaning of a part."""
    touched = [unit for unit in record.units if unit and unit[0].start <= end and start <= unit[-1].end]
    return any(token.word in _TURNS for unit in touched for token in unit if not start <= token.start < end)


def _is_light(token: Token, light: Collection[str]) -> bool:
    return token.key in light or token.word in light


def _exact(token: Token) -> str:
    return token.text.casefold().replace("’", "'")


def _key(token: Token) -> str:
    return f"{token.key} {token.unit}" if token.value is not None else token.key


def _written(claim: Text, sources: Sequence[Sequence[_Record]], known: Text) -> Verdict:
    """Compare figures and names with the record of each passage that has most of them."""
    required = list(_required(claim, known))
    content = {token.key for token in claim.content}
    chosen = [
        (number, max(records, key=lambda record: (_count(required, claim, record), len(content & record.keys))))
        for number, records in enumerate(sources)
        if records
    ]
    records = [record for _, record in chosen]
    missing = [token for token in required if not any(_stands(token, claim, record) for record in records)]
    if not required and all(token.key in known.keys for token in claim.content):  # only titles may say it
        missing = [token for token in claim.content if not any(token.key in record.keys for record in records)]
    missing += [token for token in _repeated_numbers(required, records) if token not in missing]
    wanted = {token.key for token in required}
    quotes = (Quote(number, *span) for number, record in chosen for span in _shown(record, content, wanted))
    everything = [record for of_source in sources for record in of_source]
    words = dict.fromkeys((*(token.text for token in missing), *_turned(claim, records), *_not_checked(claim, everything)))
    return Verdict(Provenance.WRITTEN, tuple(quotes), len(required) - len(missing), tuple(words))


def _count(required: Sequence[Token], claim: Text, record: _Record) -> int:
    return sum(_stands(token, claim, record) for token in required)


def _required(claim: Text, known: Text) -> Iterator[Token]:
    """The figures, names, and codes of a claim, except names and years of titles and headings."""
    for place, token in enumerate(claim.tokens):
        is_known = token.key in known.keys if not token.is_measure else is_year(token) and token.key in known.keys
        if (token.is_measure or _is_name(claim, place)) and not is_known:
            yield token


def _is_name(claim: Text, place: int) -> bool:
    """Whether a capital begins a name, and not the sentence."""
    token = claim.tokens[place]
    before = claim.tokens[place - 1] if place else None
    after = claim.tokens[place + 1] if place + 1 < len(claim.tokens) else None
    if token.is_name and token.key in MONTHS and any(other is not None and other.is_measure for other in (before, after)):
        return True
    if not token.is_name or not token.is_content:
        return False
    is_within = (
        before is not None and before.sentence == token.sentence and claim.text[before.end : token.start].strip() in _JOINS
    )
    if is_within or token.is_acronym:
        return True
    return after is not None and after.sentence == token.sentence and after.is_name and after.is_content


def _stands(token: Token, claim: Text, record: _Record) -> bool:
    if token.value is not None:
        return _is_given(token, record) or _is_converted(token, record)
    if token.key in record.keys:
        return True
    return not token.is_code and (
        (token.is_acronym and token.letters in record.initials) or _is_spelled_out(token, claim, record)
    )


def _is_given(token: Token, record: _Record) -> bool:
    """Whether the record has the number, with its unit if it has one there, and with its label: “Phase 2” is not given by “Phase 1, 2 sites.”"""
    same = record.numbers(token.value)
    units, rates = {other.unit for other in same} - {""}, {other.rate for other in same} - {""}
    labeled = record.labeled.get(token.label, ()) if token.label else ()
    is_measured = (not token.unit or not units or token.unit in units) and (not token.rate or not rates or token.rate in rates)
    return bool(same) and is_measured and (not labeled or token.value in labeled)


def _is_converted(token: Token, record: _Record) -> bool:
    """Whether the record has the same amount in another unit, or more exactly: “four weeks” is “28 days”, “$1.13 million” is “$1,130,500.”"""
    assert token.value is not None
    for unit, times, smaller in _CONVERSIONS:
        if token.unit in (unit, smaller):
            value, other = (token.value * times, smaller) if token.unit == unit else (token.value / times, unit)
            if any(number.unit == other for number in record.numbers(value)):
                return True
    if not _ROUNDED.search(token.text):
        return False
    digits = len(re.sub(r"\D", "", token.text).strip("0")) or 1
    return any(
        value
        and round(value, digits - 1 - math.floor(math.log10(value))) == token.value
        and record.all[places[0]].unit in ("", token.unit)
        for value, places in record.by_value.items()
    )


def _is_spelled_out(token: Token, claim: Text, record: _Record) -> bool:
    """Whether the token is part of a name that the record abbreviates."""
    place = claim.tokens.index(token)
    for start in range(max(0, place - _LONGEST_ACRONYM), place + 1) if record.acronyms else ():
        letters = ""
        for end in range(start, min(len(claim.tokens), start + _LONGEST_ACRONYM)):
            other = claim.tokens[end]
            if other.is_measure:
                break
            letters += "" if not other.is_content else other.letters if other.is_acronym else other.word[0]
            if end >= place and len(letters) > 1 and letters in record.acronyms:
                return True
    return False


def _repeated_numbers(required: Sequence[Token], records: Sequence[_Record]) -> Iterator[Token]:
    """Numbers that the claim has more often than the records: “85 of 85” for “62 of 85.”"""
    seen = Counter[float]()
    for token in required:
        if token.value is not None:
            seen[token.value] += 1
            if 0 < sum(len(record.numbers(token.value)) for record in records) < seen[token.value]:
                yield token


def _turned(claim: Text, records: Sequence[_Record]) -> Iterator[str]:
    """The bounds and negations of the claim that are others in the source."""
    compared = set[float | None]()
    for place, token in enumerate(claim.tokens):
        bound = _bound(claim.tokens, place) if token.value is not None and token.value not in compared else ""
        compared.add(token.value)
        others = (
            {_bound(record.all, at) for record in records for at in record.by_value.get(token.value or 0.0, ())}
            if bound
            else set[str]()
        )
        if bound and others and others <= {_AT_LEAST, _AT_MOST} - {bound}:
            yield f"{bound} {token.text}"
    own = {token.key for token in claim.content if not token.is_name}
    nearest = max((unit for record in records for unit in record.units), key=lambda unit: _likeness(own, unit), default=[])
    if _likeness(own, nearest) >= _ALIKE:
        denied, given = _negations(claim.tokens), _negations(nearest)
        if len(denied) != len(given):
            yield max(denied, given, key=len)[0]


def _not_checked(claim: Text, records: Sequence[_Record]) -> Iterator[str]:
    """The words beside boxes that are not checked, if the claim has them all, and no checked one has them."""
    keys = {token.key for token in claim.content}
    for record in records:
        for option in record.unchecked:
            words = {token.key for token in option}
            if words and words <= keys and not any(words <= other.keys for other in records):
                yield " ".join(token.text for token in option)


def _bound(tokens: Sequence[Token], place: int) -> str:
    """What the words before a number say about it: “at least” 12."""
    words = [token.word for token in tokens[max(0, place - _BOUND_WORDS) : place]]
    return next((bound for start in range(len(words)) if (bound := _BOUNDS.get(" ".join(words[start:])))), "")


def _likeness(own: Collection[str], unit: Sequence[Token]) -> float:
    """The harmonic mean of the shares of words that a claim and a sentence of the source have in common."""
    given = {token.key for token in unit if token.is_content and not token.is_name}
    return 2 * len(given.intersection(own)) / max(1, len(own) + len(given))


def _negations(tokens: Sequence[Token]) -> list[str]:
    """The words that deny something, but not those of “no later than” and “no. 12.”"""
    return [
        token.word
        for token, after in pairwise([*tokens, None])
        if token is not None
        and token.word in _NEGATIONS
        and not (after is not None and (after.word in _AFTER_NO or (token.word == "no" and after.is_measure)))
    ]


def _shown(record: _Record, keys: Collection[str], wanted: Collection[str]) -> Iterator[Span]:
    """The parts of a record's sentences with words of the claim."""
    for unit in record.units:
        run = list[int]()
        places = [place for place, token in enumerate(unit) if token.key in keys and token.is_content]
        for place, after in pairwise([*places, None]):
            assert place is not None
            run.append(place)
            if after is None or after - place > _GAP:
                if len(run) >= _MIN_SHOWN or any(unit[each].key in wanted for each in run):
                    yield unit[run[0]].start, unit[run[-1]].end
                run = []

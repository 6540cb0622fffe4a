"""Says where a sentence comes from: word for word from the passages that it cites, with edits that keep the meaning, or in other words.

Of the last, what can be checked exactly is checked: each number with its unit, date, amount, name, and code must stand in one record of
a cited passage, “at least” must not be “at most” there, and what is denied must not be claimed. Whether the rest means the same is not judged.
`make eval ONLY=checking` measures this on the pairs in tests/checking.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice, pairwise, takewhile

from fundwright.generation.normalizing import MONTHS, Text, Token, is_year, read_text
from fundwright.generation.schemas import Provenance
from fundwright.reading.records import Record, Span, divide

_NEGATIONS = frozenset(["not", "no", "never", "without", "none", "nobody", "nothing", "neither", "nor", "cannot"])
_AFTER_NO = frozenset(["later", "fewer", "less", "more", "exceed", "exceeding", "to"])
_DENIALS = frozenset(("no", "none", "n/a", "not held", "not applicable", "expired", "pending", "denied"))
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
        "fail",
        "fails",
        "failed",
        "failing",
        "unlike",
        "former",
        "formerly",
        "expired",
    ]
)
"""Words that an edit must not leave out, because they change the meaning."""
_ARTICLES = frozenset(("a", "an", "the"))
_SUBJECT = "(?:we|(?:our|the) (?:firm|company|organization|team|business|agency|nonprofit)"
"""The beginnings of sentences that an edit may exchange, and the name of the company."""
_AGREEMENT = {"has": "have", "is": "are", "was": "were", "does": "do"}
_WORD = re.compile(r"[^\W_]+(?:['.,’-][^\W_]+)*|[^\s\w.,;:!?'’\"“”()\[\]|*_`\\]")
"""A word, or a sign that means something: “−”, “€”, “<”, “#”."""
_FORMATTED = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "*": "", "_": "", "`": "", "\\": ""}
)
_CLAUSE = re.compile(r"[,;:]\s|\s-\s")
_CLAUSE_BEGINS = (",", ";", ":", "- ", "(")
_SENTENCE = re.compile(r"[.!?][\"”’)\]*_]*$")
_CONTINUED = re.compile(r"[\w$€£<>≤≥±+#-]\n|\n[\w%]")
"""A word or number that goes on where a part of it is left out."""
_FAR = 0.25
"""A sentence with a smaller share of its words in the source has nothing to do with it."""
_MOST_NAMED = 5
_LABEL_AND_VALUE = 2
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
    that stand in one record of a cited passage, and `missing` are the others, and words that turn the meaning."""

    provenance: Provenance
    quotes: tuple[Quote, ...] = ()
    found: int = 0
    missing: tuple[str, ...] = ()


def check(sentence: str, passages: Sequence[str], *, company: str = "", about: str = "", row: Sequence[str] = ()) -> Verdict:
    """Compare a sentence, or a cell of a `row`, with the passages that it cites. The company's name needs no support, nor do names and years in
    `about`, the titles and headings of the passages."""
    if not passages:
        return Verdict(Provenance.NO_SOURCE)
    claim, known, subject = Text(sentence), read_text(f"{company}\n\n{about}"), _subject(company)
    sources = [_read(passage) for passage in passages]
    everywhere = [source.records for source in sources]
    lead = _LEAD.match(sentence) if not row else None
    texts = [part for part in _PARTS.split(sentence[lead.end() :] if lead else sentence) if _WORD.search(part)]
    together = row or [*([lead[1]] if lead else []), *texts]
    records = _of_row(together, sources, known, leaves_out=bool(row)) if len(together) > 1 else everywhere
    # What a lead names must stand there, too: “**Depot**: We replaced two boilers.”
    is_named = lead is None or _repeated([lead[1]], records, subject, is_cell=True)
    if is_named and (verdict := _repeated(texts, records, subject, is_cell=bool(row))):
        return verdict
    verdict = _written(claim, records, known, is_cell=bool(row))
    if lead is not None and not is_named:
        keys = known.keys.union(*(record.keys for of_source in records for record in of_source))
        absent = [token.text for token in Text(lead[1]).content if token.key not in keys]
        return replace(verdict, missing=tuple(dict.fromkeys((*absent, *verdict.missing))))
    is_number = not verdict.missing and all(token.is_measure for token in claim.content)  # “nine” is 9
    is_elsewhere = not is_number and _repeated(texts, everywhere, subject, is_cell=bool(row))
    return Verdict(Provenance.WRITTEN, missing=(_shown_text(sentence),)) if is_elsewhere else verdict


class _Record:
    """The tokens of a record, by unit and by what is looked up."""

    def __init__(self, text: Text, record: Record) -> None:
        self.units = [_within(text, span) for span in record.units]
        self.all = [token for span in (*record.units, *record.context) for token in _within(text, span)]
        self.spans, self.context = record.units, record.context
        self.text = text.text
        self._rounded = dict[int, set[tuple[float, str]]]()
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

    def rounded(self, digits: int) -> Collection[tuple[float, str]]:
        """Its numbers, rounded to so many digits, with their units."""
        if digits not in self._rounded:
            self._rounded[digits] = {
                (round(value, digits - 1 - math.floor(math.log10(value))), self.all[place].unit)
                for value, places in self.by_value.items()
                if value
                for place in places
            }
        return self._rounded[digits]

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
    first = bisect_left(text.tokens, span[0], key=lambda token: token.start)
    return list(takewhile(lambda token: token.end <= span[1], islice(text.tokens, first, None)))


def _subject(company: str) -> re.Pattern[str]:
    """The beginnings of a sentence that all mean us."""
    name = _plain(company)
    return re.compile(f"{_SUBJECT}{f'|{re.escape(name)}' if name else ''})(?![\\w-])")


def _repeated(
    parts: Sequence[str], sources: Sequence[Sequence[_Record]], subject: re.Pattern[str], *, is_cell: bool
) -> Verdict | None:
    """The verdict on a claim of which each part stands in a record, word for word or with edits; None if one does not."""
    found = [_place_of(part, sources, subject, is_cell=is_cell) for part in parts]
    if not found or not all(found):
        return None
    is_quoted = all(place and place[0] is Provenance.QUOTED for place in found)
    return Verdict(Provenance.QUOTED if is_quoted else Provenance.EDITED, tuple(place[1] for place in found if place))


def _place_of(
    part: str, sources: Sequence[Sequence[_Record]], subject: re.Pattern[str], *, is_cell: bool
) -> tuple[Provenance, Quote] | None:
    """A cell may also be a heading or the name of a column: it says what its row is about."""
    for provenance, compare in ((Provenance.QUOTED, _quoted), *((Provenance.EDITED, edit) for edit in (_edited, _part, _joined))):
        for number, records in enumerate(sources):
            for record in records:
                spans = [*record.spans, *record.context] if is_cell else record.spans
                if found := compare(part, record.text, spans, subject):
                    return provenance, Quote(number, *found)
    return None


@lru_cache(maxsize=10_000)
def _plain(text: str) -> str:
    """The text without formatting, differences of quotation marks and dashes, and the punctuation at its ends."""
    return " ".join(text.translate(_FORMATTED).casefold().split()).strip(" .,;:")


@lru_cache(maxsize=10_000)
def _words(text: str, subject: re.Pattern[str]) -> tuple[tuple[str, int], ...]:
    """The words without articles, with the end of each. A subject that means us, and the form of the verb after it, are the same for all."""
    begins = subject.match(text)
    found = [(word[0], word.end()) for word in _WORD.finditer(text, begins.end() if begins else 0) if word[0] not in _ARTICLES]
    if begins and found:
        verb, end = found[0]
        verb = _AGREEMENT.get(verb, verb)
        found[0] = (verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb, end)
    return (("we", begins.end()), *found) if begins else tuple(found)


def _shown_text(claim: str) -> str:
    """A claim in one line, without its formatting."""
    return " ".join(re.sub(r"[*_`\\]", "", claim).split()).strip(" ;")


def _quoted(claim: str, text: str, spans: Sequence[Span], _subject: re.Pattern[str]) -> Span | None:
    """Where the claim stands as whole sentences, items, values, or cells that follow each other."""
    wanted = _plain(claim)
    for first, (start, _) in enumerate(spans):
        for _, end in spans[first:]:
            seen = _plain(text[start:end])
            if seen == wanted:
                return start, end
            if not wanted.startswith(seen) or end < start:
                break
    return None


def _edited(claim: str, text: str, spans: Sequence[Span], subject: re.Pattern[str]) -> Span | None:
    """Where the claim is a sentence, or a clause or more of one, with another word for us, or other articles."""
    wanted = [word for word, _ in _words(_plain(claim), subject)]
    for start, end in spans:
        unit = _plain(text[start:end])
        if wanted[-1] not in unit:
            continue
        for begin in _clauses(unit):
            found = _words(unit[begin:], subject)
            if [word for word, _ in found[: len(wanted)]] != wanted:
                continue
            rest = unit[begin + found[len(wanted) - 1][1] :]
            is_whole = not rest.strip() or rest.lstrip().startswith(_CLAUSE_BEGINS)
            if is_whole and _TURNS.isdisjoint(word[0] for part in (unit[:begin], rest) for word in _WORD.finditer(part)):
                return start, end
    return None


def _clauses(unit: str) -> Iterator[int]:
    """Where clauses begin."""
    yield 0
    yield from (found.end() for found in _CLAUSE.finditer(unit))


def _part(claim: str, text: str, spans: Sequence[Span], _subject: re.Pattern[str]) -> Span | None:
    """Where the claim, a value or another part of a sentence, stands word for word."""
    if _SENTENCE.search(claim.rstrip()):
        return None
    wanted = _plain(claim)
    for start, end in spans:
        unit = _plain(text[start:end])
        place = unit.find(wanted)
        rest = f"{unit[: max(place, 0)]}\n{unit[place + len(wanted) :]}"
        if place >= 0 and not _CONTINUED.search(rest) and _TURNS.isdisjoint(word[0] for word in _WORD.finditer(rest)):
            return start, end
    return None


def _joined(claim: str, text: str, spans: Sequence[Span], subject: re.Pattern[str]) -> Span | None:
    """Where the claim stands as whole cells or values, others left out."""
    wanted = [word for word, _ in _words(_plain(claim), subject)]
    used, place = list[Span](), 0
    for span in spans:
        own = [word for word, _ in _words(_plain(text[slice(*span)]), subject)]
        if own and wanted[place : place + len(own)] == own:
            used.append(span)
            place += len(own)
    return (min(used)[0], max(used)[1]) if used and place == len(wanted) else None


def _written(claim: Text, sources: Sequence[Sequence[_Record]], known: Text, *, is_cell: bool) -> Verdict:
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
    if not required:
        absent = [token for token in claim.content if not any(token.key in record.keys for record in records)]
        is_of_title = all(token.key in known.keys for token in claim.content)
        if is_cell or is_of_title or len(absent) > (1 - _FAR) * len(claim.content):
            missing = absent[:_MOST_NAMED]
    missing += [token for token in _repeated_numbers(required, records) if token not in missing]
    wanted = {token.key for token in required}
    quotes = (Quote(number, *span) for number, record in chosen for span in _shown(record, content, wanted))
    everything = [record for of_source in sources for record in of_source]
    words = dict.fromkeys((*(token.text for token in missing), *_turned(claim, records), *_not_checked(claim, everything)))
    return Verdict(Provenance.WRITTEN, tuple(quotes), len(required) - sum(token in required for token in missing), tuple(words))


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
    rounded = record.rounded(digits)
    return (token.value, token.unit) in rounded or (token.value, "") in rounded


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
        bound, words = _bound(claim.tokens, place) if token.value is not None and token.value not in compared else ("", 0)
        compared.add(token.value)
        places = [(record, at) for record in records for at in record.by_value.get(token.value or 0.0, ())] if bound else []
        others = {_bound(record.all, at)[0] for record, at in places}
        if others and others <= {_AT_LEAST, _AT_MOST} - {bound}:
            yield claim.text[claim.tokens[place - words].start : token.end]
    own = {token.key for token in claim.content if not token.is_name}
    nearest = max((unit for record in records for unit in record.units), key=lambda unit: _likeness(own, unit), default=[])
    denied, given = _negations(claim.tokens), list(_denied(records))
    if not given and _likeness(own, nearest) >= _ALIKE:
        given = _negations(nearest)
    elif not given:
        return
    if len(denied) != len(given):
        yield max(denied, given, key=len)[0]


def _denied(records: Sequence[_Record]) -> Iterator[str]:
    """What a record of a label and a value says if it says no."""
    for record in records:
        if len(record.spans) <= _LABEL_AND_VALUE:
            yield from (text for span in record.spans if (text := _plain(record.text[slice(*span)])) in _DENIALS)


def _not_checked(claim: Text, records: Sequence[_Record]) -> Iterator[str]:
    """The words beside boxes that are not checked, if the claim has them all, and no checked one has them."""
    keys = {token.key for token in claim.content}
    for record in records:
        for option in record.unchecked:
            words = {token.key for token in option}
            if words and words <= keys and not any(words <= other.keys for other in records):
                yield " ".join(token.text for token in option)


def _bound(tokens: Sequence[Token], place: int) -> tuple[str, int]:
    """What the words before a number say about it, such as “at least,” and how many they are."""
    words = [token.word for token in tokens[max(0, place - _BOUND_WORDS) : place]]
    found = ((_BOUNDS.get(" ".join(words[start:]), ""), len(words) - start) for start in range(len(words)))
    return next(((bound, count) for bound, count in found if bound), ("", 0))


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

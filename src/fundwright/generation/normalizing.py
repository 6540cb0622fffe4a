"""Normalizes the words, numbers, names, and codes of a text for comparison: “Sept.” is “September”, “$1.2 million” is
“$1,200,000”."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import snowballstemmer

from fundwright.reading.sentences import spans_of
from fundwright.reading.unit_symbols import SYMBOLS
from fundwright.reading.units import unit_of

_TOKEN = re.compile(r"[^\W_]+(?:['’.,&-][^\W_]+)*|%")
_NUMBER = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")
_NUMBER_AND_WORDS = re.compile(r"\A([0-9][0-9,]*(?:\.[0-9]+)?)-?([a-zµμΩΩ]{1,12}(?:-[a-z]+)*)", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]|ph\.d", re.IGNORECASE)
_CONTRACTED = re.compile(r"'(?:s|re|ve|ll|d|m)$")
_MOST_DIGITS = 15
"""A longer number is a code, or a list without spaces."""
_DATE = re.compile(
    r"(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])"
    r"|(?P<month_first>0?[1-9]|1[0-2])-(?P<day_second>0?[1-9]|[12]\d|3[01])-(?P<year_last>(?:19|20)\d\d)"
)
_PIECE = re.compile(r"[^-&,.]+")
_ROW = re.compile(r"^[^|\n]{0,2000}\|[^|\n]{0,2000}\|[^\n]*$", re.MULTILINE)

_SMALL = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = {
    word: 10.0 * tens
    for tens, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2)
}
_NUMBER_WORDS = {word: float(value) for value, word in enumerate(_SMALL.split(), start=1)} | {"twice": 2.0} | _TENS
_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "billion": 1e9}
_CURRENCIES = {"$": "dollar", "€": "euro", "£": "sterling"}
_DOLLAR_SCALES = {"k": 1e3, "m": 1e6, "mm": 1e6, "b": 1e9, "bn": 1e9}
_ROMAN = {"i": 1.0, "ii": 2.0, "iii": 3.0, "iv": 4.0, "v": 5.0, "vi": 6.0}
_LABELS = frozenset(
    ["phase", "level", "tier", "type", "class", "grade", "stage", "part", "task", "region", "category", "version", "iso", "title"]
)
_ORDINALS = (
    {
        word: float(value)
        for value, word in enumerate(
            ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], start=1
        )
    }
    | {"1st": 1.0, "2nd": 2.0, "3rd": 3.0}
    | {f"{value}th": float(value) for value in range(4, 13)}
)
_COUNTED = frozenset(["year", "quarter"])

"""Nouns that are counted as in “year three” and “the third year”."""
_MAX_COUNTED = 12
_QUARTER = re.compile(r"q[1-4]", re.IGNORECASE)
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH_NAMES = {name[:3]: name for name in _MONTHS} | {"sept": "september"} | {name: name for name in _MONTHS}
STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "at",
        "for",
        "from",
        "by",
        "with",
        "as",
        "and",
        "or",
        "but",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "am",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "which",
        "who",
        "whom",
        "whose",
        "we",
        "our",
        "ours",
        "us",
        "i",
        "my",
        "me",
        "you",
        "your",
        "they",
        "their",
        "them",
        "he",
        "him",
        "his",
        "she",
        "her",
        "hers",
        "has",
        "have",
        "had",
        "having",
        "do",
        "does",
        "did",
        "done",
        "doing",
        "will",
        "would",
        "can",
        "could",
        "shall",
        "should",
        "may",
        "might",
        "must",
        "there",
        "here",
        "so",
        "than",
        "then",
        "also",
        "such",
        "into",
        "onto",
        "over",
        "under",
        "about",
        "up",
        "out",
        "off",
        "per",
        "each",
        "every",
        "all",
        "any",
        "some",
        "both",
        "between",
        "among",
        "within",
        "during",
        "while",
        "when",
        "where",
        "because",
        "since",
        "until",
        "through",
        "after",
        "before",
        "again",
        "more",
        "most",
        "less",
        "least",
        "fewer",
        "one",
        "other",
        "own",
        "same",
        "very",
        "just",
        "only",
        "not",
        "no",
        "nor",
        "never",
        "without",
        "none",
        "nobody",
        "nothing",
        "too",
        "how",
        "what",
        "if",
        "still",
        "yet",
        "now",
        "mr",
        "mrs",
        "ms",
        "dr",
        "s",
        "t",
        "cannot",
        "neither",
        "including",
        "include",
        "includes",
        "included",
        "like",
        "well",
        "go",
        "goes",
        "already",
        "although",
        "though",
        "despite",
        "however",
        "whereas",
    ]
)
_ABBREVIATED = {"dept": "department", "univ": "university", "govt": "government", "assn": "association"}
_stemmer = snowballstemmer.stemmer("english")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the common form of lower-case words: “monitoring” and “monitors”."""
    stemmed: str = _stemmer.stemWord(_ABBREVIATED.get(word, word))
    return stemmed


def stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


UNITS = frozenset(
    stem(unit)
    for unit in (
        *(name for name in SYMBOLS.values() if " " not in name),
        *[
            "dollar",
            "day",
            "quarter",
            "inch",
            "ton",
            "liter",
            "volt",
            "ampere",
            "ohm",
            "cycle",
            "mil",
            "mph",
            "psi",
            "bar",
            "acre-foot",
            "degree",
        ],
    )
)
"""Units. The same number with another unit is a different claim."""
MONTHS = frozenset(_MONTHS)
_PERIODS = stems("day week month quarter year hour minute second")
_FREQUENCIES = {
    word: stem(period)
    for word, period in (
        ("daily", "day"), ("weekly", "week"), ("monthly", "month"), ("quarterly", "quarter"), ("hourly", "hour"), ("yearly", "year"),
        ("annually", "year"),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a text. `key` is compared. A number has a `value`, the `label` before it (“Phase” 2), the `unit`
    after it, and the `rate`, such as “month” for “$520 a month.”"""

    key: str
    text: str
    start: int
    end: int
    sentence: int
    value: float | None = None
    label: str = ""
    unit: str = ""
    rate: str = ""
    is_name: bool = False
    is_code: bool = False

    @property
    def word(self) -> str:
        return self.text.lower()

    @property
    def is_content(self) -> bool:
        return self.value is not None or self.is_code or self.word not in STOP_WORDS

    @property
    def is_measure(self) -> bool:
        return self.value is not None or self.is_code

    @property
    def letters(self) -> str:
        return self.word.replace(".", "")

    @property
    def is_acronym(self) -> bool:
        return len(self.letters) >= 2 and self.letters.isalpha() and self.text.isupper()


class Text:
    """A text as tokens, including stop words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        for sentence, (start, end) in enumerate(_sentences_and_rows(text)):
            first = len(self.tokens)
            for match in _TOKEN.finditer(text, start, end):
                _read(self.tokens, text, match.start(), match.group(), sentence)
            _relate(self.tokens, first, text)
        self.keys = frozenset(token.key for token in self.tokens)
        self.content = [token for token in self.tokens if token.is_content]


def _sentences_and_rows(text: str) -> Iterator[tuple[int, int]]:
    """Return the spans of sentences, and of table rows, which end at the line end."""
    for start, end in spans_of(text):
        for row in _ROW.finditer(text, start, end):
            if row.start() > start:
                yield start, row.start()
            yield row.span()
            start = row.end()
        if start < end:
            yield start, end


def is_year(token: Token) -> bool:
    return token.value is not None and 1900 <= token.value < 2100


@lru_cache(maxsize=200)
def read_text(text: str) -> Text:
    """Cached, because many sentences have the same title."""
    return Text(text)


def _read(found: list[Token], text: str, start: int, raw: str, sentence: int) -> None:
    """Add a run of letters and digits, split if it contains several words."""
    lowered = raw.lower().replace("’", "'")
    if lowered.endswith("n't"):
        found.append(Token(stem(lowered[:-3]), raw[:-3], start, start + len(raw) - 3, sentence))
        found.append(Token("not", "not", start + len(raw) - 3, start + len(raw), sentence))
    elif any(character.isdigit() for character in raw):
        _read_number(found, text, start, raw, sentence)
    elif _INITIALS.fullmatch(raw):
        key = lowered.replace(".", "")
        is_country = key == "us"
        found.append(Token("usa" if is_country else stem(key), raw, start, start + len(raw), sentence, is_name=is_country))
    elif stem(lowered) in UNITS:  # “kilowatt-hours”
        found.append(Token(stem(lowered), raw, start, start + len(raw), sentence))
    else:
        contracted = _CONTRACTED.search(lowered)
        for part in _PIECE.finditer(raw[: contracted.start()] if contracted else raw):
            _read_word(found, start + part.start(), part.group(), sentence)


def _read_number(found: list[Token], text: str, start: int, raw: str, sentence: int) -> None:
    if date := _DATE.fullmatch(raw):
        names = ("month", "day", "year") if date["year"] else ("month_first", "day_second", "year_last")
        for group in names:
            part, (begin, end) = date[group], (start + date.start(group), start + date.end(group))
            name = _MONTHS[int(part) - 1] if group is names[0] else ""
            found.append(
                Token(name, part, begin, end, sentence, is_name=True)
                if name
                else _number(part, float(part), begin, end, sentence, "")
            )
        return
    unit = _CURRENCIES.get(text[max(0, start - 1) : start], "")
    counted = _NUMBER_AND_WORDS.fullmatch(raw)
    if unit and counted and counted[2].lower() in _DOLLAR_SCALES:
        value = float(counted[1].replace(",", "")) * _DOLLAR_SCALES[counted[2].lower()]
        found.append(_number(raw, value, start, start + len(raw), sentence, unit))
        return
    if _NUMBER.fullmatch(raw) and sum(map(str.isdigit, raw)) > _MOST_DIGITS:
        found.append(Token(re.sub(r"\W", "", raw), raw, start, start + len(raw), sentence, is_code=True))
    elif _NUMBER.fullmatch(raw):
        found.append(_number(raw, float(raw.replace(",", "")), start, start + len(raw), sentence, unit))
    elif counted and counted[2].lower() in ("st", "nd", "rd", "th"):
        found.append(Token(raw.lower(), raw, start, start + len(raw), sentence))
    elif counted and (counted[2].islower() or counted[2] in SYMBOLS or counted[2].lower() in _SCALES):
        found.append(_number(counted[1], float(counted[1].replace(",", "")), start, start + counted.end(1), sentence, unit))
        for part in _PIECE.finditer(raw, counted.start(2)):
            _read_word(found, start + part.start(), part.group(), sentence)
    elif "," in raw or "&" in raw:
        for part in re.finditer(r"[^,&]+", raw):
            _read(found, text, start + part.start(), part.group(), sentence)
    else:
        found.append(Token(re.sub(r"\W", "", raw.lower()), raw, start, start + len(raw), sentence, is_code=True))


def _read_word(found: list[Token], start: int, written: str, sentence: int) -> None:
    word, end, measure = written.lower(), start + len(written), unit_of(written)
    is_name = written[0].isupper()
    if word in _NUMBER_WORDS and word != "one":
        tens = found[-1] if found else None
        if tens and tens.word in _TENS and tens.end + 1 == start and _NUMBER_WORDS[word] < 10:
            found[-1] = _number(f"{tens.text}-{written}", _TENS[tens.word] + _NUMBER_WORDS[word], tens.start, end, sentence, "")
        else:
            found.append(_number(written, _NUMBER_WORDS[word], start, end, sentence, ""))
    elif word == "one" and found and found[-1].word in _TENS and found[-1].end + 1 == start:
        tens = found[-1]
        found[-1] = _number(f"{tens.text}-{written}", _TENS[tens.word] + 1, tens.start, end, sentence, "")
    elif word in ("a", "an") and found and found[-1].word == "half" and found[-1].end + 1 == start:
        found[-1] = _number(f"{found[-1].text} {written}", 0.5, found[-1].start, end, sentence, "")
    elif is_name and word in _MONTH_NAMES:
        found.append(Token(_MONTH_NAMES[word], written, start, end, sentence, is_name=True))
    elif written == "US":
        found.append(Token("usa", "U.S", start, end, sentence, is_name=True))
    else:
        found.append(
            Token(
                stem(measure if measure and " " not in measure else word),
                written,
                start,
                end,
                sentence,
                is_name=is_name,
            )
        )


def _number(text: str, value: float, start: int, end: int, sentence: int, unit: str) -> Token:
    return Token(f"#{value:.15g}", text, start, end, sentence, value=value, unit=unit)


def _relate(tokens: list[Token], first: int, text: str) -> None:
    """Assign scales, labels, and units to the numbers of a sentence, which begins at token `first`."""
    place = first
    while place < len(tokens):
        token = tokens[place]
        before = tokens[place - 1] if place > first else None
        counted = _counted(token, tokens[place + 1] if place + 1 < len(tokens) else None)
        if before and before.word.rstrip("s") in _LABELS and token.word in _ROMAN:
            token = _number(token.text, _ROMAN[token.word], token.start, token.end, token.sentence, "")
        if counted:
            token = counted
        elif month := _month(token, tokens[place + 1 : place + 3], text):
            token = month
        elif token.value is not None:
            token = _scaled(token, tokens, place, text)
            token = replace(
                token,
                label=_label(token, tokens, first, place, text),
                unit=token.unit or _unit(tokens[place + 1 : place + 4]),
                rate=_rate(tokens[place + 1 : place + 6]),
            )
        tokens[place] = token
        place += 1


def _counted(token: Token, after: Token | None) -> Token | None:
    """Return the number of “the third year” and “Q3”, as in “year three”."""
    if _QUARTER.fullmatch(token.text):
        value, label = float(token.text[1]), stem("quarter")
    elif token.word in _ORDINALS and after and after.key in _COUNTED:
        value, label = _ORDINALS[token.word], after.key
    else:
        return None
    return replace(_number(token.text, value, token.start, token.end, token.sentence, ""), label=label)


def _month(token: Token, following: Sequence[Token], text: str) -> Token | None:
    """Return the month of “5/2022” and “5/17/2022”."""
    slashes = [text[one.end : other.start] for one, other in pairwise([token, *following])]
    is_day = len(following) > 1 and slashes == ["/", "/"] and following[0].value in range(1, 32) and is_year(following[1])
    if token.value is None or token.value not in range(1, 13) or not (is_day or (slashes[:1] == ["/"] and is_year(following[0]))):
        return None
    return Token(_MONTHS[int(token.value) - 1], token.text, token.start, token.end, token.sentence, is_name=True)


def _scaled(token: Token, tokens: list[Token], place: int, text: str) -> Token:
    """Combine “1.2 million” and “two and a half” into one token."""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.value is not None and [other.word for other in tokens[place + 1 : place + 4]] == ["and", "a", "half"]:
        end = tokens[place + 3].end
        del tokens[place + 1 : place + 4]
        return _number(text[token.start : end], token.value + 0.5, token.start, end, token.sentence, token.unit)
    if token.value is None or after is None or after.word not in _SCALES or after.start - token.end > 1:
        return token
    del tokens[place + 1]
    return _number(
        text[token.start : after.end], token.value * _SCALES[after.word], token.start, after.end, token.sentence, token.unit
    )


def _label(token: Token, tokens: list[Token], first: int, place: int, text: str) -> str:
    """Return “phase” for “Phase 2”, “task” for both numbers of “Tasks 1 and 2”, and the month for a year."""
    if is_year(token):
        month = next((other.key for other in tokens[max(first, place - 2) : place] if other.key in MONTHS), "")
        if month:
            return month
    before = tokens[place - 1] if place > first else None
    if before is None or text[before.end : token.start] != " ":
        return ""
    is_counted = before.key in _COUNTED and token.value is not None and token.value <= _MAX_COUNTED
    if (before.is_name and before.is_content and before.key not in MONTHS) or before.word.rstrip("s") in _LABELS or is_counted:
        return before.key
    if before.word in ("and", "or", "through", "to") and place - 2 >= first and tokens[place - 2].value is not None:
        return tokens[place - 2].label
    return ""


def _unit(following: Sequence[Token]) -> str:
    """Return the unit among the next few words, also for “3 to 5 weeks”."""
    for token in following:
        if token.key in UNITS:
            return token.key
        if not (token.is_content or token.word in ("to", "per", "or")):
            return ""
    return ""


def _rate(following: Sequence[Token]) -> str:
    """Return the period among the next few words: “month” for “$520 a month” and for “280 meals monthly”."""
    for token, after in pairwise([*following, None]):
        if token is None or token.value is not None:
            return ""
        if token.word in ("a", "an", "per", "each", "every") and after and after.key in _PERIODS:
            return after.key
        if token.word in _FREQUENCIES:
            return _FREQUENCIES[token.word]
    return ""

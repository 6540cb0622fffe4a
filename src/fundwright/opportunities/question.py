"""Parses the text of a search: optional words, conditions, and solicitation numbers.

Quotes, minus, OR, NAICS codes, and set-asides are conditions, as in PostgreSQL's `websearch_to_tsquery`. Plain words are not, nor
is an "or" within a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from itertools import product, takewhile

from fundwright.language.protocols import Vectors
from fundwright.opportunities.states import states_in

_DASHES = re.compile(r"(?<!\S)--+")
_TOKEN = re.compile(r'-?"[^"]*"?|\S+')
_SPELLED = re.compile(r"[a-z]{5,40}")
"""Shorter words are not corrected: different short words are as similar as a misspelled word and the right one."""
_MIN_LIKENESS, _MIN_LIKENESS_FOUND, _TIMES_OFTENER = 0.85, 0.93, 10
"""A word that a few notices have may be misspelled or just rare. It is replaced only by a word that is more similar and occurs in
many more notices."""
_ROWS_OF_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SAME_SOUNDS = ("aeiouy", "ckqsxz", "bp", "dt", "fvw", "gj", "mn", "lr")


def _mistaken_letters() -> dict[str, frozenset[str]]:
    """Return, for each letter, those that people type instead: neighbors on the keyboard, and letters that sound alike."""
    places = {letter: (row, column + row / 2) for row, keys in enumerate(_ROWS_OF_KEYS) for column, letter in enumerate(keys)}
    return {
        letter: frozenset(
            other
            for other in places
            if (abs(places[other][0] - row) <= 1 and abs(places[other][1] - column) <= 1)
            or any(letter in sounds and other in sounds for sounds in _SAME_SOUNDS)
        )
        for letter, (row, column) in places.items()
    }


_MISTAKEN = _mistaken_letters()
_NOT_OF_A_KEY = re.compile(r"[^A-Z0-9]")
_WORD = re.compile(r"[a-zA-Z]{4,}")
_FEWEST_IN_NUMBER, _MAX_IN_NUMBER = 5, 40
_FEWEST_IN_WHOLE_NUMBER = 8
"""A shorter code, such as CH-47F, may be the name of a product."""
_MAX_PARTS = 5
_CODE = re.compile(r"[1-9]\d{5}|(ed)?wosb|sdvosbc?|hubzone", re.IGNORECASE)
"""A NAICS code or a set-aside. Similar notices are no substitute for these."""
_SET_ASIDES = {"sdvosb": ("sdvosbc", "sdvosbs"), "wosb": ("wosbss",), "edwosb": ("edwosbss",)}
"""The codes of SAM.gov for common abbreviations of set-asides, competitive (C) and sole-source (S, SS)."""
_MAX_SET_ASIDES = 2
"""The maximum number of set-asides in a search that are also searched by code."""
_GENERIC = frozenset(
    [
        "funding",
        "funds",
        "funded",
        "fund",
        "opportunity",
        "opportunities",
        "program",
        "programs",
        "agency",
        "agencies",
        "need",
        "needs",
        "needed",
        "want",
        "wants",
        "looking",
        "seeking",
        "seeks",
        "contractor",
        "contractors",
        "vendor",
        "vendors",
        "run",
        "runs",
    ]
)
"""Words that fit any notice. They would outweigh the subject in the embedding of a search. "Grant" and "contract" are not included,
because they distinguish grants from contracts."""
_SPELLED_OUT = {
    "AI": "artificial intelligence",
    "ATO": "authority to operate",
    "EHR": "electronic health record",
    "HVAC": "heating ventilation air conditioning",
    "IT": "information technology",
    "LAN": "local area network",
    "ML": "machine learning",
    "RMF": "risk management framework",
}
"""Uppercase abbreviations that the embedding model does not know. "IT" cannot be searched by words, either."""
_ABBREVIATION = re.compile(r"[A-Z]{2,6}")
_OF_AN_AGENCY = re.compile(r"\b(?:DEPARTMENT|DEPT|OF|THE|AND|FOR|ON|IN|US)\b|[()]")
_SERVICE = re.compile(r"\b(?:army|navy|air force)\b", re.IGNORECASE)
_SHORT_INITIALS = 3
"""The last letter of longer initials is often omitted: CDC stands for Disease Control and Prevention."""
_SMALL = frozenset(
    ["a", "an", "and", "are", "for", "from", "in", "is", "its", "of", "on", "our", "the", "to", "us", "we", "who", "with"]
)
"""Small words left at the ends of a search once its generic words are removed."""


@dataclass(frozen=True)
class Meaning:
    """The embedding of a search, and the model that computed it."""

    model_id: str
    vector: Vectors


@dataclass(frozen=True)
class Question:
    """A parsed search."""

    text: str
    """Words and conditions that a full match must satisfy, in the syntax of `websearch_to_tsquery`."""
    words: str
    """The words to rank by, without punctuation and excluded words."""
    agencies: tuple[str, ...]
    """Possible abbreviations of agencies, and military services, in upper case."""
    states: tuple[str, ...]
    """Codes of the states and territories that the search names."""
    topic: str
    """The words to rank by that name the subject: no codes, and no generic words unless there are no others."""
    required: str
    """The conditions in the syntax of `websearch_to_tsquery`, or '' if there are none."""
    excluded: str
    """Excluded words in the same syntax."""
    is_open: bool
    """Whether notices that lack some of the words can match, too."""
    number: str
    """The whole text as the key of a number or of a part of one, or '' if it cannot be one."""
    numbers: tuple[str, ...]
    """The keys of numbers that the text may contain."""


def number_key(text: str) -> str:
    """Normalize a solicitation number as in the column `number_key`: no case, dashes, or spaces."""
    return _NOT_OF_A_KEY.sub("", text.upper())


def spelled_words(text: str) -> dict[str, str]:
    """Return the words that may be misspelled, as typed, by their lower-case forms. Words in quotes, after a minus, or with an
    inner capital (names and abbreviations) are left out."""
    tokens = (token for token in _TOKEN.findall(text) if token[1:].islower() and not _CODE.fullmatch(token))
    return {token.lower(): token for token in tokens if _SPELLED.fullmatch(token.lower())}


def intended_word(word: str, known: Mapping[str, int], *, notices: int) -> str | None:
    """Return the known word that was probably meant by a word that occurs in `notices` notices. `known` has the number of notices
    of each known word."""
    least = max(notices * _TIMES_OFTENER, 1)
    oftener = [each for each, number in known.items() if each != word and number >= least]
    least_likeness = _MIN_LIKENESS_FOUND if notices else _MIN_LIKENESS
    close_matches = get_close_matches(word, (each for each in oftener if _is_single_edit(word, each)), cutoff=least_likeness)
    return max(close_matches, key=lambda each: (SequenceMatcher(None, each, word).ratio(), known[each]), default=None)


def _is_single_edit(word: str, intended: str) -> bool:
    """Whether the words differ by one edit: a letter is wrong, missing, or extra, or two are swapped. With more edits, or with any
    wrong letter, a rare word would be mistaken for another one, such as “cathodic” for “catholic”."""
    start = _common_prefix_length(word, intended)
    end = _common_prefix_length(word[start:][::-1], intended[start:][::-1])
    wrong, right = word[start : len(word) - end], intended[start : len(intended) - end]
    if len(wrong) == len(right) == 1:
        return right in _MISTAKEN[wrong]
    return max(len(wrong), len(right)) <= 1 or (len(wrong) == 2 and wrong == right[::-1])


def _common_prefix_length(word: str, other: str) -> int:
    """Return the length of the common prefix."""
    return sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], zip(word, other, strict=False)))


def with_words(text: str, replaced: Mapping[str, str]) -> str:
    """Replace words of a text, given as typed."""
    return _TOKEN.sub(lambda found: replaced.get(found.group(), found.group()), text)


def parse(text: str) -> Question:
    # PostgreSQL parses each dash as another "not", and a hundred of them exceed its stack.
    tokens = _TOKEN.findall(_DASHES.sub("-", text))
    excluded = [token for token in tokens if len(token) > 1 and token.startswith("-")]
    kept = [token for token in tokens if token not in excluded]
    has_or = _has_or(kept)
    either = " ".join(kept) if has_or else ""
    if len(kept) > 1:
        kept = [token for token in kept if not _is_or(token)]
    phrases = [token for token in kept if token.startswith('"')]
    codes = [token for token in kept if _CODE.fullmatch(token)]
    plain = [token for token in kept if token not in phrases and token not in codes]
    is_number = not excluded and not has_or and not codes and not any(_WORD.fullmatch(token) for token in kept)
    number = key if is_number and _may_be_number(key := number_key(text)) else ""
    return Question(
        text=either or _either(kept, excluded),
        words=" ".join(_SPELLED_OUT["IT"] if token == "IT" else token.strip('"') for token in kept),
        agencies=tuple(
            [token for token in plain if _ABBREVIATION.fullmatch(token)] + _SERVICE.findall(" ".join(plain).upper()),
        ),
        states=states_in(text),
        topic=" ".join(_spell_out(token.strip('"')) for token in _topic([token for token in kept if token not in codes])),
        required=either or _either([*phrases, *codes], []),
        excluded=" or ".join(token[1:] for token in excluded),
        is_open=bool(plain) and not has_or and len(number) < _FEWEST_IN_WHOLE_NUMBER,
        number=number,
        numbers=() if has_or else tuple(_numbers_in(kept)),
    )


def _either(tokens: list[str], excluded: list[str]) -> str:
    """Combine all tokens and none of the excluded ones. Set-asides match both in words and as SAM.gov codes."""
    is_spelled = sum(token.lower() in _SET_ASIDES for token in tokens) <= _MAX_SET_ASIDES
    each = [(token, *(_SET_ASIDES.get(token.lower(), ()) if is_spelled else ())) for token in tokens]
    return " or ".join(" ".join([*all_of_them, *excluded]) for all_of_them in product(*each))


def _spell_out(token: str) -> str:
    return " ".join((token, *(_SPELLED_OUT[part] for part in token.split("/") if part in _SPELLED_OUT)))


def is_named(agency: str, question: Question) -> bool:
    """Whether a search names the agency with this name or code: by its initials (CDC), by part of its code (HHS-CDC), or, for a
    military service, by its name."""
    name = _OF_AN_AGENCY.sub(" ", agency.upper()).strip()
    parts = re.findall(r"[A-Z]+", name)
    initials = "".join(part[0] for part in parts)
    codes = {name, initials, initials[:-1] if len(initials) > _SHORT_INITIALS else initials, *parts}
    return any(abbreviation in codes for abbreviation in question.agencies)


def _topic(tokens: list[str]) -> list[str]:
    specific = [token for token in tokens if token.lower() not in _GENERIC]
    if len(specific) == len(tokens):
        return tokens
    while specific and specific[0].lower() in _SMALL:
        del specific[0]
    while specific and specific[-1].lower() in _SMALL:
        del specific[-1]
    return specific or tokens


def _has_or(tokens: list[str]) -> bool:
    """Whether the tokens have an "or" that is a condition: in upper case always, otherwise only between single words or phrases
    (`roof or gutter`)."""
    is_list = len(tokens) % 2 == 1 and all(_is_or(token) for token in tokens[1::2])
    return any(_is_or(token) for token in tokens[1:-1]) and (is_list or "OR" in tokens[1:-1])


def _is_or(token: str) -> bool:
    return token.lower() == "or"


def _numbers_in(tokens: list[str]) -> dict[str, None]:
    """Return the keys of every run of adjacent words that may be a number: people type `W912DY 25 R 0015`."""
    runs = (
        tokens[start:end] for start in range(len(tokens)) for end in range(start + 1, min(start + _MAX_PARTS, len(tokens)) + 1)
    )
    return dict.fromkeys(key for run in runs if _may_be_number(key := number_key("".join(run))))


def _may_be_number(key: str) -> bool:
    return _FEWEST_IN_NUMBER <= len(key) <= _MAX_IN_NUMBER and any(character.isdigit() for character in key)

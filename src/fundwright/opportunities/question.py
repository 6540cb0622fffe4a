"""Parses the text of a search: words that need not all occur, conditions that must hold, and solicitation numbers.

Quotes, minus, OR, NAICS codes, and set-asides are conditions, as in PostgreSQL's `websearch_to_tsquery`. Plain words are not, nor
is the "or" of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from itertools import product, takewhile

from fundwright.language.protocols import Vectors

_DASHES = re.compile(r"(?<!\S)--+")
_TOKEN = re.compile(r'-?"[^"]*"?|\S+')
_SPELLED = re.compile(r"[a-z]{5,40}")
"""Shorter words are as near to each other as misspelled ones are to what is meant."""
_MIN_LIKENESS, _MIN_LIKENESS_FOUND, _TIMES_OFTENER = 0.85, 0.93, 10
"""A word that a few notices have, misspelled as well or simply rare, must be nearer to one that many more of them have."""
_NOT_OF_A_KEY = re.compile(r"[^A-Z0-9]")
_WORD = re.compile(r"[a-zA-Z]{4,}")
_FEWEST_IN_NUMBER, _MAX_IN_NUMBER = 5, 40
_FEWEST_IN_WHOLE_NUMBER = 8
"""Something shorter, such as CH-47F, may as well be the name of a thing."""
_MAX_PARTS = 5
_CODE = re.compile(r"[1-9]\d{5}|(ed)?wosb|sdvosbc?|hubzone", re.IGNORECASE)
"""A NAICS code or a set-aside. A notice that is merely like it is of no use."""
_SET_ASIDES = {"sdvosb": ("sdvosbc", "sdvosbs"), "wosb": ("wosbss",), "edwosb": ("edwosbss",)}
"""As SAM.gov writes set-asides that people abbreviate: for competition (C) and for a sole source (S, SS)."""
_MAX_SET_ASIDES = 2
"""In a search of which the codes are looked for, too."""
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
"""What people say of any notice, not of its subject: such words drown the subject in the embedding of a search. "Grant" and "contract" are
not among them, because they tell grants from contracts."""
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
"""Abbreviations, in capitals, whose meaning an embedding does not know; "IT" is no word for a search by words either."""
_ABBREVIATION = re.compile(r"[A-Z]{2,6}")
_OF_AN_AGENCY = re.compile(r"\b(?:DEPARTMENT|DEPT|OF|THE|AND|FOR|ON|IN|US)\b|[()]")
_SERVICE = re.compile(r"\b(?:army|navy|air force)\b", re.IGNORECASE)
_SHORT_INITIALS = 3
"""Of longer ones the last is often left out: CDC is for Disease Control and Prevention."""
_SMALL = frozenset(
    ["a", "an", "and", "are", "for", "from", "in", "is", "its", "of", "on", "our", "the", "to", "us", "we", "who", "with"]
)
"""What is left at the ends of a search without its generic words."""


@dataclass(frozen=True)
class Meaning:
    """The embedding of a search by a model."""

    model_id: str
    vector: Vectors


@dataclass(frozen=True)
class Question:
    """A parsed search."""

    text: str
    """What a notice must have to match without a doubt, to be read by `websearch_to_tsquery`."""
    words: str
    """The words to rank by, without signs and without excluded ones."""
    agencies: tuple[str, ...]
    """In capitals: abbreviations that may be those of agencies, and military services."""
    topic: str
    """Of these, the words that say what it is about: without codes, and without generic words unless there are no others."""
    required: str
    """The conditions, to be read by `websearch_to_tsquery`; '' when there are none."""
    excluded: str
    """What must not occur, in the same way."""
    is_open: bool
    """Whether notices without some of the words can match as well."""
    number: str
    """All of it as the key of a number, or of a part of one; '' when it is none."""
    numbers: tuple[str, ...]
    """Keys of the numbers that it may contain."""

    @property
    def excluded_apart(self) -> str:
        """What `text` does not exclude: with "or", it is the condition itself."""
        return self.excluded if self.text == self.required else ""


def number_key(text: str) -> str:
    """A solicitation number without case, dashes, and spaces, as the column `number_key` has it."""
    return _NOT_OF_A_KEY.sub("", text.upper())


def spelled_words(text: str) -> dict[str, str]:
    """The words that may be misspelled, in lower case, each as it is typed: none in quotes or after a minus, nor with a capital within,
    as names and abbreviations have."""
    tokens = (token for token in _TOKEN.findall(text) if token[1:].islower() and not _CODE.fullmatch(token))
    return {token.lower(): token for token in tokens if _SPELLED.fullmatch(token.lower())}


def meant(word: str, known: Mapping[str, int], *, notices: int) -> str | None:
    """The known word that this one, which so many notices have, is taken for. `known` tells how many have each."""
    least = max(notices * _TIMES_OFTENER, 1)
    oftener = [each for each, number in known.items() if each != word and number >= least]
    least_likeness = _MIN_LIKENESS_FOUND if notices else _MIN_LIKENESS
    near = get_close_matches(word, (each for each in oftener if _is_slip(word, each)), cutoff=least_likeness)
    return max(near, key=lambda each: (SequenceMatcher(None, each, word).ratio(), known[each]), default=None)


def _is_slip(word: str, intended: str) -> bool:
    """Whether one letter is wrong, missing, or too many, or two are swapped. With more, a rare word is taken for another one."""
    start = _count_alike(word, intended)
    end = _count_alike(word[start:][::-1], intended[start:][::-1])
    wrong, right = word[start : len(word) - end], intended[start : len(intended) - end]
    return max(len(wrong), len(right)) <= 1 or (len(wrong) == 2 and wrong == right[::-1])


def _count_alike(word: str, other: str) -> int:
    """How many letters both begin with."""
    return sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], zip(word, other, strict=False)))


def with_words(text: str, replaced: Mapping[str, str]) -> str:
    """A text with some of its words, as they are typed, replaced."""
    return _TOKEN.sub(lambda found: replaced.get(found.group(), found.group()), text)


def parse(text: str) -> Question:
    # PostgreSQL takes each dash for another "not", and of a hundred it says that its stack is too small.
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
    number = whole if is_number and _may_be_number(whole := number_key(text)) else ""
    return Question(
        text=either or _either(kept, excluded),
        words=" ".join(_SPELLED_OUT["IT"] if token == "IT" else token.strip('"') for token in kept),
        agencies=tuple(
            [token for token in plain if _ABBREVIATION.fullmatch(token)] + _SERVICE.findall(" ".join(plain).upper()),
        ),
        topic=" ".join(_spell_out(token.strip('"')) for token in _topic([token for token in kept if token not in codes])),
        required=either or _either([*phrases, *codes], []),
        excluded=" or ".join(token[1:] for token in excluded),
        is_open=bool(plain) and not has_or and len(number) < _FEWEST_IN_WHOLE_NUMBER,
        number=number,
        numbers=() if has_or else tuple(_numbers_in(kept)),
    )


def _either(tokens: list[str], excluded: list[str]) -> str:
    """All tokens and none of the excluded ones, with each set-aside as people or as SAM.gov write it."""
    is_spelled = sum(token.lower() in _SET_ASIDES for token in tokens) <= _MAX_SET_ASIDES
    each = [(token, *(_SET_ASIDES.get(token.lower(), ()) if is_spelled else ())) for token in tokens]
    return " or ".join(" ".join([*all_of_them, *excluded]) for all_of_them in product(*each))


def _spell_out(token: str) -> str:
    return " ".join((token, *(_SPELLED_OUT[part] for part in token.split("/") if part in _SPELLED_OUT)))


def is_named(agency: str, question: Question) -> bool:
    """Whether a search names an agency, whose name or code this is: by its initials, as CDC, by a part of its code, as in HHS-CDC, or a
    military service by its name."""
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
    """In capitals it is always meant as a condition; otherwise only between single words or phrases, as in `roof or gutter`."""
    is_list = len(tokens) % 2 == 1 and all(_is_or(token) for token in tokens[1::2])
    return any(_is_or(token) for token in tokens[1:-1]) and (is_list or "OR" in tokens[1:-1])


def _is_or(token: str) -> bool:
    return token.lower() == "or"


def _numbers_in(tokens: list[str]) -> dict[str, None]:
    """Every run of neighboring words that may be a number: people type `W912DY 25 R 0015`."""
    runs = (
        tokens[start:end] for start in range(len(tokens)) for end in range(start + 1, min(start + _MAX_PARTS, len(tokens)) + 1)
    )
    return dict.fromkeys(key for run in runs if _may_be_number(key := number_key("".join(run))))


def _may_be_number(key: str) -> bool:
    return _FEWEST_IN_NUMBER <= len(key) <= _MAX_IN_NUMBER and any(character.isdigit() for character in key)

"""What somebody typed to search notices: words that need not all occur, conditions that must hold, and solicitation numbers.

Quotes, minus, OR, NAICS codes, and set-asides are conditions, as `websearch_to_tsquery` of PostgreSQL reads them. Plain words are not,
nor is the "or" of a sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fundwright.language.protocols import Vectors

_TOKEN = re.compile(r'-?"[^"]*"?|\S+')
_NOT_OF_A_KEY = re.compile(r"[^A-Z0-9]")
_WORD = re.compile(r"[a-zA-Z]{4,}")
_FEWEST_IN_NUMBER, _MOST_IN_NUMBER = 5, 40
_FEWEST_IN_WHOLE_NUMBER = 8
"""Something shorter, such as CH-47F, may as well be the name of a thing."""
_MOST_PARTS = 5
_CODE = re.compile(r"[1-9]\d{5}|(ed)?wosb|sdvosbc?|hubzone", re.IGNORECASE)
"""A NAICS code or a set-aside. A notice that is merely like it is of no use."""


@dataclass(frozen=True)
class Meaning:
    """The embedding of a search by a model."""

    model_id: str
    vector: Vectors


@dataclass(frozen=True)
class Question:
    """A search as it is carried out."""

    text: str
    """What a notice must have to match without a doubt, to be read by `websearch_to_tsquery`."""
    words: str
    """The words to rank by, without signs and without excluded ones."""
    topic: str
    """Of these, the words with a meaning: all but codes."""
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


def number_key(text: str) -> str:
    """A solicitation number without case, dashes, and spaces, as the column `number_key` has it."""
    return _NOT_OF_A_KEY.sub("", text.upper())


def parse(text: str) -> Question:
    tokens = _TOKEN.findall(text)
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
        text=either or " ".join([*kept, *excluded]),
        words=" ".join(token.strip('"') for token in kept),
        topic=" ".join(token.strip('"') for token in kept if token not in codes),
        required=either or " ".join([*phrases, *codes]),
        excluded=" or ".join(token[1:] for token in excluded),
        is_open=bool(plain) and not has_or and len(number) < _FEWEST_IN_WHOLE_NUMBER,
        number=number,
        numbers=() if has_or else tuple(_numbers_in(kept)),
    )


def _has_or(tokens: list[str]) -> bool:
    """In capitals it is always meant as a condition; otherwise only between single words or phrases, as in `roof or gutter`."""
    is_list = len(tokens) % 2 == 1 and all(_is_or(token) for token in tokens[1::2])
    return any(_is_or(token) for token in tokens[1:-1]) and (is_list or "OR" in tokens[1:-1])


def _is_or(token: str) -> bool:
    return token.lower() == "or"


def _numbers_in(tokens: list[str]) -> dict[str, None]:
    """Every run of neighboring words that may be a number: people type `W912DY 25 R 0015`."""
    runs = (
        tokens[start:end] for start in range(len(tokens)) for end in range(start + 1, min(start + _MOST_PARTS, len(tokens)) + 1)
    )
    return dict.fromkeys(key for run in runs if _may_be_number(key := number_key("".join(run))))


def _may_be_number(key: str) -> bool:
    return _FEWEST_IN_NUMBER <= len(key) <= _MOST_IN_NUMBER and any(character.isdigit() for character in key)

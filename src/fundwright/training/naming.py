"""What a question names, such as a place, a project, or a customer, and which statements are about it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_TYPED = re.compile(r"(?<!\S)[^\W\d_][\w’'-]*")
_LETTERS = 4
"""Shorter words are no names, unless they begin with a capital within the question."""
_NAME = r"[A-ZÄÖÜÉ](?=[\w’'-]*[a-zäöüßé])[\w’'-]{2,30}"
_NAMED = re.compile(rf"(?<=[\w,] ){_NAME}")
"""A word with a capital within a sentence. Abbreviations are not meant."""
_NAMED_IN_PROSE = re.compile(rf"(?<=[a-zäöüßé,] ){_NAME}")
"""The same in a text with headings, each word of which may have a capital."""
_CAPITALIZES_NOUNS = re.compile(r"\b(?:wie|wer|wann|welche\w*|haben|ist|sind|wir|unser\w*|das|für)\b", re.IGNORECASE)
"""Of a German question, in which every noun has a capital."""
_MAX_NAMES = 10


@dataclass(frozen=True)
class Names:
    """The words of names in a question, in lower case."""

    weights: Mapping[str, float]
    """What each is worth, 1 in all: a rare one is worth more. Empty when the question names nothing."""

    def share(self, words: frozenset[str]) -> float:
        """How much of the names is among these words, in 0..1."""
        return sum(weight for name, weight in self.weights.items() if name in words) if self.weights else 1.0


def words_of(text: str) -> frozenset[str]:
    """In lower case."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


def capitalized_in(question: str) -> list[str]:
    """The first few words of names, in lower case."""
    if _CAPITALIZES_NOUNS.search(question):
        return []
    long = [word for word in _TYPED.findall(question) if len(word) >= _LETTERS]
    if all(word[0].isupper() for word in long):
        return []  # each word has a capital, as in a title
    return list(dict.fromkeys(_bare(word) for word in _NAMED.findall(question)))[:_MAX_NAMES]


def weighed(names: Sequence[str], texts: Sequence[frozenset[str]]) -> Names:
    """The names with weights by how many of the texts have them."""
    weights = {name: math.log1p((len(texts) + 1) / (sum(name in text for text in texts) + 0.5)) for name in names}
    whole = sum(weights.values())
    return Names({name: weight / whole for name, weight in weights.items()})


def names_in(question: str, texts: Sequence[str]) -> list[str]:
    """The words of names in a question about these texts. Of its first word, and of all when it is typed without capitals, those are names
    that have a capital wherever they occur in the texts."""
    found = capitalized_in(question)
    typed = _TYPED.findall(question)
    unsure = [_bare(word) for word in (typed if question.islower() else typed[:1]) if len(word) >= _LETTERS]
    if _CAPITALIZES_NOUNS.search(question) or not unsure:
        return found
    capitalized = {_bare(word) for text in texts for word in _NAMED_IN_PROSE.findall(text)}
    others = {word for text in texts for word in _WORD.findall(text) if word.islower()}
    return list(dict.fromkeys([*(word for word in unsure if word in capitalized - others), *found]))[:_MAX_NAMES]


def _bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word).casefold()

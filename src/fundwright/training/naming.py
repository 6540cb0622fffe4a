"""Finds the names in a question, such as a place, a project, or a customer, and rates which statements are about them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_TYPED = re.compile(r"(?<!\S)[^\W\d_][\w’'-]*")
_LETTERS = 4
"""Shorter words are not names, unless they are capitalized within the question."""
_NAME = r"[A-ZÄÖÜÉ](?=[\w’'-]*[a-zäöüßé])[\w’'-]{2,30}"
_NAMED = re.compile(rf"(?<=[\w,] ){_NAME}(?![\w’'-]| \S*\d)")
"""A capitalized word within a sentence, other than an abbreviation or the beginning of an identifier, such as “Gauge 061.”"""
_NAMED_IN_PROSE = re.compile(rf"(?<=[a-zäöüßé,] ){_NAME}")
"""The same in a text with headings, whose words may all be capitalized."""
_CAPITALIZES_NOUNS = re.compile(r"\b(?:wie|wer|wann|welche\w*|haben|ist|sind|wir|unser\w*|das|für)\b", re.IGNORECASE)
"""Words of a German question, in which every noun is capitalized."""
_MAX_NAMES = 10
_FORMS = {"navy": "naval", "naval": "navy", "marines": "marine", "veterans": "va"}
"""Other words for a name: the customer of a contract “for the Navy” is the Naval Supply Systems Command."""


@dataclass(frozen=True)
class Names:
    """The words of names in a question, in lower case."""

    weights: Mapping[str, float]
    """The weight of each word; the sum is 1, and rare words weigh more. Empty if the question contains no names."""

    def share(self, words: frozenset[str]) -> float:
        """Return the weighted fraction of the names that is among these words (0..1)."""
        return sum(weight for name, weight in self.weights.items() if _has(name, words)) if self.weights else 1.0


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


def capitalized_in(question: str) -> list[str]:
    """Return the first few words of names, in lower case."""
    if _CAPITALIZES_NOUNS.search(question):
        return []
    long = [word for word in _TYPED.findall(question) if len(word) >= _LETTERS]
    if all(word[0].isupper() for word in long):
        return []  # every word is capitalized, as in a title
    return list(dict.fromkeys(_bare(word) for word in _NAMED.findall(question)))[:_MAX_NAMES]


def weighed(names: Sequence[str], texts: Sequence[frozenset[str]]) -> Names:
    """Weight the names by how many of the texts contain them."""
    weights = {name: math.log1p((len(texts) + 1) / (sum(_has(name, text) for text in texts) + 0.5)) for name in names}
    total = sum(weights.values())
    return Names({name: weight / total for name, weight in weights.items()})


def names_in(question: str, texts: Sequence[str]) -> list[str]:
    """Return the words of names in a question about these texts.

    The first word of the question, and every word if it is typed in lower case, counts as a name only if the texts always
    capitalize it.
    """
    found = capitalized_in(question)
    typed = _TYPED.findall(question)
    unsure = [_bare(word) for word in (typed if question.islower() else typed[:1]) if len(word) >= _LETTERS]
    if _CAPITALIZES_NOUNS.search(question) or not unsure:
        return found
    capitalized = {_bare(word) for text in texts for word in _NAMED_IN_PROSE.findall(text)}
    others = {word for text in texts for word in _WORD.findall(text) if word.islower()}
    return list(dict.fromkeys([*(word for word in unsure if word in capitalized - others), *found]))[:_MAX_NAMES]


def _has(name: str, words: frozenset[str]) -> bool:
    return name in words or _FORMS.get(name) in words


def _bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word).casefold()

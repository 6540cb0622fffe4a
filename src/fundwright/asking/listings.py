"""Recognizes questions that ask for a list, such as “What certifications do we hold?”, and the headings and labels that name it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fundwright.reading.topics import Topic, topics_of

_WORD = re.compile(r"[^\W_]+")
_ASKS = frozenset(("what", "which", "list", "name", "show", "welche", "welchen", "was", "quels", "quelles", "quel", "quelle"))
_FILLERS = frozenset(
    [
        *("are", "is", "all", "any", "of", "our", "us", "me", "the", "your", "kind", "kinds", "type", "types", "sort", "sorts"),
        *("sind", "unsere", "unseren", "die", "der", "sont", "nos", "les", "des", "de"),
    ]
)
_VERBS = frozenset(
    ("do", "does", "did", "have", "has", "can", "haben", "halten", "besitzen", "bieten", "avons", "offrons", "détenons")
)
_WE = frozenset(("we", "i", "you", "wir", "ich", "nous"))
_OURS = frozenset(("our", "your", "unsere", "unseren", "nos"))
_ORGANIZATION = re.compile(r"(?:our|the|this) (?:company|firm|organi[sz]ation|business|team|agency|lab|institute)\b")
_JOINING = frozenset(("and", "or", "und", "oder", "et", "ou"))
_GENERAL = frozenset(
    [
        *(
            "state",
            "current",
            "active",
            "valid",
            "professional",
            "official",
            "main",
            "key",
            "core",
            "primary",
            "major",
            "different",
        ),
        *("business", "company", "corporate", "organizational", "other", "special", "wichtigsten", "principales", "principaux"),
    ]
)
"""Words that a heading need not repeat: a list of licenses includes state licenses."""
_NUMBERS = frozenset(("no", "nos", "numbe", "id", "nr"))
"""Words that make a label, such as “Grant no.”, name a single number."""
_MAX_WORDS, _MAX_KEYWORDS, _MAX_AFTER = 6, 3, 3
_STEM = 5
_ALIKE = {
    "crede": "certi",
    "accre": "certi",
    "zerti": "certi",
    "akkre": "certi",
    "accré": "certi",
    "lizen": "licen",
    "diffé": "diffe",
}
_SECTIONS = frozenset((Topic.CAPABILITIES, Topic.DIFFERENTIATORS, Topic.FACILITIES))
"""Sections whose headings vary: what sets us apart may be under “Why Palisade.”"""


@dataclass(frozen=True, slots=True)
class RequestedList:
    """`nouns` contains the stems of what is asked for, each with those of the words before it; `topics` contains the sections that
    it may be."""

    nouns: tuple[tuple[str, frozenset[str]], ...]
    topics: frozenset[Topic]

    def is_named_by(self, heading: str, listed: str) -> bool:
        """Whether a heading or label names the list. Words before the noun may also be in the listed text."""
        named = _stems(heading)
        everything = named | _stems(listed)
        is_noun = not named & _NUMBERS and any(noun in named and before <= everything for noun, before in self.nouns)
        return is_noun or bool(self.topics & topics_of(heading).keys())


def requested_list(question: str) -> RequestedList | None:
    """Return the list that a question asks for, if it asks for one of ours, not for one of a person or customer."""
    words = _WORD.findall(question.casefold())
    is_asking = bool(words) and words[0] in _ASKS
    verb = next((place for place, word in enumerate(words) if place and word in _VERBS), len(words))
    after = words[verb + 1 :]
    if after:
        organization = _ORGANIZATION.match(" ".join(after))
        subject = len(organization[0].split()) if organization else int(after[0] in _WE)
        if not is_asking or not subject or len(after) - subject > _MAX_AFTER:
            return None
    elif not (is_asking and (_OURS & set(words) or words[0] in ("list", "name", "show"))) and len(words) > _MAX_KEYWORDS:
        return None
    named = [word for word in words[is_asking:verb] if word not in _FILLERS]
    if not 1 <= len(named) <= _MAX_WORDS:
        return None
    nouns = list(_nouns(named))
    general = [word for word in named if word not in _GENERAL]
    return RequestedList(tuple(nouns), _SECTIONS & (topics_of(general[0]).keys() if len(general) == 1 else frozenset()))


def _nouns(words: list[str]) -> list[tuple[str, frozenset[str]]]:
    """Split the nouns: “boats and survey vehicles” are two."""
    found: list[tuple[str, frozenset[str]]] = []
    before: list[str] = []
    for word, after in zip(words, [*words[1:], "and"], strict=True):
        if word in _JOINING:
            continue
        if after in _JOINING:
            found.append((_stem(word), frozenset(_stem(each) for each in before if each not in _GENERAL)))
            before = []
        else:
            before.append(word)
    return found


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _WORD.findall(text.casefold()))


def _stem(word: str) -> str:
    return _ALIKE.get(word[:_STEM], word[:_STEM])

"""Facts that documents state in a fixed form: a value, and the passage that has it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fundwright.language.protocols import NumberedPassage
from fundwright.language.topics import Topic, topics_of

PHONE = re.compile(r"\(?\b\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b|\+\d{1,3}[ \d]{7,14}")
EMAIL = re.compile(r"\S@\S{2,60}\.\w{2}")


@dataclass(frozen=True, slots=True)
class Fact:
    """Text from the passage with this number."""

    text: str
    number: int
    label: str = ""


def is_about(passage: NumberedPassage, topic: Topic) -> bool:
    """Whether a heading above the passage names the topic."""
    return any(topic in topics_of(part) for part in passage.heading)


_SMALL_WORDS = frozenset(("a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"))
_LONGEST_ACRONYM = 3
_IN_CAPITALS = re.compile(r"\b[A-Z]{4,6}\b")


def without_capitals(text: str, around: str = "") -> str:
    """Return “Project Manager” for “PROJECT MANAGER”, for use in a table. Short words are assumed to be acronyms. Codes are kept,
    and so are capitalized words within mixed-case lines of the surrounding text."""
    words = text.split()
    if not text.isupper() or sum(len(word) > _LONGEST_ACRONYM for word in words) < 2:
        return text
    acronyms = {word for line in around.splitlines() if not line.isupper() for word in _IN_CAPITALS.findall(line)}
    small = [
        word.lower()
        if place and word.lower() in _SMALL_WORDS
        else word.capitalize()
        if len(bare := word.strip(",.")) > _LONGEST_ACRONYM and bare.isalpha() and bare not in acronyms
        else word
        for place, word in enumerate(words)
    ]
    return " ".join(small)

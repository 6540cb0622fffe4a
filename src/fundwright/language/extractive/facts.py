"""What documents state in a fixed form: a value with the passage it stands in."""

from __future__ import annotations

from dataclasses import dataclass

from fundwright.language.protocols import NumberedPassage
from fundwright.language.topics import Topic, topics_of


@dataclass(frozen=True, slots=True)
class Fact:
    """Words of the passage with this number."""

    text: str
    number: int
    label: str = ""


def is_about(passage: NumberedPassage, topic: Topic) -> bool:
    """Whether a heading above the passage names the topic."""
    return any(topic in topics_of(part) for part in passage.heading.split(" › "))

"""Types of language: the models in use, and paths of headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, PlainSerializer

_REPEATED_SHARE, _MIN_TITLE_WORDS = 0.7, 3
"""A heading repeats a title if it has this share of its words from it, and at least this many words, because “Past performance” may also
be a section of a document with these words in its title."""


def heading_text(path: Sequence[str]) -> str:
    """Return the headings as one text, for people and models."""
    return " › ".join(path)


def nearest_heading(path: Sequence[str]) -> str:
    """Return the last heading above a text, or "" if there is none."""
    return path[-1] if path else ""


def headings_below(title: str, path: Sequence[str]) -> tuple[str, ...]:
    """Return the headings without those at the beginning that repeat the title of the document."""
    known = _words(title)
    place = next((place for place, heading in enumerate(path) if not _repeats(_words(heading), known)), len(path))
    return tuple(path[place:])


def _repeats(words: Sequence[str], title: Sequence[str]) -> bool:
    known = set(title)
    is_named = bool(words) and title[-len(words) :] == words  # “Résumé Tomas Okafor”
    return is_named or (len(words) >= _MIN_TITLE_WORDS and sum(word in known for word in words) >= _REPEATED_SHARE * len(words))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


HeadingPath = Annotated[tuple[str, ...], PlainSerializer(heading_text, return_type=str, when_used="json")]
"""The headings above a text, outermost first; a single text in JSON."""


class ModelsInUse(BaseModel):
    """The models in use. `embedder_id` and `embedder_dimension` are null until the model has been loaded."""

    model_config = ConfigDict(frozen=True)

    embedder_label: str
    embedder_id: str | None
    embedder_dimension: int | None
    writer_label: str
    is_generative: bool

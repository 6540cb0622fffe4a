"""Titles of documents: one line that people can see, from the document itself if it has a good one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fundwright.core.errors import Invalid
from fundwright.core.messages import t
from fundwright.core.visible import visible_line
from fundwright.reading.capitals import capitalized, title_of_words, without_capitals
from fundwright.reading.topics import topic_of

MAX_TITLE_CHARACTERS = 200
_LONGEST_PROPOSED = 120
_MIN_WORDS, _MIN_SHARE_OF_LETTERS = 2, 0.7
_WORDS_OF_PART = 3
"""A heading of at most this many words that names a topic, such as “Core competencies”, is the title of a part."""
_BEFORE_TITLE, _WORDS_BEFORE_TITLE = 2, 12
"""The number of blocks, such as the date or a running head, that may precede a heading which is a title, and of their words."""
_NO_TITLE = re.compile(
    r"(?:\d+\.?\s*)?(?:untitled|unbenannt|sans titre|(?:table of )?contents|inhalt(?:sverzeichnis)?|table des matières|sommaire|(?:new |neues )?(?:document|dokument|"
    r"presentation|präsentation|draft|entwurf|template|vorlage|modèle)(?: ?\d+)?|introduction|einleitung|(?:executive )?summary|abstract|overview|background|cover page|"
    r"title page|for internal use.*|(?:strictly )?confidential.*|to whom it may concern|dear .*|microsoft (?:word|excel|powerpoint).*|page \d.*|.*\.\w{2,4})\W*",
    re.IGNORECASE,
)
"""Names of templates, parts, and files."""


def visible_title(title: str, *, is_filename: bool = False) -> str:
    """Return the title in one line, without hidden characters, and shortened. Raises Invalid if nothing of it is visible; with
    `is_filename`, the message asks the person to rename the file."""
    line = visible_line(title, most=MAX_TITLE_CHARACTERS)
    if not line:
        raise Invalid(
            t("The file name has no visible characters. Rename the file and add it again.")
            if is_filename
            else t("The title has no visible characters. Enter another title.")
        )
    return line


def title_of_file(filename: str) -> str:
    """Return the title of a document until it has been read, with abbreviations as they are usually written, and capitals."""
    return capitalized(title_of_words(filename.rpartition(".")[0].replace("_", " "))) or filename


def propose(blocks: Sequence[tuple[str, bool]], *, metadata: str = "") -> str:
    """Return the heading at the beginning of a document, or else the title in its metadata; "" if neither is a good title. One in
    capitals is in title case. `blocks` have a text and whether it is a heading."""
    beginning = blocks[: _BEFORE_TITLE + 1]
    place = next((place for place, (_, is_heading) in enumerate(beginning) if is_heading), None)
    is_first = place is not None and sum(len(text.split()) for text, _ in beginning[:place]) <= _WORDS_BEFORE_TITLE
    headings = [beginning[place][0]] if place is not None and is_first else []
    lines = (visible_line(each, most=MAX_TITLE_CHARACTERS) for each in (*headings, metadata))
    return title_of_words(without_capitals(next(filter(_is_title, lines), "")))


def _is_title(line: str) -> bool:
    letters = sum(character.isalpha() or character == " " for character in line)
    return (
        len(line) <= _LONGEST_PROPOSED
        and len(re.findall(r"[^\W\d_]{2,}", line)) >= _MIN_WORDS
        and letters >= _MIN_SHARE_OF_LETTERS * len(line)
        and not line.endswith((":", ";", ",", "|"))
        and not _NO_TITLE.fullmatch(line)
        and not (topic_of(line) and len(line.split()) <= _WORDS_OF_PART)
    )

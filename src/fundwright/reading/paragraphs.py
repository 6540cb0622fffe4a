"""Finds paragraphs and headings in lines of text without markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import repeat

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.document import Heading, PageBox, Paragraph, runs_of
from fundwright.reading.placed import around

_NUMBERED_HEADING = re.compile(
    r"\s{0,3}(?:(\d{1,2}(?:\.\d{1,2}){0,4})\.?|(?:section|part|attachment)\s+[\dIVXA-Z]{1,5}[.:]?)\s+[A-Z].{2,90}$", re.IGNORECASE
)
_LIST_ITEM = re.compile(r"\s*(?:[-*•–▪●○■□☐☑☒➢❖❑✓✗→§]|\(?[a-z0-9]{1,3}[.)])\s+")
# Matching blocks the whole process, so no pattern may retry a long run of characters from each of them: patterns start at the
# beginning of a run, and possessive quantifiers prevent backtracking.
_HYPHENATED_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]++)-[ \t]*\n[ \t]*([^\W_]+)|(?<=[\d/])-[ \t]*\n[ \t]*(?=\d)")
_WHOLE_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?!-\s*$)\b")


def words_of(lines: Iterable[str]) -> frozenset[str]:
    """Return every word that is complete in a line, in lower case."""
    return frozenset(word for line in lines for word in _WHOLE_WORD.findall(line.casefold()))


def _rejoin_hyphenated(text: str, words: frozenset[str]) -> str:
    """Rejoin words that are hyphenated at the end of a line: “develop-/ment” if it occurs unhyphenated elsewhere, and “cost-/plus”."""

    def join(match: re.Match[str]) -> str:
        first, second = match.group(1), match.group(2)
        if first is None:
            return "-"
        return first + second if f"{first}{second}".casefold() in words else f"{first}-{second}"

    return _HYPHENATED_WORD.sub(join, text)


def paragraphs(
    lines: Sequence[str],
    words: frozenset[str],
    *,
    page: int | None = None,
    boxes: Sequence[PageBox] = (),
    are_items: bool = False,
) -> list[Heading | Paragraph]:
    """Return paragraphs of text without markup. A single short line that is numbered or in capitals is a heading, unless the lines are items of a
    list. `boxes` are those of the lines, if they are known."""
    blocks: list[Heading | Paragraph] = []
    paragraph: list[tuple[str, PageBox | None]] = []

    def flush() -> None:
        if paragraph:
            text = _rejoin_hyphenated("\n".join(line for line, _ in paragraph), words)
            known = [box for _, box in paragraph if box is not None]
            blocks.append(Paragraph(runs_of(text)[0], page, around(known) if known else None))
            paragraph.clear()

    for line, box in zip((line.rstrip() for line in lines), boxes or repeat(None), strict=False):
        report_progress()
        level = None if are_items else _plain_heading_level(line)
        if not line.strip() or level:
            flush()
        if level:
            blocks.append(Heading(runs_of(line.strip())[0], level, page, box))
        elif line.strip():
            if _LIST_ITEM.match(line):
                flush()
            paragraph.append((line, box))
    flush()
    return blocks


def _plain_heading_level(line: str) -> int | None:
    text = line.strip()
    words = text.split()
    if not 1 <= len(words) <= 14 or text.endswith((".", ",", ";")) or "...." in text:
        return None
    numbered = _NUMBERED_HEADING.match(line)
    if numbered:
        if not any(word[0].isupper() for word in words[1:]):
            return None
        return 1 + (numbered.group(1) or "").count(".")
    letters = sum(character.isalpha() for character in text)
    return 1 if text.isupper() and letters >= 6 and letters > len(text) * 0.6 else None

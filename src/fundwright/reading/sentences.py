"""Finds sentence boundaries in English, German, and French prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

_END = re.compile(
    r"[.!?…](?!(?<=\b[Nn]o\.)\s+\d[\w-]{0,20}(?:[),;.]|$))[\"”’')\]]*(?=\s+[\"“‘'(\[]?[A-ZÄÖÜÀÂÇÉÈÊÎÔ0-9•–-])|\n[ \t]*\n|\n(?=[ \t]*(?:[-*•–]|\d+[.)])[ \t])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|Sr|Jr|St|No|Nos|vs|etc|Inc|Ltd|Co|Corp|Fig|Figs|Sec|Art|Vol|pp|al|approx|dept|Dept|Gov|Gen|"
    r"Col|Sgt|Nr|bzw|ca|usw|Abs|Abb|z\.\s?B|d\.\s?h|i\.e|e\.g|cf|p\.\s?ex|U\.S|D\.C|Ph\.D|M\.D|(?:cert|contract|lic|reg|item|serial)\. no"
    r"|(?:cert|lic|reg|contract|item|serial|model|part) nos?)|(?<!°)\b[A-Z]|^\s*\d{1,3})\.$"
)
_ENDS = re.compile(r"[.!?;,…][\"”’')\]]{0,2}$")
_LINE = re.compile(r"[^\n]+")


def spans_of(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each sentence, without surrounding whitespace."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if match.group().startswith("\n") or not _ABBREVIATION.search(text[max(start, match.end() - 12) : match.end()]):
            _add(spans, text, start, match.end())
            start = match.end()
    _add(spans, text, start, len(text))
    return spans


def sentences_of(text: str) -> list[str]:
    return [text[start:end] for start, end in spans_of(text)]


def divided(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each sentence of a part of a text. Lines of which none ends with a full stop are a list."""
    lines = [line.span() for line in _LINE.finditer(text, start, end)]
    is_list = len(lines) > 1 and not any(_ENDS.search(text[first:last].rstrip()) for first, last in lines)
    for first, last in lines if is_list else [(start, end)]:
        for begin, stop in spans_of(text[first:last]):
            yield first + begin, first + stop


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    stripped = part.strip()
    if stripped:
        spans.append((start + left, start + left + len(stripped)))

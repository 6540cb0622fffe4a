"""Separates two columns of prose that were pasted side by side, and puts one below the other.

A table has cells; a column of prose has sentences that continue on the next line, so that many of its lines begin in lower case.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_GAP = re.compile(r" {3,80}(?=\S)")
_MIN_LINES, _MIN_COLUMN = 8, 20
_MIN_SHARE, _MIN_RUNNING, _MIN_WORDS = 0.4, 3, 2.5


def stack_columns(lines: Sequence[str]) -> list[str]:
    """Return the lines, with the text of a second column after that of the first."""
    starts = Counter(gap.end() for line in lines for gap in _GAP.finditer(line) if gap.end() >= _MIN_COLUMN)
    if not starts:
        return list(lines)
    start, count = max(starts.items(), key=lambda item: item[1])
    if count < _MIN_LINES:
        return list(lines)
    places = [place for place, line in enumerate(lines) if _is_beside(line, start)]
    first, last = places[0], places[-1]
    # Text above or across both columns belongs to neither.
    last = next((place for place in range(first, last) if _is_across(lines[place], start)), last + 1)
    left = [line[:start].rstrip() for line in lines[first:last]]
    right = [line[start:].rstrip() for line in lines[first:last]]
    while last < len(lines) and lines[last].strip() and len(lines[last]) < start and not lines[last].startswith(" "):
        left.append(lines[last].rstrip())
        last += 1
    if not (is_prose(left) and is_prose(right, least_running=1)):
        return list(lines)
    return [*lines[:first], *left, "", *right, "", *lines[last:]]


def _is_beside(line: str, start: int) -> bool:
    return len(line) > start and line[start] != " " and not line[start - 3 : start].strip()


def _is_across(line: str, start: int) -> bool:
    return len(line) > start and bool(line[start - 3 : start].strip())


def is_prose(column: Sequence[str], *, least_running: int = _MIN_RUNNING) -> bool:
    """Whether lines are sentences that continue on the next line, and not cells of a table."""
    filled = [line.strip() for line in column if line.strip()]
    if len(filled) < _MIN_LINES * _MIN_SHARE:
        return False
    running = sum(line[0].islower() for line in filled)
    words = sum(len(line.split()) for line in filled) / len(filled)
    cut = sum(bool(_GAP.search(line)) for line in filled)
    return running >= least_running and words >= _MIN_WORDS and cut <= len(filled) / 5

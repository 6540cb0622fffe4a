"""Citations in a draft's text, whose numbers are checked while the text is streamed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

CITATION = re.compile(r"\[([0-9]{1,4}(?:\s*[,;]\s*[0-9]{1,4})*)\]")
# Possible citations, including nested brackets: if only the inner ones were removed, the outer ones could close around a
# number that was not checked. Possessive quantifiers match a run only once; retrying from each of its characters would
# take quadratic time.
_BRACKETED = re.compile(r"(?<!\s)(?P<space>\s*+)\[(?P<numbers>[0-9\s,;\[]*+)(?P<end>\]?)")
# The same, with emphasis markers, which writers leave out.
_MARK = re.compile(r"(?<!\s)(?P<space>\s*+)\[(?P<inner>[0-9\s,;–*_\\\[\]-]*+)")
_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,4}(?![0-9])")


class CitationStream:
    """Renumbers the writer's citations while the text arrives in pieces.

    `renumber(n)` returns the draft's number for the writer's passage n, or None if there is no such passage. Citations of missing
    passages are removed and counted in `dropped`. A citation that is split between pieces is held back until it is complete.
    """

    def __init__(self, renumber: Callable[[int], int | None]) -> None:
        self._renumber = renumber
        self._held = ""
        self.dropped = 0

    def feed(self, piece: str) -> str:
        """Return the text that is ready to be shown."""
        text = self._held + piece
        unfinished = (run.start() for run in _BRACKETED.finditer(text) if run.end() == len(text) and not run["end"])
        cut = next(unfinished, len(text.rstrip()))
        self._held = text[cut:]
        return self._rewrite(text[:cut])

    def close(self) -> str:
        """Return the text that was held back at the end."""
        text, self._held = self._held, ""
        return self._rewrite(text)

    def _rewrite(self, text: str) -> str:
        return _BRACKETED.sub(self._replace, text)

    def _replace(self, run: re.Match[str]) -> str:
        written = _NUMBER.findall(run["numbers"])
        if not (written and run["end"]):
            return run.group()
        numbers = [self._renumber(int(number)) for number in written]
        self.dropped += numbers.count(None)
        kept = dict.fromkeys(number for number in numbers if number is not None)
        return run["space"] + "".join(f"[{number}]" for number in kept) if kept else ""


def without_marks(text: str) -> str:
    """Remove a document's own references, such as [12], which would cite something else in a draft."""
    return _MARK.sub(_without_mark, text)


def _without_mark(run: re.Match[str]) -> str:
    if not any(character.isdecimal() for character in run["inner"]):
        return run.group()
    inside, end, after = f"[{run['inner']}".rpartition("]")
    return (after if end else f"{run['space']}{inside}{after}").replace("[", "")


def numbers_in(text: str) -> set[int]:
    """Return the numbers that a text cites."""
    return set(count_citations(text))


def count_citations(text: str) -> Counter[int]:
    """Return how often a text cites each number."""
    counts = Counter[int]()
    for numbers, times in Counter(CITATION.findall(text)).items():  # a long text repeats few of them
        for number in _NUMBER.findall(numbers):
            counts[int(number)] += times
    return counts

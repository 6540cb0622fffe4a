"""Citations in a draft's text: their numbers are checked while the text streams in."""

from __future__ import annotations

import re
from collections.abc import Callable

CITATION = re.compile(r"\[([0-9]{1,4}(?:\s*[,;]\s*[0-9]{1,4})*)\]")
# What may become a citation, brackets in brackets included: were only the inner ones taken out, the outer ones could
# close around a number that nobody checked. A run is matched whole, never again from each of its characters, which
# would take quadratic time.
_BRACKETED = re.compile(r"(?<!\s)(?P<space>\s*+)\[(?P<numbers>[0-9\s,;\[]*+)(?P<end>\]?)")
# The same with the signs of emphasis, which writers leave out.
_MARK = re.compile(r"(?<!\s)(?P<space>\s*+)\[(?P<inner>[0-9\s,;–*_\\\[\]-]*+)")
_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,4}(?![0-9])")


class CitationStream:
    """Rewrite the writer's citations piece by piece.

    `renumber(n)` returns the draft's number for the writer's passage n, or None if there is no such passage; those are removed
    and counted in `dropped`. A citation that streaming has split is held back until it is complete.
    """

    def __init__(self, renumber: Callable[[int], int | None]) -> None:
        self._renumber = renumber
        self._held = ""
        self.dropped = 0

    def feed(self, piece: str) -> str:
        """Text that is ready to be shown."""
        text = self._held + piece
        unfinished = (run.start() for run in _BRACKETED.finditer(text) if run.end() == len(text) and not run["end"])
        cut = next(unfinished, len(text.rstrip()))
        self._held = text[cut:]
        return self._rewrite(text[:cut])

    def close(self) -> str:
        """The text that was held back at the end."""
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
    """A document's text without its own references such as [12], which would cite something else in a draft."""
    return _MARK.sub(_without_mark, text)


def _without_mark(run: re.Match[str]) -> str:
    if not any(character.isdecimal() for character in run["inner"]):
        return run.group()
    inside, end, after = f"[{run['inner']}".rpartition("]")
    return (after if end else f"{run['space']}{inside}{after}").replace("[", "")


def numbers_in(text: str) -> set[int]:
    """The numbers that a text cites."""
    return {int(number) for match in CITATION.finditer(text) for number in _NUMBER.findall(match.group(1))}

"""Compares two texts word by word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate, groupby

from fundwright.generation.schemas import DiffPiece

_WORDS = re.compile(r"\s+|[\w’'-]+|[^\w\s]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MAX_STEPS = 5_000_000
"""The maximum number of steps of a comparison, about a second. The time grows with the square of the length, and with its cube for
adversarial texts."""

_Kind = str
_Piece = tuple[_Kind, str]


def compare(old: str, new: str) -> tuple[DiffPiece, ...]:
    """Return pieces that form `old` without the added ones, and `new` without the removed ones. CPU-bound: call it in a thread.

    Text that would take too long to compare is returned as removed and added as a whole.
    """
    merged = groupby(_Comparison().by_lines(old, new), key=lambda piece: piece[0])
    return tuple(DiffPiece.model_validate({"kind": kind, "text": "".join(text for _, text in run)}) for kind, run in merged)


class _Comparison:
    def __init__(self) -> None:
        self.steps_left = _MAX_STEPS

    def by_lines(self, old: str, new: str) -> Iterator[_Piece]:
        """Compare lines first, and words only within lines that differ."""
        for same, removed, added in self._blocks(_LINES.findall(old), _LINES.findall(new)):
            if same:
                yield "same", same
            elif removed and added:
                yield from self._by_words(removed, added)
            else:
                yield ("removed", removed) if removed else ("added", added)

    def _by_words(self, old: str, new: str) -> Iterator[_Piece]:
        for same, removed, added in self._blocks(_WORDS.findall(old), _WORDS.findall(new)):
            yield from ((kind, text) for kind, text in (("same", same), ("removed", removed), ("added", added)) if text)

    def _blocks(self, before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Yield (unchanged text, removed text, added text) from beginning to end."""
        for tag, old_start, old_end, new_start, new_end in _Matcher(self, before, after).get_opcodes():
            old, new = "".join(before[old_start:old_end]), "".join(after[new_start:new_end])
            yield (old, "", "") if tag == "equal" else ("", old, new)


class _Matcher(SequenceMatcher[str]):
    """Reports no match once the comparison has used up its steps."""

    def __init__(self, comparison: _Comparison, before: Sequence[str], after: Sequence[str]) -> None:
        super().__init__(None, before, after, autojunk=False)
        self._comparison = comparison
        times = Counter(after)
        self._steps = [0, *accumulate(1 + times[part] for part in before)]

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """Searching its first `n` parts takes `_steps[n]` steps."""
        end = len(self._steps) - 1 if ahi is None else ahi
        steps = self._steps[end] - self._steps[alo]
        if steps > self._comparison.steps_left:
            return Match(alo, blo, 0)
        self._comparison.steps_left -= steps
        return super().find_longest_match(alo, ahi, blo, bhi)

"""What differs between two texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from fundwright.generation.schemas import DiffPiece

_WORDS = re.compile(r"\s+|[\w’'-]+|[^\w\s]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_COMPARISONS = 2_000_000
"""Texts with more pairs of lines than this are compared by words alone, and blocks with more pairs of words are shown as a whole:
comparing takes time with the square of their length."""

_Kind = str
_Piece = tuple[_Kind, str]


def compare(old: str, new: str) -> tuple[DiffPiece, ...]:
    """Pieces that make up `old` without the added ones, and `new` without the removed ones. CPU-bound: call it in a thread."""
    merged = groupby(_by_lines(old, new), key=lambda piece: piece[0])
    return tuple(DiffPiece.model_validate({"kind": kind, "text": "".join(text for _, text in run)}) for kind, run in merged)


def _by_lines(old: str, new: str) -> Iterator[_Piece]:
    """Lines first: words are compared only where lines differ."""
    before, after = _LINES.findall(old), _LINES.findall(new)
    for same, removed, added in _blocks(before, after):
        if same:
            yield "same", same
        elif removed and added:
            yield from _by_words(removed, added)
        else:
            yield ("removed", removed) if removed else ("added", added)


def _by_words(old: str, new: str) -> Iterator[_Piece]:
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    for same, removed, added in _blocks(before, after):
        yield from ((kind, text) for kind, text in (("same", same), ("removed", removed), ("added", added)) if text)


def _blocks(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """(what is the same, what was removed, what was added) from the beginning to the end."""
    if len(before) * len(after) > _MOST_COMPARISONS:
        yield "", "".join(before), "".join(after)
        return
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        old, new = "".join(before[old_start:old_end]), "".join(after[new_start:new_end])
        yield (old, "", "") if tag == "equal" else ("", old, new)

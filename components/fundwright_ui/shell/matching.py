"""Matching of names with typed text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def best(words: str, things: Iterable[T], name: Callable[[T], str]) -> list[T]:
    """Return the matches, best first; without text, return all in their order. Scattered characters count only if nothing else
    matches."""
    fitting = [(fit, thing) for thing in things if (fit := fit_of(words, name(thing))) is not None]
    least = min(1, max((fit for fit, _ in fitting), default=0))
    return [thing for fit, thing in sorted(fitting, key=lambda each: -each[0]) if fit >= least]


def fit_of(words: str, name: str) -> int | None:
    """3: starts with the text; 2: each word starts a word of the name; 1: each word is somewhere in it; 0: its characters
    appear in this order. None: no match."""
    wanted, text = words.casefold().strip(), name.casefold()
    if text.startswith(wanted):
        return 3
    parts, beginnings = wanted.split(), text.split()
    if all(any(beginning.startswith(part) for beginning in beginnings) for part in parts):
        return 2
    if all(part in text for part in parts):
        return 1
    letters = iter(text)
    return 0 if all(letter in letters for letter in wanted.replace(" ", "")) else None

"""How well a name fits what somebody types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def best(words: str, things: Iterable[T], name: Callable[[T], str]) -> list[T]:
    """Those that fit, best first; all of them, in their order, when nothing is typed. Scattered letters count where nothing else fits."""
    fitting = [(fit, thing) for thing in things if (fit := fit_of(words, name(thing))) is not None]
    least = min(1, max((fit for fit, _ in fitting), default=0))
    return [thing for fit, thing in sorted(fitting, key=lambda each: -each[0]) if fit >= least]


def fit_of(words: str, name: str) -> int | None:
    """3: begins so; 2: each word begins one of the name's; 1: each is somewhere; 0: the letters stand there in this order. None: no fit."""
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

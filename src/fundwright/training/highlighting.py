"""Finds the words of a passage and the hits of a search among the words of a page."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import accumulate, chain, islice

_LEAST = 5
"""A passage is on a page if so many words of it follow each other there, apart from small gaps."""
_LEAST_ALONE = 4
"""The longest part counts from so many words on, if there is no other."""
_GAP = 4
"""As many words between two parts of a passage belong to it, too, such as one that is hyphenated on the page."""
MOST_WORDS = 20_000
_MOST_PAIRS = 200_000
_MOST_HITS = 10_000
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
MOST_MARKS = 500
"""How many hits of a search are highlighted at once."""
WORD = re.compile(r"\S+")

PlacedWord = tuple[int, int, int, str]
"""A word with the number of its text, and its start and end there."""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _bare(word: str) -> str:
    """The word without punctuation around it."""
    return _ENDS.sub("", _folded(word))


@dataclass(frozen=True, slots=True)
class CitedWords:
    """The text of a passage, and where in it the statements are that are cited: all of it if there are none. `page` is the page of the first one."""

    passage: str = ""
    quotes: tuple[tuple[int, int], ...] = ()
    page: int | None = None


NOTHING_CITED = CitedWords()


def cited(words: Sequence[str], source: CitedWords) -> frozenset[int]:
    """Which of the words are cited, in the order of the passage. The words around a statement tell it from others that are equal."""
    wanted = [(found.span(), bare) for found in WORD.finditer(source.passage) if (bare := _bare(found[0]))]
    known = [(place, bare) for place, word in enumerate(words[:MOST_WORDS]) if (bare := _bare(word))]
    counts = Counter(bare for _, bare in known)
    if sum(counts[bare] for _, bare in wanted) > _MOST_PAIRS:
        return frozenset()  # the same few words again and again, for which this would take minutes
    matcher = SequenceMatcher(None, [bare for _, bare in wanted], [bare for _, bare in known], autojunk=False)
    matches = matcher.get_matching_blocks()
    found = set[int]()
    for start, end in source.quotes or ((0, len(source.passage)),):
        first, last = sum(span[1] <= start for span, _ in wanted), sum(span[0] < end for span, _ in wanted)
        for group in _long_groups(matches, first, last):
            found.update(range(known[group[0][0]][0], known[sum(group[-1]) - 1][0] + 1))
    return frozenset(found)


def words_in(texts: Sequence[str], numbers: Iterable[int]) -> list[PlacedWord]:
    """The words of the texts with these numbers."""
    words = ((number, found.start(), found.end(), found[0]) for number in numbers for found in WORD.finditer(texts[number]))
    return list(islice(words, MOST_WORDS))


def cited_in(words: Sequence[PlacedWord], source: CitedWords) -> dict[int, list[tuple[int, int]]]:
    """Where cited words that follow each other are, by the number of the text: the first character, and the one after the last."""
    found = cited([word for *_, word in words], source)
    spans = dict[int, list[tuple[int, int]]]()
    for place in sorted(found):
        number, start, end, _ = words[place]
        own = spans.setdefault(number, [])
        follows = bool(own) and place - 1 in found and words[place - 1][0] == number
        own.append((own.pop()[0] if follows else start, end))
    return spans


def _long_groups(matches: Sequence[Match], first: int, last: int) -> list[list[tuple[int, int]]]:
    """Where words from `first` to before `last` are that follow each other: the start and the size of each part of a group."""
    groups = list[list[tuple[int, int]]]()
    for wanted, start, size in matches:
        skipped = max(first - wanted, 0)
        start, size = start + skipped, min(wanted + size, last) - wanted - skipped
        if size > 0 and groups and start - sum(groups[-1][-1]) <= _GAP:
            groups[-1].append((start, size))
        elif size > 0:
            groups.append([(start, size)])
    long = [group for group in groups if _size(group) >= min(_LEAST, last - first)]
    largest = max(groups, key=_size, default=[])
    return long or ([largest] if _size(largest) >= _LEAST_ALONE else [])


def _size(group: Sequence[tuple[int, int]]) -> int:
    return sum(size for _, size in group)


def shared(words: Sequence[str], passage: str) -> int:
    """How many places of the passage, three words each, are among the words, too. Quicker than `cited`."""
    return len(_triples(words) & _triples(passage.split()))


def _triples(words: Sequence[str]) -> set[tuple[str, ...]]:
    bare = [each for word in words if (each := _bare(word))]
    return set(zip(bare, bare[1:], bare[2:], strict=False)) or {tuple(bare)}


def hits(lines: Sequence[Sequence[str]], phrase: str) -> list[tuple[int, int]]:
    """Where the phrase is in the words of the lines, ignoring case: the first and the last word of each hit, counted across all lines."""
    wanted = " ".join(_folded(phrase).split())
    if not wanted:
        return []
    folded = [[_folded(word) for word in line] for line in lines]
    text = "\n".join(" ".join(line) for line in folded)
    starts = [0, *accumulate(len(word) + 1 for word in chain.from_iterable(line or [""] for line in folded))]
    # A line without words has a place in the text, but no word.
    numbers = list(accumulate((len(line) and 1 for line in folded for _ in line or [""]), initial=0))
    found = list[tuple[int, int]]()
    place = text.find(wanted)
    while place >= 0 and len(found) < _MOST_HITS:
        end = place + len(wanted)
        found.append((numbers[bisect_right(starts, place) - 1], numbers[bisect_right(starts, end - 1) - 1]))
        place = text.find(wanted, end)
    return found


def nearest(found: Sequence[tuple[int, int]], current: int) -> list[tuple[int, tuple[int, int]]]:
    """The hits around the current one that are highlighted, with their numbers."""
    start = max(current - MOST_MARKS // 2, 0)
    return list(enumerate(found))[start : start + MOST_MARKS]

"""Finds the words of a passage and the hits of a search among the words of a page."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate, chain

_LEAST = 5
"""A passage is on a page if so many words of it follow each other there, apart from small gaps."""
_LEAST_ALONE = 4
"""The longest part counts from so many words on, if there is no other."""
_GAP = 4
"""As many words between two parts of a passage belong to it, too, such as one that is hyphenated on the page."""
_MOST_WORDS, _MOST_PAIRS = 20_000, 200_000
_MOST_HITS = 10_000
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _bare(word: str) -> str:
    """The word without punctuation around it."""
    return _ENDS.sub("", _folded(word))


def cited(words: Sequence[str], passage: str) -> frozenset[int]:
    """Which of the words are those of the passage, in its order."""
    wanted = [bare for word in passage.split() if (bare := _bare(word))]
    known = [(place, bare) for place, word in enumerate(words[:_MOST_WORDS]) if (bare := _bare(word))]
    counts = Counter(bare for _, bare in known)
    if sum(counts[bare] for bare in wanted) > _MOST_PAIRS:
        return frozenset()  # the same few words again and again, for which this would take minutes
    matcher = SequenceMatcher(None, wanted, [bare for _, bare in known], autojunk=False)
    groups = list[list[tuple[int, int]]]()
    for _, start, size in matcher.get_matching_blocks():
        if size and groups and start - sum(groups[-1][-1]) <= _GAP:
            groups[-1].append((start, size))
        elif size:
            groups.append([(start, size)])
    long = [group for group in groups if _size(group) >= min(_LEAST, len(wanted))]
    largest = max(groups, key=_size, default=[])
    found = set[int]()
    for group in long or ([largest] if _size(largest) >= _LEAST_ALONE else []):
        found.update(range(known[group[0][0]][0], known[sum(group[-1]) - 1][0] + 1))
    return frozenset(found)


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

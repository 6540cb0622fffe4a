"""Finds exponents and the marks of notes on a page of a PDF file: smaller and higher than the text beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from fundwright.reading.pdf_objects import Painted, places_at, text_of
from fundwright.reading.placed import Box
from fundwright.reading.symbols import raised

_SMALLER, _MOST_ON_PAGE = 0.8, 500
_RISE = (0.15, 0.8)
"""How much higher they stand, as shares of the size of the text beside them."""
_MOST_GAP = 0.3
"""The space between them and the text beside them, as a share of its size."""


def raised_words(page: Any, objects: Sequence[Painted], words: Sequence[tuple[str, Box]]) -> dict[int, str]:
    """The words with exponents and marks, such as “10²”, which are “102” among `words`, by their places there."""
    text_page: Any = None
    boxes = np.array([box for _, box in words]).reshape(-1, 4)
    found = dict[int, str]()
    for item, _, box in islice(_raised(objects), _MOST_ON_PAGE):
        text_page = text_page or page.get_textpage()
        text = text_of(item, text_page)
        for place in places_at(boxes, box):
            word, around = found.get(place, words[place][0]), words[place][1]
            starts = [start for start in range(len(word)) if text and word.startswith(text, start)]
            is_formula = f"{{{text}}}" in word  # in LaTeX, as liteparse writes it
            if starts and not is_formula:
                share = (box[0] - around[0]) / max(around[2] - around[0], 1.0)
                start = min(starts, key=lambda start: abs(start - share * len(word)))
                found[place] = word[:start] + ",".join(map(raised, text.split(","))) + word[start + len(text) :]
    return found


def _raised(objects: Sequence[Painted]) -> Iterator[Painted]:
    from pypdfium2 import raw

    texts = [each for each in objects if each[1] == raw.FPDF_PAGEOBJ_TEXT and each[2][0] < each[2][2]]
    for before, each, after in zip([None, *texts], texts, [*texts[1:], None], strict=False):
        if any(beside is not None and each[2][3] < beside[2][3] and _is_raised(each, beside) for beside in (before, after)):
            yield each


def _is_raised(small: Painted, beside: Painted) -> bool:
    gap = max(small[2][0] - beside[2][2], beside[2][0] - small[2][2])
    if gap <= -1:
        return False
    size, height = _size_and_height(small[0])
    usual_size, usual_height = _size_and_height(beside[0])
    rise = (height - usual_height) / usual_size
    return size < _SMALLER * usual_size and _RISE[0] < rise < _RISE[1] and gap < _MOST_GAP * usual_size


def _size_and_height(item: Any) -> tuple[float, float]:
    """The size of the type, and how high it stands."""
    from pypdfium2 import raw

    matrix, size = raw.FS_MATRIX(), raw.c_float()
    raw.FPDFPageObj_GetMatrix(item, matrix)
    raw.FPDFTextObj_GetFontSize(item, size)
    return max(size.value * math.hypot(matrix.b, matrix.d), 0.01), matrix.f

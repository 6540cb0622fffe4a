"""Finds the words of a page of a PDF file that nobody sees: those whose place looks the same when they are not painted.

They can be under a filled area, in the color of what is behind them, in a layer that is off, or in type that is not painted. Painting the page
with and without them shows all of that. It takes time, so it is done only with texts that have an area over them, that are in the color of the
area or paper below them or not painted at all, and with all texts of a file that has layers that are off.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.pdf_objects import Painted, places_at, text_of
from fundwright.reading.placed import Box, contains

_NOT_PAINTED, _STROKED, _CLIPS = (3, 7), (1, 2, 5, 6), 7
"""Modes of showing text, of the PDF standard."""
_SAME = 16
"""Colors look the same if their red, green, and blue differ by less, of 255."""
_MIN_AREA_POINTS = 4.0
"""Lower or narrower areas are rules, and hide no text."""
_MOST_CELLS, _MOST_PIXELS, _SCALE = 1_000_000, 4_000_000, 2.0
_BAND = (0.3, 0.75)
"""The part of the height of a line in which each letter and digit has ink."""
_MIN_INK = 0.1
"""The share of the width of a visible word that changes without it. Less is of its neighbors."""
_MARGIN_PIXELS = 3
_SEGMENTS_OF_LINE = 2
_PAPER = (255, 255, 255)

Color = tuple[int, int, int]
Pixels = NDArray[np.uint8]


class _Text(NamedTuple):
    raw: Any
    box: Box
    order: int
    """The number of the next area."""
    below: set[int]
    """The uppermost areas below it, by their numbers from 1, or 0 for the paper."""


class _Suspect(NamedTuple):
    """A text that may be invisible."""

    raw: Any
    box: Box
    is_invisible: bool
    """Whether this is certain without painting the page."""
    is_pictured: bool
    """Whether a picture can show what it says, such as a scan."""


def hidden_words(page: Any, objects: Sequence[Painted], words: Sequence[tuple[str, Box]], *, has_layers: bool) -> set[int]:
    """The places among `words`, which have boxes from the top left, of those that nobody sees on a page with these objects."""
    suspects, others = _suspects(page, objects, has_layers=has_layers)
    if not suspects:
        return set()
    boxes = np.array([each.box for each in suspects])
    found = {place: [suspects[each] for each in at] for place, (_, box) in enumerate(words) if (at := places_at(boxes, box))}
    uncertain = {place: (*words[place], at) for place, at in found.items() if not all(each.is_invisible for each in at)}
    hidden = found.keys() - _visible(page, uncertain, suspects)
    places = np.array([box for _, box in others]).reshape(-1, 4)
    written_over = {place: at for place in hidden if (at := places_at(places, words[place][1]))}
    if written_over:  # such as a correction, of which the parser kept the visible text
        _leave_out(suspects)  # of two equal texts, only one has characters
        text = page.get_textpage()
        hidden -= {
            place
            for place, at in written_over.items()
            if any(_is_same(text_of(others[each][0], text), words[place][0]) for each in at)
        }
    return hidden


def _visible(page: Any, words: Mapping[int, tuple[str, Box, Sequence[_Suspect]]], suspects: Sequence[_Suspect]) -> Iterator[int]:
    """Paint a page without the suspects, too. Yields the places of the words that this changes."""
    width, height = page.get_size()
    words = {place: each for place, each in words.items() if contains((0, 0, width, height), each[1])}
    if not words:
        return
    scale = min(_SCALE, math.sqrt(_MOST_PIXELS / max(width * height, 1.0)))
    around = math.ceil(_MARGIN_PIXELS / scale)
    lefts, tops, rights, bottoms = zip(*(box for _, box, _ in words.values()), strict=True)
    distances = (min(lefts), height - max(bottoms), width - max(rights), min(tops))
    crop = left, _, _, top = [max(0, math.floor(each) - around) for each in distances]
    with_them = _painted(page, scale, crop)
    _leave_out(suspects)
    without_them = _painted(page, scale, crop)
    for place, (word, box, at) in words.items():
        core = _core(word, (box[0] - left, box[1] - top, box[2] - left, box[3] - top), scale)
        before, after = with_them[core].astype(np.int16), without_them[core]
        changes = np.abs(before - after).max(axis=(0, 2), initial=0) >= _SAME
        is_picture = any(each.is_pictured for each in at) and np.ptp(before, axis=(0, 1)).max(initial=0) >= _SAME
        if is_picture or changes.sum() > _MIN_INK * changes.size:
            yield place


def _leave_out(suspects: Sequence[_Suspect]) -> None:
    from pypdfium2 import raw

    for each in suspects:
        raw.FPDFPageObj_SetIsActive(each.raw, False)


def _suspects(page: Any, objects: Sequence[Painted], *, has_layers: bool) -> tuple[list[_Suspect], list[tuple[Any, Box]]]:
    """The texts of a page that may be invisible, and the others with their boxes."""
    from pypdfium2 import raw

    width, height = page.get_size()
    scale = min(1.0, math.sqrt(_MOST_CELLS / max(width * height, 1.0)))
    uppermost = np.zeros((math.ceil(height * scale) + 1, math.ceil(width * scale) + 1), np.int32)
    colors: list[Color | None] = [_PAPER]
    texts = list[_Text]()
    for item, kind, box in objects:
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            below = _values(uppermost[_middle(box, scale)]) if len(colors) > 1 else {0}
            texts.append(_Text(item, box, len(colors), below))
        elif min(box[2] - box[0], box[3] - box[1]) >= _MIN_AREA_POINTS and (color := _color_over(item, kind)) is not None:
            left, top, right, bottom = (max(0, round(each * scale)) for each in box)
            uppermost[top:bottom, left:right] = len(colors)
            colors.append(color or None)
    suspects, others = list[_Suspect](), list[tuple[Any, Box]]()
    for each in texts:
        above = _values(uppermost[_middle(each.box, scale)]) if each.order < len(colors) else set[int]()
        over = {number for number in above if number >= each.order}
        around = {colors[number] for number in each.below | over}
        mode = raw.FPDFTextObj_GetTextRenderMode(each.raw)
        color, alpha = _color(each.raw)
        is_painted = mode not in _NOT_PAINTED and alpha > 0
        is_scan = mode in _NOT_PAINTED and not over and around == {None}
        is_like_below = any(_is_like(color, colors[number]) for number in each.below)
        if not is_scan and (has_layers or over or not is_painted or is_like_below):
            is_on_paper = not over and each.below == {0}
            is_invisible = (
                is_on_paper
                and mode != _CLIPS
                and (not is_painted or (color is not None and is_like_below and mode not in _STROKED))
            )
            suspects.append(_Suspect(each.raw, each.box, is_invisible, mode == _CLIPS or None in around))
        else:
            others.append((each.raw, each.box))
    return suspects, others


def _color_over(item: Any, kind: int) -> Color | tuple[()] | None:
    """With which color something that is no text covers what is below, or () for several. Returns None if it covers nothing. A line can be as thick as a line of
    text is high."""
    from pypdfium2 import raw

    if kind != raw.FPDF_PAGEOBJ_PATH:
        return ()
    mode, is_stroked = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(item, mode, is_stroked)
    color, alpha = _color(item)
    if mode.value != raw.FPDF_FILLMODE_NONE and alpha:
        return color or ()
    return () if is_stroked.value and raw.FPDFPath_CountSegments(item) == _SEGMENTS_OF_LINE else None


def _color(item: Any) -> tuple[Color | None, int]:
    """The color that fills a text or an area, or None for a pattern, and how opaque it is, of 255."""
    from pypdfium2 import raw

    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha):
        return None, 255
    return (red.value, green.value, blue.value), alpha.value


def _is_like(color: Color | None, other: Color | None) -> bool:
    return color is None or other is None or max(abs(one - two) for one, two in zip(color, other, strict=True)) < _SAME


def _middle(box: Box, scale: float) -> tuple[int | slice, slice]:
    """The cells on the middle of a line."""
    left, right = max(0, box[0] * scale), max(0, box[2] * scale)
    middle = round((max(0, box[1] * scale) + max(0, box[3] * scale)) / 2)
    return slice(middle, middle + 1), slice(math.floor(left), math.ceil(right) + 1)


def _values(cells: NDArray[np.int32]) -> set[int]:
    return set(cells.ravel().tolist())


def _core(word: str, box: Box, scale: float) -> tuple[slice, slice]:
    """The pixels in which a word must have ink."""
    left, top, right, bottom = (max(0.0, each * scale) for each in box)
    first, last = _BAND if any(character.isalnum() for character in word) else (0.0, 1.0)
    height = bottom - top
    return (
        slice(math.floor(top + first * height), math.ceil(top + last * height) + 1),
        slice(round(left), max(round(right), round(left) + 1)),
    )


def _painted(page: Any, scale: float, crop: Sequence[int]) -> Pixels:
    report_progress()
    return page.render(scale=scale, crop=crop, rev_byteorder=True).to_numpy()[:, :, :3]


def _is_same(text: str, word: str) -> bool:
    """Whether a text contains a word, or is a part of it."""
    return bool(text) and (word in text or text in word)

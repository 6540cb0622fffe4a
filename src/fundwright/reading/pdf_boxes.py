"""Finds the check boxes that are drawn on a page of a PDF file: squares, with a mark in them if they are checked."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import Any

from fundwright.reading.pdf_objects import Painted
from fundwright.reading.placed import Box, contains
from fundwright.reading.symbols import CHECKED, UNCHECKED

_SIDES = 5.0, 20.0
"""The least and the largest side, in points."""
_SQUARE = 0.8
"""The least ratio of the sides."""
_SEGMENTS_OF_RECTANGLE = 5
_WHITE = 250
_APART = 2.0
"""Squares that are nearer to each other, in points, are places for letters or cells."""
_BESIDE = 8.0
"""A label is at most this many times the side away."""
_MOST = 500
_MARK = re.compile(r"[xX×✓✔✕✖✗✘✚√■●]")


def drawn_boxes(objects: Sequence[Painted], words: Sequence[tuple[str, Box]]) -> tuple[list[tuple[str, Box]], dict[int, str]]:
    """The boxes as characters with their places, and the characters that replace words that are the mark in a box, by their places among the words."""
    from pypdfium2 import raw

    paths = [(item, box) for item, kind, box in objects if kind == raw.FPDF_PAGEOBJ_PATH and _longest(box) <= _SIDES[1]]
    squares = list(dict.fromkeys(box for item, box in paths if _is_square(item, box)))
    if len(squares) > _MOST:
        return [], {}
    boxes, marks = list[tuple[str, Box]](), dict[int, str]()
    for square in squares:
        inside = [
            place for place, (_, box) in enumerate(words) if contains(square, box) and _longest(box) <= 2 * _longest(square)
        ]
        is_beside_others = any(other != square and _gap(square, other) < _APART for other in squares)
        if is_beside_others or not any(_is_label(square, box) for _, box in words):
            continue
        if any(not _MARK.fullmatch(words[place][0].strip()) for place in inside):
            continue
        if inside:
            marks |= dict.fromkeys(inside[1:], "") | {inside[0]: CHECKED}
        else:
            is_checked = any(
                contains(square, box) and (box != square or raw.FPDFPath_CountSegments(item) > _SEGMENTS_OF_RECTANGLE)
                for item, box in paths
            )
            boxes.append((CHECKED if is_checked else UNCHECKED, square))
    return boxes, marks


def _longest(box: Box) -> float:
    return max(box[2] - box[0], box[3] - box[1])


def _is_square(item: Any, box: Box) -> bool:
    """Whether a path is the outline of a square."""
    from pypdfium2 import raw

    short, long = sorted((box[2] - box[0], box[3] - box[1]))
    count = raw.FPDFPath_CountSegments(item)
    if short < _SIDES[0] or short < _SQUARE * long or count < _SEGMENTS_OF_RECTANGLE - 1:
        return False
    segments = [raw.FPDFPath_GetPathSegment(item, place) for place in range(min(count, _SEGMENTS_OF_RECTANGLE))]
    if any(raw.FPDFPathSegment_GetType(each) == raw.FPDF_SEGMENT_BEZIERTO for each in segments):
        return False
    fill, stroke, colors = ctypes.c_int(), ctypes.c_int(), [ctypes.c_uint() for _ in range(4)]
    raw.FPDFPath_GetDrawMode(item, fill, stroke)
    raw.FPDFPageObj_GetFillColor(item, *colors)
    return bool(stroke.value) and (not fill.value or min(color.value for color in colors[:3]) >= _WHITE)


def _gap(one: Box, other: Box) -> float:
    """How far boxes are apart, across or down."""
    return max(one[0] - other[2], other[0] - one[2], one[1] - other[3], other[1] - one[3])


def _is_label(square: Box, word: Box) -> bool:
    """Whether a word stands beside a box, in its line."""
    middle = (square[1] + square[3]) / 2
    distance = max(word[0] - square[2], square[0] - word[2])
    return word[1] <= middle <= word[3] and 0 <= distance <= _BESIDE * _longest(square)

"""Finds check boxes that are drawn on a page, which text recognition takes for ornaments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace
from PIL import Image

from fundwright.reading.placed import Box, Line, contains

_SEARCHED_HEIGHT = 1_600
_DARK = 0.7
"""Boxes and their marks are darker than this share of the paper."""
_SIZES = 0.008, 0.03
"""The least and the largest side, as a share of the height of the page."""
_SQUARE = 0.8
"""The least ratio of the sides."""
_DRAWN = 0.8
"""So much of each side is drawn. Less of the sides of letters is."""
_INSET, _MARKED, _FILLED = 0.25, 0.06, 0.7
"""At least the second share of the middle of a box is dark if it is checked, and more than the third in a bullet."""
_BEFORE = 2.5
"""A box stands before its label by at most this many times the height of the label."""
_EMPTY, _CHECKED = "☐", "☒"
_TAKEN_FOR_BOX = re.compile(r"^[口回囗□☐☒☑](?=\W|$|[A-Za-z0-9])")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Many of these look like boxes."""


def with_drawn_boxes(lines: Iterable[Line], picture: Image.Image, *, height: float) -> list[Line]:
    """Put a character for each box before its label, in a picture that is upright, as if it was so high."""
    lines = list(lines)
    boxes = list(_boxes(picture, height))
    labels = [_label_of(box, lines) for box, _ in boxes]
    of_lines = [[box for box, label in zip(boxes, labels, strict=True) if label == number] for number in range(len(lines))]
    return [_boxed(line, boxes) if boxes else line for line, boxes in zip(lines, of_lines, strict=True)]


def _boxes(picture: Image.Image, height: float) -> Iterator[tuple[Box, str]]:
    from scipy import ndimage

    small = picture.convert("L").reduce(max(1, round(picture.height / _SEARCHED_HEIGHT)))
    light = np.asarray(small)
    dark = light < _DARK * float(np.median(light))
    labels, _ = ndimage.label(dark, np.ones((3, 3)))
    scale, (least, most) = height / small.height, (share * small.height for share in _SIZES)
    for number, place in enumerate(ndimage.find_objects(labels), 1):
        short, long = sorted(each.stop - each.start for each in place)
        if short < least or long > most or short < _SQUARE * long:
            continue
        shape, edge, inset = labels[place] == number, max(2, round(short / 8)), round(_INSET * short)
        sides = (shape[:edge].any(0), shape[-edge:].any(0), shape[:, :edge].any(1), shape[:, -edge:].any(1))
        inside = float(dark[place][inset:-inset, inset:-inset].mean())
        if min(side.mean() for side in sides) >= _DRAWN and inside <= _FILLED:
            rows, columns = place
            left, top, right, bottom = columns.start * scale, rows.start * scale, columns.stop * scale, rows.stop * scale
            yield (left, top, right, bottom), _CHECKED if inside >= _MARKED else _EMPTY


def _label_of(box: Box, lines: Sequence[Line]) -> int | None:
    """The line that a box stands in, or closely before. None if it is a letter of a word."""
    if any(contains(word.box, box) and not _TAKEN_FOR_BOX.match(word.text) for line in lines for word in line.words):
        return None
    middle = (box[1] + box[3]) / 2
    beside = [
        (max(line.box[0] - box[2], 0.0), number)
        for number, line in enumerate(lines)
        if line.box[1] <= middle <= line.box[3]
        and line.box[0] - _BEFORE * line.height <= box[0] <= line.box[2]
        and not _IDEOGRAPHS.search(_TAKEN_FOR_BOX.sub("", line.text))
    ]
    return min(beside)[1] if beside else None


def _boxed(line: Line, boxes: Sequence[tuple[Box, str]]) -> Line:
    words = [replace(word, text=_TAKEN_FOR_BOX.sub("", word.text)) for word in line.words or (line,)]
    words = [word for word in words if word.text]
    words += [Line(character, box, line.confidence) for box, character in boxes]
    words.sort(key=lambda word: word.box[0])
    left, right = min(word.box[0] for word in words), max(line.box[2], words[-1].box[2])
    return replace(
        line, text=" ".join(word.text for word in words), box=(left, line.box[1], right, line.box[3]), words=tuple(words)
    )

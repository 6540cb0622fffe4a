"""Recognizes text in pictures with the models of PP-OCRv6: one finds lines, and one reads them."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from PIL import Image

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.document import MOST_WORDS, Cell, Heading, PageBox, Paragraph, Scan, Table, Word, runs_of
from fundwright.reading.drawn_boxes import with_drawn_boxes
from fundwright.reading.from_docling import head_of
from fundwright.reading.grids import Grid, GridCell, lines_in, parts_of
from fundwright.reading.paragraphs import paragraphs
from fundwright.reading.placed import Box, Line, confidence_of
from fundwright.reading.rulings import rulings_in

_MOST_PICTURES = 40
_MOST_S = 200.0
"""So much of a document is recognized. It is read for five minutes at most, and a page takes about four seconds."""
MOST_PIXELS = 9_000_000
"""A page of 8.5 by 11 inches has 8.4 million at 300 dpi."""
_DETECTED_PIXELS, _MOST_ENLARGED = 800_000, 2.0
"""Lines are found in a smaller picture than they are read in."""
HEIGHT = 1_000.0
"""The height of each picture in the boxes of recognized lines."""
_SIDES = 32
"""The sides of a picture in which lines are found are multiples of this."""
_MIN_SIDE = 16
_IS_TEXT, _IS_LINE = 0.3, 0.5
"""The least probability of a place and of a line."""
_EXPANSION = 1.6
"""The model finds the core of lines. The area around it is this times its area, divided by its outline."""
_MOST_LINES = 1_000
_LONG = 4.0
"""Lines that are this many times as long as high show how a page is skewed."""
_MIN_SKEW = math.radians(0.2)
_LINE_HEIGHT, _MIN_WIDTH, _MOST_WIDTH = 48, 320, 4_800
_NARROWED = 0.8
"""Lines are read at this share of their width: as well, and in three quarters of the time."""
_MIN_CONFIDENCE, _UPRIGHT_CONFIDENCE = 0.5, 0.75
"""Less certain lines are ornaments or writing that cannot be read. Less certain pages may be upside down."""

_WORD = re.compile(r"\S+")

Pixels = NDArray[np.float32]
Boxed = Callable[[Sequence[Box]], PageBox | None]
"""Puts boxes of a picture into one on the page, or returns None if its pages have no points."""


@dataclass(slots=True)
class _Left:
    """What is left of a document's share."""

    pictures: int
    until: float


_left = ContextVar[_Left | None]("recognition", default=None)


@contextmanager
def bounded_recognition() -> Iterator[None]:
    """Give the document that is read in this context its share, see `may_recognize`."""
    token = _left.set(_Left(_MOST_PICTURES, time.monotonic() + _MOST_S))
    try:
        yield
    finally:
        _left.reset(token)


def may_recognize() -> bool:
    """Whether the document's share is not used up. Ask before rendering or decoding a picture, which takes time, too."""
    left = _left.get()
    return left is None or (left.pictures > 0 and time.monotonic() < left.until)


@dataclass(frozen=True, slots=True)
class Recognized:
    """The lines of text in a picture and the lines that are drawn on it, with their places after it was turned upright, as if it was `HEIGHT` high."""

    lines: tuple[Line, ...] = ()
    rulings: tuple[Box, ...] = ()
    turn: float = 0.0
    """By how many degrees the picture was turned, counterclockwise."""
    width: float = HEIGHT

    def parts(self) -> list[Grid | list[Line]]:
        """The tables and paragraphs in reading order."""
        return parts_of(self.lines, self.rulings)

    def scan(self, page: int, points: float | None = None) -> Scan:
        """The page for those who look at it, with its words in reading order. `points` are its width if it has one in points."""
        words = [word for part in self.parts() for line in lines_in(part) for word in line.words]
        return Scan(
            page, tuple(self._placed(word) for word in words[:MOST_WORDS]), round(self.turn, 2), HEIGHT / self.width, points
        )

    def _placed(self, word: Line) -> Word:
        left, top, right, bottom = word.box
        places = (left / self.width, top / HEIGHT, right / self.width, bottom / HEIGHT)
        return Word(word.text, *(round(min(max(place, 0.0), 1.0), 4) for place in places))


def recognized(picture: Image.Image) -> Recognized:
    report_progress()
    if (left := _left.get()) is not None:
        left.pictures -= 1
    if min(picture.size) < _MIN_SIDE:
        return Recognized()
    size = math.sqrt(MOST_PIXELS / (picture.width * picture.height))
    if size < 1:
        picture = picture.resize(
            (max(1, round(picture.width * size)), max(1, round(picture.height * size))), Image.Resampling.BOX
        )
    upright, boxes, turn = _straightened(picture.convert("RGB"))
    lines = _read(upright, boxes)
    if boxes and (confidence_of(lines) or 0.0) < _UPRIGHT_CONFIDENCE:
        turned = upright.transpose(Image.Transpose.ROTATE_180)
        width, height = upright.size
        others = _read(
            turned, [(width - right, height - bottom, width - left, height - top) for left, top, right, bottom in boxes]
        )
        if (confidence_of(others) or 0.0) > (confidence_of(lines) or 0.0):
            upright, lines, turn = turned, others, turn + 180
    lines = [line for line in lines if line.text.strip() and (line.confidence or 0.0) >= _MIN_CONFIDENCE]
    if not lines:
        return Recognized()
    lines = with_drawn_boxes(lines, upright, height=HEIGHT)
    rulings = rulings_in(upright, height=HEIGHT)
    return Recognized(tuple(lines), tuple(rulings), turn % 360, HEIGHT * upright.width / upright.height)


def blocks_of(
    parts: Iterable[Grid | Sequence[Line]], words: frozenset[str], page: int | None, boxed: Boxed = lambda _: None
) -> Iterator[Heading | Paragraph | Table]:
    """Tables, paragraphs, and headings with recognized lines."""
    for part in parts:
        if isinstance(part, Grid):
            rows = tuple(tuple((cell.column, _cell(cell, page, boxed)) for cell in row) for row in part.rows)
            table = Table(rows, page=page, box=boxed([part.box]))
            yield replace(table, head=head_of(table))
            continue
        boxes = [box for line in part if (box := boxed([line.box])) is not None]
        for block in paragraphs([line.text for line in part], words, page=page, boxes=boxes):
            yield replace(block, confidence=confidence_of(part)) if isinstance(block, Paragraph) else block


def _cell(cell: GridCell, page: int | None, boxed: Boxed) -> Cell:
    runs, _ = runs_of("\n".join(line.text for line in cell.lines))
    if not runs:
        return Cell((), cell.rows, cell.columns)
    box = boxed([line.box for line in cell.lines])
    return Cell((Paragraph(runs, page, box, confidence=confidence_of(cell.lines)),), cell.rows, cell.columns)


def _straightened(picture: Image.Image) -> tuple[Image.Image, list[Box], float]:
    """The picture with lines of text from left to right, or from right to left if it is upside down, where they are in it, and by how many
    degrees it was turned."""
    points, turn = _found(picture), 0.0
    if sum(map(_is_upright, points)) > len(points) / 2:
        picture = picture.transpose(Image.Transpose.ROTATE_90)
        points, turn = _found(picture), 90.0
    skew = _skew(points)
    if abs(skew) < _MIN_SKEW:
        return picture, [_expanded(each) for each in points], turn
    straight = picture.rotate(math.degrees(skew), Image.Resampling.BICUBIC, expand=True, fillcolor=(255, 255, 255))
    rotation = np.array([[math.cos(skew), -math.sin(skew)], [math.sin(skew), math.cos(skew)]])
    center, new_center = np.array(picture.size) / 2, np.array(straight.size) / 2
    return straight, [_expanded((each - center) @ rotation + new_center) for each in points], turn + math.degrees(skew)


def _found(picture: Image.Image) -> list[Pixels]:
    """For each line of text, the places in the picture that belong to it, as pairs of x and y."""
    from scipy import ndimage

    from fundwright.reading.recognition_models import DETECTOR

    scale = min(math.sqrt(_DETECTED_PIXELS / (picture.width * picture.height)), _MOST_ENLARGED)
    width, height = (max(1, round(side * scale / _SIDES)) * _SIDES for side in picture.size)
    small = picture.resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)
    likely: Any = DETECTOR.run(None, {"x": _as_input(small)})[0]
    likely = likely[0, 0]
    labels, count = ndimage.label(likely > _IS_TEXT, np.ones((3, 3)))
    sure = ndimage.mean(likely, labels, np.arange(1, count + 1)) if count else ()
    ratio = np.array(picture.size) / np.array(small.size)
    found = list[Pixels]()
    for number, (place, each) in enumerate(zip(ndimage.find_objects(labels), sure, strict=True), 1):
        if each >= _IS_LINE and len(found) < _MOST_LINES:
            rows, columns = np.nonzero(labels[place] == number)
            found.append(((np.c_[columns + place[1].start, rows + place[0].start] + 0.5) * ratio).astype(np.float32))
    return found


def _is_upright(points: Pixels) -> bool:
    width, height = np.ptp(points, axis=0)
    return bool(height > 1.5 * width)


def _skew(points: list[Pixels]) -> float:
    """The angle by which lines fall to the right, in radians: the median of long lines, weighted by their lengths."""
    angles, lengths = list[float](), list[float]()
    for each in points:
        width, height = np.ptp(each, axis=0)
        x, y = (each - each.mean(axis=0)).T
        if width > _LONG * height:
            angles.append(math.atan(float((x * y).sum() / max((x * x).sum(), 1.0))))
            lengths.append(float(width))
    if not angles:
        return 0.0
    order = np.argsort(angles)
    total = np.cumsum(np.array(lengths)[order])
    return angles[int(order[np.searchsorted(total, total[-1] / 2)])]


def _expanded(points: Pixels | NDArray[np.float64]) -> Box:
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    width, height = max(right - left, 1.0), max(bottom - top, 1.0)
    around = width * height * _EXPANSION / (2 * (width + height))
    return float(left - around), float(top - around), float(right + around), float(bottom + around)


def _read(picture: Image.Image, boxes: Iterable[Box]) -> list[Line]:
    lines = list[Line]()
    for left, top, right, bottom in boxes:
        report_progress()
        box = (max(0, round(left)), max(0, round(top)), min(picture.width, round(right)), min(picture.height, round(bottom)))
        if box[0] < box[2] and box[1] < box[3]:
            text, confidence, places = _text(picture.crop(box))
            scale = HEIGHT / picture.height
            words = _words(text, places, (box[0] * scale, top * scale, box[2] * scale, bottom * scale), confidence)
            lines.append(Line(text, (left * scale, top * scale, right * scale, bottom * scale), confidence, tuple(words)))
    return lines


def _words(text: str, places: Sequence[float], box: Box, confidence: float) -> Iterator[Line]:
    """The words of a line whose characters have their middles at these shares of its width. Characters are about as wide as they are usually apart."""
    left, top, right, bottom = box
    apart = sorted(after - before for before, after in pairwise(places))
    half = apart[len(apart) // 2] / 2 if apart else 0.5
    for word in _WORD.finditer(text):
        start, end = max(places[word.start()] - half, 0.0), min(places[word.end() - 1] + half, 1.0)
        yield Line(word[0], (left + start * (right - left), top, left + end * (right - left), bottom), confidence)


def _text(line: Image.Image) -> tuple[str, float, list[float]]:
    """The text of a line, how certain it is, and where the middle of each character is, as a share of the width."""
    from fundwright.reading.recognition_models import CHARACTERS, RECOGNIZER

    width = math.ceil(_LINE_HEIGHT * line.width / line.height)
    width = min(max(1, math.ceil(_NARROWED * width), min(width, _MIN_WIDTH)), _MOST_WIDTH)
    pixels = _as_input(line.resize((width, _LINE_HEIGHT), Image.Resampling.BILINEAR, reducing_gap=2.0))
    pixels = np.pad(pixels, ((0, 0), (0, 0), (0, 0), (0, max(0, _MIN_WIDTH - width))))
    steps: Any = RECOGNIZER.run(None, {"x": pixels})[0]
    best = steps[0].argmax(axis=1)
    is_new = (best != 0) & (best != np.r_[0, best[:-1]])
    sure = steps[0].max(axis=1)[is_new]
    places = (np.flatnonzero(is_new) + 0.5) * pixels.shape[-1] / len(best) / width
    return "".join(CHARACTERS[each] for each in best[is_new]), float(sure.mean()) if len(sure) else 0.0, places.tolist()


def _as_input(picture: Image.Image) -> Pixels:
    """Blue, green, and red from -1 to 1, as the models expect them."""
    pixels = np.asarray(picture, dtype=np.float32)[:, :, ::-1].transpose(2, 0, 1)
    return np.ascontiguousarray(pixels[None] / 127.5 - 1.0)

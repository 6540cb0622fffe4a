"""How well text in pictures is recognized: pages with invented text, made here in five fonts, as prose, in two columns, and with tables.

The error is the share of characters that would have to be changed to get the text of the page, in reading order. Spaces count, line
breaks count as spaces.
"""

from __future__ import annotations

import io
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pypdf
import pypdfium2
from PIL import Image
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from benchmarks.eval.frame.figures import Figure
from fundwright.reading import recognition
from fundwright.reading.grids import lines_in
from fundwright.reading.recognition import recognized

_PAGES = 20
_FONTS = {"Helvetica": 0.5, "Times-Roman": 0.45, "Courier": 0.6, "Helvetica-Bold": 0.55, "Times-Italic": 0.43}
"""The standard fonts of PDF, which every machine has, and the usual width of their characters."""
_SIZES = (9, 10, 11, 12)
_LEADING = 1.25
_LEFT, _TOP, _BOTTOM, _WIDTH, _GUTTER = 60, 735, 60, 490, 24
_AT_300_DPI, _AT_150_DPI = 0.02, 0.05
_SECONDS = 7.0
"""Forty pages may take five minutes."""
_JPEG_QUALITY = 60

_WHO = [
    "The contractor",
    "Our laboratory",
    "A joint team",
    "Northfield Instruments",
    "The principal investigator",
    "Each subcontractor",
    "Harbor Ridge Analytics",
    "The review panel",
]
_DID = [
    "delivered",
    "calibrated",
    "inspected",
    "documented",
    "upgraded",
    "evaluated",
    "replaced",
    "monitored",
    "procured",
    "restored",
]
_WHAT = [
    "water-quality sensors",
    "twelve hydraulic pumps",
    "the runway lighting system",
    "cold-chain storage units",
    "secure file servers",
    "wildlife habitat surveys",
    "bridge inspection reports",
    "low-noise amplifiers (LNA)",
]
_WHERE = [
    "in Boise, Idaho",
    "at Fort Delaney",
    "for the Office of Tribal Health",
    "under contract W912-24-C-0{n}",
    "in fiscal year 20{d}",
    "across {n} counties",
    "at a cost of ${n},{n}.{d}",
    "with {p}.{d}% fewer defects",
]
_END = [
    " as required by section {d}.{p}",
    " and no claims were filed",
    "; the rating was “Exceptional”",
    " before the deadline of May {d}",
    " while staff costs fell by ${n}K",
    " (see Table {p})",
    " according to NAICS 54{n}",
    ", ISO 9001:2015 certified",
    " by e-mail to pm{d}@example.org",
]
_HEADINGS = ("Technical Approach", "Past Performance", "Staffing Plan", "Quality Control")

Picture = Callable[[Image.Image, int], Image.Image]


@dataclass(frozen=True)
class _Page:
    font: str
    size: int
    texts: tuple[tuple[float, float, str], ...]
    """The left and the bottom in points, from the bottom left, and the text, in reading order."""


def measure_recognition() -> list[Figure]:
    pages = _pages()
    pdf = pypdfium2.PdfDocument(_pdf(pages))
    clear, seconds = _errors(pdf, pages, dpi=300, made=lambda picture, _: picture)
    skewed, _ = _errors(pdf, pages, dpi=150, made=_scanned)
    least, recognition._MIN_SKEW = recognition._MIN_SKEW, math.inf
    crooked, _ = _errors(pdf, pages, dpi=150, made=_scanned)
    recognition._MIN_SKEW = least
    return [
        Figure(name="recognition at 300 dpi: wrong characters", value=clear, target=_AT_300_DPI, is_at_most=True),
        Figure(
            name="recognition at 150 dpi, skewed by 1 to 2 degrees: wrong characters",
            value=skewed,
            target=_AT_150_DPI,
            is_at_most=True,
            baseline_name="without straightening the page",
            baseline=crooked,
        ),
        Figure(name="recognition, seconds of processor time per page", value=seconds, target=_SECONDS, is_at_most=True),
    ]


def _errors(pdf: pypdfium2.PdfDocument, pages: Sequence[_Page], *, dpi: int, made: Picture) -> tuple[float, float]:
    """The share of wrong characters, and the processor time per page."""
    wrong = length = 0
    used_s = 0.0
    for number, page in enumerate(pages):
        picture = made(pdf[number].render(scale=dpi / 72).to_pil().convert("RGB"), number)
        started = time.process_time()
        lines = [line for part in recognized(picture).parts() for line in lines_in(part)]
        used_s += time.process_time() - started
        expected = " ".join(text for _, _, text in page.texts)
        wrong += _distance(" ".join(" ".join(line.text for line in lines).split()), expected)
        length += len(expected)
    return wrong / length, used_s / len(pages)


def _scanned(picture: Image.Image, number: int) -> Image.Image:
    chance = random.Random(number)
    angle = chance.choice((-1, 1)) * chance.uniform(1, 2)
    skewed = picture.rotate(angle, Image.Resampling.BICUBIC, fillcolor=(255, 255, 255))
    skewed.save(target := io.BytesIO(), "JPEG", quality=_JPEG_QUALITY)
    return Image.open(target)


def _distance(text: str, expected: str) -> int:
    """The least number of characters to insert, remove, or replace."""
    characters, places = np.array([ord(each) for each in expected]), np.arange(len(expected) + 1)
    row = places
    for number, character in enumerate(text, 1):
        replaced = np.minimum(row[:-1] + (characters != ord(character)), row[1:] + 1)
        row = np.minimum.accumulate(np.r_[number, replaced] - places) + places
    return int(row[-1])


def _pages() -> list[_Page]:
    chance = random.Random(7)
    kinds = (_prose, _prose, _in_columns, _with_table)
    pages = list[_Page]()
    for number in range(_PAGES):
        font, size = list(_FONTS)[number % len(_FONTS)], _SIZES[number // 2 % len(_SIZES)]
        pages.append(_Page(font, size, tuple(kinds[number % len(kinds)](chance, size, _FONTS[font] * size))))
    return pages


def _prose(chance: random.Random, size: int, width: float) -> Iterator[tuple[float, float, str]]:
    leading = size * _LEADING
    yield _LEFT, _TOP, f"{chance.randint(1, 9)}. {chance.choice(_HEADINGS)}"
    yield from _column(chance, _LEFT, _TOP - 2 * leading, int(_WIDTH / width), leading)


def _in_columns(chance: random.Random, size: int, width: float) -> Iterator[tuple[float, float, str]]:
    leading, column = size * _LEADING, (_WIDTH - _GUTTER) / 2
    yield _LEFT, _TOP, f"{chance.randint(1, 9)}. {chance.choice(_HEADINGS)}"
    for left in (_LEFT, _LEFT + column + _GUTTER):
        yield from _column(chance, left, _TOP - 2 * leading, int(column / width), leading)


def _with_table(chance: random.Random, size: int, width: float) -> Iterator[tuple[float, float, str]]:
    leading, place = size * _LEADING, float(_TOP)
    lefts = [_LEFT + share * _WIDTH for share in (0, 0.5, 0.7, 0.85)]
    for row in range(12):
        cells = (
            chance.choice(_WHAT),
            f"{chance.randint(2, 98)} units",
            f"${chance.randint(1_000, 99_999):,}",
            f"FY {2020 + row}",
        )
        yield from ((left, place, cell) for left, cell in zip(lefts, cells, strict=True))
        place -= leading * 1.2
    yield from _column(chance, _LEFT, place - leading, int(_WIDTH / width), leading)


def _column(
    chance: random.Random, left: float, top: float, characters: int, leading: float
) -> Iterator[tuple[float, float, str]]:
    while top > _BOTTOM + 8 * leading:
        for line in _wrapped(" ".join(_sentence(chance) for _ in range(chance.randint(2, 4))), characters):
            yield left, top, line
            top -= leading
        top -= leading


def _sentence(chance: random.Random) -> str:
    numbers = {"n": chance.randint(100, 999), "d": chance.randint(10, 31), "p": chance.randint(1, 9)}
    where, end = chance.choice(_WHERE).format(**numbers), chance.choice(_END).format(**numbers)
    return f"{chance.choice(_WHO)} {chance.choice(_DID)} {chance.choice(_WHAT)} {where}{end}."


def _wrapped(text: str, characters: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > characters:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _pdf(pages: Sequence[_Page]) -> bytes:
    writer = pypdf.PdfWriter()
    for page in pages:
        names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": f"/{page.font}", "/Encoding": "/WinAnsiEncoding"}
        font = DictionaryObject({NameObject(key): NameObject(value) for key, value in names.items()})
        blank = writer.add_blank_page(width=612, height=792)
        blank[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})})
        content = StreamObject()
        shown = (f"1 0 0 1 {x:.1f} {y:.1f} Tm <{text.encode('cp1252').hex()}> Tj" for x, y, text in page.texts)
        content.set_data(f"BT /F1 {page.size} Tf {' '.join(shown)} ET".encode())
        blank[NameObject("/Contents")] = writer._add_object(content)
    writer.write(target := io.BytesIO())
    return target.getvalue()

"""Elements of WordprocessingML, and their text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from xml.etree.ElementTree import Element

NAMESPACES = {
    "xmlns:w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "xmlns:r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
}
"""Namespace attributes of the root of each part; elements use their prefixes."""

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MAY_BE_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_RIGHT_TO_LEFT = frozenset(("R", "AL"))


def w(tag: str, *children: Element, **attributes: object) -> Element:
    """`w("spacing", after=120)` is `<w:spacing w:after="120"/>`."""
    element = Element(f"w:{tag}", {f"w:{name}": str(value) for name, value in attributes.items()})
    element.extend(children)
    return element


def with_text(tag: str, text: str) -> Element:
    """Return an element whose text keeps its spaces."""
    element = w(tag)
    element.text = clean(text)
    element.set("xml:space", "preserve")
    return element


def clean(text: str) -> str:
    """Remove characters that XML cannot contain."""
    return _NOT_XML.sub("", text)


@dataclass(frozen=True)
class RunFormat:
    """The formatting of a run of text. `style` is a character style."""

    style: str = ""
    is_bold: bool = False
    is_italic: bool = False
    is_struck: bool = False

    def changed(self, **changes: bool | str) -> RunFormat:
        return replace(self, **changes)

    def properties(self, *, is_right_to_left: bool = False) -> Iterator[Element]:
        """Return `w:rPr` in schema order, or nothing."""
        found = [
            *([w("rStyle", val=self.style)] if self.style else []),
            *([w("b"), w("bCs")] if self.is_bold else []),
            *([w("i"), w("iCs")] if self.is_italic else []),
            *([w("strike")] if self.is_struck else []),
            *([w("rtl")] if is_right_to_left else []),
        ]
        if found:
            yield w("rPr", *found)


PLAIN = RunFormat()


def runs(text: str, formatting: RunFormat = PLAIN) -> Iterator[Element]:
    """Return the text as runs, one for each text direction."""
    for is_right_to_left, piece in _by_direction(text):
        yield w("r", *formatting.properties(is_right_to_left=is_right_to_left), with_text("t", piece))


def field(instruction: str, result: str, formatting: RunFormat = PLAIN) -> Iterator[Element]:
    """Return a field that Word computes. `result` is shown until then."""

    def run(child: Element) -> Element:
        return w("r", *formatting.properties(), child)

    yield run(w("fldChar", fldCharType="begin"))
    yield run(with_text("instrText", f" {instruction} "))
    yield run(w("fldChar", fldCharType="separate"))
    yield run(with_text("t", result))
    yield run(w("fldChar", fldCharType="end"))


def is_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction is written right to left."""
    if not _MAY_BE_RIGHT_TO_LEFT.search(text):
        return False
    directions = (unicodedata.bidirectional(character) for character in text)
    return next((found for found in directions if found in ("L", *_RIGHT_TO_LEFT)), "L") in _RIGHT_TO_LEFT


def _by_direction(text: str) -> Iterable[tuple[bool, str]]:
    """Split text by direction. Letters decide; spaces, digits, and punctuation stay with the letters before them."""
    if not _MAY_BE_RIGHT_TO_LEFT.search(text):
        return [(False, text)] if text else []
    current = is_right_to_left(text)
    directed: list[tuple[bool, str]] = []
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("L", *_RIGHT_TO_LEFT):
            current = direction in _RIGHT_TO_LEFT
        directed.append((current, character))
    return [(key, "".join(character for _, character in group)) for key, group in groupby(directed, key=lambda each: each[0])]

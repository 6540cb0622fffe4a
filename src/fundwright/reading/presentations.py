"""Reads presentations: PPTX."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import INVISIBLE_POINTS, Document, Mark, without_signs
from fundwright.reading.from_docling import blocks_of, converted
from fundwright.reading.slides import Box, Shape, is_beside, is_on_white
from fundwright.reading.word import check_unpacked_size
from fundwright.reading.xml_parts import parsed, rewritten, written

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_TEXTS = re.compile(r"ppt/(slides|notesSlides|slideLayouts|slideMasters)/[^/]*\.xml")
_SLIDES = "ppt/slides/"
_NUMBER = re.compile(r"-?\d{1,15}")
_FILLS = ("solidFill", "gradFill", "blipFill", "pattFill", "grpFill", "noFill")
_SOLID_BACKGROUND = 1_001
"""Styles of backgrounds up to this number have one color."""
_WHITE = ("FFFFFF", "WHITE")
_DEFAULT_MAP = {"bg1": "lt1", "bg2": "lt2", "tx1": "dk1", "tx2": "dk2"}
_Placing = Callable[[float, float], tuple[float, float]]
"""Where a point of a group is on the slide."""


class PresentationReader:
    media_type = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    label = "PPTX"
    suffixes = (".pptx", ".pptm", ".potx", ".ppsx")

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(b"PK\x03\x04") and (b"ppt/" in head or filename.lower().endswith(self.suffixes))

    def read(self, content: bytes, filename: str) -> Document:
        check_unpacked_size(content, filename)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            deck = _Deck(archive)
            file = rewritten(archive, lambda name, part: _simplified(name, part, deck))
        blocks = with_boxes(blocks_of(converted(file, "PPTX", "mspowerpoint_backend:MsPowerpointDocumentBackend")))
        return Document(tuple(blocks), are_slides=True)


def _simplified(name: str, part: bytes, deck: _Deck) -> bytes:
    """A part with signs around the text that is struck through, or that those who see the slide do not see."""
    if not _TEXTS.fullmatch(name):
        return part
    root = parsed(part)
    slide = _Slide(root, name, deck) if name.startswith(_SLIDES) else None
    for text in root.iter(f"{_A}t"):
        report_progress()
        properties = text.getparent().find(f"{_A}rPr")
        plain = without_signs(text.text or "")
        is_struck = properties is not None and properties.get("strike", "noStrike") != "noStrike"
        mark = Mark.HIDDEN if slide is not None and slide.hides(text) else Mark.STRUCK if is_struck else None
        text.text = mark.around(plain) if mark else plain
    return written(root)


class _Deck:
    """The parts of a presentation that its slides refer to."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = set(archive.namelist())
        self._roots = dict[str, Any]()

    def root(self, name: str) -> Any:
        """None if there is no such part."""
        if name not in self._roots:
            self._roots[name] = parsed(self._archive.read(name)) if name in self._names else None
        return self._roots[name]

    def related(self, name: str, kind: str) -> str:
        """The part of a kind that a part refers to, or ""."""
        folder, _, file = name.rpartition("/")
        relations = self.root(f"{folder}/_rels/{file}.rels")
        for each in () if relations is None else relations:
            if each.get("Type", "").endswith(f"/{kind}") and each.get("TargetMode") != "External":
                return posixpath.normpath(posixpath.join("/", folder, each.get("Target", ""))).lstrip("/")
        return ""

    @cached_property
    def size(self) -> Box | None:
        root = self.root("ppt/presentation.xml")
        size = None if root is None else root.find(f"{_P}sldSz")
        return None if size is None else Box(0, 0, _number(size, "cx"), _number(size, "cy"))


class _Slide:
    def __init__(self, root: Any, name: str, deck: _Deck) -> None:
        self._deck = deck
        layout = deck.related(name, "slideLayout")
        master = deck.related(layout, "slideMaster")
        self._layers = [each for each in (root, deck.root(layout), deck.root(master)) if each is not None]
        self._theme = deck.root(deck.related(master, "theme"))
        self._shapes = {
            element: Shape(box, self._is_colored(element)) for element, box in _shapes(root.find(f"{_P}cSld/{_P}spTree"), _as_is)
        }
        behind = [
            Shape(box, self._is_colored(element))
            for layer in self._layers[1:]
            for element, box in _shapes(layer.find(f"{_P}cSld/{_P}spTree"), _as_is)
        ]
        self._colored = [shape for shape in (*behind, *self._shapes.values()) if shape.is_colored]

    def hides(self, text: Any) -> bool:
        """Whether those who see the slide do not see a text of it."""
        element = next((each for each in text.iterancestors() if each in self._shapes), None)
        shape = self._shapes[element] if element is not None else Shape(None, is_colored=True)
        if is_beside(shape.box, self._deck.size):
            return True
        properties = [text.getparent().find(f"{_A}rPr"), _level_of(text)]
        size = next((each.get("sz") for each in properties if each is not None and each.get("sz")), "")
        if size.isdecimal() and int(size) <= 100 * INVISIBLE_POINTS:
            return True
        fill = next((found for each in properties if each is not None and (found := _fill(each)) is not None), None)
        if fill is None or (properties[0] is not None and properties[0].find(f"{_A}ln") is not None):
            return False
        is_white = fill.tag == f"{_A}solidFill" and self._is_white(fill)
        return fill.tag == f"{_A}noFill" or (is_white and self._is_blank and is_on_white(shape, self._colored))

    @cached_property
    def _is_blank(self) -> bool:
        """Whether the background of the slide is white."""
        for layer in self._layers:
            background = layer.find(f"{_P}cSld/{_P}bg")
            if background is None:
                continue
            reference, own = background.find(f"{_P}bgRef"), background.find(f"{_P}bgPr")
            if reference is not None:
                return _number(reference, "idx") <= _SOLID_BACKGROUND and self._is_white(reference)
            fill = None if own is None else _fill(own)
            return fill is None or (fill.tag == f"{_A}solidFill" and self._is_white(fill))
        return True

    @cached_property
    def _color_map(self) -> Mapping[str, str]:
        """The names in the theme of the names of colors on the slide."""
        places = (f"{_P}clrMapOvr/{_A}overrideClrMapping", f"{_P}clrMap")
        return next((found.attrib for layer in self._layers for each in places if (found := layer.find(each)) is not None), {})

    def _is_colored(self, element: Any) -> bool:
        if element.tag != f"{_P}sp":
            return element.tag != f"{_P}cxnSp"
        fill = None if (own := element.find(f"{_P}spPr")) is None else _fill(own)
        if fill is not None:
            return fill.tag != f"{_A}noFill" and not (fill.tag == f"{_A}solidFill" and self._is_white(fill))
        style = element.find(f"{_P}style/{_A}fillRef")
        return style is not None and style.get("idx") != "0"

    def _is_white(self, fill: Any) -> bool:
        """Whether the color in an element is white, by itself or in the theme."""
        color = next(iter(fill), None)
        if color is None or len(color):
            return False
        if color.tag == f"{_A}schemeClr":
            return self._is_white_in_theme(color.get("val", ""))
        return _code(color) in _WHITE

    def _is_white_in_theme(self, name: str) -> bool:
        name = self._color_map.get(name) or _DEFAULT_MAP.get(name, name)
        named = None if self._theme is None else self._theme.find(f"{_A}themeElements/{_A}clrScheme/{_A}{name}")
        color = None if named is None else next(iter(named), None)
        return color is not None and _code(color) in _WHITE


def _code(color: Any) -> str:
    return (color.get("lastClr") or color.get("val") or "").upper()


def _fill(properties: Any) -> Any:
    return next(iter(properties.iterchildren(*(f"{_A}{each}" for each in _FILLS))), None)


def _level_of(text: Any) -> Any:
    """The format of the level of a text in the styles of its shape, or None."""
    paragraph = next(text.iterancestors(f"{_A}p"), None)
    if paragraph is None:
        return None
    own = paragraph.find(f"{_A}pPr")
    level = "0" if own is None else own.get("lvl", "0")
    number = int(level) + 1 if level.isdecimal() else 1
    return paragraph.getparent().find(f"{_A}lstStyle/{_A}lvl{number}pPr/{_A}defRPr")


def _as_is(x: float, y: float) -> tuple[float, float]:
    return x, y


def _shapes(tree: Any, place: _Placing) -> Iterator[tuple[Any, Box | None]]:
    """The shapes of a slide, also those in groups, with their boxes."""
    for child in () if tree is None else tree:
        frame = next((found for tag in (f"{_P}spPr/{_A}xfrm", f"{_P}grpSpPr/{_A}xfrm", f"{_P}xfrm") if (found := child.find(tag)) is not None), None)  # fmt: skip
        if child.tag == f"{_P}grpSp":
            yield from _shapes(child, _inside(frame, place))
        elif child.tag in (f"{_P}sp", f"{_P}pic", f"{_P}graphicFrame", f"{_P}cxnSp"):
            is_placeholder = next(child.iter(f"{_P}ph"), None) is not None
            yield child, None if frame is None and is_placeholder else _box(frame, place)


def _number(element: Any, attribute: str) -> float:
    value = element.get(attribute, "")
    return float(value) if _NUMBER.fullmatch(value) else 0.0


def _numbers(frame: Any, tag: str, first: str, second: str) -> tuple[float, float]:
    element = frame.find(f"{_A}{tag}")
    return (0.0, 0.0) if element is None else (_number(element, first), _number(element, second))


def _box(frame: Any, place: _Placing) -> Box | None:
    if frame is None:
        return None
    (x, y), (width, height) = _numbers(frame, "off", "x", "y"), _numbers(frame, "ext", "cx", "cy")
    left, top = place(x, y)
    right, bottom = place(x + width, y + height)
    if frame.get("rot", "0") != "0":  # a square that it is in however it is turned
        reach, across, down = (right - left + bottom - top) / 2, (left + right) / 2, (top + bottom) / 2
        return Box(across - reach, down - reach, across + reach, down + reach)
    return Box(left, top, right, bottom)


def _inside(frame: Any, place: _Placing) -> _Placing:
    """Where points in a group are."""
    if frame is None:
        return place
    (x, y), (width, height) = _numbers(frame, "off", "x", "y"), _numbers(frame, "ext", "cx", "cy")
    (inner_x, inner_y), (inner_width, inner_height) = _numbers(frame, "chOff", "x", "y"), _numbers(frame, "chExt", "cx", "cy")
    across, down = width / inner_width if inner_width else 1.0, height / inner_height if inner_height else 1.0
    return lambda left, top: place(x + (left - inner_x) * across, y + (top - inner_y) * down)

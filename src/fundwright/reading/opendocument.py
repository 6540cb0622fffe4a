"""Reads OpenDocument files: texts (ODT), presentations (ODP), and spreadsheets (ODS).

docling divides words whose letters differ in format, and does not know which text is hidden. So formats are replaced by signs around the text
that a person does not see. Spreadsheets are read here, as they are shown.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import INVISIBLE_POINTS, Document, Mark, runs_of, visible, without_signs
from fundwright.reading.from_docling import blocks_of, converted
from fundwright.reading.sheets import Sheet, document_of
from fundwright.reading.slides import Box, Shape, is_beside, is_on_white
from fundwright.reading.symbols import raised
from fundwright.reading.word import check_unpacked_size
from fundwright.reading.xml_parts import parsed, rewritten, written

_OFFICE, _STYLE, _TABLE, _TEXT, _DRAWING, _PRESENTATION, _FO, _SVG = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}"
    for name in ("office", "style", "table", "text", "drawing", "presentation", "xsl-fo-compatible", "svg-compatible")
)
_CONTENT, _STYLES = "content.xml", "styles.xml"
_WHITE = "#ffffff"
_HIDDEN = ("collapse", "filter")
_LENGTH = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)(cm|mm|in|pt|pc|px)")
_POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}
_FAMILIES = {
    f"{_TEXT}span": "text",
    f"{_TEXT}p": "paragraph",
    f"{_TEXT}h": "paragraph",
    f"{_TABLE}table-cell": "table-cell",
}
"""The families of the styles of elements."""
_FORMATS = ("span", "a", "bookmark", "bookmark-start", "bookmark-end", "change-start", "change-end", "soft-page-break")
_GROUPS = ("table-header-rows", "table-rows", "table-row-group", "table-header-columns", "table-columns", "table-column-group")
_SPACES = {f"{_TEXT}s": " ", f"{_TEXT}tab": " ", f"{_TEXT}line-break": " "}
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")
_MOST_COLUMNS, _MOST_REPEATS = 16_384, 50_000
"""A file has equal neighbors once, with their number."""
_MAX_STYLES = 20
"""The maximum depth of styles based on each other, which may form a cycle."""


class OpenDocumentReader:
    """Reads one of these formats."""

    def __init__(self, label: str, kind: str, suffixes: tuple[str, ...]) -> None:
        self.label = label
        self.media_type = f"application/vnd.oasis.opendocument.{kind}"
        self.suffixes = suffixes

    def recognizes(self, head: bytes, filename: str) -> bool:
        is_named = f"mimetype{self.media_type}".encode() in head
        return head.startswith(b"PK\x03\x04") and (is_named or filename.lower().endswith(self.suffixes))

    def read(self, content: bytes, filename: str) -> Document:
        check_unpacked_size(content, filename)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            root = parsed(archive.read(_CONTENT))
            roots = [parsed(archive.read(_STYLES)), root] if _STYLES in archive.namelist() else [root]
            styles = _Styles(roots)
            if self.label == "ODS":
                return document_of(_Spreadsheet(styles).sheets(root))
            _simplify(root, styles, _Look(on_color=self.label == "ODP"), dict(_shapes(roots, styles)))
            file = rewritten(archive, lambda name, part: written(root) if name == _CONTENT else part)
        backend = f"opendocument_backend:{self.label.capitalize()}DocumentBackend"
        blocks = with_boxes(blocks_of(converted(file, self.label, backend)))
        slides = sum(1 for _ in root.iterfind(f"{_OFFICE}body/{_OFFICE}presentation/{_DRAWING}page"))
        return Document(tuple(blocks), pages=slides, are_slides=self.label == "ODP")


@dataclass(frozen=True, slots=True)
class _Look:
    """How text is shown."""

    is_hidden: bool = False
    is_struck: bool = False
    is_white: bool = False
    on_color: bool = False
    """Whether its background is not white, or not known."""
    is_raised: bool = False
    is_tiny: bool = False
    is_on_slide: bool = False
    """Whether it is in a shape of a slide whose background is known."""

    @property
    def mark(self) -> Mark | None:
        if self.is_hidden or self.is_tiny or (self.is_white and not self.on_color):
            return Mark.HIDDEN
        return Mark.STRUCK if self.is_struck else None


class _Styles:
    def __init__(self, roots: Iterable[Any]) -> None:
        styles = (style for root in roots for style in root.iter(f"{_STYLE}style"))
        self._styles = {(style.get(f"{_STYLE}family"), style.get(f"{_STYLE}name")): style for style in styles}

    def value(self, family: str, name: str, properties: str, attribute: str) -> str | None:
        """What a style says, or the first of those that it is based on."""
        for _ in range(_MAX_STYLES):
            style = self._styles.get((family, name))
            if style is None:
                break
            found = style.find(f"{_STYLE}{properties}-properties")
            if found is not None and attribute in found.attrib:
                return found.get(attribute)
            name = style.get(f"{_STYLE}parent-style-name", "")
        return None

    def is_filled(self, family: str, name: str, properties: str) -> bool | None:
        """Whether what has this style has another color than white. None if the style does not say it."""
        fill = self.value(family, name, properties, f"{_DRAWING}fill")
        if fill == "solid":
            return (self.value(family, name, properties, f"{_DRAWING}fill-color") or "").lower() != _WHITE
        return None if fill is None else fill != "none"

    def look(self, family: str, name: str, around: _Look) -> _Look:
        """The look of text in this style and in what is around it."""
        display = self.value(family, name, "text", f"{_TEXT}display")
        struck = self.value(family, name, "text", f"{_STYLE}text-line-through-style")
        color = self.value(family, name, "text", f"{_FO}color")
        position = self.value(family, name, "text", f"{_STYLE}text-position")
        size = _points(self.value(family, name, "text", f"{_FO}font-size"))
        backgrounds = [self.value(family, name, properties, f"{_FO}background-color") for properties in ("text", family)]
        return _Look(
            around.is_hidden if display is None else display == "none",
            around.is_struck if struck is None else struck != "none",
            around.is_white if color is None else color.lower() == _WHITE,
            around.on_color or any(each not in (None, "transparent", _WHITE) for each in backgrounds),
            around.is_raised if position is None else position.startswith("super"),
            around.is_tiny if size is None else size <= INVISIBLE_POINTS,
            around.is_on_slide,
        )


def _simplify(root: Any, styles: _Styles, look: _Look, shapes: Mapping[Any, _Look]) -> None:
    """Put signs around text that is not seen, and take the formats off, so that no word is divided."""
    from lxml import etree

    body = root.find(f"{_OFFICE}body")
    _mark(body, styles, look, shapes)
    deleted = {
        region.get(f"{_TEXT}id"): " ".join("".join(part.itertext()) for part in region.iter(f"{_TEXT}p", f"{_TEXT}h"))
        for region in body.iter(f"{_TEXT}changed-region")
    }
    for change in body.iter(f"{_TEXT}change"):
        change.tag = f"{_TEXT}span"
        change.text = Mark.DELETED.around(without_signs(deleted.get(change.get(f"{_TEXT}change-id"), "")))
    etree.strip_tags(body, *(f"{_TEXT}{tag}" for tag in _FORMATS))


def _mark(element: Any, styles: _Styles, look: _Look, shapes: Mapping[Any, _Look]) -> None:
    """`shapes` are the looks of text in the shapes of slides."""
    report_progress()
    family = _FAMILIES.get(element.tag)
    if family:
        look = styles.look(family, element.get(f"{_TEXT}style-name") or element.get(f"{_TABLE}style-name", ""), look)
    elif element in shapes:
        look = shapes[element]
    elif element.tag.startswith(_DRAWING) and not look.is_on_slide:
        look = replace(look, on_color=True)
    is_hidden = element.get(f"{_TEXT}display") == "none" or any(
        each.get(f"{_TEXT}is-hidden") == "true" for each in element.iterchildren(f"{_TEXT}hidden-paragraph")
    )
    look = replace(look, is_hidden=True) if is_hidden else look
    element.text = _marked(element.text, look)
    for child in element:
        _mark(child, styles, look, shapes)
        child.tail = _marked(child.tail, look)


def _shapes(roots: Sequence[Any], styles: _Styles) -> Iterator[tuple[Any, _Look]]:
    """The shapes of slides, each with the look of plain text in it."""
    layouts = {each.get(f"{_STYLE}name"): each for root in roots for each in root.iter(f"{_STYLE}page-layout")}
    masters = {each.get(f"{_STYLE}name"): each for root in roots for each in root.iter(f"{_STYLE}master-page")}
    for page in roots[-1].iterfind(f"{_OFFICE}body/{_OFFICE}presentation/{_DRAWING}page"):
        master = masters.get(page.get(f"{_DRAWING}master-page-name"))
        layout = None if master is None else layouts.get(master.get(f"{_STYLE}page-layout-name"))
        size = None if layout is None else layout.find(f"{_STYLE}page-layout-properties")
        slide = None if size is None else _box(0.0, 0.0, size.get(f"{_FO}page-width"), size.get(f"{_FO}page-height"))
        layers = [page] if master is None else [page, master]
        fills = (styles.is_filled("drawing-page", each.get(f"{_DRAWING}style-name", ""), "drawing-page") for each in layers)
        is_colored = next((fill for fill in fills if fill is not None), False)
        shapes = {element: _shape(element, styles) for layer in layers for element in _elements(layer)}
        colored = [shape for shape in shapes.values() if shape.is_colored]
        for element in _elements(page):
            report_progress()
            on_color = is_colored or not is_on_white(shapes[element], colored)
            yield element, _Look(is_beside(shapes[element].box, slide), on_color=on_color, is_on_slide=True)


def _elements(page: Any) -> Iterator[Any]:
    """The shapes of a slide, also those in groups, whose positions are those on the slide."""
    for child in page.iterchildren(f"{_DRAWING}*"):
        yield from _elements(child) if child.tag == f"{_DRAWING}g" else (child,)


def _shape(element: Any, styles: _Styles) -> Shape:
    drawn, placed = element.get(f"{_DRAWING}style-name"), element.get(f"{_PRESENTATION}style-name", "")
    fill = styles.is_filled("presentation" if drawn is None else "graphic", placed if drawn is None else drawn, "graphic")
    if element.tag == f"{_DRAWING}frame":
        is_colored = bool(fill) or element.find(f"{_DRAWING}text-box") is None
    else:
        is_colored = element.tag not in (f"{_DRAWING}line", f"{_DRAWING}connector") and fill is not False
    if f"{_DRAWING}transform" in element.attrib:
        return Shape(None, is_colored)
    left, top = (_points(element.get(f"{_SVG}{each}")) for each in "xy")
    return Shape(_box(left, top, *(element.get(f"{_SVG}{each}") for each in ("width", "height"))), is_colored)


def _box(left: float | None, top: float | None, width: str | None, height: str | None) -> Box | None:
    across, down = _points(width), _points(height)
    if left is None or top is None or across is None or down is None:
        return None
    return Box(left, top, left + across, top + down)


def _points(length: str | None) -> float | None:
    found = _LENGTH.fullmatch(length or "")
    return float(found[1]) * _POINTS[found[2]] if found else None


def _marked(text: str | None, look: _Look) -> str:
    plain = without_signs(text or "")
    plain = raised(plain) if look.is_raised else plain
    return look.mark.around(plain) if look.mark and plain.strip() else plain


class _Spreadsheet:
    def __init__(self, styles: _Styles) -> None:
        self._styles = styles
        self._repeats = _MOST_REPEATS

    def sheets(self, root: Any) -> Iterator[Sheet]:
        for table in root.iterfind(f"{_OFFICE}body/{_OFFICE}spreadsheet/{_TABLE}table"):
            name = table.get(f"{_TABLE}style-name", "")
            is_hidden = self._styles.value("table", name, "table", f"{_TABLE}display") == "false"
            yield self._filled(table, Sheet(table.get(f"{_TABLE}name", ""), is_hidden=is_hidden))

    def _filled(self, table: Any, sheet: Sheet) -> Sheet:
        columns = [
            (each.get(f"{_TABLE}default-cell-style-name", ""), is_hidden)
            for each, is_hidden in _inside(table, "table-column")
            for _ in range(min(_number(each, "number-columns-repeated"), _MOST_COLUMNS))
        ]
        merged = list[tuple[int, int, int, int]]()
        first = 0
        for row, is_hidden in _inside(table, "table-row"):
            texts = self._texts(row, columns, is_row_hidden=is_hidden)
            for number in range(first, first + self._repeated(row, "rows", len(texts)) if texts else first):
                for column, text, mark in texts:
                    sheet.add(number, column, text, mark)
            for column, cell in _cells(row):
                down, across = (_number(cell, f"number-{each}-spanned") for each in ("rows", "columns"))
                if down * across > 1:
                    merged.append((first, first + down - 1, column, column + across - 1))
            first += _number(row, "number-rows-repeated")
        sheet.merged = merged
        return sheet

    def _texts(self, row: Any, columns: Sequence[tuple[str, bool]], *, is_row_hidden: bool) -> list[tuple[int, str, Mark | None]]:
        """The columns, texts, and marks of the parts of the cells of a row."""
        texts = list[tuple[int, str, Mark | None]]()
        for column, cell in _cells(row):
            report_progress()
            if not len(cell) and not any(f"{_OFFICE}{each}" in cell.attrib for each in _VALUES):
                continue
            style, is_hidden = columns[column] if column < len(columns) else ("", False)
            style = cell.get(f"{_TABLE}style-name") or row.get(f"{_TABLE}default-cell-style-name") or style
            look = self._styles.look("table-cell", style, _Look(is_hidden=is_hidden or is_row_hidden))
            _mark(cell, self._styles, look, {})
            for place in range(column, column + self._repeated(cell, "columns", 1)):
                texts += [(place, text, mark) for text, mark in _parts(cell, look)]
        return texts

    def _repeated(self, element: Any, what: str, size: int) -> int:
        """How often cells are in a sheet that a file has once. `size` is their number."""
        repeats = min(_number(element, f"number-{what}-repeated") - 1, self._repeats // size)
        self._repeats -= repeats * size
        return 1 + repeats


def _inside(parent: Any, tag: str, *, is_hidden: bool = False) -> Iterator[tuple[Any, bool]]:
    """The rows or columns of a table, also those in groups, and whether each is hidden."""
    for child in parent.iterchildren(f"{_TABLE}{tag}", *(f"{_TABLE}{group}" for group in _GROUPS)):
        hides = is_hidden or child.get(f"{_TABLE}visibility") in _HIDDEN or child.get(f"{_TABLE}display") == "false"
        if child.tag == f"{_TABLE}{tag}":
            yield child, hides
        else:
            yield from _inside(child, tag, is_hidden=hides)


def _cells(row: Any) -> Iterator[tuple[int, Any]]:
    """The cells of a row with their columns."""
    column = 0
    for cell in row.iterchildren(f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
        yield column, cell
        column += _number(cell, "number-columns-repeated")


def _number(element: Any, attribute: str) -> int:
    number = element.get(f"{_TABLE}{attribute}", "1")
    return max(1, int(number)) if number.isdecimal() else 1


def _parts(cell: Any, look: _Look) -> Iterator[tuple[str, Mark | None]]:
    """The text of a cell as it is shown, or its value if the file does not say how that is shown, and the texts that are not shown."""
    paragraphs = ["".join(_written(paragraph)) for paragraph in cell.iterchildren(f"{_TEXT}p")]
    value = next(filter(None, (cell.get(f"{_OFFICE}{each}") for each in _VALUES)), "")
    runs, _ = runs_of(" ".join(filter(None, paragraphs)) or _marked(value, look))
    yield " ".join(visible(runs).split()), None
    yield from ((run.text, run.mark) for run in runs if run.mark)


def _written(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag in _SPACES:
            yield _SPACES[child.tag]
        elif child.tag.startswith(_TEXT):
            yield from _written(child)
        yield child.tail or ""


OPEN_DOCUMENT_READERS = (
    OpenDocumentReader("ODT", "text", (".odt", ".ott")),
    OpenDocumentReader("ODS", "spreadsheet", (".ods",)),
    OpenDocumentReader("ODP", "presentation", (".odp",)),
)

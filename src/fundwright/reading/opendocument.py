"""Reads OpenDocument files: texts (ODT), presentations (ODP), and spreadsheets (ODS).

docling divides words whose letters differ in format, and does not know which text is hidden. So formats are replaced by signs around the text
that a person does not see. Spreadsheets are read here, as they are shown.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Document, Mark, runs_of, visible, without_signs
from fundwright.reading.from_docling import blocks_of, converted
from fundwright.reading.sheets import Sheet, document_of
from fundwright.reading.symbols import raised
from fundwright.reading.word import check_unpacked_size
from fundwright.reading.xml_parts import parsed, rewritten, written

_OFFICE, _STYLE, _TABLE, _TEXT, _DRAWING, _FO = (
    f"{{urn:oasis:names:tc:opendocument:xmlns:{name}:1.0}}"
    for name in ("office", "style", "table", "text", "drawing", "xsl-fo-compatible")
)
_CONTENT, _STYLES = "content.xml", "styles.xml"
_WHITE = "#ffffff"
_HIDDEN = ("collapse", "filter")
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
            _simplify(root, styles, _Look(on_color=self.label == "ODP"))
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

    @property
    def mark(self) -> Mark | None:
        if self.is_hidden or (self.is_white and not self.on_color):
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

    def look(self, family: str, name: str, around: _Look) -> _Look:
        """The look of text in this style and in what is around it."""
        display = self.value(family, name, "text", f"{_TEXT}display")
        struck = self.value(family, name, "text", f"{_STYLE}text-line-through-style")
        color = self.value(family, name, "text", f"{_FO}color")
        position = self.value(family, name, "text", f"{_STYLE}text-position")
        backgrounds = [self.value(family, name, properties, f"{_FO}background-color") for properties in ("text", family)]
        return _Look(
            around.is_hidden if display is None else display == "none",
            around.is_struck if struck is None else struck != "none",
            around.is_white if color is None else color.lower() == _WHITE,
            around.on_color or any(each not in (None, "transparent", _WHITE) for each in backgrounds),
            around.is_raised if position is None else position.startswith("super"),
        )


def _simplify(root: Any, styles: _Styles, look: _Look) -> None:
    """Put signs around text that is not seen, and take the formats off, so that no word is divided."""
    from lxml import etree

    body = root.find(f"{_OFFICE}body")
    _mark(body, styles, look)
    deleted = {
        region.get(f"{_TEXT}id"): " ".join("".join(part.itertext()) for part in region.iter(f"{_TEXT}p", f"{_TEXT}h"))
        for region in body.iter(f"{_TEXT}changed-region")
    }
    for change in body.iter(f"{_TEXT}change"):
        change.tag = f"{_TEXT}span"
        change.text = Mark.DELETED.around(without_signs(deleted.get(change.get(f"{_TEXT}change-id"), "")))
    etree.strip_tags(body, *(f"{_TEXT}{tag}" for tag in _FORMATS))


def _mark(element: Any, styles: _Styles, look: _Look) -> None:
    report_progress()
    family = _FAMILIES.get(element.tag)
    if family:
        look = styles.look(family, element.get(f"{_TEXT}style-name") or element.get(f"{_TABLE}style-name", ""), look)
    elif element.tag.startswith(_DRAWING):
        look = replace(look, on_color=True)
    is_hidden = element.get(f"{_TEXT}display") == "none" or any(
        each.get(f"{_TEXT}is-hidden") == "true" for each in element.iterchildren(f"{_TEXT}hidden-paragraph")
    )
    look = replace(look, is_hidden=True) if is_hidden else look
    element.text = _marked(element.text, look)
    for child in element:
        _mark(child, styles, look)
        child.tail = _marked(child.tail, look)


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
            _mark(cell, self._styles, look)
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

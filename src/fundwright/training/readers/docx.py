"""Reads Word files (DOCX)."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fundwright.core.messages import t
from fundwright.core.sandbox_progress import report_progress
from fundwright.training.readers import Block, Unreadable

_ITEM = "•"
_MAX_LINES_OF_DATA = 2
_MAX_UNPACKED_BYTES = 300_000_000
_MAX_PARTS = 10_000
_MAX_PART_BYTES = 50_000_000
"""The parser needs about ten times the size of a part."""
_LONGEST_REPEATED = 200
"""A merged cell of up to this many characters is repeated in each row as its label; longer text is not."""
_MAX_STYLES = 20
"""The maximum depth of styles based on each other, which may form a cycle."""


class DocxReader:
    media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    label = "DOCX"

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(b"PK\x03\x04") and (b"word/" in head or filename.lower().endswith(".docx"))

    def read(self, path: Path, filename: str) -> list[Block]:
        import docx

        _check_unpacked_size(path, filename)
        return list(_WordBlocks().of(docx.Document(str(path)).iter_inner_content()))

    def title(self, path: Path) -> str:
        import docx

        return docx.Document(str(path)).core_properties.title


class _WordBlocks:
    """Reads each paragraph and table once, however text boxes, tables, and merged cells are nested."""

    def __init__(self) -> None:
        self._styles = dict[str | None, tuple[int | None, bool]]()
        """Heading level, and whether the style makes list items, by id."""

    def of(self, items: Iterable[Any]) -> Iterator[Block]:
        from docx.table import Table

        for item in items:
            report_progress()
            if isinstance(item, Table):
                yield from self._rows(item)
            else:
                yield self._paragraph(item)
                yield from map(self._paragraph, _in_text_boxes(item))

    def _paragraph(self, paragraph: Any) -> Block:
        style_id = paragraph._p.style
        if style_id not in self._styles:
            style = paragraph.style
            self._styles[style_id] = (_heading_level(style.name if style else ""), _is_list_style(style))
        level, is_item = self._styles[style_id]
        own = _numbers(paragraph._p)
        text = paragraph.text
        return Block(text=f"{_ITEM} {text}" if text.strip() and (is_item if own is None else own) else text, level=level)

    def _rows(self, table: Any) -> Iterator[Block]:
        """Read a data row as one line. If the cells contain headings, lists, or several lines, the table is used for layout, and
        the cells are read one after another."""
        from docx.blkcntnr import BlockItemContainer

        above = dict[int, _Cell]()
        for row in table._tbl.tr_lst:
            cells = dict[int, _Cell]()
            place = row.grid_before
            for element in row.tc_lst:
                cell = above.get(place) if element.vMerge == "continue" else None
                cells[place] = cell or _Cell(list(self.of(BlockItemContainer(element, table).iter_inner_content())))
                place += max(1, element.grid_span)
            new = {cell for place, cell in cells.items() if cell is not above.get(place)}
            if any(cell.is_layout for cell in cells.values()):
                yield from (block for cell in cells.values() if cell in new for block in cell.blocks)
            elif new:
                lines = (cell.line for cell in cells.values() if cell in new or len(cell.line) <= _LONGEST_REPEATED)
                yield Block(text=" | ".join(filter(None, dict.fromkeys(lines))))
            above = cells


class _Cell:
    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        lines = [line for block in blocks for line in block.text.splitlines() if line.strip()]
        self.is_layout = len(lines) > _MAX_LINES_OF_DATA or any(block.level or block.text.startswith(_ITEM) for block in blocks)
        self.line = " ".join(" ".join(block.text for block in blocks).split())


def _is_list_style(style: Any) -> bool:
    """Whether a style, or the nearest style it is based on, numbers paragraphs."""
    for _ in range(_MAX_STYLES):
        if style is None:
            break
        numbers = _numbers(style.element)
        if numbers is not None:
            return numbers
        style = style.base_style
    return False


def _numbers(element: Any) -> bool | None:
    """Whether a paragraph or style makes a list item, or None if it does not say. Word writes the number 0 to remove it from a
    list."""
    numbering = None if element.pPr is None else element.pPr.numPr
    return None if numbering is None else numbering.numId is None or numbering.numId.val != 0


def _in_text_boxes(paragraph: Any) -> Iterator[Any]:
    """Yield the paragraphs of text boxes anchored in this paragraph, including nested ones. Word writes each box twice, the second
    time for old programs."""
    from docx.text.paragraph import Paragraph

    for element in paragraph._p.xpath('.//*[local-name()="txbxContent"]//w:p[not(ancestor::*[local-name()="Fallback"])]'):
        yield Paragraph(element, paragraph)


def _heading_level(style: str | None) -> int | None:
    if style == "Title":
        return 1
    match = re.match(r"(?:Heading|Überschrift|Titre) (\d)", style or "")
    return int(match.group(1)) if match else None


def _check_unpacked_size(path: Path, filename: str) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
    if len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > _MAX_UNPACKED_BYTES:
        raise Unreadable(
            t(
                "“{filename}” unzips to more than {size} bytes or {count} files. Split the document and add its parts.",
                filename=filename,
                size=_MAX_UNPACKED_BYTES,
                count=_MAX_PARTS,
            )
        )
    if any(part.file_size > _MAX_PART_BYTES and part.filename.lower().endswith((".xml", ".rels")) for part in parts):
        raise Unreadable(
            t(
                "A part of “{filename}” unzips to more than {size} bytes. Split the document and add its parts.",
                filename=filename,
                size=_MAX_PART_BYTES,
            )
        )

"""Converts what docling has read to a document."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.document import (
    FORM,
    HEAD,
    Block,
    Cell,
    Figure,
    Heading,
    Item,
    Margin,
    Mark,
    Note,
    Paragraph,
    Run,
    Runs,
    Table,
    runs_in,
    runs_of,
    visible,
    walk,
)

_SLIDE = re.compile(r"slide-(\d{1,6})")
_BULLETS = frozenset("-*•·◦▪●○■–—o")
_MIN_ROWS, MIN_COLUMNS, _LONGEST_NAME = 2, 3, 80
_FORM_COLUMNS, _LONGEST_LABEL = 4, 40
_YEARS = range(1900, 2101)
_VALUE = re.compile(r"[$€£]\s?\d|\d{3},\d{3}|\d\s?%|@|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\d{4}-\d\d-\d\d|:\s*$")
_NO_SPACE_BEFORE, _NO_SPACE_AFTER = re.compile(r"[\s.,;:!?%)\]]"), re.compile(r"[\s(\[$€£]$")


def converted(file: io.BytesIO, format: str, backend: str, *options: object) -> Any:
    """Read a file with a backend of docling, named by its module and class, without the models and pipelines of docling. Returns a
    DoclingDocument."""
    from docling.backend.noop_backend import NoOpBackend
    from docling.datamodel.document import InputDocument, InputFormat

    module, _, name = backend.partition(":")
    described = InputDocument(file, InputFormat[format], NoOpBackend, filename=f"document.{format.lower()}")
    opened = getattr(import_module(f"docling.backend.{module}"), name)(described, file, *options)
    opened.docx_to_pdf_converter_init = True  # so that the backend for Word does not look for LibreOffice
    opened.display_drawingml_warning = False
    return opened.convert()


def blocks_of(document: Any, notes: Mapping[str, Sequence[Block]] | None = None, *, is_page: bool = False) -> list[Block]:
    """The blocks of a DoclingDocument. `notes` are those that its texts refer to, by key. In a page (HTML), the title is the first level of
    headings, and rows that name columns are marked."""
    return list(_Reading(document, notes or {}, is_page).of(document.body))


class _Reading:
    def __init__(self, document: Any, notes: Mapping[str, Sequence[Block]], is_page: bool) -> None:
        self._document = document
        self._notes = notes
        self._is_page = is_page
        self._slide: int | None = None
        self._captions = {reference.cref for item in (*document.tables, *document.pictures) for reference in item.captions}
        """Captions stand among the other texts, too."""

    def of(self, parent: Any) -> Iterator[Block]:
        for reference in parent.children:
            report_progress()
            if reference.cref not in self._captions:
                yield from self._block(reference.resolve(self._document))

    def _block(self, item: Any) -> Iterator[Block]:
        from docling_core.types.doc import ContentLayer, GroupLabel
        from docling_core.types.doc.document import (
            CodeItem,
            GroupItem,
            InlineGroup,
            ListItem,
            PictureItem,
            SectionHeaderItem,
            TableItem,
            TextItem,
            TitleItem,
        )

        page = item.prov[0].page_no if getattr(item, "prov", None) else self._slide
        if item.content_layer == ContentLayer.NOTES:
            if item.label != GroupLabel.COMMENT_SECTION:
                yield from self._speaker_notes(item, page)
            return
        match item:
            case TableItem():
                yield self._table(item, page)
            case PictureItem():
                described = [*self._caption(item), *self.of(item)]
                if described:
                    yield Figure(tuple(described), page)
            case InlineGroup():
                yield from self._joined(item, page)
            case GroupItem() if slide := _SLIDE.fullmatch(item.name):
                yield from self._on_slide(item, int(slide[1]) + 1)
            case TextItem():
                found = list(self._text_block(item, page, (TitleItem, SectionHeaderItem, ListItem, CodeItem)))
                is_margin = item.content_layer == ContentLayer.FURNITURE
                yield from ([Margin(tuple(found), page)] if is_margin and found else found)
                yield from self.of(item)
            case _:
                found = list(self.of(item))
                is_margin = item.content_layer == ContentLayer.FURNITURE
                yield from ([Margin(tuple(found), page)] if is_margin and found else found)

    def _on_slide(self, group: Any, number: int) -> Iterator[Block]:
        """The blocks of a slide, and its speaker notes as one note. Those of a slide that is hidden are hidden, too."""
        self._slide = number
        found = list(self.of(group))
        self._slide = None
        shown = [block for block in found if not (isinstance(block, Note) and block.is_for_speaker)]
        noted = [inner for block in found if isinstance(block, Note) and block.is_for_speaker for inner in block.blocks]
        runs = [run for block in walk(shown) for run in runs_in(block)]
        if runs and all(run.mark is Mark.HIDDEN for run in runs):
            noted = [Paragraph(tuple(replace(run, mark=Mark.HIDDEN) for run in runs_in(block)), number) for block in noted]
        yield from shown
        if noted:
            yield Note(tuple(noted), number, is_for_speaker=True)

    def _speaker_notes(self, item: Any, page: int | None) -> Iterator[Block]:
        """A note with the texts of an item, such as a list, and of what is in it."""
        pending, found = [item], list[Block]()
        while pending:
            each = pending.pop()
            runs, _ = self._with_notes(getattr(each, "text", ""))
            if any(run.text.strip() for run in runs):
                found.append(Paragraph(runs, page))
            pending += [reference.resolve(self._document) for reference in reversed(each.children)]
        if found:
            yield Note(tuple(found), page, is_for_speaker=True)

    def _text_block(self, item: Any, page: int | None, types: tuple[type, ...]) -> Iterator[Block]:
        title, header, listed, code = types
        label = item.label.value
        runs, noted = self._runs(item)
        if not any(run.text.strip() for run in runs):
            pass
        elif isinstance(item, title):
            yield Heading(runs, 1, page)
        elif isinstance(item, header):
            yield Heading(runs, item.level + self._is_page, page)
        elif isinstance(item, listed):
            marker = item.marker.strip()
            yield Item(runs, "" if marker in _BULLETS else marker, page=page)
        elif isinstance(item, code):
            yield Paragraph(runs, page, is_preformatted=True)
        elif label.startswith("checkbox"):
            yield Item(runs, is_checked=label == "checkbox_selected", page=page)
        elif label == "footnote":
            yield Note((Paragraph(runs, page),), page)
        else:
            yield Paragraph(runs, page)
        yield from noted

    def _text(self, text: str, page: int | None) -> Iterator[Block]:
        runs, noted = self._with_notes(text)
        if any(run.text.strip() for run in runs):
            yield Paragraph(runs, page)
        yield from noted

    def _runs(self, item: Any) -> tuple[Runs, list[Block]]:
        from docling_core.types.doc import ContentLayer

        runs, noted = self._with_notes(item.text)
        struck = item.formatting is not None and item.formatting.strikethrough
        mark = Mark.HIDDEN if item.content_layer == ContentLayer.INVISIBLE else Mark.STRUCK if struck else None
        return tuple(replace(run, mark=run.mark or mark) for run in runs), noted

    def _with_notes(self, text: str) -> tuple[Runs, list[Block]]:
        runs, keys = runs_of(text)
        return runs, [Note(tuple(self._notes[key])) for key in keys if key in self._notes]

    def _joined(self, group: Any, page: int | None) -> Iterator[Block]:
        """The text of a group whose parts have lost the spaces between them."""
        runs, noted = list[Run](), list[Block]()
        for reference in group.children:
            part = reference.resolve(self._document)
            if not getattr(part, "text", ""):
                continue
            found, notes = self._runs(part)
            before = runs[-1].text if runs else ""
            is_apart = (
                before and not _NO_SPACE_BEFORE.match(found[0].text if found else "") and not _NO_SPACE_AFTER.search(before)
            )
            runs += [*([Run(" ")] if is_apart else []), *found]
            noted += notes
        if any(run.text.strip() for run in runs):
            yield Paragraph(tuple(runs), page)
        yield from noted

    def _caption(self, item: Any) -> Iterable[Block]:
        for reference in item.captions:
            yield from self._text(reference.resolve(self._document).text, None)

    def _table(self, item: Any, page: int | None) -> Table:
        from docling_core.types.doc.document import RichTableCell

        rows: list[list[tuple[int, Cell]]] = [[] for _ in range(item.data.num_rows)]
        heads, marked, is_form = set(range(item.data.num_rows)), set[int](), False
        for cell in sorted(item.data.table_cells, key=lambda cell: (cell.start_row_offset_idx, cell.start_col_offset_idx)):
            report_progress()
            inner = (
                list(self._block(cell.ref.resolve(self._document)))
                if isinstance(cell, RichTableCell)
                else list(self._text(cell.text, page))
            )
            across = min(cell.col_span, item.data.num_cols - cell.start_col_offset_idx)
            spans = Cell(tuple(inner), min(cell.row_span, item.data.num_rows), max(1, across))
            if cell.start_row_offset_idx < len(rows):
                rows[cell.start_row_offset_idx].append((cell.start_col_offset_idx, spans))
            is_form = is_form or FORM in cell.text
            if HEAD in cell.text:
                marked.add(cell.start_row_offset_idx)
            if not cell.column_header and cell.text.strip():
                heads -= set(range(cell.start_row_offset_idx, cell.end_row_offset_idx))
        head = next((place for place in range(len(rows)) if place not in heads), len(rows))
        caption = [block for block in self._caption(item) if isinstance(block, Paragraph)]
        table = Table(tuple(map(tuple, rows)), head, caption[0].runs if caption else (), page)
        if self._is_page or marked:
            return replace(table, head=max(marked) + 1) if marked == set(range(len(marked))) and marked else table
        return replace(table, head=0 if is_form else head_of(table))


def head_of(table: Table) -> int:
    """1 if the first row of a table without marked heads names its columns, otherwise 0: each of its cells is a short text without an
    amount, and there are at least three. In two columns, the first one usually names the second. 2 if the first row names groups of columns. Rows
    above that are not seen count, too."""
    unseen = next((number for number, row in enumerate(table.rows) if not _is_unseen(row)), 0)
    if unseen:
        head = head_of(replace(table, rows=table.rows[unseen:]))
        return unseen + head if head else 0
    if _has_groups(table):
        return 2
    if len(table.rows) < _MIN_ROWS or len(table.rows[0]) < MIN_COLUMNS or any(cell.columns > 1 for _, cell in table.rows[0]):
        return 0
    names = _texts(table.rows[0])
    return int(are_names(names) and 2 * sum(map(bool, names)) > len(names) and not is_form(table))


def _is_unseen(row: Sequence[tuple[int, Cell]]) -> bool:
    """Whether a row has text, but none that is seen."""
    runs = [run for _, cell in row for block in walk(cell.blocks) for run in runs_in(block)]
    return any(run.mark for run in runs) and not visible(tuple(runs)).strip()


def _has_groups(table: Table) -> bool:
    """Whether the first row has names of groups of columns, and the second row a name of each column in a group, but none below the other names."""
    if len(table.rows) <= _MIN_ROWS or len(table.rows[0]) < 2 or not all(_texts(table.rows[0])):
        return False
    grouped = {place + each for place, cell in table.rows[0] if cell.columns > 1 for each in range(cell.columns)}
    named = {
        place for (place, cell), text in zip(table.rows[1], _texts(table.rows[1]), strict=True) if text and cell.columns == 1
    }
    names = [*_texts(table.rows[0]), *_texts(table.rows[1])]
    has_amounts = any(_has_digit(text) for row in table.rows[2:] for text in _texts(row))
    return bool(grouped) and named == grouped and are_names(names) and has_amounts


def is_form(table: Table) -> bool:
    """Whether a table has a label and its value, twice in each row: no label is there twice or has a digit, and values of the first row or in
    both columns below it differ in kind from each other, which those below a name do not."""
    rows = [_texts(row) for row in table.rows]
    if any(len(row) != _FORM_COLUMNS for row in rows):
        return False
    labels = [text for row in rows for text in row[::2] if text]
    if len(labels) != len(set(labels)) or not all(len(text) <= _LONGEST_LABEL and text[0].isalpha() for text in labels):
        return False
    if any(_has_digit(text) or "@" in text for text in labels):
        return False
    kinds = [{_has_digit(row[place]) for row in rows[1:] if row[place]} for place in (1, 3)]
    return any(map(_has_digit, rows[0])) or all(len(each) > 1 for each in kinds)


def _texts(row: Sequence[tuple[int, Cell]]) -> list[str]:
    return [" ".join(visible(block.runs) for block in cell.blocks if isinstance(block, Paragraph)).strip() for _, cell in row]


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def are_names(texts: Sequence[str]) -> bool:
    """Whether these may be names of columns: short texts without an amount. Numbers are names if they are years or count up."""
    numbers = [number for text in texts if (number := _number(text)) is not None]
    count_up = len(numbers) > 1 and all(after - before == 1 for before, after in pairwise(numbers))
    return all(len(text) <= _LONGEST_NAME and not _VALUE.search(text) for text in texts) and (
        count_up or all(number in _YEARS for number in numbers)
    )


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None

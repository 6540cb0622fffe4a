"""Reads spreadsheets (XLSX, XLSM, XLTX): each visible sheet is a table, as a person sees it."""

from __future__ import annotations

import io
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from msgspec.structs import replace

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Block, Cell, Document, Heading, Paragraph, Table, plain, without_signs
from fundwright.reading.from_docling import head_of
from fundwright.reading.word import check_unpacked_size

_CURRENCY = re.compile(r"\[\$([^\]-]{1,5})[^\]]{0,20}\]|([$€£¥])")
_DECIMALS = re.compile(r"[0#]\.(0+)")
_MOST_COVERED = 1_000_000
_TITLE_ROWS = 10
"""Rows with one text at the top of a sheet are above its table."""


class WorkbookReader:
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    label = "XLSX"
    suffixes = (".xlsx", ".xlsm", ".xltx")

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(b"PK\x03\x04") and (b"xl/" in head or filename.lower().endswith(self.suffixes))

    def read(self, content: bytes, filename: str) -> Document:
        import openpyxl

        check_unpacked_size(content, filename)
        workbook = openpyxl.load_workbook(io.BytesIO(content), data_only=True, keep_links=False)
        sheets = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
        blocks = [block for sheet in sheets for block in _sheet(sheet, is_named=len(sheets) > 1)]
        return Document(tuple(with_boxes(blocks)), without_signs(workbook.properties.title or ""))


def _sheet(sheet: Any, *, is_named: bool) -> Iterator[Block]:
    """The name of a sheet if there are several, the titles above its table, and the table without blank rows and columns."""
    if is_named:
        yield Heading(plain(without_signs(sheet.title)), 1)
    hidden_rows = {place for place, each in sheet.row_dimensions.items() if each.hidden}
    hidden_columns = {
        column for each in sheet.column_dimensions.values() if each.hidden for column in range(each.min or 0, (each.max or 0) + 1)
    }
    shown = dict[int, dict[int, str]]()
    for (row, column), cell in sorted(sheet._cells.items()):
        report_progress()
        text = "" if row in hidden_rows or column in hidden_columns else _shown(cell)
        if text:
            shown.setdefault(row, {})[column] = text
    columns = sorted({column for row in shown.values() for column in row})
    rows = list(shown)
    while rows and len(shown[rows[0]]) == 1 and len(rows) > 1 and len(shown) - len(rows) < _TITLE_ROWS and len(columns) > 1:
        yield Paragraph(plain(next(iter(shown[rows.pop(0)].values()))))
    spans, covered = _merged(sheet, rows, columns)
    cells = list[tuple[tuple[int, Cell], ...]]()
    for row in rows:
        written = list[tuple[int, Cell]]()
        for place, column in enumerate(columns):
            report_progress()
            text = shown[row].get(column, "")
            if (row, column) not in covered:
                written.append((place, Cell((Paragraph(plain(text)),) if text else (), *spans.get((row, column), (1, 1)))))
        cells.append(tuple(written))
    starts = [
        0,
        *(place for place in range(1, len(rows)) if rows[place] - rows[place - 1] > 1 and head_of(Table(tuple(cells[place:])))),
    ]
    for start, end in zip(starts, [*starts[1:], len(cells)], strict=True):
        if start < end:
            yield _with_head(Table(tuple(cells[start:end])))


def _merged(
    sheet: Any, rows: Sequence[int], columns: Sequence[int]
) -> tuple[dict[tuple[int, int], tuple[int, int]], set[tuple[int, int]]]:
    """By its first place, how many of these rows and columns a merged cell spans, and all other places that merged cells cover."""
    spans, covered = dict[tuple[int, int], tuple[int, int]](), set[tuple[int, int]]()
    for each in sheet.merged_cells.ranges:
        report_progress()
        below = rows[bisect_left(rows, each.min_row) : bisect_right(rows, each.max_row)]
        across = columns[bisect_left(columns, each.min_col) : bisect_right(columns, each.max_col)]
        if not below or not across or len(covered) + len(below) * len(across) > _MOST_COVERED:
            continue
        spans[below[0], across[0]] = len(below), len(across)
        covered |= {(row, column) for row in below for column in across} - {(below[0], across[0])}
    return spans, covered


def _with_head(table: Table) -> Table:
    """The first row names the columns, or the second one if the first has names of several columns."""
    spans_columns = any(cell.columns > 1 for _, cell in table.rows[0])
    if spans_columns and head_of(Table(table.rows[1:])):
        return replace(table, head=2)
    return replace(table, head=head_of(table))


def _shown(cell: Any) -> str:
    """A value in the format of its cell."""
    value, form = cell.value, cell.number_format or "General"
    if value is None or form == ";;;" or (cell.font is not None and (cell.font.strike or _is_white(cell))):
        return ""
    match value:
        case bool():
            return str(value).upper()
        case datetime():
            return f"{value:%Y-%m-%d %H:%M}" if value.time() != time() else f"{value:%Y-%m-%d}"
        case date() | time():
            return value.isoformat()
        case int() | float():
            return _number(value, form.split(";")[0])
        case _:
            return " ".join(without_signs(str(value)).split())


def _number(value: float, form: str) -> str:
    """A number as the cell shows it, which is text of the document and not of the reader's language."""
    found = _DECIMALS.search(form)
    decimals = len(found[1]) if found else 0
    if "%" in form:
        return format(value, "." + str(decimals) + "%")
    if form == "General" or not re.search("[0#]", form):
        return format(value, ".10g") if isinstance(value, float) else str(value)
    currency = _CURRENCY.search(form)
    sign = (currency[1] or currency[2]) if currency else ""
    digits = format(abs(value), ("," if "," in form else "") + "." + str(decimals) + "f")
    return ("-" if value < 0 else "") + sign + digits


def _is_white(cell: Any) -> bool:
    color, fill = cell.font.color, cell.fill
    is_white = color is not None and isinstance(color.rgb, str) and color.rgb.upper().endswith("FFFFFF")
    return is_white and (fill is None or fill.fill_type is None)

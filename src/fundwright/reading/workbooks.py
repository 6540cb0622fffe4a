"""Reads spreadsheets (XLSX, XLSM, XLTX): each visible sheet is a table, as a person sees it."""

from __future__ import annotations

import io
import math
import re
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from typing import Any

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.document import Document, Mark, without_signs
from fundwright.reading.sheets import Sheet, document_of
from fundwright.reading.word import check_unpacked_size

_CURRENCY = re.compile(r"\[\$([^\]-]{1,5})[^\]]{0,20}\]|([$€£¥])")
_DECIMALS = re.compile(r"[0#]\.(0+)")
_UNIT = re.compile(r'[0#]\\? ?"( ?[^\W\d_][^"]{0,20})"$')
_MOST_DECIMALS = 30
_LAST_COLUMN = 16_384


class WorkbookReader:
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    label = "XLSX"
    suffixes = (".xlsx", ".xlsm", ".xltx")

    def recognizes(self, head: bytes, filename: str) -> bool:
        return head.startswith(b"PK\x03\x04") and (b"xl/" in head or filename.lower().endswith(self.suffixes))

    def read(self, content: bytes, filename: str) -> Document:
        import openpyxl

        check_unpacked_size(content, filename)
        _spare_covered_cells()
        workbook = openpyxl.load_workbook(io.BytesIO(content), data_only=True, keep_links=False)
        return document_of(map(_sheet, workbook.worksheets), without_signs(workbook.properties.title or ""))


@cache
def _spare_covered_cells() -> None:
    """Keep openpyxl from making an object for each cell that a merged cell or a link covers: there may be billions in a small file."""
    from openpyxl.reader import excel
    from openpyxl.worksheet._reader import WorksheetReader
    from openpyxl.worksheet.cell_range import CellRange, MultiCellRange

    class SheetReader(WorksheetReader):
        def bind_merged_cells(self) -> None:
            if self.parser.merged_cells:
                self.ws.merged_cells = MultiCellRange([CellRange(each.ref) for each in self.parser.merged_cells.mergeCell])

        def bind_hyperlinks(self) -> None:
            """Links are not read."""

    vars(excel)["WorksheetReader"] = SheetReader


def _sheet(sheet: Any) -> Sheet:
    hidden_rows = {place for place, each in sheet.row_dimensions.items() if each.hidden}
    hidden_columns = {
        column
        for each in sheet.column_dimensions.values()
        if each.hidden
        for column in range(each.min or 0, min(each.max or 0, _LAST_COLUMN) + 1)
    }
    merged = [(each.min_row, each.max_row, each.min_col, each.max_col) for each in sheet.merged_cells.ranges]
    result = Sheet(sheet.title, is_hidden=sheet.sheet_state != "visible", merged=merged, first=1)
    for (row, column), cell in sorted(sheet._cells.items()):
        report_progress()
        is_hidden = row in hidden_rows or column in hidden_columns
        result.add(row, column, _shown(cell), Mark.HIDDEN if is_hidden else _mark_of(cell))
    return result


def _shown(cell: Any) -> str:
    """A value in the format of its cell."""
    value, form = cell.value, cell.number_format or "General"
    match value:
        case None:
            return ""
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
    decimals = min(len(found[1]), _MOST_DECIMALS) if found else 0
    if "%" in form:
        return format(_rounded(value, decimals + 2), "." + str(decimals) + "%")
    if form == "General" or not re.search("[0#]", form):
        return format(value, ".10g") if isinstance(value, float) else str(value)
    currency = _CURRENCY.search(form)
    sign = (currency[1] or currency[2]) if currency else ""
    digits = format(_rounded(abs(value), decimals), ("," if "," in form else "") + "." + str(decimals) + "f")
    unit = _UNIT.search(form)
    return ("-" if value < 0 else "") + sign + digits + (f" {unit[1].strip()}" if unit else "")


def _rounded(value: float, decimals: int) -> float | Decimal:
    """As spreadsheet programs round: the half of what is written, 73.645, is rounded up."""
    if isinstance(value, int) or not math.isfinite(value):
        return value
    return Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, Context(prec=400))


def _mark_of(cell: Any) -> Mark | None:
    if cell.font is not None and cell.font.strike:
        return Mark.STRUCK
    return Mark.HIDDEN if cell.number_format == ";;;" or (cell.font is not None and _is_white(cell)) else None


def _is_white(cell: Any) -> bool:
    color, fill = cell.font.color, cell.fill
    is_white = color is not None and isinstance(color.rgb, str) and color.rgb.upper().endswith("FFFFFF")
    return is_white and (fill is None or fill.fill_type is None)

"""Reads tables: CSV and TSV files."""

from __future__ import annotations

import csv
import io
from statistics import median

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.checkboxes import with_boxes
from fundwright.reading.document import Document, without_signs
from fundwright.reading.sheets import Sheet
from fundwright.reading.text import decode, is_text

_SEPARATORS = ",;\t|"


class SeparatedReader:
    media_type = "text/csv"
    label = "CSV"
    suffixes = (".csv", ".tsv", ".tab")

    def recognizes(self, head: bytes, filename: str) -> bool:
        return filename.lower().endswith(self.suffixes) and is_text(head)

    def read(self, content: bytes, filename: str) -> Document:
        text = without_signs(decode(content, filename))
        text = text if "\n" in text else text.replace("\r", "\n")
        first, _, rest = text.partition("\n")
        separator = ""
        if first.lower().startswith("sep=") and len(first.strip()) == 5:  # Excel names the separator in this way
            separator, text = first.strip()[-1], rest
        lines = text[:10_000].splitlines() or [""]
        separator = separator or max(_SEPARATORS, key=lambda each: (median(line.count(each) for line in lines), text.count(each)))
        sheet = Sheet()
        # A quotation mark without an end makes one cell of the rest, which may have more than the usual 131,072 characters.
        usual = csv.field_size_limit(len(text) + 1)
        try:
            for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator)):
                report_progress()
                for column, cell in enumerate(row):
                    sheet.add(number, column, cell if cell.strip() else "")
        finally:
            csv.field_size_limit(usual)
        return Document(tuple(with_boxes(list(sheet.blocks()))))

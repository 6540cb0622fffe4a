"""Reads tables: CSV and TSV files."""

from __future__ import annotations

import csv
import io

from fundwright.core.sandbox_progress import report_progress
from fundwright.reading.document import Cell, Document, Paragraph, Table, plain, without_signs
from fundwright.reading.from_docling import head_of
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
        start = text[:10_000]
        separator = separator or max(_SEPARATORS, key=lambda each: (start.split("\n", 1)[0].count(each), start.count(each)))
        rows = list[tuple[tuple[int, Cell], ...]]()
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            report_progress()
            if any(cell.strip() for cell in row):
                rows.append(
                    tuple((place, Cell((Paragraph(plain(cell)),) if cell.strip() else ())) for place, cell in enumerate(row))
                )
        table = Table(tuple(rows))
        return Document((Table(table.rows, head_of(table)),))

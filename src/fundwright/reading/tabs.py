"""Finds tables that people made with tabs: lines below each other with the same number of cells, which one or more tabs separate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from fundwright.reading.document import Block, Cell, Paragraph, Table, plain, visible
from fundwright.reading.from_docling import MIN_COLUMNS
from fundwright.reading.labels import is_label

_TABS = re.compile(r"\t+")
_MIN_ROWS = 3


def with_tables(blocks: Sequence[Block]) -> list[Block]:
    """Replace such lines by tables, whether they are one paragraph or several. Text with marks stays as it is."""
    return [
        block
        for is_simple, some in groupby(blocks, key=_is_simple)
        for block in (_tables_in([line for each in some for line in _lines(each)]) if is_simple else some)
    ]


def _is_simple(block: Block) -> bool:
    return (
        isinstance(block, Paragraph)
        and not block.is_preformatted
        and block.page is None
        and all(run.mark is None for run in block.runs)
        and "\t" in visible(block.runs)
    )


def _lines(block: Block) -> list[str]:
    return visible(block.runs).split("\n") if isinstance(block, Paragraph) else []


def _tables_in(lines: Sequence[str]) -> Iterator[Block]:
    for count, some in groupby(lines, key=lambda line: len(_cells(line))):
        rows = [*some]
        if count < MIN_COLUMNS or len(rows) < _MIN_ROWS:
            yield Paragraph(plain("\n".join(rows)))
            continue
        cells = [_cells(row) for row in rows]
        table = tuple(tuple((place, Cell((Paragraph(plain(text)),))) for place, text in enumerate(row)) for row in cells)
        names_columns = any(map(is_label, cells[0])) and not any(map(str.isdigit, "".join(cells[0])))
        yield Table(table, head=int(names_columns))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _TABS.split(line.strip()) if cell.strip()]

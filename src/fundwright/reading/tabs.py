"""Finds tables that people made with tabs: lines below each other with the same number of cells, which one or more tabs separate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TypeGuard

from msgspec.structs import replace

from fundwright.reading.document import Block, Cell, Paragraph, Table, plain, visible
from fundwright.reading.from_docling import MIN_COLUMNS
from fundwright.reading.labels import is_label

_TABS = re.compile(r"\t+")
_MIN_ROWS = 3


def with_tables(blocks: Sequence[Block]) -> list[Block]:
    """Replace such lines by tables, whether they are one paragraph or several. Text with marks, and what is no table, stays as it is."""
    lines = [(block, line) for block in blocks for line in (visible(block.runs).split("\n") if _is_simple(block) else [""])]
    runs = [[*run] for _, run in groupby(lines, key=lambda each: len(_cells(each[1])))]
    found = list[Block]()
    for is_table, some in groupby(runs, key=lambda run: _is_table([_cells(line) for _, line in run])):
        if is_table:
            found += [_table([_cells(line) for _, line in run]) for run in some]
            continue
        for _, parts in groupby((each for run in some for each in run), key=lambda each: id(each[0])):
            (block, first), *others = parts
            text = "\n".join([first, *(line for _, line in others)])
            found.append(replace(block, runs=plain(text)) if _is_simple(block) else block)
    return found


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    return len(rows[0]) >= MIN_COLUMNS and len(rows) >= _MIN_ROWS and not _is_contents(rows)


def _table(rows: Sequence[Sequence[str]]) -> Table:
    names_columns = any(map(is_label, rows[0])) and not any(map(str.isdigit, "".join(rows[0])))
    cells = tuple(tuple((place, Cell((Paragraph(plain(text)),))) for place, text in enumerate(row)) for row in rows)
    return Table(cells, head=int(names_columns))


def _is_simple(block: Block) -> TypeGuard[Paragraph]:
    return (
        isinstance(block, Paragraph)
        and not block.is_preformatted
        and block.page is None
        and all(run.mark is None for run in block.runs)
        and "\t" in visible(block.runs)
    )


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _TABS.split(line.strip()) if cell.strip()]


def _is_contents(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first cells are numbers of headings, and the last ones those of pages."""
    pages = [row[-1] for row in rows]
    is_numbered = all(row[0][:1].isdigit() for row in rows) and all(map(str.isdecimal, pages))
    return is_numbered and sorted(pages, key=int) == pages

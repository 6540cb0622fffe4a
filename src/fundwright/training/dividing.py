"""Divides the blocks of a page into parts that are not too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from fundwright.reading.document import (
    Attachment,
    Block,
    Cell,
    Figure,
    Heading,
    Item,
    Margin,
    Note,
    Paragraph,
    Quote,
    Run,
    Runs,
    Table,
    inside,
    runs_in,
)
from fundwright.reading.lines import arranges_text

_PORTION = 160
"""How many lines a portion has at most, if its blocks can be divided."""
_LINE_CHARACTERS = 200
_LONGEST_TEXT = 10_000
_MOST_HEAD_ROWS = 5


def divided(blocks: Sequence[Block]) -> list[list[Block]]:
    """The blocks in portions, at least one."""
    found, weight = [list[Block]()], 0.0
    for block in chain.from_iterable(map(_split, blocks)):
        own = _weight(block)
        if weight > _PORTION / 4 and weight + own > _PORTION:  # a heading is not alone
            found.append([])
            weight = 0.0
        found[-1].append(block)
        weight += own
    return found


def _weight(block: Block) -> float:
    """About how many lines it has."""
    if isinstance(block, Table):
        return 1 + sum(map(_weight_of_row, block.rows))
    return 1 + sum(len(run.text) for run in runs_in(block)) / _LINE_CHARACTERS + sum(map(_weight, inside(block)))


def _weight_of_row(row: Sequence[tuple[int, Cell]]) -> float:
    return 1 + sum(_weight(block) / 4 for _, cell in row for block in cell.blocks)


def _split(block: Block) -> Iterator[Block]:
    """Divide a block that has more than a portion holds."""
    match block:
        case Heading(runs=runs) | Paragraph(runs=runs) | Item(runs=runs) if sum(len(run.text) for run in runs) > _LONGEST_TEXT:
            yield from (Paragraph(part, page=block.page) for part in _split_runs(runs))
        case Table() if arranges_text(block):
            if block.caption:
                yield Paragraph(block.caption, page=block.page)
            yield from chain.from_iterable(_split(inner) for row in block.rows for _, cell in row for inner in cell.blocks)
        case Table() if _weight(block) > _PORTION:
            yield from _slices(block)
        case Attachment(blocks=inner):
            yield replace(block, blocks=(), content=b"")
            yield from chain.from_iterable(map(_split, inner))
        case Note(blocks=inner) | Margin(blocks=inner) | Figure(blocks=inner) | Quote(blocks=inner) if _weight(block) > _PORTION:
            yield from (replace(block, blocks=tuple(part)) for part in divided(inner))
        case _:
            yield block


def _split_runs(runs: Runs) -> Iterator[Runs]:
    """Runs of at most so many characters, between words where possible."""
    for run in runs:
        start = 0
        while start < len(run.text):
            end = min(start + _LONGEST_TEXT, len(run.text))
            space = run.text.rfind(" ", start, end) if end < len(run.text) else -1
            end = space + 1 if space > start else end
            yield (Run(run.text[start:end], run.mark),)
            start = end


def _slices(table: Table) -> Iterator[Table]:
    """A long table as several, each with the names of the columns. A cell that spans rows continues in the next one."""
    head = table.rows[: table.head] if table.head <= _MOST_HEAD_ROWS else ()
    rows, weight = list[tuple[tuple[int, Cell], ...]](), 0.0
    spanning = dict[int, tuple[Cell, int]]()
    caption = table.caption
    for number, row in enumerate(table.rows[len(head) :]):
        own = _weight_of_row(row)
        if rows and weight + own > _PORTION:
            yield replace(table, rows=(*head, *rows), head=len(head), caption=caption)
            rows, weight, caption = [], 0.0, ()
            continued = [(column, replace(cell, rows=end - number)) for column, (cell, end) in spanning.items() if end > number]
            row = tuple(sorted([*continued, *row], key=lambda each: each[0]))
        for column, cell in row:
            if cell.rows > 1:
                spanning[column] = (cell, number + cell.rows)
        rows.append(row)
        weight += own
    if rows:
        yield replace(table, rows=(*head, *rows), head=len(head), caption=caption)

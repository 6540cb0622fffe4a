"""Rows of tables in PDF files with rules only between groups of rows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fundwright.reading.document import Paragraph, Table, visible
from fundwright.reading.formats import read
from fundwright.reading.placed import Box, Line
from fundwright.reading.plugin import document_readers
from fundwright.reading.table_rows import divided, ordered
from tests.support.pdf_files import written_pdf

_NAMES = ("Gauge", "FY 2024", "FY 2025", "Share")
_GAUGES = (("Elk Ford", "511", "77", "3.0"), ("Mill Creek", "1,745", "2,177", "4.7"), ("Sand Point", "2,979", "4,277", "6.4"),
           ("Cedar Falls", "4,213", "6,377", "8.1"), ("Otter Bend", "5,447", "8,477", "9.8"), ("Pine Gap", "6,681", "10,577", "11.5"))  # fmt: skip


def _ruled(rows: Sequence[Sequence[str]], *, below: Sequence[int], turn: str = "") -> bytes:
    """A table with rules around it, between its columns, and below the rows with these numbers. `turn` is a matrix."""
    edges, top, height = (60, 200, 290, 380, 450), 708.5, 11
    rules = [top - height * row for row in (0, *below, len(rows))]
    lines = [f"{edges[0]} {y} m {edges[-1]} {y} l S" for y in rules]
    lines += [f"{x} {rules[0]} m {x} {rules[-1]} l S" for x in edges]
    texts = [
        f"1 0 0 1 {x + 4} {top - 8.5 - height * place} Tm ({text})"
        for place, row in enumerate(rows)
        for x, text in zip(edges, row, strict=False)
    ]
    before = f"ET {turn} 0.5 w {' '.join(lines)} BT /F1 8 Tf"
    return written_pdf([text.encode() for text in texts], before=before.encode())


def _rows(content: bytes) -> list[list[str]]:
    document = read(document_readers(), content, "gauges.pdf")
    table = next(block for block in document.blocks if isinstance(block, Table))
    assert table.head == 1
    return [
        [" ".join(visible(block.runs) for block in cell.blocks if isinstance(block, Paragraph)) for _, cell in row]
        for row in table.rows
    ]


@pytest.mark.parametrize("below", [(1, 3, 5), (2, 4), (1, 4)], ids=["pairs", "names with the first row", "threes"])
def test_each_row_keeps_its_own_numbers(below: tuple[int, ...]) -> None:
    rows = [_NAMES, *_GAUGES]
    assert _rows(_ruled(rows, below=below)) == [list(row) for row in rows]


@pytest.mark.parametrize(
    "turn", ["0 1 -1 0 792 0 cm", "0 -1 1 0 -90 520 cm", "-1 0 0 -1 612 1310 cm"], ids=["left", "right", "over"]
)
def test_a_table_that_lies_on_its_side_is_read(turn: str) -> None:
    rows = [_NAMES, *_GAUGES]
    assert _rows(_ruled(rows, below=range(1, len(rows)), turn=turn)) == [list(row) for row in rows]


Column = Sequence[tuple[str, float]]
"""Texts and their heights."""


def _divided(*columns: Column) -> list[list[list[tuple[str, int]]]]:
    """The only row of a table with these columns."""
    return _divided_rows(columns)


def _divided_rows(*rows: Sequence[Column]) -> list[list[list[tuple[str, int]]]]:
    written, texts = list[list[tuple[str, Box]]](), list[Line]()
    for columns in rows:
        written.append([])
        for place, column in enumerate(columns):
            lines = [Line(text, (100.0 * place, y, 100.0 * place + 50, y + 8)) for text, y in column]
            written[-1].append((" ".join(line.text for line in lines), lines[0].box))
            texts += lines
    return [[[(line.text, span) for line, span in part.values()] for part in parts] for parts in divided(written, ordered(texts))]


_MEANS = [("12.1", 0.0), ("(0.4)", 10.0)]


def test_a_value_and_its_deviation_stay_in_one_cell() -> None:
    assert _divided([("Ford", 5.0)], _MEANS, _MEANS) == [[]]


def test_a_label_between_two_rows_stands_for_both() -> None:
    numbers = [("12", 0.0), ("14", 10.0)]
    assert _divided([("Ford", 5.0)], numbers, numbers) == [[[("12", 1), ("12", 1), ("Ford", 2)], [("14", 1), ("14", 1)]]]


def test_a_label_of_two_lines_beside_one_line_of_numbers_stays_whole() -> None:
    assert _divided([("Old", 0.0), ("Ford", 10.0)], [("12", 0.0)], [("14", 0.0)]) == [[]]


def test_a_row_is_not_divided_if_that_would_move_a_text() -> None:
    numbers = [("12", 0.0), ("14", 10.0)]
    row = [("Ford Bend", (0.0, 0.0, 50.0, 10.0)), ("12 14", (100.0, 0.0, 150.0, 10.0)), ("12 14", (200.0, 0.0, 250.0, 10.0))]
    texts = [Line("Ford", (0.0, 0.0, 50.0, 8.0)), Line("Bend", (120.0, 10.0, 149.0, 18.0))]
    texts += [Line(text, (x, y, x + 50, y + 8)) for x in (100.0, 200.0) for text, y in numbers]
    assert divided([row], ordered(texts)) == [[]]


_FORDS = ([("Ford", 20.0), ("Bend", 30.0)], [("3", 20.0), ("5", 30.0)], [("4", 20.0), ("6", 30.0)])


def test_names_of_columns_are_divided_from_the_first_row_where_others_are_divided() -> None:
    names = ([("Gauge", 0.0), ("Creek", 10.0)], [("Low", 0.0), ("1", 10.0)], [("High", 0.0), ("2", 10.0)])
    assert _divided_rows(names, _FORDS)[0] == [[("Gauge", 1), ("Low", 1), ("High", 1)], [("Creek", 1), ("1", 1), ("2", 1)]]


def test_names_of_columns_that_end_with_a_year_stay_whole() -> None:
    names = ([("Gauge", 5.0)], [("FY", 0.0), ("2024", 10.0)], [("FY", 0.0), ("2025", 10.0)])
    assert _divided_rows(names, _FORDS)[0] == []

"""Two columns of labeled values on a page of a PDF file are read one after the other."""

from __future__ import annotations

from collections.abc import Mapping

from fundwright.reading.lines import lines_of
from fundwright.reading.pdf import PdfReader
from tests.support.pdf_files import painted_pdf


def page(rows: list[Mapping[int, str]]) -> bytes:
    """Texts by their distance from the left, line by line."""
    texts = (
        b"1 0 0 1 %d %d Tm (%s) Tj" % (x, 700 - 14 * number, text.encode("cp1252"))
        for number, row in enumerate(rows)
        for x, text in row.items()
        if text
    )
    return painted_pdf(b"BT /F1 10 Tf " + b" ".join(texts) + b" ET")


def read(rows: list[Mapping[int, str]]) -> list[str]:
    return [line for block in lines_of(PdfReader().read(page(rows), "a.pdf")) for line in block.text.split("\n")]


def test_each_project_has_its_own_values() -> None:
    lines = read(
        [
            {60: "Lapwai Creek Fish Passage", 320: "Upper Wallowa Reconnection"},
            {60: "Owner", 130: "Nez Perce District", 320: "Owner", 390: "Bureau of Reclamation"},
            {60: "Contract no.", 130: "NPS-22-014", 320: "Contract no.", 390: "140R1023P0057"},
            {60: "Final value", 130: "$1,284,600", 320: "Final value", 390: "$2,067,900"},
            {60: "Period", 130: "06/2022 - 10/2022", 320: "Period", 390: "07/2023 - 09/2024"},
            {60: "We removed two perched pipes on the road", 320: "We reconnected 3.1 miles of side channel"},
            {60: "and set two bottomless arches on footings.", 320: "and built 146 log structures with fill."},
        ]
    )
    text = "\n".join(lines)
    assert text.index("$1,284,600") < text.index("perched pipes") < text.index("$2,067,900") < text.index("side channel")
    assert not any("Nez Perce" in line and "Bureau" in line for line in lines)


def test_a_table_of_four_columns_stays_one() -> None:
    rows: list[Mapping[int, str]] = [
        {60: "Role", 180: "Site", 320: "Rate", 440: "Hours"},
        {60: "Engineer", 180: "Omaha", 320: "$120", 440: "100"},
        {60: "Analyst", 180: "Reno", 320: "$95", 440: "200"},
        {60: "Manager", 180: "Omaha", 320: "$150", 440: "50"},
    ]
    assert any("Engineer" in line and "Omaha" in line and "$120" in line and "100" in line for line in read(rows))

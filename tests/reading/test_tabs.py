from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import docx
import pytest

from fundwright.reading.document import Document, Table, text_in
from fundwright.reading.formats import read
from fundwright.reading.plugin import document_readers

ROSTER = "Name\t\tJob\tSince\nAda Example\tforeman\t2016\nBo Example\trigger\t\t2019\nCy Example\tsewer\t2020"


def as_text(lines: str) -> Document:
    return read(list(document_readers()), lines.encode(), "roster.txt")


def as_word(lines: str) -> Document:
    file, content = docx.Document(), BytesIO()
    for line in lines.split("\n"):
        file.add_paragraph(line)
    file.save(content)
    return read(list(document_readers()), content.getvalue(), "roster.docx")


@pytest.mark.parametrize("reader", [as_text, as_word])
def test_lines_with_the_same_number_of_cells_are_a_table(reader: Callable[[str], Document]) -> None:
    document = reader(f"Crew list\n{ROSTER}\nEverybody works on Mondays.")
    (table,) = [block for block in document.blocks if isinstance(block, Table)]
    assert table.head == 1
    assert [[text_in(cell.blocks[0]) for _, cell in row] for row in table.rows[1:]] == [
        ["Ada Example", "foreman", "2016"],
        ["Bo Example", "rigger", "2019"],
        ["Cy Example", "sewer", "2020"],
    ]
    texts = [text_in(block) for block in document.blocks if not isinstance(block, Table)]
    assert "\n".join(texts).split("\n") == ["Crew list", "Everybody works on Mondays."]


def test_a_first_line_with_values_names_no_columns() -> None:
    (table,) = as_text("Ada Example\tforeman\t2016\nBo Example\trigger\t2019\nCy Example\tsewer\t2020").blocks
    assert isinstance(table, Table)
    assert (table.head, len(table.rows)) == (0, 3)


@pytest.mark.parametrize("text", ["Uei\tABC\nCage\tX\nEin\t12", "One\ttwo\tthree\nfour\tfive\nsix\tseven\teight"])
def test_labels_with_values_and_lines_of_other_lengths_are_none(text: str) -> None:
    assert not [block for block in as_text(text).blocks if isinstance(block, Table)]


def test_what_is_no_table_stays_as_it_is() -> None:
    (paragraph,) = as_text("Office hours\nMonday\t8 to 4\nTuesday\t9 to 5\tor by phone").blocks
    assert text_in(paragraph) == "Office hours\nMonday\t8 to 4\nTuesday\t9 to 5\tor by phone"
    blocks = as_word("Ann Carter\tExecutive Director\nBob Jones\tTreasurer\nPhone:\t555-0100").blocks
    assert [text_in(block) for block in blocks] == ["Ann Carter\tExecutive Director", "Bob Jones\tTreasurer", "Phone:\t555-0100"]


def test_a_table_of_contents_is_no_table() -> None:
    text = "1.\tIntroduction\t3\n2.\tMethods\t4\n3.\tResults\t11"
    assert not [block for block in as_word(text).blocks if isinstance(block, Table)]

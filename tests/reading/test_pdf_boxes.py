"""Where blocks of PDF files stand on their pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pypdf
import pytest

from fundwright.reading import pdf_pages, stored
from fundwright.reading.document import Block, Document, Field, Item, PageBox, Table, runs_in, text_in, visible, walk
from fundwright.reading.formats import read
from fundwright.reading.pdf_pages import PageWords
from fundwright.reading.placed import contains
from fundwright.reading.plugin import document_readers
from fundwright.reading.table_rows import letters_of
from tests.reading.pictures import page_of, page_with_table, saved
from tests.reading.test_table_rows import _GAUGES, _NAMES, _ruled
from tests.support.pdf_files import painted_pdf, with_field, written_pdf

TEXT = [b"(We build boats for every harbor of the bay.)", b"(We repair them, too.)"]


def document_of(content: bytes) -> Document:
    return stored.unpack(stored.pack(read(list(document_readers()), content, "a.pdf")))


def boxed(content: bytes) -> list[tuple[str, PageBox]]:
    """The texts of a document with the boxes of their blocks."""
    blocks = walk(document_of(content).blocks)
    return [(text, block.box) for block in blocks if (text := visible(runs_in(block))) and block.box is not None]


def words_in(box: PageBox, page: PageWords) -> str:
    """The words of a page whose middle is inside of a box."""
    width, height = page.width or 0.0, (page.width or 0.0) * page.height
    inside = [
        each
        for each in page.words
        if contains(box, (each.left * width, each.top * height, each.right * width, each.bottom * height))
    ]
    return " ".join(each.text for each in inside)


def page_words(content: bytes, folder: Path, number: int = 1) -> PageWords:
    path = folder / "a.pdf"
    path.write_bytes(content)
    (found,) = pdf_pages.words(path, "a.pdf", number)
    return msgspec.json.decode(found, type=PageWords)


def turned(degrees: int) -> Callable[[pypdf.PdfWriter], None]:
    def changed(writer: pypdf.PdfWriter) -> None:
        writer.pages[0].rotate(degrees)
        writer.pages[0].cropbox = pypdf.generic.RectangleObject((20, 30, 600, 780))

    return changed


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_box_is_around_the_text_on_the_page_as_it_is_shown(degrees: int, tmp_path: Path) -> None:
    painted = b"BT /F1 11 Tf 60 700 Td (Rates) Tj 0 -40 Td (We build boats for every harbor, and repair them, too.) Tj ET"
    content = painted_pdf(painted, changed=turned(degrees))
    page, found = page_words(content, tmp_path), boxed(content)
    assert page.width == (580 if degrees % 180 == 0 else 750)
    assert [text for text, _ in found] == ["Rates", "We build boats for every harbor, and repair them, too."]
    for text, box in found:
        assert words_in(box, page) == text
        assert 11 <= min(box[2] - box[0], box[3] - box[1]) <= 20


@pytest.mark.parametrize(
    "turn", ["", "0 1 -1 0 792 0 cm", "0 -1 1 0 -90 520 cm", "-1 0 0 -1 612 1310 cm"], ids=["upright", "left", "right", "over"]
)
def test_each_cell_has_its_box_also_in_a_table_that_lies_on_its_side(turn: str, tmp_path: Path) -> None:
    content = _ruled([_NAMES, *_GAUGES], below=(1, 3, 5), turn=turn)
    page, found = page_words(content, tmp_path), boxed(content)
    assert len(found) == 28
    assert [letters_of(words_in(box, page)) for _, box in found] == [letters_of(text) for text, _ in found]


def test_a_table_has_the_box_of_all_of_it() -> None:
    (table,) = [block for block in document_of(_ruled([_NAMES, *_GAUGES], below=range(1, 7))).blocks if isinstance(block, Table)]
    assert table.box == (60, 83, 450, 161)


def test_each_checked_box_and_the_value_of_a_field_are_where_the_form_has_them() -> None:
    painted = b"BT /F1 11 Tf 60 700 Td (Name:) Tj 0 -60 Td 14 TL ([x] Small business) Tj T* ([ ] Veteran-owned) Tj ET"
    blocks = document_of(painted_pdf(painted, changed=with_field)).blocks
    assert [text_in(block).split() for block in blocks] == [["Name", "Harbor", "Works"], ["Small", "business"], ["Veteran-owned"]]
    assert isinstance(blocks[0], Field) and blocks[0].box is not None
    assert blocks[0].box[0] == 60 and blocks[0].box[1] <= 80 and blocks[0].box[2] == 300
    assert all(isinstance(block, Item) for block in blocks[1:])


def scans() -> Iterator[tuple[bytes, int]]:
    page = page_of("We build boats for every harbor of the bay.", "We repair them, too, in all seasons of the year.")
    yield saved(page, form="PDF", resolution=150), 0
    yield saved(page.rotate(90, expand=True), form="PDF", resolution=150), 270


@pytest.mark.parametrize(("content", "turn"), list(scans()), ids=["upright", "sideways"])
def test_on_a_scan_it_is_on_the_page_that_was_turned(content: bytes, turn: int) -> None:
    document = document_of(content)
    (scan,), (block,) = document.scans, document.blocks
    assert round(scan.turn) == turn and scan.width == pytest.approx(612, abs=4)
    assert block.box is not None
    left, top, right, bottom = block.box
    assert left == pytest.approx(120 * 72 / 150, abs=5) and top == pytest.approx(120 * 72 / 150, abs=5)
    assert 280 < right < 360 and bottom - top < 40
    assert words_in(block.box, PageWords(1, scan.height, scan.words, scan.width)).startswith("We build")


def test_cells_of_a_scanned_table_have_boxes() -> None:
    rows = [("Role", "Rate", "Days"), ("Lead", "$90", "5"), ("Hand", "$60", "9")]
    document = document_of(saved(page_with_table(rows, (200, 200, 200), is_ruled=True), form="PDF", resolution=150))
    (table,) = [block for block in document.blocks if isinstance(block, Table)]
    cells = [block for block in walk([table]) if block is not table]
    assert len(cells) == 9 and all(_is_inside(cell, table) for cell in cells)


def _is_inside(block: Block, outer: Block) -> bool:
    assert block.box is not None and outer.box is not None
    (left, top, right, bottom), around = block.box, outer.box
    return around[0] <= left < right <= around[2] and around[1] <= top < bottom <= around[3]


def test_a_text_off_the_page_has_a_box_on_its_edge() -> None:
    content = written_pdf([*TEXT, b"1 0 0 1 4000 700 Tm (Off the page.)"])
    assert all(0 <= left <= right <= 612 and 0 <= top <= bottom <= 792 for _, (left, top, right, bottom) in boxed(content))

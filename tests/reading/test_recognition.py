"""Pages and files that are pictures."""

from __future__ import annotations

import io
from pathlib import Path

import pypdf
import pytest
from PIL import Image

from fundwright.reading import recognition
from fundwright.reading.document import Document, Paragraph
from fundwright.reading.formats import Unreadable, read
from fundwright.reading.lines import Line, lines_of
from fundwright.reading.plugin import document_readers
from tests.reading.pictures import page_of, page_with, pdf_with_a_font_without_a_character_map, picture_of, saved
from tests.support.pdf_files import written_pdf

_READERS = list(document_readers())
_LETTER = (
    "Fern Hollow replaced 14 bridges for Marion County",
    "between 2021 and 2024 for $9,870,000.",
    "",
    "Ruth Amari signed it.",
)
_READ = ["Fern Hollow replaced 14 bridges for Marion County\nbetween 2021 and 2024 for $9,870,000.", "Ruth Amari signed it."]


def document_of(content: bytes, filename: str) -> Document:
    return read(_READERS, content, filename)


def texts(content: bytes, filename: str) -> list[str]:
    return [line.text for line in lines_of(document_of(content, filename))]


class TestPdf:
    def test_a_page_that_is_a_picture_is_read_in_its_place_with_the_confidence_of_its_paragraphs(self) -> None:
        writer = pypdf.PdfWriter()
        for each in (written_pdf([b"(First page)"]), picture_of(*_LETTER, form="PDF"), written_pdf([b"(Last page)"])):
            writer.append(io.BytesIO(each))
        writer.write(target := io.BytesIO())
        document = document_of(target.getvalue(), "a.pdf")
        assert lines_of(document) == [
            Line("First page", page=1),
            *(Line(text, page=2) for text in _READ),
            Line("Last page", page=3),
        ]
        confidences = [block.confidence for block in document.blocks if isinstance(block, Paragraph)]
        assert [each if each is None else each > 0.9 for each in confidences] == [None, True, True, None]

    def test_a_font_that_does_not_say_which_characters_it_has_is_read_as_a_picture(self) -> None:
        assert texts(pdf_with_a_font_without_a_character_map([line for line in _LETTER if line]), "a.pdf") == [
            "\n".join([*_READ])
        ]

    def test_a_stamp_on_a_picture_does_not_hide_it(self) -> None:
        writer = pypdf.PdfWriter(io.BytesIO(written_pdf([b"(Received)"])))
        writer.pages[0].merge_page(
            pypdf.PdfReader(io.BytesIO(picture_of(*_LETTER, form="PDF"))).pages[0], over=False, expand=True
        )
        writer.write(target := io.BytesIO())
        assert _READ[1] in texts(target.getvalue(), "a.pdf")

    def test_the_header_of_pictures_comes_last_and_once(self) -> None:
        pages = [
            page_of("Request for Proposals", *[""] * 8, f"Volume {volume} describes the roof.")
            for volume in ("one", "two", "three")
        ]
        found = texts(saved(*pages, form="PDF"), "a.pdf")
        assert found == [*(f"Volume {volume} describes the roof." for volume in ("one", "two", "three")), "Request for Proposals"]

    def test_no_more_than_a_share_of_a_document_is_recognized(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(recognition, "_MOST_PICTURES", 1)
        scan = saved(page_of("The first of two pages."), page_of("The second of two pages."), form="PDF")
        assert texts(scan, "a.pdf") == ["The first of two pages."]
        assert texts(scan, "a.pdf") == ["The first of two pages."]

    def test_a_picture_without_text_is_refused(self) -> None:
        with pytest.raises(Unreadable, match="There is no text in “a.pdf”. If it is a scan, scan it again"):
            document_of(saved(page_of(), form="PDF"), "a.pdf")


class TestImages:
    @pytest.mark.parametrize("form", ["JPEG", "PNG", "TIFF"])
    def test_are_read(self, form: str) -> None:
        assert texts(picture_of(*_LETTER, form=form), "scan") == _READ

    def test_a_photo_is_turned_as_its_camera_says(self) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6  # the camera was held on its side
        assert texts(saved(page_of(*_LETTER).transpose(Image.Transpose.ROTATE_90), form="JPEG", exif=exif), "a.jpg") == _READ

    def test_pages_of_a_tiff_have_numbers(self) -> None:
        pages = [page_of("The first page.").convert("1"), page_of("The second page.")]
        assert lines_of(document_of(saved(*pages, form="TIFF"), "a.tif")) == [
            Line("The first page.", page=1),
            Line("The second page.", page=2),
        ]

    def test_what_is_transparent_is_white(self) -> None:
        mask = page_of(*_LETTER).convert("L").point(lambda light: 255 - light)
        page = Image.new("RGBA", mask.size, (0, 0, 0, 0))
        page.putalpha(mask)
        assert texts(saved(page), "a.png") == _READ

    def test_an_enormous_picture_is_refused(self) -> None:
        with pytest.raises(Unreadable, match="“a.png” has more than"):
            document_of(saved(Image.new("1", (10_000, 10_000))), "a.png")


class TestPages:
    @pytest.mark.parametrize("turn", [90, 180, 270, 5, -5, 1.5])
    def test_that_are_turned_or_skewed_are_read(self, turn: float) -> None:
        assert (
            texts(saved(page_of(*_LETTER).rotate(turn, Image.Resampling.BICUBIC, expand=True, fillcolor="white")), "a.png")
            == _READ
        )

    def test_columns_of_prose_are_read_one_after_another(self) -> None:
        left = (
            "Our crew repairs",
            "the roofs of schools",
            "and keeps them dry",
            "for twenty years",
            "with slate that",
            "comes from Vermont.",
        )
        right = (
            "The office plans",
            "each visit before",
            "the crew arrives",
            "so that no lesson",
            "has to be moved",
            "to another room.",
        )
        placed = [(120, 200 + 31 * row, text) for row, text in enumerate(left)] + [
            (700, 212 + 31 * row, text) for row, text in enumerate(right)
        ]
        assert texts(saved(page_with([(120, 100, "Two teams work for the schools of our county and of the next"), *placed])), "a.png") == [
            "Two teams work for the schools of our county and of the next", "\n".join(left), "\n".join(right),
        ]  # fmt: skip

    def test_rows_of_a_table_stay_together(self) -> None:
        rows = [("Item", "Quantity", "Cost"), ("Pumps", "12", "$4,100"), ("Valves", "30", "$2,250"), ("Sensors", "8", "$960")]
        placed = [
            (120 + 300 * column, 200 + 40 * row, text) for row, cells in enumerate(rows) for column, text in enumerate(cells)
        ]
        assert texts(saved(page_with(placed)), "a.png") == ["\n".join("    ".join(row) for row in rows)]

    def test_light_text_on_dark_and_small_pictures_are_read(self) -> None:
        banner = page_with([(20, 20, "Open since 1998")], size=(320, 70)).point(lambda light: 255 - light)
        assert texts(saved(banner), "a.png") == ["Open since 1998"]


def test_the_examples_of_real_scans(shared_cases: Path) -> None:
    path = shared_cases / "documents" / "p04_half_scanned.pdf"
    pages = {line.page: line.text for line in lines_of(document_of(path.read_bytes(), path.name))}
    assert "14 bridges for Marion County" in pages[2] and "41 days early" in pages[3]

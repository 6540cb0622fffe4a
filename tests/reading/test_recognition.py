"""Pages and files that are pictures."""

from __future__ import annotations

import io
from pathlib import Path

import pypdf
import pytest
from PIL import Image, ImageDraw, ImageOps

from fundwright.reading import recognition
from fundwright.reading.document import Document, Item, Paragraph, Table, visible
from fundwright.reading.formats import Unreadable, read
from fundwright.reading.lines import Line, lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import report_of
from fundwright.reading.rulings import rulings_in
from tests.reading.pictures import page_of, page_with, page_with_table, pdf_with_a_font_without_a_character_map, picture_of, saved
from tests.support.pdf_files import written_pdf

_READERS = list(document_readers())
_LETTER = (
    "Fern Hollow replaced 14 bridges for Marion County",
    "between 2021 and 2024 for $9,870,000.",
    "",
    "Ruth Amari signed it.",
)
_BOXES = [
    (160, 280 + 60 * number, text)
    for number, text in enumerate(
        ("Minority-owned business", "8(a) participant", "Veteran-owned small business", "HUBZone small business")
    )
]
_READ = ["Fern Hollow replaced 14 bridges for Marion County\nbetween 2021 and 2024 for $9,870,000.", "Ruth Amari signed it."]


def document_of(content: bytes, filename: str) -> Document:
    return read(_READERS, content, filename)


def texts(content: bytes, filename: str) -> list[str]:
    return [line.text for line in lines_of(document_of(content, filename))]


def tables(document: Document) -> list[list[list[str]]]:
    """The texts of the cells of each table."""
    return [
        [
            ["\n".join(visible(each.runs) for each in cell.blocks if isinstance(each, Paragraph)) for _, cell in row]
            for row in block.rows
        ]
        for block in document.blocks
        if isinstance(block, Table)
    ]


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
    @pytest.mark.parametrize(
        "form", ["JPEG", pytest.param("PNG", marks=pytest.mark.slow), pytest.param("TIFF", marks=pytest.mark.slow)]
    )
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

    def test_pages_of_a_tiff_beyond_the_share_are_reported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(recognition, "_MOST_PICTURES", 1)
        report = report_of(
            document_of(saved(*(page_of(f"Page {name}.") for name in ["one", "two", "three"]), form="TIFF"), "a.tif")
        )
        assert (report.pages, report.unread_text) == (3, "2 pages at the end of the file")

    def test_what_is_transparent_is_white(self) -> None:
        mask = page_of(*_LETTER).convert("L").point(lambda light: 255 - light)
        page = Image.new("RGBA", mask.size, (0, 0, 0, 0))
        page.putalpha(mask)
        assert texts(saved(page), "a.png") == _READ

    @pytest.mark.parametrize("turn", [180, 3, *(pytest.param(each, marks=pytest.mark.slow) for each in (0, 90, 270))])
    def test_words_have_places_in_the_picture_that_was_turned_upright(self, turn: int) -> None:
        page = page_of(*_LETTER).rotate(turn, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
        (scan,) = document_of(saved(page), "a.png").scans
        assert [word.text for word in scan.words] == " ".join(_READ).split()
        assert abs((scan.turn + turn + 180) % 360 - 180) < 0.5
        straight = page.rotate(scan.turn, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
        assert scan.height == pytest.approx(straight.height / straight.width, rel=0.01)
        for word in scan.words:
            box = (
                word.left * straight.width,
                word.top * straight.height,
                word.right * straight.width,
                word.bottom * straight.height,
            )
            ink = ImageOps.invert(straight.convert("L")).crop(box).getbbox()
            assert ink is not None and ink[2] - ink[0] > 0.6 * (box[2] - box[0])

    def test_an_enormous_picture_is_refused(self) -> None:
        with pytest.raises(Unreadable, match="“a.png” has more than"):
            document_of(saved(Image.new("1", (10_000, 10_000))), "a.png")


class TestPages:
    @pytest.mark.parametrize(
        "turn", [90, 180, pytest.param(270, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow), -5, 1.5]
    )
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
        assert texts(saved(page_with(placed)), "a.png") == [
            "| Item | Quantity | Cost |\n| - | - | - |\n| Pumps | 12 | $4,100 |",
            "| Valves | 30 | $2,250 |",
            "| Sensors | 8 | $960 |",
        ]

    @pytest.mark.parametrize(
        ("is_ruled", "dpi", "skew"),
        [
            (True, 150, 1.5),
            pytest.param(True, 300, 0, marks=pytest.mark.slow),
            (False, 150, 1.5),
            pytest.param(False, 300, 0, marks=pytest.mark.slow),
        ],
    )
    def test_tables_keep_their_columns(self, is_ruled: bool, dpi: int, skew: float) -> None:
        rows = [
            ("Role", "Unit", "Rate", "Notes"),
            ("Senior diver", "hour", "$90.00", "with gear"),
            ("Captain", "", "$60.00", ""),
            ("Pilot boat", "day", "$1,250.00", "with fuel"),
            ("Crane", "", "$410.00", ""),
        ]
        page = page_with_table(rows, (300, 150, 200, 260), is_ruled=is_ruled, dpi=dpi)
        scan = page.rotate(skew, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
        assert tables(document_of(saved(scan), "a.png")) == [[list(row) for row in rows]]

    def test_rows_between_lines_of_a_wide_page_that_is_still_skewed_stay_apart(self) -> None:
        page = Image.new("RGB", (1650, 1275), "white")
        draw = ImageDraw.Draw(page)
        rulings = [[(100, top, 1550, top), (100, top + 40, 100, top), (1550, top + 40, 1550, top)] for top in range(200, 601, 40)]
        for each in (*(line for lines in rulings for line in lines), (800, 200, 800, 640), (100, 640, 1550, 640)):
            draw.line(each, "black", 4)
        skewed = page.rotate(0.25, Image.Resampling.BICUBIC, fillcolor="white")
        across = [box for box in rulings_in(skewed, height=1275) if box[2] - box[0] > 1_000]
        assert len(across) == 12

    @pytest.mark.parametrize("skew", [0, 1.5])
    def test_check_boxes_that_are_drawn_are_checked_or_not(self, skew: float) -> None:
        page = page_with([(120, 120, "The company is"), *_BOXES])
        draw = ImageDraw.Draw(page)
        for number, (left, top, _) in enumerate(_BOXES):
            box = (left - 40, top, left - 14, top + 26)
            draw.rectangle(box, outline="black", width=2)
            if number % 2 == 0:
                draw.line(box, "black", 3)
                draw.line((box[0], box[3], box[2], box[1]), "black", 3)
        scan = page.rotate(skew, Image.Resampling.BICUBIC, fillcolor="white")
        document = document_of(saved(scan), "a.png")
        items = [block for block in document.blocks if isinstance(block, Item)]
        assert [(visible(item.runs), item.is_checked) for item in items] == [
            (text, number % 2 == 0) for number, (*_, text) in enumerate(_BOXES)
        ]
        assert "8(a) participant" not in " ".join(line.text for line in lines_of(document))

    def test_letters_and_bullets_are_no_check_boxes(self) -> None:
        page = page_of("DO BOB AND BEN ROB A DEN OF 8,000 BEEF RODEOS", "D", "O 8 B 0", "BOOKED 00800")
        ImageDraw.Draw(page).rectangle((90, 124, 108, 142), fill="black")
        assert not any(sign in text for text in texts(saved(page), "a.png") for sign in "☐□☒")

    def test_cells_of_a_drawn_table_have_several_lines_and_span_columns(self) -> None:
        page = page_with(
            [(140, 212, "Rates of all of the crew"), (140, 260, "Diver and"), (140, 286, "tender"), (440, 260, "$90")]
        )
        draw = ImageDraw.Draw(page)
        for box in ((120, 200, 700, 250), (120, 250, 400, 330), (400, 250, 700, 330)):
            draw.rectangle(box, outline="black", width=2)
        document = document_of(saved(page), "a.png")
        (table,) = [block for block in document.blocks if isinstance(block, Table)]
        assert [[(column, cell.columns) for column, cell in row] for row in table.rows] == [[(0, 2)], [(0, 1), (1, 1)]]
        assert tables(document) == [[["Rates of all of the crew"], ["Diver and\ntender", "$90"]]]

    def test_a_cell_of_two_lines_is_one_cell(self) -> None:
        rows = [("Item", "Unit", "Cost"), ("Pumps", "each", "$410"), ("Valves", "each", "$22"), ("Sensors", "each", "$96")]
        placed = [
            (120 + 300 * column, 200 + 70 * row, text) for row, cells in enumerate(rows) for column, text in enumerate(cells)
        ]
        found = tables(document_of(saved(page_with([*placed, (420, 200 + 70 + 28, "or pair")])), "a.png"))
        assert found == [[list(row) if row[0] != "Pumps" else ["Pumps", "each\nor pair", "$410"] for row in rows]]

    def test_light_text_on_dark_and_small_pictures_are_read(self) -> None:
        banner = page_with([(20, 20, "Open since 1998")], size=(320, 70)).point(lambda light: 255 - light)
        assert texts(saved(banner), "a.png") == ["Open since 1998"]


def test_the_examples_of_real_scans(shared_cases: Path) -> None:
    path = shared_cases / "documents" / "p04_half_scanned.pdf"
    pages = {line.page: line.text for line in lines_of(document_of(path.read_bytes(), path.name))}
    assert "14 bridges for Marion County" in pages[2] and "41 days early" in pages[3]

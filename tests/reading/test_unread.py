"""What a file holds that was not read is found by comparing its parts with the blocks."""

from __future__ import annotations

import io
import re
import zipfile
from email.message import EmailMessage

import docx
import openpyxl
import pptx
import pypdf
import pypdfium2
import pytest
from docx.shared import Inches
from msgspec.structs import replace
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, TextStringObject

from fundwright.core.messages import using_language
from fundwright.reading.document import Block, Cell, Document, Figure, Mark, Missing, Paragraph, Run, Table, Unread, plain
from fundwright.reading.formats import read
from fundwright.reading.lines import lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import report_of
from fundwright.reading.unread import with_unread
from tests.reading.pictures import page_of, saved
from tests.support.pdf_files import painted_pdf, written_pdf

_READERS = list(document_readers())
TEXT = "The crew of nine people repairs roofs and gutters in every county of the state."


def unread(content: bytes, filename: str) -> list[tuple[str, int | None, str, int]]:
    found = read(_READERS, content, filename)
    return [(each.missing.value, each.page, each.name, each.count) for each in found.unread]


def picture(width: int, height: int) -> io.BytesIO:
    Image.effect_noise((width, height), 60).save(target := io.BytesIO(), "PNG")
    target.seek(0)
    return target


def word(*pictures: io.BytesIO, parts: dict[str, bytes] | None = None) -> bytes:
    document = docx.Document()
    document.add_paragraph(TEXT)
    for each in pictures:
        document.add_picture(each, width=Inches(4))
    document.save(target := io.BytesIO())
    with zipfile.ZipFile(target, "a") as package:
        for name, part in (parts or {}).items():
            package.writestr(name, part)
    return target.getvalue()


def pictured(*, pages: int, left: float, bottom: float, width: float, height: float) -> bytes:
    """Pages of text with a picture at this place, in points."""
    document = pypdfium2.PdfDocument(written_pdf(*[[f"({TEXT} Part {number})".encode()] for number in range(pages)]))
    jpeg = io.BytesIO()
    Image.open(picture(300, 200)).convert("RGB").save(jpeg, "JPEG")
    for page in document:
        image = pypdfium2.PdfImage.new(document)
        image.load_jpeg(jpeg)
        image.set_matrix(pypdfium2.PdfMatrix().scale(width, height).translate(left, bottom))
        page.insert_obj(image)
        page.gen_content()
    document.save(target := io.BytesIO())
    return target.getvalue()


def commented(subtype: str, comment: str, *, flags: int = 0) -> bytes:
    def changed(writer: pypdf.PdfWriter) -> None:
        annotation = DictionaryObject({NameObject("/Type"): NameObject("/Annot"), NameObject("/Subtype"): NameObject(subtype)})
        annotation[NameObject("/Rect")] = ArrayObject(map(FloatObject, (60, 690, 200, 710)))
        annotation[NameObject("/Contents")] = TextStringObject(comment)
        annotation[NameObject("/F")] = NumberObject(flags)
        writer.pages[0][NameObject("/Annots")] = ArrayObject([writer._add_object(annotation)])

    return painted_pdf(f"BT /F1 11 Tf 60 700 Td ({TEXT}) Tj ET".encode(), changed=changed)


def scan(*, is_pasted_on_text: bool) -> bytes:
    """A page with a picture that covers half of it."""
    document = pypdfium2.PdfDocument(written_pdf([f"({TEXT})".encode()] if is_pasted_on_text else [b"()"]))
    page = document[0]
    image = pypdfium2.PdfImage.new(document)
    jpeg = io.BytesIO()
    Image.open(picture(600, 400)).convert("RGB").save(jpeg, "JPEG")
    image.load_jpeg(jpeg)
    image.set_matrix(pypdfium2.PdfMatrix().scale(page.get_width(), page.get_height() / 2))
    page.insert_obj(image)
    page.gen_content()
    document.save(target := io.BytesIO())
    return target.getvalue()


class TestWord:
    def test_what_was_read_is_not_reported(self) -> None:
        assert unread(word(picture(40, 40)), "a.docx") == []

    def test_large_pictures_are_counted(self) -> None:
        assert unread(word(picture(800, 600), picture(900, 700)), "a.docx") == [("picture", None, "", 2)]

    def test_small_pictures_are_counted_if_they_have_text(self) -> None:
        texts = ("Certificate expires in May", "Acme")
        pictures = [io.BytesIO(saved(page_of(text, size=(360, 300), left=20))) for text in texts]
        assert unread(word(*pictures), "a.docx") == [("picture", None, "", 1)]

    @pytest.mark.parametrize(
        ("part", "missing"),
        [
            ("word/media/film.mp4", "media"),
            ("word/embeddings/oleObject1.bin", "object"),
            ("word/comments.xml", "comments"),
            ("word/charts/chart1.xml", "chart"),
            ("word/diagrams/data1.xml", "diagram"),
            ("word/footnotes.xml", "text"),
        ],
    )
    def test_parts_without_a_block_are_named(self, part: str, missing: str) -> None:
        content = b"<w xmlns:w='urn:w'><w:p><w:t>Our budget of forty thousand</w:t><w:t> dollars ends in March</w:t></w:p></w>"
        assert unread(word(parts={part: content}), "a.docx") == [(missing, None, "", 1)]

    def test_formulas_which_are_read_as_latex_are_not_compared(self) -> None:
        math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
        formula = f"<w xmlns:w='urn:w' xmlns:m='{math}'><w:p><m:t>theta alpha beta gamma delta epsilon</m:t></w:p></w>"
        assert unread(word(parts={"word/footnotes.xml": formula.encode()}), "a.docx") == []

    def test_text_that_a_reader_overlooks_is_found(self) -> None:
        overlooked = with_unread(Document((Paragraph(plain("The crew")),)), word())
        assert overlooked.unread == (Unread(Missing.TEXT),)


class TestPresentations:
    def test_slides_are_pages_and_videos_are_reported(self) -> None:
        slides = pptx.Presentation()
        for _ in range(2):
            slide = slides.slides.add_slide(slides.slide_layouts[5])
            slide.shapes.title.text = TEXT
        data = CategoryChartData()
        data.categories, values = ["Springfield", "Shelbyville", "Ogdenville", "Brockway", "Haverbrook"], (1, 2, 3, 4, 5)
        data.add_series("Bridges", values)
        slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 9_000, 9_000, data)
        slide.shapes.add_movie(io.BytesIO(b"film"), 0, 0, 9, 9, mime_type="video/mp4")
        slides.save(target := io.BytesIO())
        found = read(_READERS, target.getvalue(), "a.pptx")
        assert found.pages == 2
        assert Unread(Missing.MEDIA) in found.unread


class TestPdf:
    def test_a_page_that_is_a_picture_is_named(self) -> None:
        whole = pypdfium2.PdfDocument(written_pdf([f"({TEXT})".encode()]))
        whole.import_pages(pypdfium2.PdfDocument(scan(is_pasted_on_text=False)))
        whole.save(target := io.BytesIO())
        assert unread(target.getvalue(), "a.pdf") == [("picture", 2, "", 1)]

    def test_a_scan_beside_text_is_named(self) -> None:
        assert unread(scan(is_pasted_on_text=True), "a.pdf") == [("picture", 1, "", 1)]

    def test_figures_are_named_and_small_pictures_are_not(self) -> None:
        assert unread(pictured(pages=1, left=100, bottom=300, width=200, height=120), "a.pdf") == [("picture", 1, "", 1)]
        assert unread(pictured(pages=1, left=100, bottom=300, width=100, height=80), "a.pdf") == []

    def test_drawings_are_named_unless_text_is_on_them(self) -> None:
        curve = b" 200 300 m 250 450 300 250 380 420 c 390 400 395 380 400 350 c 380 330 300 320 260 310 c 210 290 l 190 280 l 200 300 l S"
        text = f"BT /F1 11 Tf 60 700 Td ({TEXT}) Tj ET".encode()
        assert unread(painted_pdf(text + curve), "a.pdf") == [("picture", 1, "", 1)]
        assert unread(painted_pdf(text + curve + b" BT /F1 11 Tf 250 360 Td (Growth) Tj ET"), "a.pdf") == []

    def test_logos_in_the_margin_of_most_pages_are_not_named(self) -> None:
        assert unread(pictured(pages=4, left=380, bottom=665, width=200, height=120), "a.pdf") == []
        assert len(unread(pictured(pages=4, left=200, bottom=300, width=200, height=120), "a.pdf")) == 4
        assert len(unread(pictured(pages=2, left=380, bottom=665, width=200, height=120), "a.pdf")) == 2

    @pytest.mark.parametrize("subtype", ["/Text", "/Highlight", "/Square"])
    def test_comments_are_named(self, subtype: str) -> None:
        assert unread(commented(subtype, "Is this figure right?"), "a.pdf") == [("comments", 1, "", 1)]

    def test_comments_that_repeat_what_they_mark_and_hidden_states_of_them_are_not_named(self) -> None:
        assert unread(commented("/Highlight", "nine people repairs roofs"), "a.pdf") == []
        assert unread(commented("/Text", "Accepted set by Ann", flags=2), "a.pdf") == []
        assert unread(commented("/Link", "Opens the plan"), "a.pdf") == []

    def test_text_that_a_reader_overlooks_is_found(self) -> None:
        overlooked = with_unread(Document((Paragraph(plain("The crew"), 1),)), written_pdf([f"({TEXT})".encode()]))
        assert overlooked.unread == (Unread(Missing.TEXT, 1),)
        assert overlooked.pages == 1


def test_pages_and_scans_that_are_attached_are_no_pages_of_an_email() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "ada@example.org", "Roofs"
    message.set_content(TEXT)
    message.add_attachment(written_pdf([f"({TEXT})".encode()] * 2), maintype="application", subtype="pdf", filename="a.pdf")
    message.add_attachment(saved(page_of(TEXT)), maintype="image", subtype="png", filename="a.png")
    report = report_of(read(_READERS, message.as_bytes(), "a.eml"))
    assert (report.pages, report.is_scan, len(report.recognized)) == (0, False, 1)


def test_attachments_that_cannot_be_read_are_named() -> None:
    message = EmailMessage()
    message["From"] = "ann@x.example"
    message.set_content(TEXT)
    message.add_attachment(b"\x00\x01\x02", "application", "octet-stream", filename="plan.bin")
    message.add_attachment(word(picture(800, 600)), "application", "octet-stream", filename="roof.docx")
    found = unread(message.as_bytes(), "a.eml")
    assert sorted(found) == [("attachment", None, "plan.bin", 1), ("picture", None, "roof.docx", 1)]


def test_speaker_notes_are_read() -> None:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = TEXT
    slide.notes_slide.notes_text_frame.text = "Say that the safety officer is shared with the port."
    presentation.save(target := io.BytesIO())
    assert unread(target.getvalue(), "a.pptx") == []


def test_text_in_shapes_of_a_spreadsheet_is_named() -> None:
    book = openpyxl.Workbook()
    book.active.append(["Gauge", "Height"])
    book.save(target := io.BytesIO())
    drawing = f"<xdr:wsDr xmlns:xdr='x' xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'><a:p><a:r><a:t>{TEXT}</a:t></a:r></a:p></xdr:wsDr>"
    with zipfile.ZipFile(target, "a") as package:
        package.writestr("xl/drawings/drawing1.xml", drawing)
    assert unread(target.getvalue(), "a.xlsx") == [("shapes", None, "", 1)]


class TestPages:
    def test_videos_and_undescribed_pictures_are_counted_and_descriptions_are_read(self) -> None:
        page = f"<html><p>{TEXT}</p><iframe src='x'></iframe><img src='a.png'><img src='b.png'><img src='c.png' alt='A steep roof'></html>"
        read_page = read(_READERS, page.encode(), "a.html")
        assert unread(page.encode(), "a.html") == [("media", None, "", 1), ("picture", None, "", 2)]
        assert Figure((Paragraph(plain("A steep roof")),)) in read_page.blocks
        assert report_of(read_page).pictures == 1

    def test_descriptions_of_hidden_pictures_are_hidden(self) -> None:
        page = f"<html><p>{TEXT}</p><div style='display:none'><img src='a.png' alt='We hold 77 patents'></div></html>"
        (_, figure) = read(_READERS, page.encode(), "a.html").blocks
        assert figure == Figure((Paragraph((Run("We hold 77 patents", Mark.HIDDEN),)),))

    def test_pictures_in_cells_do_not_take_tables_apart(self) -> None:
        page = "<html><table><tr><td>Nome<td><img src='a.png' alt='Yes'><td>4</tr><tr><td>Reno<td>No<td>5</tr></table></html>"
        assert [line.text for line in lines_of(read(_READERS, page.encode(), "a.html"))] == [
            "| Nome | Yes | 4 |",
            "| Reno | No | 5 |",
        ]

    def test_text_that_a_reader_overlooks_is_found(self) -> None:
        names = "Łukasz Żółć, Renée Dupont, José Núñez, Björn Ångström"
        page = f"<html><title>Plan</title><nav>{TEXT}</nav><p>The <b>c</b>rew</p><p>{TEXT}</p><p>{names}</p></html>".encode()
        assert unread(page, "a.html") == []
        overlooked = with_unread(Document((Paragraph(plain("The crew")),)), page, media_type="text/html")
        assert overlooked.unread == (Unread(Missing.TEXT),)

    def test_a_lost_part_of_a_long_page_is_found(self) -> None:
        sentences = [f"<p>Boat{n} carries passengers{n} and parcels{n} to island{n}.</p>" for n in range(200)]
        whole = read(_READERS, "".join(["<html>", *sentences]).encode(), "a.html")
        part = replace(whole, blocks=whole.blocks[:180])
        assert with_unread(part, "".join(["<html>", *sentences]).encode(), media_type="text/html").unread == (
            Unread(Missing.TEXT),
        )


class TestEmails:
    def test_text_that_a_reader_overlooks_is_found(self) -> None:
        message = EmailMessage()
        message["From"] = "ann@x.example"
        message.set_content(f"{TEXT}\n<https://example.org/a/very/long/link/to/each/of/the/roofs>")
        message.add_alternative(f"<html><p>{TEXT}</p></html>", "html")
        assert unread(message.as_bytes(), "a.eml") == []
        overlooked = with_unread(Document((Paragraph(plain("The crew")),)), message.as_bytes(), media_type="message/rfc822")
        assert overlooked.unread == (Unread(Missing.TEXT),)


class TestRichText:
    BODY = rf"{{\rtf1\ansi{{\fonttbl{{\f0 Arial Narrow Bold Condensed Extra;}}}}{{\*\generator One Two Three Four Five Six;}}\pard {TEXT}\par Ren\'e9e\par}}"

    def test_text_that_a_reader_overlooks_is_found(self) -> None:
        assert unread(self.BODY.encode(), "a.rtf") == []
        overlooked = with_unread(Document((Paragraph(plain("The crew")),)), self.BODY.encode())
        assert overlooked.unread == (Unread(Missing.TEXT),)


class TestSpreadsheets:
    @pytest.mark.parametrize("are_shared", [False, True])
    def test_a_sheet_that_a_reader_overlooks_is_named(self, *, are_shared: bool) -> None:
        book = openpyxl.Workbook()
        for row in range(40):
            book.active.append([f"Gauge {row}", row / 7])
        costs = book.create_sheet("Costs")
        for row in range(6):
            costs.append([row + 1, row * 1000, " "])
        book.save(target := io.BytesIO())
        content = with_shared_strings(target.getvalue()) if are_shared else target.getvalue()
        whole = read(_READERS, content, "a.xlsx")
        assert whole.unread == ()
        part = replace(whole, blocks=tuple(block for block in whole.blocks if not _is_on(block, "Costs")))
        assert with_unread(part, content).unread == (Unread(Missing.TEXT, name="Costs"),)


def with_shared_strings(content: bytes) -> bytes:
    """A workbook with the strings of its cells in a part of their own, as spreadsheet programs write it."""
    strings = list[str]()

    def shared(found: re.Match[str]) -> str:
        strings.append(f"<si>{found[1]}</si>")
        return f't="s"><v>{len(strings) - 1}</v>'

    target, kind = io.BytesIO(), "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(old.namelist(), reverse=True):
            part = old.read(name).decode()
            if name.startswith("xl/worksheets/"):
                part = re.sub('t="inlineStr"><is>(.*?)</is>', shared, part)
            if name == "[Content_Types].xml":
                part = part.replace("</Types>", f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>')
            new.writestr(name, part)
        new.writestr(
            "xl/sharedStrings.xml",
            f'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{"".join(strings)}</sst>',
        )
    return target.getvalue()


def _is_on(block: Block, sheet: str) -> bool:
    return isinstance(block, Table | Paragraph) and block.place is not None and block.place.sheet == sheet


def test_what_figures_of_attachments_describe_is_not_taken_for_other_pictures() -> None:
    message = EmailMessage()
    message["From"] = "ann@x.example"
    message.set_content(TEXT)
    message.add_attachment(b"<html><img src='a.png' alt='A steep roof'></html>", "text", "html", filename="a.html")
    message.add_attachment(word(picture(800, 600)), "application", "octet-stream", filename="roof.docx")
    assert unread(message.as_bytes(), "a.eml") == [("picture", None, "roof.docx", 1)]


def test_the_report_is_a_sentence_in_the_language_of_the_reader() -> None:
    report = report_of(read(_READERS, scan(is_pasted_on_text=True), "a.pdf"))
    assert (report.read_text, report.unread_text) == ("1 page", "page 1: 1 picture")
    with using_language("de"):
        assert report.read_text == "1 Seite"


def test_the_report_counts_words_that_answers_and_drafts_leave_out() -> None:
    changed = (
        Run("We hold "),
        Run("seventy seven", Mark.DELETED),
        Run(" "),
        Run("77", Mark.STRUCK),
        Run("12 patents"),
        Run(" once", Mark.DELETED),
    )
    cell = Cell((Paragraph((Run("internal", Mark.HIDDEN),)),))
    report = report_of(Document((Paragraph(changed), Table((((0, cell),),)))))
    assert (report.struck_words, report.deleted_words, report.hidden_words) == (1, 3, 1)
    assert report.left_out_text == "1 struck-through word, 3 deleted words, 1 hidden word"
    with using_language("de"):
        assert report.left_out_text == "1 durchgestrichenes Wort, 3 gelöschte Wörter, 1 verborgenes Wort"
    assert report_of(Document((Paragraph(plain("We hold 12 patents")),))).left_out_text == ""

"""What a file holds that was not read is found by comparing its parts with the blocks."""

from __future__ import annotations

import io
import zipfile
from email.message import EmailMessage

import docx
import openpyxl
import pptx
import pypdf
import pypdfium2
import pytest
from docx.shared import Inches
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, NumberObject, TextStringObject

from fundwright.core.messages import using_language
from fundwright.reading.document import Cell, Document, Mark, Missing, Paragraph, Run, Table, Unread, plain
from fundwright.reading.formats import read
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import report_of
from fundwright.reading.unread import with_unread
from tests.reading.pictures import page_of, saved
from tests.support.pdf_files import painted_pdf, written_pdf

TEXT = "The crew of nine people repairs roofs and gutters in every county of the state."


def unread(content: bytes, filename: str) -> list[tuple[str, int | None, str, int]]:
    found = read(list(document_readers()), content, filename)
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
        found = read(list(document_readers()), target.getvalue(), "a.pptx")
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
    report = report_of(read(list(document_readers()), message.as_bytes(), "a.eml"))
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


def test_videos_and_undescribed_pictures_of_pages_are_counted() -> None:
    page = f"<html><p>{TEXT}</p><iframe src='x'></iframe><img src='a.png'><img src='b.png'><img src='c.png' alt='A roof'></html>"
    assert unread(page.encode(), "a.html") == [("media", None, "", 1), ("picture", None, "", 2)]


def test_the_report_is_a_sentence_in_the_language_of_the_reader() -> None:
    report = report_of(read(list(document_readers()), scan(is_pasted_on_text=True), "a.pdf"))
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

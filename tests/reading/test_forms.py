"""Forms that are filled in: fields with their labels, and how many there are."""

from __future__ import annotations

from functools import partial

import pytest

from fundwright.reading.document import Document, Field, Paragraph, plain
from fundwright.reading.formats import read
from fundwright.reading.lines import lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import report_of
from tests.reading.test_word import paragraph, run, word_file
from tests.support.pdf_files import add_fields, painted_pdf

_READERS = list(document_readers())


def pdf(texts: dict[tuple[int, int], str], fields: dict[tuple[int, int, int, int], str]) -> Document:
    """A page with texts and fields at these places."""
    painted = "".join(f"BT /F1 11 Tf {left} {bottom} Td ({text}) Tj ET " for (left, bottom), text in texts.items())
    return read(_READERS, painted_pdf(painted.encode(), changed=partial(add_fields, values=fields)), "a.pdf")


def pairs(document: Document) -> list[tuple[str, str]]:
    return [(block.label, block.value) for block in document.blocks if isinstance(block, Field)]


class TestPdf:
    def test_values_beside_their_labels_are_fields(self) -> None:
        form = pdf(
            {(60, 700): "Legal name:", (60, 660): "City", (300, 660): "State", (60, 500): "All of this is true and correct."},
            {
                (140, 695, 280, 712): "Harbor Works",
                (140, 655, 280, 672): "Port Mallory",
                (340, 655, 400, 672): "OR",
                (140, 615, 280, 632): "",
            },
        )
        assert pairs(form) == [("Legal name", "Harbor Works"), ("City", "Port Mallory"), ("State", "OR")]
        assert lines_of(form)[-1].text == "All of this is true and correct."
        assert report_of(form).fields == 3

    def test_rows_of_fields_and_blank_ones_are_no_table(self) -> None:
        labels = ["Legal name:", "Project title:", "Director:", "District:", "Phone:"]
        form = pdf(
            {(60, 700 - 40 * number): label for number, label in enumerate(labels)},
            {
                (260, 695 - 40 * number, 500, 715 - 40 * number): value
                for number, value in enumerate(["Harbor Works", "Dam breach maps", "Helena Voss", "MI-001", ""])
            },
        )
        assert pairs(form) == [
            ("Legal name", "Harbor Works"),
            ("Project title", "Dam breach maps"),
            ("Director", "Helena Voss"),
            ("District", "MI-001"),
        ]
        assert report_of(form).tables == 0

    def test_values_in_sentences_stay_there(self) -> None:
        form = pdf({(60, 700): "We,", (200, 700): "of Port Mallory, agree."}, {(85, 695, 190, 712): "Harbor Works"})
        assert pairs(form) == []
        assert "Harbor Works" in lines_of(form)[0].text
        assert report_of(form).fields == 1


def control(kind: str, text: str, properties: str = "") -> str:
    return f"<w:sdt><w:sdtPr>{properties}<w:{kind}/></w:sdtPr><w:sdtContent>{run(text)}</w:sdtContent></w:sdt>"


def old_field(data: str, value: str = "") -> str:
    begin = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar></w:r>'
    return f'{begin}<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(value)}<w:r><w:fldChar w:fldCharType="end"/></w:r>'


class TestWord:
    @pytest.mark.parametrize(
        ("body", "count"),
        [
            (control("text", "Harbor Works"), 1),
            (control("date", "May 2026"), 1),
            (control("text", "Click to enter text.", "<w:showingPlcHdr/>"), 0),
            (control("docPartObj", "Contents"), 0),
            ('<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent/></w:sdt>', 1),
            ('<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="0"/></w14:checkbox></w:sdtPr><w:sdtContent/></w:sdt>', 0),
            (old_field("<w:textInput/>", "Harbor Works"), 1),
            (old_field("<w:textInput/>", "\u2002\u2002"), 0),
            (old_field('<w:checkBox><w:checked w:val="1"/></w:checkBox>'), 1),
            (old_field('<w:checkBox><w:default w:val="0"/></w:checkBox>'), 0),
            (old_field('<w:ddList><w:result w:val="1"/><w:listEntry w:val="A"/><w:listEntry w:val="B"/></w:ddList>'), 1),
        ],
    )
    def test_fields_that_are_filled_in_are_counted(self, body: str, count: int) -> None:
        assert report_of(read(_READERS, word_file(paragraph(run("Name: ") + body)), "a.docx")).fields == count


def test_fields_of_pages_are_counted() -> None:
    page = (
        "<html><p>Name <input value='Harbor Works'> <input> <input type='hidden' value='x'> <input type='submit' value='Send'></p>"
        "<p><input type='checkbox' checked> Small <input type='checkbox'> Large <textarea>Dams</textarea><textarea> </textarea></p>"
        "<p><select><option>A<option selected>B</select><select><option>C</select></p></html>"
    )
    assert report_of(read(_READERS, page.encode(), "a.html")).fields == 4


def test_the_report_counts_fields_that_are_blocks() -> None:
    assert report_of(Document((Field("Name", "Ada"), Paragraph(plain("Yes"))))).fields == 1

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE as RT
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml.ns import nsdecls
from docx.oxml.parser import parse_xml
from docx.shared import RGBColor

from fundwright.reading.document import Attachment, walk
from fundwright.reading.formats import read
from fundwright.reading.lines import lines_of
from fundwright.reading.plugin import document_readers
from tests.reading.samples import strict

_READERS = list(document_readers())


def word_file(body: str, **parts: str) -> bytes:
    """A Word file whose body begins with this XML. Other parts are added below `word/`, `__` standing for a dot."""
    document = docx.Document()
    namespaces = f'{nsdecls("w", "r")} xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
    holder = parse_xml(f"<w:body {namespaces}>{body}</w:body>")
    for place, element in enumerate(list(holder)):
        document.element.body.insert(place, element)
    document.save(target := io.BytesIO())
    with zipfile.ZipFile(target, "a") as archive:
        for name, content in parts.items():
            archive.writestr(f"word/{name.replace('__', '.')}", content)
    return target.getvalue()


def texts(content: bytes) -> list[str]:
    """The lines of a Word file, which are also those of the strict one."""
    found, of_strict = ([line.text for line in lines_of(read(_READERS, each, "a.docx"))] for each in (content, strict(content)))
    assert found == of_strict
    return found


def paragraph(inner: str) -> str:
    return f"<w:p>{inner}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>{''.join(rows)}</w:tbl>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr>{properties}{''.join(f'<w:tc><w:tcPr/>{cell}</w:tc>' for cell in cells)}</w:tr>"


class TestWords:
    def test_are_whole_whatever_format_their_letters_have(self) -> None:
        mixed = run("H", "<w:b/>") + run("ealth care uses CO") + run("2", '<w:vertAlign w:val="subscript"/>') + run(" (") + run("clean", "<w:i/>") + run(").")  # fmt: skip
        assert texts(word_file(paragraph(mixed))) == ["Health care uses CO2 (clean)."]

    @pytest.mark.parametrize("wrapper", ["ins", "smartTag", "hyperlink", "fldSimple"])
    def test_are_read_in_what_surrounds_them(self, wrapper: str) -> None:
        inner = f'<w:{wrapper} w:id="1" w:author="x" w:instr="x">{run("Marcus Bell")}</w:{wrapper}>'
        content = word_file(paragraph(run("The manager is ") + inner) + table(row(paragraph(run("Lead")), paragraph(inner))))
        assert texts(content) == ["The manager is Marcus Bell", "| Lead | Marcus Bell |"]

    def test_are_read_in_content_controls_of_cells_and_rows(self) -> None:
        inner = f"<w:sdt><w:sdtContent>{run('$1.2 million')}</w:sdtContent></w:sdt>"
        whole = f"<w:sdt><w:sdtContent>{row(paragraph(run('Period')), paragraph(run('2025')))}</w:sdtContent></w:sdt>"
        content = word_file(table(row(paragraph(run("Value")), paragraph(inner)), whole))
        assert texts(content) == ["| Value | $1.2 million |", "| Period | 2025 |"]

    def test_of_a_placeholder_are_not_read(self) -> None:
        control = (
            f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{run('Click to enter text.')}</w:sdtContent></w:sdt>"
        )
        assert texts(word_file(paragraph(run("Name: Ada")) + paragraph(run("Title:") + control))) == ["Name: Ada", "Title:"]


class TestNotVisible:
    @pytest.mark.parametrize(
        "properties",
        ["<w:vanish/>", "<w:strike/>", "<w:dstrike/>", '<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>'],
        ids=["hidden", "struck", "struck twice", "white", "tiny"],
    )
    def test_is_left_out_of_paragraphs_and_cells(self, properties: str) -> None:
        mixed = run("We hold ") + run("77", properties) + run("12 patents.")
        content = word_file(paragraph(mixed) + table(row(paragraph(run("Patents")), paragraph(mixed))))
        assert texts(content) == ["We hold 12 patents.", "| Patents | We hold 12 patents. |"]

    def test_of_a_style_is_left_out_unless_the_run_shows_it(self) -> None:
        document = docx.Document()
        style = document.styles.add_style("Note to reviewers", 1)
        style.font.hidden = True
        document.add_paragraph("We hold 12 patents.")
        shown = document.add_paragraph("The floor price is $121. ", style=style).add_run("Shown.")
        shown.font.hidden = False
        document.save(target := io.BytesIO())
        assert texts(target.getvalue()) == ["We hold 12 patents.", "Shown."]

    def test_is_not_white_text_on_a_color(self) -> None:
        white = run("Rate", '<w:color w:val="FFFFFF"/>')
        shaded = f'<w:tr><w:tc><w:tcPr><w:shd w:val="clear" w:fill="1F4E79"/></w:tcPr>{paragraph(white)}</w:tc>'
        content = word_file(table(f"{shaded}<w:tc><w:tcPr/>{paragraph(run('$148'))}</w:tc></w:tr>", row(paragraph(run("a")), paragraph(run("b")))))  # fmt: skip
        assert texts(content)[0] == "| Rate | $148 |"

    def test_is_what_tracked_changes_delete(self) -> None:
        gone = '<w:del w:id="1" w:author="x"><w:r><w:delText>five </w:delText></w:r></w:del>'
        row_gone = row(paragraph(run("Old")), paragraph(run("1")), properties='<w:trPr><w:del w:id="2" w:author="x"/></w:trPr>')
        content = word_file(paragraph(run("We have ") + gone + run("nine crews.")) + table(row(paragraph(run("New")), paragraph(run("2"))), row_gone))  # fmt: skip
        assert texts(content) == ["We have nine crews.", "| New | 2 |"]

    def test_is_white_text_of_a_style_unless_it_is_on_a_color(self) -> None:
        document = docx.Document()
        style = document.styles.add_style("Internal", WD_STYLE_TYPE.PARAGRAPH)
        style.font.color.rgb = RGBColor(255, 255, 255)
        derived = document.styles.add_style("Derived", WD_STYLE_TYPE.PARAGRAPH)
        derived.base_style = style
        banner = document.styles.add_style("Banner", WD_STYLE_TYPE.PARAGRAPH)
        banner.base_style = style
        banner.element.get_or_add_pPr().append(parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:fill="1F4E79"/>'))
        document.add_paragraph("We hold 12 patents.")
        document.add_paragraph("The floor price is $121.", style=style)
        document.add_paragraph("Old. ", style=derived).add_run("Black.").font.color.rgb = RGBColor(0, 0, 0)
        document.add_paragraph("Capabilities", style=banner)
        document.save(target := io.BytesIO())
        assert texts(target.getvalue()) == ["We hold 12 patents.", "Black.", "Capabilities"]

    def test_is_the_end_of_a_paragraph_that_is_deleted(self) -> None:
        deleted = '<w:pPr><w:rPr><w:del w:id="1" w:author="x"/></w:rPr></w:pPr>'
        gone = '<w:del w:id="2" w:author="x"><w:r><w:delText>old </w:delText></w:r></w:del>'
        content = word_file(
            paragraph(deleted + run("We have ") + gone) + paragraph(deleted + gone) + paragraph(run("nine crews."))
        )
        assert texts(content) == ["We have nine crews."]

    def test_is_a_cell_or_table_that_is_deleted(self) -> None:
        deleted = '<w:trPr><w:del w:id="2" w:author="x"/></w:trPr>'
        cell = f'<w:tc><w:tcPr><w:cellDel w:id="3" w:author="x"/></w:tcPr>{paragraph(run("old"))}</w:tc>'
        rows = row(paragraph(run("Crews")), paragraph(run("9"))).replace("</w:tr>", f"{cell}</w:tr>")
        content = word_file(
            table(rows) + paragraph(run("End.")) + table(row(paragraph(run("x")), paragraph(run("y")), properties=deleted))
        )
        assert texts(content) == ["| Crews | 9 |", "End."]

    def test_is_a_field_in_the_condition_of_another(self) -> None:
        def field(instruction: str, result: str) -> str:
            sign = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format
            written = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>" if instruction.isupper() else instruction
            return sign("begin") + written + sign("separate") + run(result) + sign("end")

        condition = f"<w:r><w:instrText>IF </w:instrText></w:r>{field('MERGEFIELD STATE', 'Nevada')}"
        text = run("We work in ") + field(condition, "Reno ") + field("DATE", "today") + run(".")
        assert texts(word_file(paragraph(text))) == ["We work in Reno today."]
        begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        assert texts(word_file(paragraph(begin + run("A field without an end.")))) == ["A field without an end."]


class TestForms:
    _ROWS = (
        ("Agency", "Army Corps", "Contract number", "W9127"),
        ("Title", "Stream gauges", "Value", "$1,200,000"),
        ("Period", "2021 to 2023", "Contact", "Jane Moss"),
    )

    @staticmethod
    def _table(rows: Sequence[Sequence[str]], properties: Sequence[str] = ("", "", "", "")) -> bytes:
        cells = ([paragraph(run(text, each)) for text, each in zip(texts, properties, strict=True)] for texts in rows)
        return word_file(table(*(row(*each) for each in cells)))

    def test_have_no_names_of_columns(self) -> None:
        written = [f"| {' | '.join(texts)} |" for texts in self._ROWS]
        assert texts(self._table(self._ROWS)) == written
        assert texts(self._table(self._ROWS[1:])) == written[1:]

    def test_are_known_by_bold_labels(self) -> None:
        rows = (("Agency", "Army Corps", "Title", "Stream gauges"), ("Lead", "Ann Lee", "Site", "Omaha"))
        assert texts(self._table(rows, ("<w:b/>", "", "<w:b/>", ""))) == [f"| {' | '.join(each)} |" for each in rows]

    @pytest.mark.parametrize(
        "below",
        [
            (("Design", "Ann Lee", "Done", "June 3"), ("Build", "Bo Hay", "Open", "TBD")),
            (("Design", "12", "Reno", "$300"), ("Build", "9", "Omaha", "$200")),
            (("Design", "Phase 1", "Done", "June 3"), ("Build", "no phase", "Done", "soon")),
        ],
    )
    def test_are_no_tables_of_four_columns(self, below: tuple[tuple[str, ...], ...]) -> None:
        rows = (("Task", "Owner", "Status", "Due"), *below)
        assert texts(self._table(rows))[0].startswith("| Task | Owner | Status | Due |\n| - |")


class TestBoxes:
    @staticmethod
    def old(is_checked: bool) -> str:
        return f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="{int(is_checked)}"/></w:checkBox></w:ffData></w:fldChar></w:r>'

    @staticmethod
    def control(is_checked: bool) -> str:
        return f'<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="{int(is_checked)}"/></w14:checkbox></w:sdtPr><w:sdtContent>{run("?")}</w:sdtContent></w:sdt>'

    @staticmethod
    def symbol(is_checked: bool) -> str:
        return f'<w:r><w:sym w:font="Wingdings" w:char="{"F0FE" if is_checked else "F0A8"}"/></w:r>'

    @staticmethod
    def glyph(is_checked: bool) -> str:
        return run("☒" if is_checked else "☐")

    @pytest.mark.parametrize("kind", ["old", "control", "symbol", "glyph"])
    def test_that_are_not_checked_are_no_statement(self, kind: str) -> None:
        box = getattr(self, kind)
        body = paragraph(box(True) + run(" Small business")) + paragraph(box(False) + run(" HUBZone certified"))
        body += paragraph(run("Veteran-owned: ") + box(False) + run(" Yes ") + box(True) + run(" No"))
        body += table(
            row(paragraph(run("8(a) certified")), paragraph(box(False))), row(paragraph(run("ISO 9001")), paragraph(box(True)))
        )
        assert texts(word_file(body)) == ["☒ Small business", "☒ Veteran-owned: No", "| ISO 9001 | ☒ |"]

    def test_in_columns_named_yes_and_no_deny_their_row(self) -> None:
        names = ("Status", "Yes", "No")
        rows = [("HUBZone", "☐", "☒"), ("Small business", "☒", "☐")]
        body = "".join(row(*(paragraph(run(cell)) for cell in each)) for each in (names, *rows))
        grid = "<w:gridCol/>" * 3
        content = word_file(f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{body}</w:tbl>")
        assert texts(content) == ["| Status | Yes | No |\n| - | - | - |\n| Small business | ☒ | ☐ |"]

    def test_empty_brackets_around_a_comment_are_no_boxes(self) -> None:
        assert texts(word_file(paragraph(run("Comments are in [[ ]] and [x](a)")))) == ["Comments are in [[ ]] and [x](a)"]


def test_a_footnote_stands_with_its_paragraph_also_in_a_cell() -> None:
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(word_file(paragraph(run("We finished on time.") + reference) + table(row(paragraph(run("Value")), paragraph(run("high") + reference)))))) as archive:  # fmt: skip
        with zipfile.ZipFile(content, "w") as written:
            for name in archive.namelist():
                written.writestr(name, archive.read(name))
            notes = f'<w:footnotes {nsdecls("w")}><w:footnote w:id="2">{paragraph(run("It cost $3,640,000."))}</w:footnote></w:footnotes>'
            written.writestr("word/footnotes.xml", notes)
    assert texts(content.getvalue()) == ["We finished on time.\nIt cost $3,640,000.", "| Value | high (It cost $3,640,000.) |"]


def test_names_of_groups_of_columns_stand_before_the_names_of_their_columns() -> None:
    document = docx.Document()
    rows = [
        ("", "", "Start", "End"),
        ("W912-19", "Omaha", "June 2020", "May 2023"),
        ("FA85-21", "Robins", "July 2021", "May 2022"),
    ]
    table = document.add_table(rows=1 + len(rows), cols=4)
    for number, cells in enumerate(rows, 1):
        for place, text in enumerate(cells):
            table.cell(number, place).text = text
    table.cell(0, 2).merge(table.cell(0, 3)).text = "Period"
    for place, name in enumerate(("Contract", "Customer")):
        table.cell(0, place).merge(table.cell(1, place)).text = name
    document.save(target := io.BytesIO())
    assert texts(target.getvalue()) == [
        "| Contract | Customer | Period / Start | Period / End |\n| - | - | - | - |\n| W912-19 | Omaha | June 2020 | May 2023 |",
        "| FA85-21 | Robins | July 2021 | May 2022 |",
    ]


def test_documents_in_cells_are_read() -> None:
    document = docx.Document()
    table = document.add_table(rows=2, cols=3)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"Cell {number}"
    package = document.part.package
    page = Part(PackURI("/word/chunk.html"), "text/html", b"<html><p>Priya Raman leads the help desk.</p></html>", package)
    related = document.part.relate_to(page, RT.A_F_CHUNK)
    table.cell(1, 1)._tc.append(parse_xml(f'<w:altChunk {nsdecls("w", "r")} r:id="{related}"/>'))
    document.save(target := io.BytesIO())
    read_table = read(_READERS, target.getvalue(), "a.docx")
    assert "| Cell 3 | Cell 4 (chunk.html) (Priya Raman leads the help desk.) | Cell 5 |" in texts(target.getvalue())[-1]
    assert [block.content for block in walk(read_table.blocks) if isinstance(block, Attachment)] == [b""]

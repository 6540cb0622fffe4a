"""Files of the other formats, as a person sees them."""

from __future__ import annotations

import io
from collections.abc import Callable
from email.message import EmailMessage

import openpyxl
import pytest
from openpyxl.styles import Font

from fundwright.core.messages import using_language
from fundwright.reading import lines
from fundwright.reading.document import Block, Cell, Document, Note, Paragraph, Runs, Table, plain, visible
from fundwright.reading.formats import Unreadable, read
from fundwright.reading.lines import lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import report_of
from fundwright.reading.text import decode

_READERS = list(document_readers())


def texts(content: bytes | str, filename: str) -> list[str]:
    return [line.text for line in lines_of(read(_READERS, content.encode() if isinstance(content, str) else content, filename))]


class TestPages:
    def test_rules_of_style_sheets_hide_and_strike(self) -> None:
        page = "<html><style>.a, #b {display:none} del.c{} .d{text-decoration: line-through}</style><p>We hold <span class=a>77</span><i id=b>78</i><b class=d>79</b>12.</p>"  # fmt: skip
        assert texts(page, "a.html") == ["We hold 12."]

    def test_forms_are_read_with_their_values(self) -> None:
        page = "<html><p>State: <select><option>CA<option selected>NY</select> EIN: <input value='12-3456789'><input type=hidden value=x></p>"
        page += "<p><label><input type=checkbox checked> Nonprofit</label> <label><input type=checkbox> For-profit</label></p>"
        assert texts(page, "a.html") == ["State: NY EIN: 12-3456789", "☒ Nonprofit"]

    def test_totals_numbers_exponents_and_dashes_are_kept(self) -> None:
        page = "<html><table><tr><th>Item<th>Q1<th>Q2<tbody><tr><td>Staff<td>1<td>2<tfoot><tr><td>Total<td>3<td>4</table>"
        page += "<ol><li>One<li>Two</ol><p>10<sup>6</sup> m<sup>2</sup>, 5–7 “days”</p>"
        assert texts(page, "a.html") == [
            "| Item | Q1 | Q2 |\n| - | - | - |\n| Staff | 1 | 2 |", "| Total | 3 | 4 |", "1. One", "2. Two", "10⁶ m², 5–7 “days”",
        ]  # fmt: skip


class TestTables:
    @pytest.mark.parametrize("around", [lambda table: table, lambda table: Note((table,))], ids=["table", "note"])
    def test_in_tables_are_read_once(self, monkeypatch: pytest.MonkeyPatch, around: Callable[[Table], Block]) -> None:
        table = Table((((0, Cell((Paragraph(plain("Lead")),))), (1, Cell((Paragraph(plain("$90")),)))),))
        for _ in range(12):
            table = Table((((0, Cell((Paragraph(plain("Role")),))), (1, Cell((Paragraph(plain("Rate")), around(table))))),))
        calls = list[Runs]()
        monkeypatch.setattr(lines, "visible", lambda runs: calls.append(runs) or visible(runs))
        assert [line.text for line in lines_of(Document((table,)))][-1].endswith("$90 |")
        assert len(calls) < 200


class TestWorkbooks:
    def test_are_read_as_they_are_shown(self) -> None:
        workbook = openpyxl.Workbook()
        sheet = workbook.active
        assert sheet is not None
        sheet.append(["Budget 2025"])
        sheet.append(["Item", None, "Cost", "Share"])
        sheet.append(["Staff", None, 1234.5, 0.125])
        sheet.append(["Hidden", None, 1, 1])
        sheet.append([None, None, None, None])
        sheet.append(["Rent", None, None, None])
        sheet["C3"].number_format, sheet["D3"].number_format = '"$"#,##0.00', "0.0%"
        sheet["C6"], sheet["C6"].font = 77, Font(strike=True)
        sheet.row_dimensions[4].hidden = True
        workbook.create_sheet("Secret").sheet_state = "hidden"
        workbook["Secret"]["A1"] = "secret"
        workbook.save(target := io.BytesIO())
        assert texts(target.getvalue(), "a.xlsx") == [
            "Budget 2025\n| Item | Cost | Share |\n| - | - | - |\n| Staff | $1,234.50 | 12.5% |", "| Rent |  |  |",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("value", "form", "shown"),
        [
            (73.645, "$#,##0.00", "$73.65"), (2.5, "0", "3"), (0.125, "0%", "13%"), (-2.675, "0.00", "-2.68"), (1e300, "0", f"1{'0' * 300}"),
            (184500, '#,##0.00 "USD"', "184,500.00 USD"), (6.5, '0.0" FTE"', "6.5 FTE"), (1_250_000, '$#,##0.0,,"M"', "$1,250,000.0"),
        ],
    )  # fmt: skip
    def test_numbers_are_rounded_and_have_units_as_they_are_shown(self, value: float, form: str, shown: str) -> None:
        workbook = openpyxl.Workbook()
        sheet = workbook.active
        assert sheet is not None
        sheet["A1"], sheet["A1"].number_format = value, form
        workbook.save(target := io.BytesIO())
        assert texts(target.getvalue(), "a.xlsx") == [shown]


class TestSeparated:
    def test_rows_end_with_any_line_break(self) -> None:
        assert texts("Item,Q1,Q2\r\nStaff,5,6\rTravel,7,8\n", "a.csv") == [
            "| Item | Q1 | Q2 |\n| - | - | - |\n| Staff | 5 | 6 |", "| Travel | 7 | 8 |",
        ]  # fmt: skip


class TestEmails:
    def test_have_headers_the_longer_body_and_their_attachments(self) -> None:
        message = EmailMessage()
        message["From"], message["Subject"] = "Ann <ann@x.example>", "Award – task 7"
        message.set_content("The award is $412,900. Work begins on April 6.")
        message.add_alternative("<p>The award is <b>$412,900</b>.</p><img src='cid:logo'>", subtype="html")
        message.get_payload()[1].add_related(b"\x89PNG\0", "image", "png", cid="logo")
        message.add_attachment("Award: $50,000", filename="award.txt")
        assert report_of(read(_READERS, message.as_bytes(), "a.eml")).fields == 0
        assert texts(message.as_bytes(), "a.eml") == [
            "From: Ann <ann@x.example>", "Subject: Award – task 7", "The award is $412,900. Work begins on April 6.", "award.txt", "Award: $50,000",
        ]  # fmt: skip


class TestRtf:
    def test_text_that_word_does_not_show_is_left_out(self) -> None:
        source = r"{\rtf1\ansi We hold {\strike 77}{\v 78}{\deleted 79}12 patents.{\footnote In 2025.}\par Next\par}"
        assert texts(source, "a.rtf") == ["We hold 12 patents. (In 2025.)", "Next"]

    def test_text_that_a_style_hides_or_strikes_is_left_out(self) -> None:
        styles = r"{\stylesheet{\s1\strike Old;}{\s2\sbasedon1 Older;}{\*\cs3\v Internal;}{\s4 Plain;}}"
        source = rf"{{\rtf1\ansi{styles}\pard\plain\s1 Old.\par\pard\plain\s2 Older.\par\pard\plain\s4 We hold {{\cs3 77}}12 patents.\par}}"
        assert texts(source, "a.rtf") == ["We hold 12 patents."]
        assert texts(source.replace(r"\s2 Older.", r"\s2\strike0 Shown."), "a.rtf") == ["Shown.", "We hold 12 patents."]

    def test_paragraphs_of_a_cell_stay_in_it(self) -> None:
        source = r"{\rtf1\ansi\trowd\cellx1\cellx2\cellx3\pard\intbl Item\cell Site\cell Cost\cell\row"
        source += r"\trowd\pard\intbl Staff\par on call\cell Reno\cell 5\cell{\trowd\cellx1\cellx2\cellx3\row}\pard After\par the table\par}"
        assert texts(source, "a.rtf") == [
            "| Item | Site | Cost |\n| - | - | - |\n| Staff on call | Reno | 5 |", "After", "the table",
        ]  # fmt: skip

    def test_boxes_rows_and_other_character_sets_are_read(self) -> None:
        box = r"{{\field{{\*\fldinst FORMCHECKBOX {{\*\formfield{{\fftype1\ffres{0}}}}}}}{{\fldrslt }}}}"
        source = (
            r"{\rtf1\ansi{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset238 B;}}"
            + box.format(1)
            + r" Small\par "
            + box.format(0)
            + r" Large\par "
        )
        source += r"\trowd\cellx1 Item\cell Q1\cell Q2\cell\row\trowd Staff\cell 5\cell 5\cell\row\pard {\f1 z\'b3oty}\par}"
        assert texts(source, "a.rtf") == ["☒ Small", "| Item | Q1 | Q2 |\n| - | - | - |\n| Staff | 5 | 5 |", "złoty"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Per §5(a), the café’s “plan” costs £500 – €5", "cp1252"),
        ("Où êtes-vous ? L’été, « déjà » à côté", "cp1252"),
        ("Fundacja prowadzi działalność w Łodzi", "cp1250"),
        ("Fundacja prowadzi działalność w Łodzi", "iso8859_2"),
        ("L’été à Noël, déjà vu", "mac_roman"),
        ("Наша лаборатория находится в Москве", "cp1251"),
        ("Το εργαστήριό μας βρίσκεται στην Αθήνα", "cp1253"),
        ("主任技術者は佐藤花子です。研究所は札幌にあります。", "cp932"),
        ("Our laboratory in Québec", "utf-16-le"),
    ],
)
def test_encodings_that_no_file_declares(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding), "a.txt") == text


@pytest.mark.parametrize(
    ("language", "advice"),
    [
        ("en", "Save it as PDF or DOCX and add that."),
        ("de", "Speichern Sie die Datei als PDF oder DOCX"),
        ("fr", "Enregistrez-le en PDF ou DOCX"),
    ],
)
def test_the_refusal_of_another_format_says_what_to_do(language: str, advice: str) -> None:
    with using_language(language), pytest.raises(Unreadable) as refused:
        read(_READERS, b"\x00\x01\x02\x03", "plan.dwg")
    assert advice in str(refused.value) and "XLSX" in str(refused.value)

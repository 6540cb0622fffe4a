"""Spreadsheets of each format: names of columns, titles, and what is not shown."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from csv import field_size_limit

import odfdo
import openpyxl
import pytest
from openpyxl.styles import Font

from fundwright.reading.document import Mark, Paragraph, SheetPlace, Table
from fundwright.reading.formats import read
from fundwright.reading.lines import lines_of
from fundwright.reading.plugin import document_readers
from fundwright.reading.report import report_of

Row = Sequence[str | int | None]
_READERS = list(document_readers())
_RATES: list[Row] = [["Role", "Site", "Rate"], ["Engineer", "Omaha", 120], ["Analyst", "Reno", 95]]
_READ = ["| Role | Site | Rate |\n| - | - | - |\n| Engineer | Omaha | 120 |", "| Analyst | Reno | 95 |"]


def xlsx(rows: Sequence[Row], *merged: str) -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    for row in rows:
        sheet.append(list(row))
    for cells in merged:
        sheet.merge_cells(cells)
    workbook.save(target := io.BytesIO())
    return target.getvalue()


def csv(rows: Sequence[Row], separator: str = ",") -> bytes:
    width = max(map(len, rows))
    return "\n".join(separator.join(str(cell or "") for cell in [*row, *[""] * (width - len(row))]) for row in rows).encode()


def ods(*tables: odfdo.Table) -> bytes:
    document = odfdo.Document("spreadsheet")
    document.body.clear()
    for table in tables:
        document.body.append(table)
    document.save(target := io.BytesIO())
    return target.getvalue()


def ods_table(rows: Sequence[Row], name: str = "Rates") -> odfdo.Table:
    table = odfdo.Table(name)
    for place, row in enumerate(rows):
        table.set_row_values(place, list(row))
    return table


def texts(content: bytes, filename: str) -> list[str]:
    return [line.text for line in lines_of(read(_READERS, content, filename))]


@pytest.mark.parametrize(
    ("above", "lines", "caption"),
    [
        ([], [], ""),
        ([["Labor rates"]], [], "Labor rates\n"),
        ([["Labor rates"], []], [], "Labor rates\n"),
        ([["Labor rates"], ["Prepared by", "Ann"], []], ["Labor rates", "| Prepared by | Ann |"], ""),
        ([["Acme"], [], ["Labor rates"], ["Valid", "from May"]], ["Acme", "Labor rates"], "Valid, from May\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["xlsx", "csv", "ods"])
def test_the_names_of_columns_are_below_titles_and_notes(above: list[Row], lines: list[str], caption: str, form: str) -> None:
    rows = [*above, *_RATES]
    content = {"xlsx": xlsx, "csv": csv, "ods": lambda rows: ods(ods_table(rows))}[form](rows)
    assert texts(content, f"a.{form}") == [*lines, caption + _READ[0], _READ[1]]


def test_a_merged_title_is_a_caption_and_merged_names_are_names_of_groups() -> None:
    rows: list[Row] = [
        ["Labor rates"],
        ["Role", "FY 2025", None, "FY 2026"],
        [None, "Omaha", "Reno", "Omaha"],
        ["Engineer", 120, 110, 125],
    ]
    assert texts(xlsx(rows, "A1:D1", "A2:A3", "B2:C2"), "a.xlsx") == [
        "Labor rates\n| Role | FY 2025 / Omaha | FY 2025 / Reno | FY 2026 / Omaha |\n| - | - | - | - |\n| Engineer | 120 | 110 | 125 |"
    ]


def test_each_table_of_a_sheet_has_its_names() -> None:
    second: list[Row] = [["Travel"], ["City", "Nights", "Cost"], ["Reno", 3, 900]]
    assert texts(xlsx([*_RATES, [], *second]), "a.xlsx") == [
        *_READ, "Travel\n| City | Nights | Cost |\n| - | - | - |\n| Reno | 3 | 900 |",
    ]  # fmt: skip


def test_a_blank_row_does_not_end_a_table() -> None:
    assert texts(xlsx([*_RATES, [], ["Total", None, 215]]), "a.xlsx") == [*_READ, "| Total |  | 215 |"]


def test_rows_of_values_are_no_names() -> None:
    assert texts(xlsx([["Gauge", 12, 7], ["Pump", 3, 9]]), "a.xlsx") == ["| Gauge | 12 | 7 |", "| Pump | 3 | 9 |"]
    assert texts(xlsx([["Item", 2024, 2025], ["Pump", 3, 9]]), "a.xlsx") == [
        "| Item | 2024 | 2025 |\n| - | - | - |\n| Pump | 3 | 9 |"
    ]


def test_a_title_with_commas_does_not_choose_the_separator() -> None:
    content = csv([["Rates, Omaha, Reno, and Provo"], ["Role", "Rate", "Site"], ["Engineer", 120, "Reno"]], ";")
    assert texts(content, "a.csv") == [
        "Rates, Omaha, Reno, and Provo\n| Role | Rate | Site |\n| - | - | - |\n| Engineer | 120 | Reno |"
    ]


def test_sheets_are_counted_and_not_pages() -> None:
    report = report_of(read(_READERS, ods(ods_table(_RATES), ods_table(_RATES, "More")), "a.ods"))
    assert report.read_text == "2 sheets, 2 tables"


def test_what_a_sheet_does_not_show_stays_marked() -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    for row in _RATES:
        sheet.append(list(row))
    sheet.row_dimensions[3].hidden = True
    sheet["B2"].font = Font(strike=True)
    workbook.create_sheet("Secret").sheet_state = "hidden"
    workbook["Secret"]["A1"] = "secret"
    workbook.save(target := io.BytesIO())
    document = read(_READERS, target.getvalue(), "a.xlsx")
    assert [line.text for line in lines_of(document)] == ["| Role | Site | Rate |\n| - | - | - |\n| Engineer |  | 120 |"]
    marked = [(run.text.strip(), run.mark) for block in document.blocks if isinstance(block, Paragraph) for run in block.runs]
    assert marked == [
        ("Omaha", Mark.STRUCK), ("Analyst", Mark.HIDDEN), ("Reno", Mark.HIDDEN), ("95", Mark.HIDDEN), ("secret", Mark.HIDDEN),
    ]  # fmt: skip
    assert report_of(document).read_text == "1 sheet, 1 table"


ODF_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for name, full in (
        ("office", "office"),
        ("style", "style"),
        ("table", "table"),
        ("text", "text"),
        ("fo", "xsl-fo-compatible"),
        ("draw", "drawing"),
        ("svg", "svg-compatible"),
    )
)


def ods_file(tables: str, styles: str = "") -> bytes:
    source = (
        f"<office:document-content {ODF_NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(target := io.BytesIO(), "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", source)
    return target.getvalue()


def _cells(*values: str, attributes: str = "") -> str:
    cells = "".join(f"<table:table-cell {attributes}><text:p>{value}</text:p></table:table-cell>" for value in values)
    return f"<table:table-row>{cells}</table:table-row>"


def test_the_cells_of_ods_are_read_as_they_are_shown() -> None:
    styles = (
        '<style:style style:name="gone" style:family="table"><style:table-properties table:display="false"/></style:style>'
        '<style:style style:name="old" style:family="table-cell"><style:text-properties style:text-line-through-style="solid"/></style:style>'
        '<style:style style:name="part" style:family="text"><style:text-properties text:display="none"/></style:style>'
    )
    rows = (
        '<table:table-column table:number-columns-repeated="3"/><table:table-column table:visibility="collapse"/>'
        + _cells("Item", "Date", "Share", "Key")
        + "<table:table-row><table:table-cell><text:p>Pump <text:span text:style-name='part'>77</text:span></text:p></table:table-cell>"
        '<table:table-cell office:value-type="date" office:date-value="2026-05-01"><text:p>May 1, 2026</text:p></table:table-cell>'
        '<table:table-cell office:value-type="percentage" office:value="0.125"><text:p>12.5%</text:p></table:table-cell>'
        "<table:table-cell><text:p>k1</text:p></table:table-cell></table:table-row>"
        '<table:table-row table:visibility="collapse"><table:table-cell><text:p>Hose</text:p></table:table-cell></table:table-row>'
        + _cells("Gauge", "old date", attributes='table:style-name="old"')
        + '<table:table-row table:number-rows-repeated="1048576"><table:table-cell/></table:table-row>'
    )
    tables = (
        f'<table:table table:name="A">{rows}</table:table><table:table table:style-name="gone">{_cells("secret")}</table:table>'
    )
    document = read(_READERS, ods_file(tables, styles), "a.ods")
    assert [line.text for line in lines_of(document)] == [
        "| Item | Date | Share |\n| - | - | - |\n| Pump | May 1, 2026 | 12.5% |"
    ]
    marked = {
        run.text.strip(): run.mark for block in document.blocks if isinstance(block, Paragraph) for run in block.runs if run.mark
    }
    assert marked == {
        "77": Mark.HIDDEN, "Key": Mark.HIDDEN, "k1": Mark.HIDDEN, "Hose": Mark.HIDDEN,
        "Gauge": Mark.STRUCK, "old date": Mark.STRUCK, "secret": Mark.HIDDEN,
    }  # fmt: skip
    assert report_of(document).read_text == "1 sheet, 1 table"


def test_a_quotation_mark_without_an_end_does_not_make_a_csv_file_unreadable() -> None:
    usual = field_size_limit()
    assert "y,2" in texts(b'a,b\n"x,1\n' + b"y,2\n" * 40_000, "a.csv")[-1]
    assert field_size_limit() == usual


def test_hidden_values_of_ods_without_a_text_are_marked() -> None:
    rows = "".join(
        f'<table:table-row table:visibility="{visibility}"><table:table-cell office:value="{value}"/></table:table-row>'
        for value, visibility in ((11, "visible"), (666, "collapse"))
    )
    assert texts(ods_file(f"<table:table>{rows}</table:table>"), "a.ods") == ["11"]


def test_cells_that_are_repeated_a_billion_times_are_not_multiplied() -> None:
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    document = read(_READERS, ods_file(f"<table:table>{row}</table:table>"), "a.ods")
    assert sum(len(row) for block in document.blocks if isinstance(block, Table) for row in block.rows) < 100_000


_GROUPED = "| Role | FY 2025 / Hours | FY 2025 / Rate | FY 2026 / Hours | FY 2026 / Rate |\n| - | - | - | - | - |\n| Engineer | 100 | 120 | 110 | 125 |"


@pytest.mark.parametrize("first", [
    [None, "FY 2025", None, "FY 2026", None],
    [None, "FY 2025", "FY 2025", "FY 2026", "FY 2026"],
])  # fmt: skip
@pytest.mark.parametrize("title", [[], [["Budget"]]])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_a_row_above_the_names_names_groups_of_columns(first: Row, title: list[Row], separator: str) -> None:
    rows: list[Row] = [*title, first, ["Role", "Hours", "Rate", "Hours", "Rate"], ["Engineer", 100, 120, 110, 125]]
    filename = "a.csv" if separator == "," else "a.tsv"
    assert texts(csv(rows, separator), filename) == ["Budget\n" * len(title) + _GROUPED]


def test_names_that_are_not_repeated_are_in_groups_if_all_but_the_first_are() -> None:
    rows: list[Row] = [
        [None, "Labor", None, "Other", None], ["Role", "Hours", "Rate", "Travel", "Tools"], ["Engineer", 100, 120, 110, 125],
    ]  # fmt: skip
    assert texts(csv(rows), "a.csv") == [
        "| Role | Labor / Hours | Labor / Rate | Other / Travel | Other / Tools |\n| - | - | - | - | - |\n| Engineer | 100 | 120 | 110 | 125 |"
    ]


def test_names_that_are_there_twice_have_no_groups_without_a_row_of_them() -> None:
    rows: list[Row] = [["Item", "Note", "Note"], ["Pump", "a", "b"], ["Hose", "c", "d"]]
    assert texts(csv(rows), "a.csv") == ["| Item | Note | Note |\n| - | - | - |\n| Pump | a | b |", "| Hose | c | d |"]


_BESIDE: list[Row] = [
    ["Contracts", None, None, "People"],
    ["Contract", "Value", None, "Person", "Role", "Years"],
    ["C-1", 100, None, "Ann", "Manager", 12],
    ["C-2", 200, None, "Bob", "Auditor", 7],
    ["C-3", 300],
]


@pytest.mark.parametrize("form", ["xlsx", "csv", "ods"])
def test_tables_beside_each_other_have_their_own_rows_and_names(form: str) -> None:
    content = {"xlsx": xlsx, "csv": csv, "ods": lambda rows: ods(ods_table(rows))}[form](_BESIDE)
    assert texts(content, f"a.{form}") == [
        "Contracts\n| Contract | Value |\n| - | - |\n| C-1 | 100 |",
        "| C-2 | 200 |",
        "| C-3 | 300 |",
        "People\n| Person | Role | Years |\n| - | - | - |\n| Ann | Manager | 12 |",
        "| Bob | Auditor | 7 |",
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [["Contract", "Value", None, "Person", "Role"], ["Bridge", 100, None, "Ann", "Lead"], ["Road", 200]],
        [["Won", None, None, "Lost"], ["Contract", "Value", None, "Offer", "Price"], ["Bridge", 100, None, "Dam", 200]],
        [["Name", "Value", None, "Name", "Value"], ["Bridge", 100, None, "Dam", 200]],
    ],
)
def test_a_blank_column_divides_tables_that_end_apart_or_have_titles_or_the_same_names(rows: list[Row]) -> None:
    tables = [block for block in read(_READERS, xlsx(rows), "a.xlsx").blocks if isinstance(block, Table)]
    assert [max(len(row) for row in table.rows) for table in tables] == [2, 2]


@pytest.mark.parametrize(
    "rows",
    [
        [["Role", "Site", None, "Rate", "Hours"], ["Engineer", "Omaha", None, 120, 10], ["Analyst", "Reno", None, 95, 20]],
        [["Role", None, "Rate", "Hours"], ["Engineer", None, 120, 10]],
        [["Role", "Site", None, "Lead", "Notes"], ["Engineer", "Omaha", None, "Ann", "-"], ["Analyst", "Reno", None, "Ann", "-"]],
        [["Role", "Site", None, "City", "State", None, "Notes"], ["Engineer", "Main", None, "Omaha", "NE", None, "new"]],
        [
            ["Contract", "Value", None, "Agency", "City"],
            ["Bridge", 100, None, "NASA", "Houston"],
            ["Road", 200, None, "DOE", "Austin"],
        ],
        [["Contracts"], ["Contract", "Value", None, "Agency", "City"], ["Bridge", 100, None, "NASA", "Houston"]],
    ],
)
def test_a_blank_column_does_not_divide_a_table(rows: list[Row]) -> None:
    without = [[cell for cell in row if cell is not None] for row in rows]
    assert texts(xlsx(rows), "a.xlsx") == texts(xlsx(without), "a.xlsx")


def test_many_blank_columns_take_no_long_time() -> None:
    row: Row = [text for place in range(4_000) for text in (f"a{place}", f"b{place}", None)]
    assert len(texts(csv([row, row, row]), "a.csv")) > 0


def test_merged_cells_and_links_may_cover_all_of_the_sheet() -> None:
    content = io.BytesIO(xlsx([*_RATES, ["Nobody", "sees", "this"]]))
    target = io.BytesIO()
    with zipfile.ZipFile(content) as before, zipfile.ZipFile(target, "w") as after:
        for part in before.infolist():
            written = before.read(part)
            if part.filename == "xl/worksheets/sheet1.xml":
                merged = "".join(f'<mergeCell ref="D{row}:XFD1048576"/>' for row in range(1, 3_001))
                columns = '<cols><col min="5" max="2000000000" hidden="1"/></cols><sheetData>'
                more = f'<mergeCells><mergeCell ref="A4:C4"/>{merged}</mergeCells><hyperlinks><hyperlink ref="A1:XFD1048576" location="A1"/></hyperlinks>'  # fmt: skip
                written = written.replace(b"</sheetData>", f"</sheetData>{more}".encode())
                written = written.replace(b"<sheetData>", columns.encode())
            after.writestr(part.filename, written)
    assert texts(target.getvalue(), "rates.xlsx") == [*_READ, "| Nobody |  |  |"]


class TestPlaces:
    def test_tables_and_notes_have_their_sheet_and_cells(self) -> None:
        workbook = openpyxl.Workbook()
        workbook.worksheets[0].append(["Plan"])
        rates = workbook.create_sheet("Rates 2026")
        for cell, value in (("C2", "Fully loaded"), ("C3", "Hourly"), ("C5", "Role"), ("D5", "Site"), ("AA5", "Rate")):
            rates[cell] = value
        for row, values in enumerate((("Engineer", "Omaha", 120), ("Analyst", "Reno", 95)), 6):
            rates[f"C{row}"], rates[f"D{row}"], rates[f"AA{row}"] = values
        workbook.save(target := io.BytesIO())
        blocks = read(_READERS, target.getvalue(), "a.xlsx").blocks
        assert [block.place for block in blocks if isinstance(block, Table | Paragraph)] == [
            SheetPlace("Sheet", "A1"),
            SheetPlace("Rates 2026", "C2"),
            SheetPlace("Rates 2026", "C5:AA7"),
        ]

    def test_are_those_of_open_document_sheets_too(self) -> None:
        (table,) = read(_READERS, ods(ods_table(_RATES)), "a.ods").blocks
        assert isinstance(table, Table)
        assert table.place == SheetPlace("Rates", "A1:C3")

    def test_of_tables_beside_each_other_are_their_own(self) -> None:
        rows: list[Row] = [
            ["Role", "Rate", None, "Site", "Rate"],
            ["Engineer", 120, None, "Omaha", 5],
            ["Analyst", 95, None, "Reno", 7],
        ]
        places = [block.place for block in read(_READERS, xlsx(rows), "a.xlsx").blocks if isinstance(block, Table)]
        assert places == [SheetPlace("Sheet", "A1:B3"), SheetPlace("Sheet", "D1:E3")]

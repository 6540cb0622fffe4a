import io
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from fundwright.opportunities import sam
from fundwright.opportunities.reading import UnreadableFile
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.sources import ParsedNotice, RejectedRow
from tests.opportunities.files import SAM_COLUMNS, notice_id, sam_file, sam_row


def parse(content: bytes) -> list[ParsedNotice | RejectedRow]:
    return list(SamCsv().parse(io.BytesIO(content)))


def parse_one(**values: str) -> ParsedNotice:
    [notice] = parse(sam_file(sam_row(**values)))
    assert isinstance(notice, ParsedNotice)
    return notice


class TestParse:
    def test_reads_every_field(self) -> None:
        notice = parse_one(
            **{
                "Sol#": "70Z080",
                "Department/Ind.Agency": "HOMELAND SECURITY, DEPARTMENT OF",
                "Sub-Tier": "US COAST GUARD",
                "Office": "SFLC",
                "NaicsCode": "336611",
                "ClassificationCode": "J998",
                "PopCity": "North Kingstown",
                "PopState": "RI",
                "PopCountry": "USA",
                "Award$": "819300.00",
                "PrimaryContactFullname": "Maggie",
                "PrimaryContactEmail": "m@example.com",
                "SecondaryContactPhone": "555",
                "Link": "https://sam.gov/x/view",
                "Description": "Dry dock.",
            }
        )
        assert notice.number == "70Z080"
        assert (notice.agency, notice.sub_agency) == ("HOMELAND SECURITY, DEPARTMENT OF", "US COAST GUARD")
        assert (notice.naics, notice.psc) == ("336611", "J998")
        assert notice.place == "North Kingstown, RI, USA"
        assert notice.award_amount == Decimal("819300.00")
        assert notice.contacts == [{"name": "Maggie", "email": "m@example.com"}, {"phone": "555"}]
        assert notice.posted_at == datetime(2026, 3, 7, 12, 16, 16, 91_000, tzinfo=UTC)
        assert "Description" not in notice.raw
        assert notice.line == 2

    def test_a_title_that_is_only_markup_is_no_title(self) -> None:
        [rejected] = parse(sam_file(sam_row(Title="<script>alert(1)</script><img src=x>")))
        assert isinstance(rejected, RejectedRow)
        assert rejected.column == "Title"

    def test_names_do_not_change_the_direction_of_the_text_around_them(self) -> None:
        file = sam_file(sam_row(Title="MARK1gnp.Roof", Awardee="MARK2Smith &amp; Sons"))
        [notice] = parse(file.replace(b"MARK1", "\u202e".encode()).replace(b"MARK2", "\u2067".encode()))
        assert isinstance(notice, ParsedNotice)
        assert (notice.title, notice.raw["Awardee"]) == ("gnp.Roof", "Smith & Sons")

    @pytest.mark.parametrize(
        ("published", "code"), [('["SBA"]', "SBA"), ("NONE", ""), ("", ""), ("SBA", "SBA"), ("None", ""), ("[]", "")]
    )
    def test_reads_the_set_aside_code(self, published: str, code: str) -> None:
        assert parse_one(SetASideCode=published, SetASide="Label").set_aside_code == code

    @pytest.mark.parametrize("naics", ["", "23", "541", "54151", "541519"])
    def test_keeps_a_partial_naics_code(self, naics: str) -> None:
        assert parse_one(NaicsCode=naics).naics == naics

    @pytest.mark.parametrize(
        ("published", "due_at"),
        [
            ("2026-03-23T17:00:00-04:00", datetime(2026, 3, 23, 21, tzinfo=UTC)),
            ("2026-03-23T17:00:00", datetime(2026, 3, 23, 21, tzinfo=UTC)),
            ("2026-03-23", datetime(2026, 3, 24, 3, 59, 59, tzinfo=UTC)),
            ("", None),
            ("3/23/26 5:00PM", datetime(2026, 3, 23, 21, tzinfo=UTC)),
            ("03232026 17:00", datetime(2026, 3, 23, 21, tzinfo=UTC)),
            ("Monday, March 23rd, 2026 at 5 p.m. (Eastern Time)", datetime(2026, 3, 23, 21, tzinfo=UTC)),
            ("Mar. 23, 2026 5:00 PM CDT", datetime(2026, 3, 23, 22, tzinfo=UTC)),
            ("3/23/2026 5:00 pm et", datetime(2026, 3, 23, 21, tzinfo=UTC)),
            ("23.03.2026 17:00", datetime(2026, 3, 23, 21, tzinfo=UTC)),
            ("05.03.2026", datetime(2026, 3, 6, 4, 59, 59, tzinfo=UTC)),
            ("46104", datetime(2026, 3, 24, 3, 59, 59, tzinfo=UTC)),
            ("46104.5", datetime(2026, 3, 23, 16, tzinfo=UTC)),
        ],
    )
    def test_reads_each_form_of_deadline(self, published: str, due_at: datetime | None) -> None:
        assert parse_one(ResponseDeadLine=published).due_at == due_at

    @pytest.mark.parametrize(
        "published",
        [
            "when ready",
            "23/3/2026",  # other rows of such a file would be read as months
            "March 2026",
            "3/23",
            "5:00 PM",
            "3/23/2026 5:00 PM local time",
            "3/23/2026 5:00 PM CEST",
            "3/23/2026 and 6/23/2026",
            "3/23/2026 10:00-15:30",
            "3/23/2026 25:00",
            "12345678",
            "1.5",
            "3/23/2026 " * 10_000,
        ],
    )
    def test_keeps_the_words_of_a_deadline_that_is_not_a_date(self, published: str) -> None:
        notice = parse_one(ResponseDeadLine=published)
        assert (notice.due_at, notice.due_note) == (None, published.strip())

    @pytest.mark.parametrize(
        ("published", "amount"),
        [
            ("$1,234,567.89 ", "1234567.89"),
            ("1.234.567,89", "1234567.89"),
            ("819300,00", "819300.00"),
            ("1,5,0", None),
            ("5-10", None),
        ],
    )
    def test_reads_amounts_with_separators(self, published: str, amount: str | None) -> None:
        assert parse_one(**{"Award$": published}).award_amount == (Decimal(amount) if amount else None)

    def test_reads_the_values_of_formulas(self) -> None:
        link = '=HYPERLINK("https://sam.gov/x/view","View, ""here""")'
        notice = parse_one(Title='=HYPERLINK("https://sam.gov/x/view","Roof repair")', Link=link, **{"Sol#": '="0012"'})
        assert (notice.title, notice.number, notice.url) == ("Roof repair", "0012", "https://sam.gov/x/view")

    def test_takes_the_psc_group_from_the_title_when_there_is_no_code(self) -> None:
        assert parse_one(Title="66--GAUGE").psc == "66"
        assert parse_one(Title="66--GAUGE", ClassificationCode="6685").psc == "6685"

    def test_an_award_can_not_be_responded_to(self) -> None:
        notice = parse_one(Type="Award Notice", ArchiveDate="2027-01-01")
        assert notice.closes_at == notice.posted_at

    def test_makes_plain_text_of_html_escaped_twice(self) -> None:
        notice = parse_one(
            Description="&amp;lt;p&amp;gt;Fish &amp;amp;amp; chips&amp;lt;/p&amp;gt;&lt;script&gt;alert(1)&lt;/script&gt;"
        )
        assert notice.description == "Fish & chips"
        assert "Description" in notice.raw

    @pytest.mark.parametrize(
        ("html", "text"),
        [
            (
                "Rounds<table><tr><th>Round</th><th>Due</th></tr><tr><td>1</td><td>Jan 5</td></tr></table>",
                "Rounds\nRound | Due\n1 | Jan 5",
            ),
            ("<table>\n<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n<tr>\n<td>c</td>\n<td>d</td>\n</tr></table>", "a | b\nc | d"),
            ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a | b\nc | d"),
            ("<table><caption>Dates</caption><tbody><tr><td>a</td></tr></tbody></table>After", "Dates\n\na\n\nAfter"),
            ("<dl><dt>Due</dt><dd>Jan 5</dd></dl>", "Due\nJan 5"),
        ],
    )
    def test_cells_and_captions_of_tables_do_not_run_together(self, html: str, text: str) -> None:
        assert parse_one(Description=html).description == text

    def test_leaves_out_a_link_that_is_not_a_web_address(self) -> None:
        assert parse_one(Link="javascript:alert(1)").url == ""

    def test_reads_cp1252_and_utf8_and_survives_replacement_characters(self) -> None:
        row = sam_row(Title="Café – “quoted”", NoticeId=notice_id(1))
        for encoding in ("cp1252", "utf-8", "utf-8-sig"):
            [notice] = parse(sam_file(row, encoding=encoding))
            assert isinstance(notice, ParsedNotice)
            assert notice.title == "Café – “quoted”"
        [notice] = parse(sam_file(sam_row(Title="Caf\ufffd"), encoding="utf-8"))
        assert isinstance(notice, ParsedNotice)
        assert notice.title == "Caf\ufffd"

    def test_leaves_control_characters_out(self) -> None:
        assert parse_one(Title="Ro\x00of \x1frepair").title == "Roof repair"

    def test_reads_a_description_of_several_lines(self) -> None:
        first = sam_row(Description="One\nTwo\n\nThree", NoticeId=notice_id(1))
        rows = parse(sam_file(first, sam_row(NoticeId=notice_id(2))))
        assert [row.line for row in rows] == [2, 6]


class TestRejections:
    @pytest.mark.parametrize(
        ("values", "column"),
        [
            ({"NoticeId": ""}, "NoticeId"),
            ({"Title": " "}, "Title"),
            ({"PostedDate": "soon"}, "PostedDate"),
            ({"PostedDate": ""}, "PostedDate"),
            ({"PostedDate": "9999-12-31"}, "PostedDate"),
        ],
    )
    def test_a_row_without_a_required_field_is_rejected_and_the_rest_is_imported(
        self, values: dict[str, str], column: str
    ) -> None:
        rejected, notice = parse(sam_file(sam_row(**values), sam_row(NoticeId=notice_id(2))))
        assert isinstance(rejected, RejectedRow)
        assert (rejected.line, rejected.column) == (2, column)
        assert isinstance(notice, ParsedNotice)

    def test_a_row_with_too_few_or_too_many_columns_is_rejected(self) -> None:
        rows = parse(sam_file('"x","y"\r\n', sam_row(), '"' + '","'.join("z" * 48) + '"\r\n'))
        assert isinstance(rows[0], RejectedRow)
        assert (rows[0].line, rows[0].column) == (2, "3")
        assert isinstance(rows[1], ParsedNotice)
        assert isinstance(rows[2], RejectedRow)
        assert rows[2].column == "48"

    def test_a_quote_that_is_never_closed_costs_one_row(self) -> None:
        broken = f'"{notice_id(1)}","Broken off in the middle\r\n'
        rows = parse(sam_file(sam_row(NoticeId=notice_id(0)), broken, *(sam_row(NoticeId=notice_id(i)) for i in range(2, 5))))
        taken = [row.external_id for row in rows if isinstance(row, ParsedNotice)]
        assert taken == [notice_id(i) for i in (0, 2, 3, 4)]
        [rejected] = [row for row in rows if isinstance(row, RejectedRow)]
        assert rejected.line == 3

    def test_a_row_without_end_is_given_up_before_it_fills_the_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sam, "_MAX_RECORD_CHARACTERS", 3_000)
        *rejected, last = parse(sam_file('x","\r\n' * 5_000, sam_row(NoticeId=notice_id(2))))
        assert isinstance(last, ParsedNotice)
        assert 8 < len(rejected) < 20
        assert isinstance(rejected[0], RejectedRow)
        assert "Is a quotation mark missing?" in rejected[0].reason

    def test_a_file_that_is_cut_off_keeps_what_was_read(self) -> None:
        content = sam_file(sam_row(NoticeId=notice_id(1)), sam_row(NoticeId=notice_id(2)))
        first, second = parse(content[:-80])
        assert isinstance(first, ParsedNotice)
        assert isinstance(second, RejectedRow)

    def test_refuses_another_format(self) -> None:
        with pytest.raises(UnreadableFile, match="NoticeId"):
            parse(b"a,b,c\n1,2,3\n")
        with pytest.raises(UnreadableFile):
            parse(b"")

    def test_columns_may_have_another_order(self) -> None:
        columns = sorted(SAM_COLUMNS)
        row = sam_row(Title="Order")
        content = ",".join(columns) + "\n" + ",".join(f'"{row[name]}"' for name in columns) + "\n"
        [notice] = parse(content.encode())
        assert isinstance(notice, ParsedNotice)
        assert notice.title == "Order"


class TestFilesOfSpreadsheetPrograms:
    @pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
    def test_columns_have_another_separator(self, separator: str) -> None:
        first = sam_row(NoticeId=notice_id(1), Title='A "b"; c, d | e\tf', Description="One\nTwo")
        rows = parse(sam_file(first, sam_row(NoticeId=notice_id(2)), separator=separator))
        assert [(row.line, row.title) for row in rows if isinstance(row, ParsedNotice)] == [
            (2, 'A "b"; c, d | e\tf'),
            (4, "Roof repair"),
        ]

    @pytest.mark.parametrize("start", ["sep=^\r\n", '"sep=^"\r\n', "\r\nOpen opportunities^^\r\n^^^\r\nsep=^\n"])
    def test_the_separator_and_a_title_stand_before_the_header(self, start: str) -> None:
        [notice] = parse(start.encode() + sam_file(sam_row(), separator="^"))
        assert isinstance(notice, ParsedNotice)
        assert notice.line == start.count("\n") + 2

    def test_an_unknown_separator_is_refused_with_those_that_are_known(self) -> None:
        with pytest.raises(UnreadableFile, match="commas, semicolons, tabs, or vertical bars"):
            parse(sam_file(sam_row(), separator="^"))

    def test_a_quote_that_is_never_closed_costs_one_row_with_another_separator(self) -> None:
        broken = f'"{notice_id(1)}";"Broken off in the middle\r\n'
        rows = parse(sam_file(broken, *(sam_row(NoticeId=notice_id(i)) for i in range(2, 5)), separator=";"))
        assert [type(row) for row in rows] == [RejectedRow, ParsedNotice, ParsedNotice, ParsedNotice]

    def test_blank_rows_and_blank_columns_at_the_end_are_left_out(self) -> None:
        content = sam_file("," * 46 + "\r\n", sam_row(), " " + "," * 46 + "\r\n").replace(b"\r\n", b",,\r\n")
        [notice] = parse(content)
        assert isinstance(notice, ParsedNotice)
        assert notice.unused_columns == ()

    def test_names_of_columns_have_other_cases_and_spaces(self) -> None:
        [notice] = parse(sam_file(sam_row(ResponseDeadLine="2026-03-23", **{"Sol#": "70Z080"})).replace(
            b'"ResponseDeadLine"', b'" response_Deadline "').replace(b'"Sol#"', b'"SOL #"'))  # fmt: skip
        assert isinstance(notice, ParsedNotice)
        assert (notice.raw["ResponseDeadLine"], notice.number) == ("2026-03-23", "70Z080")

    def test_columns_that_the_format_does_not_have_are_named(self) -> None:
        columns = ["NoticeId", "Title", "PostedDate", "Our priority", "title", ""]
        content = ",".join(columns) + "\n" + f"{notice_id(1)},Roof repair,2026-03-07,high,Other,x\n"
        [notice] = parse(content.encode())
        assert isinstance(notice, ParsedNotice)
        assert notice.title == "Roof repair"
        assert notice.unused_columns == ("Our priority", "title (2)", "Column 6")
        assert (notice.raw["Our priority"], notice.raw["title (2)"]) == ("high", "Other")

    def test_content_is_the_same_in_another_order_and_with_another_separator(self) -> None:
        row = sam_row(Title="Order")
        [published] = parse(sam_file(row))
        columns = sorted(SAM_COLUMNS)
        [saved] = parse((";".join(columns).lower() + "\n" + ";".join(f'"{row[name]}"' for name in columns) + "\n").encode())
        assert isinstance(published, ParsedNotice)
        assert isinstance(saved, ParsedNotice)
        assert published.content == saved.content


class TestRealFile:
    def test_every_row_is_read(self, shared_data) -> None:
        import gzip

        with gzip.open(shared_data / "sam/ContractOpportunitiesFullCSV.csv.gz") as file:
            rows = list(SamCsv().parse(io.BufferedReader(file)))
        assert len(rows) == 12_309
        assert all(isinstance(row, ParsedNotice) for row in rows)
        assert {row.set_aside_code for row in rows if isinstance(row, ParsedNotice)} >= {"SBA", "8A", ""}

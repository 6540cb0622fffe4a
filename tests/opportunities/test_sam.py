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
        ],
    )
    def test_reads_each_form_of_deadline(self, published: str, due_at: datetime | None) -> None:
        assert parse_one(ResponseDeadLine=published).due_at == due_at

    def test_keeps_the_words_of_a_deadline_that_is_not_a_date(self) -> None:
        notice = parse_one(ResponseDeadLine="when ready")
        assert (notice.due_at, notice.due_note) == (None, "when ready")

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


class TestRealFile:
    def test_every_row_is_read(self, shared_data) -> None:
        import gzip

        with gzip.open(shared_data / "sam/ContractOpportunitiesFullCSV.csv.gz") as file:
            rows = list(SamCsv().parse(io.BufferedReader(file)))
        assert len(rows) == 12_309
        assert all(isinstance(row, ParsedNotice) for row in rows)
        assert {row.set_aside_code for row in rows if isinstance(row, ParsedNotice)} >= {"SBA", "8A", ""}

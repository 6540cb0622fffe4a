import io
from decimal import Decimal

import pytest

from fundwright.opportunities.nih import NihJsonLines
from fundwright.opportunities.reading import UnreadableFile, activity_codes
from fundwright.opportunities.sources import ParsedNotice, RejectedRow
from tests.opportunities.files import nih_file, nih_row


def parse(content: bytes) -> list[ParsedNotice | RejectedRow]:
    return list(NihJsonLines().parse(io.BytesIO(content)))


class TestParse:
    def test_reads_a_row(self) -> None:
        [notice] = parse(nih_file(nih_row(institute="ORIP", cfda_list=[{"number": "93.310", "title": "x"}])))
        assert isinstance(notice, ParsedNotice)
        assert notice.activity_codes == ["C06"]
        assert notice.assistance_listings == ["93.310"]
        assert (notice.sub_agency, notice.type) == ("ORIP", "Program Announcement")

    def test_when_it_was_collected_is_not_content(self) -> None:
        first, second = parse(nih_file(nih_row(_last_seen="2026-01-01"), nih_row(_last_seen="2026-02-02")))
        assert isinstance(first, ParsedNotice)
        assert isinstance(second, ParsedNotice)
        assert first.content == second.content

    def test_broken_lines_are_rejected_with_line_and_column(self) -> None:
        rows = parse(nih_file(nih_row(), '{"opportunity_id": ', "[1]", "", nih_row(opportunity_id="2")))
        assert [type(row) for row in rows] == [ParsedNotice, RejectedRow, RejectedRow, ParsedNotice]
        assert isinstance(rows[1], RejectedRow)
        assert (rows[1].line, rows[1].column) == (2, "20")
        assert rows[3].line == 5

    def test_text_that_no_database_can_hold_is_replaced(self) -> None:
        [notice] = parse(b'{"opportunity_id": "1", "title": "a\\u0000b\\ud800", "post_date": "2026-01-01"}\n')
        assert isinstance(notice, ParsedNotice)
        assert notice.title == "a\ufffdb\ufffd"

    @pytest.mark.parametrize("amount", ["10E999999", "1e-999999999999999999", "sNaN", 10**400])
    def test_an_amount_beyond_all_bounds_costs_only_itself(self, amount: object) -> None:
        first, second = parse(nih_file(nih_row(award_ceiling=amount, num_awards=amount), nih_row(award_ceiling="1,250.5")))
        assert isinstance(first, ParsedNotice)
        assert isinstance(second, ParsedNotice)
        assert (first.award_ceiling or 0, first.expected_awards or 0) == (0, 0)
        assert second.award_ceiling == Decimal("1250.50")

    def test_rejects_a_row_without_a_required_field(self) -> None:
        rows = parse(nih_file(nih_row(opportunity_id=""), nih_row(title=None), nih_row(post_date="soon")))
        assert [row.column for row in rows if isinstance(row, RejectedRow)] == ["opportunity_id", "title", "post_date"]

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b'{"a": 1}\n', "neither opportunity_id nor title"),
            (b"%PDF-1.7\n%\xe2\xe3\n" * 100, "one JSON object per line.*Line 1, column 1"),
            (b'{\n  "total": 1,\n  "items": []\n}\n', "one JSON object per line.*Line 1, column 2"),
            (b"\x89PNG\r\n\x1a\n", "one JSON object per line"),
            (b"", "one JSON object per line"),
        ],
    )
    def test_refuses_another_format(self, content: bytes, reason: str) -> None:
        with pytest.raises(UnreadableFile, match=reason):
            parse(content)

    def test_a_good_row_after_broken_ones_shows_the_format(self) -> None:
        rows = parse(nih_file(*['{"torn'] * 20, nih_row()))
        assert [type(row) for row in rows] == [RejectedRow] * 20 + [ParsedNotice]

    @pytest.mark.parametrize(("name", "number"), [("nih_posted", 511), ("nih_forecasted", 398)])
    def test_reads_the_real_files(self, shared_data, name: str, number: int) -> None:
        rows = parse((shared_data / f"nih/{name}.jsonl").read_bytes())
        assert sum(isinstance(row, ParsedNotice) for row in rows) == number


class TestActivityCodes:
    @pytest.mark.parametrize(
        ("title", "codes"),
        [
            ("Heart (R01 Clinical Trial Optional)", ["R01"]),
            ("Images (R21/R33 Clinical Trial Not Allowed)", ["R21", "R33"]),
            ("Pilot (UG3/UH3)", ["UG3", "UH3"]),
            ("Centers (U2C - Clinical Trial Not Allowed)", ["U2C"]),
            ("Parent R01 without parentheses", []),
            ("Program (ARE), Model-to-Clinic (M2C), Data (D2M-AIP)", []),
        ],
    )
    def test_are_found_in_parentheses(self, title: str, codes: list[str]) -> None:
        assert activity_codes(title) == codes

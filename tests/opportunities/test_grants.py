import gzip
import io
import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from fundwright.opportunities.grants import GrantsGov
from fundwright.opportunities.reading import UnreadableFile
from fundwright.opportunities.sources import ParsedNotice, RejectedRow
from tests.opportunities.files import grants_file, grants_row


def parse(content: bytes) -> list[ParsedNotice | RejectedRow]:
    return list(GrantsGov().parse(io.BytesIO(content)))


def parse_one(*fields: tuple[str, str], forecast: bool = False) -> ParsedNotice:
    [notice] = parse(grants_file(grants_row(*fields, forecast=forecast)))
    assert isinstance(notice, ParsedNotice)
    return notice


class TestExtract:
    def test_reads_dates_amounts_and_repeated_elements(self) -> None:
        notice = parse_one(
            ("CloseDate", "10012026"),
            ("AwardCeiling", "400000"),
            ("AwardFloor", "0"),
            ("ExpectedNumberOfAwards", "12"),
            ("CFDANumbers", "93.226"),
            ("CFDANumbers", "93.10"),
            ("FundingInstrumentType", "G"),
            ("FundingInstrumentType", "CA"),
            ("AgencyCode", "HHS-NIH11"),
            ("OpportunityTitle", "Dissemination (R18)"),
        )
        assert notice.posted_at == datetime(2018, 5, 21, 4, tzinfo=UTC)
        assert notice.due_at == datetime(2026, 10, 2, 3, 59, 59, tzinfo=UTC)
        assert (notice.award_ceiling, notice.award_floor) == (Decimal("400000.00"), Decimal("0.00"))
        assert notice.expected_awards == 12
        assert notice.assistance_listings == ["93.226", "93.10"]
        assert notice.type == "Grant, Cooperative Agreement"
        assert notice.activity_codes == ["R18"]

    def test_makes_plain_text_of_doubly_escaped_html(self) -> None:
        notice = parse_one(
            ("Description", "&amp;lt;p&amp;gt;One&amp;lt;/p&amp;gt;&amp;lt;p&amp;gt;Two &amp;amp; three&amp;lt;/p&amp;gt;")
        )
        assert notice.description == "One\nTwo & three"

    def test_reads_a_forecast(self) -> None:
        notice = parse_one(("EstimatedApplicationDueDate", "12312026"), forecast=True)
        assert (notice.status, notice.type) == ("forecasted", "Forecast")
        assert notice.due_at is not None

    def test_keeps_the_explanation_of_the_deadline(self) -> None:
        notice = parse_one(("CloseDateExplanation", "Proposals accepted anytime"))
        assert (notice.due_at, notice.due_note) == (None, "Proposals accepted anytime")

    def test_a_broken_row_costs_only_itself(self) -> None:
        broken = "<OpportunitySynopsisDetail_1_0><OpportunityID>2</OpportunityID>\n<Title>a & b</OpportunitySynopsisDetail_1_0>\n"
        unclosed = "<OpportunitySynopsisDetail_1_0><OpportunityID>3</OpportunityID>\n"
        rows = parse(grants_file(grants_row(), broken, unclosed, grants_row(("OpportunityID", "4"))))
        assert [type(row) for row in rows] == [ParsedNotice, RejectedRow, RejectedRow, ParsedNotice]
        assert rows[-1].line == 7

    def test_a_broken_tail_is_reported_and_what_was_read_stays(self) -> None:
        content = grants_file(grants_row(), grants_row(("OpportunityID", "2")))
        first, tail = parse(content[:-60])
        assert isinstance(first, ParsedNotice)
        assert isinstance(tail, RejectedRow)
        assert "ends unexpectedly" in tail.reason

    def test_a_file_cut_between_rows_is_reported(self) -> None:
        first, tail = parse(grants_file(grants_row())[:-8])
        assert isinstance(first, ParsedNotice)
        assert isinstance(tail, RejectedRow)
        assert "ends unexpectedly" in tail.reason

    @pytest.mark.parametrize("missing", ["OpportunityID", "OpportunityTitle", "PostDate"])
    def test_rejects_a_row_without_a_required_field(self, missing: str) -> None:
        [row] = parse(grants_file(grants_row((missing, ""))))
        assert isinstance(row, RejectedRow)
        assert row.column == missing

    def test_an_entity_bomb_does_not_go_off(self) -> None:
        bomb = '<?xml version="1.0"?><!DOCTYPE Grants [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><Grants>'
        content = bomb.encode() + grants_row(("OpportunityTitle", "&b;")).encode() + b"</Grants>"
        [row] = parse(content)
        assert isinstance(row, RejectedRow)
        assert row.reason == "The XML is invalid here."

    def test_refuses_another_format(self) -> None:
        with pytest.raises(UnreadableFile):
            parse(b"<html></html>")
        with pytest.raises(UnreadableFile):
            parse(b"a,b\n")

    def test_reads_the_real_extract(self, shared_data) -> None:
        with gzip.open(shared_data / "grants/GrantsDBExtract.xml.gz") as file:
            rows = list(GrantsGov().parse(io.BufferedReader(file)))
        assert len(rows) == 1_468
        assert all(isinstance(row, ParsedNotice) and "&lt;" not in row.description for row in rows)


class TestSimplerRows:
    def test_reads_a_row(self) -> None:
        row = {
            "Opportunity ID": "25-538",
            "Title": "Models",
            "Post Date": "2026-04-28",
            "Award Ceiling": "3125629.0",
            "Est. # of Awards": "15.0",
            "Assistance Listings": "47.074|Biology | 93.322|Partnership, Labs",
            "Funding Instrument Type": "cooperative_agreement, grant",
            "Deadline": "2026-05-28",
            "URL": "https://simpler.grants.gov/opportunity/07bdebb5-cce0-4db5-8e79-5ed2b2d3e911",
            "Status": "Forecast",
        }
        [notice] = parse(json.dumps(row).encode() + b"\n")
        assert isinstance(notice, ParsedNotice)
        assert notice.external_id == "07bdebb5-cce0-4db5-8e79-5ed2b2d3e911"
        assert notice.assistance_listings == ["47.074", "93.322"]
        assert (notice.status, notice.expected_awards) == ("forecasted", 15)

    def test_reads_the_real_rows(self, shared_data) -> None:
        rows = parse((shared_data / "grants/simpler_grants_rows.jsonl").read_bytes())
        assert sum(isinstance(row, ParsedNotice) for row in rows) == 214

"""The files of ../shared/cases/imports, each of which stands for a kind of files that were read wrong."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.opportunities.grants import GrantsGov
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.sources import ParsedNotice, RejectedRow
from tests.opportunities.conftest import ImportFile, listed


@pytest.fixture
def imports(shared_cases: Path) -> Path:
    return shared_cases / "imports"


def read(path: Path) -> list[ParsedNotice | RejectedRow]:
    source = GrantsGov() if path.suffix == ".xml" else SamCsv()
    with path.open("rb") as file:
        return list(source.parse(file))


def notices(path: Path) -> dict[str, ParsedNotice]:
    """The notices of a file, by the last digits of their ids."""
    return {row.external_id[-3:].lstrip("0"): row for row in read(path) if isinstance(row, ParsedNotice)}


def test_dates_that_a_spreadsheet_program_saved(imports: Path) -> None:
    first, rejected, third, fourth = read(imports / "f01_sam_resaved_by_excel.csv")
    assert isinstance(first, ParsedNotice)
    assert (first.posted_at, first.due_at) == (datetime(2026, 11, 2, 12, 16, tzinfo=UTC), datetime(2026, 12, 15, 22, tzinfo=UTC))
    assert isinstance(rejected, RejectedRow)
    assert (rejected.line, rejected.column, rejected.reason) == (3, "PostedDate", "“16:16.1” is not a date.")
    assert isinstance(third, ParsedNotice)
    assert third.due_at == datetime(2026, 12, 6, 4, 59, 59, tzinfo=UTC)
    assert third.archive_at == datetime(2027, 1, 5, 4, 59, 59, tzinfo=UTC)
    assert isinstance(fourth, ParsedNotice)
    assert fourth.due_at == datetime(2026, 12, 16, 4, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize("name", ["blank_rows", "reordered_and_lower_header", "semicolons", "sep_line", "tab"])
def test_other_separators_headers_and_blank_rows(imports: Path, name: str) -> None:
    [notice] = read(imports / f"f02_sam_{name}.csv")
    assert isinstance(notice, ParsedNotice)
    assert notice.due_at == datetime(2026, 12, 15, 22, tzinfo=UTC)
    assert notice.raw["Sol#"] == notice.number
    assert notice.agency == "DEPT OF EXAMPLES"
    assert not notice.unused_columns


async def test_titles_and_amounts(imports: Path, import_file: ImportFile, committed: Core, member: Actor) -> None:
    path = imports / "f05_sam_title_forms.csv"
    by_id = await asyncio.to_thread(notices, path)
    assert by_id["300"].title == "=HYPERLINK lot 300 – “smart” quotes & bold &"
    assert by_id["306"].title == "Café “Zürich” survey"
    assert by_id["306"].description == "Temp <= 5 °C — see §C.2 “as is”"
    assert [by_id[number].award_amount for number in ("301", "302", "303")] == [Decimal("1234567.89"), Decimal(1_500_000), None]
    assert (await import_file(await asyncio.to_thread(path.read_bytes))).new == 7
    async with committed.database.transaction() as session:
        values = {row.value for row in await listed(session, member)}
    assert values == {Decimal("1234567.89"), Decimal(1_500_000), None}


async def test_each_form_of_deadline_is_read(imports: Path, import_file: ImportFile) -> None:
    path = imports / "f06_sam_deadline_forms.csv"
    by_id = await asyncio.to_thread(notices, path)
    in_the_afternoon, at_the_end = datetime(2026, 12, 15, 22, tzinfo=UTC), datetime(2026, 12, 16, 4, 59, 59, tzinfo=UTC)
    expected = [
        in_the_afternoon,
        in_the_afternoon,
        datetime(2026, 12, 15, 17, tzinfo=UTC),
        in_the_afternoon,
        in_the_afternoon,
        in_the_afternoon,
        at_the_end,
        at_the_end,
        at_the_end,
        datetime(2026, 12, 15, 5, tzinfo=UTC),
        in_the_afternoon,
        at_the_end,
        in_the_afternoon,
        at_the_end,
        datetime(2026, 12, 6, 4, 59, 59, tzinfo=UTC),
        datetime(2027, 11, 7, 5, 30, tzinfo=UTC),
        datetime(2027, 3, 14, 7, 30, tzinfo=UTC),
        datetime(2026, 12, 16, 7, 59, tzinfo=UTC),
        datetime(2026, 12, 15, 20, tzinfo=UTC),
    ]
    assert [notice.due_at for notice in by_id.values()] == expected
    assert (await import_file(await asyncio.to_thread(path.read_bytes))).warnings.deadlines == 0


async def test_a_grant_with_odd_rows(imports: Path, import_file: ImportFile) -> None:
    path = imports / "g01_grants_odd_rows.xml"
    by_id = await asyncio.to_thread(notices, path)
    assert by_id["9"].title == "Escaped title & bold – dash"
    assert by_id["9"].description == "First\n\n• One\n\n• Two\n\nRound | Due\n1 | Jan 5"
    assert by_id["11"].due_at == datetime(2026, 12, 15, 22, tzinfo=UTC)
    report = await import_file(await asyncio.to_thread(path.read_bytes), source="grants")
    assert (report.new, [row.column for row in report.rejections]) == (15, ["PostDate"])
    assert [(each.line, each.text) for each in report.warnings.first_deadlines] == [
        (3, "Proposals are accepted at any time until November 30, 2028.")
    ]

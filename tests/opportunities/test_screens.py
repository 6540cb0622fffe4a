import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest
from reactpy import html
from sqlalchemy import text

from fundwright.accounts.schemas import Actor, Role
from fundwright.categories import service as categories
from fundwright.categories.models import Label
from fundwright.categories.schemas import CategoryColor, CategoryCreate, LabelState
from fundwright.core.assembly import Core
from fundwright.opportunities import importing, service
from fundwright.opportunities.models import Opportunity
from fundwright.opportunities.question import Meaning
from fundwright.opportunities.repository import indexing, writing
from fundwright.opportunities.schemas import FoundPage, OpportunityQuery
from fundwright_ui.runtime.connection import UndoOffer
from fundwright_ui.runtime.diff import Operation
from fundwright_ui.runtime.router import Found, Location
from fundwright_ui.screens.deadlines import due_cell, due_chip
from fundwright_ui.screens.notice_address import query_of
from fundwright_ui.screens.opportunities.nih import nih_screen
from fundwright_ui.screens.opportunities.opportunity import contract_screen, deadline, grant_screen, phone_link
from fundwright_ui.screens.opportunities.results import count_text, end_of_list
from fundwright_ui.screens.opportunities.sam import sam_screen
from fundwright_ui.testing import ScreenUnderTest, mounted
from fundwright_ui.ui import Color, category_color, chip
from fundwright_ui.widgets import NoteCell
from tests.categories.embedding import WordEmbedder
from tests.opportunities.conftest import ImportFile, listed, run_import
from tests.opportunities.files import nih_file, nih_row, notice_id, sam_file, sam_row
from tests.opportunities.test_categorizing import embed
from tests.support.accounts import add_account
from tests.support.addresses import address_with
from tests.support.statements import statements


class TestQueryOf:
    def test_reads_the_address(self) -> None:
        category = uuid4()
        address = {
            "q": "roof", "agency": "VA|GSA", "due_from": "2026-01-31", "availability": "open", "page": "3", "sort": "-due",
            "category": str(category),
        }  # fmt: skip
        query = query_of("contract", address_with(address))
        assert (query.text, query.agency, query.page, query.sort) == ("roof", ("VA", "GSA"), 3, "-due")
        assert (str(query.due_from), query.availability, query.category) == ("2026-01-31", "open", category)

    def test_leaves_out_what_cannot_be_understood(self) -> None:
        query = query_of(
            "grant", address_with({"q": "x" * 900, "page": "0", "due_to": "soon", "availability": "ajar", "category": "1"})
        )
        assert (query.kind, query.page, query.due_to, query.availability, query.category) == ("grant", 1, None, None, None)
        assert len(query.text) == 500


class TestDeadline:
    def test_names_the_time_only_when_the_source_does(self) -> None:
        assert deadline(datetime(2026, 3, 24, 3, 59, 59, tzinfo=UTC), "en") == "March 23, 2026"
        assert deadline(datetime(2026, 3, 23, 21, tzinfo=UTC), "en") == "March 23, 2026, 5:00\u202fPM ET"
        assert deadline(datetime(2026, 3, 23, 21, tzinfo=UTC), "de") == "23. März 2026, 17:00 ET"


async def test_all_opportunities_leads_back_to_the_list_as_it_was(committed: Core, member: Actor) -> None:
    left = "/dashboard/sam?q=roof&sort=due&page=2"
    async with mounted(committed, member, sam_screen, path=left) as screen:
        for _ in range(2):  # an opportunity, and a similar one from there
            id = str(uuid4())
            screen.view.move(Found(contract_screen, Location(f"/dashboard/sam/{id}", {"id": id})))
            await screen.settle()
            assert screen.find("link", "All opportunities").props["href"] == left


async def test_tabs_count_what_is_open_like_the_list(committed: Core, member: Actor, import_file: ImportFile) -> None:
    await import_file(sam_file(sam_row(), sam_row(NoticeId=notice_id(2), Type="Award Notice")))
    for shown, count in (("open", 1), ("award", 1), ("closed", 0), ("any", 2)):
        async with mounted(committed, member, sam_screen, path=f"/dashboard/sam?availability={shown}") as screen:
            assert screen.has("link", f"Contracts (SAM.gov) {count}"), screen.text


async def test_types_are_in_the_language_of_the_reader(committed: Core, member: Actor, import_file: ImportFile) -> None:
    await import_file(sam_file(sam_row(Type="Sources Sought")))
    async with mounted(committed, member, sam_screen, path="/dashboard/sam?availability=any", language="de") as screen:
        assert [row["type"] for row in screen.rows()] == ["Markterkundung"]


class TestFilters:
    async def test_a_day_of_posting_is_in_the_url(self, committed: Core, member: Actor) -> None:
        async with committed.database.transaction() as session:
            await service.load_sample_once(session)
        async with mounted(committed, member, nih_screen, path="/dashboard/nih") as screen:
            await screen.click("button", "More filters")
            await screen.type("Posted on or after", "2026-01-31")
            await screen.type("Posted on or before", "2026-02-28")
            assert screen.address == "/dashboard/nih?filters=more&posted_from=2026-01-31&posted_to=2026-02-28"
            assert screen.has("button", "Filter: Posted: Jan 31, 2026 – Feb 28, 2026")

    async def test_frequent_ranges_are_one_click_and_named_on_the_chip(self, committed: Core, member: Actor) -> None:
        async with committed.database.transaction() as session:
            await service.load_sample_once(session)
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?posted_to=2026-01-31") as screen:
            assert screen.has("button", "Filter: Posted: through Jan 31, 2026")
            await screen.click("button", "Filter: Due")
            await screen.click("link", "Next 30 days")
            due = query_of("contract", address_with(dict(parse_qsl(urlsplit(screen.address).query))))
            assert due.due_from is not None
            assert due.due_to == due.due_from + timedelta(days=30)
            await screen.click("button", "Filter: Posted: through Jan 31, 2026")
            await screen.click("link", "Last 7 days")
            posted = query_of("contract", address_with(dict(parse_qsl(urlsplit(screen.address).query))))
            assert (posted.posted_from, posted.posted_to) == (due.due_from - timedelta(days=7), None)
            assert screen.has("button", "Filter: Due: Next 30 days") and screen.has("button", "Filter: Posted: Last 7 days")

    async def test_a_chip_shows_its_value_and_clears_it(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(sam_row(SetASideCode="WOSB"), sam_row(NoticeId=notice_id(2), SetASideCode="8A")))
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?availability=any") as screen:
            assert not screen.has("checkbox", "Women-owned · WOSB")
            await screen.click("button", "Filter: Set-aside")
            await screen.check("Women-owned · WOSB")
            assert screen.address == "/dashboard/sam?availability=any&filters=set_aside&set_aside=WOSB"
            assert screen.has("button", "Filter: Set-aside: Women-owned") and len(screen.rows()) == 1
            await screen.check("8(a) · 8A")
            assert screen.has("button", "Filter: Set-aside: Women-owned +1") and len(screen.rows()) == 2
            await screen.check("Women-owned · WOSB", False)
            await screen.click("button", "Remove filter Set-aside: 8(a)")
            assert screen.address == "/dashboard/sam?availability=any&filters=set_aside"
            assert screen.has("button", "Filter: Set-aside")
            await screen.click("button", "Filter: Set-aside")
            assert screen.address == "/dashboard/sam?availability=any"

    async def test_two_filters_are_cleared_together(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(sam_row()))
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?q=x&naics=23&number=7") as screen:
            assert screen.has("button", "Remove filter Number 7")
            await screen.click("link", "Clear filters")
            assert screen.address == "/dashboard/sam?q=x"
            assert not screen.has("link", "Clear filters")
            await screen.click("button", "Clear search")
            assert screen.address == "/dashboard/sam"

    async def test_codes_are_found_by_digits_and_words_of_their_title(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        codes = ("541511", "541512", "236220")
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(n), NaicsCode=code) for n, code in enumerate(codes))))
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?availability=any") as screen:
            await screen.click("button", "Filter: NAICS")
            await screen.type("Code or words of its title", "custom computer")
            assert not screen.has("checkbox", "541512 · Computer Systems Design Services")
            await screen.type("Code or words of its title", "5415")
            await screen.check("5415 · Computer Systems Design and Related Services")
            await screen.expect(lambda: "naics=5415" in screen.address and len(screen.rows()) == 2)
            await screen.type("Code or words of its title", "commercial and institutional")
            await screen.check("236220 · Commercial and Institutional Building Construction")
            await screen.expect(lambda: screen.has("button", "Filter: NAICS: 5415 +1") and len(screen.rows()) == 3)
            await screen.type("Code or words of its title", "")
            await screen.check("5415 · Computer Systems Design and Related Services", False)
            await screen.expect(lambda: "naics=236220" in screen.address and len(screen.rows()) == 1)

    async def test_notices_are_from_one_or_several_sources(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(nih_file(nih_row()), source="nih")
        async with mounted(committed, member, nih_screen, path="/dashboard/nih?availability=any&source=grants") as screen:
            assert screen.has("button", "Filter: Source: Grants.gov funding opportunities")

    @pytest.mark.parametrize(
        ("availability", "types"),
        [
            ("any", "Award Notice 1 Justification 1 Solicitation 1"),
            ("open", "Solicitation"),
            ("closed", "Justification Solicitation"),
            ("award", "Award Notice"),
        ],
    )
    async def test_values_that_occur_are_offered_with_numbers_only_if_these_are_of_all_notices_shown(
        self, committed: Core, member: Actor, import_file: ImportFile, availability: str, types: str
    ) -> None:
        offered = ("Solicitation", "Justification", "Award Notice")
        agency = {"Department/Ind.Agency": "NASA"}
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(n), Type=of, **agency) for n, of in enumerate(offered))))
        path = f"/dashboard/sam?availability={availability}"
        async with mounted(committed, member, sam_screen, path=path) as screen:
            await screen.click("button", "More filters")
            assert f"Type {types} Posted" in screen.text
            await screen.click("button", "Filter: Agency")
            assert screen.has("checkbox", "NASA")
            assert ("NASA 3" in screen.find("dialog", "Agency").text) == (availability == "any")

    async def test_what_cannot_be_understood_in_the_url_is_not_in_the_form(self, committed: Core, member: Actor) -> None:
        async with committed.database.transaction() as session:
            await service.load_sample_once(session)
        async with mounted(committed, member, nih_screen, path="/dashboard/nih?due_from=2026-13-45&agency=%7C") as screen:
            await screen.click("button", "Filter: Due")
            assert screen.value("Due on or after") == ""
            assert not any(each.name.startswith("Remove filter") for each in screen.elements("button"))

    async def test_each_search_filter_and_order_is_a_step_back_and_a_search_keeps_the_order(
        self, committed: Core, member: Actor
    ) -> None:
        async with committed.database.transaction() as session:
            await service.load_sample_once(session)
        async with mounted(committed, member, sam_screen, path="/dashboard/sam") as screen:
            await screen.emit("DataTable", "on_query", page=1, page_size=25, sort={"field": "due", "direction": "desc"})
            await screen.type("Search", "roof")
            await screen.submit("Search opportunities")
            await screen.click("button", "Filter: Due")
            await screen.type("Due on or after", "2026-01-31")
            steps = [(frame["path"], frame["replace"]) for frame in screen.frames if frame["type"] == "navigate"]
            assert steps == [
                ("/dashboard/sam?sort=-due", False),
                ("/dashboard/sam?sort=-due&q=roof", False),
                ("/dashboard/sam?sort=-due&q=roof&filters=due", True),
                ("/dashboard/sam?sort=-due&q=roof&filters=due&due_from=2026-01-31", False),
            ]

    async def test_a_page_beyond_the_end_is_the_last(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(number)) for number in range(30))))
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?page=9") as screen:
            table = screen.props("DataTable")
            assert (table["page"], len(table["rows"])) == (2, 5)

    @pytest.mark.parametrize(
        ("days", "label", "color"), [(0, "Today", "error"), (7, "7 days", "error"), (8, "8 days", "secondary")]
    )
    def test_deadlines_are_in_days_and_red_in_the_last_week(self, days: int, label: str, color: str) -> None:
        day = date(2026, 3, 1)
        assert due_cell(day, day - timedelta(days=days), "en") == NoteCell(label=label, note="Mar 1, 2026", color=color)
        assert due_cell(day, day + timedelta(days=1), "en") == day

    @pytest.mark.parametrize(
        ("days", "label", "color"), [(0, "Due today", "error"), (7, "7 days left", "error"), (8, "8 days left", "secondary")]
    )
    def test_pages_say_how_many_days_are_left(self, days: int, label: str, color: Color) -> None:
        day = date(2026, 3, 1)
        assert due_chip(day, day - timedelta(days=days)) == html.span({"title": "Mar 1, 2026"}, chip(label, color=color))

    def test_the_days_until_a_placeholder_are_not_counted(self) -> None:
        today, placeholder = date(2026, 11, 27), date(2076, 8, 15)
        assert due_cell(placeholder, today, "en") == placeholder
        assert due_chip(placeholder, today) is None
        assert due_chip(today + timedelta(days=3 * 365), today) is not None


class TestAwarded:
    async def test_solicitations_are_marked_and_link_to_the_award_notice(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        award = {"Type": "Award Notice", "AwardDate": "2026-03-02", "Awardee": "Roofs Inc.", "Award$": "12.50"}
        await import_file(
            sam_file(
                sam_row(NoticeId=notice_id(1), Title="New roof", **{"Sol#": "A-1-26"}),
                sam_row(NoticeId=notice_id(2), Title="Award of a roof", **{"Sol#": "A-1-26"}, **award),
            )
        )
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?availability=any") as screen:
            (of_roof,) = [row for row in screen.props("DataTable")["rows"] if "New roof" in str(row)]
            assert "'Awarded'" in str(of_roof)
            (of_award,) = [row for row in screen.props("DataTable")["rows"] if "Award of a roof" in str(row)]
            assert [row.count("$12") for row in (of_roof, of_award)] == [1, 1]
            assert "'Closed'" not in str(of_award)
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?availability=award") as screen:
            (of_award,) = screen.props("DataTable")["rows"]
            assert "Roofs Inc." in of_award
            assert {column["label"] for column in screen.columns()}.isdisjoint({"Type", "Due", "Status"})
        async with committed.database.transaction() as session:
            shown = await service.look_up(session, member, notice_id(1))
            of_award = await service.look_up(session, member, notice_id(2))
        at = {"path": f"/dashboard/sam/{shown.id}", "params": {"id": str(shown.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            link = screen.find("link", "Awarded to Roofs Inc. · $12.50 · Mar 2, 2026")
            assert link.props["href"] == f"/dashboard/sam/{of_award.id}"
        at = {"path": f"/dashboard/sam/{of_award.id}", "params": {"id": str(of_award.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            assert "Awarded to Roofs Inc. · $12.50 · Mar 2, 2026" in screen.text
            assert "fw-button-outlined" in screen.find("link", "Draft a proposal").props["className"]


class TestTableView:
    async def test_columns_and_the_height_of_rows_are_kept_with_the_account(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(sam_row(NoticeId=notice_id(1), Title="New roof")))
        at = "/dashboard/sam?availability=any"

        def labels(screen: ScreenUnderTest) -> list[str]:
            return [column["label"] for column in screen.columns()]

        async with mounted(committed, member, sam_screen, path=at) as screen:
            assert "Type" in labels(screen)
            await screen.check("Type", False)
            await screen.check("Compact")
            await screen.expect(lambda: "Type" not in labels(screen))
        async with mounted(committed, member, sam_screen, path=at) as screen:
            await screen.expect(lambda: "Type" not in labels(screen))
            await screen.expect(lambda: screen.find("checkbox", "Compact").props["checked"])
            assert "Posted" in labels(screen)

    async def test_set_asides_are_in_words_and_naics_codes_with_their_title_on_request(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(sam_row(SetASideCode="WOSB", SetASide="Women-Owned Small Business", NaicsCode="541511")))
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?availability=any") as screen:
            assert screen.rows()[0]["code"] == "Women-owned"
            assert "naics" not in screen.rows()[0]
            await screen.check("NAICS")
            await screen.expect(lambda: screen.rows()[0]["naics"] == "541511 · Custom Computer Programming Services")

    async def test_choices_in_another_tab_are_kept(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(sam_row(NoticeId=notice_id(1), Title="New roof")))

        def is_checked(screen: ScreenUnderTest, label: str) -> bool:
            return screen.find("checkbox", label).props["checked"]

        async with mounted(committed, member, sam_screen) as first, mounted(committed, member, sam_screen) as second:
            await first.check("Type", False)
            await second.check("Posted", False)
            await second.check("Compact")
            await first.check("Agency", False)
            for label in ("Type", "Posted", "Agency"):
                assert not is_checked(first, label)
            assert is_checked(first, "Compact") and not is_checked(second, "Type")


class TestIndexing:
    async def test_shows_its_progress_in_the_toolbar(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(sam_row(NoticeId=notice_id(1), Title="New roof")))
        async with committed.database.transaction() as session:
            root = await add_account(session, "root@example.org", role=Role.ADMIN)
            job = await service.start_embedding(session, root, committed)
            assert job
            await session.execute(text("UPDATE job SET state = 'running', done = 3, total = 4 WHERE id = :id"), {"id": job.id})
        async with mounted(committed, member, sam_screen) as screen:
            (shown,) = screen.elements("progressbar")
            assert any(each.get("a", {}).get("className") == "fw-toolbar" for each in shown.ancestors)
            assert "Indexing · 75%" in screen.text


class TestNoOpenNotice:
    async def test_leads_to_closed_and_award_notices_about_it(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        past, future = "2020-01-31T12:00:00-05:00", "2090-01-31T12:00:00-05:00"
        await import_file(
            sam_file(
                sam_row(NoticeId=notice_id(1), Title="Boiler replacement", ResponseDeadLine=past),
                sam_row(NoticeId=notice_id(2), Title="Boiler replacement 2", Type="Award Notice", ResponseDeadLine=past),
                sam_row(NoticeId=notice_id(3), Title="Replacement of boilers", Type="Award Notice", ResponseDeadLine=past),
                sam_row(NoticeId=notice_id(4), Title="Replacement of a fence", ResponseDeadLine=future),
            )
        )
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?q=boiler+replacement") as screen:
            assert "No open notice has all of these words in its title." in screen.text
            assert screen.has("link", "Show 2 award notices")
            await screen.click("link", "Show 1 closed notice")
            assert screen.address == "/dashboard/sam?q=boiler+replacement&availability=closed"
            assert len(screen.props("DataTable")["rows"]) == 1
            assert "No open notice has all of these words in its title." not in screen.text


class TestMisspelledWords:
    async def test_are_corrected_and_can_be_searched_as_typed(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(number), Title="Janitorial services") for number in range(3))))
        async with committed.database.transaction() as session:
            await indexing.count_words(session)
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?availability=any&q=janitoral") as screen:
            assert "Showing results for janitorial." in screen.text
            assert len(screen.props("DataTable")["rows"]) == 3
            await screen.click("link", "Search instead for janitoral")
            assert screen.address == "/dashboard/sam?availability=any&q=janitoral&verbatim=yes"
            assert "No opportunities match" in screen.text
            assert "Showing results for" not in screen.text
            await screen.type("Search", "janitoral services")
            await screen.submit("Search opportunities")
            assert "verbatim" not in screen.address

    async def test_none_are_reported_while_another_search_is_loading(
        self, committed: Core, member: Actor, import_file: ImportFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await import_file(sam_file(sam_row(NoticeId=notice_id(1), Title="Janitorial services")))
        understand, shown = service.understand, list[str]()

        async def observed(core: Core, query: OpportunityQuery) -> tuple[OpportunityQuery, Meaning | None]:
            for _ in range(100):
                await asyncio.sleep(0)  # let the screen render
            shown.append(screen.text)
            return await understand(core, query)

        async with mounted(committed, member, sam_screen, path="/dashboard/sam?availability=any&q=janitorial") as screen:
            monkeypatch.setattr(service, "understand", observed)
            await screen.type("Search", "services")
            await screen.submit("Search opportunities")
            assert [("Janitorial services" in text, "Showing results for" in text) for text in shown] == [(True, False)]


class TestWhatIsSent:
    """Only changes are sent, and no more than 8 kB for a page of 25 rows."""

    @pytest.fixture
    async def list_of_contracts(self, committed: Core, member: Actor, import_file: ImportFile) -> AsyncIterator[ScreenUnderTest]:
        agencies = [f"{name}, DEPARTMENT OF" for name in ("INTERIOR", "VETERANS AFFAIRS", "DEFENSE")]
        title = "Replacement of the roof of building {} at the regional medical center"
        types = {0: "Solicitation", 1: "Sources Sought"}
        rows = (
            sam_row(
                NoticeId=notice_id(n), Title=title.format(n), **{"Department/Ind.Agency": agencies[n % 3], "Type": types[n % 2]}
            )
            for n in range(60)
        )
        await import_file(sam_file(*rows))
        async with mounted(committed, member, sam_screen, path="/dashboard/sam") as screen:
            screen.view.mark_shown()
            yield screen

    def sent(self, screen: ScreenUnderTest) -> list[Operation]:
        operations = screen.view.take_operations()
        assert len(json.dumps(operations)) < 8_000
        return operations

    async def open_filter(self, screen: ScreenUnderTest, label: str) -> None:
        await screen.click("button", label)
        screen.view.mark_shown()

    async def test_what_a_filter_offers_is_sent_when_it_is_opened(self, list_of_contracts: ScreenUnderTest) -> None:
        assert not list_of_contracts.has("checkbox", "Sources Sought")
        await list_of_contracts.click("button", "More filters")
        sent = self.sent(list_of_contracts)
        assert [kind for kind, *_ in sent if kind != "attrs"] == ["children"]
        assert list_of_contracts.has("checkbox", "Sources Sought")

    async def test_an_agency_is_found_by_its_name_and_chosen_with_enter(self, list_of_contracts: ScreenUnderTest) -> None:
        await self.open_filter(list_of_contracts, "Filter: Agency")
        await list_of_contracts.type("Search agencies", "def")
        assert list_of_contracts.address == "/dashboard/sam?filters=agency"
        assert not list_of_contracts.has("checkbox", "Department of the Interior")
        await list_of_contracts.submit("Search agencies")
        assert list_of_contracts.address == "/dashboard/sam?filters=agency&agency=DEFENSE%2C+DEPARTMENT+OF"
        assert list_of_contracts.value("Search agencies") == "def"
        assert list_of_contracts.has("button", "Filter: Agency: Defense")

    async def test_options_stay_in_place_while_they_are_checked(self, list_of_contracts: ScreenUnderTest) -> None:
        def options() -> list[str]:
            return [each.name for each in list_of_contracts.elements("checkbox") if each.name.startswith("Department of")]

        await self.open_filter(list_of_contracts, "Filter: Agency")
        before = options()
        await list_of_contracts.check(before[-1])
        assert options() == before
        await self.open_filter(list_of_contracts, f"Filter: Agency: {before[-1].removeprefix('Department of ')}")  # closes it
        await self.open_filter(list_of_contracts, f"Filter: Agency: {before[-1].removeprefix('Department of ')}")
        assert options() == [before[-1], *before[:-1]]

    async def test_a_day_is_applied_once_its_year_is_complete(self, list_of_contracts: ScreenUnderTest) -> None:
        await self.open_filter(list_of_contracts, "Filter: Due")
        for year in ("0002", "0020", "0202"):
            await list_of_contracts.type("Due on or after", f"{year}-05-15")
            assert list_of_contracts.address == "/dashboard/sam?filters=due"
        await list_of_contracts.type("Due on or after", "2026-05-15")
        assert list_of_contracts.address == "/dashboard/sam?filters=due&due_from=2026-05-15"
        await list_of_contracts.type("Due on or after", "")
        assert list_of_contracts.address == "/dashboard/sam?filters=due"

    async def test_another_page_is_its_rows(self, list_of_contracts: ScreenUnderTest) -> None:
        await list_of_contracts.emit("DataTable", "on_query", page=2, page_size=25)
        [(kind, _, changed, removed)] = self.sent(list_of_contracts)
        assert (kind, set(changed), removed) == ("attrs", {"rows", "ids", "page"}, [])

    async def test_another_order_is_the_rows_and_where_they_are_exported(self, list_of_contracts: ScreenUnderTest) -> None:
        sort = {"field": "due", "direction": "desc"}
        await list_of_contracts.emit("DataTable", "on_query", page=1, page_size=25, sort=sort)
        names = [name for kind, *operation in self.sent(list_of_contracts) if kind == "attrs" for name in operation[1]]
        assert list_of_contracts.value("Sort by") == "-due"
        assert set(names) <= {"rows", "sort", "href", "className", "aria-current", "value"}

    async def test_a_filter_leaves_the_others_and_what_they_offer(self, list_of_contracts: ScreenUnderTest) -> None:
        await self.open_filter(list_of_contracts, "More filters")
        await list_of_contracts.check("Solicitation")
        assert list_of_contracts.address == "/dashboard/sam?filters=more&type=Solicitation"
        assert "Sources Sought" not in json.dumps([each for each in self.sent(list_of_contracts) if each[0] != "attrs"])


class TestDetail:
    async def test_shows_every_field_whole(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        eligibility = "Everybody. " * 60
        await import_file(
            nih_file(nih_row(cfda_list=[{"number": "93.310", "title": "Trans-NIH"}], note=eligibility, contact_name="Ada")),
            source="nih",
        )
        await import_file(sam_file(sam_row(PrimaryContactFax="555-0199", Description="x" * 900)))
        async with committed.database.transaction() as session:
            ids = {row.kind: str(row.id) for row in await listed(session, member)}
        at: dict[str, Any] = {"path": "/dashboard/nih/1", "params": {"id": ids["grant"]}}
        async with mounted(committed, member, grant_screen, **at) as screen:
            assert eligibility.strip() not in screen.text  # sent only on request
            await screen.click("button", "All fields as published")
            assert eligibility.strip() in screen.text
            assert "title Trans-NIH, number 93.310" in screen.text
        at: dict[str, Any] = {"path": "/dashboard/sam/1", "params": {"id": ids["contract"]}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            assert "Fax 555-0199" in screen.text
            assert "x" * 900 in screen.text
            assert screen.find_text("x" * 900).node["a"]["dir"] == "auto"

    async def test_each_address_and_each_phone_number_of_a_contact_is_a_link(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        primary = {"PrimaryContactEmail": "ada@va.gov; bo@va.gov", "PrimaryContactPhone": "(555) 010-0199 ext. 12"}
        secondary = {"SecondaryContactFullname": "Cy", "SecondaryContactPhone": "cy@va.gov"}
        await import_file(sam_file(sam_row(**primary, **secondary)))
        async with committed.database.transaction() as session:
            [row] = await listed(session, member)
        at: dict[str, Any] = {"path": "/dashboard/sam/1", "params": {"id": str(row.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            hrefs = [str(link.props["href"]) for link in screen.elements("link")]
            contacts = [href for href in hrefs if href.startswith(("mailto:", "tel:"))]
            assert contacts == ["mailto:ada@va.gov", "mailto:bo@va.gov", "tel:5550100199", "mailto:cy@va.gov"]

    async def test_a_link_to_a_contact_holds_nothing_but_the_address(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(sam_row(PrimaryContactEmail="ada@va.gov?bcc=eve@evil.example&body=x#y")))
        async with committed.database.transaction() as session:
            [row] = await listed(session, member)
        at: dict[str, Any] = {"path": "/dashboard/sam/1", "params": {"id": str(row.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            [href] = [
                str(link.props["href"]) for link in screen.elements("link") if str(link.props["href"]).startswith("mailto:")
            ]
            assert (urlsplit(href).query, urlsplit(href).fragment, "&" in href) == ("", "", False)

    @pytest.mark.parametrize("phone", ["Email only", "N/A", "5550", "000-0000", "555010019955501001995550"])
    def test_what_is_not_a_phone_number_is_not_a_link(self, phone: str) -> None:
        assert phone_link(phone)["tagName"] == "span"

    async def test_shows_the_address_of_the_source_the_set_aside_in_words_the_psc_as_a_tag_and_an_agency_once(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        agencies = {"Department/Ind.Agency": "ENERGY, DEPARTMENT OF", "Sub-Tier": "ENERGY, DEPARTMENT OF"}
        codes = {"SetASideCode": "SBA", "SetASide": "Total Small Business Set-Aside (FAR 19.5)", "ClassificationCode": "66"}
        await import_file(sam_file(sam_row(**agencies, **codes, Link="https://www.sam.gov/opp/1/view")))
        async with committed.database.transaction() as session:
            [row] = await listed(session, member)
        at: dict[str, Any] = {"path": "/dashboard/sam/1", "params": {"id": str(row.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            assert screen.find("link", "https://www.sam.gov/opp/1/view").props["href"] == "https://www.sam.gov/opp/1/view"
            assert "Institute or sub-agency" not in screen.text
            assert "SBA · Total Small Business Set-Aside (FAR 19.5)" in screen.text
            assert "PSC 66" in screen.text
            assert screen.text.index("Set-aside") < screen.text.index("Posted")
            assert "Posted March 7, 2026" in screen.text and "7:16" not in screen.text  # without the time

    async def test_reads_all_parts_at_the_same_time(
        self, committed: Core, member: Actor, import_file: ImportFile, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await import_file(sam_file(sam_row(Title="Roof repair")))
        async with committed.database.transaction() as session:
            [row] = await listed(session, member)
        reads = [(service, "get_opportunity"), (service, "similar"), (service, "list_versions"), (categories, "labels_of")]
        all_have_begun, begun = asyncio.Barrier(len(reads)), set[object]()

        def waiting(read: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
            async def wait_and_read(*arguments: object, **named: object) -> object:
                if read not in begun:  # one may read again
                    begun.add(read)
                    await all_have_begun.wait()
                return await read(*arguments, **named)

            return wait_and_read

        for module, name in reads:
            monkeypatch.setattr(module, name, waiting(getattr(module, name)))
        at: dict[str, Any] = {"path": "/dashboard/sam/1", "params": {"id": str(row.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            assert screen.find_text("Roof repair").node["t"] == "h1"
            assert "You have no categories yet." in screen.text

    async def test_shows_where_a_long_text_has_changed(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(sam_row(Description="same " * 300 + "old end")))
        await import_file(sam_file(sam_row(Description="same " * 300 + "new end")))
        async with committed.database.transaction() as session:
            [row] = await listed(session, member)
        at: dict[str, Any] = {"path": "/dashboard/sam/1", "params": {"id": str(row.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            assert "same old end" in screen.text
            assert "same same new end" in screen.text


class TestVersions:
    async def test_of_many_the_newest_are_shown_and_the_rest_on_further_pages(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        for number in range(1, 13):
            await import_file(sam_file(sam_row(Description=f"state {number}")))
        async with committed.database.transaction() as session:
            [row] = await listed(session, member)
        at: dict[str, Any] = {"path": "/dashboard/sam/1", "params": {"id": str(row.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            assert screen.has("table", "Changes in version 3")
            assert not screen.has("table", "Changes in version 2")
            await screen.click("button", "Next page")
            assert screen.has("table", "Changes in version 2")
            assert "First version" in screen.text


class TestKinds:
    async def test_grants_have_no_award_notices(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(sam_row()))
        path = "/dashboard/sam?q=roof&availability="
        async with mounted(committed, member, sam_screen, path=path + "award") as screen:
            assert screen.find("link", "Grants and NIH 0").props["href"] == "/dashboard/nih?q=roof"
        async with mounted(committed, member, sam_screen, path=path + "closed") as screen:
            assert screen.find("link", "Grants and NIH 0").props["href"] == "/dashboard/nih?q=roof&availability=closed"


class TestSimilar:
    @pytest.fixture
    async def roof(self, committed: Core, member: Actor, import_file: ImportFile) -> str:
        """The id of one of three notices; one of the others is about the same topic."""
        committed.cache["language.embedder"] = WordEmbedder()
        titles = ("Roof repair in Duluth", "Roof repair in Tulsa", "Submarine periscope")
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(i), Title=title) for i, title in enumerate(titles))))
        async with committed.database.transaction() as session:
            return next(str(row.id) for row in await listed(session, member) if row.title == titles[0])

    async def test_lists_the_nearest_first_with_links(self, committed: Core, member: Actor, roof: str) -> None:
        await embed(committed)
        async with mounted(committed, member, contract_screen, path=f"/dashboard/sam/{roof}", params={"id": roof}) as screen:
            assert screen.text.index("Roof repair in Tulsa") < screen.text.index("Submarine periscope")
            assert screen.find("link", "Roof repair in Tulsa").props["href"].startswith("/dashboard/sam/")

    async def test_empty_sections_are_hidden(self, committed: Core, member: Actor, roof: str) -> None:
        async with mounted(committed, member, contract_screen, path=f"/dashboard/sam/{roof}", params={"id": roof}) as screen:
            assert "Similar opportunities" not in screen.text and "Versions" not in screen.text


class TestRejectedRows:
    async def test_are_shown_where_the_import_is_a_page_at_a_time(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        bad = [sam_row(NoticeId=notice_id(number), PostedDate=f"day {number}") for number in range(12)]
        await import_file(sam_file(sam_row(NoticeId=notice_id(99)), *bad), name="mine.csv")
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?import=open") as screen:
            assert "day 0" not in screen.text
            await screen.click("button", "Show 12 rejected rows")
            assert screen.find("table", "Rejected rows of mine.csv")
            for text in ("mine.csv", "PostedDate", "“day 0” is not a date.", "“day 9” is not a date."):
                assert text in screen.text
            assert "day 10" not in screen.text
            await screen.click("button", "Next page")
            assert "“day 11” is not a date." in screen.text
            await screen.click("button", "Hide rejected rows")
            assert "day 11" not in screen.text


class TestImports:
    async def test_the_result_says_what_was_not_read(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        row = sam_row(ResponseDeadLine="when ready")
        await import_file(sam_file(row, row), name="mine.csv")
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?import=open") as screen:
            assert "2 deadlines are not dates and were kept as text: line 2 “when ready”, line 3 “when ready”" in screen.text
            assert f"1 row repeats a notice from an earlier row: {row['NoticeId']}" in screen.text

    async def test_older_ones_are_on_further_pages(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        for number in range(4):
            await import_file(sam_file(sam_row()), name=f"file{number}.csv")
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?import=open") as screen:
            assert "file3.csv" in screen.text
            assert "file0.csv" not in screen.text
            await screen.click("button", "Next page")
            assert "file0.csv" in screen.text

    async def test_are_listed_and_exported_with_those_of_the_same_kind_and_link_to_opportunities_of_the_other_kind(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(sam_row()), name="contracts.csv")
        await import_file(nih_file(nih_row()), name="grants.jsonl", source="nih")
        async with mounted(committed, member, nih_screen, path="/dashboard/nih?import=open") as screen:
            assert "grants.jsonl" in screen.text
            assert "contracts.csv" not in screen.text
            export = screen.find("link", "Export imports as CSV").props["href"]
            assert export == "/api/opportunities/imports/export.csv?source=grants&source=nih"
            await screen.choose("Format", "sam")
            await screen.expect("contracts.csv")
            links = [link.props["href"] for link in screen.elements("link") if link.name == "Contracts (SAM.gov)"]
            assert links == ["/dashboard/sam"]

    async def test_every_format_is_offered_with_where_its_files_are_published_while_samples_are_listed(
        self, committed: Core, member: Actor
    ) -> None:
        async with committed.database.transaction() as session:
            await service.load_sample_once(session)
        async with mounted(committed, member, nih_screen, path="/dashboard/nih?import=open") as screen:
            assert screen.value("Format") == "grants"
            assert screen.has("link", "Grants.gov files")
            await screen.choose("Format", "sam")
            assert screen.has("link", "SAM.gov files")
            assert screen.props("FileDrop")["uploadUrl"] == "/api/opportunities/imports/sam"
            assert screen.props("FileDrop")["refusals"] == {
                ".xml": ".xml files need another format. Choose “Grants.gov funding opportunities” above.",
                ".jsonl": ".jsonl files need another format. Choose “Grants.gov funding opportunities” or “NIH funding opportunities” above.",
            }
            await screen.choose("Format", "nih")
            assert "The Grants.gov file includes NIH grants." in screen.text

    async def test_a_list_without_any_says_where_they_are_published_and_where_others_are(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(sam_row(), sam_row(NoticeId=notice_id(2))))
        async with mounted(committed, member, nih_screen, path="/dashboard/nih") as screen:
            assert "Grants.gov publishes all grants" in screen.text
            assert screen.find("link", "Grants.gov files").props["href"] == "https://www.grants.gov/xml-extract"
            assert screen.find("link", "Show 2 contracts").props["href"] == "/dashboard/sam"
            assert screen.text.index("No opportunities yet") < screen.text.index("Import file")

    async def test_shows_the_first_opportunities_while_the_others_are_imported(
        self, committed: Core, member: Actor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, merge, is_seen = tmp_path / "sam.csv", writing.merge, asyncio.Event()
        path.write_bytes(sam_file(*(sam_row(NoticeId=notice_id(number)) for number in range(2))))
        merged = 0

        async def merge_once_seen(*arguments: Any, **options: Any) -> Any:
            nonlocal merged
            merged += 1
            if merged == 2:
                await asyncio.wait_for(is_seen.wait(), 20)
            return await merge(*arguments, **options)

        monkeypatch.setattr(importing, "BATCH_ROWS", 1)
        monkeypatch.setattr(writing, "merge", merge_once_seen)
        async with mounted(committed, member, sam_screen, path="/dashboard/sam") as screen:
            running = asyncio.create_task(run_import(committed, member, path, source="sam"))
            await screen.expect("1 opportunity")
            assert "No opportunities yet" not in screen.text
            is_seen.set()
            await running
        async with mounted(committed, member, sam_screen, path="/dashboard/sam") as screen:
            assert not any(link.name.startswith("Show") for link in screen.elements("link"))

    async def test_whether_the_panel_is_open_is_in_the_url(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(sam_row()))
        async with mounted(committed, member, sam_screen, path="/dashboard/sam") as screen:
            await screen.click("button", "Import")
            assert screen.address == "/dashboard/sam?import=open"
            await screen.click("button", "Hide import")
            assert "Import file" not in screen.text


@pytest.mark.parametrize(("deadline", "shown"), [("", "posted"), ("2099-01-01", "due")])
async def test_phones_show_due_dates_or_else_posted_dates(
    committed: Core, member: Actor, import_file: ImportFile, deadline: str, shown: str
) -> None:
    await import_file(sam_file(sam_row(ResponseDeadLine=deadline)))
    async with mounted(committed, member, sam_screen, path="/dashboard/sam") as screen:
        [row] = screen.rows()
        compact = {column["field"] for column in screen.columns() if column["isCompact"] and row[column["field"]]}
        assert compact & {"posted", "due"} == {shown}


class TestCategoryChip:
    async def test_has_the_color_of_the_category_and_says_how_sure_it_is(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(sam_row()))
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roofs", color=CategoryColor.RED))
            [notice] = await listed(session, member)
            await categories.accept(session, member, committed, notice.id, roofs.id)
        async with mounted(committed, member, sam_screen, path="/dashboard/sam") as screen:
            chips = screen.rows()[0]["categories"]
            assert {"label": "Roofs", "color": category_color(CategoryColor.RED), "isLocked": False} in chips

    @pytest.mark.parametrize(("order", "shown"), [("", "posted"), ("?sort=due", "due")])
    async def test_less_important_columns_leave_it_space_but_not_the_one_of_the_order(
        self, committed: Core, member: Actor, import_file: ImportFile, order: str, shown: str
    ) -> None:
        await import_file(sam_file(sam_row()))
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roofs"))
            [notice] = await listed(session, member)
            await categories.accept(session, member, committed, notice.id, roofs.id)
        async with mounted(committed, member, sam_screen, path=f"/dashboard/sam{order}") as screen:
            wide = {column["field"] for column in screen.columns() if column["isWide"]}
            assert wide - {"code"} == {"type", "posted"} - {shown}


class TestCorrectCategory:
    async def test_a_value_that_is_no_id_is_answered_like_an_unknown_category(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(sam_row()))
        async with committed.database.transaction() as session:
            await categories.create(session, member, CategoryCreate(name="Roofs"))
            [notice] = await listed(session, member)
        address = f"/dashboard/sam/{notice.id}"
        async with mounted(committed, member, contract_screen, path=address, params={"id": str(notice.id)}) as screen:
            await screen.choose("Add a category", "nonsense")
            await screen.submit("Change category")
            assert "The category was not found." in screen.text and screen.toasts == []

    async def test_each_decision_can_be_undone(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(sam_row()))
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roofs"))
            [notice] = await listed(session, member)
            session.add(Label(owner_id=member.id, subject_id=notice.id, category_id=roofs.id, confidence=0.9))

        async def state() -> LabelState:
            async with committed.database.transaction() as session:
                [label] = (await categories.labels_of(session, member, [notice.id]))[notice.id]
                return label.state

        at: dict[str, Any] = {"path": f"/dashboard/sam/{notice.id}", "params": {"id": str(notice.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            offers: list[UndoOffer] = []
            screen.view.connection.offer_undo = offers.append

            async def choose_none() -> None:
                await screen.choose("Add a category", "")
                await screen.submit("Change category")

            decisions = [
                (partial(screen.click, "button", "Accept Roofs"), LabelState.ACCEPTED),
                (partial(screen.click, "button", "Remove Roofs"), LabelState.REJECTED),
                (choose_none, LabelState.REJECTED),
            ]
            for decide, decided in decisions:
                await decide()
                assert await state() == decided
                async with committed.database.transaction() as session:
                    await offers.pop().undo(session)
                assert await state() == LabelState.SUGGESTED
                await screen.expect(lambda: screen.has("button", "Accept Roofs"))

    async def test_only_what_a_person_rejected_is_called_so(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(sam_row()))
        async with committed.database.transaction() as session:
            roofs = await categories.create(session, member, CategoryCreate(name="Roofs"))
            [notice] = await listed(session, member)
            session.add(Label(owner_id=member.id, subject_id=notice.id, category_id=roofs.id, confidence=0.15))
        at: dict[str, Any] = {"path": f"/dashboard/sam/{notice.id}", "params": {"id": str(notice.id)}}
        async with mounted(committed, member, contract_screen, **at) as screen:
            assert "Not in any of your categories." in screen.text
        async with committed.database.transaction() as session:
            await categories.correct(session, member, committed, notice.id, None)
        async with mounted(committed, member, contract_screen, **at) as screen:
            assert "You chose “None of these” for this notice." in screen.text


class TestCount:
    @pytest.mark.parametrize(("has_uncounted", "shown"), [(False, "5,000 opportunities"), (True, "5,000+ opportunities")])
    def test_reports_whether_there_are_more(self, has_uncounted: bool, shown: str) -> None:
        assert count_text(FoundPage(items=[], total=5_000, page=1, page_size=25, has_uncounted=has_uncounted)) == shown

    @pytest.mark.parametrize(
        ("page", "page_size", "has_uncounted", "is_said"),
        [(1, 25, True, False), (199, 25, True, False), (200, 25, True, True), (167, 30, True, True), (200, 25, False, False)],
    )
    def test_the_last_page_says_that_there_are_more(self, page: int, page_size: int, has_uncounted: bool, is_said: bool) -> None:
        said = end_of_list(FoundPage(items=[], total=5_000, page=page, page_size=page_size, has_uncounted=has_uncounted))
        assert bool(said) == is_said
        if said:
            assert said["children"] == [
                "The list shows only the first 5,000 opportunities. Narrow your search, or export all of them."
            ]


class TestNextPage:
    async def test_asks_the_database_once(self, committed: Core, member: Actor, import_file: ImportFile) -> None:
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(number)) for number in range(30))))
        async with mounted(committed, member, sam_screen, path="/dashboard/sam") as screen:
            with statements(committed.database.engine.sync_engine) as sent:
                await screen.go("/dashboard/sam?page=2")
            assert len(screen.rows()) == 5
            assert len(sent) == 1

    async def test_shows_what_others_have_imported_and_decided_meanwhile(
        self, committed: Core, member: Actor, import_file: ImportFile
    ) -> None:
        await import_file(sam_file(*(sam_row(NoticeId=notice_id(number)) for number in range(30))))
        async with mounted(committed, member, sam_screen, path="/dashboard/sam?page=2") as screen:
            await import_file(sam_file(*(sam_row(NoticeId=notice_id(number)) for number in range(30, 33))))
            await screen.expect("33 opportunities")
            assert len(screen.rows()) == 8
            async with committed.database.transaction() as session:
                roofs = await categories.create(session, member, CategoryCreate(name="Roofs"))
                [notice, *_] = await listed(session, member, page=2, kind="contract")
                await categories.accept(session, member, committed, notice.id, roofs.id)
            await screen.expect("Roofs")


_OWN = {"id": "gen_random_uuid()", "external_id": "external_id || '-' || copy", "title": "title || ' ' || copy"}
_SAME = [column.name for column in Opportunity.__table__.columns if column.name not in _OWN and not column.computed]
MULTIPLY = (
    f"INSERT INTO opportunity ({', '.join([*_OWN, *_SAME])}) "
    f"SELECT {', '.join([*_OWN.values(), *_SAME])} FROM opportunity, generate_series(2, :times) copy",
    "UPDATE opportunity_facet SET number = number * :times",
)


@pytest.mark.pain(18)
@pytest.mark.slow
async def test_a_page_weighs_the_same_with_50_and_with_50_000_notices(
    committed: Core, member: Actor, import_file: ImportFile
) -> None:
    async def weigh(count: str) -> tuple[int, int]:
        """Bytes of the list when it is opened, and of the changes when its next page is opened."""
        async with mounted(committed, member, sam_screen, path="/dashboard/sam") as screen:
            assert f"{count} opportunities" in screen.text
            opened = len(json.dumps(screen.view.tree))
            screen.view.mark_shown()
            await screen.go("/dashboard/sam?page=2")
            changes = json.dumps(screen.view.take_operations())
            assert changes.count("Roof repair") >= 25
            return opened, len(changes)

    await import_file(sam_file(*(sam_row(NoticeId=notice_id(number), Title=f"Roof repair {number}") for number in range(50))))
    opened, changed = await weigh("50")
    async with committed.database.transaction() as session:
        for statement in MULTIPLY:
            await session.execute(text(statement), {"times": 1_000})
    opened_of_many, changed_of_many = await weigh("50,000")
    assert opened_of_many < 1.05 * opened
    assert changed_of_many < 1.05 * changed

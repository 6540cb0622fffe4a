import asyncio
import csv
import io
from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Role
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.messages import using_language
from fundwright.core.paging import PageRequest
from fundwright.opportunities import service
from fundwright.opportunities.incoming import batch_of
from fundwright.opportunities.models import Opportunity
from fundwright.opportunities.repository import indexing, runs, scoring, writing
from fundwright.opportunities.sam import SamCsv
from fundwright.opportunities.schemas import FacetValue, OpportunityQuery
from fundwright.opportunities.sources import ParsedNotice
from fundwright.opportunities.washington import WASHINGTON
from tests.opportunities.conftest import listed
from tests.support.accounts import add_account, count_audited
from tests.support.statements import statements


def notice(position: int, **values: object) -> ParsedNotice:
    usual = {"title": f"Notice {position}", "external_id": f"n{position}", "line": position, "raw": {"n": position}}
    return ParsedNotice(**{"posted_at": now() - timedelta(days=position), **usual, "content": repr(values), **values})  # type: ignore[arg-type]


async def add(session: AsyncSession, *notices: ParsedNotice, is_sample: bool = False) -> None:
    run = await runs.add_run(session, owner_id=None, source="sam", filename="x")
    await writing.merge(session, batch_of(notices), SamCsv(), run_id=run.id, uploader=None, is_sample=is_sample)


def titles(rows: list[service.OpportunityRow]) -> list[str]:
    return [row.title for row in rows]


class TestSearch:
    async def test_title_counts_more_than_agency_and_description(self, session: AsyncSession, actor: Actor) -> None:
        await add(
            session,
            notice(1, title="A", description="cyber security"),
            notice(2, title="B", agency="Cyber Security Agency"),
            notice(3, title="Cyber security"),
        )
        assert titles(await listed(session, actor, text="cyber security")) == ["Cyber security", "A", "B"]

    async def test_understands_phrases_exclusions_and_numbers(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1, title="Roof repair", number="PAR-26-106"), notice(2, title="Repair of a roof"))
        assert titles(await listed(session, actor, text='"roof repair"')) == ["Roof repair"]
        assert titles(await listed(session, actor, text="repair -PAR-26-106")) == ["Repair of a roof"]
        assert titles(await listed(session, actor, text="PAR-26-106")) == ["Roof repair"]

    async def test_survives_any_text(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1))
        for words in ("'", '"', "a & | !", ":*", "\\", "%", "the", "<b>", "(", "🙂"):
            await listed(session, actor, text=words)

    async def test_pages_of_many_matches_hold_each_once(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scoring, "_CANDIDATES", 10)
        await add(session, *(notice(i, title=f"Roof {i}" if i % 3 else f"Other {i}", description="roof") for i in range(1, 61)))
        found: list[str] = []
        for number in range(1, 8):
            page = await service.list_opportunities(session, actor, OpportunityQuery(text="roof", page=number, page_size=9))
            assert page.total == 60
            found += titles(page.items)
        assert len(found) == len(set(found)) == 60


class TestFilters:
    @pytest.fixture
    async def notices(self, session: AsyncSession) -> None:
        day = timedelta(days=1)
        await add(
            session,
            notice(1, agency="VA", type="Solicitation", naics="541519", set_aside_code="SBA", due_at=now() + 5 * day,
                   closes_at=now() + 5 * day),
            notice(2, agency="GSA", type="Award Notice", naics="541", closes_at=now() - day),
            notice(3, agency="EPA", sub_agency="NIH", naics="236220", activity_codes=["R01", "R21"], due_at=now() + 40 * day),
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"agency": ("VA", "GSA")}, {1, 2}),
            ({"agency": ("NIH", "GSA")}, {2, 3}),
            ({"type": ("Solicitation",)}, {1}),
            ({"naics": "541"}, {1, 2}),
            ({"naics": "5415"}, {1}),
            ({"naics": ("5415", "236")}, {1, 3}),
            ({"naics": ("", "")}, {1, 2, 3}),
            ({"set_aside": ("SBA", "8A")}, {1}),
            ({"activity_code": ("R21",)}, {3}),
            ({"availability": "open"}, {1, 3}),
            ({"availability": "closed"}, set()),
            ({"availability": "award"}, {2}),
            ({"due_to": (now() + timedelta(days=6)).date()}, {1}),
            ({"due_from": (now() + timedelta(days=30)).date()}, {3}),
            ({"posted_from": (now() - timedelta(days=2)).astimezone(WASHINGTON).date()}, {1, 2}),
            ({"source": ("sam",)}, {1, 2, 3}),
            ({"kind": "grant"}, set()),
            ({"sample": True}, set()),
            ({"agency": ("VA",), "availability": "closed"}, set()),
        ],
    )
    async def test_each(
        self, session: AsyncSession, actor: Actor, notices: None, query: dict[str, object], expected: set[int]
    ) -> None:
        assert set(titles(await listed(session, actor, **query))) == {f"Notice {number}" for number in expected}

    async def test_closed_ones_are_not_awards(self, session: AsyncSession, actor: Actor, notices: None) -> None:
        await add(session, notice(4, closes_at=now() - timedelta(days=1)))
        assert titles(await listed(session, actor, availability="closed")) == ["Notice 4"]

    async def test_facets_count_what_there_is(self, session: AsyncSession, actor: Actor, notices: None) -> None:
        facets = await service.facets(session, actor, kind="contract")
        assert {value.value: value.count for value in facets.agencies} == {"VA": 1, "GSA": 1, "EPA": 1}
        assert [value.value for value in facets.activity_codes] == ["R01", "R21"]
        assert [value.value for value in facets.set_asides] == ["SBA"]
        assert (facets.total, facets.samples) == (3, 0)
        assert (await service.facets(session, actor, kind="grant")).total == 0

    async def test_facets_follow_every_change(self, session: AsyncSession, actor: Actor, notices: None) -> None:
        await add(session, notice(4, agency="VA"), is_sample=True)
        await add(session, notice(1, agency="GSA", activity_codes=["R01"]), notice(2, agency="GSA", closes_at=now()))
        facets = await service.facets(session, actor, kind="contract")
        assert [(value.value, value.count) for value in facets.agencies] == [("GSA", 2), ("EPA", 1), ("VA", 1)]
        assert [(value.value, value.count) for value in facets.activity_codes] == [("R01", 2), ("R21", 1)]
        assert facets.set_asides == []
        assert (facets.total, facets.samples) == (4, 1)
        await service.remove_sample(session, await add_account(session, role=Role.ADMIN))
        facets = await service.facets(session, actor, kind="contract")
        assert [value.value for value in facets.agencies] == ["GSA", "EPA"]
        assert (facets.total, facets.samples) == (3, 0)

    async def test_facets_are_read_without_reading_opportunities(
        self, session: AsyncSession, actor: Actor, notices: None
    ) -> None:
        connection = (await session.connection()).sync_connection
        assert connection
        with statements(connection) as sent:
            await service.facets(session, actor, kind="contract")
        assert len(sent) == 1
        assert "FROM opportunity_facet" in sent[0]

    async def test_a_category_is_not_given_back_to_what_is_gone(
        self, session: AsyncSession, actor: Actor, core: Core, notices: None
    ) -> None:
        category = await categories.create(session, actor, CategoryCreate(name="Roofing"))
        row = (await listed(session, actor))[0]
        before = await categories.accept(session, actor, core, row.id, category.id)
        await categories.remove_example(session, actor, core, row.id, category.id)
        await session.execute(delete(Opportunity).where(Opportunity.id == row.id))
        with pytest.raises(NotFound, match="The opportunity"):
            await categories.restore(session, actor, core, row.id, decided_at=None, before=[before])
        assert await categories.labels_of(session, actor, [row.id]) == {}

    async def test_category(self, session: AsyncSession, actor: Actor, core: Core, notices: None) -> None:
        category = await categories.create(session, actor, CategoryCreate(name="Mine"))
        [row] = await listed(session, actor, agency=("VA",))
        await categories.accept(session, actor, core, row.id, category.id)
        assert titles(await listed(session, actor, category=category.id)) == ["Notice 1"]
        assert await listed(session, await add_account(session), category=category.id) == []


class TestListWithLabels:
    async def test_rows_total_and_labels_are_one_statement_that_counts_nothing(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        await add(session, *(notice(i) for i in range(3)))
        category = await categories.create(session, actor, CategoryCreate(name="Mine"))
        rows = await listed(session, actor)
        await categories.accept(session, actor, core, rows[0].id, category.id)
        connection = (await session.connection()).sync_connection
        assert connection
        with statements(connection) as sent:
            found, labels, *_ = await service.list_with_labels(session, actor, OpportunityQuery(page_size=2))
        assert len(sent) == 1
        assert sent[0].count("count(") == 1  # the notices of each solicitation
        assert found.items == rows[:2]
        assert found.total == len(rows)
        assert {id: of for id, of in labels.items() if of} == await categories.labels_of(session, actor, [row.id for row in rows])
        assert [label.category_id for label in labels[rows[0].id]] == [category.id]
        _, of_another, *_ = await service.list_with_labels(session, await add_account(session), OpportunityQuery())
        assert not any(of_another.values())

    async def test_totals_of_a_kind_follow_what_comes_and_goes(self, session: AsyncSession, actor: Actor) -> None:
        async def totals() -> list[int]:
            queries = [OpportunityQuery(kind=kind) for kind in ("contract", "grant")]
            return [(await service.list_opportunities(session, actor, query)).total for query in [OpportunityQuery(), *queries]]

        assert await totals() == [0, 0, 0]
        await add(session, notice(1), notice(2), is_sample=True)
        await add(session, notice(3), notice(4), notice(5))
        assert await totals() == [5, 5, 0]
        await add(session, notice(3, title="Changed"))
        await writing.remove_sample(session, ["contract", "grant"])
        assert await totals() == [3, 3, 0]

    async def test_beyond_the_end_is_the_last_page(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, *(notice(i) for i in range(3)))
        rows = await listed(session, actor)
        found, *_ = await service.list_with_labels(session, actor, OpportunityQuery(page=9, page_size=2))
        assert (found.total, found.page) == (len(rows), -(-len(rows) // 2))
        assert found.items == rows[2 * (found.page - 1) :]


class TestSort:
    @pytest.mark.parametrize(
        ("sort", "expected"),
        [
            ("", ["b", "c", "a"]),
            ("posted", ["a", "c", "b"]),
            ("due", ["c", "a", "b"]),
            ("-due", ["a", "c", "b"]),
            ("title", ["a", "b", "c"]),
            ("-title", ["c", "b", "a"]),
            ("agency", ["b", "a", "c"]),
        ],
    )
    async def test_each(self, session: AsyncSession, actor: Actor, sort: str, expected: list[str]) -> None:
        await add(
            session,
            notice(3, title="a", due_at=now() + timedelta(days=9), agency="y"),
            notice(1, title="b", agency="x"),
            notice(2, title="c", due_at=now() + timedelta(days=1), agency="z"),
        )
        assert titles(await listed(session, actor, sort=sort)) == expected

    async def test_a_page_knows_the_total(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, *(notice(i) for i in range(30)))
        page = await service.list_opportunities(session, actor, OpportunityQuery(page=2))
        assert (page.total, len(page.items)) == (30, 5)
        assert (await service.list_opportunities(session, actor, OpportunityQuery(page=9))).items == []

    async def test_titles_are_sorted_as_they_are_shown(self, session: AsyncSession, actor: Actor) -> None:
        published = ("70--ZINC VALVE", "apple", "BANANA STAND", "J046--Cherry picker", "5340--APRICOT")
        await add(session, *(notice(number, title=title) for number, title in enumerate(published)))
        assert titles(await listed(session, actor, sort="title")) == [
            "apple", "5340--APRICOT", "BANANA STAND", "J046--Cherry picker", "70--ZINC VALVE"
        ]  # fmt: skip


class TestExport:
    async def test_writes_the_list_and_no_formulas(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        await add(session, notice(1, title="=cmd()", agency="VA"), notice(2, agency="GSA"))
        lines = [line async for line in service.export(session, actor, core, OpportunityQuery(agency=("VA",)))]
        [row] = csv.DictReader(io.StringIO("".join(lines)))
        assert row["Title"] == "'=cmd()"

    async def test_names_columns_and_values_in_the_language_of_the_reader(
        self, session: AsyncSession, actor: Actor, core: Core
    ) -> None:
        await add(session, notice(1, status="archived"))
        with using_language("de"):
            lines = [line async for line in service.export(session, actor, core, OpportunityQuery())]
        [row] = csv.DictReader(io.StringIO("".join(lines)))
        assert (row["Titel"], row["Auftrag oder Förderung"], row["Status"]) == ("Notice 1", "Auftrag", "Archiviert")
        assert row["Quelle"] == "Auftragsausschreibungen von SAM.gov"


class TestSample:
    async def test_is_loaded_once_and_removed_for_good(self, session: AsyncSession, actor: Actor) -> None:
        await service.load_sample_once(session)
        facets = await service.facets(session, actor)
        assert facets.samples == facets.total == 60
        assert {value.value for value in facets.sources} == {"sam", "grants", "nih"}
        assert len(facets.activity_codes) > 5
        page = await service.list_opportunities(session, actor, OpportunityQuery(text="health", sample=True))
        assert page.total > 3
        admin = await add_account(session, role=Role.ADMIN)
        assert await service.remove_sample(session, admin) == 60
        await service.load_sample_once(session)
        assert (await service.facets(session, actor)).total == 0

    async def test_restored_at_once_in_two_tabs_they_are_added_and_indexed_once(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            admin = await add_account(session, role=Role.ADMIN)

        async def restore() -> None:
            async with committed.database.transaction() as session:
                await service.restore_sample(session, admin, committed)

        await asyncio.gather(restore(), restore())
        async with committed.database.transaction() as session:
            assert (await service.facets(session, admin)).samples == 60
            assert await indexing.is_embedding_underway(session)
            assert await count_audited(session, "sample.restored") == 1

    async def test_has_no_rejected_rows(self, session: AsyncSession) -> None:
        from sqlalchemy import func, select

        from fundwright.opportunities.models import ImportRejection

        await service.load_sample_once(session)
        assert await session.scalar(select(func.count()).select_from(ImportRejection)) == 0

    @pytest.mark.parametrize("query", [{}, {"sort": "posted"}, {"sort": "-title"}, {"sort": "due"}, {"text": "roof"}])
    async def test_is_listed_below_every_real_opportunity_in_any_order(
        self, session: AsyncSession, actor: Actor, query: dict[str, str]
    ) -> None:
        sample = {"title": "Roof roof sample", "posted_at": now(), "due_at": now()}
        await add(session, notice(1, **sample), is_sample=True)
        await add(session, *(notice(2 + number, title=f"{number} roof") for number in range(3)))
        assert [row.is_sample for row in await listed(session, actor, **query)] == [False, False, False, True]
        suggested = await service.suggest(session, actor, query.get("text", ""))
        assert [row.is_sample for row in suggested] == [False, False, False, True]

    @pytest.mark.parametrize("role", [role for role in Role if role is not Role.ADMIN])
    async def test_is_removed_by_administrators_only(self, session: AsyncSession, core: Core, role: Role) -> None:
        someone = await add_account(session, role=role)
        with pytest.raises(NotAllowed):
            await service.remove_sample(session, someone)
        with pytest.raises(NotAllowed):
            await service.restore_sample(session, someone, core)


class TestDetail:
    async def test_knows_everything(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1, description="Text", contacts=[{"name": "Ada"}], award_ceiling=5))
        [row] = await listed(session, actor)
        opportunity = await service.get_opportunity(session, actor, row.id)
        assert opportunity.contacts[0].name == "Ada"
        assert opportunity.raw == {"n": 1}
        assert opportunity.is_open

    async def test_raises_not_found(self, session: AsyncSession, actor: Actor) -> None:
        with pytest.raises(NotFound):
            await service.get_opportunity(session, actor, UUID(int=1))
        with pytest.raises(NotFound):
            await service.list_versions(session, actor, UUID(int=1), PageRequest())


class TestVersions:
    async def test_are_read_a_page_at_a_time_each_next_to_the_one_before(self, session: AsyncSession, actor: Actor) -> None:
        for number in range(1, 6):
            await add(session, notice(1, raw={"n": number}, content=str(number)))
        [row] = await listed(session, actor)
        found = [
            (version.number, [(change.before, change.after) for change in version.changes])
            for page in (1, 2, 3)
            for version in (await service.list_versions(session, actor, row.id, PageRequest(page=page, page_size=2))).items
        ]
        assert found == [(5, [("4", "5")]), (4, [("3", "4")]), (3, [("2", "3")]), (2, [("1", "2")]), (1, [])]
        assert (await service.list_versions(session, actor, row.id, PageRequest())).total == 5


class TestLookUp:
    @pytest.mark.parametrize("number", ["PAR-26-106", "École-1", "STRASSE-ß-2"])
    async def test_finds_a_number_as_it_is_written(self, session: AsyncSession, actor: Actor, number: str) -> None:
        await add(session, notice(1, title="A", number=number))
        assert (await service.look_up(session, actor, number)).title == "A"

    async def test_by_id_number_and_the_id_of_the_source(self, session: AsyncSession, actor: Actor) -> None:
        notice_id = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
        await add(session, notice(1, external_id=notice_id, number="W912HQ-26-R-0001"), notice(2, number="PAR-26-106"))
        (wanted,) = await listed(session, actor, text="W912HQ-26-R-0001")
        for reference in (str(wanted.id), wanted.id.hex, "W912HQ-26-R-0001", " w912hq-26-r-0001 ", notice_id, notice_id.upper()):
            assert (await service.look_up(session, actor, reference)).id == wanted.id

    async def test_of_several_with_one_number_the_newest(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, *(notice(days, number="SPE4A6") for days in (9, 2, 5)))
        assert (await service.look_up(session, actor, "SPE4A6")).title == "Notice 2"

    async def test_the_id_of_a_source_counts_more_than_a_number(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1, number="358271"), notice(2, external_id="358271"))
        assert (await service.look_up(session, actor, "358271")).title == "Notice 2"

    @pytest.mark.parametrize("reference", ["", "%", "n1 ", str(UUID(int=0)), "x" * 5_000, "n0", "\x00"])
    async def test_unknown_ones_are_refused_with_a_message(self, session: AsyncSession, actor: Actor, reference: str) -> None:
        await add(session, notice(7, number=""))
        with pytest.raises(NotFound, match="There is no opportunity “.*Use its id"):
            await service.look_up(session, actor, reference)


class TestSimilar:
    async def test_finds_the_nearest_of_the_same_model(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1), notice(2), notice(3))
        ids = {row.title: row.id for row in await listed(session, actor)}
        near, far = np.array([1, 0.1, 0], np.float32), np.array([0, 1, 0], np.float32)
        start = np.array([1, 0, 0], np.float32)
        three = [(ids[f"Notice {number}"], 1) for number in (1, 2, 3)]
        await indexing.save_vectors(session, "it's:a model", three, np.array([start, near, far]))
        await indexing.save_vectors(session, "other", three[2:], np.ones((1, 4), np.float32))
        await indexing.index_vectors(session, "it's:a model", 3)
        await indexing.index_vectors(session, "it's:a model", 3)
        found = await service.similar(session, actor, ids["Notice 1"], model_id="it's:a model")
        assert [item.opportunity.title for item in found] == ["Notice 2", "Notice 3"]
        assert found[0].similarity == pytest.approx(0.995, abs=0.01)
        assert await service.similar(session, actor, ids["Notice 1"], model_id="unknown") == []

    async def test_several_jobs_can_make_the_index_at_once(self, committed: Core) -> None:
        async def index() -> None:
            async with committed.database.transaction() as session:
                await indexing.index_vectors(session, "a new model", 3)

        await asyncio.gather(*(index() for _ in range(6)))


def test_rows_share_what_pydantic_remembers_of_each() -> None:
    first, second = (FacetValue(value=value, label=value, count=1) for value in "ab")
    assert first.__pydantic_fields_set__ is second.__pydantic_fields_set__
    assert first.model_copy(update={"label": "c"}).model_fields_set == {"value", "label", "count"}


class TestNextDeadlines:
    async def test_are_those_that_are_open_soonest_first(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, *(notice(9 - n, title=f"In {n}", due_at=now() + timedelta(days=n)) for n in (3, 1, 2, 8)))
        await add(session, notice(20, title="Over", due_at=now() - timedelta(days=2)), notice(21, title="Whenever"))
        found = await service.next_deadlines(session, actor, limit=3)
        assert (titles(found.items), found.is_of_categories) == (["In 1", "In 2", "In 3"], False)

    async def test_prefer_their_own_categories(self, session: AsyncSession, actor: Actor, core: Core) -> None:
        await add(session, *(notice(n, title=f"In {n}", due_at=now() + timedelta(days=n)) for n in (1, 2)))
        later = (await listed(session, actor, text="2"))[0]
        category = await categories.create(session, actor, CategoryCreate(name="Mine"))
        await categories.accept(session, actor, core, later.id, category.id)
        found = await service.next_deadlines(session, actor)
        assert (titles(found.items), found.is_of_categories) == (["In 2"], True)
        assert len((await service.next_deadlines(session, await add_account(session))).items) == 2


class TestFigures:
    async def test_each_counts_what_its_list_shows(self, session: AsyncSession, actor: Actor) -> None:
        posted = [now() - timedelta(days=days) for days in (1, 6, 40)]
        await add(session, *(notice(n, posted_at=at, due_at=now() + timedelta(days=n)) for n, at in enumerate(posted, 1)))
        await add(session, notice(9, posted_at=posted[2], due_at=posted[1], closes_at=posted[1]))
        counts = {figure.label: figure.count for figure in await service.read_figures(session, actor)}
        assert counts == {
            "Open grants": 0,
            "Open contracts": 3,
            "Grants posted in the last 7 days": 0,
            "Contracts posted in the last 7 days": 2,
        }

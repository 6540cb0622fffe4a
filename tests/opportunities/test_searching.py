from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Self
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor
from fundwright.core import database
from fundwright.core.database import now
from fundwright.core.migrations.versions import v0049_states
from fundwright.language import retrieval
from fundwright.opportunities import service
from fundwright.opportunities.question import Meaning
from fundwright.opportunities.repository import indexing, listing, ranking, scoring, spelling
from fundwright.opportunities.schemas import FoundPage, OpportunityQuery
from fundwright.opportunities.states import place_pattern, states_in
from tests.opportunities.test_service import add, notice, titles
from tests.support.statements import statements

MODEL = "a model"


@pytest.fixture(autouse=True)
def rebuild_statements() -> Iterator[None]:
    """Statements contain the limits that a test changes."""
    scoring.build_statement.cache_clear()
    yield
    scoring.build_statement.cache_clear()


def toward(share: float) -> np.ndarray:
    """A vector whose cosine with the question is `share`."""
    return np.array([share, np.sqrt(1 - share**2)], np.float32)


ASKED = Meaning(MODEL, toward(1))


async def embed(session: AsyncSession, actor: Actor, **shares: float) -> None:
    """Give the notices with these titles, written with underscores, vectors with these cosines."""
    ids = {row.title: row.id for row in (await service.list_opportunities(session, actor, OpportunityQuery(page_size=100))).items}
    versions = [(ids[title.replace("_", " ")], 1) for title in shares]
    await indexing.save_vectors(session, MODEL, versions, np.stack([toward(share) for share in shares.values()]))


async def search(session: AsyncSession, actor: Actor, text: str, **values: object) -> FoundPage:
    return await service.list_opportunities(session, actor, OpportunityQuery(text=text, **values), meaning=ASKED)  # type: ignore[arg-type]


async def listed(
    session: AsyncSession, actor: Actor, sort: str, page_size: int = 4
) -> tuple[list[FoundPage], list[str], Collection[UUID]]:
    """Three pages of a search for roofs, the numbers in its export, and its best results."""
    pages = [
        await service.list_opportunities(session, actor, OpportunityQuery(text="roof", page=page, page_size=page_size, sort=sort))
        for page in (1, 2, 3)
    ]
    query = OpportunityQuery(text="roof", sort=sort)
    ranked = await ranking.rank(session, query, None, None)
    return pages, [number async for (number,) in listing.stream(session, query, None, ["number"], ranked=ranked)], ranked.ids


def reasons(page: FoundPage) -> list[tuple[str, str, bool]]:
    return [(row.title, row.match.reason, row.match.is_close) for row in page.items if row.match]


class TestSolicitations:
    async def test_are_shown_once_at_the_place_of_the_best_notice_as_the_newest_that_is_not_an_award(
        self, session: AsyncSession, actor: Actor
    ) -> None:
        day = now()
        await add(
            session,
            notice(1, title="Roof repair roof", number="A-2026-1", posted_at=day - timedelta(days=9)),
            notice(2, title="Amendment", number="A 2026 1", posted_at=day - timedelta(days=2), description="roof"),
            notice(3, title="Award", number="A20261", posted_at=day, description="roof", type="Award Notice"),
            notice(4, title="Fix a leaking roof in the old barn", number="B-2026-1"),
        )
        found = await search(session, actor, "roof")
        assert titles(found.items) == ["Amendment", "Fix a leaking roof in the old barn"]
        assert [row.notices for row in found.items] == [3, 1]
        assert found.total == 2

    @pytest.mark.parametrize("sort", ["", "title", "due"])
    async def test_count_once_on_every_page_and_in_the_export(self, session: AsyncSession, actor: Actor, sort: str) -> None:
        await add(session, *(notice(n, title=f"Roof {n}", number=f"N-{n // 2}-2026") for n in range(12)))
        pages, exported, _ = await listed(session, actor, sort)
        assert [page.total for page in pages] == [6, 6, 6]
        numbers = [row.number for page in pages for row in page.items]
        assert len(set(numbers)) == len(numbers) == 6
        assert exported == numbers

    @pytest.mark.parametrize("sort", ["", "title", "due"])
    async def test_of_too_many_to_count_the_first_are_listed_and_all_exported(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch, sort: str
    ) -> None:
        monkeypatch.setattr(retrieval, "DEPTH", 1)
        monkeypatch.setattr(scoring, "MOST_COUNTED", 9)
        monkeypatch.setattr(ranking, "_MOST_LISTED", 8)
        await add(session, *(notice(n, title=f"Roof {n}") for n in range(9)))
        pages, exported, _ = await listed(session, actor, sort)
        assert [(len(page.items), page.total, page.has_uncounted) for page in pages] == [
            (4, 9, False),
            (4, 9, False),
            (1, 9, False),
        ]
        await add(session, notice(9, title="Roof 9"))
        pages, exported, _ = await listed(session, actor, sort)
        assert [(len(page.items), page.total, page.has_uncounted) for page in pages] == [(4, 8, True), (4, 8, True), (0, 8, True)]
        assert exported[:8] == [row.number for page in pages for row in page.items]
        assert len(exported) == 10
        pages, _, _ = await listed(session, actor, sort, page_size=3)
        assert [len(page.items) for page in pages] == [3, 3, 2]

    @pytest.mark.parametrize("sort", ["", "title"])
    async def test_with_very_many_notices_do_not_leave_pages_empty(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch, sort: str
    ) -> None:
        monkeypatch.setattr(retrieval, "DEPTH", 1)
        monkeypatch.setattr(scoring, "MOST_COUNTED", 9)
        monkeypatch.setattr(ranking, "_MOST_LISTED", 8)
        of_one = [notice(n, title=f"Roof {n} roof roof", number="N-1-2026") for n in range(5)]
        await add(session, *of_one, *(notice(n, title=f"Roof {n}") for n in range(5, 10)))
        pages, _, _ = await listed(session, actor, sort)
        assert [(len(page.items), page.total, page.has_uncounted) for page in pages] == [
            (4, 6, False),
            (2, 6, False),
            (0, 6, False),
        ]
        await add(session, *(notice(n, title=f"Roof {n}") for n in range(10, 14)))
        pages, _, _ = await listed(session, actor, sort)
        assert [(len(page.items), page.total, page.has_uncounted) for page in pages] == [(4, 8, True), (4, 8, True), (0, 8, True)]

    @pytest.mark.parametrize("sort", ["", "title", "due"])
    async def test_after_the_best_of_very_many_every_notice_is_listed(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch, sort: str
    ) -> None:
        monkeypatch.setattr(retrieval, "DEPTH", 2)
        await add(session, *(notice(n, title=f"Roof {n}", number=f"N-{n // 2}-2026") for n in range(12)))
        pages, exported, best = await listed(session, actor, sort)
        rows = [row for page in pages for row in page.items]
        assert {page.total for page in pages} == {len(rows)} == {len({row.id for row in rows})}
        of_best = {row.number for row in rows if row.id in best}
        assert {row.id for row in rows if row.number in of_best} == set(best)
        assert {row.number for row in rows} == {f"N-{n}-2026" for n in range(6)}
        assert exported == [row.number for row in rows]

    @pytest.mark.parametrize(
        ("text", "found"), [("--tower roof", ["Roof 1"]), ("-" * 100 + "tower roof", ["Roof 1"]), ("-" * 500, None)]
    )
    async def test_several_dashes_mean_what_one_means(
        self, session: AsyncSession, actor: Actor, text: str, found: list[str] | None
    ) -> None:
        await add(session, notice(1, title="Roof 1"), notice(2, title="Roof 2", description="tower"))
        listed = await service.list_opportunities(session, actor, OpportunityQuery(text=text))
        assert found is None or titles(listed.items) == found

    async def test_after_the_best_of_very_many_what_is_excluded_is_not_listed_either(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(retrieval, "DEPTH", 2)
        await add(
            session, *(notice(n, title=f"{('Roof', 'Gutter')[n % 2]} {n}", description="tower" * (n > 8)) for n in range(12))
        )
        found = await service.list_opportunities(session, actor, OpportunityQuery(text="roof or gutter -tower"))
        assert (found.total, len(found.items)) == (9, 9)

    @pytest.mark.parametrize(
        "words", ["tower/mast", "mast/tower", "towers–masts", "tower—mast", "tower‑mast", "mast/pole/towers"]
    )
    @pytest.mark.parametrize("text", ["roof -tower", "roof or gutter -tower", 'roof -the -"mast tower" -tower'])
    async def test_an_excluded_word_may_be_joined_to_another(
        self, session: AsyncSession, actor: Actor, words: str, text: str
    ) -> None:
        others = ("watchtower/x", "and/or", "don't", "http://a.example/b")
        await add(
            session,
            notice(0, title="Roof 0", description=f"A {words}."),
            *(notice(n, title=f"Roof {n}", description=other) for n, other in enumerate(others, start=1)),
        )
        listed = await service.list_opportunities(session, actor, OpportunityQuery(text=text))
        assert sorted(titles(listed.items)) == [f"Roof {n}" for n in range(1, 5)]

    @pytest.mark.parametrize("text", ["roof -the", "roof -and", "roof -gutter", 'roof -"quay roof"', "roof -a_b -50% -c\\"])
    async def test_what_is_excluded_may_be_anything(self, session: AsyncSession, actor: Actor, text: str) -> None:
        await add(session, notice(1, title="Roof 1", description="The tower/mast and the guttering/x on a quay and a roof"))
        listed = await service.list_opportunities(session, actor, OpportunityQuery(text=text))
        assert titles(listed.items) == [] if text == "roof -gutter" else ["Roof 1"]

    async def test_list_all_their_notices_by_number(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1, number="A-2026-1"), notice(2, number="A20261"), notice(3, number="A-2026-12"))
        found = await service.list_opportunities(session, actor, OpportunityQuery(number="a 2026 1"))
        assert sorted(titles(found.items)) == ["Notice 1", "Notice 2"]


class TestAwards:
    async def test_of_a_solicitation_are_shown_on_its_other_notices(self, session: AsyncSession, actor: Actor) -> None:
        day = now()
        raw = {"AwardDate": "2026-03-02", "Awardee": "Roofs Inc. Denver CO"}
        await add(
            session,
            notice(1, title="Roof", number="A-2026-1", type="Solicitation"),
            notice(2, number="A20261", type="Award Notice", posted_at=day - timedelta(days=3), raw={"AwardDate": "soon"}),
            notice(3, number="A20261", type="Award Notice", posted_at=day, raw=raw, award_amount=Decimal("12.50")),
            notice(4, title="Roof of another", number="B-2026-1", type="Solicitation"),
            notice(5, title="Roof without a number", type="Solicitation"),
            notice(6, type="Award Notice", raw=raw),
        )
        found = {row.title: row for row in (await search(session, actor, "roof")).items}
        assert found["Roof of another"].award is found["Roof without a number"].award is None
        award = found["Roof"].award
        assert award is not None
        assert (award.awarded_on, award.awardee, award.amount) == (date(2026, 3, 2), "Roofs Inc. Denver CO", Decimal("12.50"))
        notice_of_award = await service.get_opportunity(session, actor, award.id)
        assert (notice_of_award.title, notice_of_award.award) == ("Notice 3", award)
        assert notice_of_award.is_award and not found["Roof"].is_award
        assert (await service.get_opportunity(session, actor, found["Roof"].id)).award == award

    async def test_without_a_readable_date_are_shown_without_it(self, session: AsyncSession, actor: Actor) -> None:
        award = notice(2, number="A20261", type="Award Notice", raw={"AwardDate": "soon"})
        await add(session, notice(1, title="Roof", number="A-2026-1", type="Solicitation"), award)
        (row,) = (await search(session, actor, "roof")).items
        assert row.award is not None
        assert (row.award.awarded_on, row.award.awardee, row.award.amount) == (None, "", None)


class TestAgencies:
    async def test_that_are_named_come_first_when_the_rest_fits(self, session: AsyncSession, actor: Actor) -> None:
        await add(
            session,
            notice(1, title="Clinic heating"),
            notice(2, title="Heating of a clinic", agency="VETERANS AFFAIRS, DEPARTMENT OF"),
            notice(3, title="Ink", agency="VETERANS AFFAIRS, DEPARTMENT OF", description="heating"),
        )
        assert titles((await search(session, actor, "clinic heating")).items)[0] == "Clinic heating"
        assert titles((await search(session, actor, "VA clinic heating")).items) == [
            "Heating of a clinic",
            "Clinic heating",
            "Ink",
        ]

    async def test_that_are_named_do_not_outweigh_what_it_is_about(self, session: AsyncSession, actor: Actor) -> None:
        veterans = "VETERANS AFFAIRS, DEPARTMENT OF"
        await add(
            session,
            notice(1, title="Warm rooms", description="Heating of a clinic"),
            notice(2, title="Clinic heating letter", agency=veterans),
            notice(3, title="Roof", description="heating"),
        )
        await embed(session, actor, Warm_rooms=0.9, Clinic_heating_letter=0.62, Roof=0.36)
        assert titles((await search(session, actor, "VA clinic heating")).items) == [
            "Warm rooms",
            "Clinic heating letter",
            "Roof",
        ]


class TestStates:
    @pytest.mark.parametrize("text", ["Maine", "maine", '"Gulf of Maine"', "Maine -main"])
    async def test_are_not_mistaken_for_words_with_the_same_stem(self, session: AsyncSession, actor: Actor, text: str) -> None:
        await add(
            session,
            notice(1, title="Dredging of the main channel", description="the main thing"),
            notice(2, title="Buoys", description="The Gulf of Maine"),
        )
        assert titles((await search(session, actor, text)).items) == ["Buoys"]
        assert titles((await search(session, actor, "main")).items) == ["Dredging of the main channel"]

    @pytest.mark.parametrize(
        "text", ["janitorial services courthouse Massachusetts", "janitorial services courthouse, Boston, MA"]
    )
    async def test_that_are_named_come_first(self, session: AsyncSession, actor: Actor, text: str) -> None:
        await add(
            session,
            notice(1, title="Janitorial services courthouse", place="Denver, CO, 80202, USA"),
            notice(2, title="Janitorial services courthouse", description="Not in Boston", place="Des Moines, IA, USA"),
            notice(3, title="Janitorial services", description="At the courthouse", place="Boston, MA, 02210, USA"),
            notice(4, title="Chairs", place="Boston, MA, USA"),
        )
        while await indexing.weigh_words(session, limit=10):
            pass
        await indexing.count_words(session)
        assert titles((await search(session, actor, text)).items)[0] == "Janitorial services"

    async def test_are_words_of_the_notices_in_them(self, session: AsyncSession, actor: Actor) -> None:
        await add(
            session,
            notice(1, title="Removal of vessels", place="Portland, ME, 04101, USA"),
            notice(2, title="Removal of snow", place="ME, USA"),
            notice(3, title="Removal of the main", place="Messina, IT-ME, ITA"),
        )
        assert set(titles((await search(session, actor, "Maine")).items)) == {"Removal of vessels", "Removal of snow"}

    async def test_of_earlier_notices_are_read_by_the_migration(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await add(
            session,
            notice(1, title="Buoys", description="The Gulf of Maine"),
            notice(2, title="Removal of vessels", place="Portland, ME, USA"),
            notice(3, title="The main channel"),
        )
        earlier = "to_tsvector('english', title || ' ' || description)"
        await session.execute(text(f"UPDATE opportunity SET search = {earlier} FROM opportunity_text WHERE opportunity_id = id"))
        ran: list[str] = []
        monkeypatch.setattr(v0049_states.op, "execute", ran.append, raising=False)
        v0049_states.upgrade()
        for statement in ran[2:]:  # the functions exist
            await (await session.connection()).exec_driver_sql(statement)
        assert set(titles((await search(session, actor, "Maine")).items)) == {"Buoys", "Removal of vessels"}

    @pytest.mark.parametrize(
        ("text", "states"),
        [
            ("dredging in west virginia", ("WV",)),
            ("offices in Washington, DC", ("DC",)),
            ("Portland, ME or Oregon", ("OR", "ME")),
            ("VA clinic in Idaho -Texas", ("ID",)),
            ("ok or in me", ()),
            ("İdaho or ıowa", ()),
        ],
    )
    def test_are_known_by_their_names_and_after_a_city_by_their_codes(self, text: str, states: tuple[str, ...]) -> None:
        assert states_in(text) == states
        assert all(re.search(place_pattern(states), f"A City, {state}, 01234, USA") for state in states)


class TestFewEmbedded:
    async def test_do_not_lead_searches_that_they_have_nothing_to_do_with(self, session: AsyncSession, actor: Actor) -> None:
        """The nearest of a few embedded notices had the highest possible score for meaning, however distant it was."""
        await add(session, *(notice(n, title=title) for n, title in enumerate(["Roof repair", "Roof", "Ink", *"ABCDEFGHIJ"])))
        await embed(session, actor, Roof=0.38, Ink=0.2)
        await indexing.count_words(session)
        await indexing.note_embedded(session, 2)
        assert titles((await search(session, actor, "roof repair with a ladder")).items)[0] == "Roof repair"


class TestCloseMatches:
    async def test_follow_with_their_reasons_when_few_match(self, session: AsyncSession, actor: Actor) -> None:
        await add(
            session,
            notice(1, title="Stream gauge maintenance"),
            notice(2, title="Stream stream gauge", description="A gauge in a stream"),
            notice(3, title="Hydrometric stations"),
            notice(4, title="Maintenance of chairs"),
        )
        await embed(
            session,
            actor,
            Stream_gauge_maintenance=0.9,
            Stream_stream_gauge=0.2,
            Hydrometric_stations=0.8,
            Maintenance_of_chairs=0.1,
        )
        found = await search(session, actor, "stream gauge maintenance")
        assert reasons(found) == [
            ("Stream gauge maintenance", "all_words", False),
            ("Hydrometric stations", "meaning", True),
            ("Stream stream gauge", "words", True),
            ("Maintenance of chairs", "words", True),
        ]
        assert found.total == 4
        match = found.items[2].match
        assert match is not None
        assert [match.passage[start:end] for start, end in match.marks] == ["gauge", "stream"]

    @pytest.mark.parametrize("text", ["dredging -army", "dredging -the -army", 'dredging "harbor" -army -"the navy"'])
    async def test_lack_what_is_excluded(self, session: AsyncSession, actor: Actor, text: str) -> None:
        await add(
            session,
            notice(1, title="Dredging a harbor"),
            notice(2, title="Dredging a harbor", description="For the Army"),
            notice(3, title="Silt in the harbor"),
            notice(4, title="Silt in a harbor of the Army"),
        )
        await embed(session, actor, Silt_in_the_harbor=0.9, Silt_in_a_harbor_of_the_Army=0.9)
        found = await search(session, actor, text)
        assert [title for title, _, _ in reasons(found)] == ["Dredging a harbor", "Silt in the harbor"]

    async def test_do_not_follow_many_matches(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, *(notice(n, title=f"Roof {n}") for n in range(12)), notice(20, title="Shingles"))
        await embed(session, actor, Shingles=0.9)
        found = await search(session, actor, "roof")
        assert found.total == 12
        assert not any(row.match and row.match.is_close for row in found.items)

    async def test_notices_with_all_words_about_something_else_are_close(self, session: AsyncSession, actor: Actor) -> None:
        await add(
            session,
            notice(1, title="Help wanted", description="The desk of IT support"),
            notice(2, title="Service desk support"),
            notice(3, title="Not read yet", description="help desk support"),
            notice(4, title="Chairs", description="One desk"),
        )
        await embed(session, actor, Help_wanted=0.3, Service_desk_support=0.9)
        found = await search(session, actor, "help desk support")
        assert [(title, is_close) for title, _, is_close in reasons(found)] == [
            ("Not read yet", False), ("Service desk support", True), ("Help wanted", True), ("Chairs", True),
        ]  # fmt: skip

    async def test_with_the_words_in_a_standard_paragraph_come_after_those_near_by_meaning(
        self, session: AsyncSession, actor: Actor
    ) -> None:
        paragraph = "Users without access to the internet may call the help desk."
        await add(session, notice(1, title="Slat assembly", description=paragraph), notice(2, title="Support of IT users"))
        await embed(session, actor, Slat_assembly=0.19, Support_of_IT_users=0.7)
        assert [title for title, *_ in reasons(await search(session, actor, "help desk"))] == [
            "Support of IT users",
            "Slat assembly",
        ]

    async def test_show_where_the_words_are_in_a_long_text(self, session: AsyncSession, actor: Actor) -> None:
        text = "The item is bought from its only source. " * 90 + "Users may call the help desk. " + "Delivery is required. " * 90
        await add(session, notice(1, title="Slat assembly", description=text), notice(2, title="Support of IT users"))
        await embed(session, actor, Slat_assembly=0.19, Support_of_IT_users=0.7)
        match = (await search(session, actor, "help desk")).items[-1].match
        assert match and "help" in match.passage and "desk" in match.passage

    @pytest.mark.parametrize("sort", ["", "title", "-title", "due"])
    async def test_of_which_more_have_all_words_than_are_ranked_come_last_in_every_order(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch, sort: str
    ) -> None:
        monkeypatch.setattr(ranking, "_CLOSE", 1)
        others = [notice(n, title=title, description="help desk support") for n, title in enumerate(("Ants", "Yaks", "Zebras"))]
        await add(session, *others, notice(9, title="Help desk support"))
        await embed(session, actor, Ants=0.3, Yaks=0.3, Zebras=0.3, Help_desk_support=0.9)
        query = OpportunityQuery(text="help desk support", sort=sort)
        found = await service.list_opportunities(session, actor, query, meaning=ASKED)
        assert [row.match.is_close for row in found.items if row.match] == [False, True, True, True]
        ranked = await ranking.rank(session, query, None, ASKED)
        rows = listing.stream(session, query, None, ["title"], ranked=ranked)
        assert [title async for (title,) in rows] == titles(found.items)

    @pytest.mark.parametrize(
        ("query", "expected"),
        [({"text": '"roof repair"'}, []), ({"text": "gutter -shingles"}, ["Eaves"]), ({"text": "gutter or pipe"}, []),
         ({"text": "gutter", "agency": ("VA",)}, ["Eaves"])],
    )  # fmt: skip
    async def test_meet_the_conditions_and_the_filters(
        self, session: AsyncSession, actor: Actor, query: dict[str, object], expected: list[str]
    ) -> None:
        await add(session, notice(1, title="Shingles"), notice(2, title="Eaves", agency="VA"), notice(3, title="Roof"))
        await embed(session, actor, Shingles=0.9, Eaves=0.8, Roof=0.1)
        found = await service.list_opportunities(
            session, actor, OpportunityQuery.model_validate(query), meaning=Meaning(MODEL, toward(1))
        )
        assert titles(found.items) == expected

    async def test_are_no_farther_than_the_nearest_of_any_few_notices(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1, title="Shingles"), notice(2, title="Frozen bison"))
        await embed(session, actor, Shingles=0.5, Frozen_bison=0.34)
        assert titles((await search(session, actor, "roof")).items) == ["Shingles"]

    async def test_have_enough_of_the_words_or_of_the_meaning(self, session: AsyncSession, actor: Actor) -> None:
        await add(
            session,
            notice(1, title="Card printers", description="card"),
            notice(2, title="Sensor for nitrate"),
            notice(3, title="Stream and river surveys"),
        )
        await embed(session, actor, Card_printers=0.1, Sensor_for_nitrate=0.1, Stream_and_river_surveys=0.36)
        asked = "nitrate sensor card readers for twelve harbor stations"
        assert titles((await search(session, actor, asked)).items) == ["Stream and river surveys", "Sensor for nitrate"]

    @pytest.mark.parametrize(("near", "total"), [(4, 10), (12, 12)])
    async def test_after_the_first_ten_are_nearer(self, session: AsyncSession, actor: Actor, near: int, total: int) -> None:
        await add(session, *(notice(n, title=f"Notice {n}") for n in range(20)))
        await embed(session, actor, **{f"Notice_{n}": 0.5 if n < near else 0.38 for n in range(20)})
        assert (await search(session, actor, "roof")).total == total

    async def test_come_after_the_matches_in_every_order(self, session: AsyncSession, actor: Actor) -> None:
        day = timedelta(days=1)
        await add(
            session,
            notice(1, title="Roof late", due_at=now() + 9 * day),
            notice(2, title="Roof soon", due_at=now() + 2 * day),
            notice(3, title="Shingles", due_at=now() + day),
        )
        await embed(session, actor, Shingles=0.9, Roof_late=0.9, Roof_soon=0.8)
        assert titles((await search(session, actor, "roof", sort="due")).items) == ["Roof soon", "Roof late", "Shingles"]

    async def test_nonsense_finds_nothing(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1, title="Roof"))
        await embed(session, actor, Roof=0.4)
        assert (await search(session, actor, "asdfgh")).total == 0
        assert (await search(session, actor, "the")).total == 0

    async def test_the_index_finds_what_comparing_all_finds(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await add(session, *(notice(n, title=f"Notice {n}", agency="VA" if n % 10 else "GSA") for n in range(100)))
        await indexing.index_vectors(session, MODEL, 2)
        await embed(session, actor, **{f"Notice_{n}": 0.99 - n / 200 for n in range(100)})
        compared = await search(session, actor, "roof", agency=("GSA",))
        monkeypatch.setattr(scoring, "_EXACT_LIMIT", 0)
        assert titles((await search(session, actor, "roof", agency=("GSA",))).items) == titles(compared.items)
        assert len(compared.items) == 10


class TestNumbers:
    @pytest.mark.parametrize(
        "text", ["W912DY-25-R-0015", "w912dy 25 r 0015", "W912DY25R0015", "W912DY-25-R", "25R0015", "dams W912DY25R0015"]
    )
    async def test_match_however_they_are_typed(self, session: AsyncSession, actor: Actor, text: str) -> None:
        await add(
            session, notice(1, title="Dams", number="W912DY-25-R-0015"), notice(2, title="Other", number="W912DY-26-R-0001")
        )
        found = await search(session, actor, text)
        assert reasons(found)[0] == ("Dams", "number", False)
        assert found.total == 1

    async def test_a_whole_number_that_is_not_there_finds_nothing(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1, title="Dams"))
        await embed(session, actor, Dams=0.9)
        assert (await search(session, actor, "W912DY-25-R-0015")).total == 0


class TestSetAsides:
    @pytest.mark.parametrize(
        ("text", "found"), [("SDVOSB", {"Roofs", "Gutters"}), ("541512 sdvosb", {"Gutters"}), ("wosb", set[str]())]
    )
    async def test_are_found_by_what_people_call_them(
        self, session: AsyncSession, actor: Actor, text: str, found: set[str]
    ) -> None:
        name = "Service-Disabled Veteran-Owned Small Business Set Aside"
        await add(
            session,
            notice(1, title="Roofs", set_aside_code="SDVOSBC", set_aside=name),
            notice(2, title="Gutters", set_aside_code="SDVOSBS", set_aside="Sole source", naics="541512"),
            notice(3, title="Eaves", naics="541512"),
        )
        page = await search(session, actor, text)
        assert {row.title for row in page.items} == found
        assert not any(row.match and row.match.is_close for row in page.items)


class TestWords:
    async def test_are_found_before_and_after_they_are_weighed(self, session: AsyncSession, actor: Actor) -> None:
        await add(
            session, notice(1, title="Roof repair"), notice(2, title="Roof"), notice(3, title="Chairs", description="a roof")
        )
        before = titles((await service.list_opportunities(session, actor, OpportunityQuery(text="roof repair"))).items)
        while await indexing.weigh_words(session, limit=2):
            pass
        await indexing.count_words(session)
        after = titles((await service.list_opportunities(session, actor, OpportunityQuery(text="roof repair"))).items)
        assert before == after == ["Roof repair", "Roof", "Chairs"]

    async def test_of_a_changed_notice_are_weighed_again(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, notice(1, title="Roof"))
        await indexing.weigh_words(session, limit=9)
        await add(session, notice(1, title="Bridge"))
        assert await indexing.weigh_words(session, limit=9)

    async def test_that_are_misspelled_are_corrected_to_known_ones(self, session: AsyncSession, actor: Actor) -> None:
        known = [notice(n, title=f"Janitorial services {n}", description="Cleaning of offices") for n in range(3)]
        await add(session, *known, notice(9, title="Offices", description="the odd word sevices"))
        while await indexing.weigh_words(session, limit=9):
            pass
        await indexing.count_words(session)
        assert await spelling.correct(session, "Janitoral services") == "janitorial services"
        assert await spelling.correct(session, "cleaning of ofices") == "cleaning of offices"
        assert await spelling.correct(session, '"Janitoral" -servces cleaning') == '"Janitoral" -servces cleaning'
        assert await spelling.correct(session, "cleaning of the xylophones") == "cleaning of the xylophones"
        many = " ".join(f"janitoral{letter}" for letter in "abcdefgh")
        assert len(set((await spelling.correct(session, many)).split()) & set(many.split())) >= 3

    async def test_pages_follow_each_other(self, session: AsyncSession, actor: Actor) -> None:
        await add(session, *(notice(n, title=f"Gutter {n}" if n % 2 else f"Roof {n}") for n in range(1, 30)))
        pages = [await search(session, actor, "roof gutter", page=number, page_size=7) for number in range(1, 6)]
        ids: list[UUID] = [row.id for page in pages for row in page.items]
        assert len(ids) == len(set(ids)) == pages[0].total == 29


class TestEffort:
    async def test_a_search_asks_the_database_three_times(self, session: AsyncSession, actor: Actor) -> None:
        """Three statements: for the words, for the candidates, and for the rows of the page."""
        await add(session, *(notice(n, title=f"Roof {n}", number=f"N-{n // 2}-2026") for n in range(24)))
        await embed(session, actor, Roof_1=0.9, Roof_2=0.5)
        connection = (await session.connection()).sync_connection
        assert connection is not None
        with statements(connection) as sent:
            assert (await search(session, actor, "roof")).total == 12
        assert len(sent) == 3

    async def test_the_statement_is_created_once_but_knows_the_time(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Tomorrow(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Self:
                return super().now(tz) + timedelta(days=1)

        closes_at = now() + timedelta(hours=1)
        await add(session, notice(1, title="Roof", closes_at=closes_at), notice(2, title="Roof repair"))
        today = await search(session, actor, "roof", availability="open")
        monkeypatch.setattr(database, "datetime", Tomorrow)
        tomorrow = await search(session, actor, "roof", availability="open")
        assert sorted(titles(today.items)) == ["Roof", "Roof repair"]
        assert titles(tomorrow.items) == ["Roof repair"]
        assert scoring.build_statement.cache_info().misses == 1

    async def test_ends_with_the_first_too_many_and_counts_the_rest_once(
        self, session: AsyncSession, actor: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(retrieval, "DEPTH", 2)
        await add(session, *(notice(n, title=f"Roof {n}", number=f"N-{n // 2}-2026") for n in range(24)))
        connection = (await session.connection()).sync_connection
        assert connection is not None
        with statements(connection) as sent:
            await service.list_opportunities(session, actor, OpportunityQuery(text="roof"))
        assert len([each for each in sent if each.startswith("SELECT count(*)")]) == 1
        assert not any(len(each) > 5_500 for each in sent)  # the number of parameters does not grow with the number of results

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import ClassVar
from uuid import uuid4

import pytest
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.jobs import JobState
from fundwright.insights import service
from fundwright.insights.schemas import KEPT_DAYS, CountedJob, HistoryQuery, PagesQuery, UsageField, UsageQuery
from tests.insights.conftest import add_job, add_view
from tests.support.accounts import add_account

MARCH = UsageQuery(day_from=date(2026, 3, 1), day_to=date(2026, 3, 3))


@pytest.fixture
async def root(session: AsyncSession) -> Actor:
    return await add_account(session, role=Role.ADMIN)


class TestSpan:
    def test_is_the_last_30_days_with_today(self) -> None:
        query = UsageQuery()
        assert (query.last, (query.last - query.first).days) == (now().date(), 29)

    def test_keeps_both_of_its_ends(self) -> None:
        assert (MARCH.first, MARCH.last) == (date(2026, 3, 1), date(2026, 3, 3))

    def test_goes_as_many_days_back_from_its_last(self) -> None:
        assert UsageQuery(days="7", day_to=date(2026, 3, 7)).first == date(2026, 3, 1)

    def test_says_what_is_wrong_with_it(self) -> None:
        with pytest.raises(ValidationError, match="The start date is after the end date"):
            UsageQuery(day_from=date(2026, 3, 2), day_to=date(2026, 3, 1))
        with pytest.raises(ValidationError, match="longer than 400 days"):
            UsageQuery(day_from=date(2024, 1, 1), day_to=date(2026, 3, 1))
        for day in (date.min, date.max):
            with pytest.raises(ValidationError, match="between 1900 and 2200"):
                UsageQuery(day_to=day)


class TestKeepingViews:
    async def test_forgets_those_that_are_too_old(self, session: AsyncSession, root: Actor) -> None:
        await add_view(session, "/old", at=now() - timedelta(days=KEPT_DAYS, minutes=1))
        await add_view(session, "/new", at=now() - timedelta(days=KEPT_DAYS - 2))
        query = PagesQuery(day_from=now().date() - timedelta(days=KEPT_DAYS - 1))
        assert [page.path for page in (await service.list_pages(session, root, query)).items] == ["/new"]


class TestUsage:
    async def test_counts_each_day_in_utc(self, session: AsyncSession, root: Actor, actor: Actor) -> None:
        for hour, who in ((0, root), (12, root), (23, actor), (23, None)):
            await add_view(session, "/dashboard/train", by=who, at=datetime(2026, 3, 2, hour, 59, tzinfo=UTC))
        await add_view(session, "/dashboard/train", by=root, at=datetime(2026, 3, 3, tzinfo=UTC))
        await add_view(session, "/dashboard/train", by=await add_account(session), at=datetime(2026, 3, 4, tzinfo=UTC))
        usage = await service.get_usage(session, root, MARCH)
        assert [(day.day.day, day.views, day.people) for day in usage.days] == [(1, 0, 0), (2, 4, 2), (3, 1, 1)]
        assert (usage.views, usage.people) == (5, 2)

    async def test_counts_what_people_started_here_or_on_the_command_line_and_nothing_of_the_machine(
        self, session: AsyncSession, root: Actor
    ) -> None:
        at = datetime(2026, 3, 2, 8, tzinfo=UTC)
        for kind in ("draft", "import", "import", "train", "categorize"):
            await add_job(session, root, kind, at=at)
        await add_job(session, None, "import", at=at)
        await add_job(session, None, "mail.send", at=at)
        usage = await service.get_usage(session, root, MARCH)
        assert (usage.drafts, usage.imports, usage.trainings) == (1, 3, 1)
        assert usage.days[1].imports == 3

    async def test_counts_other_kinds_of_job_where_their_payload_says(self, session: AsyncSession, root: Actor) -> None:
        class WriteLetter(CountedJob):
            job_kind: ClassVar[str] = "letter"
            counted_as: ClassVar[UsageField] = "drafts"

        for kind in ("draft", WriteLetter.job_kind):
            await add_job(session, root, kind, at=datetime(2026, 3, 2, tzinfo=UTC))
        assert (await service.get_usage(session, root, MARCH)).drafts == 2

    async def test_is_exported_day_by_day(self, session: AsyncSession, root: Actor) -> None:
        lines = [line async for line in service.export_usage(session, root, MARCH)]
        assert lines[:2] == ["Day,Page views,People,Drafts,Imports,Training runs\r\n", "2026-03-01,0,0,0,0,0\r\n"]
        assert len(lines) == 4


class TestPages:
    @pytest.fixture(autouse=True)
    async def views(self, session: AsyncSession, root: Actor, actor: Actor) -> None:
        for path, who in (("/a", root), ("/a", root), ("/a", None), ("/b", root), ("/b", actor), ("/c", None)):
            await add_view(session, path, by=who)

    async def test_most_viewed_come_first(self, session: AsyncSession, root: Actor) -> None:
        found = await service.list_pages(session, root, PagesQuery(page_size=2))
        assert [(page.path, page.views, page.people) for page in found.items] == [("/a", 3, 1), ("/b", 2, 2)]
        assert found.total == 3

    @pytest.mark.parametrize(("sort", "paths"), [("-people", "bac"), ("views", "cba"), ("-path", "cba")])
    async def test_sorting(self, session: AsyncSession, root: Actor, sort: str, paths: str) -> None:
        found = await service.list_pages(session, root, PagesQuery(sort=sort))
        assert "".join(page.path[1:] for page in found.items) == paths

    async def test_the_next_page(self, session: AsyncSession, root: Actor) -> None:
        found = await service.list_pages(session, root, PagesQuery(page=2, page_size=2))
        assert [page.path for page in found.items] == ["/c"]

    async def test_all_are_exported(self, session: AsyncSession, root: Actor) -> None:
        lines = [line async for line in service.export_pages(session, root, PagesQuery(page_size=1))]
        assert lines == ["Page,Views,People\r\n", "/a,3,1\r\n", "/b,2,2\r\n", "/c,1,0\r\n"]


class TestHistory:
    async def test_is_everyones_newest_first(self, session: AsyncSession, root: Actor, actor: Actor) -> None:
        await add_job(session, actor, "draft", at=now() - timedelta(hours=1))
        await add_job(session, root, "import")
        (await add_job(session, None, "mail.send")).account_id = actor.id  # which caused the email
        await add_job(session, None, "import", at=now() - timedelta(hours=2))
        found = await service.list_history(session, root, HistoryQuery())
        assert [(row.kind, row.person, row.duration_s) for row in found.items] == [
            ("import", root.name, 60),
            ("draft", actor.name, 60),
            ("import", "", 60),
        ]

    async def test_of_someone_who_has_left_stays(self, session: AsyncSession, root: Actor) -> None:
        gone = root.model_copy(update={"id": uuid4()})
        await add_job(session, gone)
        (row,) = (await service.list_history(session, root, HistoryQuery())).items
        assert row.person == ""

    async def test_filters(self, session: AsyncSession, root: Actor, actor: Actor) -> None:
        await add_job(session, actor, "draft", state=JobState.RUNNING)
        await add_job(session, actor, "train", state=JobState.QUEUED)
        await add_job(session, root, "import", state=JobState.FAILED)

        async def kinds(query: HistoryQuery) -> set[str]:
            return {row.kind for row in (await service.list_history(session, root, query)).items}

        assert await kinds(HistoryQuery(kind="draft")) == {"draft"}
        assert await kinds(HistoryQuery(state="underway")) == {"draft", "train"}
        assert await kinds(HistoryQuery(state="failed")) == {"import"}
        assert await kinds(HistoryQuery(person=root.id)) == {"import"}

    async def test_is_sorted_and_paged_by_the_database(self, session: AsyncSession, root: Actor) -> None:
        for minutes in (3, 1, 2):
            at = now() - timedelta(days=1)
            await add_job(session, root, title=f"{minutes}", at=at, ended_at=at + timedelta(minutes=minutes))
        await add_job(session, root, title="running", ended_at=None)
        query = HistoryQuery(sort="-duration_s", page_size=3)
        found = await service.list_history(session, root, query)
        assert ([row.title for row in found.items], found.total) == (["3", "2", "1"], 4)

    async def test_only_a_run_of_their_own_has_a_page(self, session: AsyncSession, root: Actor, actor: Actor) -> None:
        for owner in (root, actor):
            job = await add_job(session, owner, "train")
            job.payload = {"run_id": str(uuid4())}
        imported = await add_job(session, root, "import")
        imported.payload = {"run_id": str(uuid4())}
        await session.flush()
        rows = (await service.list_history(session, root, HistoryQuery())).items
        assert [(row.kind, row.account_id) for row in rows if row.run_id] == [("train", root.id)]

    async def test_it_offers_what_there_is_to_filter_by(self, session: AsyncSession, root: Actor, actor: Actor) -> None:
        await add_job(session, actor, "draft")
        choices = await service.list_history_choices(session, root)
        assert choices.kinds == ["draft"]
        assert [person.email for person in choices.people] == [actor.email]

    async def test_a_formula_in_an_exported_title_is_defused(self, session: AsyncSession, root: Actor, core: Core) -> None:
        await add_job(session, root, title="=HYPERLINK(1)")
        lines = [line async for line in service.export_history(session, root, core, HistoryQuery())]
        assert lines[0] == "Kind,Title,Who,Status,Created,Started,Ended,Seconds\r\n"
        assert lines[1].startswith("File import,'=HYPERLINK(1),")


class TestFigures:
    async def test_each_counts_what_its_page_lists(self, session: AsyncSession, root: Actor, core: Core, actor: Actor) -> None:
        await add_view(session, "/a", by=actor)
        await add_view(session, "/a", by=root, at=now() - timedelta(days=8))
        await add_job(session, actor, state=JobState.RUNNING)
        figures = {figure.label: (figure.count, figure.path) for figure in await service.list_figures(session, root, core)}
        assert figures["People active in the last 7 days"] == (1, "/dashboard/analyze?days=7")
        assert figures["Jobs in progress"] == (1, "/dashboard/history?state=underway")
        assert {"Open grants", "Contracts posted in the last 7 days", "Your documents", "Your drafts"} <= figures.keys()

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from fundwright.accounts.schemas import Actor, Role, WorkspaceRole
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.jobs import JobState
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.models import Opportunity
from fundwright_ui.screens.admin.analyze import analyze_screen
from fundwright_ui.screens.dashboard.dashboard import dashboard_screen
from fundwright_ui.screens.training.history import history_screen
from fundwright_ui.testing import mounted
from tests.insights.conftest import add_job, add_view
from tests.support.accounts import add_account
from tests.support.jobs import Trial, trial


@pytest.fixture
async def ada(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session)


class TestDashboard:
    def test_is_for_everyone(self) -> None:
        assert dashboard_screen.roles is None
        assert analyze_screen.roles == {Role.ADMIN}

    async def test_figures_lead_to_their_lists(self, committed: Core, root: Actor) -> None:
        async with committed.database.transaction() as session:
            await opportunities.load_sample_once(session)
        async with mounted(committed, root, dashboard_screen) as screen:
            (grants,) = [link for link in screen.elements("link") if "Open grants" in link.text]
            assert grants.props["href"] == "/dashboard/nih?availability=open"
            assert int(grants.text.removesuffix(" Open grants")) > 0

    async def test_the_next_deadlines_are_soonest_first_with_their_weeks(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await opportunities.load_sample_once(session)
            (first, second, *_) = (await opportunities.next_deadlines(session, ada)).items
            for notice, days in ((first, 3), (second, 10)):
                soon = now() + timedelta(days=days)
                await session.execute(update(Opportunity).where(Opportunity.id == notice.id).values(due_at=soon, closes_at=soon))
            expected = await opportunities.next_deadlines(session, ada)
        async with mounted(committed, ada, dashboard_screen) as screen:
            region = screen.find("list", "Next deadlines")
            titles = [display_title(item.title) for item in expected.items]
            assert [region.text.index(title) for title in titles] == sorted(region.text.index(title) for title in titles)
            assert len(expected.items) == 8
            assert [week.count for week in expected.weeks[:3]] == [1, 1, 0] and len(expected.weeks) == 8
            assert screen.find("list", "Deadlines by week").text.startswith("1 ")

    async def test_shows_a_user_new_matches_drafts_and_jobs_of_ones_own(self, committed: Core, ada: Actor, root: Actor) -> None:
        committed.jobs.register(trial(_nothing))
        async with committed.database.transaction() as session:
            await opportunities.load_sample_once(session)
            sorted_in = (await opportunities.suggest(session, ada, "", limit=1))[0]
            sewers = await categories.create(session, ada, CategoryCreate(name="Sewers"))
            await categories.correct(session, ada, committed, sorted_in.id, sewers.id)
            draft = await generation.add_draft(
                session, ada, committed, opportunity_id=sorted_in.id, template="capability-statement"
            )
            await committed.jobs.enqueue(session, Trial(), title="Count boats", owner_id=ada.id)
            await committed.jobs.enqueue(session, Trial(), title="Count ships", owner_id=root.id)
        async with mounted(committed, ada, dashboard_screen) as screen:
            assert screen.find("list", "New in your categories").text.startswith(display_title(sorted_in.title))
            assert draft.title in screen.find("list", "Recent drafts").text
            assert "Count boats" in screen.text and "Count ships" not in screen.text
            assert not screen.has("list", "Key figures")

    async def test_shows_a_message_when_nothing_is_there(self, committed: Core, root: Actor) -> None:
        async with mounted(committed, root, dashboard_screen) as screen:
            assert "No upcoming deadlines." in screen.text
            assert "No open opportunities in your categories." in screen.text
            assert "No drafts yet." in screen.text
            assert "No imports, training runs, or drafts in progress." in screen.text
            assert screen.has("link", "New draft")
        reader = root.model_copy(update={"workspace_role": WorkspaceRole.VIEWER})
        async with mounted(committed, reader, dashboard_screen) as screen:
            assert not screen.has("link", "New draft")

    async def test_a_job_shows_while_it_runs(self, committed: Core, root: Actor, ada: Actor) -> None:
        committed.jobs.register(trial(_nothing))
        async with mounted(committed, root, dashboard_screen) as screen:
            async with committed.database.transaction() as session:
                await committed.jobs.enqueue(session, Trial(), title="Count boats", owner_id=root.id)
                await committed.jobs.enqueue(session, Trial(), title="Count whales", owner_id=ada.id)
            await screen.expect("Count boats")
            await screen.expect("2 Jobs in progress")
            assert "Count whales" not in screen.text and ada.name in screen.text


class TestAnalyze:
    async def test_shows_charts_and_the_same_as_a_table(self, committed: Core, root: Actor) -> None:
        async with committed.database.transaction() as session:
            await add_view(session, "/dashboard/train", by=root)
            await add_job(session, root, "draft")
        async with mounted(committed, root, analyze_screen, path="/dashboard/analyze?days=7") as screen:
            visits, work = screen.elements("Chart")
            assert visits.props["series"][0] == {"label": "Page views", "values": [0, 0, 0, 0, 0, 0, 1]}
            assert work.props["series"][0]["values"][-1] == 1
            days = screen.rows("Usage by day")
            assert len(days) == 7
            assert list(days[0].values())[1:-1] == ["1", "1", "1", "0", "0"]
            assert [row["title"] for row in screen.rows("Most visited pages")] == ["Train"]

    async def test_days_of_their_own_are_in_the_url(self, committed: Core, root: Actor) -> None:
        async with mounted(committed, root, analyze_screen) as screen:
            await screen.type("Start date", "2026-03-01")
            await screen.type("End date", "2026-03-02")
            await screen.click("button", "Show period")
            assert screen.address == "/dashboard/analyze?day_from=2026-03-01&day_to=2026-03-02"
            assert "No activity in this period." in screen.text

    async def test_reversed_days_are_refused_and_stay(self, committed: Core, root: Actor) -> None:
        async with mounted(committed, root, analyze_screen) as screen:
            await screen.type("Start date", "2026-03-02")
            await screen.type("End date", "2026-03-01")
            await screen.click("button", "Show period")
            assert screen.find("alert").text == "The start date is after the end date. Change one of them."
            assert (screen.value("Start date"), screen.value("End date")) == ("2026-03-02", "2026-03-01")
            assert screen.address == "/dashboard/analyze"

    @pytest.mark.parametrize(
        "query", ["days=8", "day_from=soon", "day_from=2026-03-02&day_to=2026-03-01", "page=0", "page_size=x"]
    )
    async def test_an_address_it_does_not_understand_shows_the_last_30_days(
        self, committed: Core, root: Actor, query: str
    ) -> None:
        async with mounted(committed, root, analyze_screen, path=f"/dashboard/analyze?{query}") as screen:
            assert screen.value("Start date") == str(now().date() - timedelta(days=29))

    async def test_pages_are_paged_in_the_url(self, committed: Core, root: Actor) -> None:
        async with committed.database.transaction() as session:
            for number in range(11):
                await add_view(session, f"/{number}")
        async with mounted(committed, root, analyze_screen, path="/dashboard/analyze?sort=path") as screen:
            await screen.emit(
                "DataTable", "on_query", page=2, pageSize=10, sort={"field": "path", "direction": "asc"}, filters=[]
            )
            assert screen.address == "/dashboard/analyze?sort=path&page=2&page_size=10"
            assert [row["id"] for row in screen.rows("Most visited pages")] == ["/9"]


class TestHistory:
    async def test_of_a_user_is_that_of_their_own_runs(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, history_screen) as screen:
            assert screen.title == "Embedding History"
            assert screen.has("heading", "Embedding History")

    async def test_of_an_administrator_is_everyones(self, committed: Core, root: Actor, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await add_job(session, ada, "draft", title="Cover letter: Roofs")
            await add_job(session, None, "import", at=now() - timedelta(days=1))
            await add_job(session, root, "import", title="SAM.gov", state=JobState.RUNNING, done=2, total=5, ended_at=None)
        async with mounted(committed, root, history_screen) as screen:
            assert screen.title == "History"
            running, draft, of_command = screen.rows()
            assert (draft["title"], draft["person"], draft["duration_s"]) == ("Withheld", ada.name, "0:01:00")
            assert running["title"] == "SAM.gov"
            assert running["state"][0]["label"] == "Running 40%"
            assert of_command["person"] == "Command line"

    async def test_filters_are_in_the_url_and_in_the_export(self, committed: Core, root: Actor, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await add_job(session, ada, "draft")
            await add_job(session, root, "import")
        async with mounted(committed, root, history_screen) as screen:
            await screen.choose("Kind", "draft")
            await screen.choose("Who", str(ada.id))
            assert screen.address == f"/dashboard/history?kind=draft&person={ada.id}"
            assert [row["kind"] for row in screen.rows()] == ["Draft"]
            export = screen.find("link", "Export as CSV").props["href"]
            assert export == f"/api/insights/history/export.csv?kind=draft&person={ada.id}"
            await screen.choose("Status", "failed")
            assert "No entries match. Change the filters." in screen.text

    async def test_shows_a_message_when_nothing_was_started(self, committed: Core, root: Actor) -> None:
        async with mounted(committed, root, history_screen) as screen:
            assert "No activity yet." in screen.text

    async def test_follows_what_happens(self, committed: Core, root: Actor, ada: Actor) -> None:
        committed.jobs.register(trial(_nothing))
        async with committed.database.transaction() as session:
            await add_job(session, ada, "draft")
        async with mounted(committed, root, history_screen) as screen:
            async with committed.database.transaction() as session:
                await committed.jobs.enqueue(session, Trial(), title="Count boats", owner_id=ada.id)
            await screen.expect("2 entries")


async def _nothing(_run: object) -> None: ...

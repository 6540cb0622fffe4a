"""Badges beside entries of the sidebar."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from fundwright.accounts import preferences
from fundwright.accounts.schemas import Actor
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.training.schemas import TrainDocuments
from fundwright_ui.hooks import query
from tests.support.polling import eventually
from tests.support.statements import statements
from tests.ui.conftest import Open, Page, text_of

_NEVER_S = 3_600.0


def described(page: Page, path: str) -> str:
    """The description that a screen reader reads for the entry at `path` after its name."""
    (link,) = [link for link in page.all("a", className="fw-nav-item") if link["a"]["href"] == path]
    return text_of(page.one("span", id=link["a"]["aria-describedby"]))


@pytest.fixture
async def matches(committed: Core, ada: Actor) -> list[UUID]:
    """Opportunities, each in one of Ada's categories."""
    async with committed.database.transaction() as session:
        await opportunities.load_sample_once(session)
        category = await categories.create(session, ada, CategoryCreate(name="Ours"))
        found = (await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=10))).items
        for row in found[:3]:
            await categories.correct(session, ada, committed, row.id, category.id)
    return [row.id for row in found[:3]]


async def visited(core: Core, actor: Actor, *, days_ago: int) -> None:
    async with core.database.transaction() as session:
        await opportunities.note_visit(session, actor)
        moment = (now() - timedelta(days=days_ago)).isoformat()
        await preferences.save_state(session, actor, "opportunities: visited", moment)


@pytest.fixture
async def soon(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What is to happen after the time in which a screen appears. Here, the test says when that is: on a busy computer, no time is enough."""
    waiting = list[Callable[[], object]]()
    loop = asyncio.get_running_loop()
    call_later = loop.call_later
    monkeypatch.setattr(query, "_SOON_S", _NEVER_S)

    def noted(delay: float, callback: Callable[..., object], *args: Any, **options: Any) -> asyncio.TimerHandle:
        if delay == _NEVER_S:
            waiting.append(callback)
        return call_later(delay, callback, *args, **options)

    monkeypatch.setattr(loop, "call_later", noted)
    return waiting


class TestNewMatches:
    @pytest.mark.usefixtures("matches")
    async def test_are_those_since_the_last_visit_of_the_list(self, open_page: Open, committed: Core, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            assert described(page, "/dashboard/nih") == ""  # without an earlier visit, nothing counts as new
        await visited(committed, ada, days_ago=1)
        async with open_page("/dashboard/category", actor=ada) as page:
            assert described(page, "/dashboard/nih") == "3 new"
            assert text_of(page.one("span", className="fw-badge")).startswith("3")

    @pytest.mark.parametrize("path", ["/dashboard/nih", "/dashboard/sam"])
    @pytest.mark.usefixtures("matches")
    async def test_are_none_once_one_has_looked(self, open_page: Open, committed: Core, ada: Actor, path: str) -> None:
        await visited(committed, ada, days_ago=1)
        async with open_page(path, actor=ada) as page:
            assert described(page, "/dashboard/nih") == ""
        async with open_page("/dashboard/category", actor=ada) as page:
            assert described(page, "/dashboard/nih") == ""

    @pytest.mark.usefixtures("matches")
    async def test_a_visit_is_recorded_only_if_something_has_arrived_since_the_last_one(
        self, open_page: Open, committed: Core, ada: Actor
    ) -> None:
        await visited(committed, ada, days_ago=1)
        recorded: list[bool] = []
        for _ in range(2):
            with statements(committed.database.engine.sync_engine) as sent:
                async with open_page("/dashboard/nih", actor=ada):
                    recorded.append(any(each.startswith("INSERT INTO saved_state") for each in sent))
        assert recorded == [True, False]

    @pytest.mark.usefixtures("matches")
    async def test_are_counted_once_the_screen_that_one_moves_to_is_shown(
        self, open_page: Open, committed: Core, ada: Actor, soon: list[Callable[[], object]]
    ) -> None:
        await visited(committed, ada, days_ago=1)
        async with open_page("/dashboard/category", actor=ada) as page:
            with statements(committed.database.engine.sync_engine) as sent:
                await page.follow("/dashboard/nih")
                assert described(page, "/dashboard/nih") == ""
                assert "Opportunities" in page.text
                assert not [each for each in sent if each.startswith("INSERT INTO saved_state")]
                for reload in soon:
                    reload()
                await eventually(lambda: [each for each in sent if each.startswith("INSERT INTO saved_state")])
            await page.follow("/dashboard/category")
            for reload in soon:
                reload()
            await eventually(lambda: described(page, "/dashboard/nih") == "")


class TestTrainings:
    async def test_are_counted_while_they_wait_or_run(self, open_page: Open, committed: Core, ada: Actor) -> None:
        async with open_page("/dashboard/category", actor=ada) as page:
            assert described(page, "/dashboard/train") == ""
        async with committed.database.transaction() as session:
            await committed.jobs.enqueue(session, TrainDocuments(run_id=uuid4()), title="Train", owner_id=ada.id)
        async with open_page("/dashboard/category", actor=ada) as page:
            assert described(page, "/dashboard/train") == "1 running"

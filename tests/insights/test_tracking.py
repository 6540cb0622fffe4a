from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs

from fundwright.accounts.schemas import Actor
from fundwright.core.assembly import Core
from fundwright.core.errors import DatabaseAway
from fundwright.insights import service, tracking
from fundwright.insights.schemas import PagesQuery, Viewed
from fundwright.insights.tracking import Batches, Tracker
from tests.support.polling import eventually


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracking, "_PAUSE_S", 0.02)


async def seen(core: Core, root: Actor) -> list[tuple[str, int, int]]:
    async with core.database.transaction() as session:
        found = await service.list_pages(session, root, PagesQuery())
    return [(page.path, page.views, page.people) for page in found.items]


@asynccontextmanager
async def analytics(*, status: int = 200) -> AsyncIterator[tuple[str, list[Any]]]:
    """A service that accepts JSON by POST: its address, and the received objects."""
    told: list[Any] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        told.append(json.loads(await reader.readexactly(length)))
        writer.write(f"HTTP/1.1 {status} Said\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/collect", told


class TestTheStore:
    async def test_views_are_written_in_the_background(self, committed: Core, root: Actor, hasty: None) -> None:
        tracker = Tracker(committed)
        tracker.record("/dashboard/train", root, "en")
        tracker.record("/dashboard/train", None, "de")
        assert await eventually(lambda: seen(committed, root)) == [("/dashboard/train", 2, 1)]

    async def test_closing_writes_what_waits(self, committed: Core, root: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tracking, "_PAUSE_S", 3_600)
        tracker = Tracker(committed)
        tracker.record("/dashboard/train", root, "en")
        await tracker.close()
        assert await seen(committed, root) == [("/dashboard/train", 1, 1)]


class TestBatches:
    async def test_hands_on_what_came_together(self, hasty: None) -> None:
        handed: list[int] = []

        async def write(views: Sequence[Viewed]) -> None:
            handed.append(len(views))

        batches = Batches("test", write)
        for _ in range(3):
            batches.add(view())
        await batches.close()
        batches.add(view())
        await batches.close()
        assert handed == [3, 1]

    async def test_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tracking, "_MAX_WAITING", 2)
        handed: list[int] = []

        async def write(views: Sequence[Viewed]) -> None:
            handed.append(len(views))

        batches = Batches("test", write)
        for _ in range(5):
            batches.add(view())
        await batches.close()
        assert handed == [2]

    async def test_a_failure_is_logged_once_until_it_works_again(self, hasty: None) -> None:
        is_away = iter((True, True, False, True))

        async def write(_views: Sequence[Viewed]) -> None:
            if next(is_away):
                raise DatabaseAway

        batches = Batches("store", write)
        with capture_logs() as logs:
            for _ in range(4):
                batches.add(view())
                await batches.close()
        assert [line["to"] for line in logs] == ["store", "store"]


class TestAnalytics:
    async def test_receives_only_the_path(self, committed: Core, root: Actor) -> None:
        async with analytics() as (url, told):
            set_analytics(committed, url)
            tracker = Tracker(committed)
            tracker.record("/dashboard/sam/{id}", root, "en")
            await tracker.close()
        assert told == [{"page_path": "/dashboard/sam/{id}"}]
        assert await seen(committed, root) == [("/dashboard/sam/{id}", 1, 1)]

    async def test_that_refuses_costs_the_store_nothing(self, committed: Core, root: Actor) -> None:
        async with analytics(status=500) as (url, _):
            set_analytics(committed, url)
            tracker = Tracker(committed)
            with capture_logs() as logs:
                tracker.record("/a", root, "en")
                tracker.record("/b", root, "en")
                await tracker.close()
        assert [(line["event"], line["to"]) for line in logs] == [("insights.views_lost", "analytics")]
        assert len(await seen(committed, root)) == 2


def view() -> Viewed:
    return Viewed(path="/a", at=tracking.now(), account_id=None, language="en")


def set_analytics(core: Core, url: str) -> None:
    object.__setattr__(core, "settings", core.settings.model_copy(update={"analytics_url": url}))

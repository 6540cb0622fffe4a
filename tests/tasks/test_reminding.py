"""Members are reminded of their tasks once on the day before and once when they are overdue, in their own time zones."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import DatabaseAway
from fundwright.notifications.schemas import NotificationKind
from fundwright.tasks import reminding, repository, service
from fundwright.tasks.models import Task
from tests.support.scopes import INSTALLATION
from tests.support.teams import Team
from tests.tasks.test_service import add, change, complete, told

pytestmark = pytest.mark.security(49)

NEW_YORK = {"summer ends": date(2026, 11, 1), "summer begins": date(2027, 3, 14)}
"""Days of 25 and of 23 hours."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


class Clock:
    """The time of the reminders and of the service, and the kinds of reminders that were sent."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = datetime(2026, 11, 27, 15, tzinfo=UTC)
        self.sent = list[str]()
        tell = service.tell

        async def recorded(session: AsyncSession, kind: NotificationKind, task: Task, **more: Any) -> None:
            await tell(session, kind, task, **more)
            if more["actor"] is None:
                self.sent.append(kind.key)

        patch.setattr(service, "tell", recorded)
        for module in (reminding, service):
            patch.setattr(module, "now", lambda: self.now)

    async def tell(self, team: Team, *, days: int = 0, hours: int = 0) -> None:
        self.now += timedelta(days=days, hours=hours)
        for _ in range(2):
            await reminding.remind(team.core)


async def live_in(team: Team, zone: str) -> None:
    async with team.core.database.transaction(scope=INSTALLATION) as session:
        await session.execute(text("UPDATE account SET time_zone = :zone WHERE id = :id"), {"zone": zone, "id": team.bob.id})


async def test_the_assignee_is_told_once_the_day_before_and_once_when_it_is_overdue(team: Team, clock: Clock) -> None:
    await add(team, assignee_id=team.bob.id, due_on="2026-12-01")
    await clock.tell(team, days=2)
    assert await told(team, team.bob) == ["Ada assigned the task “Price it” to you"]
    await clock.tell(team, days=1)
    assert await told(team, team.bob) == ["Task due tomorrow: “Price it”"]
    await clock.tell(team, days=1)
    assert await told(team, team.bob) == ["Task due tomorrow: “Price it”"]
    await clock.tell(team, days=1)
    assert await told(team, team.bob) == ["Task overdue: “Price it”"]
    await clock.tell(team, days=5)
    assert await told(team, team.bob) == ["Task overdue: “Price it”"]
    assert clock.sent == ["task.due", "task.overdue"]
    assert await told(team, team.ada) == []


async def test_nobody_is_told_of_done_and_unassigned_tasks(team: Team, clock: Clock) -> None:
    await add(team, due_on="2026-11-29")
    await complete(team, team.bob, await add(team, assignee_id=team.bob.id, due_on="2026-11-29"))
    await clock.tell(team, days=5)
    assert await told(team, team.bob) == await told(team, team.ada) == []


async def test_whoever_was_not_told_in_time_is_told_on_the_day(team: Team, clock: Clock) -> None:
    await add(team, assignee_id=team.bob.id, due_on="2026-12-01")
    await clock.tell(team, days=4)
    assert await told(team, team.bob) == ["Task due today: “Price it”"]


@pytest.mark.parametrize(
    ("hours", "title"),
    [(24 * 2 + 12, None), (24 * 3 + 12, "Task due today: “Price it”"), (24 * 4 + 12, "Task overdue: “Price it”")],
    ids=["day before", "day", "day after"],
)
async def test_whoever_is_told_late_before_seven_is_told_what_is_true_then(
    team: Team, clock: Clock, hours: int, title: str | None
) -> None:
    await live_in(team, "UTC")
    await add(team, assignee_id=team.bob.id, due_on="2026-12-01")
    await clock.tell(team, hours=hours)
    assert await told(team, team.bob) == [title or "Ada assigned the task “Price it” to you"]


async def test_another_due_date_is_told_of_anew_and_one_that_is_near_already_is_not(team: Team, clock: Clock) -> None:
    task = await add(team, assignee_id=team.bob.id, due_on="2026-11-28")
    await clock.tell(team)
    assert await told(team, team.bob) == ["Ada assigned the task “Price it” to you"]
    await change(team, team.bob, task, due_on="2026-12-10")
    await clock.tell(team, days=12)
    assert await told(team, team.bob) == ["Task due tomorrow: “Price it”"]


@pytest.mark.parametrize("due", NEW_YORK.values(), ids=NEW_YORK)
async def test_days_begin_at_seven_where_the_member_is_also_when_clocks_change(team: Team, clock: Clock, due: date) -> None:
    await live_in(team, "America/New_York")
    before = datetime(due.year, due.month, due.day, tzinfo=UTC) - timedelta(days=3)
    clock.now = before
    await add(team, assignee_id=team.bob.id, due_on=due)
    clock.now = before
    moments = list[datetime]()
    for _hour in range(24 * 5):
        await reminding.remind(team.core)
        moments += [clock.now] * (len(clock.sent) - len(moments))
        clock.now += timedelta(hours=1)
    at = [moment.astimezone(reminding.ZoneInfo("America/New_York")) for moment in moments]
    assert [(each.date(), each.hour) for each in at] == [(due - timedelta(days=1), 7), (due + timedelta(days=1), 7)]
    assert await told(team, team.bob) == ["Task overdue: “Price it”"]


async def test_four_workers_tell_once(team: Team, clock: Clock) -> None:
    await add(team, assignee_id=team.bob.id, due_on="2026-12-01")
    clock.now += timedelta(days=3)
    await asyncio.gather(*(reminding.remind(team.core) for _ in range(4)))
    assert await told(team, team.bob) == ["Task due tomorrow: “Price it”"]
    assert clock.sent == ["task.due"]


async def test_a_worker_that_is_killed_tells_nothing_and_the_next_one_everything(
    team: Team, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add(team, assignee_id=team.bob.id, due_on="2026-12-01")
    tell = service.tell

    async def dies(*given: Any, **more: Any) -> None:
        await tell(*given, **more)
        raise DatabaseAway

    clock.now += timedelta(days=3)
    with monkeypatch.context() as patch:
        patch.setattr(service, "tell", dies)
        with pytest.raises(DatabaseAway):
            await reminding.remind(team.core)
    assert await told(team, team.bob) == ["Ada assigned the task “Price it” to you"]
    await clock.tell(team)
    assert await told(team, team.bob) == ["Task due tomorrow: “Price it”"]


async def test_a_member_who_cannot_be_told_keeps_nobody_waiting(
    team: Team, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for member in (team.bob, team.rae):
        await add(team, title=member.name, assignee_id=member.id, due_on="2026-12-01")
    async with team.core.database.transaction(scope=INSTALLATION) as session:
        await session.execute(text("UPDATE account SET disabled_at = now() WHERE id = :id"), {"id": team.bob.id})
        assert len(await repository.list_assigned(session, date(2026, 12, 1))) == 2
    await clock.tell(team, days=3)
    assert await told(team, team.rae) == ["Task due tomorrow: “Rae”"]

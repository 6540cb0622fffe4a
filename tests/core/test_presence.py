"""Processes know who has something open in the others, and notice when one of them is gone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

from fundwright.core import presence as module
from fundwright.core.database import Database
from fundwright.core.errors import DatabaseAway
from fundwright.core.live import LiveBus
from fundwright.core.presence import Presence, Present, Visit
from tests.support.polling import eventually

ANA, BEN = Present("Ana", uuid4()), Present("Ben", uuid4())
SUBJECT = "draft:1"


class Process:
    """One process of an installation."""

    def __init__(self, bus: LiveBus, presence: Presence) -> None:
        self.bus, self.presence = bus, presence

    async def kill(self) -> None:
        """It ends without a word."""
        self.presence._stop_beating()
        await self.bus.close()


class _Away:
    """A database that cannot be reached."""

    def transaction(self, **_: object) -> None:
        raise DatabaseAway


@pytest.fixture
async def process(database_url: str) -> AsyncIterator[Callable[[], Awaitable[Process]]]:
    database, started = Database(database_url), list[Process]()

    async def start() -> Process:
        bus = LiveBus(database_url)
        await bus.start()
        started.append(Process(bus, Presence(database, bus, beat_s=0.02, lease_s=0.15)))
        return started[-1]

    yield start
    for each in started:
        await each.presence.close()
        await each.bus.close()
    await database.close()


async def both_there(one: Visit, other: Visit) -> None:
    await eventually(lambda: one.others and other.others)


async def test_people_see_each_other_across_processes_and_whoever_leaves_is_gone(process: Any) -> None:
    first, second = await process(), await process()
    ana = first.presence.visit(SUBJECT, ANA)
    ben = second.presence.visit(SUBJECT, BEN)
    await both_there(ana, ben)
    assert (ana.others, ben.others) == ((BEN,), (ANA,))
    ben.leave()
    await eventually(lambda: not ana.others)
    assert ben.others == ()


async def test_only_ids_names_and_the_place_are_sent(process: Any) -> None:
    first, messages = await process(), list[dict[str, Any]]()
    with first.bus.subscribed(f"presence:{SUBJECT}", messages.append):
        visit = first.presence.visit(SUBJECT, ANA)
        visit.update(Present("Ana", ANA.id, "section"))
        visit.leave()
        await eventually(lambda: len(messages) == 3)
    assert {key for message in messages for key in message} == {"visit", "host", "id", "name", "place", "asks"}
    assert set(messages[-1]) == {"visit", "host"}


async def test_nobody_sees_their_own_other_tabs_or_other_subjects(process: Any) -> None:
    first = await process()
    tabs = [first.presence.visit(SUBJECT, ANA) for _ in range(2)]
    elsewhere = first.presence.visit("draft:2", BEN)
    here = first.presence.visit(SUBJECT, BEN)
    await eventually(lambda: tabs[0].others and tabs[1].others and here.others)
    assert [each.others for each in (*tabs, here, elsewhere)] == [(BEN,), (BEN,), (ANA,), ()]


async def test_a_place_is_announced_to_those_who_watch(process: Any) -> None:
    first, second, changes = await process(), await process(), list[int]()
    ana, ben = first.presence.visit(SUBJECT, ANA), second.presence.visit(SUBJECT, BEN)
    await both_there(ana, ben)
    end = ana.watch(lambda: changes.append(1))
    ben.update(Present("Ben", BEN.id, "section"))
    await eventually(lambda: changes)
    assert [each.place for each in ana.others] == ["section"]
    end()
    ben.leave()
    await eventually(lambda: not ana.others)
    assert changes == [1]


async def test_the_visits_of_a_killed_process_end_with_its_lease_and_those_of_a_running_one_do_not(process: Any) -> None:
    first, second, third = await process(), await process(), await process()
    ana, ben = first.presence.visit(SUBJECT, ANA), second.presence.visit(SUBJECT, BEN)
    eve = third.presence.visit(SUBJECT, Present("Eve", uuid4()))
    await eventually(lambda: len(ana.others) == 2 and len(ben.others) == 2 and len(eve.others) == 2)
    await second.kill()
    await eventually(lambda: len(ana.others) == 1)
    beats: list[object] = []
    with third.bus.subscribed("presence", beats.append):
        await eventually(lambda: len(beats) > 12)  # longer than a lease
    assert ana.others == (eve.who,) and eve.others == (ANA,)


async def test_a_process_that_was_silent_for_longer_than_its_lease_is_shown_again(
    process: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await process(), await process()
    ana, ben = first.presence.visit(SUBJECT, ANA), second.presence.visit(SUBJECT, BEN)
    await both_there(ana, ben)
    beats: list[object] = []
    with first.bus.subscribed("presence", beats.append):
        await eventually(lambda: len(beats) > 4)  # all answers have arrived
    with monkeypatch.context() as patch:
        patch.setattr(second.presence, "_database", _Away())
        patch.setattr(module, "_RETRY_S", 0.01)
        await eventually(lambda: not ana.others)
    await both_there(ana, ben)


async def test_people_alone_cost_no_messages(process: Any) -> None:
    first, beats = await process(), list[object]()
    with first.bus.subscribed("presence", beats.append):
        visit = first.presence.visit(SUBJECT, ANA)
        first.presence._beat()
        visit.update(Present("Ana", ANA.id, "section"))
        ben = first.presence.visit(SUBJECT, BEN)
        await eventually(lambda: ben.others and ben.others[0].place)
        first.presence._beat()
        ben.leave()
        await eventually(lambda: not visit.others)
    assert beats == []


async def test_a_page_without_a_connection_is_gone_after_a_moment_and_back_with_it(
    process: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await process()
    ana, ben = first.presence.visit(SUBJECT, ANA), first.presence.visit(SUBJECT, BEN)
    await both_there(ana, ben)
    ben.set_reachable(False)
    ben.set_reachable(True)
    assert ana.others == (BEN,)
    monkeypatch.setattr(module, "_GRACE_S", 0.01)
    ben.set_reachable(False)
    await eventually(lambda: not ana.others)
    ben.set_reachable(True)
    await eventually(lambda: ana.others)


async def test_after_messages_were_lost_everyone_is_announced_again(process: Any) -> None:
    first, second, ends = await process(), await process(), list[tuple[Present, ...]]()
    ana, ben = first.presence.visit(SUBJECT, ANA), second.presence.visit(SUBJECT, BEN)
    await both_there(ana, ben)
    ana.watch(lambda: ends.append(ana.others))
    first.bus._deliver(ana.topic, {})
    assert ends == [()]
    await both_there(ana, ben)

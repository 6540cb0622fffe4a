"""Turns: one account cannot hold all slots, and a free slot goes to whoever holds the fewest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from fundwright.core.turns import Turns

pytestmark = pytest.mark.security(53)


@asynccontextmanager
async def started(turns: Turns, *accounts: str) -> AsyncIterator[tuple[list[str], list[asyncio.Task[None]]]]:
    """Tasks that hold a slot until they are canceled, and the accounts of those that got one."""
    got: list[str] = []

    async def hold(account: str) -> None:
        async with turns.turn(account):
            got.append(account)
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(hold(account)) for account in accounts]
    await asyncio.sleep(0)
    async with AsyncExitStack() as stack:
        stack.callback(lambda: [task.cancel() for task in tasks])
        yield got, tasks
    await asyncio.wait(tasks)


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
    await asyncio.sleep(0)


class TestTurn:
    async def test_one_account_holds_no_more_than_its_share(self) -> None:
        async with started(Turns(3, each=2), "a", "a", "a", "b", "c") as (got, _):
            assert got == ["a", "a", "b"]

    async def test_a_free_slot_goes_to_whoever_holds_the_fewest(self) -> None:
        async with started(Turns(3, each=2), "a", "a", "b", "b", "c") as (got, tasks):
            await _cancel(tasks[2])
            assert got == ["a", "a", "b", "b"], "before c, who came later and holds as few"
            await _cancel(tasks[0])
            assert got[-1] == "c"

    async def test_the_last_slots_are_for_whoever_holds_few(self) -> None:
        turns = Turns(8, each=4, reserved=4)
        async with started(turns, *"aaaa", *"bbbb", *"cccc") as (got, tasks):
            assert got == [*"aaaa", *"bb", *"cc"]
            await _cancel(tasks[4])
            assert got[8:] == ["b"], "which holds as many again"
            await _cancel(tasks[0])
            assert got[9:] == [], "which is reserved, and all hold half of what they may"

    async def test_whoever_stops_waiting_takes_nothing(self) -> None:
        turns = Turns(1, each=1)
        async with started(turns, "a", "a", "b") as (got, tasks):
            await _cancel(tasks[1])
            await _cancel(tasks[0])
            assert got == ["a", "b"]

    async def test_a_slot_given_to_a_task_that_is_canceled_at_that_moment_is_not_lost(self) -> None:
        turns = Turns(1, each=1)
        async with started(turns, "a", "b", "c") as (got, tasks):
            tasks[0].cancel()
            await asyncio.sleep(0)  # its slot is granted to b, whose task has not continued
            tasks[1].cancel()
            await asyncio.wait(tasks[:2])
            await asyncio.sleep(0)
            assert got[-1] == "c"


class TestBriefTurn:
    @staticmethod
    async def hold(turns: Turns, account: str, ended: list[str]) -> None:
        try:
            async with turns.brief_turn(account, seconds=0):
                await asyncio.Event().wait()
        except TimeoutError:
            ended.append(account)

    async def test_one_that_lasts_ends_when_another_account_waits(self) -> None:
        turns, ended = Turns(2, each=1), list[str]()
        async with asyncio.TaskGroup() as tasks:
            held = [tasks.create_task(self.hold(turns, account, ended)) for account in "ab"]
            for _ in range(5):
                await asyncio.sleep(0)
            assert ended == [], "as long as nobody waits"
            async with asyncio.timeout(20), turns.turn("c"):
                assert ended == ["a"]
            for task in held:
                task.cancel()

    async def test_nobody_ends_the_turns_of_others_by_waiting_for_a_second_one(self) -> None:
        turns, ended = Turns(2, each=1), list[str]()
        async with asyncio.TaskGroup() as tasks:
            held = [tasks.create_task(self.hold(turns, account, ended)) for account in "abbb"]
            for _ in range(5):
                await asyncio.sleep(0)
            assert ended == []
            for task in held:
                task.cancel()

    async def test_one_that_has_just_begun_goes_on(self) -> None:
        turns = Turns(1, each=1)
        async with turns.brief_turn("a", seconds=3_600):
            waiting = asyncio.create_task(turns.take("b"))
            await asyncio.sleep(0)
            assert not waiting.done()
        await waiting

"""Whoever opens many pages at once does not hold up everybody else."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from fundwright_ui.runtime import turns
from fundwright_ui.runtime.turns import Owner, Turns
from tests.ui_runtime.conftest import Crowd, Server

MANY = 12
ONE, ANOTHER = Owner(uuid4(), None), Owner(uuid4(), None)


async def open_page(server: Server) -> None:
    async with server.socket() as client:
        await client.hello("/crowd")


@pytest.fixture
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, a turn ends only when its page is made."""
    monkeypatch.setattr(turns, "_LONGEST_TURN_S", 600)


@pytest.mark.usefixtures("no_limit")
async def test_a_few_pages_of_one_owner_are_made_at_once(server: Server) -> None:
    Crowd.most = 0
    async with asyncio.TaskGroup() as pages:
        for _ in range(MANY):
            pages.create_task(open_page(server))
    assert 0 < Crowd.most <= 2


@pytest.mark.usefixtures("no_limit")
async def test_so_are_documents(server: Server) -> None:
    Crowd.most = 0
    answers = await asyncio.gather(*(server.get("/crowd") for _ in range(MANY)))
    assert [answer.status_code for answer in answers] == [200] * MANY
    assert 0 < Crowd.most <= 2


@pytest.mark.usefixtures("no_limit")
async def test_others_do_not_wait_for_it() -> None:
    places = Turns()
    first, _second = await places.take(ONE), await places.take(ONE)
    third = asyncio.create_task(places.take(ONE))
    await asyncio.sleep(0)
    await places.take(ANOTHER)
    assert not third.done()
    first.end()
    first.end()  # a second time frees no second place
    await third
    fourth = asyncio.create_task(places.take(ONE))
    await asyncio.sleep(0)
    assert not fourth.done()
    fourth.cancel()


async def test_a_turn_ends_by_itself() -> None:
    places = Turns()
    for _ in range(3):
        await places.take(ONE)


@pytest.mark.security(33)
async def test_no_visitor_takes_all_turns_of_an_address() -> None:
    places = Turns()
    greedy, other, third = (Owner("198.51.100.7", visitor) for visitor in ("greedy", "other", "third"))
    await places.take(greedy)
    waiting = asyncio.create_task(places.take(greedy))
    await asyncio.sleep(0)
    await places.take(other)
    assert not waiting.done()
    last = asyncio.create_task(places.take(third))
    await asyncio.sleep(0)
    assert not last.done(), "another cookie gives an address no more turns"
    waiting.cancel()
    last.cancel()


async def test_who_stops_waiting_keeps_no_turn() -> None:
    places = Turns()
    one, other, third = (Owner("198.51.100.7", visitor) for visitor in ("one", "other", "third"))
    first, _second = await places.take(one), await places.take(other)
    waiting = asyncio.create_task(places.take(third))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait((waiting,))
    first.end()
    await places.take(third)

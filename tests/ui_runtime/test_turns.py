"""Whoever opens many pages at once does not hold up everybody else."""

from __future__ import annotations

import asyncio

import pytest

from fundwright_ui.runtime import turns
from fundwright_ui.runtime.turns import Turns
from tests.ui_runtime.conftest import Crowd, Server

MANY = 12


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
    first, _second = await places.take("one"), await places.take("one")
    third = asyncio.create_task(places.take("one"))
    await asyncio.sleep(0)
    await places.take("another")
    assert not third.done()
    first.end()
    first.end()  # a second time frees no second place
    await third
    fourth = asyncio.create_task(places.take("one"))
    await asyncio.sleep(0)
    assert not fourth.done()
    fourth.cancel()


async def test_a_turn_ends_by_itself() -> None:
    places = Turns()
    for _ in range(3):
        await places.take("one")

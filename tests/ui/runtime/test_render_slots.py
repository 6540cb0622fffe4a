"""A person who opens many pages at the same time, or is busy on many, does not delay others."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from types import SimpleNamespace
from uuid import uuid4

import pytest
from starlette.requests import HTTPConnection

from fundwright.core.assembly import Core
from fundwright.core.turns import Turns
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime import render_slots
from fundwright_ui.runtime.render_slots import Allowances, Owner, RenderSlot, RenderSlots, owner_of
from tests.support.polling import eventually
from tests.ui.runtime import conftest
from tests.ui.runtime.conftest import Crowd, Server, Slow

MANY = 12
ONE, ANOTHER = Owner(uuid4(), None), Owner(uuid4(), None)


async def open_page(server: Server) -> None:
    async with server.socket() as client:
        await client.hello("/crowd")


@pytest.fixture
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, a slot is released only when its page is rendered."""
    monkeypatch.setattr(render_slots, "_SLOT_TIMEOUT_S", 600)
    monkeypatch.setattr(render_slots, "_TURN_TIMEOUT_S", 600)


@pytest.mark.usefixtures("no_limit")
async def test_a_few_pages_of_one_owner_are_rendered_at_once(server: Server) -> None:
    Crowd.most = 0
    async with asyncio.TaskGroup() as pages:
        for _ in range(MANY):
            pages.create_task(open_page(server))
    assert 0 < Crowd.most <= 2


@pytest.mark.usefixtures("no_limit")
async def test_a_few_documents_of_one_owner_are_rendered_at_once(server: Server) -> None:
    Crowd.most = 0
    answers = await asyncio.gather(*(server.get("/crowd") for _ in range(MANY)))
    assert [answer.status_code for answer in answers] == [200] * MANY
    assert 0 < Crowd.most <= 2


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Slow:
    fresh = Slow()
    monkeypatch.setattr(conftest, "slow_work", fresh)
    return fresh


@pytest.mark.usefixtures("no_limit")
@pytest.mark.security(33, 53)
async def test_events_of_all_pages_of_an_account_take_turns(server: Server, work: Slow) -> None:
    """A person with many busy pages holds up their own, and nobody else's."""
    await server.add_account("bob@example.org")
    own, others = await server.sign_in(), await server.sign_in("bob@example.org")
    async with AsyncExitStack() as stack:
        busy = [await stack.enter_async_context(server.socket(token=own)) for _ in range(4)]
        for page in busy:
            await page.hello("/waiting")
            await page.press("wait0")
        await eventually(lambda: work.running == 2)
        other = await stack.enter_async_context(server.socket(token=others))
        await other.hello("/waiting")
        await other.click("add")
        assert other.text.endswith("count 1")
        await other.go("/public")
        assert work.running == 2
        work.gate.set()
        await eventually(lambda: len(work.ended) == 4)
        await busy[0].click("add")


@pytest.mark.security(33)
async def test_a_slow_handler_holds_up_its_other_pages_only_for_a_moment(server: Server, work: Slow) -> None:
    token = await server.sign_in()
    async with AsyncExitStack() as stack:
        for _ in range(4):
            page = await stack.enter_async_context(server.socket(token=token))
            await page.hello("/waiting")
            await page.press("wait0")
        await eventually(lambda: work.running == 4)
        work.gate.set()


@pytest.mark.security(33)
async def test_frames_of_all_pages_of_an_owner_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_slots, "_MAX_FRAMES_PER_S", 3)
    monkeypatch.setattr(render_slots, "_MAX_EXCESS_FRAMES", 4)
    allowances = Allowances()
    first, second, another = allowances.of(ONE), allowances.of(ONE), allowances.of(ANOTHER)
    assert [(first.count(), second.is_used_up) for _ in range(6)] == [(True, False)] * 3 + [(True, True)] * 3
    assert [second.count() for _ in range(3)] == [True, False, False]
    assert another.count()
    assert not another.is_used_up


@pytest.mark.usefixtures("no_limit")
async def test_other_owners_do_not_wait() -> None:
    slots = RenderSlots()
    first, _second = await slots.acquire(ONE), await slots.acquire(ONE)
    third = asyncio.create_task(slots.acquire(ONE))
    await asyncio.sleep(0)
    await slots.acquire(ANOTHER)
    assert not third.done()
    first.release()
    first.release()  # a second time releases no second slot
    await third
    fourth = asyncio.create_task(slots.acquire(ONE))
    await asyncio.sleep(0)
    assert not fourth.done()
    fourth.cancel()


async def test_a_slot_expires() -> None:
    slots = RenderSlots()
    for _ in range(3):
        await slots.acquire(ONE)


@pytest.mark.usefixtures("no_limit")
async def test_few_owners_are_served_at_once() -> None:
    """Pages that open at the same time after a restart are ready one after the other, rather than all at the end."""
    slots = RenderSlots(Turns(2, each=1))
    first, _second = await slots.acquire(ONE), await slots.acquire(ANOTHER)
    third = asyncio.create_task(slots.acquire(Owner(uuid4(), None)))
    await asyncio.sleep(0)
    assert not third.done()
    first.release()
    await third


@pytest.mark.usefixtures("no_limit")
async def test_visitors_and_painted_pages_wait_for_no_turn() -> None:
    slots = RenderSlots(Turns(1, each=1))
    await slots.acquire(ONE)
    async with asyncio.timeout(5):
        for visitor in ("one", "other"):
            await slots.acquire(Owner("198.51.100.7", visitor))
        await slots.acquire(ANOTHER, is_painted=True)


@pytest.mark.security(53)
@pytest.mark.parametrize("address", ["2001:db8:0:1::7", "2001:db8:0:1::8"])
async def test_the_addresses_of_one_customer_are_one_owner(committed: Core, address: str) -> None:
    scope = {"type": "http", "headers": [], "client": (address, 1), "app": SimpleNamespace(state=SimpleNamespace(core=committed))}
    owner = owner_of(ProductHost(committed), None, HTTPConnection(scope))
    other = {**scope, "client": ("2001:db8:0:1::9", 1)}
    assert owner == owner_of(ProductHost(committed), None, HTTPConnection(other))
    assert owner != owner_of(ProductHost(committed), None, HTTPConnection({**scope, "client": ("2001:db8:0:2::9", 1)}))


async def test_a_turn_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_slots, "_TURN_TIMEOUT_S", 0.05)
    slots = RenderSlots(Turns(1, each=1))
    await slots.acquire(ONE)
    async with asyncio.timeout(5):
        await slots.acquire(ANOTHER)


async def all_wait() -> None:
    """Let every task go on until it waits for another one."""
    for _ in range(MANY):
        await asyncio.sleep(0)


@pytest.mark.security(53)
async def test_owners_with_pages_that_wait_leave_turns_to_others(committed: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of their pages wait for slow queries."""
    monkeypatch.setattr(render_slots, "_SLOT_TIMEOUT_S", 0)
    monkeypatch.setattr(render_slots, "_TURN_TIMEOUT_S", 600)
    slots = RenderSlots(ProductHost(committed).page_turns)
    hostile = [Owner(uuid4(), None) for _ in range(3)]
    waiting = [asyncio.create_task(slots.acquire(owner)) for owner in hostile for _ in range(4)]
    await all_wait()
    other = asyncio.create_task(slots.acquire(ONE))
    await all_wait()
    assert other.done()
    for each in waiting:
        each.cancel()


class Line:
    """Pages wait in it until the gate is open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.gate = asyncio.Event()
        self.has_left = False
        acquire = RenderSlots.acquire

        async def acquire_later(slots: RenderSlots, owner: Owner, **options: bool) -> RenderSlot:
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.has_left = True
                raise
            return await acquire(slots, owner, **options)

        monkeypatch.setattr(RenderSlots, "acquire", acquire_later)
        monkeypatch.setattr("fundwright_ui.runtime.socket.KEEP_ALIVE_S", 0.05)


async def test_a_page_that_waits_hears_that_its_turn_will_come(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(monkeypatch)
    async with server.socket() as page:
        await page.websocket.send(json.dumps({"type": "hello", "path": "/public", "hash": None}))
        await page.until("pong")
        line.gate.set()
        await page.until("mount")


async def test_a_page_that_is_left_does_not_wait_any_longer(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(monkeypatch)
    async with server.socket() as page:
        await page.websocket.send(json.dumps({"type": "hello", "path": "/public", "hash": None}))
        await page.until("pong")
    await eventually(lambda: line.has_left)


@pytest.mark.security(33)
async def test_no_visitor_holds_all_slots_of_an_address() -> None:
    slots = RenderSlots()
    greedy, other, third = (Owner("198.51.100.7", visitor) for visitor in ("greedy", "other", "third"))
    await slots.acquire(greedy)
    waiting = asyncio.create_task(slots.acquire(greedy))
    await asyncio.sleep(0)
    await slots.acquire(other)
    assert not waiting.done()
    last = asyncio.create_task(slots.acquire(third))
    await asyncio.sleep(0)
    assert not last.done(), "another cookie gives an address no more slots"
    waiting.cancel()
    last.cancel()


async def test_a_canceled_wait_holds_no_slot() -> None:
    slots = RenderSlots()
    one, other, third = (Owner("198.51.100.7", visitor) for visitor in ("one", "other", "third"))
    first, _second = await slots.acquire(one), await slots.acquire(other)
    waiting = asyncio.create_task(slots.acquire(third))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait((waiting,))
    first.release()
    await slots.acquire(third)

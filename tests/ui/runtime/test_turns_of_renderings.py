"""A rendering lets others take their turns between components, and shows one address although a handler moves the page meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context

import pytest
from reactpy import component, html

from fundwright.accounts.schemas import Client
from fundwright.core.assembly import Core
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.connection import Connection
from fundwright_ui.runtime.layout import GuardedLayout
from fundwright_ui.runtime.router import Found, Location, Screen
from fundwright_ui.runtime.view import View

pytestmark = pytest.mark.security(53)

_PARTS = 20
_PART_S = 0.005


@component
def _part(number: int) -> object:
    end = time.perf_counter() + _PART_S
    while time.perf_counter() < end:
        pass
    return html.p(str(number))


@component
def _page() -> object:
    return html.div(*(_part(number, key=str(number)) for number in range(_PARTS)))


class TestLayout:
    async def test_lets_others_take_their_turns(self) -> None:
        passes = 0

        async def other() -> None:
            nonlocal passes
            while True:
                passes += 1
                await asyncio.sleep(0)

        async with GuardedLayout(_page()) as layout:
            others = asyncio.create_task(other())
            await layout.render()
            others.cancel()
        assert passes >= _PARTS // 2

    async def test_is_canceled_once_it_has_rendered_everything(self) -> None:
        ended = list[str]()

        @contextmanager
        def rendering() -> Iterator[None]:
            yield
            ended.append("whole")

        async with GuardedLayout(_page(), rendering=rendering) as layout:
            rendered = asyncio.create_task(layout.render())
            await asyncio.sleep(2 * _PART_S)
            rendered.cancel()
            await asyncio.wait((rendered,))
            assert rendered.cancelled()
            assert ended == ["whole"]


class TestView:
    async def test_that_is_canceled_while_it_is_entered_leaves_nothing_open(self, core: Core) -> None:
        closed = list[str]()

        @component
        def screen() -> object:
            use_connection().on_close(lambda: closed.append("closed"))
            return _page()

        location = Location("/here")
        connection = Connection(core, None, client=Client(address=""), location=location, is_live=True)
        view = View(connection, Found(Screen("/here", "Here", screen, area="public"), location), lambda _area, shown: shown)
        entered = asyncio.create_task(view.__aenter__())
        await asyncio.sleep(2 * _PART_S)
        entered.cancel()
        await asyncio.wait((entered,))
        assert entered.cancelled()
        assert closed == ["closed"]

    @pytest.mark.parametrize(("within_s", "is_held"), [(60.0, True), (0.0, False)])
    async def test_that_renders_for_long_sends_what_there_is(
        self, core: Core, monkeypatch: pytest.MonkeyPatch, within_s: float, is_held: bool
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.view._RENDERED_WITHIN_S", within_s)
        found = Found(Screen("/here", "Here", _page, area="public"), Location("/here"))
        connection = Connection(core, None, client=Client(address=""), location=found.location, is_live=True)
        async with View(connection, found, lambda _area, shown: shown) as view:
            assert not view.holds_back()
            view.move(found)
            assert view.holds_back() == is_held


class TestLocation:
    async def test_stays_the_same_for_what_is_rendered_while_a_handler_moves_the_page(self, core: Core) -> None:
        here, there = Location("/here", {}, {}), Location("/there", {}, {})
        connection = Connection(core, None, client=Client(address=""), location=here, is_live=True)

        async def move() -> Location:
            connection.move_to(there)
            return connection.location

        async def look() -> Location:
            return connection.location

        with connection.rendering():
            connection.title = "Here"
            started = asyncio.create_task(look())
            moved = await asyncio.create_task(move(), context=Context())
            assert (moved, connection.location) == (there, here)
            assert await started == here
            later = asyncio.create_task(look())
        assert connection.location == await later == there
        assert connection.title is None

"""What blocks the event loop fails the test in which it happens."""

import asyncio
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
from reactpy import component, html
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.assembly import Core
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.runtime.testing import mounted
from fundwright_ui.ui import button
from tests.blocking import blocking_calls
from tests.conftest import pytest_runtest_call


@component
def careless_screen() -> Any:
    async def doze() -> None:
        time.sleep(0.01)

    async def read() -> None:
        with Path(__file__).open() as file:
            file.read()

    async def ask() -> None:
        psycopg.connect("host=/nowhere")

    async def rest() -> None:
        await asyncio.to_thread(time.sleep, 0.01)

    deeds = {
        "Doze": use_action(doze, in_transaction=False),
        "Read": use_action(read, in_transaction=False),
        "Ask": use_action(ask, in_transaction=False),
        "Rest": use_action(rest, in_transaction=False),
    }
    return html.main([button(name, on_click=deed, key=name) for name, deed in deeds.items()])


@component
def slow_screen() -> Any:
    async def read(_session: AsyncSession) -> None:
        time.sleep(0.01)

    return html.main(use_query(read).error)


@pytest.mark.pain(9)
class TestBlockingCall:
    async def test_of_a_handler_fails_the_test_though_the_screen_shows_a_toast(self, core: Core) -> None:
        guard = pytest_runtest_call()
        next(guard)
        async with mounted(core, None, careless_screen) as screen:
            await screen.click("button", "Doze")
            assert "error " in screen.toasts[0]
        with pytest.raises(AssertionError, match=r"time\.sleep"):
            next(guard)

    @pytest.mark.parametrize(
        ("name", "call"), [("Doze", "time.sleep"), ("Read", "io.TextIOWrapper.read"), ("Ask", "psycopg.connect")]
    )
    async def test_is_named(self, core: Core, name: str, call: str) -> None:
        with blocking_calls() as found:
            async with mounted(core, None, careless_screen) as screen:
                await screen.click("button", name)
        assert len(found) == 1 and call in found[0]

    async def test_of_a_query_fails_it_too(self, core: Core) -> None:
        with blocking_calls() as found:
            async with mounted(core, None, slow_screen):
                pass
        assert len(found) == 1 and found[0].startswith("time.sleep in ")

    async def test_in_a_thread_holds_nobody_up(self, core: Core) -> None:
        with blocking_calls() as found:
            async with mounted(core, None, careless_screen) as screen:
                await screen.click("button", "Rest")
                assert screen.toasts == []
        assert found == []

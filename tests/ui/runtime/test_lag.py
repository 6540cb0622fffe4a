"""The log names a handler that blocks the event loop."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from reactpy import component, html
from structlog.testing import capture_logs

from fundwright.core.assembly import Core
from fundwright_ui.hooks import use_action
from fundwright_ui.runtime.lag import watched_loop
from fundwright_ui.testing import mounted
from fundwright_ui.ui import button
from tests.support.polling import eventually


@component
def sleepy_screen() -> Any:
    async def doze() -> None:
        time.sleep(0.5)

    async def rest() -> None:
        await asyncio.sleep(0.5)

    dozing = use_action(doze, in_transaction=False)
    return html.main(button("Doze", on_click=dozing), button("Rest", on_click=rest))


@pytest.mark.pain(9)
class TestWatchedLoop:
    async def test_names_the_handler_that_blocks_and_the_line(self, core: Core) -> None:
        async with mounted(core, None, sleepy_screen) as screen:
            with capture_logs() as logs, watched_loop():
                await asyncio.sleep(0.1)
                await screen.click("button", "Doze")
                blocked = await eventually(lambda: next((each for each in logs if each["event"] == "loop.blocked"), None))
        assert blocked["handler"].endswith("sleepy_screen.<locals>.doze")
        assert "test_lag.py:" in blocked["at"] and blocked["seconds"] > 0.3

    async def test_says_nothing_of_one_that_waits(self, core: Core) -> None:
        async with mounted(core, None, sleepy_screen) as screen:
            with capture_logs() as logs, watched_loop(limit_s=0.4):
                await screen.click("button", "Rest")
        assert not [each for each in logs if each["event"] == "loop.blocked"]

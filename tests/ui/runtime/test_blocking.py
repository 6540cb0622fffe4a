"""Code that blocks the event loop fails the test in which it runs."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from reactpy import component, html
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import passwords
from fundwright.core.assembly import Core
from fundwright.language.local import OnnxEmbedder
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.testing import mounted
from fundwright_ui.ui import button
from tests.conftest import pytest_runtest_call
from tests.support.blocking import BEYOND_PYTHON, blocking_calls


@cache
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(Path(__file__).parents[3] / "var/models/all-MiniLM-L6-v2", id="minilm")


def connect() -> None:
    with suppress(psycopg.OperationalError):
        psycopg.connect("host=/nowhere")


CALLS: dict[str, Callable[[], object]] = {
    "time.sleep": lambda: time.sleep(0.01),
    "io.TextIOWrapper.read": lambda: Path(__file__).read_text(),
    "psycopg.connect": connect,
    "argon2.low_level.hash_secret": lambda: passwords._context.hash("harbor"),
    "argon2.low_level.verify_secret": lambda: passwords._check("harbor", None),
    "InferenceSession.run": lambda: embedder()._embed_one(uuid4().hex),  # a text that no other test has embedded
}


@component
def careless_screen() -> Any:
    def action(name: str, *, is_in_thread: bool) -> Any:
        async def call() -> None:
            if is_in_thread:
                await asyncio.to_thread(CALLS[name])
            else:
                CALLS[name]()

        return use_action(call, in_transaction=False)

    return html.main(
        html.p([button(name, on_click=action(name, is_in_thread=False), key=name) for name in CALLS]),
        html.p([button(f"{name} in a thread", on_click=action(name, is_in_thread=True), key=name) for name in CALLS]),
    )


@component
def slow_screen() -> Any:
    async def read(_session: AsyncSession) -> None:
        time.sleep(0.01)

    return html.main(use_query(read).error)


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """The first call of some functions reads files, which another rule would report."""
    embedder()
    passwords._context.hash("harbor")


@pytest.mark.pain(9)
class TestBlockingCall:
    async def test_of_a_handler_fails_the_test_though_the_screen_shows_a_toast(self, core: Core) -> None:
        guard = pytest_runtest_call()
        next(guard)
        async with mounted(core, None, careless_screen) as screen:
            await screen.click("button", "time.sleep")
            assert screen.toasts == ["Something went wrong"]
        with pytest.raises(AssertionError, match=r"time\.sleep"):
            next(guard)

    @pytest.mark.parametrize("call", CALLS)
    async def test_is_named(self, core: Core, call: str) -> None:
        with blocking_calls() as found:
            async with mounted(core, None, careless_screen) as screen:
                await screen.click("button", call)
        assert len(found) == 1 and found[0].startswith(f"{call} in ")

    def test_of_each_kind_that_only_this_guard_knows_is_tried(self) -> None:
        assert {f"{owner.__name__}.{name}" for owner, name in BEYOND_PYTHON} <= CALLS.keys()

    async def test_of_a_query_fails_it_too(self, core: Core) -> None:
        with blocking_calls() as found:
            async with mounted(core, None, slow_screen):
                pass
        assert len(found) == 1 and found[0].startswith("time.sleep in ")

    @pytest.mark.parametrize("call", CALLS)
    async def test_in_a_thread_blocks_nobody(self, core: Core, call: str) -> None:
        with blocking_calls() as found:
            async with mounted(core, None, careless_screen) as screen:
                await screen.click("button", f"{call} in a thread")
                assert screen.toasts == []
        assert found == []

"""The person navigates in the browser, screens navigate on the server, and in the end both sides agree on the address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from fundwright_ui.runtime.diff import Node, apply
from tests.ui.runtime.conftest import Client, Removable, Server, Walk, find, text_of


@pytest.fixture(autouse=True)
def _nothing_happened_yet() -> None:
    Walk.renderings.clear()
    Removable.is_removed = False


class Browser:
    """A browser that navigates as described in docs/runtime-protocol.md. Received frames wait until `take`, as on a slow
    network."""

    def __init__(self, client: Client, address: str) -> None:
        self.address = address
        self.tree: Node = client.tree
        self.waiting: list[dict[str, Any]] = []
        self.loaded = ""
        self._client = client
        self._seq = 0
        self._last_location = 0
        self._done = 0

    async def receive(self) -> None:
        async for text in self._client.websocket:
            self.waiting.append(json.loads(text))

    async def press(self, id: str, value: str = "") -> None:
        await self._send("event", target=find(self.tree, id)["e"]["onClick"]["h"], data={"value": value})

    async def go(self, address: str) -> None:
        self.address = address
        await self._send("location", path=address)
        self._last_location = self._seq

    def take(self, count: int | None = None) -> None:
        frames, self.waiting[:count] = self.waiting[:count], []
        for frame in frames:
            match frame["type"]:
                case "patch":
                    self.tree = apply(self.tree, frame["ops"])
                case "navigate":
                    self._follow(frame)
                case "done":
                    self._done += 1
                case _:
                    pass

    async def take_all(self) -> None:
        async with asyncio.timeout(5):
            while self._done < self._seq or self.waiting:
                await asyncio.sleep(0.005)
                self.take()

    @property
    def shown(self) -> str:
        return text_of(self.tree)

    def _follow(self, frame: dict[str, Any]) -> None:
        is_outdated = frame["after"] < self._last_location
        if frame["reload"]:
            self.loaded = self.address if is_outdated else frame["path"]
        elif not is_outdated:
            self.address = frame["path"]

    async def _send(self, kind: str, **content: object) -> None:
        self._seq += 1
        await self._client.websocket.send(json.dumps({"type": kind, "seq": self._seq, "received": 0, **content}))


@asynccontextmanager
async def browsing(server: Server, address: str) -> AsyncIterator[Browser]:
    async with server.socket() as client:
        await client.hello(address)
        browser = Browser(client, address)
        receiving = asyncio.create_task(browser.receive())
        try:
            yield browser
        finally:
            receiving.cancel()


class TestMovesOfTheServer:
    async def test_two_within_one_round_trip_render_once_each_and_none_comes_back(self, server: Server) -> None:
        async with browsing(server, "/walk/a") as browser:
            Walk.renderings.clear()
            await browser.press("choose", "b")
            await browser.press("choose", "c")
            await browser.take_all()
            assert Walk.renderings == ["/walk/a?q=b", "/walk/a?q=c"]
            assert browser.address == browser.shown == "/walk/a?q=c"

    async def test_another_screen_is_shown_without_waiting_for_the_browser(self, server: Server) -> None:
        async with browsing(server, "/walk/a") as browser:
            await browser.press("leave", "b")
            await browser.take_all()
            assert browser.address == browser.shown == "/walk/b"

    async def test_the_address_changes_before_the_content_and_the_arrival_is_announced_after_it(self, server: Server) -> None:
        async with browsing(server, "/walk/a") as browser:
            await browser.press("leave", "b")
            async with asyncio.timeout(5):
                while not any(frame["type"] == "arrived" for frame in browser.waiting):
                    await asyncio.sleep(0.005)
            kinds = [frame["type"] for frame in browser.waiting if frame["type"] in ("navigate", "patch", "arrived")]
            assert kinds == ["navigate", "patch", "arrived"]
            assert browser.waiting[0] == {
                "type": "navigate", "path": "/walk/b", "replace": False, "reload": False, "after": 0,
            }  # fmt: skip

    async def test_a_redirect_is_followed_on_the_server(self, server: Server) -> None:
        async with browsing(server, "/walk/a") as browser:
            await browser.press("home")
            await browser.take_all()
            assert browser.address == "/auth/login?next=%2Fprivate"
            assert browser.shown.endswith("count 0")

    async def test_a_screen_that_was_left_no_longer_changes_the_address(self, server: Server) -> None:
        async with browsing(server, "/walk/a") as browser:
            await browser.press("leave", "b")
            await browser.take_all()
            assert "left" not in browser.address

    async def test_removing_what_is_in_view_never_shows_that_it_is_missing(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/removable")
            await client.click("remove")
            shown = [json.dumps(frame["ops"]) for frame in client.frames if frame["type"] == "patch"]
            assert client.text == "/walk/list"
            assert not any("not found" in ops.lower() or "no longer" in ops.lower() for ops in shown)

    async def test_a_document_is_loaded_by_the_browser(self, server: Server) -> None:
        async with browsing(server, "/walk/a") as browser:
            await browser.press("load", "/walk/b")
            await browser.take_all()
            assert (browser.loaded, browser.shown) == ("/walk/b", "/walk/a")


class TestTheNewestIntentWins:
    async def test_a_click_on_a_link_while_the_server_moves(self, server: Server) -> None:
        async with browsing(server, "/walk/a") as browser:
            await browser.press("leave", "b")
            await browser.go("/walk/c")
            await browser.take_all()
            assert browser.address == browser.shown == "/walk/c"

    async def test_a_step_back_while_the_server_changes_the_query(self, server: Server) -> None:
        async with browsing(server, "/walk/a?q=2") as browser:
            await browser.press("choose", "3")
            await browser.go("/walk/a?q=1")
            await browser.take_all()
            assert browser.address == browser.shown == "/walk/a?q=1"

    @pytest.mark.parametrize("button", ["leave-slowly", "choose-slowly"])
    async def test_a_handler_that_takes_its_time_does_not_fetch_the_person_back(self, server: Server, button: str) -> None:
        async with browsing(server, "/walk/a") as browser:
            await browser.press(button, "b")
            await browser.go("/walk/c")
            await browser.take_all()
            await asyncio.sleep(0.1)
            browser.take()
            assert browser.address == browser.shown == "/walk/c"

    async def test_a_document_is_loaded_where_the_person_is_by_then(self, server: Server) -> None:
        async with browsing(server, "/walk/a") as browser:
            await browser.press("load", "/walk/a")
            await browser.go("/walk/c")
            await browser.take_all()
            assert browser.loaded == "/walk/c"

    @pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 9)) for seed in range(40)])
    async def test_address_and_screen_agree_after_any_interleaving(self, server: Server, seed: int) -> None:
        random = Random(seed)
        async with browsing(server, "/walk/a") as browser:
            wanted = ""
            for step in range(random.randrange(2, 12)):
                match random.choice(["press", "press", "go", "take", "wait"]):
                    case "press":
                        await browser.press(random.choice(["choose", "choose-slowly", "leave", "leave-slowly"]), str(step))
                        wanted = ""
                    case "go":
                        wanted = f"/walk/{random.choice('ab')}?q={step}"
                        await browser.go(wanted)
                    case "take":
                        browser.take(random.randrange(4))
                    case _:
                        await asyncio.sleep(random.choice([0, 0.01, 0.06]))
            await browser.take_all()
            assert browser.address == browser.shown
            assert browser.shown == (wanted or browser.shown)


class TestComingBack:
    async def test_a_move_of_the_server_reaches_the_page_once_it_is_connected_again(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/walk/a")
            target = find(client.tree, "leave-slowly")["e"]["onClick"]["h"]
            event = {"type": "event", "seq": 1, "received": 0, "target": target, "data": {"value": "b"}}
            await client.websocket.send(json.dumps(event))
            await asyncio.sleep(0.02)
            client.websocket.transport.abort()
            await client.websocket.wait_closed()
        await asyncio.sleep(0.1)
        async with server.socket() as again:
            await again.resume(client)
            moved = await again.until("navigate")
            await again.until("arrived")
            assert (moved["path"], moved["after"], again.text) == ("/walk/b", 0, "/walk/b")

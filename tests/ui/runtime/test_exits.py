"""However a connection ends, its session is released: closed pages do not count toward the limit of open pages."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from reactpy import component, html
from structlog.testing import capture_logs
from websockets.exceptions import ConnectionClosed

from fundwright.accounts.schemas import Client as Device
from fundwright.authentication import service as authentication
from fundwright.core.assembly import Core
from fundwright_ui.hooks import use_query
from fundwright_ui.runtime.router import Screen
from fundwright_ui.runtime.view import View
from tests.support.polling import eventually
from tests.support.slow_queries import Pages
from tests.ui.runtime.conftest import Client, Server, counter, shell

DEEP = "[" * 200_000
BAD: list[str | bytes] = [
    b"\x00\xff",
    DEEP,
    '{"type": "event", "seq": 1, "target": "x", "data": ' + '{"a":' * 100_000,
    '{"type": "event", "seq": 1e400, "target": "x"}',
    '{"type": "event", "seq": true, "target": ["x"]}',
    '{"type": "event", "seq": ' + "9" * 5_000 + ', "target": "x"}',
    '{"type": "event", "seq": NaN, "target": "x"}',
    '{"type": "location", "seq": 1}',
    '{"type": "ping", "received": -1}',
    '{"type": "hello", "path": "/public"}',
    "null",
    "",
]


async def answers_a_new_visitor(server: Server) -> bool:
    async with server.socket() as client:
        await client.hello("/public")
        await client.click("add")
        return client.text.endswith("count 1")


class TestBadFrame:
    @pytest.mark.parametrize("frame", BAD, ids=lambda frame: repr(frame[:40]))
    async def test_is_answered_with_a_message_and_the_page_continues(self, server: Server, frame: str | bytes) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.websocket.send(frame)
            assert "could not process a message" in (await client.until("refused"))["sentence"]
            client.seq = 1_000_000_000
            await client.click("add")
            assert client.text.endswith("count 1")

    @pytest.mark.parametrize("frame", [b"\x00", DEEP], ids=["bytes", "deep"])
    async def test_from_more_pages_than_one_address_may_open_locks_nobody_out(self, server: Server, frame: str | bytes) -> None:
        for _ in range(60):
            async with server.socket() as client:
                await client.hello("/public")
                await client.websocket.send(frame)
                await client.until("refused")
        assert await answers_a_new_visitor(server)

    @pytest.mark.parametrize("frame", [b"\x00", DEEP], ids=["bytes", "deep"])
    async def test_instead_of_hello_is_refused(self, server: Server, frame: str | bytes) -> None:
        async with server.socket() as client:
            await client.websocket.send(frame)
            assert "could not process a message" in (await client.until("refused"))["sentence"]

    @pytest.mark.parametrize("path", ["//[", "http://[", "/%ff%00", "/echo/%ed%a0%80", "\\", "?", ""])
    async def test_that_names_no_address_leads_to_a_page(self, server: Server, path: str) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.go(path)
            await client.go("/public")
            await client.click("add")
            assert client.text.endswith("count 1")

    async def test_with_half_an_emoji_keeps_the_rest_of_the_text(self, server: Server) -> None:
        async with server.socket(token=await server.sign_in()) as client:
            await client.hello("/notes")
            await client.click("keep", value="half \ud83d of it, all 😀 of it, \\ud83d spelled out")
            assert "half \ufffd of it, all 😀 of it, \\ud83d spelled out" in client.text


class TestFailureOfOurs:
    """After any failure between a page and its session, the log contains it and the page starts a new session."""

    async def fail(self, server: Server, client: Client) -> list[Any]:
        with capture_logs() as logs:
            with suppress(ConnectionClosed):
                await client.websocket.send(json.dumps({"type": "ping", "received": 0}))
                await client.click("add")
            await eventually(lambda: any(each["event"] == "ui.session_ended" for each in logs))
        return logs

    @pytest.mark.parametrize("part", ["_read", "_flush"])
    async def test_is_logged_and_the_page_is_mounted_again(
        self, server: Server, monkeypatch: pytest.MonkeyPatch, part: str
    ) -> None:
        def fail(*_arguments: object) -> None:
            raise RuntimeError("out of order")

        async with server.socket() as client:
            await client.hello("/public")
            with monkeypatch.context() as broken:
                broken.setattr(f"fundwright_ui.runtime.session.Session.{part}", fail)
                logs = await self.fail(server, client)
                with pytest.raises(ConnectionClosed) as closed:
                    await client.until("done")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1011
        assert "ui.exchange_failed" in [each["event"] for each in logs]
        async with server.socket() as again:
            await again.hello("/public", session=client.session, received=client.received)
            assert again.text.endswith("count 0")

    async def test_in_what_renders_the_page_is_logged_too(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_arguments: object) -> None:
            raise RuntimeError("out of order")

        async with server.socket() as client:
            await client.hello("/public")
            with monkeypatch.context() as broken:
                broken.setattr("fundwright_ui.runtime.view.replaced", fail)
                logs = await self.fail(server, client)
            with pytest.raises(ConnectionClosed) as closed:
                await client.until("nothing")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1011
        assert "ui.exchange_failed" in [each["event"] for each in logs]
        async with server.socket() as again:
            await again.hello("/public", session=client.session, received=client.received)
            assert again.text.endswith("count 0")

    async def test_while_the_page_is_rendered_first_is_logged_too(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        async def fail(*_arguments: object) -> None:
            raise RuntimeError("out of order")

        with monkeypatch.context() as broken, capture_logs() as logs:
            broken.setattr(View, "__aenter__", fail)
            for _ in range(60):
                async with server.socket() as client:
                    with pytest.raises(ConnectionClosed):
                        await client.hello("/public")
        assert [each["event"] for each in logs].count("ui.session_failed") == 60
        assert await answers_a_new_visitor(server)


class TestEnd:
    async def test_of_a_session_is_in_the_log_with_its_reason(self, server: Server) -> None:
        server.set(resume_s=0.05)
        with capture_logs() as logs:
            async with server.socket() as left:
                await left.hello("/public")
            async with server.socket() as lost:
                await lost.hello("/public")
                lost.websocket.transport.abort()
            await eventually(lambda: [each["event"] for each in logs].count("ui.session_ended") == 2)
        ends = [each["reason"] for each in logs if each["event"] == "ui.session_ended"]
        assert sorted(ends) == ["left", "not resumed"]

    async def test_before_the_page_was_mounted_sends_nothing_that_it_could_not_place(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        is_waiting = asyncio.Event()

        async def wait(*_arguments: object) -> None:
            is_waiting.set()
            await asyncio.Event().wait()

        monkeypatch.setattr("fundwright_ui.runtime.session.Session._until_ready", wait)
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            mounting = asyncio.create_task(client.hello("/private"))
            await is_waiting.wait()
            async with server.core.database.transaction() as session:
                actor = await authentication.authenticate(session, server.core, token)
                assert actor is not None
                await authentication.sign_out(session, actor, client=Device(address="", user_agent=""))
            with pytest.raises(ConnectionClosed) as closed:
                await mounting
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401
        assert client.frames == []

    async def test_says_why_although_something_still_asks_to_be_rendered(self, server: Server) -> None:
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            await client.hello("/restless")
            async with server.core.database.transaction() as session:
                actor = await authentication.authenticate(session, server.core, token)
                assert actor is not None
                await authentication.sign_out(session, actor, client=Device(address="", user_agent=""))
            with capture_logs() as logs, pytest.raises(ConnectionClosed) as closed:
                await client.until("nothing")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401
        assert "ui.exchange_failed" not in [each["event"] for each in logs]

    async def test_does_not_wait_for_what_cannot_be_canceled(self, core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.waiting._CANCEL_TIMEOUT_S", 0.05)
        pages = Pages(core, [Screen("/stubborn", "Stubborn", stubborn, area="public")], shell)
        with capture_logs() as logs:
            async with pages.open("/stubborn") as page:
                await page.until_frame("mount")
                page.leave()
                await eventually(lambda: "ui.session_ended" in [each["event"] for each in logs])
            stubborn_work.set()
        assert "ui.not_canceled" in [each["event"] for each in logs]


stubborn_work = asyncio.Event()


@component
def stubborn() -> Any:
    """Has a query that continues after it is canceled."""

    async def read() -> str:
        while not stubborn_work.is_set():
            with suppress(asyncio.CancelledError):
                await stubborn_work.wait()
        return "answered"

    return html.main(use_query(read, with_session=False).value)


class TestPageThatTakesNothing:
    async def test_is_not_listened_to_any_longer(self, core: Core) -> None:
        pages = Pages(core, [Screen("/public", "Counter", counter, area="public")], shell)
        async with pages.open("/public") as page:
            await page.until_frame("mount")
            page.is_full = True
            for _ in range(5_000):
                page.say(type="ping", received=0)
            for _ in range(100):
                await asyncio.sleep(0)
            assert page.waiting > 2_000

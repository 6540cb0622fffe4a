"""A slow handler delays only itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
from websockets.exceptions import ConnectionClosed

from fundwright.accounts.schemas import Client as Device
from fundwright.authentication import service as authentication
from fundwright.core.assembly import Core
from tests.ui.runtime.conftest import Client, Server, Slow, find


@pytest.fixture(autouse=True)
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    work = Slow()
    monkeypatch.setattr("tests.ui.runtime.conftest.slow_work", work)
    yield work
    work.gate.set()


async def sign_out(core: Core, token: str) -> None:
    async with core.database.transaction() as session:
        actor = await authentication.authenticate(session, core, token)
        assert actor is not None
        await authentication.sign_out(session, actor, client=Device(address="", user_agent=""))


class TestOvertaking:
    async def test_a_click_on_something_else_is_answered_while_a_handler_runs(self, server: Server, work: Slow) -> None:
        async with server.socket() as client:
            await client.hello("/waiting")
            slow = await client.press("wait0")
            await client.click("add")
            assert client.text.endswith("count 1") and work.running == 1
            work.gate.set()
            await client.answered(slow)
        assert work.ended == ["wait0"]

    async def test_moving_away_does_not_wait_for_a_handler_nor_cancel_it(self, server: Server, work: Slow) -> None:
        async with server.socket() as client:
            await client.hello("/waiting")
            slow = await client.press("wait0")
            await client.go("/public")
            assert "count 0" in client.text and work.running == 1
            work.gate.set()
            await client.answered(slow)
        assert work.ended == ["wait0"]

    async def test_a_handler_leads_nobody_away_who_has_gone_elsewhere_since(self, server: Server, work: Slow) -> None:
        async with server.socket() as client:
            await client.hello("/waiting")
            slow = await client.press("go")
            await client.go("/family")
            work.gate.set()
            await client.answered(slow)
        assert client.toasts() == ["done"]
        assert "navigate" not in [frame["type"] for frame in client.frames]

    async def test_the_end_of_the_session_closes_the_page_although_a_handler_runs(
        self, server: Server, work: Slow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._SIGNED_OUT_TIMEOUT_S", 0.05)
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            await client.hello("/waiting")
            await client.press("wait0")
            await work.until_begun("wait0")
            await sign_out(server.core, token)
            await client.until("ended")
            assert work.canceled == []
            with pytest.raises(ConnectionClosed) as closed:
                await client.until("mount")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401
        assert work.canceled == ["wait0"]

    async def test_at_most_four_handlers_of_a_page_run_at_once(
        self, server: Server, work: Slow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._HEAD_START_S", 0.0)
        async with server.socket() as client:
            await client.hello("/waiting")
            for number in range(6):
                last = await client.press(f"wait{number}")
            await client.go("/public")
            assert work.begun == ["wait0", "wait1", "wait2", "wait3"]
            work.gate.set()
            await client.answered(last)
        assert work.running == 0


class TestOrder:
    @pytest.fixture(autouse=True)
    def long_head_start(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """So that the order does not depend on the load of the machine."""
        monkeypatch.setattr("fundwright_ui.runtime.session._HEAD_START_S", 5.0)

    async def test_each_handler_sees_what_the_ones_before_it_did(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/waiting")
            for name in "abbaababab":
                last = await client.press(name)
            await client.answered(last)
            assert "a b b a a b a b a b" in client.text

    async def test_one_handler_does_one_thing_at_a_time(
        self, server: Server, work: Slow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._HEAD_START_S", 0.0)
        async with server.socket() as client:
            await client.hello("/waiting")
            await client.press("wait0")
            again = await client.press("wait0")
            await client.click("add")
            assert work.begun == ["wait0"]
            work.gate.set()
            await client.answered(again)
        assert work.ended == ["wait0", "wait0"]

    async def test_a_form_is_sent_after_its_fields(self, server: Server, work: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._HEAD_START_S", 0.0)
        async with server.socket() as client:
            await client.hello("/waiting")
            await client.press("field", "onChange", value="x", checked=False)
            sent = await client.press("form", "onSubmit", fields={}, submitter=None)
            await client.click("add")
            assert work.begun == ["change"]
            work.gate.set()
            await client.answered(sent)
        assert work.ended == ["change", "submit"]


class TestDeadline:
    async def test_a_handler_that_takes_too_long_is_canceled_and_the_person_notified(self, server: Server, work: Slow) -> None:
        server.set(handler_timeout_s=0.1)
        async with server.socket() as client:
            await client.hello("/waiting")
            await client.click("wait0")
            sentence = "This took longer than 0.1 seconds and was canceled. Before you try again, check whether it went through."
            assert client.toasts() == [sentence]
            assert work.canceled == ["wait0"]
            await client.click("add")
            assert client.text.endswith("count 1")

    async def test_does_not_start_while_a_handler_waits_for_another(self, server: Server, work: Slow) -> None:
        server.set(handler_timeout_s=0.3)
        async with server.socket() as client:
            await client.hello("/waiting")
            for _ in range(2):
                last = await client.press("wait0")
            await work.until_begun("wait0")
            await client.answered(last - 1)
            work.gate.set()
            await client.answered(last)
        assert work.canceled == ["wait0"] and work.ended == ["wait0"]

    async def test_a_handler_that_raises_canceled_fails_alone(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/waiting")
            await client.click("cancel")
            assert client.toasts()[0] == "Something went wrong"
            await client.click("add")
            assert client.text.endswith("count 1")


@pytest.mark.security(47)
class TestDatabaseAway:
    @pytest.fixture(autouse=True)
    def impatient(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._IDENTITY_MAX_AGE_S", 0.0)
        monkeypatch.setattr("fundwright_ui.runtime.session._FIRST_RETRY_S", 0.02)

    async def outage(self, server: Server, client: Client) -> int:
        """A page with state on which something was pressed while the database is unavailable; returns the sequence number of the
        event."""
        await client.hello("/notes")
        await client.click("keep", value="before")
        server.outage.set()
        seq = await client.press("keep", value="during")
        sentence = "The server can't reach its database. Your page is kept and will continue automatically."
        assert (await client.until("paused"))["sentence"] == sentence
        return seq

    async def test_pauses_the_page_which_then_continues_with_its_state(self, server: Server) -> None:
        async with server.socket(token=await server.sign_in()) as client:
            seq = await self.outage(server, client)
            await asyncio.sleep(0.1)  # several attempts
            assert client.text.startswith("notes of ada@example.org: before")
            server.outage.clear()
            assert (await client.until("paused"))["sentence"] is None
            await client.answered(seq)
            assert client.text.startswith("notes of ada@example.org: before, during")
        assert [frame["type"] for frame in client.frames].count("paused") == 2

    async def test_pauses_the_page_although_the_database_does_not_even_refuse(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._RECOGNIZE_TIMEOUT_S", 0.05)
        async with server.socket(token=await server.sign_in()) as client:
            await client.hello("/notes")
            server.silence.set()
            seq = await client.press("keep", value="during")
            assert "can't reach its database" in (await client.until("paused"))["sentence"]
            server.silence.clear()
            monkeypatch.undo()
            assert (await client.until("paused"))["sentence"] is None
            await client.answered(seq)
            assert client.text.startswith("notes of ada@example.org: during")

    async def test_tells_a_page_that_comes_back_meanwhile(self, server: Server) -> None:
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            await self.outage(server, client)
            await client.websocket.send(json.dumps({"type": "ping", "received": client.received}))
            client.websocket.transport.abort()
        async with server.socket(token=token) as again:
            await again.resume(client)
            assert (await again.until("paused"))["sentence"] is not None
            server.outage.clear()
            assert (await again.until("paused"))["sentence"] is None

    async def test_handles_nothing_for_a_session_that_ended_meanwhile(self, server: Server) -> None:
        token = await server.sign_in()
        async with server.socket(token=token) as client:
            await self.outage(server, client)
            await sign_out(server.core, token)
            server.outage.clear()
            with pytest.raises(ConnectionClosed) as closed:
                await client.until("mount")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4401
        assert "during" not in client.text
        assert find(client.tree, "keep")

"""A page that lost its connection continues where it was."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from structlog.testing import capture_logs
from websockets.exceptions import ConnectionClosed

from fundwright.accounts.schemas import Client as Device
from fundwright.accounts.schemas import Role
from fundwright.authentication import service as authentication
from fundwright_ui.runtime.outbox import Outbox
from tests.support.polling import eventually
from tests.ui.runtime.conftest import Client, Server, find


async def lose(client: Client) -> None:
    """Drop the connection without a close frame, as a network failure does."""
    client.websocket.transport.abort()
    await client.websocket.wait_closed()


async def lost_after_a_click(server: Server) -> Client:
    async with server.socket() as client:
        await client.hello("/public")
        await client.click("add")
        await lose(client)
    return client


async def lost(server: Server, token: str) -> Client:
    async with server.socket(token=token) as client:
        await client.hello("/private")
        await lose(client)
    return client


async def is_sent_to_the_login(client: Client, lost: Client) -> bool:
    """Whether requesting the lost page redirects to the login page."""
    hello: dict[str, Any] = {"type": "hello", "path": "/private", "session": lost.session, "received": lost.received}
    await client.websocket.send(json.dumps(hello))
    return (await client.until("navigate"))["path"].startswith("/auth/login")


async def press(client: Client, id: str, seq: int) -> None:
    frame = {"type": "event", "seq": seq, "received": client.received, "target": target_of(client, id), "data": {}}
    await client.websocket.send(json.dumps(frame))


def target_of(client: Client, id: str) -> str:
    return find(client.tree, id)["e"]["onClick"]["h"]


@pytest.mark.pain(1)
class TestComingBack:
    async def test_finds_the_state_as_it_was_and_nothing_is_sent_again(self, server: Server) -> None:
        client = await lost_after_a_click(server)
        async with server.socket() as again:
            await again.resume(client)
            await again.click("add")
            assert again.text.endswith("count 2")
            assert [frame["type"] for frame in again.frames] == ["resumed", "patch", "done"]

    async def test_gets_what_was_sent_into_the_void(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await press(client, "add", 1)
            await press(client, "refuse", 2)
            await asyncio.sleep(0.2)  # the response was sent, but never received
            await lose(client)
        async with server.socket() as again:
            await again.resume(client)
            await again.until("toast")
            assert again.text.endswith("count 1")

    async def test_an_event_that_is_sent_again_acts_once(self, server: Server) -> None:
        client = await lost_after_a_click(server)
        async with server.socket() as again:
            resumed = await again.resume(client)
            assert resumed["seq"] == 1
            await press(again, "add", 1)
            await again.click("add")
            assert again.text.endswith("count 2")

    async def test_gets_what_changed_meanwhile(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/family")
            await press(client, "add", 1)  # changes the page 50 ms later without an event
            await client.until("done")
            await lose(client)
        await asyncio.sleep(0.2)
        async with server.socket() as again:
            await again.resume(client)
            await again.until("patch")
            assert again.text == "Addparent 1 child 1"

    async def test_takes_over_from_a_socket_that_does_not_know_that_it_is_dead(self, server: Server) -> None:
        async with server.socket() as client, server.socket() as again:
            await client.hello("/public")
            await client.click("add")
            await again.resume(client)
            await again.click("add")
            assert again.text.endswith("count 2")
            with pytest.raises(ConnectionClosed):
                await client.until("patch")


class TestNotComingBack:
    async def test_after_the_time_for_it_the_page_starts_over(self, server: Server) -> None:
        server.set(resume_s=0.1)
        with capture_logs() as logs:
            client = await lost_after_a_click(server)
            await eventually(lambda: "ui.session_ended" in [line["event"] for line in logs])
        async with server.socket() as again:
            await again.hello("/public", session=client.session, received=client.received)
            assert again.text.endswith("count 0")

    async def test_a_page_that_was_left_is_not_kept(self, server: Server) -> None:
        with capture_logs() as logs:
            async with server.socket() as client:
                await client.hello("/public")
                await client.click("add")
            await eventually(lambda: "ui.session_ended" in [line["event"] for line in logs])
        async with server.socket() as again:
            await again.hello("/public", session=client.session, received=client.received)
            assert again.text.endswith("count 0")

    async def test_a_count_of_frames_that_does_not_fit_starts_over(self, server: Server) -> None:
        client = await lost_after_a_click(server)
        async with server.socket() as again:
            await again.hello("/public", session=client.session, received=99)
            assert again.text.endswith("count 0")

    async def test_a_page_of_another_build_starts_over_and_learns_of_the_build_here(self, server: Server) -> None:
        html = (await server.get("/public")).text
        build = json.loads(html.split('id="page">')[1].split("</script>")[0])["build"]
        client = await lost_after_a_click(server)
        async with server.socket() as again:
            mount = await again.hello("/public", session=client.session, received=client.received, build="older")
            assert again.text.endswith("count 0") and mount["build"] == build
            await lose(again)
        async with server.socket() as third:
            hello = {"type": "hello", "path": "/public", "session": again.session, "received": again.received, "build": build}
            await third.websocket.send(json.dumps(hello))
            await third.until("resumed")


@pytest.mark.security(29, 32)
class TestStrangers:
    async def test_cannot_continue_with_the_page_of_another_user(self, server: Server) -> None:
        token = await server.sign_in()
        client = await lost(server, token)
        async with server.socket() as stranger:
            assert await is_sent_to_the_login(stranger, client)

    async def test_signed_in_people_cannot_continue_with_the_page_of_another_user(self, server: Server) -> None:
        await server.add_account("eve@example.org", role=Role.ADMIN)
        client = await lost(server, await server.sign_in())
        async with server.socket(token=await server.sign_in("eve@example.org")) as stranger:
            await stranger.hello("/notes", session=client.session, received=client.received)
            assert "mount" in [frame["type"] for frame in stranger.frames]
            assert stranger.text.startswith("notes of eve@example.org")

    async def test_another_sign_in_of_the_same_person_gets_a_page_of_its_own(self, server: Server) -> None:
        client = await lost(server, await server.sign_in())
        async with server.socket(token=await server.sign_in()) as again:
            await again.hello("/notes", session=client.session, received=client.received)
            assert "mount" in [frame["type"] for frame in again.frames]

    async def test_a_session_that_ended_meanwhile_is_not_continued(self, server: Server) -> None:
        token = await server.sign_in()
        client = await lost(server, token)
        async with server.core.database.transaction() as session:
            actor = await authentication.authenticate(session, server.core, token)
            assert actor is not None
            await authentication.sign_out(session, actor, client=Device(address="", user_agent=""))
        async with server.socket(token=token) as again:
            assert await is_sent_to_the_login(again, client)


class TestOutbox:
    def test_keeps_what_was_not_confirmed(self) -> None:
        outbox = Outbox()
        for frame in "abc":
            outbox.add(frame)
        assert [outbox.take(), outbox.take(), outbox.take(), outbox.take()] == ["a", "b", "c", None]
        outbox.confirm(1)
        assert not outbox.can_rewind(0) and outbox.can_rewind(1) and not outbox.can_rewind(4)
        outbox.rewind(2)
        assert [outbox.take(), outbox.take()] == ["c", None]

    def test_forgets_the_oldest_when_a_browser_never_confirms(self) -> None:
        outbox = Outbox()
        for _ in range(9):
            outbox.add("x" * 1_000_000)
            outbox.take()
        assert not outbox.can_rewind(0) and outbox.can_rewind(8)

    def test_counts_the_memory_of_a_frame(self) -> None:
        outbox = Outbox()
        for _ in range(3):
            outbox.add("x" * 200_000 + "🛶")  # four bytes for every character
            outbox.take()
        assert not outbox.can_rewind(1) and outbox.can_rewind(2)

"""The event stream that replaces the socket where a proxy rejects WebSockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import count
from random import Random
from typing import Any, cast

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from sqlalchemy import text
from structlog.testing import capture_logs
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from fundwright.accounts.schemas import Client as Device
from fundwright.authentication import service as authentication
from fundwright.core.web import add_error_handlers
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.mounting import mount
from tests.support.polling import eventually
from tests.support.statements import statements
from tests.ui.runtime.conftest import SCREENS, Client, Server, find, shell
from tests.ui.runtime.test_resume import press

OWN = {"X-Requested-With": "fundwright"}


class Closed(Exception):
    """The stream has ended, with this code or without one."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code


class Page:
    """The browser's end of a stream. It looks like a WebSocket, so that `Client` can use it."""

    def __init__(self, http: httpx.AsyncClient, *, up: str) -> None:
        self.key = ""
        self.posts = 0
        self.comments = 0
        self.headers = httpx.Headers()
        self.status = 0
        self._http = http
        self._up = up
        self._events = asyncio.Queue[tuple[str, str] | None]()
        self._reading: asyncio.Task[None] | None = None

    async def send(self, frame: str) -> None:
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(frame))
            reading = self._reading
            await eventually(lambda: self.key or reading.done())
        else:
            assert (await self.post(frame)).status_code == 204

    async def post(self, *frames: str, number: int | None = None, key: str | None = None) -> httpx.Response:
        self.posts += 1
        headers = {"X-Stream": key or self.key, "X-Stream-Post": str(number or self.posts)}
        return await self._http.post(f"{self._up}/stream/frames", content="\n".join(frames), headers=headers)

    async def leave(self, *, key: str | None = None) -> httpx.Response:
        return await self._http.post(f"{self._up}/stream/close", content="1001", headers={"X-Stream": key or self.key})

    async def recv(self) -> str:
        event = await self._events.get()
        if event is None or event[0] == "close":
            raise Closed(int(event[1]) if event else None)
        return event[1]

    def cut(self) -> None:
        if self._reading:
            self._reading.cancel()

    async def _read(self, hello: str) -> None:
        try:
            with suppress(httpx.HTTPError):
                await self._follow(hello)
        finally:
            self._events.put_nowait(None)

    async def _follow(self, hello: str) -> None:
        async with self._http.stream("POST", "/stream", content=hello) as answer:
            self.headers, self.status = answer.headers, answer.status_code
            kind = "message"
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data" and kind == "key":
                    self.key, kind = value, "message"
                elif name == "data":
                    self._events.put_nowait((kind, value))
                elif line:
                    self.comments += 1


@asynccontextmanager
async def streaming(
    server: Server, *, token: str | None = None, up: str = "", headers: dict[str, str] | None = None
) -> AsyncIterator[tuple[Client, Page]]:
    """A page on a stream; its posts go to `up`, by default the same server."""
    cookies = {"session": token} if token else {}
    headers = {"Origin": server.url, **OWN} if headers is None else headers
    async with server.client(cookies=cookies, headers=headers, timeout=10) as http:
        page = Page(http, up=up or server.url)
        yield Client(cast(ClientConnection, page)), page
        page.cut()


@asynccontextmanager
async def reading_nothing(server: Server) -> AsyncIterator[Callable[..., Awaitable[int]]]:
    """A page that reads its stream until it is mounted and then stops, while more is written to it than the network buffers. Yields
    a function that posts frames and returns the status."""
    server.set(resume_s=0.2)
    token = await server.sign_in()
    address = httpx.URL(server.url)
    hello = json.dumps({"type": "hello", "path": "/notes", "hash": None})
    headers = {"Host": address.netloc.decode(), "Origin": server.url, **OWN, "Cookie": f"session={token}"}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    reader, writer = await asyncio.open_connection(address.host, address.port, limit=10_000)
    try:
        writer.write(f"POST /stream HTTP/1.1\r\n{head}Content-Length: {len(hello)}\r\n\r\n{hello}".encode())
        await reader.readuntil(b"event: key\ndata: ")
        key = (await reader.readuntil(b"\n")).decode().strip()
        await reader.readuntil(b"data: ")
        tree = json.loads(await reader.readuntil(b"\n"))["tree"]
        target = find(tree, "keep")["e"]["onClick"]["h"]
        async with server.client(headers=headers, timeout=30) as http:
            numbers = count(1)

            async def post(*frames: str) -> int:
                numbered = {"X-Stream": key, "X-Stream-Post": str(next(numbers))}
                return (await http.post("/stream/frames", content="\n".join(frames), headers=numbered)).status_code

            for seq in range(1, 7):
                data = {"value": "x" * 900_000}
                await post(json.dumps({"type": "event", "seq": seq, "target": target, "data": data}))
            yield post
    finally:
        writer.transport.abort()


@pytest.fixture
async def other_process(server: Server) -> AsyncIterator[str]:
    """The address of a second server, which has none of the first server's pages."""
    app = FastAPI(openapi_url=None)
    app.state.core = server.core
    add_error_handlers(app)
    mount(
        app,
        ProductHost(server.core),
        screens=SCREENS,
        redirects={},
        shell=shell,
    )
    serving = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off", timeout_graceful_shutdown=1))
    task = asyncio.create_task(serving.serve())
    await eventually(lambda: serving.started)
    yield f"http://127.0.0.1:{serving.servers[0].sockets[0].getsockname()[1]}"
    serving.should_exit = True
    await task


def event(client: Client, id: str, seq: int) -> str:
    target = find(client.tree, id)["e"]["onClick"]["h"]
    return json.dumps({"type": "event", "seq": seq, "target": target, "data": {}})


class TestStream:
    async def test_carries_what_a_socket_carries(self, server: Server) -> None:
        token = await server.sign_in()
        async with streaming(server, token=token) as (client, _):
            await client.hello("/private")
            assert "private of ada@example.org" in client.text
            await client.go("/public")
            await client.click("add")
            await client.click("add")
            assert client.text.endswith("count 2")

    async def test_is_neither_kept_nor_collected_on_its_way(self, server: Server) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            assert page.headers["content-type"].startswith("text/event-stream")
            assert page.headers["cache-control"] == "no-store, no-transform"
            assert page.headers["x-accel-buffering"] == "no"

    async def test_is_never_silent_for_long(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.stream._COMMENT_EVERY_S", 0.01)
        async with streaming(server) as (client, page):
            await client.hello("/public")
            await eventually(lambda: page.comments >= 3)

    async def test_posts_act_in_the_order_of_their_numbers_and_once(self, server: Server) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            for number in (3, 2, 1, 2):
                await page.post(event(client, "add", number), number=number)
            while (await client.until("done"))["seq"] < 3:
                pass
            assert client.text.endswith("count 3")

    async def test_takes_several_frames_at_once(self, server: Server) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            await page.post(*(event(client, "add", seq) for seq in (1, 2, 3)))
            while (await client.until("done"))["seq"] < 3:
                pass
            assert client.text.endswith("count 3")


class TestComingBack:
    async def test_finds_the_state_as_it_was(self, server: Server) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            await client.click("add")
            page.cut()
        async with streaming(server) as (again, _):
            await again.resume(client)
            await again.click("add")
            assert again.text.endswith("count 2")

    async def test_a_page_can_change_from_a_socket_to_a_stream(self, server: Server) -> None:
        async with server.socket() as client:
            await client.hello("/public")
            await client.click("add")
            client.websocket.transport.abort()
            await client.websocket.wait_closed()
        async with streaming(server) as (again, _):
            await again.resume(client)
            assert again.text.endswith("count 1")

    async def test_a_page_that_was_left_is_not_kept(self, server: Server) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            await client.click("add")
            await page.leave()
            with pytest.raises(Closed):
                await client.until("nothing")
        async with streaming(server) as (again, _):
            await again.hello("/public", session=client.session, received=client.received)
            assert again.text.endswith("count 0")


class TestTwoProcesses:
    """A proxy may send each request to a different process."""

    async def test_what_the_other_one_is_asked_to_take_arrives(self, server: Server, other_process: str) -> None:
        async with streaming(server, token=await server.sign_in(), up=other_process) as (client, _):
            await client.hello("/notes")
            for n in range(5):
                await client.click("keep", value=f"note {n}")
            assert "note 0, note 1, note 2, note 3, note 4" in client.text
            await client.click("keep", value="ä\n" * 50_000)  # more than fits into one notification
            assert client.text.count("ä") == 50_000

    async def test_a_page_that_is_left_is_not_kept(self, server: Server, other_process: str) -> None:
        async with streaming(server, up=other_process) as (client, page):
            await client.hello("/public")
            await page.leave()
            async with asyncio.timeout(5):
                with pytest.raises(Closed):
                    await client.until("nothing")

    async def test_a_stream_starts_over_when_something_may_have_been_missed(self, server: Server, other_process: str) -> None:
        async with streaming(server, up=other_process) as (client, _):
            await client.hello("/public")
            await client.click("add")
            async with server.core.database.transaction() as session:
                await session.execute(text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"))
            async with asyncio.timeout(10):
                with pytest.raises(Closed):
                    await client.until("nothing")
        async with streaming(server) as (again, _):
            await again.resume(client)
            assert again.text.endswith("count 1")

    async def test_a_flood_is_refused_instead_of_being_passed_on(self, server: Server, other_process: str) -> None:
        async with streaming(server, up=other_process) as (client, page), streaming(server) as (other, _):
            await client.hello("/public")
            posts = (page.post("x" * 3_000_000, number=number) for number in range(2, 22))
            answers = [answer.status_code for answer in await asyncio.gather(*posts)]
            assert (answers.count(204), answers.count(429)) == (1, 19)
            await other.hello("/public")
            await other.click("add")
            assert other.text.endswith("count 1")

    async def test_what_is_passed_on_is_counted_for_each_session(self, server: Server, other_process: str) -> None:
        async with streaming(server, up=other_process) as (client, page):
            await client.hello("/public")
            assert [(await page.post("x" * 3_000_000)).status_code for _ in range(2)] == [204, 429]
        async with streaming(server, token=await server.sign_in(), up=other_process) as (client, _):
            await client.hello("/notes")
            await client.click("keep", value="a note of mine")
            assert "a note of mine" in client.text

    async def test_passing_a_post_on_takes_one_statement(self, server: Server, other_process: str) -> None:
        async with streaming(server, up=other_process) as (client, page):
            await client.hello("/public")
            with statements(server.core.database.engine.sync_engine) as made:
                assert (await page.post("x" * 900_000)).status_code == 204
            assert sum("pg_notify" in statement for statement in made) == 1


class TestStrangers:
    @pytest.mark.security(27)
    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "https://evil.example", **OWN},
            {"Origin": "null", **OWN},
            OWN,
            {"Origin": "own"},
        ],
    )
    @pytest.mark.parametrize("path", ["/stream", "/stream/frames", "/stream/close"])
    async def test_a_page_of_another_site_is_refused_even_with_a_cookie(
        self, server: Server, headers: dict[str, str], path: str
    ) -> None:
        headers = {name: server.url if value == "own" else value for name, value in headers.items()}
        async with server.client(cookies={"session": await server.sign_in()}) as http:
            answer = await http.post(path, content='{"type": "hello", "path": "/private", "hash": null}', headers=headers)
        assert answer.status_code == 403
        assert "FUNDWRIGHT_ALLOWED_ORIGINS" in answer.json()["error"]["message"]

    @pytest.mark.security(31)
    async def test_the_stream_of_another_user_takes_nothing(self, server: Server, other_process: str) -> None:
        await server.add_account("eve@example.org")
        theirs = await server.sign_in("eve@example.org")
        async with streaming(server, token=await server.sign_in()) as (client, page):
            await client.hello("/notes")
            await client.click("keep", value="first")
            forged = event(client, "keep", 2)
            for token in (theirs, None):
                for address in (server.url, other_process):
                    async with streaming(server, token=token, up=address) as (_, stranger):
                        assert (await stranger.post(forged, number=2, key=page.key)).status_code == 410
                        assert (await stranger.leave(key=page.key)).status_code == 410
            await client.click("keep", value="last")
            assert "first, last" in client.text

    @pytest.mark.parametrize("key", ["", "made up", "made.up", "ä"])
    async def test_an_unknown_key_is_refused(self, server: Server, key: str) -> None:
        headers = httpx.Headers({"Origin": server.url, "X-Stream": key, "X-Stream-Post": "1", **OWN}, encoding="utf-8")
        async with server.client() as http:
            assert (await http.post("/stream/frames", content="{}", headers=headers)).status_code == 410

    async def test_a_number_of_thousands_of_digits_is_none(self, server: Server) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            headers = {"X-Stream": page.key, "X-Stream-Post": "9" * 5_000}
            async with server.client(headers={"Origin": server.url, **OWN, **headers}) as http:
                assert (await http.post("/stream/frames", content="{}")).status_code == 204
            await client.click("add")
            assert client.text.endswith("count 1")

    @pytest.mark.security(30)
    async def test_an_ended_session_closes_its_stream(self, server: Server) -> None:
        token = await server.sign_in()
        async with streaming(server, token=token) as (client, _):
            await client.hello("/private")
            async with server.core.database.transaction() as session:
                actor = await authentication.authenticate(session, server.core, token)
                assert actor is not None
                await authentication.sign_out(session, actor, client=Device(address="", user_agent=""))
            with pytest.raises(Closed) as closed:
                await client.until("nothing")
        assert closed.value.code == 4401

    @pytest.mark.security(23)
    async def test_a_page_that_only_asks_whether_it_is_alive_does_not_use_the_session(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.session._IDENTITY_MAX_AGE_S", 0.0)
        async with streaming(server, token=await server.sign_in()) as (client, page):
            await client.hello("/notes")
            async with server.core.database.transaction() as session:
                await session.execute(text("UPDATE account_session SET last_used_at = now() - interval '10 minutes'"))
            for _ in range(3):
                await page.send('{"type": "ping", "received": 0}')
                await client.until("pong")
            async with server.core.database.transaction() as session:
                recently = await session.scalar(text("SELECT last_used_at > now() - interval '9 minutes' FROM account_session"))
            assert recently is False


class TestLimits:
    async def test_a_frame_that_is_too_large_is_answered_with_a_message(self, server: Server) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            await page.post(json.dumps({"type": "event", "seq": 1, "target": "x", "data": {"value": "x" * 1_100_000}}))
            assert "too much to send at once" in (await client.until("refused"))["sentence"]

    async def test_a_post_that_is_too_large_is_refused(self, server: Server) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            assert (await page.post("x" * 4_100_000)).status_code == 413

    @pytest.mark.parametrize("frames", [["{}"] * 101, [""] * 101])
    async def test_a_flood_closes_the_stream(self, server: Server, frames: list[str]) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            await page.post(*frames)
            with pytest.raises(Closed):
                await client.until("nothing")

    async def test_posts_that_wait_for_one_that_never_comes_close_the_stream(self, server: Server) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            for number in range(2, 30):
                await page.post("{}", number=number)
            with pytest.raises(Closed):
                await client.until("nothing")

    @pytest.mark.security(33)
    async def test_a_post_waits_for_an_earlier_one_for_a_limited_time(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with streaming(server) as (client, page):
            await client.hello("/public")
            monkeypatch.setattr("fundwright_ui.runtime.stream._WAITING_S", 0.1)
            await page.post("{}", number=5)
            with pytest.raises(Closed):
                await client.until("nothing")

    @pytest.mark.security(33, 53)
    async def test_the_streams_of_an_address_share_some_memory(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each held 14 MB of posts that waited for an earlier one."""
        monkeypatch.setattr("fundwright_ui.runtime.stream._MAX_WAITING_BYTES_OF_OWNER", 3_500_000)
        async with AsyncExitStack() as stack:
            statuses: list[int] = []
            for _ in range(3):
                client, page = await stack.enter_async_context(streaming(server))
                await client.hello("/public")
                statuses.append((await page.post("x" * 1_500_000, number=2)).status_code)
            assert statuses[0] == 204 and statuses[2] in (410, 429)
        async with streaming(server) as (client, page):
            await client.hello("/public")
            assert (await page.post("x" * 1_500_000, number=2)).status_code == 204

    async def test_posts_of_a_page_that_reads_nothing_are_refused_before_they_fill_the_memory(self, server: Server) -> None:
        async with reading_nothing(server) as post:
            answers = [await post(*["{}"] * 100) for _ in range(30)]
        assert answers == sorted(answers)
        assert set(answers) == {204, 410}

    async def test_a_page_that_reads_nothing_is_disconnected(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright_ui.runtime.stream._WRITE_TIMEOUT_S", 0.1)
        with capture_logs() as logs:
            async with reading_nothing(server):
                await eventually(lambda: any(each["event"] == "ui.connection_lost" for each in logs))

    @pytest.mark.parametrize("hello", ["{", '{"type": "event"}', "x" * 200_000])
    async def test_a_page_that_does_not_say_hello_is_refused_with_a_message(self, server: Server, hello: str) -> None:
        async with streaming(server) as (client, page):
            await page.send(hello)
            assert "could not process a message" in (await client.until("refused"))["sentence"]
            with pytest.raises(Closed) as closed:
                await client.until("nothing")
        assert closed.value.code == 1008

    async def test_a_hello_of_megabytes_is_refused_unread(self, server: Server) -> None:
        async with streaming(server) as (_, page):
            await page.send("x" * 1_000_000)
            assert page.status == 413


async def test_a_click_that_is_answered_while_the_stream_is_cut_is_not_lost(server: Server) -> None:
    async with streaming(server) as (client, page):
        await client.hello("/public")
        await press(client, "add", 1)
        page.cut()
    async with streaming(server) as (again, _):
        resumed: dict[str, Any] = await again.resume(client)
        if resumed["seq"] == 0:
            await press(again, "add", 1)
        await again.until("done")
        assert again.text.endswith("count 1")


@asynccontextmanager
async def connection(server: Server, kind: str) -> AsyncIterator[tuple[Client, Callable[[], None]]]:
    """A socket or a stream, and a function that drops it."""
    if kind == "stream":
        async with streaming(server) as (client, page):
            yield client, page.cut
    else:
        async with server.socket() as client:
            yield client, client.websocket.transport.abort


@pytest.mark.parametrize("chance", [0, *(pytest.param(other, marks=pytest.mark.slow) for other in range(1, 4))])
async def test_clicks_count_once_on_whatever_transport_they_arrive(server: Server, chance: int) -> None:
    """Transports alternate at random, often while the earlier one is still alive and sends everything again."""
    random = Random(chance)
    clicks = 0
    async with AsyncExitStack() as open_connections:
        client, cut = await open_connections.enter_async_context(connection(server, "stream"))
        await client.hello("/public")
        for _ in range(20):
            unanswered = [clicks + number + 1 for number in range(random.randint(0, 3))]
            clicks += len(unanswered)
            for number in unanswered:
                await press(client, "add", number)
            if random.random() < 0.5:
                cut()
            kind = random.choice(("stream", "socket"))
            earlier = client
            client, cut = await open_connections.enter_async_context(connection(server, kind))
            await client.resume(earlier)
            for number in unanswered:
                with suppress(ConnectionClosed, AssertionError):
                    await press(earlier, "add", number)
                await press(client, "add", number)
        client.seq = clicks
        await client.click("add")
        assert client.text.endswith(f"count {clicks + 1}")

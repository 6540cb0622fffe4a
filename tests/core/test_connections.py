"""Connections that send nothing, or not all of their request, to a running server."""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from ipaddress import ip_network
from typing import Any, cast
from uuid import UUID, uuid4

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request, WebSocket
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from websockets.asyncio.client import connect
from websockets.extensions.permessage_deflate import PerMessageDeflate
from websockets.frames import Frame

from fundwright.core import http_protocol
from fundwright.core.connections import Connections, note_signed_in
from fundwright.core.edge import ArrivingRequests, BoundedHeads
from fundwright.core.fair_loop import current_party
from fundwright.core.http_protocol import BoundedHttp, PlacedSocket
from fundwright.core.web import RequestId
from fundwright_ui.runtime.wire import LowMemoryWebSocket
from tests.support.polling import eventually

ADA = UUID(int=1)
_PIECE_BYTES = 65_536
Opened = tuple[asyncio.StreamReader, asyncio.StreamWriter]
SIZES: list[int] = []
"""Of the bodies that have arrived at `/size`."""
HALF = b"POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf"


class Strangers(Connections):
    """Counts this computer's connections like those of others."""

    def _is_exempt(self, address: str) -> tuple[bool, bool]:
        return False, False


def build() -> FastAPI:
    app = FastAPI()
    app.add_middleware(BoundedHeads)

    @app.get("/hello")
    async def hello(request: Request) -> str:
        if "signed" in request.headers:
            note_signed_in(request, ADA)
        return "hello"

    @app.post("/size")
    async def size(request: Request) -> int:
        SIZES.append(len(await request.body()))
        return SIZES[-1]

    @app.post("/refused", status_code=402)
    async def refused() -> str:
        return "no room"

    @app.websocket("/socket")
    async def socket(websocket: WebSocket) -> None:
        if "signed" in websocket.headers:
            note_signed_in(websocket, ADA)
        await websocket.accept()
        async for text in websocket.iter_text():
            await websocket.send_text(text)

    @app.websocket("/unread")
    async def unread(websocket: WebSocket) -> None:
        await websocket.accept()
        await asyncio.sleep(5)

    return app


class _Socket(LowMemoryWebSocket, PlacedSocket):
    pass


class Server:
    def __init__(self, places: Connections) -> None:
        self.places = places
        self._opened: list[Opened] = []
        config = uvicorn.Config(
            build(), port=0, log_config=None, lifespan="off", ws=_Socket, timeout_graceful_shutdown=1,
            http=cast(Any, partial(BoundedHttp, connections=places)),
        )  # fmt: skip
        self._uvicorn = uvicorn.Server(config)

    async def start(self) -> None:
        self._serving = asyncio.create_task(self._uvicorn.serve())
        await eventually(lambda: self._uvicorn.started)
        self.port = self._uvicorn.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    async def stop(self) -> None:
        for _, writer in self._opened:
            writer.close()
        self._uvicorn.should_exit = True
        await self._serving

    async def send(self, content: bytes) -> Opened:
        self._opened.append(await asyncio.open_connection("127.0.0.1", self.port))
        self._opened[-1][1].write(content)
        await self._opened[-1][1].drain()
        return self._opened[-1]


async def rest(opened: Opened) -> bytes:
    """What the server sends until it closes the connection. It may reset it after that, because more has arrived, and what it has sent counts."""
    answer = b""
    with suppress(ConnectionError):
        async with asyncio.timeout(20):
            while piece := await opened[0].read(_PIECE_BYTES):
                answer += piece
    return answer


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., Any]]:
    running: list[Server] = []

    async def start(*, most: int = 1_000, most_of_address: int = 1_000) -> Server:
        running.append(Server(Strangers(most=most, most_of_address=most_of_address)))
        await running[-1].start()
        return running[-1]

    yield start
    for each in running:
        await each.stop()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of time that a test can wait for."""
    monkeypatch.setattr(http_protocol, "_LIMITS", dict.fromkeys(http_protocol._LIMITS, 0.3))
    monkeypatch.setattr(http_protocol, "_LOOK_AGAIN_S", 0.1)


@pytest.mark.security(53)
class TestTime:
    @pytest.mark.security(33)
    @pytest.mark.parametrize("sent", [b"", b"GET /hello HTTP/1.1\r\nHost:", HALF])
    async def test_ends_a_request_that_does_not_arrive(self, serve: Callable[..., Any], quick: None, sent: bytes) -> None:
        server = await serve()
        answer = await rest(await server.send(sent))
        assert answer.startswith(b"HTTP/1.1 408 ") and b"did not arrive in time" in answer
        await eventually(lambda: len(server.places) == 0)

    async def test_ends_one_that_drips(self, serve: Callable[..., Any], quick: None) -> None:
        reader, writer = await (await serve()).send(b"GET /hello HTTP/1.1\r\n")

        async def drip() -> None:
            with suppress(ConnectionError):
                while True:
                    writer.write(b"X: y\r\n")
                    await writer.drain()
                    await asyncio.sleep(0.02)

        dripping = asyncio.create_task(drip())
        assert (await rest((reader, writer))).startswith(b"HTTP/1.1 408 ")
        dripping.cancel()

    async def test_suffices_for_a_slow_upload_that_makes_progress(
        self, serve: Callable[..., Any], quick: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(http_protocol, "_BODY_BYTES_PER_S", 1_000)

        async def slowly() -> AsyncIterator[bytes]:
            for _ in range(10):
                await asyncio.sleep(0.1)
                yield b"x" * 5_000

        async with httpx.AsyncClient() as client:
            answer = await client.post(f"{(await serve()).url}/size", content=slowly())
        assert (answer.status_code, answer.json()) == (200, 50_000)

    async def test_of_the_rest_of_a_request_that_has_been_answered(self, serve: Callable[..., Any], quick: None) -> None:
        opened = await (await serve()).send(HALF.replace(b"/size", b"/refused"))
        assert (await rest(opened)).startswith(b"HTTP/1.1 402 ")


class TestShutdown:
    @pytest.mark.parametrize("sent", [b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n", HALF + b"x" * 996])
    async def test_a_request_that_has_not_been_parsed_yet_is_answered(
        self, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, sent: bytes
    ) -> None:
        server = await serve()
        arrived = asyncio.Event()
        monkeypatch.setattr(BoundedHttp, "parse_soon", lambda *_: arrived.set())  # it is always someone else's turn
        opened = await server.send(sent)
        await arrived.wait()
        server._uvicorn.should_exit = True
        assert (await rest(opened)).startswith(b"HTTP/1.1 200 ")

    async def test_the_opening_of_a_socket_is_refused(self, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
        server = await serve()
        arrived = asyncio.Event()
        monkeypatch.setattr(BoundedHttp, "parse_soon", lambda *_: arrived.set())
        opened = await server.send(upgrade())
        await arrived.wait()
        server._uvicorn.should_exit = True
        assert (await rest(opened)).startswith(b"HTTP/1.1 500 ")


class TestHeads:
    @pytest.mark.security(53)
    @pytest.mark.parametrize(
        ("header", "status"),
        [(b"X: " + b"x" * 9_000, b"431"), (b"\r\n".join([b"X: y"] * 130), b"431"), (b"Content-Length: 1000", b"400")],
    )
    async def test_of_a_socket_that_cannot_be_read_are_answered(
        self, serve: Callable[..., Any], header: bytes, status: bytes
    ) -> None:
        server = await serve()
        assert (await rest(await server.send(upgrade(header)))).startswith(b"HTTP/1.1 " + status)
        await eventually(lambda: len(server.places) == 0)

    @pytest.mark.security(53)
    @pytest.mark.parametrize("path", [b"/hello", b"/socket"])
    @pytest.mark.parametrize(
        ("headers", "parameters", "status"), [(105, 0, b"431"), (90, 199, b"200"), (0, 201, b"422")], ids=lambda _: ""
    )
    async def test_have_few_headers_and_parameters(
        self, serve: Callable[..., Any], path: bytes, headers: int, parameters: int, status: bytes
    ) -> None:
        target = path + b"?" + b"&".join([b"a=1"] * parameters)
        sent = upgrade(*[b"X: y"] * headers).replace(b"/socket", target)
        if path == b"/hello":
            sent = sent.replace(b"Upgrade: websocket\r\n", b"").replace(b"Connection: Upgrade", b"Connection: close")
        answer = await (await serve()).send(sent)
        assert (await answer[0].readline()).split()[1] == (b"101" if path == b"/socket" and status == b"200" else status)

    async def test_of_a_socket_are_read(self, serve: Callable[..., Any]) -> None:
        opened = await (await serve()).send(upgrade(b"X: y"))
        assert (await opened[0].readline()).startswith(b"HTTP/1.1 101 ")


def upgrade(*headers: bytes) -> bytes:
    about = (
        b"Host: x",
        b"Connection: Upgrade",
        b"Upgrade: websocket",
        b"Sec-WebSocket-Version: 13",
        b"Sec-WebSocket-Key: " + b64encode(bytes(16)),
    )
    return b"\r\n".join((b"GET /socket HTTP/1.1", *about, *headers, b"", b""))


async def test_few_requests_of_one_client_may_be_arriving_behind_a_proxy() -> None:
    """Those of an account are counted apart at an address that strangers share with it, and at each address: someone else may have one of its tokens."""
    gate, statuses = asyncio.Event(), list[int]()

    async def app(_scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass
        await send({"type": "http.response.start", "status": 200})

    async def receive() -> Message:
        await gate.wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if "status" in message:
            statuses.append(message["status"])

    limited = RequestId(
        ArrivingRequests(app, most=2), account_of=lambda connection: ADA if "signed" in connection.headers else None
    )

    async def post(address: str, *headers: tuple[bytes, bytes]) -> None:
        scope = {"type": "http", "client": (address, 1), "headers": [(b"content-length", b"9"), *headers]}
        await limited(scope, receive, send)

    posts = [asyncio.create_task(post("198.51.100.7")) for _ in range(4)]
    await eventually(lambda: statuses == [429, 429])
    posts.append(asyncio.create_task(post("203.0.113.1")))
    posts.append(asyncio.create_task(post("198.51.100.7", (b"signed", b"ada"))))
    posts += [asyncio.create_task(post("198.51.100.7", (b"signed", b"ada"))) for _ in range(2)]
    await eventually(lambda: statuses == [429, 429, 429])
    posts.append(asyncio.create_task(post("192.0.2.1", (b"signed", b"ada"))))
    gate.set()
    await asyncio.gather(*posts)
    await post("198.51.100.7")
    assert statuses == [429] * 3 + [200] * 7


@pytest.mark.security(53)
class TestTurns:
    async def test_what_arrives_is_parsed_in_pieces_as_work_for_its_address(
        self, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        parse, parsed = H11Protocol.data_received, list[tuple[int, object]]()

        def noted(protocol: H11Protocol, data: bytes) -> None:
            parsed.append((len(data), current_party()))
            parse(protocol, data)

        monkeypatch.setattr(H11Protocol, "data_received", noted)
        server = await serve()
        head = b"POST /size HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        answer = await rest(await server.send(head + b"1\r\nx\r\n" * 50_000 + b"0\r\n\r\n"))
        assert answer.endswith(b"\r\n\r\n50000")
        assert max(size for size, _ in parsed) <= 4_000
        assert {party for _, party in parsed} == {"127.0.0.1"}

    async def test_and_as_work_for_the_account_once_a_person_has_signed_in(
        self, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Otherwise, everything that the people of an office send would be one share of the work."""
        parse, parsed = H11Protocol.data_received, list[object]()
        read, found = PlacedSocket.parse, list[object]()

        def noted(protocol: H11Protocol, data: bytes) -> None:
            parsed.append(current_party())
            parse(protocol, data)

        def noted_too(protocol: PlacedSocket, piece: bytes) -> None:
            found.append(current_party())
            read(protocol, piece)

        monkeypatch.setattr(H11Protocol, "data_received", noted)
        monkeypatch.setattr(PlacedSocket, "parse", noted_too)
        server = await serve()
        async with httpx.AsyncClient(base_url=server.url) as http:
            for _ in range(2):
                await http.get("/hello", headers={"signed": "yes"})
        assert parsed == ["127.0.0.1", ADA]
        async with connect(f"ws://127.0.0.1:{server.port}/socket", additional_headers={"signed": "yes"}) as socket:
            await socket.send("one")
            assert await socket.recv() == "one"
        assert (found[0], found[-1]) == ("127.0.0.1", ADA)

    @pytest.mark.parametrize("size", [10, 300_000])
    async def test_a_request_that_has_arrived_is_handled_though_its_sender_is_gone(
        self, serve: Callable[..., Any], size: int
    ) -> None:
        server = await serve()
        SIZES.clear()
        head = f"POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n".encode()
        opened = await server.send(head + b"x" * size)
        opened[1].write_eof()
        assert await eventually(lambda: SIZES) == [size]

    async def test_what_cannot_be_parsed_ends_the_connection(
        self, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(_protocol: H11Protocol, _data: bytes) -> None:
            raise RuntimeError("a fault of the parser")

        server = await serve()
        monkeypatch.setattr(H11Protocol, "data_received", fail)
        monkeypatch.setattr(asyncio.get_running_loop(), "_exception_handler", lambda *_: None)
        assert await rest(await server.send(HALF)) == b""
        await eventually(lambda: len(server.places) == 0)

    async def test_pings_of_a_client_that_reads_nothing_are_not_answered_for_ever(
        self, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened = list[_Socket]()
        made = _Socket.connection_made

        def noted(socket: _Socket, transport: asyncio.Transport) -> None:
            opened.append(socket)
            made(socket, transport)

        monkeypatch.setattr(_Socket, "connection_made", noted)
        server = await serve()
        async with connect(f"ws://127.0.0.1:{server.port}/unread") as client:
            client.transport.pause_reading()
            with suppress(TimeoutError):
                async with asyncio.timeout(2):
                    while True:
                        client.transport.write((b"\x89\xfd\0\0\0\0" + b"x" * 125) * 1_000)
                        while client.transport.get_write_buffer_size():
                            await asyncio.sleep(0)
            assert opened[0].transport.get_write_buffer_size() < 1_000_000
            client.transport.abort()

    async def test_a_socket_inflates_no_message_before_the_last_one_is_read(
        self, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        decode, inflated = PerMessageDeflate.decode, list[int]()

        def noted(extension: PerMessageDeflate, frame: Frame, **options: Any) -> Frame:
            found = decode(extension, frame, **options)
            inflated.append(len(found.data))
            return found

        server = await serve()
        async with connect(f"ws://127.0.0.1:{server.port}/unread") as socket:
            monkeypatch.setattr(PerMessageDeflate, "decode", noted)
            sending = [asyncio.create_task(socket.send("x" * 500_000)) for _ in range(50)]
            await asyncio.wait(sending)
            await asyncio.sleep(0.3)
            assert 0 < sum(inflated) <= 2 * 500_000
            monkeypatch.undo()


@pytest.mark.security(53)
class TestPlaces:
    @pytest.mark.security(33)
    async def test_half_open_requests_give_way_to_others(self, serve: Callable[..., Any]) -> None:
        server = await serve(most=40)
        async with httpx.AsyncClient(base_url=server.url, headers={"signed": "in"}) as ada:
            assert (await ada.get("/hello")).status_code == 200
            for number in range(300):
                await server.send(HALF)
                if number % 50 == 0:
                    assert (await ada.get("/hello")).status_code == 200
            await eventually(lambda: len(server.places) <= 40)
            assert (await ada.get("/hello")).status_code == 200
            async with httpx.AsyncClient() as stranger:
                assert (await stranger.get(f"{server.url}/hello")).status_code == 200

    async def test_one_address_has_a_few(self, serve: Callable[..., Any]) -> None:
        server = await serve(most_of_address=10)
        for _ in range(50):
            await server.send(HALF)
        await eventually(lambda: len(server.places) == 10)

    async def test_sockets_keep_theirs_and_return_them(self, serve: Callable[..., Any]) -> None:
        server = await serve(most=20, most_of_address=10)
        async with connect(f"ws://127.0.0.1:{server.port}/socket") as socket:
            for _ in range(50):
                await server.send(HALF)
            await socket.send("still here")
            assert await socket.recv() == "still here"
        for _, writer in server._opened:
            writer.close()
        await eventually(lambda: len(server.places) == 0)

    def test_people_who_are_signed_in_are_refused_to_nobody_else(self) -> None:
        """One account cannot take all places, and health checks of this computer have some."""
        places = Connections(most=100, most_of_address=1_000)
        closed: list[int] = []
        for number in range(100):
            place = places.admit("198.51.100.7", partial(closed.append, number))
            assert place is not None
            place.sign_in(ADA)
        assert places.admit("203.0.113.1", lambda: None) is not None
        assert closed == [64]  # the oldest one beyond the share of the account
        full = Connections(most=10, most_of_address=1_000)
        for _ in range(10):
            place = full.admit("198.51.100.7", lambda: None)
            assert place is not None
            place.sign_in(uuid4())
        assert full.admit("203.0.113.1", lambda: None) is None
        assert full.admit("127.0.0.1", lambda: None) is not None

    @pytest.mark.parametrize("address", ["198.51.100.7", "2001:db8::7", "127.0.0.2"])
    def test_strangers_at_one_address_are_limited(self, address: str) -> None:
        places, closed = Connections(most=1_000, most_of_address=10), list[int]()
        for number in range(12):
            assert places.admit(address, partial(closed.append, number)) is not None
        assert closed == [0, 1]

    @pytest.mark.parametrize("address", ["127.0.0.1", "::1", "192.0.2.9"])
    def test_this_computer_and_proxies_are_not(self, address: str) -> None:
        places = Connections(most=1_000, most_of_address=10, trusted=[cast(Any, ip_network("192.0.2.9"))])
        for _ in range(12):
            assert places.admit(address, pytest.fail) is not None

    def test_are_cheap(self) -> None:
        places = Connections(most=5_000, most_of_address=10_000)
        began = time.perf_counter()
        for _ in range(20_000):
            assert places.admit("198.51.100.7", lambda: None) is not None
        assert len(places) == 5_000 and time.perf_counter() - began < 5

"""The WebSocket protocol."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from fundwright.cli.serve import listen
from fundwright_ui.runtime.wire import LowMemoryWebSocket
from tests.support.polling import eventually

_PING = b"\x89\xfd" + bytes(4 + 125)
"""A client frame: a ping with 125 bytes, masked with zeros."""


async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """The response to errors, for example while the database is unavailable."""
    await receive()
    await PlainTextResponse("Try again.", 503)(scope, receive, send)


@dataclass(frozen=True)
class Server:
    port: int
    serving: uvicorn.Server

    @property
    def connections(self) -> set[Any]:
        """The protocol objects of the open connections."""
        return self.serving.server_state.connections

    @asynccontextmanager
    async def page(self) -> AsyncIterator[ClientConnection]:
        address = f"ws://127.0.0.1:{self.port}/socket"
        async with connect(address, max_size=None, ping_interval=None, compression=None, close_timeout=0.1) as client:
            yield client


@asynccontextmanager
async def served(app: Any, **options: Any) -> AsyncIterator[Server]:
    listening = listen("127.0.0.1", 0)
    serving = uvicorn.Server(
        uvicorn.Config(app, log_config=None, lifespan="off", ws=LowMemoryWebSocket, timeout_graceful_shutdown=1, **options)
    )
    task = asyncio.create_task(serving.serve([listening]))
    await eventually(lambda: serving.started)
    yield Server(listening.getsockname()[1], serving)
    serving.should_exit = True
    await task


async def listen_only(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


async def send_much(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    for _ in range(40):
        await send({"type": "websocket.send", "bytes": bytes(range(256)) * 4_000})


async def answer_much(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("x" * 40_000_000)(scope, receive, send)


async def test_a_refused_handshake_is_no_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "uvicorn.error")
    async with served(refuse) as server:
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://127.0.0.1:{server.port}/socket")
    assert (refused.value.response.status_code, refused.value.response.body) == (503, b"Try again.")
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert [record for record in caplog.records if "rejected (503" in record.getMessage()]


class TestAClientThatReadsNothing:
    @pytest.mark.security(33)
    @pytest.mark.slow
    async def test_is_not_read_from_either(self) -> None:
        async with served(listen_only) as server, server.page() as client:
            (connection,) = server.connections
            client.transport.pause_reading()
            client.transport.write(_PING * 200_000)
            await eventually(lambda: not connection.transport.is_reading())
            assert connection.transport.get_write_buffer_size() < 1_000_000
            client.transport.resume_reading()
            await eventually(lambda: client.transport.get_write_buffer_size() == 0)

    @pytest.mark.security(33)
    async def test_is_disconnected_when_no_ping_is_answered(self) -> None:
        async with served(send_much, ws_ping_interval=0.1, ws_ping_timeout=0.1) as server, server.page() as client:
            client.transport.pause_reading()
            await eventually(lambda: not server.connections)

    @pytest.mark.security(33)
    @pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux can do that")
    async def test_is_disconnected_in_the_middle_of_a_response(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("fundwright.cli.serve._UNREAD_TIMEOUT_MS", 300)
        async with served(answer_much) as server:
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            cast(asyncio.ReadTransport, writer.transport).pause_reading()
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await eventually(lambda: bool(server.connections))
            await eventually(lambda: not server.connections)
            writer.close()

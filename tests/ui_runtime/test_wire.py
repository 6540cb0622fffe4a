"""How WebSockets are spoken."""

from __future__ import annotations

import asyncio
import logging

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from fundwright.cli.serve import listen
from fundwright_ui.runtime.wire import FrugalWebSocket
from tests.polling import eventually


async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """As errors are answered, for example while the database is away."""
    await receive()
    await PlainTextResponse("Try again.", 503)(scope, receive, send)


async def test_a_refused_handshake_is_no_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "uvicorn.error")
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(refuse, log_config=None, lifespan="off", ws=FrugalWebSocket))
    serving = asyncio.create_task(server.serve([listening]))
    await eventually(lambda: server.started)
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"ws://127.0.0.1:{listening.getsockname()[1]}/socket")
    server.should_exit = True
    await serving
    assert (refused.value.response.status_code, refused.value.response.body) == (503, b"Try again.")
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert [record for record in caplog.records if "rejected (503" in record.getMessage()]

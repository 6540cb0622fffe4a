"""Requests that are not answered in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from fundwright.core.edge import RequestDeadline
from fundwright.core.web import DEADLINE, lift_deadline


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.add_middleware(RequestDeadline, limit_s=0.2)
    ended = asyncio.Event()

    @app.get("/frozen")
    async def frozen() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await ended.wait()  # like a rollback to a server that does not respond

    @app.get("/late")
    async def late(request: Request) -> str:
        await request.scope[DEADLINE].expired  # continues before the middleware does
        return "done"

    @app.get("/exempt")
    async def exempt(request: Request) -> str:
        lift_deadline(request.scope)
        await asyncio.sleep(0.5)
        return "done"

    @app.post("/size")
    async def size(request: Request) -> int:
        return len(await request.body())

    @app.get("/stream")
    async def stream() -> StreamingResponse:
        async def pieces() -> AsyncIterator[bytes]:
            yield b"one "
            await asyncio.sleep(0.5)
            yield b"two"

        return StreamingResponse(pieces())

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://fundwright.test") as client:
        yield client
    ended.set()


class TestDeadline:
    async def test_ends_a_request_even_if_it_cannot_be_canceled(self, client: httpx.AsyncClient) -> None:
        answer = await asyncio.wait_for(client.get("/frozen"), 20)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert answer.json()["error"]["message"].startswith("The server did not answer in time.")

    async def test_a_browser_gets_a_page_that_tries_again(self, client: httpx.AsyncClient) -> None:
        answer = await asyncio.wait_for(client.get("/frozen", headers={"accept": "text/html,*/*"}), 20)
        assert (answer.status_code, answer.headers["content-type"]) == (503, "text/html; charset=utf-8")
        assert "<p>The server did not answer in time." in answer.text
        assert '<meta http-equiv="refresh" content="5">' in answer.text

    async def test_answers_once_if_the_response_comes_at_the_last_moment(self, client: httpx.AsyncClient) -> None:
        answer = await asyncio.wait_for(client.get("/late"), 20)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "TooSlow")

    async def test_does_not_count_while_the_request_arrives_or_the_response_is_sent(self, client: httpx.AsyncClient) -> None:
        async def slowly() -> AsyncIterator[bytes]:
            for _ in range(2):
                await asyncio.sleep(0.3)
                yield b"piece"

        assert (await client.post("/size", content=slowly())).json() == 10
        assert (await client.get("/stream")).text == "one two"

    async def test_can_be_lifted(self, client: httpx.AsyncClient) -> None:
        assert (await client.get("/exempt")).json() == "done"

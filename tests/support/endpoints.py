"""Servers on loopback that answer like one of OpenAI, or not."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import SecretStr

from tests.support.polling import eventually

DONE = "data: [DONE]\n\n"


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[str]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        task = asyncio.create_task(server.serve([listening]))
        await eventually(lambda: server.started)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            server.should_exit = True
            await task


def chunk(content: str) -> str:
    """A piece of an answer. `content` is JSON, so that it may hold what Python cannot encode."""
    choice = f'{{"index":0,"delta":{{"content":{content}}},"finish_reason":null}}'
    return f'data: {{"id":"x","object":"chat.completion.chunk","created":1,"model":"known","choices":[{choice}]}}\n\n'


def answering(*events: str, media_type: str = "text/event-stream", pause_s: float = 0) -> FastAPI:
    """A server with the same answer to every question."""
    app = FastAPI()

    @app.post("/v1/chat/completions")
    @app.post("/v1/embeddings")
    async def answer() -> StreamingResponse:
        async def stream() -> AsyncIterator[str]:
            for each in events:
                yield each
                await asyncio.sleep(pause_s)

        return StreamingResponse(stream(), media_type=media_type)

    return app


def writer_at(address: str) -> dict[str, object]:
    """The settings of a writer."""
    return {"writer": "openai", "writer_url": address, "writer_key": SecretStr("right"), "writer_model": "known"}

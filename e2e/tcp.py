"""Handles TCP connections in a separate thread, because the browser is driven without an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


@contextmanager
def accepting(port: int, handle: Handle) -> Iterator[asyncio.AbstractEventLoop]:
    """Call `handle` for each connection to `port` of this machine. Yields the event loop in which it runs."""
    loop, started, stopping = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve() -> None:
        connections: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = asyncio.create_task(handle(reader, writer))
            connections.add(connection)
            connection.add_done_callback(connections.discard)

        server = await asyncio.start_server(accept, "127.0.0.1", port)
        started.set()
        await stopping.wait()
        server.close()
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert started.wait(5)
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join(5)

"""A TCP proxy that counts what a server sends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Proxy:
    """Passes every connection to `port` of this machine on to `target`. `sent` counts the bytes that came back."""

    def __init__(self, port: int, target: int) -> None:
        self.port = port
        self.sent = 0
        self._target = target
        self._has_sent = threading.Condition()
        self._connections: set[asyncio.Task[None]] = set()

    async def serve(self, stopping: asyncio.Event, started: threading.Event) -> None:
        server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        started.set()
        async with server:
            await stopping.wait()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(self._join(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._pass(reader, to_server), self._pass(from_server, writer, is_answer=True))

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, is_answer: bool = False) -> None:
        with suppress(OSError):
            while data := await source.read(65_536):
                if is_answer:
                    self._count(len(data))
                target.write(data)
                await target.drain()
        target.close()

    def _count(self, size: int) -> None:
        with self._has_sent:
            self.sent += size
            self._has_sent.notify_all()

    def wait_until_silent(self, for_s: float) -> None:
        """Until nothing has come back for so long."""
        with self._has_sent:
            while self._has_sent.wait(for_s):
                pass


@contextmanager
def proxied(port: int, target: int) -> Iterator[Proxy]:
    """A proxy in a thread of its own."""
    proxy = Proxy(port, target)
    started = threading.Event()
    loop = asyncio.new_event_loop()
    stopping = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(proxy.serve(stopping, started),), daemon=True)
    thread.start()
    started.wait(5)
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join(5)

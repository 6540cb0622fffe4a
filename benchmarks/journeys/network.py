"""A network with a latency, and what goes over it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from playwright.sync_api import Page, Request, WebSocket


class SlowNetwork:
    """Passes every connection to `port` of this machine on to `target`; each byte arrives `latency_s` later, either way."""

    def __init__(self, port: int, target: int) -> None:
        self.latency_s = 0.0
        self._port = port
        self._target = target
        self._connections: set[asyncio.Task[None]] = set()

    async def serve(self, stopping: asyncio.Event, started: threading.Event) -> None:
        async with await asyncio.start_server(self._accept, "127.0.0.1", self._port):
            started.set()
            await stopping.wait()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        for source, sink in ((reader, to_server), (from_server, writer)):
            passing = asyncio.create_task(self._pass(source, sink))
            self._connections.add(passing)
            passing.add_done_callback(self._connections.discard)

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Reading goes on while earlier bytes are still on their way, so that the latency is none of each packet in turn."""
        underway: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        delivering = asyncio.create_task(self._deliver(underway, sink))
        with suppress(OSError):
            while data := await source.read(65_536):
                underway.put_nowait((asyncio.get_running_loop().time() + self.latency_s, data))
        underway.put_nowait((0.0, b""))
        await delivering

    async def _deliver(self, underway: asyncio.Queue[tuple[float, bytes]], sink: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while True:
                due, data = await underway.get()
                if not data:
                    break
                await asyncio.sleep(due - asyncio.get_running_loop().time())
                sink.write(data)
                await sink.drain()
        sink.close()


@contextmanager
def slow_network(port: int, target: int) -> Iterator[SlowNetwork]:
    """A network in a thread of its own."""
    network = SlowNetwork(port, target)
    loop, started, stopping = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(network.serve(stopping, started),), daemon=True)
    thread.start()
    started.wait(5)
    try:
        yield network
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join(5)


class Traffic:
    """What a page sends and receives, uncompressed. Requests for files that a browser keeps (`/assets/`) are left out."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        self.round_trips = 0
        self._is_waiting = False
        page.on("websocket", self._listen)
        page.on("request", self._requested)

    def start(self) -> None:
        self.bytes = self.round_trips = 0
        self._is_waiting = False

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: self._sent(len(_encoded(frame))))
        socket.on("framereceived", lambda frame: self._received(len(_encoded(frame))))

    def _requested(self, request: Request) -> None:
        if "/assets/" not in request.url and not request.url.startswith(("data:", "blob:")):
            self._sent(len(request.post_data_buffer or b""))
            self._received(0)

    def _sent(self, size: int) -> None:
        """Several messages without an answer between them are one round trip."""
        self.bytes += size
        if not self._is_waiting:
            self.round_trips += 1
        self._is_waiting = True

    def _received(self, size: int) -> None:
        self.bytes += size
        self._is_waiting = False


def _encoded(frame: str | bytes) -> bytes:
    return frame if isinstance(frame, bytes) else frame.encode()

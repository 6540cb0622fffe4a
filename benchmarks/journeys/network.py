"""A network with latency that counts its traffic."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from playwright.sync_api import Page, Request, WebSocket

from e2e.tcp import accepting


class SlowNetwork:
    """Forwards every connection to port `target` of this machine; each byte arrives `latency_s` later, in both directions."""

    def __init__(self, target: int) -> None:
        self.latency_s = 0.0
        self._target = target

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._pass(reader, to_server), self._pass(from_server, writer))

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Keeps reading while earlier bytes are still delayed, so that the latency does not add up over packets."""
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
    """Runs the network in its own thread."""
    network = SlowNetwork(target)
    with accepting(port, network.join):
        yield network


class Traffic:
    """The uncompressed traffic of a page, without requests for cacheable files (`/assets/`)."""

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
        """Several messages without a response in between are one round trip."""
        self.bytes += size
        if not self._is_waiting:
            self.round_trips += 1
        self._is_waiting = True

    def _received(self, size: int) -> None:
        self.bytes += size
        self._is_waiting = False


def _encoded(frame: str | bytes) -> bytes:
    return frame if isinstance(frame, bytes) else frame.encode()

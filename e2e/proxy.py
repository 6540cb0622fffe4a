"""A proxy between the browser and one or more servers that simulates network faults."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise

from e2e.tcp import accepting

_REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Proxy:
    """Forwards each request to one of the `targets`, chosen at random. Runs in its own thread.

    With `refuses_upgrades`, it responds to WebSockets with 403, like a proxy that does not support them.
    """

    def __init__(self, port: int, targets: Sequence[int], *, refuses_upgrades: bool = False, seed: int = 0) -> None:
        self.port = port
        self.targets = list(targets)
        self.refuses_upgrades = refuses_upgrades
        self.asked = set[int]()
        """Targets that have responded to at least one request."""
        self.opened: list[int] = []
        """The targets of page connections (WebSockets and event streams), in order."""
        self._random = random.Random(seed)
        self._of_pages: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """Drop the connections of all pages."""
        asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result(5)

    async def _cut(self) -> None:
        for writer in self._of_pages:
            writer.transport.abort()
        self._of_pages.clear()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                is_socket = b"upgrade: websocket" in head.lower()
                if is_socket and self.refuses_upgrades:
                    writer.write(_REFUSED)
                    return
                target = self._random.choice(self.targets)
                self.asked.add(target)
                if is_socket or head.startswith(b"POST /stream HTTP"):
                    self.opened.append(target)
                    self._of_pages.add(writer)
                from_server, to_server = await asyncio.open_connection("127.0.0.1", target)
                # The browser's next request opens its own connection, which may go to another target.
                to_server.write(head.replace(b"Connection: keep-alive\r\n", b"Connection: close\r\n"))
                await asyncio.gather(self._pass(reader, to_server), self._pass(from_server, writer))
            finally:
                self._of_pages.discard(writer)
                writer.close()

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65_536):
                target.write(data)
                await target.drain()
        finally:
            target.close()

    @contextmanager
    def running(self) -> Iterator[Proxy]:
        with accepting(self.port, self._join) as self._loop:
            yield self

    @property
    def switches(self) -> int:
        """How often a page's next connection went to another target."""
        return sum(one != other for one, other in pairwise(self.opened))

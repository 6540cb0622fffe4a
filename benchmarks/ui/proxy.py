"""A TCP proxy that counts the bytes that a server sends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from e2e.tcp import accepting


class Proxy:
    """Forwards every connection to port `target` of this machine. `sent` counts the bytes of responses."""

    def __init__(self, target: int) -> None:
        self.sent = 0
        self._target = target
        self._has_sent = threading.Condition()

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
        """Wait until no bytes have come back for this time."""
        with self._has_sent:
            while self._has_sent.wait(for_s):
                pass


@contextmanager
def proxied(port: int, target: int) -> Iterator[Proxy]:
    """Runs a proxy in its own thread."""
    proxy = Proxy(target)
    with accepting(port, proxy.join):
        yield proxy

"""A way to the database that can stop passing anything on, as if the server were frozen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from fundwright.core.database_address import libpq_url


class Relay:
    """Accepts connections to `url`, and passes on what they send and receive until it is `frozen`."""

    url: str

    def __init__(self) -> None:
        self._goes_on = asyncio.Event()
        self._goes_on.set()
        self._pumps = set[asyncio.Task[None]]()

    def freeze(self) -> None:
        self._goes_on.clear()

    def thaw(self) -> None:
        self._goes_on.set()

    @asynccontextmanager
    async def to(self, url: str) -> AsyncIterator[Relay]:
        address = conninfo_to_dict(url)
        path = Path(str(address["host"])) / f".s.PGSQL.{address.get('port', 5432)}"

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            server_reader, server_writer = await asyncio.open_unix_connection(path)
            for source, target in ((reader, server_writer), (server_reader, writer)):
                pump = asyncio.create_task(self._pump(source, target))
                self._pumps.add(pump)
                pump.add_done_callback(self._pumps.discard)

        async with await asyncio.start_server(accept, "127.0.0.1", 0) as listening:
            port = listening.sockets[0].getsockname()[1]
            self.url = libpq_url(f"postgresql://{address['user']}@127.0.0.1:{port}/{address['dbname']}")
            yield self
            for pump in self._pumps:
                pump.cancel()
            await asyncio.gather(*self._pumps, return_exceptions=True)

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError):
                while piece := await source.read(65_536):
                    await self._goes_on.wait()
                    target.write(piece)
        finally:
            target.close()

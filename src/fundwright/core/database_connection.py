"""Connections that break when the database server no longer responds, for example because it is frozen. TCP notices only servers that are gone."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from contextvars import Context
from typing import Any

import psycopg
import structlog
from psycopg.abc import RV, PQGen
from psycopg.conninfo import make_conninfo

log = structlog.get_logger()

_SILENT_S = 5.0
"""How long a connection waits until it asks whether the server responds, and again after each response."""
_PATIENCE_S = 5.0
"""How long a server may take to accept a new connection, however busy it is."""
_GRACE_S = 0.5
"""In addition, because the event loop itself may have been busy."""
_NEVER_S = 3600
_RETRY_S = 5.0
"""How long no one tries to connect to a server that did not respond."""


class DatabaseServer:
    """The server at the address `url`, and whether it responds."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._silent_until = 0.0
        self._asking: dict[tuple[str, ...], asyncio.Task[bool]] = {}

    async def connect(self) -> Driver:
        """Raises OperationalError if the server does not respond."""
        if time.monotonic() < self._silent_until:
            raise psycopg.OperationalError("The database server does not respond.")
        try:
            # A prepared statement is planned for values in general; a search for a frequent word then takes twice as long.
            connection = await Driver.connect(self._url, autocommit=True, prepare_threshold=None)
        except psycopg.errors.ConnectionTimeout:
            self._silent_until = time.monotonic() + _RETRY_S
            raise
        connection.server = self
        return connection

    async def is_silent(self, info: psycopg.ConnectionInfo) -> bool:
        """Whether the host of a connection accepts no others, once for all that wait. Of a pooler, this says whether the pooler does: a statement that
        waits in its queue does not count."""
        host = {"host": info.host, "hostaddr": info.hostaddr, "port": str(info.port)}
        key = tuple(host.values())
        if key not in self._asking:
            self._asking[key] = asyncio.create_task(self._ask(make_conninfo(self._url, **host, target_session_attrs="any")))
            self._asking[key].add_done_callback(lambda _: self._asking.pop(key))
        return await asyncio.shield(self._asking[key])

    async def _ask(self, address: str) -> bool:
        asking = asyncio.create_task(_connect(address))
        await asyncio.wait([asking], timeout=_PATIENCE_S)
        await asyncio.wait([asking], timeout=_GRACE_S)
        if asking.done():
            asking.exception()  # that it was refused is an answer, too
            return False
        asking.cancel()  # not awaited: it may wait for the server
        self._silent_until = time.monotonic() + _RETRY_S
        log.warning("database.silent", seconds=_SILENT_S + _PATIENCE_S)
        return True


async def _connect(address: str) -> None:
    await (await psycopg.AsyncConnection.connect(address, connect_timeout=_NEVER_S)).close()


class Driver(psycopg.AsyncConnection[Any]):
    """Waits for a statement as long as the server responds to others."""

    server: DatabaseServer

    async def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        watching: asyncio.Task[None] | None = None

        def watch() -> None:
            nonlocal watching
            watching = asyncio.create_task(self._break_when_silent())

        soon = asyncio.get_running_loop().call_later(_SILENT_S, watch, context=Context())  # as work of the server itself
        try:
            return await super().wait(gen, interval, timeout)
        finally:
            soon.cancel()
            if watching is not None:
                watching.cancel()

    async def _break_when_silent(self) -> None:
        while True:
            if await self.server.is_silent(self.info):
                with socket.socket(fileno=os.dup(self.fileno())) as own:
                    own.shutdown(socket.SHUT_RDWR)  # the statement ends as if the server had closed the connection
                return
            await asyncio.sleep(_SILENT_S)

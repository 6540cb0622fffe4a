"""What the database says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright_ui.hooks.live import use_live
from fundwright_ui.runtime.connection import Connection, use_connection
from fundwright_ui.runtime.faults import sentence_of
from fundwright_ui.runtime.layout import at_unmount, rerenderer, use_kept
from fundwright_ui.runtime.packing import packing_of

T = TypeVar("T")


class Query(Generic[T]):
    """The answer to a question: `value` is None until there is one, and keeps the old one while a new one is read."""

    def __init__(self, connection: Connection, rerender: Callable[[], None]) -> None:
        self._value: T | None = None
        self._packed = b""
        self._packing = packing_of(None)
        self.error: str | None = None
        """A sentence for the person, when the last reading failed."""
        self.is_missing = False
        """The last reading raised NotFound: what the address names is gone. First paint answers 404 then."""
        self.is_loading = False
        self._connection = connection
        self._rerender = rerender
        self._read: Callable[[AsyncSession], Awaitable[T]] | None = None
        self._key: tuple[object, ...] | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_stale = False
        connection.at_rest.add(self.rest)
        at_unmount(self.close)

    @property
    def value(self) -> T | None:
        if self._packed:
            self._value, self._packed = self._packing.unpack_value(self._packed), b""
        return self._value

    def rest(self) -> None:
        """Keep the answer packed until somebody asks for it."""
        if self._value is not None:
            self._packing = packing_of(getattr(self._read, "__code__", None))
            self._packed = self._packing.pack_value(self._value)
            if self._packed:
                self._value = None

    def reload(self) -> None:
        """Ask again. While an answer is on its way, ask once more after it."""
        if self._task is not None:
            self._is_stale = True
            return
        self._start()
        self._rerender()

    def hear(self, _payload: object) -> None:
        self.reload()

    def ask(self, read: Callable[[AsyncSession], Awaitable[T]], key: tuple[object, ...]) -> None:
        """Read with `read`; starts when `key` is not that of the last reading."""
        self._read = read
        before, self._key = self._key, key
        if key != before:
            self._cancel()
            self._start()

    def close(self) -> None:
        self._connection.at_rest.discard(self.rest)
        self._cancel()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _start(self) -> None:
        self.is_loading = True
        self._is_stale = False
        self._task = self._connection.run_query(self._run())

    async def _run(self) -> None:
        assert self._read is not None
        try:
            async with self._connection.core.database.transaction() as session:
                value = await self._read(session)
            self._value, self._packed = value, b""
            self.error, self.is_missing = None, False
        except Exception as error:
            if isinstance(error, NotFound):  # a handler that removes what is shown has yet to lead away from it
                await self._connection.until_handled()
            self.error = sentence_of(error, while_doing="query")
            self.is_missing = isinstance(error, NotFound)
            self._connection.is_missing = self._connection.is_missing or self.is_missing
        self.is_loading = False
        self._task = None
        if self._is_stale:
            self._start()
        self._rerender()


def use_query(
    read: Callable[[AsyncSession], Awaitable[T]],
    *,
    key: Sequence[object] = (),
    topics: Sequence[str] = (),
) -> Query[T]:
    """Ask the database in a transaction of its own; again when `key` changes or one of the live `topics` speaks.

    First paint waits for the answer (at most about a second), so that the page arrives complete. An answer is packed while
    nobody does anything, and is an equal one afterwards, not the same: read it, and do not change it.
    """
    connection = use_connection()
    query: Query[T] = use_kept(lambda: Query(connection, rerenderer()))
    query.ask(read, tuple(key))
    use_live(topics, query.hear)
    return query

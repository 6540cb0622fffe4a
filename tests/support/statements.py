"""Database statements and waiting times: measures of work that do not depend on the machine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, Engine, event


@contextmanager
def statements(of: Connection | Engine) -> Iterator[list[str]]:
    """All statements in this context over this connection, or over connections that this engine opens from now on."""
    sent: list[str] = []

    def note(_connection: Connection, _cursor: Any, statement: str, *_others: object) -> None:
        sent.append(statement)

    event.listen(of, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(of, "before_cursor_execute", note)


_counting: ContextVar[list[float] | None] = ContextVar("_counting", default=None)


@contextmanager
def waits() -> Iterator[list[float]]:
    """The seconds that code in this context waits for time to pass. Tasks of other tests, which may still wait on the same event
    loop, do not count."""
    loop = asyncio.get_running_loop()
    call_later, delays = loop.call_later, list[float]()

    def note(delay: float, *arguments: Any, **options: Any) -> asyncio.TimerHandle:
        if _counting.get() is delays:
            delays.append(delay)
        return call_later(delay, *arguments, **options)

    token = _counting.set(delays)
    try:
        with patch.object(loop, "call_later", note):
            yield delays
    finally:
        _counting.reset(token)

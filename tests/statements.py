"""What is asked of the database: a measure of work that does not depend on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event


@contextmanager
def statements(of: Connection | Engine) -> Iterator[list[str]]:
    """Every statement that is sent in here over this connection, or over the connections that this engine opens from now on."""
    sent: list[str] = []

    def note(_connection: Connection, _cursor: Any, statement: str, *_others: object) -> None:
        sent.append(statement)

    event.listen(of, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(of, "before_cursor_execute", note)

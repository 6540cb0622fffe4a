"""Whose rows a database session sees. Boundaries say for whom a task acts, and PostgreSQL hides the rows of all other workspaces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, event, func, select
from sqlalchemy.exc import DBAPIError, InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session, SessionTransaction


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose rows a session sees and may write. The policies of row-level security read it from the settings of the connection."""

    workspace_id: UUID | None = None
    account_id: UUID | None = None
    is_installation: bool = False
    share_id: UUID | None = None
    """The link through which a guest reads and writes comments. Guests act in no workspace."""

    @property
    def settings(self) -> Mapping[str, str]:
        return {
            "app.workspace_id": str(self.workspace_id or ""),
            "app.account_id": str(self.account_id or ""),
            "app.is_installation": "on" if self.is_installation else "",
            "app.share_id": str(self.share_id or ""),
        }


NOBODY = Scope()
"""No workspace: what a task has that no boundary has authenticated."""
INSTALLATION = Scope(is_installation=True)
"""All workspaces: only for work of the installation, such as expiry, statistics, and account deletion."""

_current: ContextVar[Scope] = ContextVar("scope", default=NOBODY)


def act_in(scope: Scope) -> None:
    """Give this scope to the database sessions that the current task begins from now on. Only boundaries call this."""
    _current.set(scope)


@contextmanager
def acting_in(scope: Scope) -> Iterator[None]:
    """Like `act_in`, until the context ends."""
    before = _current.get()
    _current.set(scope)
    try:
        yield
    finally:
        _current.set(before)


_KEY = "fundwright.scope"
"""The scope of a session or of a connection, in its `info`. A connection without one has an unknown scope."""


class ScopedSession(Session):
    """A session with the scope given to it, or else that of the task that executes its first statement."""


def info_of(scope: Scope | None) -> dict[str, Scope]:
    """The `info` of a session with this scope."""
    return {} if scope is None else {_KEY: scope}


def _set_scope(session: Session, transaction: SessionTransaction, connection: Connection) -> None:
    """Give the connection the session's scope, unless it has it from before.

    This happens before BEGIN: otherwise PostgreSQL would restore the earlier scope when the transaction is rolled back.
    """
    if transaction.nested:
        return
    scope: Scope = session.info.setdefault(_KEY, _current.get())
    if connection.info.get(_KEY) != scope:
        connection.info.pop(_KEY, None)
        driver: Any = connection.connection.dbapi_connection
        names = ", ".join(f"set_config('{name}', %s, false)" for name in scope.settings)
        try:
            is_autocommit, driver.autocommit = driver.autocommit, True
            driver.cursor().execute(f"SELECT {names}", tuple(scope.settings.values()))
            driver.autocommit = is_autocommit
        except BaseException:  # canceled, or the connection is lost
            connection.invalidate()
            raise
        connection.info[_KEY] = scope


event.listen(ScopedSession, "after_begin", _set_scope)


@asynccontextmanager
async def across_workspaces(session: AsyncSession) -> AsyncIterator[None]:
    """Let a session see all workspaces until the context ends: for queries of the installation in the session of an account."""
    async with switched_to(session, INSTALLATION):
        yield


@asynccontextmanager
async def switched_to(session: AsyncSession, wanted: Scope) -> AsyncIterator[None]:
    """Give a session another scope until the context ends."""
    connection = (await session.connection()).sync_connection
    scope: Scope | None = session.info.get(_KEY)
    if connection is None or scope is None or scope == wanted:
        yield
        return
    connection.info.pop(_KEY, None)
    session.info[_KEY] = wanted
    await _change(session, wanted)
    try:
        yield
    except BaseException:
        # A failed transaction restores the scope when it is rolled back.
        with suppress(DBAPIError, InvalidRequestError):
            await _change(session, scope)
        raise
    else:
        await _change(session, scope)
        connection.info[_KEY] = scope
    finally:
        session.info[_KEY] = scope


async def _change(session: AsyncSession, scope: Scope) -> None:
    await session.execute(select(*(func.set_config(name, value, False) for name, value in scope.settings.items())))

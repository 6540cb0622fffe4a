"""Whose rows a database session sees. Boundaries say for whom a task acts, and PostgreSQL hides the rows of all other workspaces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.fair_loop import work_for


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose rows a session sees and may write. The policies of row-level security read it from the settings of the connection."""

    workspace_id: UUID | None = None
    account_id: UUID | None = None
    purpose: LiteralString | None = None
    """What the installation does, across all workspaces: one of the purposes in the table `installation_purpose`. The database refuses
    others."""
    share_id: UUID | None = None
    """The link through which a guest reads and writes comments. Guests act in no workspace."""

    @property
    def expressions(self) -> Iterator[str]:
        """SQL expressions that give this scope to the transaction in which they are evaluated."""
        for name, id in (("workspace_id", self.workspace_id), ("account_id", self.account_id), ("share_id", self.share_id)):
            yield f"set_config('app.{name}', '{id or ''}', true)"
        # Its value is a proof that only this function can write.
        yield f"enter_installation('{self.purpose}')" if self.purpose else "set_config('app.is_installation', '', true)"


NOBODY = Scope()
"""No workspace: what a task has that no boundary has authenticated."""


def installation(purpose: LiteralString) -> Scope:
    """All workspaces: only for work of the installation, such as expiry, statistics, and account deletion."""
    return Scope(purpose=purpose)


_current: ContextVar[Scope] = ContextVar("scope", default=NOBODY)


def acting() -> Scope:
    """The scope of the current task."""
    return _current.get()


def act_in(scope: Scope) -> None:
    """Give this scope to the database sessions that the current task begins from now on. If the scope has an account, the task also works for that
    account. Only boundaries call this."""
    _current.set(scope)
    if scope.account_id is not None:
        work_for(scope.account_id)


@contextmanager
def acting_in(scope: Scope) -> Iterator[None]:
    """Give this scope to the database sessions that the current task begins, until the context ends. Unlike `act_in`, this does not change the
    party for which the task works."""
    before = _current.get()
    _current.set(scope)
    try:
        yield
    finally:
        _current.set(before)


_KEY = "fundwright.scope"
"""The scope of a transaction, in the options of its engine if it was given one, and in the `info` of its connection once it has begun."""


def options_of(scope: Scope) -> dict[str, Scope]:
    """The options of an engine whose transactions have this scope. Those of an engine without one have that of the current task."""
    return {_KEY: scope}


def begin(connection: Connection, command: str, *more: str) -> None:
    """Begin a transaction and give it its scope. `more` are expressions that are evaluated with it.

    Both travel in one message, and the scope ends with the transaction: behind a pooler, the next one on the same connection to the
    server may be another process's.
    """
    scope: Scope = connection.get_execution_options().get(_KEY) or _current.get()
    driver: Any = connection.connection.dbapi_connection
    try:
        driver.cursor().execute(f"{command}; SELECT {', '.join((*scope.expressions, *more))}")
    except BaseException:  # canceled, or the connection is lost
        connection.invalidate()
        raise
    connection.info[_KEY] = scope


@asynccontextmanager
async def across_workspaces(session: AsyncSession, purpose: LiteralString) -> AsyncIterator[None]:
    """Let a session see all workspaces until the context ends: for queries of the installation in the session of an account. One that
    sees them already keeps its purpose."""
    connection = (await session.connection()).sync_connection
    scope: Scope | None = connection.info.get(_KEY) if connection is not None else None
    async with switched_to(session, scope if scope is not None and scope.purpose else installation(purpose)):
        yield


@asynccontextmanager
async def switched_to(session: AsyncSession, wanted: Scope) -> AsyncIterator[None]:
    """Give a session another scope until the context ends."""
    connection = (await session.connection()).sync_connection
    scope: Scope | None = connection.info.get(_KEY) if connection is not None else None
    if connection is None or scope is None or scope == wanted:
        yield
        return
    await _change(session, connection, wanted)
    try:
        yield
    except BaseException:
        # A failed transaction restores the scope when it is rolled back.
        with suppress(DBAPIError, InvalidRequestError):
            await _change(session, connection, scope)
        raise
    else:
        await _change(session, connection, scope)


async def _change(session: AsyncSession, connection: Connection, scope: Scope) -> None:
    connection.info[_KEY] = scope
    await session.execute(text(f"SELECT {', '.join(scope.expressions)}"))

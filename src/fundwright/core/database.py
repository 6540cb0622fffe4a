"""The database: one engine per process and one transaction per request, job step, or UI event."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from select import POLLIN, poll
from typing import Any, cast

import psycopg
import structlog
from psycopg.sql import SQL, Identifier
from sqlalchemy import Connection, DateTime, Engine, MetaData, event, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.exc import TimeoutError as NoFreeConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Session
from sqlalchemy.pool import AsyncAdaptedQueuePool, ConnectionPoolEntry
from sqlalchemy.util import await_only

from fundwright.core import database_role, scopes
from fundwright.core.database_connection import DatabaseServer, Driver
from fundwright.core.errors import ConnectionsTaken, DatabaseAway, DatabaseSlow, DiskFull, ItemHidden, UnusableText, WorkspaceGone
from fundwright.core.fair_loop import current_party
from fundwright.core.json_values import JsonObject
from fundwright.core.scopes import Scope
from fundwright.core.turns import Turns

log = structlog.get_logger()


class Base(DeclarativeBase):
    """Declarative base of all tables. `JsonObject` columns are JSONB, `datetime` columns carry a time zone."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {JsonObject: JSONB, datetime: DateTime(timezone=True)}


def now() -> datetime:
    return datetime.now(UTC)


async def refresh_statistics(session: AsyncSession, *tables: type[Base]) -> None:
    """Update the planner's statistics after a job that added many rows.

    PostgreSQL does this automatically, but up to a minute later. Until then, a question to the knowledge base took five times as
    long.
    """
    await session.execute(select(func.refresh_statistics(*(table.__tablename__ for table in tables))))


async def acquire_lock(session: AsyncSession, name: str, *, is_shared: bool = False) -> None:
    """Wait until no other transaction, in any process, holds the lock with this name, and hold it until the transaction ends.
    Transactions for which it `is_shared` do not wait for each other.

    Use it for decisions that depend on rows that do not exist yet: a row lock cannot keep others from adding them.
    """
    lock = func.pg_advisory_xact_lock_shared if is_shared else func.pg_advisory_xact_lock
    await session.execute(select(lock(func.hashtextextended(name, 0))))


@dataclass(slots=True)
class _Held:
    """A session in use, visible to everything that its body calls. Tasks that outlive the body see that it has ended."""

    is_nested: bool
    is_open: bool = True


_held: ContextVar[_Held | None] = ContextVar("held", default=None)


class ConnectionHeld(RuntimeError):
    """A programming error: a call that may take a minute was made while a database session was in use."""


def require_no_transaction(what: str) -> None:
    """Raise ConnectionHeld inside `Database.transaction` and `Database.reading`.

    Use it before calls to other servers: the pool has few connections, and one that is held for a minute is unavailable to all
    others.
    """
    held = _held.get()
    if held is not None and held.is_open:
        raise ConnectionHeld(
            f"{what} while a database session is in use. Read first, close the session, make the call, and write in another transaction."
        )


def without_session() -> Context:
    """The current context, for a task that outlives the session in use."""
    context = copy_context()
    context.run(_held.set, None)
    return context


def call_after_commit(session: AsyncSession, function: Callable[[], object]) -> None:
    """Call `function` once the transaction of the session has been committed; the end of a savepoint is none. Tasks that it starts act as
    the caller, without its session."""
    context = without_session()
    is_called = False

    def call(committed: Session) -> None:
        nonlocal is_called
        if not is_called and not committed.in_nested_transaction():
            is_called = True
            context.run(function)

    event.listen(session.sync_session, "after_commit", call)


class _NoTurn(NoFreeConnection):
    """The party already holds its share of the connections."""


@contextmanager
def _failures() -> Iterator[None]:
    """Mark a connection as held by the body, and raise database errors from it as errors of ours."""
    before = _held.get()
    held = _Held(is_nested=before is not None and before.is_open)
    _held.set(held)
    try:
        yield
    except _NoTurn as error:
        raise ConnectionsTaken from error
    except NoFreeConnection as error:
        raise DatabaseAway from error
    except (DBAPIError, psycopg.OperationalError) as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(reason, psycopg.errors.DiskFull):
            raise DiskFull from error
        # Errors of the driver have no class of their own either; in JSON, the server refuses such values.
        if type(reason) is psycopg.DataError or isinstance(reason, psycopg.errors.UntranslatableCharacter):
            raise UnusableText from error
        if isinstance(reason, psycopg.errors.ForeignKeyViolation) and (reason.diag.constraint_name or "").endswith(_OF_WORKSPACE):
            raise WorkspaceGone from error
        if isinstance(reason, psycopg.errors.InsufficientPrivilege) and reason.diag.source_function == _POLICIES_CHECK:
            log.warning("database.hidden", reason=str(reason).splitlines()[0])
            raise ItemHidden from error
        if isinstance(reason, psycopg.errors.QueryCanceled):
            log.warning("database.slow", reason=str(reason).splitlines()[0])
            raise DatabaseSlow from error
        # A lost or refused connection has no class of its own, or one of these.
        if type(reason) is psycopg.OperationalError or isinstance(reason, _AWAY):
            raise DatabaseAway from error
        raise
    finally:
        held.is_open = False
        _held.set(before)


_POLICIES_CHECK = "ExecWithCheckOptions"
"""The function of PostgreSQL that refuses rows which row-level security hides."""
_OF_WORKSPACE = "_workspace"
"""The names of foreign keys that refer to a workspace end with this."""
_AWAY = (
    psycopg.errors.AdminShutdown,
    psycopg.errors.CrashShutdown,
    psycopg.errors.CannotConnectNow,
    psycopg.errors.ConnectionTimeout,
    psycopg.errors.ProtocolViolation,  # what PgBouncer reports when it has no connection to the server
)


_TRUSTED_S = 10.0
"""How long an unused connection is considered alive without pinging the server, unless its socket has something to read."""


class WriteRefused(RuntimeError):
    """A programming error: an attempt to write in `Database.reading`."""


_SETTINGS = {"hnsw.ef_search": "300", "hnsw.iterative_scan": "relaxed_order"}
"""Of every transaction. Searches of vector indexes look at as many vectors as compete in a search, and at more when conditions leave
out some of them."""
_MODE = "fundwright.mode"
"""The option of an engine that says how its transactions begin."""
_READ_ONLY, _SNAPSHOT = "READ ONLY", "ISOLATION LEVEL REPEATABLE READ READ WRITE"


_PATIENT_S = 600
_statement_limit_s: ContextVar[int] = ContextVar("statement_limit", default=30)
"""Seconds after which the server ends a statement, for example because another transaction holds a row. No one waits longer for a page."""


@contextmanager
def patient() -> Iterator[None]:
    """Let each statement of the transactions that begin in this context take ten minutes instead of 30 s, and let them wait for a connection until
    their party has one: for jobs."""
    before = _statement_limit_s.set(_PATIENT_S)
    try:
        yield
    finally:
        _statement_limit_s.reset(before)


def _begin(connection: Connection) -> None:
    """Begin a transaction in one round trip with its scope and settings.

    The driver does not begin transactions itself, and nothing is set for longer than one: behind a pooler, the next statement of a
    connection may be executed on another connection to the server.
    """
    mode: str = connection.get_execution_options().get(_MODE, "READ WRITE")
    settings = _SETTINGS | {"statement_timeout": f"{_statement_limit_s.get()}s"}
    scopes.begin(connection, f"BEGIN {mode}", *(f"set_config('{name}', '{value}', true)" for name, value in settings.items()))


def _replace_dead_connections(engine: Engine) -> None:
    """Check each connection before it is used, and replace it when the server has closed it.

    SQLAlchemy's own check pings the server each time. Here the server is pinged only when the socket has something to read, such as
    its end, or when the connection has not been used for a while, because a firewall may have dropped it silently.
    """

    def note_use(_connection: object, record: Any) -> None:
        record.info["used_at"] = time.monotonic()

    def check(connection: Any, record: Any, _checked_out: object) -> None:
        used_at: float | None = record.info.get("used_at")
        if used_at is None:
            return  # the connection has just been opened
        if time.monotonic() - used_at < _TRUSTED_S and not _is_readable(connection.driver_connection):
            return
        try:
            engine.dialect.do_ping(connection)
        except psycopg.Error as error:
            raise InvalidatePoolError from error

    event.listen(engine, "checkin", note_use)
    event.listen(engine, "checkout", check)


def _is_readable(connection: psycopg.AsyncConnection[Any]) -> bool:
    """Whether the server has closed the connection or sent something unrequested. False while the connection is merely idle."""
    if connection.closed:
        return True
    polled = poll()
    polled.register(connection.fileno(), POLLIN)
    return bool(polled.poll(0))


def _session(engine: AsyncEngine, scope: Scope | None) -> AsyncSession:
    return AsyncSession(engine.execution_options(**scopes.options_of(scope)) if scope else engine, expire_on_commit=False)


_SHARE = 3
"""A party can have a third of the connections. Those of nested sessions are not counted. A sixth of all is for parties that have less than that."""
_SERVER_CONNECTIONS = 2
"""Connections for the work of the server itself."""
_has_turn: ContextVar[bool] = ContextVar("has_turn", default=False)


class _SharedPool(AsyncAdaptedQueuePool):
    """Connections that parties share: each has a part of them at most, and a free one goes to the party that holds the fewest.

    The server itself does not wait for a turn, and neither does a session within another one, whose party might wait for itself.
    """

    __module__ = AsyncAdaptedQueuePool.__module__  # its log is that of SQLAlchemy, which says only what is wrong

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        most = self._pool.maxsize + self._max_overflow
        each = max(1, most // _SHARE)
        self._turns = Turns(max(1, most - _SERVER_CONNECTIONS), each=each, reserved=each // 2)
        self._party_of: dict[ConnectionPoolEntry, Hashable] = {}

    def _do_get(self) -> ConnectionPoolEntry:
        party, held = current_party(), _held.get()
        if party is None or (held is not None and held.is_nested) or _has_turn.get():
            return super()._do_get()
        await_only(self._wait(party))
        token = _has_turn.set(True)  # the pool calls this method again if another task was faster
        try:
            entry = super()._do_get()
        except BaseException:
            self._turns.give_back(party)
            raise
        finally:
            _has_turn.reset(token)
        self._party_of[entry] = party
        return entry

    async def _wait(self, party: Hashable) -> None:
        try:
            async with asyncio.timeout(None if _statement_limit_s.get() == _PATIENT_S else self._timeout):
                await self._turns.take(party)
        except TimeoutError as error:
            raise _NoTurn from error

    def _do_return_conn(self, record: ConnectionPoolEntry) -> None:
        super()._do_return_conn(record)
        if record in self._party_of:
            self._turns.give_back(self._party_of.pop(record))


@contextmanager
def _refusing_writes() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.errors.ReadOnlySqlTransaction):
            raise WriteRefused("Something writes in Database.reading. Use Database.transaction instead.") from error
        raise


_PATIENCE_S = 0.1
"""How long a read waits for the others of its page."""


class _Together:
    """Reads of one page. Those that wait for each other share a connection and its transaction; each has a session of its own, so that it reads
    nothing from the memory of another."""

    def __init__(self, engine: AsyncEngine, reading: Callable[[], AbstractAsyncContextManager[AsyncSession]]) -> None:
        self._engine = engine
        self._reading_alone = reading
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._begun: tuple[AsyncConnection, Scope] | None = None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        if not await self._has_turn():
            async with self._reading_alone() as session:
                yield session
            return
        try:
            with _failures(), _refusing_writes():
                try:
                    async with AsyncSession(await self._connection(), expire_on_commit=False) as session:
                        yield session
                        await session.flush()
                except BaseException:
                    await self._end()
                    raise
                if not self._waiting:
                    await self._end()
        finally:
            self._turn.release()

    async def _has_turn(self) -> bool:
        self._waiting += 1
        try:
            async with asyncio.timeout(_PATIENCE_S):
                return await self._turn.acquire()
        except TimeoutError:
            return False
        finally:
            self._waiting -= 1
            if not (self._waiting or self._turn.locked()):
                await self._end()  # the one before has left the transaction to this one, which does not read after all

    async def _connection(self) -> AsyncConnection:
        """One in a transaction with the scope of the current task."""
        if self._begun is not None and (self._begun[1] != scopes.acting() or not self._begun[0].in_transaction()):
            await self._end()
        if self._begun is None:
            self._begun = await self._engine.connect(), scopes.acting()
            await self._begun[0].begin()
        return self._begun[0]

    async def _end(self) -> None:
        if self._begun is not None:
            (connection, _), self._begun = self._begun, None
            await asyncio.shield(asyncio.ensure_future(connection.close()))


class Database:
    """Hands out sessions. `url` is a libpq URL such as `postgresql://user@host/name`, and may lead through a pooler. `direct_url`
    leads to the same database without one, for what lasts longer than a transaction.

    A session waits at most `pool_timeout_s` seconds for a connection. That is less than an event handler may take, so the page pauses
    and tries again instead of saying that the handler took too long; jobs wait longer. Each party has a share of the connections, so that others do not wait
    until its requests have ended. What waits for a server that no longer responds is refused after ten seconds.
    """

    def __init__(self, url: str, *, direct_url: str | None = None, pool_size: int = 10, pool_timeout_s: float = 20) -> None:
        self.url = url
        self.direct_url = direct_url or url
        self.most_connections = 2 * pool_size
        self.engine = create_async_engine(
            "postgresql+psycopg://",
            async_creator=DatabaseServer(url).connect,
            poolclass=_SharedPool,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=pool_timeout_s,
            hide_parameters=True,  # a failed statement is logged; its values may be secrets
        )
        event.listen(self.engine.sync_engine, "begin", _begin)
        _replace_dead_connections(self.engine.sync_engine)
        self._snapshots, self._readings = (self.engine.execution_options(**{_MODE: mode}) for mode in (_SNAPSHOT, _READ_ONLY))

    @asynccontextmanager
    async def transaction(self, *, is_snapshot: bool = False, scope: Scope | None = None) -> AsyncIterator[AsyncSession]:
        """Open a session that commits at the end and rolls back if the body raises. Only boundaries call this.

        With `is_snapshot`, all reads see the same state, regardless of concurrent changes. Without a `scope`, the session has that of
        the current task.

        Raises DiskFull, DatabaseAway, DatabaseSlow, ConnectionsTaken, UnusableText, or WorkspaceGone.
        """
        engine = self._snapshots if is_snapshot else self.engine
        with _failures():
            async with _session(engine, scope) as session, session.begin():
                yield session

    @asynccontextmanager
    async def reading(self, *, scope: Scope | None = None) -> AsyncIterator[AsyncSession]:
        """A session that only reads, in a transaction that cannot write. Without a `scope`, it has that of the current task.

        Each statement sees what is committed when it begins, as in `transaction` without a snapshot. Reads that must be consistent
        with each other need a snapshot.

        Raises WriteRefused, DiskFull, DatabaseAway, DatabaseSlow, ConnectionsTaken, or UnusableText.
        """
        with _failures(), _refusing_writes():
            async with _session(self._readings, scope) as session:
                yield session
                await session.flush()  # refuses additions and changes, which would be lost here

    def together(self) -> Callable[[], AbstractAsyncContextManager[AsyncSession]]:
        """A function like `reading` for what is read for one page at the same time: such sessions follow each other in one transaction. That
        takes a third of the messages to the server that a transaction for each takes. A session that has waited for .1 s gets a transaction of
        its own."""
        return _Together(self._readings, self.reading).reading

    async def vacuum(self, table: type[Base]) -> None:
        """Make the indexes of a table fast after a job that added many rows, and update the planner's statistics.

        New rows wait in the pending list of a GIN index, which every search reads whole, and index-only scans look up each of them in
        the table. PostgreSQL ends this automatically, but minutes later. Until then, a search for a frequent word takes ten times as long.
        Before PostgreSQL 17, only the owner may vacuum. A function of the owner empties the pending lists, and the rest stays for later.

        Raises DiskFull or DatabaseAway.
        """
        with _failures():
            async with self.engine.connect() as connection:
                driver = cast(Driver, (await connection.get_raw_connection()).driver_connection)  # VACUUM refuses transactions
                if driver.info.server_version >= database_role.MAINTAIN_SINCE:
                    await driver.execute(SQL("VACUUM (ANALYZE) {}").format(Identifier(table.__tablename__)))
                else:
                    name = table.__tablename__
                    await driver.execute("SELECT empty_pending_lists(%s), refresh_statistics(%s)", [name, name])

    async def close(self) -> None:
        await self.engine.dispose()

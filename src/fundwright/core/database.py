"""The database: one engine per process and one transaction per request, job step, or UI event. Screens read without a transaction."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from select import POLLIN, poll
from typing import Any
from urllib.parse import urlencode

import psycopg
import structlog
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import Connection, DateTime, Engine, MetaData, PoolProxiedConnection, event, func, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidatePoolError
from sqlalchemy.exc import TimeoutError as NoFreeConnection
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase

from fundwright.core.errors import DatabaseAway, DiskFull, ItemHidden, StartRefused, UnusableText, WorkspaceGone
from fundwright.core.json_values import JsonObject
from fundwright.core.scopes import Scope, ScopedSession, info_of

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
    for table in tables:
        await session.execute(text(f"ANALYZE {table.__tablename__}"))


async def acquire_lock(session: AsyncSession, name: str, *, is_shared: bool = False) -> None:
    """Wait until no other transaction, in any process, holds the lock with this name, and hold it until the transaction ends.
    Transactions for which it `is_shared` do not wait for each other.

    Use it for decisions that depend on rows that do not exist yet: a row lock cannot keep others from adding them.
    """
    lock = func.pg_advisory_xact_lock_shared if is_shared else func.pg_advisory_xact_lock
    await session.execute(select(lock(func.hashtextextended(name, 0))))


_TIME_LIMITS = {
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A server that vanishes without closing its connections is noticed within a minute. By default, that takes many minutes while
data is being sent, and two hours on a connection that only listens."""


def libpq_url(address: str) -> str:
    """Convert the address of a server to the form that libpq reads; `postgres://` and SQLAlchemy's `postgresql+driver://` are
    accepted.

    Adds the time limits that the address does not set. Raises StartRefused, without repeating the address: it may contain a
    password.
    """
    with suppress(ArgumentError, ValueError, psycopg.ProgrammingError):
        url = make_url(address)
        if url.get_backend_name() in ("postgresql", "postgres") and url.database and "@" not in (url.host or ""):
            read = make_conninfo("postgresql" + address[address.index("://") :])
            limits = urlencode({name: limit for name, limit in _TIME_LIMITS.items() if name not in conninfo_to_dict(read)})
            return f"{read}{'&' if '?' in read else '?'}{limits}" if limits else read
    raise StartRefused(
        "DATABASE_URL is not the address of a PostgreSQL database. Write it as postgresql://user:password@host/database, with "
        "special characters in the password as %XX (%40 for an @)."
    )


@dataclass(slots=True)
class _Held:
    """A session in use, visible to everything that its body calls. Tasks that outlive the body see that it has ended."""

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


@contextmanager
def _failures() -> Iterator[None]:
    """Mark a connection as held by the body, and raise database errors from it as errors of ours."""
    before, held = _held.get(), _Held()
    _held.set(held)
    try:
        yield
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
)


_TRUSTED_S = 10.0
"""How long an unused connection is considered alive without pinging the server, unless its socket has something to read."""


class WriteRefused(RuntimeError):
    """A programming error: an attempt to write in `Database.reading`, which has no transaction."""


_SETTINGS = {"default_transaction_read_only": "on", "hnsw.ef_search": "300", "hnsw.iterative_scan": "relaxed_order"}
"""Of every connection: set once, they cost nothing later.

The server refuses what writes outside of `Database.transaction`, which begins with BEGIN READ WRITE: this covers what cannot be seen here,
SQL as text and functions that write. Searches of vector indexes look at as many vectors as compete in a search, and at more when conditions
leave out some of them."""


def _apply_settings(connection: Any, _record: object) -> None:
    connection.autocommit = True
    connection.cursor().execute("; ".join(f"SET {name} = {value}" for name, value in _SETTINGS.items()))
    connection.autocommit = False


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


class _Connection(Connection):
    """Closes its connection to the server if it is canceled while it applies the engine's settings. SQLAlchemy leaves that to the
    garbage collector, and until then, the pool lacks the connection."""

    def __init__(self, engine: Engine, *arguments: Any, **options: Any) -> None:
        try:
            super().__init__(engine, *arguments, **options)
        except BaseException:
            taken: PoolProxiedConnection | None = getattr(self, "_dbapi_connection", None)
            if taken is not None:
                taken.invalidate()
            raise


class Database:
    """Hands out sessions. `url` is a libpq URL such as `postgresql://user@host/name`.

    A session waits at most `pool_timeout_s` seconds for a connection. That is less than an event handler may take, so the page pauses
    and tries again instead of saying that the handler took too long.
    """

    def __init__(self, url: str, *, pool_size: int = 10, pool_timeout_s: float = 20) -> None:
        self.url = url
        self.engine = create_async_engine(
            make_url(url).set(drivername="postgresql+psycopg"),
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=pool_timeout_s,
            hide_parameters=True,  # a failed statement is logged; its values may be secrets
            # A prepared statement is planned for values in general; a search for a frequent word then takes twice as long.
            connect_args={"prepare_threshold": None},
            execution_options={"postgresql_readonly": False},
        )
        event.listen(self.engine.sync_engine, "connect", _apply_settings)
        _replace_dead_connections(self.engine.sync_engine)
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False, sync_session_class=ScopedSession)
        self._autocommit = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        for engine in (self.engine, self._autocommit):
            engine.sync_engine._connection_cls = _Connection  # noqa: SLF001
        self._reading_sessions = async_sessionmaker(self._autocommit, expire_on_commit=False, sync_session_class=ScopedSession)

    @asynccontextmanager
    async def transaction(self, *, is_snapshot: bool = False, scope: Scope | None = None) -> AsyncIterator[AsyncSession]:
        """Open a session that commits at the end and rolls back if the body raises. Only boundaries call this.

        With `is_snapshot`, all reads see the same state, regardless of concurrent changes. Without a `scope`, the session has that of
        the current task.

        Raises DiskFull, DatabaseAway, UnusableText, or WorkspaceGone.
        """
        with _failures():
            async with self._sessions(info=info_of(scope)) as session, session.begin():
                if is_snapshot:
                    await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
                yield session

    @asynccontextmanager
    async def reading(self, *, scope: Scope | None = None) -> AsyncIterator[AsyncSession]:
        """A session that only reads, without a transaction: one round trip per statement, and none for BEGIN and COMMIT. Without a
        `scope`, it has that of the current task.

        Each statement sees what is committed when it begins, as in `transaction` without a snapshot. Settings and locks that last for
        a transaction, server-side cursors, and reads that must be consistent with each other need `transaction`.

        Raises WriteRefused, DiskFull, DatabaseAway, or UnusableText.
        """
        with _failures():
            try:
                async with self._reading_sessions(info=info_of(scope)) as session:
                    yield session
                    await session.flush()  # refuses additions and changes, which would be lost here
            except DBAPIError as error:
                if isinstance(error.orig, psycopg.errors.ReadOnlySqlTransaction):
                    raise WriteRefused("Something writes in Database.reading. Use Database.transaction instead.") from error
                raise

    async def vacuum(self, table: type[Base]) -> None:
        """Make the indexes of a table fast after a job that added many rows, and update the planner's statistics.

        New rows wait in the pending list of a GIN index, which every search reads whole, and index-only scans look up each of them in
        the table. PostgreSQL ends this automatically, but minutes later. Until then, a search for a frequent word takes ten times as long.

        Raises DiskFull or DatabaseAway.
        """
        with _failures():
            async with self._autocommit.connect() as connection:
                await connection.execute(text(f"VACUUM (ANALYZE) {table.__tablename__}"))

    async def close(self) -> None:
        await self.engine.dispose()

"""Which process runs a job. It holds a lock on a connection of its own, and says every few seconds that it is there.

When the process dies, PostgreSQL releases the lock, and another process can take the job at once. A process that is paused, or whose host is
frozen or cut off, keeps its lock. Once it has said nothing for a while, it is fenced: its connections are ended, and what it writes when it
wakes up is refused, because the job has another lease by then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from uuid import UUID

import psycopg
import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import DatabaseAway

log = structlog.get_logger()

HEARTBEAT_S = 5
STALLED_S = 20
"""After this time without a heartbeat, Cancel does not wait for the process. It has missed three."""
LEASE_S = 60
"""After this time without a heartbeat, another process takes the job."""

_32_BITS = 0xFFFFFFFF
_BEAT = "UPDATE job SET heartbeat_at = clock_timestamp() WHERE id = %s AND state = 'running'"
_END_CONNECTIONS = text("""
SELECT pg_terminate_backend(pid, 5000) FROM (
  SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid::bigint = :high AND objid::bigint = :low
  UNION SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = :name
) AS holder JOIN pg_stat_activity USING (pid) WHERE pid <> pg_backend_pid() AND usename = current_user
""")
_NAME = text("SELECT set_config('application_name', :name, true)")
_END_TRANSACTIONS = text(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
    "WHERE datname = current_database() AND application_name = :name AND pid <> pg_backend_pid()"
)
_LEASE = text("SELECT lease FROM job WHERE id = :job_id")


class Fenced(Exception):
    """Raised inside a job that another process has taken, or that was canceled while this process was stalled."""


def _key(job_id: UUID) -> int:
    return int.from_bytes(job_id.bytes[:8], signed=True)


def _name(job_id: UUID) -> str:
    """The name of connections while they have a transaction of the job."""
    return f"fundwright job {job_id}"


@asynccontextmanager
async def job_lock(url: str, job_id: UUID) -> AsyncIterator[bool]:
    """Whether no other process runs the job. None can start it while the body runs, unless this one stalls.

    If the connection is lost, so is the lock: the body is canceled, and DatabaseAway raised.
    """
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        row = await (await connection.execute("SELECT pg_try_advisory_lock(%s)", [_key(job_id)])).fetchone()
        is_mine = bool(row and row[0])
        try:
            async with _while_connected(connection, job_id if is_mine else None):
                yield is_mine
        finally:
            # The database notices a closed connection a little late; until then, other workers would find the job locked.
            with suppress(psycopg.OperationalError):
                await connection.execute("SELECT pg_advisory_unlock_all()")


@asynccontextmanager
async def _while_connected(connection: psycopg.AsyncConnection, job_id: UUID | None) -> AsyncIterator[None]:
    limit = asyncio.timeout(None)

    async def watch() -> None:
        try:
            while True:
                async for _ in connection.notifies(timeout=HEARTBEAT_S):
                    pass
                if job_id is not None:
                    await connection.execute(_BEAT, [job_id])
        except psycopg.OperationalError:
            pass
        except psycopg.Error:
            log.exception("job.heartbeat_failed", job_id=str(job_id))
        limit.reschedule(0)

    try:
        async with limit:
            watching = asyncio.create_task(watch())
            try:
                yield
            finally:
                watching.cancel()
                await asyncio.wait([watching])
    except TimeoutError as error:
        if limit.expired():
            raise DatabaseAway from error
        raise


async def claim(session: AsyncSession, job_id: UUID, lease: int) -> None:
    """Have the transaction of `session` end when the job is taken from this process. Raises Fenced if it has been."""
    # In this order: whoever takes the job first writes the lease, and then ends the connections with this name.
    await session.execute(_NAME, {"name": _name(job_id)})
    if await session.scalar(_LEASE, {"job_id": job_id}) != lease:
        raise Fenced


async def end_connections(session: AsyncSession, job_id: UUID) -> None:
    """End the connection that holds the lock of a job, and those with a transaction of it."""
    key = _key(job_id)
    await session.execute(_END_CONNECTIONS, {"high": key >> 32 & _32_BITS, "low": key & _32_BITS, "name": _name(job_id)})


async def end_transactions(session: AsyncSession, job_id: UUID) -> None:
    """End the connections with a transaction of a job. Its process keeps the lock, so that no other one takes the job."""
    await session.execute(_END_TRANSACTIONS, {"name": _name(job_id)})

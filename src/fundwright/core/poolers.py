"""Whether an address of the database leads through a pooler, and whether that pooler can be used."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import psycopg

from fundwright.core.database_address import where
from fundwright.core.errors import StartRefused

_TRIES = 5
_PATIENCE_S = 10
_UNPOOLED = {"DATABASE_URL": "FUNDWRIGHT_DIRECT_URL"}
"""The setting for the address that must not lead through a pooler, instead of the one that may."""
_OWN_PROCESS = "SELECT pg_backend_pid()"


def unreachable(url: str, setting: str, error: psycopg.OperationalError) -> StartRefused:
    """The refusal to start without the server, whose address is the value of `setting`."""
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("\t")]  # without hints
    reason = lines[-1].rpartition("failed: ")[2].strip().rstrip(".")
    return StartRefused(
        f"The PostgreSQL server {where(url)} cannot be reached: {reason}. Check {setting}, and make sure that the server is running."
    )


async def check_transactions(url: str, setting: str) -> None:
    """Raise StartRefused if a pooler at the address, which is the value of `setting`, gives each statement its own connection.

    Raises psycopg.OperationalError if the server cannot be reached.
    """
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        try:
            await connection.execute("BEGIN; SELECT 1")
        except psycopg.OperationalError as error:
            if "statement pooling" not in str(error):
                raise
            raise StartRefused(
                f"{setting} leads through a pooler in statement mode, which cannot keep workspaces apart: change it to transaction mode."
            ) from error


async def check_same(url: str, setting: str, direct_url: str, direct_setting: str) -> None:
    """Raise StartRefused if the address `url`, the value of `setting`, cannot be used, or leads to another database than `direct_url`, which can."""
    lock = [secrets.randbits(62)]
    async with await psycopg.AsyncConnection.connect(direct_url, autocommit=True) as direct:
        await direct.execute("SELECT pg_advisory_lock(%s)", lock)
        try:
            await check_transactions(url, setting)
            async with await psycopg.AsyncConnection.connect(url) as connection:
                found = await (await connection.execute("SELECT pg_try_advisory_xact_lock(%s)", lock)).fetchone()
        except psycopg.OperationalError as error:
            raise unreachable(url, setting, error) from error
    if found == (True,):
        raise StartRefused(f"{direct_setting} does not lead to the database of {setting}. Correct it and start again.")


async def check_session(url: str, setting: str) -> None:
    """Raise StartRefused if a pooler at the address, which is the value of `setting`, gives the server's connection to others between
    two transactions.

    Raises psycopg.OperationalError if the server cannot be reached.
    """
    await check_transactions(url, setting)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        # Poolers invent the number of the server's process that the connection begins with: they have none yet.
        if await _process(connection) != connection.info.backend_pid and await _is_shared(url, connection):
            raise StartRefused(
                f"{setting} leads through a pooler in transaction mode: set {_UNPOOLED.get(setting, setting)} to the address of the server "
                "itself, for locks, live messages, and jobs."
            )


async def _is_shared(url: str, connection: psycopg.AsyncConnection[Any]) -> bool:
    """Whether another connection gets the same process of the server while this one is open, or this one gets another."""
    try:
        for _ in range(_TRIES):
            before = await _process(connection)
            async with asyncio.timeout(_PATIENCE_S), await psycopg.AsyncConnection.connect(url) as other:
                if await _process(other) == before or await _process(connection) != before:
                    return True
    except TimeoutError:  # a pooler in session mode has no second connection
        pass
    return False


async def _process(connection: psycopg.AsyncConnection[Any]) -> int:
    """The process of the server that executes this statement."""
    row = await (await connection.execute(_OWN_PROCESS)).fetchone()
    return row[0] if row else 0

"""Brings a database to this version's schema, or says in one sentence why it cannot."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.engine import make_url

from fundwright.core.errors import StartRefused

_LOCK = 4_207_113  # any number: keeps two processes from migrating at once


def _configuration() -> Config:
    configuration = Config()
    configuration.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    return configuration


async def upgrade(url: str) -> None:
    """Run missing migrations. Raises StartRefused when the server is unreachable, unfit or newer than this version."""
    await asyncio.to_thread(_upgrade, url)


def _upgrade(url: str) -> None:
    parsed = make_url(url)
    where = f"{parsed.host or 'the local socket'}/{parsed.database}"
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[-1]
        raise StartRefused(
            f"The PostgreSQL server at {where} cannot be reached: {reason}. Check DATABASE_URL and that the server is running."
        ) from error
    engine = create_engine(parsed.set(drivername="postgresql+psycopg"))
    try:
        with engine.connect() as connection:
            _check_server(connection, where)
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _LOCK})
            connection.commit()
            configuration = _configuration()
            configuration.attributes["connection"] = connection
            _check_schema(connection, configuration, where)
            command.upgrade(configuration, "head")
            connection.commit()
    finally:
        engine.dispose()


def _check_server(connection: Connection, where: str) -> None:
    version = int(connection.scalar(text("SHOW server_version_num")) or 0)
    if version < 150_000:
        raise StartRefused(f"The PostgreSQL server at {where} is version {version // 10_000}; version 15 or newer is needed.")
    if not connection.scalar(text("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")):
        raise StartRefused(
            f"The PostgreSQL server at {where} lacks the extension `vector`. Install pgvector on it, or leave DATABASE_URL "
            "empty to use the embedded server."
        )


def _check_schema(connection: Connection, configuration: Config, where: str) -> None:
    if not connection.scalar(text("SELECT to_regclass('alembic_version')")):
        return
    current = connection.scalar(text("SELECT version_num FROM alembic_version"))
    known = {script.revision for script in ScriptDirectory.from_config(configuration).walk_revisions()}
    if current and current not in known:
        raise StartRefused(
            f"The database at {where} was written by a newer version of Fundwright (schema {current}). Install that version."
        )

"""Databases for tests: created from a template once and emptied after each test, which takes a fiftieth of the time of creating
one."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from fundwright.core.database_role import OWNER_SETTING, ROLE, SERVING_ROLE

Connection = psycopg.Connection[tuple[Any, ...]]

_MAX_ROWS = 1_000
"""Larger leftovers would make the next test slow."""

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' ORDER BY 1"
_SHAPE = """
SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_attribute), (SELECT count(*) FROM pg_trigger),
       (SELECT count(*) FROM pg_constraint), (SELECT count(*) FROM pg_proc), (SELECT string_agg(version_num, ',') FROM alembic_version)
"""
_BUSY = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'
"""
_INDEXES = "SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND indexname <> ALL(%s)"
"""Indexes that are not in the list. Embedding creates one for each model."""
_RESTART = "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"
_SEQUENCES = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL"
_COLUMNS = """
SELECT table_name, array_agg(column_name::text) FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = ANY(%s) AND is_generated = 'NEVER' GROUP BY 1
"""


@dataclass(frozen=True)
class Content:
    """The content of a database: the rows of each table, as PostgreSQL copies them, and the last number of each sequence."""

    rows: Mapping[str, bytes]
    numbers: Mapping[str, int]


def as_superuser(url: str) -> str:
    """The address for the superuser of the embedded server, whom tests need to create databases and to skip triggers."""
    return url.replace(f"//{SERVING_ROLE}@", "//postgres@").replace(f"//{ROLE}@", "//postgres@")


def as_owner(url: str) -> str:
    """The address for the owner of the database, who migrates it."""
    return url.replace(f"//{SERVING_ROLE}@", f"//{ROLE}@")


def environment_of(url: str) -> dict[str, str]:
    """The environment variables of a process that uses and migrates this database."""
    return {"DATABASE_URL": url, OWNER_SETTING: as_owner(url)}


class Databases:
    """`server` is the address of any database on it; `template` the name of a migrated one."""

    def __init__(self, server: str, template: str) -> None:
        self._server, self._template = server, template
        self._names = (f"test_{number}" for number in itertools.count())
        self._idle: list[str] = []
        self._emptiers: dict[str, Connection] = {}  # kept open: a new connection would look up every table again
        with self._connect(template) as connection:
            self._tables = tables = [name for (name,) in connection.execute(_TABLES)]
            self._columns: dict[str, list[str]] = dict(connection.execute(_COLUMNS, [tables]).fetchall())
            connection.execute("CREATE SCHEMA pristine")
            filled = self._filled(connection)
            for name in filled:
                connection.execute(_about("CREATE TABLE pristine.{} AS TABLE {}", name, name))
            self._indexes = [name for (name,) in connection.execute(_INDEXES, [[]])]
            self._shape = connection.execute(_SHAPE).fetchone()
        self._emptying = sql.SQL("; ").join(
            (
                sql.SQL("SET session_replication_role = replica"),  # without foreign keys, and without triggers that forbid it
                *(_about("DELETE FROM {}", name) for name in tables),
                *(_about("INSERT INTO {} TABLE pristine.{}", name, name) for name in filled),
                sql.SQL(_RESTART),
            )
        )

    def address(self, name: str) -> str:
        return self._server.replace("/fundwright?", f"/{name}?")

    def take(self) -> str:
        """The name of a database in the state after migration."""
        if self._idle:
            return self._idle.pop()
        name = next(self._names)
        with self._connect("postgres") as connection:
            connection.execute(_about("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY file_copy", name, ROLE, self._template))
        return name

    def give_back(self, name: str) -> None:
        if self.empty(name):
            self._idle.append(name)
        else:
            self._drop(name)

    def empty(self, name: str) -> bool:
        """Restore the state after migration. Returns False if the test changed tables or wrote too many rows. Open transactions
        are terminated."""
        with suppress(psycopg.Error):
            connection = self._emptier(name)
            connection.execute(_BUSY)
            for (index,) in connection.execute(_INDEXES, [self._indexes]).fetchall():
                connection.execute(_about("DROP INDEX {}", index))
            if connection.execute(_SHAPE).fetchone() != self._shape:
                return False
            results, rows, is_another = connection.execute(self._emptying), 0, True
            while is_another:
                if (results.statusmessage or "").startswith("DELETE"):
                    rows += results.rowcount
                is_another = results.nextset()
            return rows <= _MAX_ROWS
        return False

    def read(self, name: str) -> Content:
        connection = self._emptier(name)
        rows = {}
        for table in self._filled(connection):
            with connection.cursor().copy(self._copying("COPY {} ({}) TO STDOUT BINARY", table)) as copy:
                rows[table] = b"".join(bytes(part) for part in copy)
        return Content(rows, dict(connection.execute(_SEQUENCES).fetchall()))

    def write(self, name: str, content: Content) -> None:
        """Replace the content of a database with this."""
        connection = self._emptier(name)
        connection.execute(self._emptying)
        for table, rows in content.rows.items():
            connection.execute(_about("DELETE FROM {}", table))
            with connection.cursor().copy(self._copying("COPY {} ({}) FROM STDIN BINARY", table)) as copy:
                copy.write(rows)
        for sequence, number in content.numbers.items():
            connection.execute("SELECT setval(%s::regclass, %s)", [sequence, number])

    def close(self) -> None:
        for connection in self._emptiers.values():
            connection.close()

    def _filled(self, connection: Connection) -> list[str]:
        return [name for name in self._tables if connection.execute(_about("SELECT 1 FROM {} LIMIT 1", name)).fetchone()]

    def _copying(self, statement: LiteralString, table: str) -> sql.Composed:
        columns = sql.SQL(", ").join(map(sql.Identifier, self._columns[table]))
        return sql.SQL(statement).format(sql.Identifier(table), columns)

    def _emptier(self, name: str) -> Connection:
        connection = self._emptiers.get(name)
        if connection is None or connection.closed:
            connection = self._emptiers[name] = self._connect(name)
        return connection

    def _drop(self, name: str) -> None:
        if name in self._emptiers:
            self._emptiers.pop(name).close()
        with self._connect("postgres") as connection:
            connection.execute(_about("DROP DATABASE {} WITH (FORCE)", name))

    def _connect(self, name: str) -> Connection:
        return psycopg.connect(as_superuser(self.address(name)), autocommit=True, row_factory=tuple_row)


def _about(statement: LiteralString, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*map(sql.Identifier, names))

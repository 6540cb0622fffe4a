"""Databases for tests: created from a template once and emptied after each test, which takes a fiftieth of the time of creating
one."""

from __future__ import annotations

import itertools
from contextlib import suppress
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

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
"""Tables that are not in the list. Embedding creates one for each model."""
_RESTART = "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"


class Databases:
    """`server` is the address of any database on it; `template` the name of a migrated one."""

    def __init__(self, server: str, template: str) -> None:
        self._server, self._template = server, template
        self._names = (f"test_{number}" for number in itertools.count())
        self._idle: list[str] = []
        with self._connect(template) as connection:
            tables = [name for (name,) in connection.execute(_TABLES)]
            connection.execute("CREATE SCHEMA pristine")
            filled = [name for name in tables if connection.execute(_about("SELECT 1 FROM {} LIMIT 1", name)).fetchone()]
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
            connection.execute(_about("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy", name, self._template))
        return name

    def give_back(self, name: str) -> None:
        if self.empty(name):
            self._idle.append(name)
        else:
            self._drop(name)

    def empty(self, name: str) -> bool:
        """Restore the state after migration. Returns False if the test changed tables or wrote a lot. Open transactions are
        terminated."""
        with suppress(psycopg.Error), self._connect(name) as connection:
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

    def _drop(self, name: str) -> None:
        with self._connect("postgres") as connection:
            connection.execute(_about("DROP DATABASE {} WITH (FORCE)", name))

    def _connect(self, name: str) -> Connection:
        return psycopg.connect(self.address(name), autocommit=True, row_factory=tuple_row)


def _about(statement: LiteralString, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*map(sql.Identifier, names))

"""Databases of tests: made from a template once, and emptied after each test, which takes a fiftieth of the time of making one."""

from __future__ import annotations

import itertools
from contextlib import suppress
from typing import Any

import psycopg
from psycopg.rows import tuple_row

Connection = psycopg.Connection[tuple[Any, ...]]

_MAX_ROWS = 1_000
"""What is left of more makes the next test slow."""

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
"""Those that are not in a list. Embedding makes one for each model."""
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
            filled = [name for name in tables if connection.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()]
            for name in filled:
                connection.execute(f"CREATE TABLE pristine.{name} AS TABLE {name}")
            self._indexes = [name for (name,) in connection.execute(_INDEXES, [[]])]
            self._shape = connection.execute(_SHAPE).fetchone()
        self._emptying = "; ".join(
            (
                "SET session_replication_role = replica",  # no foreign key, and no trigger that forbids it
                *(f"DELETE FROM {name}" for name in tables),
                *(f"INSERT INTO {name} TABLE pristine.{name}" for name in filled),
                _RESTART,
            )
        )

    def address(self, name: str) -> str:
        return self._server.replace("/fundwright?", f"/{name}?")

    def take(self) -> str:
        """The name of one that is as after migrating."""
        if self._idle:
            return self._idle.pop()
        name = next(self._names)
        with self._connect("postgres") as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {self._template} STRATEGY file_copy")
        return name

    def give_back(self, name: str) -> None:
        if self.empty(name):
            self._idle.append(name)
        else:
            self._drop(name)

    def empty(self, name: str) -> bool:
        """Make it as after migrating. False when the test changed tables or wrote much. Transactions that are open end."""
        with suppress(psycopg.Error), self._connect(name) as connection:
            connection.execute(_BUSY)
            for (index,) in connection.execute(_INDEXES, [self._indexes]).fetchall():
                connection.execute(f"DROP INDEX {index}")
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
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def _connect(self, name: str) -> Connection:
        return psycopg.connect(self.address(name), autocommit=True, row_factory=tuple_row)

"""Databases of tests: made from a template once, and emptied after each test, which takes a fiftieth of the time of making one."""

from __future__ import annotations

import itertools
from contextlib import suppress
from typing import Any

import psycopg
from psycopg.rows import tuple_row

Connection = psycopg.Connection[tuple[Any, ...]]

_MOST_ROWS = 1_000
"""What is left of more makes the next test slow."""

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version' ORDER BY 1"
_SHAPE = """
SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_attribute), (SELECT count(*) FROM pg_trigger),
       (SELECT count(*) FROM pg_constraint), (SELECT count(*) FROM pg_proc), (SELECT string_agg(version_num, ',') FROM alembic_version)
"""
_OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
_RESTART = "SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"


class Databases:
    """`server` is the address of any database on it; `template` the name of a migrated one."""

    def __init__(self, server: str, template: str) -> None:
        self._server, self._template = server, template
        self._names = (f"test_{number}" for number in itertools.count())
        self._idle: list[str] = []
        with self._connect(template) as connection:
            self._tables = [name for (name,) in connection.execute(_TABLES)]
            connection.execute("CREATE SCHEMA pristine")
            self._filled = [name for name in self._tables if connection.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone()]
            for name in self._filled:
                connection.execute(f"CREATE TABLE pristine.{name} AS TABLE {name}")
            self._shape = connection.execute(_SHAPE).fetchone()

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
        """Whoever is still connected is cut off."""
        with suppress(psycopg.Error):
            if self._is_emptied(name):
                self._idle.append(name)
                return
        with self._connect("postgres") as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def _is_emptied(self, name: str) -> bool:
        """Not when the test changed tables or wrote much."""
        with self._connect(name) as connection:
            connection.execute(_OTHERS)
            if connection.execute(_SHAPE).fetchone() != self._shape:
                return False
            connection.execute("SET session_replication_role = replica")  # no foreign key, and no trigger that forbids it
            if sum(connection.execute(f"DELETE FROM {table}").rowcount for table in self._tables) > _MOST_ROWS:
                return False
            for table in self._filled:
                connection.execute(f"INSERT INTO {table} TABLE pristine.{table}")
            connection.execute(_RESTART)
        return True

    def _connect(self, name: str) -> Connection:
        return psycopg.connect(self.address(name), autocommit=True, row_factory=tuple_row)

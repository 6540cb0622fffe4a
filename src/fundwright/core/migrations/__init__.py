"""Migrates a database to this version's schema, or refuses with one sentence that says why.

Two releases work on one schema while an installation is upgraded: the processes of the previous release go on until the last of them has been
replaced. So a migration adds, and removes only what the previous release does not use anymore.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg
import structlog
from psycopg.sql import SQL, Identifier, Literal
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError

from fundwright.core.database_address import where
from fundwright.core.database_role import OWNER_SETTING, SERVING_ROLE, check_owner, check_serving, grant
from fundwright.core.errors import StartRefused
from fundwright.core.poolers import check_session, unreachable

log = structlog.get_logger()

_FOLDER = Path(__file__).parent
_LOCK = 4_207_113  # an arbitrary number: the lock keeps two processes from migrating at the same time
_PAUSE_S = 0.5
_HOLDER = """
SELECT to_char(backend_start, 'YYYY-MM-DD HH24:MI:SS TZ') || coalesce(' from ' || host(client_addr), '') || ', process ' || pid
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = %s AND database = (
  SELECT oid FROM pg_database WHERE datname = current_database())
"""
_NAME = re.compile("[a-z0-9_]{1,40}")
_EXPANDED = "0081"
"""The last revision before this rule."""
CONTRACTIONS: Mapping[str, str] = {}
"""For each later migration that removes or narrows something: the revision since which the code does not use it. That has to be a revision
of the previous release."""
_COMPATIBLE = "Works with code since revision "
"""Beginning of the comment on the version table, which tells older code whether it can use the schema."""
_OLDEST_POSTGRES = 15
_OLDEST_VECTOR = (0, 8)  # the first version with iterative index scans


@dataclass(frozen=True)
class Migrations:
    """A folder of Alembic revisions: `v0001_ring.py` declares `revision = "0001"`. Each package has its own sequence, whose
    position is in the table `alembic_version_{name}`. `name`: lower-case letters, digits, and underscores."""

    name: str
    folder: Path

    @property
    def version_table(self) -> str:
        return "alembic_version" if self is _OWN else f"alembic_version_{self.name}"

    @property
    def owner(self) -> str:
        return "Fundwright" if self is _OWN else f"the package {self.name}"

    def revisions(self) -> list[str]:
        """The revisions in the folder, oldest first."""
        return sorted(path.name[1:5] for path in self.folder.glob("v*.py"))


_OWN = Migrations("fundwright", _FOLDER / "versions")


def revisions() -> list[str]:
    """Fundwright's own revisions, oldest first: `versions/v0001_core.py` is revision 0001."""
    return _OWN.revisions()


NEWEST = revisions()[-1]
"""The revision of this version's schema."""


async def upgrade(
    url: str,
    *,
    role: str = SERVING_ROLE,
    to: str = "head",
    packages: Sequence[Migrations] = (),
    setting: str = OWNER_SETTING,
    patience_s: float = 600,
) -> None:
    """Run missing migrations: our own up to the revision `to`, then those of `packages`. `url` is the value of `setting`, for the owner of the
    database. `role` is the one that serves, which gets what it needs. Waits at most `patience_s` seconds for another process that migrates the
    database.

    Raises StartRefused if the server is unreachable, unsuitable, only reachable through a pooler, or has a schema that this
    version cannot use; and for packages whose name is missing or already used.

    Each migration runs in its own transaction, so none has to check whether its work is partly done.
    """
    _check_names(packages)
    await _check_session(url, setting)
    await asyncio.to_thread(_upgrade, url, role, to, packages, patience_s)


async def check_schema(url: str, *, packages: Sequence[Migrations] = (), setting: str = "DATABASE_URL") -> None:
    """Raise StartRefused if the database lacks the schema of this version. `url` is the value of `setting`, for the role that serves."""
    _check_names(packages)
    await asyncio.to_thread(_check_schema, url, packages, setting)


async def serving_role(url: str, setting: str = "DATABASE_URL", *, may_be_pooled: bool = False) -> str:
    """Return the role that an address, the value of `setting`, connects as. Raises StartRefused if the server is unreachable, unsuitable, or only
    reachable through a pooler, and if the role is more than one that serves."""
    if not may_be_pooled:
        await _check_session(url, setting)
    return await asyncio.to_thread(_serving_role, url, setting)


def _check_names(packages: Sequence[Migrations]) -> None:
    names = [package.name for package in packages]
    for name in names:
        if not _NAME.fullmatch(name) or names.count(name) > 1:
            raise StartRefused(
                f"The name {name} of a package's migrations cannot be used: it must be unique and consist of at most 40 lower-case "
                "letters, digits, and underscores. Correct it and start again."
            )


async def _check_session(url: str, setting: str) -> None:
    try:
        await check_session(url, setting)
    except psycopg.OperationalError as error:
        raise unreachable(url, setting, error) from error


def _serving_role(url: str, setting: str) -> str:
    place = where(url)
    with psycopg.connect(url, autocommit=True) as connection:
        _check_server(connection, place)
        return check_serving(connection, place, setting)


def _check_schema(url: str, packages: Sequence[Migrations], setting: str) -> None:
    place = where(url)
    with psycopg.connect(url, autocommit=True) as connection:
        for migrations in (_OWN, *packages):
            try:
                is_up_to_date = _is_up_to_date(connection, place, migrations)
            except psycopg.errors.InsufficientPrivilege:
                is_up_to_date = False
            if not is_up_to_date:
                raise StartRefused(
                    f"The database {place} lacks the schema {migrations.revisions()[-1]} of this version of {migrations.owner}, or does not give it to the "
                    f"account of {setting}. Run `fundwright migrate` with {OWNER_SETTING}, the address for its owner, then start again."
                )


def _upgrade(url: str, role: str, to: str, packages: Sequence[Migrations], patience_s: float) -> None:
    place = where(url)
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            _check_server(connection, place)
            check_owner(connection, place)
            _lock(connection, place, patience_s)
            for migrations in (_OWN, *packages):
                if not _is_up_to_date(connection, place, migrations):
                    _run_missing(url, place, to if migrations is _OWN else "head", migrations)
                    if migrations is _OWN:
                        _tell_older_code(connection)
            if _revision(connection, _OWN) in _OWN.revisions():  # otherwise, newer code knows better
                grant(connection, role)
    except (psycopg.OperationalError, DBAPIError) as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        # A lost connection has no class of its own, or this one.
        if type(reason) is psycopg.OperationalError or isinstance(reason, psycopg.errors.AdminShutdown):
            raise StartRefused(
                f"The PostgreSQL server {place} stopped during a migration, which was undone. Make sure that the server is running, and "
                "start again."
            ) from error
        raise


def _lock(connection: psycopg.Connection, place: str, patience_s: float) -> None:
    """Keep other processes from migrating until the connection ends. Raises StartRefused."""
    gives_up_at, told = time.monotonic() + patience_s, ""
    while connection.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK]).fetchone() == (False,):
        row = connection.execute(_HOLDER, [_LOCK]).fetchone()
        holder = f"another process, which has migrated the database {place} since {row[0]}" if row else told
        if holder != told:
            log.warning("migrations.waiting", reason=f"waiting for {holder}")
            told = holder
        if time.monotonic() > gives_up_at:
            raise StartRefused(
                f"Waited {patience_s:.0f} seconds for {told}. Start again when it has finished, or end it if it is stuck."
            )
        time.sleep(_PAUSE_S)


def _check_server(connection: psycopg.Connection, place: str) -> None:
    version = connection.info.server_version // 10_000
    if version < _OLDEST_POSTGRES:
        raise StartRefused(
            f"The PostgreSQL server {place} is version {version}; version {_OLDEST_POSTGRES} or newer is required. "
            "Use a newer one, or leave DATABASE_URL empty to use the embedded server."
        )
    found = connection.execute(
        "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if found is None:
        raise StartRefused(
            f"The PostgreSQL server {place} lacks the extension `vector`. Install pgvector on it, or leave DATABASE_URL "
            "empty to use the embedded server."
        )
    if tuple(map(int, found[0].split(".")[:2])) < _OLDEST_VECTOR:
        raise StartRefused(
            f"The PostgreSQL server {place} has version {found[0]} of the extension `vector`; "
            f"{'.'.join(map(str, _OLDEST_VECTOR))} or newer is required. Install a newer pgvector on it and run "
            "`ALTER EXTENSION vector UPDATE`, or leave DATABASE_URL empty to use the embedded server."
        )


def _is_up_to_date(connection: psycopg.Connection, place: str, migrations: Migrations) -> bool:
    if connection.execute("SELECT to_regclass(%s)", [migrations.version_table]).fetchone() == (None,):
        return False
    current = _revision(connection, migrations)
    known = migrations.revisions()
    if current and current not in known:
        if _oldest_code(connection, migrations) <= known[-1]:
            return True
        raise StartRefused(
            f"The database {place} was written by a newer version of {migrations.owner} (schema {current}). "
            "Install that version, or choose another database or data folder."
        )
    return current == known[-1]


def _revision(connection: psycopg.Connection, migrations: Migrations) -> str:
    """The revision of the schema; empty if the version table has none."""
    row = connection.execute(SQL("SELECT version_num FROM {}").format(Identifier(migrations.version_table))).fetchone()
    return row[0] if row else ""


def _oldest_code(connection: psycopg.Connection, migrations: Migrations) -> str:
    """The oldest revision of code that works with the schema of the database; "~" if only its own does."""
    row = connection.execute("SELECT obj_description(%s::regclass, 'pg_class')", [migrations.version_table]).fetchone()
    text = str(row[0]) if row and row[0] else ""
    return text.removeprefix(_COMPATIBLE) if text.startswith(_COMPATIBLE) else "~"


def _tell_older_code(connection: psycopg.Connection) -> None:
    current = _revision(connection, _OWN)
    oldest = max([_EXPANDED, *(since for revision, since in CONTRACTIONS.items() if revision <= current)])
    comment = SQL("COMMENT ON TABLE {} IS {}").format(Identifier(_OWN.version_table), Literal(_COMPATIBLE + oldest))
    connection.execute(comment)


def _run_missing(url: str, place: str, to: str, migrations: Migrations) -> None:
    # Imported here because most starts migrate nothing.
    from alembic import command
    from alembic.config import Config

    configuration = Config()
    configuration.set_main_option("script_location", _escaped(_FOLDER))
    configuration.set_main_option("version_locations", _escaped(migrations.folder))
    configuration.set_main_option("path_separator", "newline")  # a folder's name may have spaces
    configuration.attributes["version_table"] = migrations.version_table
    engine = create_engine("postgresql+psycopg://", creator=partial(psycopg.connect, url))
    try:
        with engine.connect() as connection:
            configuration.attributes["connection"] = connection
            command.upgrade(configuration, to)
            connection.commit()
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
            raise StartRefused(
                f"The account of {OWNER_SETTING} may not set up the database {place}: {str(error.orig).splitlines()[0]}. Ask an "
                "administrator to make it the owner of the database and run `CREATE EXTENSION vector` there."
            ) from error
        raise
    finally:
        engine.dispose()


def _escaped(folder: Path) -> str:
    return str(folder).replace("%", "%%")

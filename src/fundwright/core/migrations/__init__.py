"""Migrates a database to this version's schema, or refuses with one sentence that says why."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from fundwright.core.database_role import check_role
from fundwright.core.errors import StartRefused

_FOLDER = Path(__file__).parent
_LOCK = 4_207_113  # an arbitrary number: the lock keeps two processes from migrating at the same time
_NAME = re.compile("[a-z0-9_]{1,40}")
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


async def upgrade(url: str, *, to: str = "head", packages: Sequence[Migrations] = ()) -> None:
    """Run missing migrations: our own up to the revision `to`, then those of `packages`. Raises StartRefused if the server is
    unreachable, unsuitable, or newer than this version, and for packages whose name is missing or already used.

    Each migration runs in its own transaction, so none has to check whether its work is partly done.
    """
    names = [package.name for package in packages]
    for name in names:
        if not _NAME.fullmatch(name) or names.count(name) > 1:
            raise StartRefused(
                f"The name {name} of a package's migrations cannot be used: it must be unique and consist of at most 40 lower-case "
                "letters, digits, and underscores. Correct it and start again."
            )
    await asyncio.to_thread(_upgrade, url, to, packages)


def _upgrade(url: str, to: str, packages: Sequence[Migrations]) -> None:
    address = conninfo_to_dict(url)
    host = str(address.get("host") or "/")
    port = f":{address['port']}" if "port" in address else ""
    where = "on this machine" if host.startswith("/") else f"at {host}{port}/{address.get('dbname', '')}"
    try:
        connection = psycopg.connect(url, autocommit=True)
    except psycopg.OperationalError as error:
        lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("\t")]  # without hints
        reason = lines[-1].rpartition("failed: ")[2].strip().rstrip(".")
        raise StartRefused(
            f"The PostgreSQL server {where} cannot be reached: {reason}. Check DATABASE_URL, and make sure that the server is running."
        ) from error
    try:
        with connection:
            _check_server(connection, where)
            check_role(connection, where)
            connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            if not _is_up_to_date(connection, where, _OWN):
                _run_missing(url, where, to, _OWN)
            for package in packages:
                if not _is_up_to_date(connection, where, package):
                    _run_missing(url, where, "head", package)
    except (psycopg.OperationalError, DBAPIError) as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        # A lost connection has no class of its own, or this one.
        if type(reason) is psycopg.OperationalError or isinstance(reason, psycopg.errors.AdminShutdown):
            raise StartRefused(
                f"The PostgreSQL server {where} stopped during a migration, which was undone. Make sure that the server is running, and "
                "start again."
            ) from error
        raise


def _check_server(connection: psycopg.Connection, where: str) -> None:
    version = connection.info.server_version // 10_000
    if version < _OLDEST_POSTGRES:
        raise StartRefused(
            f"The PostgreSQL server {where} is version {version}; version {_OLDEST_POSTGRES} or newer is required. "
            "Use a newer one, or leave DATABASE_URL empty to use the embedded server."
        )
    found = connection.execute(
        "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if found is None:
        raise StartRefused(
            f"The PostgreSQL server {where} lacks the extension `vector`. Install pgvector on it, or leave DATABASE_URL "
            "empty to use the embedded server."
        )
    if tuple(map(int, found[0].split(".")[:2])) < _OLDEST_VECTOR:
        raise StartRefused(
            f"The PostgreSQL server {where} has version {found[0]} of the extension `vector`; "
            f"{'.'.join(map(str, _OLDEST_VECTOR))} or newer is required. Install a newer pgvector on it and run "
            "`ALTER EXTENSION vector UPDATE`, or leave DATABASE_URL empty to use the embedded server."
        )


def _is_up_to_date(connection: psycopg.Connection, where: str, migrations: Migrations) -> bool:
    if connection.execute("SELECT to_regclass(%s)", [migrations.version_table]).fetchone() == (None,):
        return False
    current = connection.execute(SQL("SELECT version_num FROM {}").format(Identifier(migrations.version_table))).fetchone()
    known = migrations.revisions()
    if current and current[0] not in known:
        raise StartRefused(
            f"The database {where} was written by a newer version of {migrations.owner} (schema {current[0]}). "
            "Install that version, or choose another database or data folder."
        )
    return current == (known[-1],)


def _run_missing(url: str, where: str, to: str, migrations: Migrations) -> None:
    # Imported here because most starts migrate nothing.
    from alembic import command
    from alembic.config import Config

    configuration = Config()
    configuration.set_main_option("script_location", _escaped(_FOLDER))
    configuration.set_main_option("version_locations", _escaped(migrations.folder))
    configuration.set_main_option("path_separator", "newline")  # a folder's name may have spaces
    configuration.attributes["version_table"] = migrations.version_table
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    try:
        with engine.connect() as connection:
            configuration.attributes["connection"] = connection
            command.upgrade(configuration, to)
            connection.commit()
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
            raise StartRefused(
                f"The account of DATABASE_URL may not set up the database {where}: {str(error.orig).splitlines()[0]}. Ask an "
                "administrator to make it the owner of the database and run `CREATE EXTENSION vector` there."
            ) from error
        raise
    finally:
        engine.dispose()


def _escaped(folder: Path) -> str:
    return str(folder).replace("%", "%%")

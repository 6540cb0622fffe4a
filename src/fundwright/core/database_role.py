"""The two roles of the database: one owns the tables and migrates them, the other serves. Row-level security restricts both.

Whoever owns a table can switch off its row-level security and its triggers. Superusers and roles with BYPASSRLS are exempt from
row-level security, even where it is forced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import LiteralString

import psycopg
from psycopg.sql import SQL, Identifier

from fundwright.core.errors import StartRefused

ROLE = "fundwright"
"""Owns the database and all tables. Only migrations connect as this role."""
SERVING_ROLE = "fundwright_app"
"""Reads and writes rows. Servers, workers, and commands connect as this role."""
OWNER_SETTING = "FUNDWRIGHT_OWNER_URL"
_PASSWORD, _OWNER_PASSWORD = "choose-a-password", "choose-another-password"

_KIND = """
SELECT current_user, current_database(), rolsuper OR rolbypassrls,
  rolcreaterole OR pg_has_role('pg_read_all_data', 'MEMBER') OR pg_has_role('pg_write_all_data', 'MEMBER')
  OR pg_has_role((SELECT datdba FROM pg_database WHERE datname = current_database()), 'MEMBER') OR EXISTS (
    SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_has_role(relowner, 'MEMBER'))
FROM pg_roles WHERE rolname = current_user
"""

_HAND_OVER = """\
DO $$ DECLARE statement text; BEGIN
  FOR statement IN
    WITH found AS (
      SELECT tableoid, oid, 'TABLE' AS kind, oid::regclass::text AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')
      UNION ALL SELECT tableoid, oid, 'ROUTINE', oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
      UNION ALL SELECT tableoid, oid, 'TYPE', oid::regtype::text FROM pg_type
        WHERE typnamespace = 'public'::regnamespace AND (typtype IN ('d', 'e')
          OR typtype = 'c' AND typrelid IN (SELECT oid FROM pg_class WHERE relkind = 'c')))
    SELECT format('ALTER %s %s OWNER TO {role}', kind, name) FROM found WHERE NOT EXISTS (
      SELECT FROM pg_depend WHERE classid = found.tableoid AND objid = found.oid AND deptype IN ('a', 'e', 'i'))
  LOOP EXECUTE statement; END LOOP;
END $$;
DO $$ BEGIN ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN RAISE NOTICE 'Full-text search in large workspaces stays slower: %', SQLERRM; END $$;
ALTER DATABASE "{database}" OWNER TO {role};
"""

_ROWS: tuple[LiteralString, ...] = ("DELETE", "INSERT", "SELECT", "UPDATE")
_OTHER_PRIVILEGES: Mapping[str, tuple[LiteralString, ...]] = {
    "audit_entry": ("INSERT", "SELECT"),
    "installation_purpose": (),
    "installation_secret": (),
    "opportunity": (*_ROWS, "MAINTAIN"),  # imports vacuum it
}
"""What the serving role may do with tables whose rows it does not just read and write."""
_OF_SEQUENCES: tuple[LiteralString, ...] = ("SELECT", "UPDATE", "USAGE")
_OF_VERSIONS: tuple[LiteralString, ...] = ("SELECT",)
MAINTAIN_SINCE = 170_000
"""The version of PostgreSQL since which a role may vacuum a table of another one."""
_GRANTED = """
SELECT relname, relkind = 'S', coalesce(array_agg(privilege_type) FILTER (WHERE privilege_type IS NOT NULL), '{}')
FROM pg_class LEFT JOIN LATERAL aclexplode(relacl) AS acl ON grantee = (SELECT oid FROM pg_roles WHERE rolname = %s)
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S', 'v') AND NOT EXISTS (
  SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
GROUP BY 1, 2
"""
_SURROUNDINGS = """
SELECT current_database(), has_schema_privilege(%(role)s, 'public', 'USAGE'), has_schema_privilege(%(role)s, 'public', 'CREATE'),
  has_database_privilege(%(role)s, current_database(), 'CONNECT') AND has_database_privilege(%(role)s, current_database(), 'TEMPORARY')
"""
_FUNCTIONS = """
SELECT oid::regprocedure::text FROM pg_proc
WHERE pronamespace = 'public'::regnamespace AND prosecdef AND pg_has_role(proowner, 'MEMBER') AND NOT has_function_privilege(%s, oid, 'EXECUTE')
"""


def hand_over(database: str) -> str:
    """SQL that makes the role the owner of a database and of all tables, functions, and types in it, except those of extensions.

    It also declares that the operator `@@` reveals nothing about its arguments. PostgreSQL otherwise does not use full-text indexes of
    tables with row-level security, because it would apply the operator to rows that the policy hides.
    The owner of the database changes last: it tells whether the statements have been executed.
    """
    return _HAND_OVER.format(role=ROLE, database=database.replace('"', '""'))


def check_owner(connection: psycopg.Connection, place: str) -> None:
    """Raise StartRefused if the role of the connection, which migrates, is exempt from row-level security."""
    role, database, is_exempt, _ = _kind(connection)
    if is_exempt:
        raise _exempt(role, database, place, OWNER_SETTING)


def check_serving(connection: psycopg.Connection, place: str, setting: str) -> str:
    """Return the role of the connection, whose address is the value of `setting`. Raises StartRefused if row-level security does not restrict it, or if it could switch that off. The message
    contains the statements that prepare another one."""
    role, database, is_exempt, is_owner = _kind(connection)
    if is_exempt:
        raise _exempt(role, database, place, setting)
    if is_owner:
        raise StartRefused(
            f"The account {role} of {setting} owns the database {place}, can become its owner, or may read or write all data, so it could "
            f"switch off what keeps workspaces apart and the audit trail complete. Set {OWNER_SETTING} to its address, for migrations. "
            f"Then connect to the server as an administrator, execute the statement below with a password of your own, and start again with "
            f"{setting}=postgresql://{SERVING_ROLE}:{_PASSWORD}@… instead.\n\n"
            f"CREATE ROLE {SERVING_ROLE} LOGIN PASSWORD '{_PASSWORD}';\n"
        )
    return role


def _kind(connection: psycopg.Connection) -> tuple[str, str, bool, bool]:
    row = connection.execute(_KIND).fetchone()
    assert row
    return row


def _exempt(role: str, database: str, place: str, setting: str) -> StartRefused:
    return StartRefused(
        f"The account {role} of {setting} is a superuser or has BYPASSRLS, so PostgreSQL would not keep workspaces apart. "
        f"Connect to the database {place} as {role}, for example with psql, and execute the statements below with passwords of "
        f"your own; no data changes. Then start again with DATABASE_URL=postgresql://{SERVING_ROLE}:{_PASSWORD}@… and "
        f"{OWNER_SETTING}=postgresql://{ROLE}:{_OWNER_PASSWORD}@… instead.\n\n"
        f"CREATE EXTENSION IF NOT EXISTS vector;\n"
        f"CREATE ROLE {SERVING_ROLE} LOGIN PASSWORD '{_PASSWORD}';\n"
        f"CREATE ROLE {ROLE} LOGIN PASSWORD '{_OWNER_PASSWORD}';\n"
        f"GRANT {ROLE} TO CURRENT_USER;\n"
        f"GRANT ALL ON SCHEMA public TO {ROLE};\n"
        f"{hand_over(database)}"
    )


def grant(connection: psycopg.Connection, role: str) -> None:
    """Give the serving role what it needs, and take away what else it has. `connection` is the owner's.

    Executed at each start that may migrate, so that the tables of packages and those of an interrupted upgrade are included.
    """
    to = Identifier(role)
    _grant_surroundings(connection, role, to)
    can_maintain = connection.info.server_version >= MAINTAIN_SINCE
    for name, is_sequence, granted in connection.execute(_GRANTED, [role]).fetchall():
        if is_sequence:
            needed = _OF_SEQUENCES
        elif name.startswith("alembic_version"):
            needed = _OF_VERSIONS
        else:
            needed = tuple(each for each in _OTHER_PRIVILEGES.get(name, _ROWS) if can_maintain or each != "MAINTAIN")
        if set(granted) != set(needed):
            on = SQL("{} {}").format(SQL("SEQUENCE" if is_sequence else "TABLE"), Identifier(name))
            connection.execute(SQL("REVOKE ALL ON {} FROM {}").format(on, to))
            if needed:
                connection.execute(SQL("GRANT {} ON {} TO {}").format(SQL(", ").join(map(SQL, needed)), on, to))
    for (function,) in connection.execute(_FUNCTIONS, [role]).fetchall():
        connection.execute(SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(SQL(function), to))


def _grant_surroundings(connection: psycopg.Connection, role: str, to: Identifier) -> None:
    """Let the role connect, see the schema, and create temporary tables, which imports need, but no others."""
    database, may_use, may_create, is_in = connection.execute(_SURROUNDINGS, {"role": role}).fetchone() or ()
    if not may_use:
        connection.execute(SQL("GRANT USAGE ON SCHEMA public TO {}").format(to))
    if may_create:
        connection.execute(SQL("REVOKE CREATE ON SCHEMA public FROM PUBLIC, {}").format(to))
    if not is_in:
        connection.execute(SQL("GRANT CONNECT, TEMPORARY ON DATABASE {} TO {}").format(Identifier(database), to))

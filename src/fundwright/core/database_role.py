"""The role that Fundwright connects to its database as: the owner of its tables, whom their row-level security restricts, too.

Superusers and roles with BYPASSRLS are exempt from row-level security, even where it is forced.
"""

from __future__ import annotations

import psycopg

from fundwright.core.errors import StartRefused

ROLE = "fundwright"
_PASSWORD = "choose-a-password"

_IS_EXEMPT = "SELECT current_user, current_database(), rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"

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


def hand_over(database: str) -> str:
    """SQL that makes the role the owner of a database and of all tables, functions, and types in it, except those of extensions.

    It also declares that the operator `@@` reveals nothing about its arguments. PostgreSQL otherwise does not use full-text indexes of
    tables with row-level security, because it would apply the operator to rows that the policy hides.
    The owner of the database changes last: it tells whether the statements have been executed.
    """
    return _HAND_OVER.format(role=ROLE, database=database.replace('"', '""'))


def check_role(connection: psycopg.Connection, where: str) -> None:
    """Raise StartRefused if row-level security does not restrict the role of the connection. The message contains the statements
    that prepare a role which it does restrict."""
    row = connection.execute(_IS_EXEMPT).fetchone()
    assert row
    role, database, is_exempt = row
    if is_exempt:
        raise StartRefused(
            f"The account {role} of DATABASE_URL is a superuser or has BYPASSRLS, so PostgreSQL would not keep workspaces apart. "
            f"Connect to the database {where} as {role}, for example with psql, and execute the statements below with a password of "
            f"your own; no data changes. Then start again with DATABASE_URL=postgresql://{ROLE}:{_PASSWORD}@… instead.\n\n"
            f"CREATE EXTENSION IF NOT EXISTS vector;\n"
            f"CREATE ROLE {ROLE} LOGIN PASSWORD '{_PASSWORD}';\n"
            f"GRANT {ROLE} TO CURRENT_USER;\n"
            f"GRANT ALL ON SCHEMA public TO {ROLE};\n"
            f"{hand_over(database)}"
        )

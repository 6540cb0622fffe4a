"""The application connects as a role that row-level security restricts, and databases of earlier versions are handed over to it."""

from pathlib import Path

import psycopg
import pytest
from psycopg import Connection

from fundwright.core.database_role import ROLE
from fundwright.core.errors import StartRefused
from fundwright.core.migrations import upgrade
from fundwright.core.postgres import EmbeddedPostgres
from tests.support.databases import as_superuser

pytestmark = pytest.mark.database

_OTHER_OWNERS = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner <> %(role)s::regrole
UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proowner <> %(role)s::regrole
  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typowner <> %(role)s::regrole
  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid IN (pg_type.oid, pg_type.typelem) AND deptype = 'e')
UNION ALL SELECT datname FROM pg_database WHERE datname = current_database() AND datdba <> %(role)s::regrole
"""


def _other_owners(connection: Connection, role: str) -> list[str]:
    """The objects of the database that belong to another role."""
    return [name for (name,) in connection.execute(_OTHER_OWNERS, {"role": role})]


def _take_away(connection: Connection) -> None:
    """Make the superuser the owner of everything, as earlier versions did."""
    connection.execute(f"REASSIGN OWNED BY {ROLE} TO postgres")


def test_the_role_of_the_embedded_server_is_restricted(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        found = connection.execute("SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
        assert found == (ROLE, False, False)
        assert _other_owners(connection, ROLE) == []


@pytest.mark.parametrize("privilege", ["SUPERUSER", "BYPASSRLS"])
async def test_a_role_that_is_exempt_is_refused(privilege: str, database_url: str) -> None:
    role = f"exempt_{privilege.lower()}"
    with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN {privilege}")
        try:
            with pytest.raises(StartRefused, match=f"The account {role} of DATABASE_URL is a superuser or has BYPASSRLS"):
                await upgrade(database_url.replace(f"//{ROLE}@", f"//{role}@"))
        finally:
            connection.execute(f"DROP ROLE {role}")


@pytest.mark.slow
class TestEarlierVersions:
    async def test_a_data_folder_is_handed_over_without_loss(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path).use() as url:
            await upgrade(url)
            with psycopg.connect(as_superuser(url)) as connection:
                _take_away(connection)
                connection.execute(f"DROP ROLE {ROLE}")
                plans = connection.execute("TABLE plan").fetchall()
                assert plans
        with EmbeddedPostgres(tmp_path).use() as url:
            await upgrade(url)
            with psycopg.connect(url) as connection:
                assert connection.execute("TABLE plan").fetchall() == plans
                assert _other_owners(connection, ROLE) == []

    async def test_the_statements_of_the_refusal_prepare_a_server(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path).use() as url:
            await upgrade(url)
            with psycopg.connect(as_superuser(url), autocommit=True) as connection:
                _take_away(connection)
                connection.execute(f"DROP ROLE {ROLE}")
                with pytest.raises(StartRefused) as refused:
                    await upgrade(as_superuser(url))
                connection.execute(refused.value.sentence.partition("\n\n")[2].encode())
            await upgrade(url)
            with psycopg.connect(url) as connection:
                assert _other_owners(connection, ROLE) == []
                assert connection.execute("TABLE plan").fetchall()

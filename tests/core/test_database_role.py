"""The application connects as a role that cannot change what protects the data; another one owns it. Databases of earlier versions are handed
over."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import Connection
from pydantic import SecretStr
from sqlalchemy import text

from fundwright import hooks
from fundwright.core.assembly import open_core
from fundwright.core.database_role import ROLE, SERVING_ROLE
from fundwright.core.errors import StartRefused
from fundwright.core.migrations import serving_role, upgrade
from fundwright.core.plugins import Plugins
from fundwright.core.postgres import EmbeddedPostgres
from fundwright_ui import extension
from tests.support.cores import settings_of
from tests.support.databases import as_owner, as_superuser

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
    """Make the superuser the owner of everything, and the only role, as in earlier versions."""
    connection.execute(f"REASSIGN OWNED BY {ROLE} TO postgres")
    for role in (ROLE, SERVING_ROLE):
        connection.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode())


@pytest.fixture
def serving(database_url: str) -> Iterator[Connection]:
    """A connection of the role that serves, in a transaction that is rolled back."""
    with psycopg.connect(database_url) as connection:
        yield connection
        connection.rollback()


def _is_installation(connection: Connection) -> bool:
    row = connection.execute("SELECT is_installation()").fetchone()
    assert row
    return row[0]


def test_the_owner_of_the_embedded_database_is_restricted(database_url: str) -> None:
    with psycopg.connect(as_owner(database_url)) as connection:
        found = connection.execute("SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
        assert found == (ROLE, False, False)
        assert _other_owners(connection, ROLE) == []


@pytest.mark.parametrize("privilege", ["SUPERUSER", "BYPASSRLS"])
@pytest.mark.parametrize("take", [serving_role, upgrade])
async def test_a_role_that_is_exempt_is_refused(
    take: Callable[[str], Awaitable[object]], privilege: str, database_url: str
) -> None:
    role = f"exempt_{privilege.lower()}"
    with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN {privilege}")
        try:
            with pytest.raises(StartRefused, match=f"The account {role} of .* is a superuser or has BYPASSRLS"):
                await take(database_url.replace(f"//{SERVING_ROLE}@", f"//{role}@"))
        finally:
            connection.execute(f"DROP ROLE {role}")


@pytest.mark.security(54)
class TestServing:
    """What the role that serves cannot do."""

    async def test_is_refused_to_the_owner(self, database_url: str, tmp_path: Path) -> None:
        settings = settings_of(as_owner(database_url), tmp_path)
        with pytest.raises(
            StartRefused, match=f"(?s)^The account {ROLE} of DATABASE_URL owns the database.*CREATE ROLE {SERVING_ROLE} "
        ):
            async with open_core(settings, Plugins([hooks, extension])):
                pass

    @pytest.mark.parametrize(
        "becomes", ["IN ROLE fundwright", "IN ROLE pg_read_all_data", "IN ROLE pg_write_all_data", "CREATEROLE"]
    )
    async def test_is_refused_to_those_who_can_become_the_owner(self, becomes: str, database_url: str) -> None:
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            connection.execute(f"CREATE ROLE nearly LOGIN {becomes}".encode())
            try:
                with pytest.raises(StartRefused, match="can become its owner, or may read or write all data"):
                    await serving_role(database_url.replace(f"//{SERVING_ROLE}@", "//nearly@"))
            finally:
                connection.execute("DROP ROLE nearly")

    async def test_needs_no_owner_once_the_schema_is_there(self, database_url: str, tmp_path: Path) -> None:
        settings = settings_of(database_url, tmp_path).model_copy(update={"owner_url": None})
        async with open_core(settings, Plugins([hooks, extension])) as core, core.database.reading() as session:
            assert await session.scalar(text("SELECT current_user")) == SERVING_ROLE
        with psycopg.connect(as_owner(database_url), autocommit=True) as owner:
            owner.execute("UPDATE alembic_version SET version_num = '0081'")
        with pytest.raises(StartRefused, match=r"lacks the schema .*Run `fundwright migrate` with FUNDWRIGHT_OWNER_URL"):
            async with open_core(settings, Plugins([hooks, extension])):
                pass

    async def test_is_refused_if_the_owner_owns_another_database(self, database_url: str, postgres: str, tmp_path: Path) -> None:
        settings = settings_of(database_url, tmp_path).model_copy(update={"owner_url": SecretStr(as_owner(postgres))})
        with pytest.raises(StartRefused, match="^DATABASE_URL does not lead to the database of FUNDWRIGHT_OWNER_URL"):
            async with open_core(settings, Plugins([hooks, extension])):
                pass

    @pytest.mark.parametrize(
        "statement",
        [
            "ALTER TABLE document DISABLE ROW LEVEL SECURITY",
            "ALTER TABLE document NO FORCE ROW LEVEL SECURITY",
            "DROP POLICY workspace ON document",
            "ALTER POLICY workspace ON document USING (true)",
            "CREATE POLICY everything ON document USING (true)",
            "ALTER TABLE audit_entry DISABLE TRIGGER ALL",
            "DROP TRIGGER audit_entry_is_append_only ON audit_entry",
            "UPDATE audit_entry SET action = 'x'",
            "DELETE FROM audit_entry",
            "TRUNCATE audit_entry",
            "DROP TABLE audit_entry",
            "SET session_replication_role = replica",
            f"SET ROLE {ROLE}",
            f"SET SESSION AUTHORIZATION {ROLE}",
            f"GRANT {ROLE} TO {SERVING_ROLE}",
            "CREATE OR REPLACE FUNCTION is_installation() RETURNS boolean LANGUAGE sql AS 'SELECT true'",
            "CREATE TABLE kept AS TABLE document",
            "CREATE SCHEMA kept",
            "SELECT secret FROM installation_secret",
            "UPDATE installation_secret SET secret = ''",
            "SELECT installation_proof('unused files')",
            "INSERT INTO installation_purpose VALUES ('curiosity')",
            "SELECT enter_installation('curiosity')",
            "UPDATE alembic_version SET version_num = '9999'",
        ],
    )
    def test_changes_nothing_that_protects(self, serving: Connection, statement: str) -> None:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            serving.execute(statement.encode())

    @pytest.mark.parametrize("scope", ["SESSION", "LOCAL"])
    def test_does_not_enter_the_installation_by_a_setting(self, serving: Connection, scope: str) -> None:
        for value in ("on", "true", f"{'0' * 64}unused files"):
            serving.execute(f"SET {scope} app.is_installation = '{value}'".encode())
            assert not _is_installation(serving)

    def test_does_not_enter_it_with_the_proof_of_another_transaction(self, serving: Connection) -> None:
        row = serving.execute("SELECT enter_installation('unused files')").fetchone()
        assert row
        assert _is_installation(serving)
        serving.commit()
        assert not _is_installation(serving)
        serving.execute("SELECT set_config('app.is_installation', %s, false)", row)
        assert not _is_installation(serving)

    def test_does_not_enter_it_by_a_table_of_its_own(self, serving: Connection) -> None:
        """Temporary tables come first in the search path."""
        serving.execute("CREATE TEMPORARY TABLE installation_purpose (name text)")
        serving.execute("INSERT INTO installation_purpose VALUES ('curiosity')")
        serving.execute("CREATE TEMPORARY TABLE installation_secret (secret bytea)")
        serving.execute("SET search_path = pg_temp, public")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match='has the purpose "curiosity"'):
            serving.execute("SELECT public.enter_installation('curiosity')")

    def test_sees_no_more_after_it_has_looked_at_a_link_of_a_guest(self, serving: Connection) -> None:
        serving.execute("SET LOCAL app.is_installation = 'on'")
        serving.execute("SELECT acting_share_takes(gen_random_uuid(), '', gen_random_uuid())")
        assert not _is_installation(serving)


@pytest.mark.security(54)
class TestGranting:
    def test_gives_what_the_role_needs_and_nothing_else(self, database_url: str) -> None:
        """Each privilege on a table, without those that most have."""
        with psycopg.connect(database_url) as connection:
            found = connection.execute(
                "SELECT relname, string_agg(privilege_type, ' ' ORDER BY privilege_type) FROM pg_class, aclexplode(relacl)"
                " WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND grantee = current_user::regrole GROUP BY 1"
            ).fetchall()
        usual = "DELETE INSERT SELECT UPDATE"
        assert {name: privileges for name, privileges in found if privileges != usual} == {
            "alembic_version": "SELECT",
            "audit_entry": "INSERT SELECT",
            "opportunity": "DELETE INSERT MAINTAIN SELECT UPDATE",
        }
        with psycopg.connect(as_owner(database_url)) as connection:
            tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        assert {name for (name,) in tables} - {name for name, _ in found} == {"installation_purpose", "installation_secret"}

    async def test_repairs_what_an_interrupted_upgrade_or_a_person_has_left(self, database_url: str) -> None:
        with psycopg.connect(as_owner(database_url), autocommit=True) as owner:
            owner.execute(f"REVOKE ALL ON document FROM {SERVING_ROLE}")
            owner.execute(f"GRANT DELETE ON audit_entry TO {SERVING_ROLE}")
            owner.execute(f"REVOKE EXECUTE ON FUNCTION enter_installation FROM {SERVING_ROLE}")
            await upgrade(as_owner(database_url))
            has = "SELECT has_table_privilege(%(role)s, 'document', 'UPDATE'), has_table_privilege(%(role)s, 'audit_entry', 'DELETE')"
            assert owner.execute(has, {"role": SERVING_ROLE}).fetchone() == (True, False)
        with psycopg.connect(database_url) as serving:
            serving.execute("SELECT enter_installation('unused files')")

    async def test_leaves_the_tables_of_a_newer_release_alone(self, database_url: str) -> None:
        with psycopg.connect(as_owner(database_url), autocommit=True) as owner:
            owner.execute("CREATE TABLE another_secret (secret text)")
            owner.execute("UPDATE alembic_version SET version_num = '9999'")
            await upgrade(as_owner(database_url))
            has = "SELECT has_table_privilege(%s, 'another_secret', 'SELECT')"
            assert owner.execute(has, [SERVING_ROLE]).fetchone() == (False,)


@pytest.mark.slow
class TestEarlierVersions:
    async def test_a_data_folder_is_handed_over_without_loss(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path).use() as url:
            await upgrade(as_owner(url))
            with psycopg.connect(as_superuser(url)) as connection:
                _take_away(connection)
                plans = connection.execute("TABLE plan").fetchall()
                assert plans
        with EmbeddedPostgres(tmp_path).use() as url:
            await upgrade(as_owner(url))
            with psycopg.connect(url) as connection:
                assert connection.execute("TABLE plan").fetchall() == plans
                assert _other_owners(connection, ROLE) == []

    async def test_the_statements_of_the_refusal_prepare_a_server(self, tmp_path: Path) -> None:
        with EmbeddedPostgres(tmp_path).use() as url:
            await upgrade(as_owner(url))
            with psycopg.connect(as_superuser(url), autocommit=True) as connection:
                _take_away(connection)
                with pytest.raises(StartRefused) as refused:
                    await upgrade(as_superuser(url))
                connection.execute(refused.value.sentence.partition("\n\n")[2].encode())
            await upgrade(as_owner(url))
            with psycopg.connect(url) as connection:
                assert _other_owners(connection, ROLE) == []
                assert connection.execute("TABLE plan").fetchall()

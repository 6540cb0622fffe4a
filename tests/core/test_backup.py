"""A backup by `pg_dump` as the documented role contains everything and can be restored. As the application's role, there is none."""

import subprocess
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core
from fundwright.core.database_role import SERVING_ROLE
from fundwright.core.postgres import _BIN
from fundwright.core.scopes import acting_in
from fundwright.opportunities import service as opportunities
from fundwright.training import service as training
from fundwright.training.schemas import PastedText
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import RestrictionForm, WorkspaceForm
from tests.support.databases import as_owner, as_superuser

pytestmark = pytest.mark.database

_ROLE = "fundwright_backup"
_TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"


@pytest.fixture
async def filled(committed: Core) -> str:
    """The address of a database with notices and a restricted document."""
    async with committed.database.transaction() as session:
        ada = await accounts.create_account(
            session, committed, email="ada@example.org", name="Ada", role=Role.USER, password=None
        )
        await opportunities.load_sample_once(session)
        shared = await workspaces.create_workspace(session, ada, committed, WorkspaceForm(name="Harbor"))
        ada = await workspaces.actor_in(session, ada, shared.id)
    with acting_in(ada.scope):
        async with committed.database.transaction() as session:
            document = await training.add_text(session, ada, committed, PastedText(title="Ferry", text="The ferry has boats."))
            await training.restrict_document(session, ada, committed, document.id, RestrictionForm())
    return committed.database.url


def program(name: str, *arguments: str | Path) -> str:
    done = subprocess.run([_BIN / name, *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def counts(url: str) -> dict[str, int]:
    with psycopg.connect(as_superuser(url)) as connection:
        tables = [name for (name,) in connection.execute(_TABLES).fetchall()]
        rows = [connection.execute(SQL("SELECT count(*) FROM {}").format(Identifier(name))).fetchone() for name in tables]
    return {name: row[0] for name, row in zip(tables, rows, strict=True) if row}


def test_the_documented_role_saves_everything(filled: str, tmp_path: Path) -> None:
    statements = next(
        block
        for block in (Path(__file__).parents[2] / "docs/running.md").read_text().split("```")
        if block.startswith("sql") and _ROLE in block
    ).removeprefix("sql")
    copy = filled.replace("/test_", "/restored_")
    with psycopg.connect(as_superuser(filled), autocommit=True) as connection:
        connection.execute(statements.encode())
        connection.execute("CREATE DATABASE {}".format(copy.partition("@/")[2].partition("?")[0]).encode())
        try:
            program(
                "pg_dump", "--format=custom", f"--file={tmp_path / 'dump'}", filled.replace(f"//{SERVING_ROLE}@", f"//{_ROLE}@")
            )
            program("pg_restore", "--exit-on-error", f"--dbname={as_superuser(copy)}", tmp_path / "dump")
            saved = counts(copy)
            assert saved == counts(filled)
            assert saved["document"] > saved["restriction"] == 1
            with psycopg.connect(copy) as restored:
                assert restored.execute("SELECT count(*) FROM document").fetchone() == (0,)
        finally:
            connection.execute(f"DROP DATABASE {copy.partition('@/')[2].partition('?')[0]} WITH (FORCE)".encode())
            connection.execute(f"DROP OWNED BY {_ROLE}; DROP ROLE {_ROLE}".encode())


def test_policies_need_no_search_path(filled: str) -> None:
    """`pg_dump` and other tools have an empty one."""
    with psycopg.connect(as_owner(filled)) as connection:
        connection.execute("SET search_path = ''")
        connection.execute("SELECT set_config('app.workspace_id', gen_random_uuid()::text, true)")
        for name in counts(filled):
            connection.execute(SQL("SELECT count(*) FROM public.{}").format(Identifier(name)))
        connection.execute(
            "SELECT public.is_in_trash(gen_random_uuid()), public.acting_share_takes(gen_random_uuid(), '', gen_random_uuid())"
        )

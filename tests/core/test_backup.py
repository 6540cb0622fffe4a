"""A backup by `pg_dump` in a documented way contains everything and can be restored. As the application's role, there is none."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Role
from fundwright.core.assembly import Core
from fundwright.core.database_role import ROLE, SERVING_ROLE
from fundwright.core.postgres import _BIN
from fundwright.core.scopes import acting_in
from fundwright.opportunities import service as opportunities
from fundwright.training import adding, restricting
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
            document = await adding.add_text(session, ada, committed, PastedText(title="Ferry", text="The ferry has boats."))
            await restricting.restrict_document(session, ada, committed, document.id, RestrictionForm())
    return committed.database.url


def program(name: str, *arguments: str | Path, **settings: str) -> str:
    done = subprocess.run([_BIN / name, *arguments], check=False, capture_output=True, text=True, env=os.environ | settings)
    assert done.returncode == 0, done.stderr
    return done.stderr


def counts(url: str) -> dict[str, int]:
    with psycopg.connect(as_superuser(url)) as connection:
        tables = [name for (name,) in connection.execute(_TABLES).fetchall()]
        rows = [connection.execute(SQL("SELECT count(*) FROM {}").format(Identifier(name))).fetchone() for name in tables]
    return {name: row[0] for name, row in zip(tables, rows, strict=True) if row}


@contextmanager
def restored(filled: str, dump: Path) -> Iterator[str]:
    """The address of a database with what was saved."""
    copy = filled.replace("/test_", "/restored_")
    name = copy.partition("@/")[2].partition("?")[0]
    with psycopg.connect(as_superuser(filled), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            program("pg_restore", "--exit-on-error", f"--dbname={as_superuser(copy)}", dump)
            yield copy
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def documented(kind: str) -> str:
    """The block of this kind in the documentation of backups."""
    blocks = (Path(__file__).parents[2] / "docs/running.md").read_text().partition("For backups with `pg_dump`")[2].split("```")
    return next(block for block in blocks if block.startswith(kind)).removeprefix(kind)


def test_the_documented_role_saves_everything(filled: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    with psycopg.connect(as_superuser(filled), autocommit=True) as connection:
        connection.execute(documented("sql\n").encode())
        try:
            program("pg_dump", "--format=custom", f"--file={dump}", filled.replace(f"//{SERVING_ROLE}@", f"//{_ROLE}@"))
            with restored(filled, dump) as copy:
                saved = counts(copy)
                assert saved == counts(filled)
                assert saved["document"] > saved["restriction"] == 1
                with psycopg.connect(copy) as opened:
                    assert opened.execute("SELECT count(*) FROM document").fetchone() == (0,)
        finally:
            connection.execute(f"DROP OWNED BY {_ROLE}; DROP ROLE {_ROLE}".encode())


_OF_TESTS = "--exclude-schema=pristine"


def test_the_owner_saves_everything_with_the_documented_options(filled: str, tmp_path: Path) -> None:
    dump, options = tmp_path / "dump", "-c app.is_installation=on"
    assert f"PGOPTIONS='{options}' pg_dump --enable-row-security --format=custom" in documented("sh\n")
    program(
        "pg_dump", "--enable-row-security", "--format=custom", f"--file={dump}", _OF_TESTS, as_owner(filled), PGOPTIONS=options
    )
    with restored(filled, dump) as copy:
        assert counts(copy) == counts(filled)


@pytest.mark.parametrize(
    ("role", "problem"), [(ROLE, "row-level security"), (SERVING_ROLE, "permission denied for table installation_secret")]
)
def test_other_ways_save_nothing_without_saying_so(filled: str, tmp_path: Path, role: str, problem: str) -> None:
    dump = tmp_path / "dump"
    with pytest.raises(AssertionError, match=problem):
        program("pg_dump", "--format=custom", f"--file={dump}", _OF_TESTS, filled.replace(f"//{SERVING_ROLE}@", f"//{role}@"))
    assert role == ROLE or not dump.stat().st_size


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

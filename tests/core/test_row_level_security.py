"""PostgreSQL keeps workspaces and accounts apart by itself: every table either belongs to the installation or has a policy, which raw SQL cannot pass.

The SQL is executed as the application's role.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4, uuid5

import psycopg
import pytest
from psycopg import Connection
from psycopg.sql import SQL, Composed, Identifier
from psycopg.sql import Literal as Value

from fundwright.core.scopes import NOBODY, Scope
from tests.support.databases import as_owner, as_superuser
from tests.support.scopes import INSTALLATION

pytestmark = pytest.mark.database

_PEOPLE = "belongs to an account and is read while it signs in, before it acts in a workspace"
_NOTICES = "opportunities belong to the installation"
_QUEUE = "workers take the jobs of everyone"
_MEMBERS = "decides in which workspaces an account may act, before it acts in one"
INSTALLATION_WIDE: Mapping[str, str] = {
    "account": _PEOPLE,
    "account_photo": "profiles are shown to others",
    "account_session": _PEOPLE,
    "alembic_version": "the revision of the schema",
    "api_token": _PEOPLE,
    "audit_entry": "the audit trail of the installation",
    "blog_post": "published for everyone",
    "data_copy": _PEOPLE,
    "feedback": "sent to the administrators",
    "former_member": _MEMBERS,
    "import_rejection": _NOTICES,
    "import_run": _NOTICES,
    "invitation": "of the installation, and opened by visitors",
    "job": _QUEUE,
    "known_device": _PEOPLE,
    "mail": "the outbox of the installation",
    "membership": _MEMBERS,
    "one_time_secret": _PEOPLE,
    "opportunity": _NOTICES,
    "opportunity_facet": _NOTICES,
    "opportunity_sighting": _NOTICES,
    "opportunity_spelling": _NOTICES,
    "opportunity_terms": _NOTICES,
    "opportunity_text": _NOTICES,
    "opportunity_vector": _NOTICES,
    "opportunity_version": _NOTICES,
    "opportunity_word": _NOTICES,
    "opportunity_words": _NOTICES,
    "installation": "fingerprints of the data folder",
    "installation_purpose": "of the installation, and only its owner reads it",
    "installation_secret": "of the installation, and only its owner reads it",
    "page_view": "usage of the installation",
    "passkey": _PEOPLE,
    "plan": "the plans of the installation",
    "procrastinate_events": _QUEUE,
    "procrastinate_jobs": _QUEUE,
    "procrastinate_periodic_defers": _QUEUE,
    "procrastinate_workers": _QUEUE,
    "recovery_code": _PEOPLE,
    "saved_state": _PEOPLE,
    "second_factor": _PEOPLE,
    "sign_in_throttle": _PEOPLE,
    "workspace": _MEMBERS,
    "workspace_invitation": _MEMBERS,
}
"""Tables without a policy, each with the reason."""

OWNED = (
    "activity",
    "restriction",
    "restriction_member",
    "trash_item",
    "document",
    "collection",
    "contained_item",
    "chunk",
    "chunk_word",
    "chunk_vector",
    "organization_fact",
    "training_run",
    "category",
    "label",
    "draft",
    "draft_section",
    "draft_version",
    "draft_template",
    "citation",
    "notification",
    "notification_choice",
    "share_link",
    "saved_search",
    "saved_search_reader",
    "pursuit",
    "pursuit_move",
    "opportunity_watch",
    "organization_profile",
    "fit_score",
    "task",
    "note",
    "comment",
    "subscription",
    "quota_use",
    "payment",
    "premium_link",
    "premium_link_use",
)
"""Tables of workspaces, and of accounts."""
TRASHABLE = ("document", "collection", "category", "draft", "draft_template", "saved_search", "pursuit", "task", "note")
OWNER, ACCOUNT = "owner_id", "account_id"
PARENTS = {
    "document_id": "document",
    "chunk_id": "chunk",
    "category_id": "category",
    "draft_id": "draft",
    "section_id": "draft_section",
    "search_id": "saved_search",
    "pursuit_id": "pursuit",
}
ADA, BOB = (Scope(workspace_id=UUID(int=number), account_id=UUID(int=number + 10)) for number in (1, 2))

_CATALOG = """
SELECT relname, relrowsecurity AND relforcerowsecurity AND EXISTS (
  SELECT FROM pg_policy WHERE polrelid = pg_class.oid AND polqual IS NOT NULL AND polwithcheck IS NOT NULL AND polcmd = '*')
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
"""
_COLUMNS = """
SELECT column_name, udt_name, is_nullable = 'YES' OR column_default IS NOT NULL FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position
"""
_VALUES: Mapping[str, object] = {
    "_text": "{}",
    "bool": False,
    "date": "2026-11-27",
    "float8": 0.0,
    "halfvec": "[1]",
    "int4": 1,
    "int8": 1,
    "jsonb": "[]",
    "timestamptz": "2026-11-27",
    "tsvector": "",
}


def row_id(scope: Scope, table: str) -> UUID:
    assert scope.workspace_id
    return uuid5(scope.workspace_id, table)


def row_of(connection: Connection, table: str, scope: Scope, **given: object) -> dict[str, object]:
    """A row of the table for the workspace, which refers to the rows of other tables with the same scope."""
    row: dict[str, object] = {}
    for name, kind, may_be_omitted in connection.execute(_COLUMNS, [table]).fetchall():
        if name == "id":
            row[name] = row_id(scope, table)
        elif name == OWNER:
            row[name] = scope.workspace_id
        elif name == ACCOUNT:
            row[name] = scope.account_id
        elif name in PARENTS:
            row[name] = row_id(scope, PARENTS[name])
        elif not may_be_omitted:
            row[name] = uuid4() if kind == "uuid" else _VALUES.get(kind, uuid4().hex)
    return row | given


def insertion(table: str, row: Mapping[str, object]) -> Composed:
    columns = SQL(", ").join(map(Identifier, row))
    return SQL("INSERT INTO {} ({}) VALUES ({})").format(Identifier(table), columns, SQL(", ").join(map(Value, row.values())))


def act(connection: Connection, scope: Scope) -> None:
    connection.execute(f"SELECT {', '.join(scope.expressions)}".encode())


def count(connection: Connection, table: str, condition: Composed | SQL = SQL("true")) -> int:
    found = connection.execute(SQL("SELECT count(*) FROM {} WHERE {}").format(Identifier(table), condition)).fetchone()
    assert found
    return found[0]


def is_refused(connection: Connection, statement: Composed) -> bool:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        return "row-level security" in str(error)
    except psycopg.Error:  # a constraint: the policy has let it pass
        return False
    return False


def leaks(connection: Connection, table: str) -> list[str]:
    """What Bob can do with Ada's rows of the table."""
    name, found = Identifier(table), list[str]()
    act(connection, ADA)
    before = count(connection, table)
    assert before, f"Ada has no row in {table}"
    act(connection, NOBODY)
    if count(connection, table):
        found.append("nobody reads")
    act(connection, INSTALLATION)
    everything = count(connection, table)
    act(connection, BOB)
    if count(connection, table) != everything - before:
        found.append("reads")
    columns = [column for column, *_ in connection.execute(_COLUMNS, [table]).fetchall()]
    reference = next(
        column for column in (OWNER, ACCOUNT, *columns) if column in columns and column in (OWNER, ACCOUNT, *PARENTS)
    )
    of_ada = {OWNER: ADA.workspace_id, ACCOUNT: ADA.account_id}.get(reference) or row_id(ADA, PARENTS[reference])
    is_adas = SQL("{} = {}").format(Identifier(reference), Value(of_ada))
    with connection.transaction(force_rollback=True):
        changed = connection.execute(
            SQL("UPDATE {} SET {} = {} WHERE {}").format(name, Identifier(columns[-1]), Identifier(columns[-1]), is_adas)
        )
        if changed.rowcount:
            found.append("changes")
    with connection.transaction(force_rollback=True):
        if connection.execute(SQL("DELETE FROM {} WHERE {}").format(name, is_adas)).rowcount:
            found.append("deletes")
    new = row_of(connection, table, ADA) | ({"id": uuid4()} if "id" in columns else {})
    if not is_refused(connection, insertion(table, new)):
        found.append("inserts")
    if not is_refused(connection, SQL("UPDATE {} SET {} = {}").format(name, Identifier(reference), Value(of_ada))):
        found.append("moves")
    return found


def restrict(connection: Connection, *ids: UUID) -> None:
    """Restrict items of Ada's workspace to her."""
    for id in ids:
        connection.execute(
            "INSERT INTO restriction (subject_id, owner_id, kind, restricted_at) VALUES (%s, %s, 'x', now())",
            [id, ADA.workspace_id],
        )
        connection.execute(
            "INSERT INTO restriction_member (subject_id, account_id, owner_id, access) VALUES (%s, %s, %s, 'edit')",
            [id, ADA.account_id, ADA.workspace_id],
        )


@pytest.fixture
def filled(database_url: str) -> str:
    """A database with a row of Ada and of Bob in each table."""
    with psycopg.connect(as_superuser(database_url), autocommit=True) as superuser:
        superuser.execute("SET session_replication_role = replica")  # without accounts and workspaces
        for scope in (ADA, BOB):
            superuser.execute("INSERT INTO workspace (id, name, created_at) VALUES (%s, '', now())", [scope.workspace_id])
            superuser.execute(
                "INSERT INTO membership (workspace_id, account_id, role, joined_at) VALUES (%s, %s, 'owner', now())",
                [scope.workspace_id, scope.account_id],
            )
            for table in OWNED:
                superuser.execute(insertion(table, row_of(superuser, table, scope)))
            for table in TRASHABLE:
                trashed = {"id": row_id(scope, f"{table} in the trash"), OWNER: None, "trash_id": row_id(scope, "trash_item")}
                superuser.execute(insertion(table, row_of(superuser, table, scope, **trashed)))
            labeled: dict[str, Any] = {"id": uuid4(), OWNER: None, "category_id": row_id(scope, "trash_item")}
            superuser.execute(insertion("label", row_of(superuser, "label", scope, **labeled)))
    return database_url


@pytest.fixture
def connection(filled: str) -> Iterator[Connection]:
    """A connection of the role that serves; everything is rolled back."""
    with psycopg.connect(filled) as opened:
        yield opened
        opened.rollback()


@pytest.fixture
def owners(filled: str) -> Iterator[Connection]:
    """A connection of the owner, who may change policies; everything is rolled back."""
    with psycopg.connect(as_owner(filled)) as opened:
        yield opened
        opened.rollback()


def test_each_table_belongs_to_the_installation_or_has_a_forced_policy(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        catalog: dict[str, bool] = dict(connection.execute(_CATALOG).fetchall())
    assert {table for table, is_guarded in catalog.items() if is_guarded} == set(OWNED)
    assert set(catalog) - set(OWNED) == set(INSTALLATION_WIDE)
    assert all(INSTALLATION_WIDE.values())


@pytest.mark.parametrize("table", OWNED)
def test_rows_of_other_workspaces_are_out_of_reach(connection: Connection, table: str) -> None:
    assert leaks(connection, table) == []


@pytest.mark.parametrize("table", TRASHABLE)
def test_what_is_in_the_trash_is_visible_to_its_workspace(connection: Connection, table: str) -> None:
    act(connection, ADA)
    assert count(connection, table) == 2
    assert count(connection, "label") == 2
    reference = SQL("trash_id = {}").format(Value(row_id(ADA, "trash_item")))
    assert count(connection, table, reference) == 1


@pytest.mark.security(51)
@pytest.mark.parametrize(
    "table",
    [
        "trash_item",
        "document",
        "collection",
        "chunk",
        "chunk_vector",
        "draft",
        "draft_section",
        "draft_version",
        "share_link",
        "saved_search",
    ],
)
def test_what_is_restricted_is_visible_only_to_its_members(connection: Connection, table: str) -> None:
    """The workspace has a document, a collection, a draft, and a saved search, and one of each in its trash."""
    member = replace(ADA, account_id=UUID(int=99))
    act(connection, member)
    everything = count(connection, table)
    restrict(connection, *(row_id(ADA, each) for each in ("document", "collection", "draft", "saved_search", "trash_item")))
    assert count(connection, table) == 0
    assert connection.execute(SQL("DELETE FROM {}").format(Identifier(table))).rowcount == 0
    act(connection, ADA)
    assert count(connection, table) == everything


@pytest.mark.security(51)
@pytest.mark.parametrize("table", ["document", "collection", "chunk", "chunk_vector", "citation", "activity", "comment"])
def test_what_is_in_a_restricted_collection_is_visible_only_to_its_members(connection: Connection, table: str) -> None:
    act(connection, ADA)
    document, collection = row_id(ADA, "document"), row_id(ADA, "collection")
    for table_of_subjects in ("activity", "comment"):
        connection.execute(SQL("UPDATE {} SET subject_id = %s").format(Identifier(table_of_subjects)), [document])
    connection.execute("DELETE FROM collection WHERE owner_id IS NULL")
    connection.execute("DELETE FROM document WHERE owner_id IS NULL")
    contained = row_of(connection, "contained_item", ADA, item_id=document, container_id=collection)
    connection.execute(insertion("contained_item", contained))
    restrict(connection, collection)
    assert count(connection, table) == 1
    act(connection, replace(ADA, account_id=UUID(int=99)))
    assert count(connection, table) == 0


@pytest.mark.security(51)
@pytest.mark.parametrize("table", ["task", "trash_item", "activity"])
def test_tasks_of_a_restricted_draft_are_visible_only_to_its_members(connection: Connection, table: str) -> None:
    act(connection, ADA)
    draft = row_id(ADA, "draft")
    contained = {"task": row_id(ADA, "task"), "trash_item": row_id(ADA, "trash_item"), "activity": row_id(ADA, "task")}[table]
    connection.execute("UPDATE activity SET subject_id = %s", [contained])
    connection.execute("DELETE FROM task WHERE owner_id IS NULL")
    connection.execute(
        insertion("contained_item", row_of(connection, "contained_item", ADA, item_id=contained, container_id=draft))
    )
    restrict(connection, draft)
    assert count(connection, table) == 1
    act(connection, replace(ADA, account_id=UUID(int=99)))
    assert count(connection, table) == 0


def test_what_a_member_has_seen_of_a_search_is_visible_to_this_member_alone(connection: Connection) -> None:
    act(connection, ADA)
    assert count(connection, "saved_search_reader") == 1
    connection.execute(
        "INSERT INTO restriction (subject_id, owner_id, kind, restricted_at) VALUES (%s, %s, 'x', now())",
        [row_id(ADA, "saved_search"), ADA.workspace_id],
    )
    assert count(connection, "saved_search_reader") == 0  # the search is restricted to others
    act(connection, replace(ADA, account_id=UUID(int=99)))
    connection.execute("DELETE FROM restriction")
    assert (count(connection, "saved_search"), count(connection, "saved_search_reader")) == (2, 0)


def test_members_see_who_watches_a_notice_and_change_only_what_they_watch_themselves(connection: Connection) -> None:
    act(connection, ADA)
    own = row_of(connection, "opportunity_watch", ADA)
    colleague = replace(ADA, account_id=UUID(int=99))
    act(connection, colleague)
    assert count(connection, "opportunity_watch") == 1
    assert connection.execute("UPDATE opportunity_watch SET told_until = now()").rowcount == 0
    assert connection.execute("DELETE FROM opportunity_watch").rowcount == 0
    assert is_refused(connection, insertion("opportunity_watch", own | {"opportunity_id": uuid4()}))
    act(connection, ADA)
    assert connection.execute("DELETE FROM opportunity_watch").rowcount == 1


def test_a_citation_of_a_restricted_document_is_hidden_in_a_draft_that_is_not(connection: Connection) -> None:
    act(connection, replace(ADA, account_id=UUID(int=99)))
    assert (count(connection, "citation"), count(connection, "draft")) == (1, 2)
    restrict(connection, row_id(ADA, "document"))
    assert (count(connection, "citation"), count(connection, "draft")) == (0, 2)
    act(connection, ADA)
    assert count(connection, "citation") == 1


def test_what_is_restricted_to_nobody_is_hidden(connection: Connection) -> None:
    act(connection, ADA)
    restrict(connection, row_id(ADA, "document"))
    connection.execute("DELETE FROM restriction_member")
    assert count(connection, "document") == 1  # the one in the trash


@pytest.mark.parametrize(
    "mutation",
    [
        "ALTER TABLE document DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE document NO FORCE ROW LEVEL SECURITY",
        "CREATE POLICY too_wide ON document USING (true)",
    ],
)
def test_a_missing_policy_is_noticed(owners: Connection, mutation: str) -> None:
    owners.execute(mutation.encode())
    assert set(leaks(owners, "document")) == {"nobody reads", "reads", "changes", "deletes", "inserts", "moves"}


def test_a_policy_that_checks_only_reads_is_noticed(owners: Connection) -> None:
    owners.execute("ALTER POLICY workspace ON document WITH CHECK (true)")
    assert {"inserts", "moves"} <= set(leaks(owners, "document"))


def test_full_text_indexes_are_used(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("SET enable_seqscan = off; SET enable_indexscan = off")  # there are no rows
        connection.execute("SELECT set_config('app.workspace_id', %s, false)", [str(ADA.workspace_id)])
        plan = connection.execute("EXPLAIN SELECT id FROM chunk WHERE search @@ to_tsquery('ferry')").fetchall()
    assert any("ix_chunk_search" in line for (line,) in plan), plan

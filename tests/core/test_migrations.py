"""Upgrading a database, and all reasons not to start."""

import asyncio
import importlib
import re
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from fundwright.accounts.schemas import UPGRADE
from fundwright.core import migrations
from fundwright.core.database_role import SERVING_ROLE
from fundwright.core.errors import StartRefused
from fundwright.core.messages import from_stored
from fundwright.core.migrations import check_schema, revisions, upgrade
from fundwright.templates.builtin import COVER_LETTER
from fundwright.templates.schemas import TemplateSection
from fundwright.training.schemas import TrainDocuments
from tests.support.databases import as_owner, as_superuser


@pytest.fixture
def database_url(database_url: str) -> str:
    """The address of the database for its owner, who migrates it."""
    return as_owner(database_url)


_CATALOGS = ("pg_class", "pg_attribute", "pg_attrdef", "pg_constraint", "pg_extension", "pg_proc", "pg_trigger")


def written(url: str) -> dict[str, list[str]]:
    """The physical location of each row of the schema and of our tables, and the transaction that wrote it."""
    rows = SQL("SELECT ctid || ' ' || xmin FROM {} ORDER BY ctid")
    with psycopg.connect(url) as connection:
        tables = [name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        return {table: [row for (row,) in connection.execute(rows.format(Identifier(table)))] for table in (*_CATALOGS, *tables)}


async def set_back(url: str, *, to: str) -> None:
    """Set up an empty database like an earlier version."""
    with psycopg.connect(as_superuser(url), autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public AUTHORIZATION pg_database_owner")
        connection.execute("CREATE EXTENSION vector")
    await upgrade(as_owner(url), to=to)


class TestRevisions:
    def test_are_those_that_the_files_declare_in_one_line(self) -> None:
        folder = Path(migrations.__file__).parent / "versions"
        modules = [
            importlib.import_module(f"{migrations.__name__}.versions.{path.stem}") for path in sorted(folder.glob("v*.py"))
        ]
        assert [module.revision for module in modules] == revisions()
        assert [module.down_revision for module in modules] == [None, *revisions()[:-1]]

    def test_do_not_ask_what_exists(self) -> None:
        """Checking for existing objects would hide a database that does not match its revision."""
        files = (Path(migrations.__file__).parent / "versions").glob("v*.py")
        assert [path.name for path in files if re.search(r"if_(not_)?exists=", path.read_text(encoding="utf-8"))] == []


@pytest.mark.slow
class TestUpgrade:
    async def test_running_it_twice_changes_nothing(self, database_url: str) -> None:
        before = written(database_url)
        assert before["pg_class"] and before["plan"]
        await upgrade(database_url)
        assert written(database_url) == before

    async def test_jobs_lose_their_copy_of_the_account_that_started_them(self, database_url: str) -> None:
        payload = {"draft_id": "5f0c", "actor": {"id": "7a1e", "email": "ada@example.org", "role": "admin"}}
        await set_back(database_url, to="0019")
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO job (id, kind, title, language, state, done, message, payload, checkpoint, cancel_requested, created_at)"
                " VALUES (gen_random_uuid(), 'draft', '', 'en', 'queued', 0, '', %s, '{}', false, now())",
                [Jsonb(payload)],
            )
            await upgrade(database_url)
            assert connection.execute("SELECT payload FROM job").fetchone() == ({"draft_id": "5f0c"},)

    async def test_counts_of_categorizing_jobs_are_renamed(self, database_url: str) -> None:
        counts = {"labelled": 3, "kept": 1}
        await set_back(database_url, to="0045")
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO job (id, kind, title, language, state, done, message, payload, checkpoint, result, cancel_requested,"
                " created_at, attempts) VALUES (gen_random_uuid(), 'categorize', '', 'en', 'succeeded', 0, '', '{}', %s, %s, false,"
                " now(), 1)",
                [Jsonb({"counts": counts, "after": "5f0c"}), Jsonb(counts)],
            )
            await upgrade(database_url)
            renamed = {"labeled": 3, "kept": 1}
            assert connection.execute("SELECT result, checkpoint FROM job").fetchone() == (
                renamed,
                {"counts": renamed, "after": "5f0c"},
            )

    async def test_jobs_of_personal_data_are_renamed(self, database_url: str) -> None:
        await set_back(database_url, to="0049")
        with psycopg.connect(database_url, autocommit=True) as connection:
            for kind in ("identity.personal_data", "identity.personal_data_expiry"):
                connection.execute(
                    "INSERT INTO job (id, kind, title, language, state, done, message, payload, checkpoint, cancel_requested,"
                    " created_at) VALUES (gen_random_uuid(), %s, '', 'en', 'queued', 0, '', '{}', '{}', false, now())",
                    [kind],
                )
            await upgrade(database_url)
            kinds = connection.execute("SELECT kind FROM job ORDER BY kind").fetchall()
            assert kinds == [("personal_data",), ("personal_data_expiry",)]

    async def test_headings_are_stored_one_by_one(self, database_url: str) -> None:
        source = {"passage_id": "5f0c", "heading": "Work › Boats", "page": 1}
        matches: list[dict[str, object]] = [
            {"question": "a", "source": source},
            {"question": "b", "source": {**source, "heading": None}},
            {"question": "c", "source": None},
            {"question": "d"},
        ]
        id = UUID(int=1)
        await set_back(database_url, to="0046")
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            connection.execute(
                "INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at)"
                " VALUES (%s, 'ada@example.org', 'Ada', '', '', '', 'user', false, now())",
                [id],
            )
            connection.execute("SET session_replication_role = replica")  # without documents and drafts
            for number, (heading, places) in enumerate(
                (("Work › Boats", [[0, "Work › Boats", 1], [9, "", None], [20, "Work", 2]]), ("Work", []), ("", []))
            ):
                connection.execute(
                    "INSERT INTO chunk (id, document_id, owner_id, ordinal, heading, places, start_offset, end_offset, text, search)"
                    " VALUES (gen_random_uuid(), %s, %s, %s, %s, %s, 0, 1, '', '')",
                    [id, id, number, heading, Jsonb(places)],
                )
            for number, heading in enumerate(("Work › Boats", "Work", None)):
                connection.execute(
                    "INSERT INTO citation (id, draft_id, number, passage_id, document_id, document_title, heading, text)"
                    " VALUES (gen_random_uuid(), %s, %s, %s, %s, '', %s, '')",
                    [id, number, id, id, heading],
                )
            for number, found in enumerate((matches, [])):
                connection.execute(
                    "INSERT INTO draft_section (id, draft_id, ordinal, heading, text, incoming, state, revision, saved_by, saved_sequence,"
                    " open_questions, done_questions, possible_matches, dropped_citations)"
                    " VALUES (gen_random_uuid(), %s, %s, '', '', '', 'done', 0, '', 0, '[]', '[]', %s, 0)",
                    [id, number, Jsonb(found)],
                )
            await upgrade(database_url)
            assert connection.execute("SELECT heading, places FROM chunk ORDER BY ordinal").fetchall() == [
                (["Work", "Boats"], [[0, ["Work", "Boats"], 1], [9, [], None], [20, ["Work"], 2]]),
                (["Work"], []),
                ([], []),
            ]
            headings = connection.execute("SELECT heading FROM citation ORDER BY number").fetchall()
            assert headings == [(["Work", "Boats"],), (["Work"],), ([],)]
            matches[0]["source"] = {**source, "heading": ["Work", "Boats"]}
            matches[1]["source"] = {**source, "heading": []}
            kept = connection.execute("SELECT possible_matches FROM draft_section ORDER BY ordinal").fetchall()
            assert kept == [(matches,), ([],)]

    async def test_emails_get_their_kind_from_their_subject(self, database_url: str) -> None:
        subjects = {
            "Neues Passwort wählen": "password_reset",
            "Ada 100% Lovelace vous invite sur Fundwright": "invitation",
            "Invoice 2026-0001": "invoice",
            "Your invoice": "other",
        }
        await set_back(database_url, to="0028")
        with psycopg.connect(database_url, autocommit=True) as connection:
            for subject in subjects:
                connection.execute(
                    "INSERT INTO mail (id, recipient, subject, language, text, html, state, error, tries, created_at)"
                    " VALUES (gen_random_uuid(), 'ada@example.org', %s, 'en', '', '', 'kept', '', 0, now())",
                    [subject],
                )
            await upgrade(database_url)
            assert dict(connection.execute("SELECT subject, kind FROM mail").fetchall()) == subjects

    async def test_only_notices_with_more_to_embed_lose_their_vector(self, database_url: str) -> None:
        short, long = (UUID(int=number) for number in (1, 2))
        await set_back(database_url, to="0040")
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")  # without the notices themselves
            for id, characters in ((short, 500), (long, 501)):
                connection.execute(
                    "INSERT INTO opportunity_text (opportunity_id, description, eligibility, contacts, url, raw)"
                    " VALUES (%s, repeat('x', %s), '', '[]', '', '{}')",
                    [id, characters],
                )
                connection.execute("INSERT INTO opportunity_words VALUES (%s, '{1:1}/16777216')", [id])
                connection.execute("INSERT INTO opportunity_vector VALUES (%s, 'a model', '[1]', now())", [id])
            await upgrade(database_url)
            assert connection.execute("SELECT opportunity_id FROM opportunity_vector").fetchall() == [(short,)]
            assert connection.execute("SELECT count(*) FROM opportunity_words").fetchone() == (0,)

    async def test_labels_become_one_for_each_category_and_a_rejection_is_of_all(self, database_url: str) -> None:
        await set_back(database_url, to="0037")
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            connection.execute(
                "INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at)"
                " VALUES (gen_random_uuid(), 'ada@example.org', 'Ada', '', '', '', 'user', false, now())"
            )
            connection.execute(
                "INSERT INTO category (id, owner_id, name, description, colour, is_sample, created_at, changed_at)"
                " SELECT gen_random_uuid(), id, name, '', 'blue', false, now(), now() FROM account, unnest(ARRAY['Roofs', 'Cloud']) name"
            )
            add = (
                "INSERT INTO label (id, owner_id, subject_id, category_id, confidence, state, source, decided_at)"
                " SELECT gen_random_uuid(), a.id, %s, (SELECT id FROM category WHERE name = %s), %s, %s, %s, now() FROM account a"
            )
            kept, taken, none = (UUID(int=number) for number in (1, 2, 3))
            connection.execute(add, [kept, "Roofs", 0.7, "suggested", "model"])
            connection.execute(add, [taken, "Roofs", 1, "rejected", "person"])
            connection.execute(add, [none, None, 1, "rejected", "person"])
            await upgrade(database_url)
            rows = connection.execute(
                "SELECT subject_id, name, state FROM label JOIN category ON category.id = category_id ORDER BY subject_id, name"
            ).fetchall()
        rejected = [(subject, name, "rejected") for subject in (taken, none) for name in ("Cloud", "Roofs")]
        assert rows == [(kept, "Roofs", "suggested"), *rejected]

    @pytest.mark.parametrize(("is_kind_chosen", "begun"), [(False, ["propose_kinds", "train"]), (True, ["train"])])
    async def test_documents_trained_without_kinds_get_proposals(
        self, database_url: str, is_kind_chosen: bool, begun: list[str]
    ) -> None:
        await set_back(database_url, to="0039")
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at)"
                " VALUES (gen_random_uuid(), 'ada@example.org', 'Ada', '', '', '', 'user', false, now())"
            )
            connection.execute(
                "INSERT INTO document (id, owner_id, title, filename, media_type, sha256, size_bytes, source, is_sample,"
                " is_kind_chosen, state, text, chunk_count, created_at)"
                " SELECT gen_random_uuid(), id, 'CV', 'cv.txt', 'text/plain', '', 1, 'upload', false, %s, 'trained', 'CV', 0, now()"
                " FROM account",
                [is_kind_chosen],
            )
            await upgrade(database_url)
            assert [kind for (kind,) in connection.execute("SELECT kind FROM job ORDER BY kind")] == begun

    async def test_documents_of_earlier_readers_are_trained_again_for_an_owner(self, database_url: str) -> None:
        await set_back(database_url, to="0088")
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            connection.execute(
                "INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at)"
                " VALUES (gen_random_uuid(), 'ada@example.org', 'Ada', '', '', '', 'user', false, now())"
            )
            (owner,) = connection.execute("SELECT id FROM account").fetchone() or ()
            connection.execute("INSERT INTO workspace (id, name, created_at) VALUES (%s, 'Ada', now())", [owner])
            connection.execute(
                "INSERT INTO membership (workspace_id, account_id, role, joined_at) VALUES (%(id)s, %(id)s, 'owner', now())",
                {"id": owner},
            )
            for number, state in ((1, "trained"), (2, "trained"), (3, "failed")):
                connection.execute(
                    "INSERT INTO document (id, owner_id, title, filename, media_type, sha256, size_bytes, source, is_sample, kind,"
                    " is_kind_chosen, state, text, chunk_count, created_at)"
                    " VALUES (%s, %s, 'CV', 'cv.txt', 'text/plain', '', 1, 'upload', false, 'resume', true, %s, 'CV', 0, now())",
                    [UUID(int=number), owner, state],
                )
            await upgrade(database_url)
            read = "SELECT job.account_id, job.version, job.title, job.payload->>'run_id' = run.id::text, run.document_ids FROM job JOIN training_run run ON run.job_id = job.id"  # fmt: skip
            ((account, version, title, is_of_run, documents),) = connection.execute(read).fetchall()
        assert (account, version, is_of_run) == (owner, TrainDocuments.version, True)
        assert from_stored(title) == "Train 2 documents"
        assert documents == [str(UUID(int=number)) for number in (1, 2)]

    async def test_what_exists_keeps_its_owner_and_can_go_to_the_trash(self, database_url: str) -> None:
        await set_back(database_url, to="0050")
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            connection.execute(
                "INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at)"
                " VALUES (gen_random_uuid(), 'ada@example.org', 'Ada', '', '', '', 'user', false, now())"
            )
            connection.execute(
                "INSERT INTO category (id, owner_id, name, description, color, is_sample, created_at, changed_at)"
                " SELECT gen_random_uuid(), id, 'Roofs', '', 'blue', false, now(), now() FROM account"
            )
            await upgrade(database_url)
            assert connection.execute("SELECT owner_id IS NULL, trash_id FROM category").fetchall() == [(False, None)]
            with pytest.raises(psycopg.errors.CheckViolation):
                connection.execute("UPDATE category SET owner_id = NULL")
            connection.execute(
                "INSERT INTO trash_item (id, owner_id, kind, title, trashed_at)"
                " SELECT id, owner_id, 'category', name, now() FROM category"
            )
            connection.execute("UPDATE category SET owner_id = NULL, trash_id = id")
            connection.execute("DELETE FROM workspace")
            assert connection.execute("SELECT count(*) FROM category").fetchone() == (0,)

    async def test_viewers_and_reviewers_become_users_and_sign_in_again(self, database_url: str) -> None:
        roles = ("admin", "reviewer", "user", "viewer")
        await set_back(database_url, to="0062")
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            for role in roles:
                account = [UUID(int=roles.index(role) + 1)]
                connection.execute(
                    "INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at)"
                    " VALUES (%s, %s, '', '', '', '', %s, false, now())",
                    [*account, f"{role}@example.org", role],
                )
                connection.execute("INSERT INTO workspace (id, name, created_at) VALUES (%s, '', now())", account)
                connection.execute("INSERT INTO membership SELECT id, id, 'owner', now() FROM account WHERE id = %s", account)
                connection.execute(
                    "INSERT INTO account_session (id, owner_id, remember, user_agent, address, created_at, last_used_at,"
                    " reauthenticated_until, expires_at, idle_limit, generation)"
                    " VALUES (gen_random_uuid(), %s, false, '', '', now(), now(), now(), now(), '1 hour', 0)",
                    account,
                )
                connection.execute("INSERT INTO known_device SELECT id, id, '', now(), now() FROM account WHERE id = %s", account)
                for ended in ("", "used_at", "revoked_at"):
                    connection.execute(
                        "INSERT INTO invitation (id, email, role, digest, created_at, expires_at, used_at, revoked_at)"
                        " SELECT gen_random_uuid(), 'new@example.org', %(role)s, gen_random_uuid(), now(), now(),"
                        " CASE WHEN %(ended)s = 'used_at' THEN now() END, CASE WHEN %(ended)s = 'revoked_at' THEN now() END",
                        {"role": role, "ended": ended},
                    )
            members = connection.execute("SELECT workspace_id, account_id, role FROM membership ORDER BY account_id").fetchall()
            await upgrade(database_url)
            assert connection.execute(
                "SELECT email, role, EXISTS (SELECT FROM account_session WHERE owner_id = account.id AND ended_at IS NULL),"
                " EXISTS (SELECT FROM known_device WHERE owner_id = account.id) FROM account ORDER BY email"
            ).fetchall() == [
                ("admin@example.org", "admin", True, True),
                ("reviewer@example.org", "user", False, False),
                ("user@example.org", "user", True, True),
                ("viewer@example.org", "user", False, False),
            ]
            assert connection.execute("SELECT role, count(*) FROM invitation GROUP BY role ORDER BY role").fetchall() == [
                ("admin", 3),
                ("user", 9),
            ]
            assert connection.execute(
                "SELECT action, subject, address, details, actor_id FROM audit_entry ORDER BY subject"
            ).fetchall() == [
                ("account.role_changed", f"{role}@example.org", UPGRADE.address, {"role": "user", "previous_role": role}, None)
                for role in ("reviewer", "viewer")
            ]
            kept = connection.execute("SELECT workspace_id, account_id, role FROM membership ORDER BY account_id").fetchall()
            assert kept == members

    async def test_plans_and_invoices_of_an_account_become_those_of_its_personal_workspace(self, database_url: str) -> None:
        ada, bob = UUID(int=1), UUID(int=2)
        await set_back(database_url, to="0062")
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            for id, name in ((ada, "Ada"), (bob, "Bob")):
                connection.execute(
                    "INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at)"
                    " VALUES (%s, %s, %s, '', '', '', 'user', false, now())",
                    [id, f"{name.lower()}@example.org", name],
                )
                connection.execute("INSERT INTO workspace (id, name, created_at) VALUES (%s, '', now())", [id])
                connection.execute(
                    "INSERT INTO membership (workspace_id, account_id, role, joined_at) VALUES (%s, %s, 'owner', now())", [id, id]
                )
                connection.execute(
                    "INSERT INTO subscription (id, owner_id, plan, since, until, origin)"
                    " VALUES (%s, %s, 'pro', '2026-01-01', NULL, 'manual'), (gen_random_uuid(), %s, 'team', '2025-01-01', '2026-01-01',"
                    " 'invoice')",
                    [id, id, id],
                )
                connection.execute(
                    "INSERT INTO quota_use (owner_id, quota, month, used) VALUES (%s, 'drafts', '2026-11-01', 7)", [id]
                )
            for number, owner in enumerate((ada, None)):
                connection.execute(
                    "INSERT INTO payment (id, number, owner_id, email, text, amount_cents, currency, issued, due, state)"
                    " VALUES (gen_random_uuid(), %s, %s, 'ada@example.org', 'Pro', 4900, 'usd', '2026-01-01', '2026-02-01', 'open')",
                    [f"2026-000{number + 1}", owner],
                )
            tables = ("subscription", "quota_use", "payment")
            rows = "SELECT to_jsonb(each) - 'workspace_name' FROM {} AS each ORDER BY each::text"
            before = {table: connection.execute(SQL(rows).format(Identifier(table))).fetchall() for table in tables}
            await upgrade(database_url)
            after = {table: connection.execute(SQL(rows).format(Identifier(table))).fetchall() for table in tables}
            assert after == before
            assert connection.execute("SELECT workspace_name FROM payment ORDER BY number").fetchall() == [
                ("Ada",),
                ("ada@example.org",),
            ]
            limits = connection.execute("SELECT workspaces FROM plan ORDER BY position").fetchall()
            assert limits == [(10,), (25,), (None,)]
            connection.execute("DELETE FROM workspace WHERE id = %s", [ada])
            left = {
                table: [each["owner_id"] for (each,) in connection.execute(SQL(rows).format(Identifier(table)))]
                for table in tables
            }
        assert left == {"subscription": [str(bob)] * 2, "quota_use": [str(bob)], "payment": [None, None]}

    async def test_premium_links_go_to_the_administrator_who_created_them(self, database_url: str) -> None:
        root, boss, ada, gone = (UUID(int=number) for number in range(1, 5))
        await set_back(database_url, to="0073")
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            for id, name, role in ((root, "root", "admin"), (boss, "boss", "admin"), (ada, "ada", "user")):
                connection.execute(
                    "INSERT INTO account (id, email, display_name, first_name, last_name, password_hash, role, is_public, created_at)"
                    " VALUES (%s, %s, %s, '', '', '', %s, false, now() + %s * interval '1 day')",
                    [id, f"{name}@example.org", name.title(), role, id.int],
                )
                connection.execute("INSERT INTO workspace (id, name, created_at) VALUES (%s, '', now())", [id])
            for id, creator in ((boss, "boss"), (gone, "gone")):
                connection.execute(
                    "INSERT INTO premium_link (id, digest, plan, days, uses, used, expires_on, note, created_at, created_by)"
                    " VALUES (%s, %s, 'pro', 30, 5, 2, '2036-01-01', '', now(), %s)",
                    [id, creator, f"{creator}@example.org"],
                )
                connection.execute(
                    "INSERT INTO premium_link_use (id, link_id, owner_id, email, at) VALUES (gen_random_uuid(), %s, %s,"
                    " 'ada@example.org', '2026-01-01 12:00Z'), (gen_random_uuid(), %s, NULL, 'left@example.org', '2026-01-02')",
                    [id, ada, id],
                )
            await upgrade(database_url)
            links = connection.execute("SELECT id, owner_id, used FROM premium_link ORDER BY id").fetchall()
            assert links == [
                (boss, boss, 2),
                (gone, root, 2),
            ]  # of someone who is gone: the administrator who has been there longest
            uses = "SELECT owner_id, workspace_name, email, plan, given_by, until - at FROM premium_link_use WHERE link_id = %s ORDER BY at"
            assert connection.execute(uses, [boss]).fetchall() == [
                (ada, "Ada", "ada@example.org", "pro", "boss@example.org", timedelta(days=30)),
                (None, "left@example.org", "left@example.org", "pro", "boss@example.org", timedelta(days=30)),
            ]
            connection.execute("DELETE FROM workspace WHERE id = %s", [boss])
            assert connection.execute("SELECT count(*) FROM premium_link").fetchone() == (1,)
            assert connection.execute("SELECT count(*), count(link_id) FROM premium_link_use").fetchone() == (4, 2)

    async def test_the_audit_trail_loses_titles_and_recipients_and_stays_append_only(self, database_url: str) -> None:
        await set_back(database_url, to="0069")
        entries = [
            ("draft.deleted", "Cover letter: Roofs"),
            ("share.opened", str(UUID(int=1))),
            ("workspace.created", "Harbor"),
        ]
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            for action, subject in entries:
                connection.execute(
                    "INSERT INTO audit_entry (id, at, action, subject, address, details)"
                    " VALUES (gen_random_uuid(), now(), %s, %s, '', %s)",
                    [action, subject, Jsonb({"recipient": "Grace", "link": "1"})],
                )
            await upgrade(database_url)
            found = connection.execute("SELECT action, subject FROM audit_entry ORDER BY action").fetchall()
            assert found == [("draft.deleted", ""), *entries[1:]]
            kept = connection.execute("SELECT details FROM audit_entry WHERE action = 'share.opened'").fetchone()
            assert kept == ({"link": "1"},)
            with pytest.raises(psycopg.Error, match="audit_entry"):
                connection.execute("UPDATE audit_entry SET subject = ''")

    async def test_drafts_keep_the_questions_of_their_templates(self, database_url: str) -> None:
        await set_back(database_url, to="0077")
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")  # without workspaces
            for number, (template, heading) in enumerate(
                [("cover-letter", "Contact"), ("white-paper", "Contact"), ("project-summary", None)], start=1
            ):
                connection.execute(
                    "INSERT INTO draft (id, owner_id, opportunity_id, opportunity_title, opportunity_number, template, template_title,"
                    " slug, title, company, document_ids, writer_id, writer_label, created_at)"
                    " VALUES (%s, gen_random_uuid(), gen_random_uuid(), '', '', %s, '', %s, '', '', '[]', '', '', now())",
                    [UUID(int=number), template, template],
                )
                connection.execute(
                    "INSERT INTO draft_section (id, draft_id, ordinal, heading, template_heading, text, incoming, state, revision,"
                    " saved_by, saved_sequence, open_questions, done_questions, possible_matches, dropped_citations)"
                    " VALUES (gen_random_uuid(), %s, 0, 'Changed', %s, '', '', 'waiting', 0, '', 0, '[]', '[]', '[]', 0)",
                    [UUID(int=number), heading],
                )
            await upgrade(database_url)
            found = connection.execute(
                "SELECT is_letter, plan FROM draft JOIN draft_section ON draft_id = draft.id ORDER BY draft.id"
            ).fetchall()
        by_heading = TemplateSection(heading="Contact").model_dump(mode="json")
        assert found == [(True, COVER_LETTER.sections[-1].model_dump(mode="json")), (False, by_heading), (False, None)]

    async def test_a_migration_whose_server_stops_is_undone_and_runs_at_the_next_start(self, database_url: str) -> None:
        await set_back(database_url, to="0050")
        with psycopg.connect(database_url) as reader, psycopg.connect(database_url, autocommit=True) as watcher:
            reader.execute("SELECT count(*) FROM category")  # the migration has changed other tables when it waits for this one
            upgrading = asyncio.create_task(upgrade(database_url))
            stop = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE category%'"
            while watcher.execute(stop).fetchone() is None:
                await asyncio.sleep(0)
            with pytest.raises(StartRefused, match="stopped during a migration, which was undone"):
                await upgrading
            assert watcher.execute("SELECT version_num, to_regclass('trash_item') FROM alembic_version").fetchone() == (
                "0050",
                None,
            )
        await upgrade(database_url)
        assert written(database_url)["trash_item"] == []

    async def test_an_unreachable_server_is_named(self) -> None:
        with pytest.raises(StartRefused, match=r"at 127\.0\.0\.1:1/x cannot be reached: Connection refused\. Check"):
            await upgrade("postgresql://nobody:hidden-password@127.0.0.1:1/x")

    async def test_the_password_of_an_unreachable_server_is_not_shown(self) -> None:
        with pytest.raises(StartRefused) as refused:
            await upgrade("postgresql://nobody:hidden-password@127.0.0.1:1/x")
        assert "hidden-password" not in refused.value.sentence

    async def test_a_server_without_the_vector_extension_is_refused(self, database_url: str) -> None:
        with pytest.raises(StartRefused, match="lacks the extension `vector`. Install pgvector"):
            await upgrade(f"{as_superuser(database_url)}&options=-c%20extension_control_path%3D/nowhere")

    async def test_an_account_that_may_not_set_up_the_database_is_refused(self, postgres: str, database_url: str) -> None:
        with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
            connection.execute("CREATE DATABASE unprepared")
            connection.execute("CREATE ROLE guest LOGIN")
        try:
            with pytest.raises(StartRefused, match=r"may not set up the database .*run `CREATE EXTENSION vector` there"):
                await upgrade(postgres.replace(f"{SERVING_ROLE}@/fundwright?", "guest@/unprepared?"))
        finally:
            with psycopg.connect(as_superuser(database_url), autocommit=True) as connection:
                connection.execute("DROP DATABASE unprepared")
                connection.execute("DROP ROLE guest")

    async def test_a_newer_schema_that_lacks_something_is_refused(self, database_url: str) -> None:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
            await upgrade(database_url)
            connection.execute("COMMENT ON TABLE alembic_version IS 'Works with code since revision 9998'")
            with pytest.raises(StartRefused, match=r"newer version of Fundwright \(schema 9999\)"):
                await upgrade(database_url)
            connection.execute("COMMENT ON TABLE alembic_version IS NULL")
            with pytest.raises(StartRefused, match=r"newer version of Fundwright \(schema 9999\)"):
                await upgrade(database_url)

    async def test_an_older_schema_is_refused_if_nobody_may_migrate_it(self, database_url: str) -> None:
        await check_schema(database_url)
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '0081'")
        with pytest.raises(
            StartRefused, match=r"lacks the schema \d{4} of this version .* Run `fundwright migrate` with FUNDWRIGHT_OWNER_URL"
        ):
            await check_schema(database_url)

"""Other people's ids are treated like unknown ids: the same response, the same database work, and no waiting.

`WORLD` in the table lists what every id in a route or a screen refers to. The tests fail for new ids that are not listed.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import event, insert, text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from fundwright.access import commands
from fundwright.accounts import photos
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Client, Permission, Role
from fundwright.authentication import api_tokens, one_time_secrets
from fundwright.authentication import service as authentication
from fundwright.authentication.models import Passkey
from fundwright.authentication.schemas import TokenScope
from fundwright.billing import service as billing
from fundwright.billing.schemas import PaymentCreate, PlanCode, PremiumLinkCreate
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.content import service as content
from fundwright.content.schemas import FeedbackKind, FeedbackSend, PostContent
from fundwright.conversation import service as conversation
from fundwright.conversation.schemas import CommentForm
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.live import Listener, LiveBus
from fundwright.core.scopes import acting_in
from fundwright.facts import service as facts
from fundwright.facts.schemas import FactForm
from fundwright.generation import editing
from fundwright.generation import service as generation
from fundwright.generation.schemas import SectionSave
from fundwright.notes import service as notes
from fundwright.notes.schemas import NoteForm
from fundwright.notifications.models import Notification
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.pipeline import service as pipeline
from fundwright.pipeline.schemas import PursuitForm
from fundwright.reading.facts import FactField, FactKind
from fundwright.searches import service as searches
from fundwright.searches.schemas import SavedSearchForm, SearchedQuery
from fundwright.sharing import service as sharing
from fundwright.sharing.schemas import NewShare
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import TaskForm
from fundwright.templates import service as templates
from fundwright.templates.schemas import NewTemplate, TemplateSection
from fundwright.training import adding, collecting, removing, runs
from fundwright.training.schemas import CollectionForm, PastedText
from fundwright.workspaces import invitations as workspace_invitations
from fundwright.workspaces import restrictions
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationForm, RestrictionForm, WorkspaceForm
from fundwright_ui import plugin, screens
from fundwright_ui.app import build_app
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.router import Found, Router
from tests.access.people import KINDS, Kind, add_person, granted
from tests.access.table import ID_FIELD, NO_IDS, NOT_OWNED, QUERIES, ROUTES, SCREENS, WORLD
from tests.access.test_events import anything, events
from tests.access.test_jobs import start_categorizing, start_import
from tests.access.test_roles import Asker, description, opened
from tests.accounts.test_photos import picture
from tests.support.accounts import add_account
from tests.support.snapshots import Snapshots
from tests.support.statements import statements
from tests.ui.conftest import Open

HERE = Client(address="192.0.2.7")
CANARY = "Zanzibar"
NOT_PUBLISHED = "GET /api/blog/{slug}"  # readers only find published posts; Ada's is not published
USED = "PUT /api/workspaces/{workspace_id}/use"
ACCEPTED = "POST /api/workspaces/invitations/{invitation_id}/acceptance"
RESTORED = "PUT /api/trash/{item_id}/restoration"
MAX_EVENTS = 40
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)")

pytestmark = pytest.mark.security(40)

Ids = dict[str, str]


@dataclass(frozen=True)
class World:
    owner: Actor
    ids: Ids
    """The ids of all people's objects, by kind."""

    def missing(self, kind: str) -> str:
        """An unknown id of the same form; for the subject of a label, another notice, because notices have no owner."""
        if kind in ("subject", "notice"):
            return self.ids["other notice"]
        return str(uuid4()) if _is_uuid(self.ids[kind]) else "x" * len(self.ids[kind])


def _is_uuid(value: str) -> bool:
    return re.fullmatch(r"[0-9a-f-]{36}", value) is not None


@pytest.fixture
async def world(committed: Core, snapshots: Snapshots) -> World:
    return await snapshots.of(committed, _make_world)


async def _make_world(core: Core) -> World:
    """One record of every kind, owned by Ada. All of her texts contain the canary."""
    async with core.database.transaction() as session:
        ada = await accounts.create_account(session, core, email="ada@example.org", name=CANARY, role=Role.ADMIN, password=None)
        await opportunities.load_sample_once(session)
        notices = (await opportunities.list_opportunities(session, ada, OpportunityQuery())).items
        # Samples have no owner: an administrator may remove them, with their labels.
        await session.execute(text("UPDATE opportunity SET is_sample = false"))
        document = await adding.add_text(session, ada, core, PastedText(title=CANARY, text=f"{CANARY} has boats."))
        trashed = await adding.add_text(session, ada, core, PastedText(title=CANARY, text=f"{CANARY} had boats."))
        await removing.remove_document(session, ada, trashed.id)
        collection = await collecting.create(session, ada, CollectionForm(name=CANARY))
        commented = CommentForm(text=CANARY, subject_id=notices[0].id)
        comment = await conversation.add_comment(session, ada, core, commented)
        category = await categories.create(session, ada, CategoryCreate(name=CANARY))
        await categories.correct(session, ada, core, notices[0].id, category.id)
        draft = await generation.start_draft(session, ada, core, opportunity_id=notices[0].id, template="capability-statement")
        section = draft.sections[0]
        await editing.save_section(session, ada, core, draft.id, section.id, SectionSave(heading=CANARY, text=CANARY, based_on=0))
        photo = (await photos.set_photo(session, ada, core.sandbox, picture(), client=HERE)).photo_url
        token = await api_tokens.create_api_token(session, ada, core, name=CANARY, scope=TokenScope.WRITE, lasts_days=1)
        passkey = uuid4()
        values = {"id": passkey, "owner_id": ada.id, "name": CANARY, "credential_id": b"c", "public_key": b"k", "sign_count": 0}
        await session.execute(insert(Passkey).values(**values))
        post = await content.create_post(session, ada, PostContent(title=CANARY, summary=CANARY, text=CANARY), client=HERE)
        await content.send_feedback(session, ada, FeedbackSend(kind=FeedbackKind.IDEA, text=CANARY, page="/dashboard/train"))
        today = now().date()
        wanted = PremiumLinkCreate(plan=PlanCode.PRO, days=30, expires_on=today)
        await billing.create_premium_link(session, ada, wanted, client=HERE)
        invoice = PaymentCreate(workspace_id=ada.id, email=ada.email, text=CANARY, amount_cents=9_900, issued=today, due=today)
        await billing.add_payment(session, ada, core, invoice, client=HERE)
        shared = await workspaces.create_workspace(session, ada, core, WorkspaceForm(name=CANARY))
        there = await workspaces.actor_in(session, ada, shared.id)
        workspace_invitation = await workspace_invitations.invite(session, there, core, InvitationForm())
        eve = await accounts.create_account(session, core, email="eve@example.org", name="Eve", role=Role.USER, password=None)
        other = await workspaces.create_workspace(session, eve, core, WorkspaceForm(name=CANARY))
        inviter = await workspaces.actor_in(session, eve, other.id)
        own_invitation = await workspace_invitations.invite(session, inviter, core, InvitationForm(email=ada.email))
        shared_link = await sharing.share(session, ada, core, NewShare(recipient=CANARY, draft_id=draft.id))
        searched = SavedSearchForm(name=CANARY, query=SearchedQuery(kind="grant"))
        search = await searches.save(session, ada, searched)
        pursuit = await pipeline.add(session, ada, PursuitForm(opportunity_id=notices[0].id, lead_id=ada.id, reason=CANARY))
        template = await templates.create(
            session, ada, core, NewTemplate(title=CANARY, sections=(TemplateSection(heading=CANARY),))
        )
        task = await tasks.add_task(session, ada, TaskForm(title=CANARY, assignee_id=ada.id, draft_id=draft.id))
        note = await notes.add_note(session, ada, NoteForm(text=CANARY, opportunity_id=notices[0].id))
        form = FactForm(kind=FactKind.PERSON, values={FactField.NAME: CANARY})
        fact = await facts.add_fact(session, ada, form)
        await commands.invite(session, core, email="zanzibar@example.org", role=Role.USER)
        await authentication.redeem_handover(
            session, core, await one_time_secrets.new_handover(session, ada.id, remember=True), client=HERE
        )
    run = await runs.start_run(core, ada, [document.id])
    job = await start_categorizing(core, ada)
    await start_import(core, ada)
    async with core.database.transaction() as session:
        # Accepting the invitation deletes what she was told about it.
        told = {"id": (notification := uuid4()), "account_id": ada.id, "kind": "x", "has_actor": False, "subject": CANARY, "path": "/", "details": {}, "is_listed": True, "email": "off"}  # fmt: skip
        await session.execute(insert(Notification).values(**told))

        async def first(table: str, column: str = "id") -> str:
            owned = f" WHERE owner_id = '{ada.id}'" if table in ("account_session", "import_run") else ""
            return str(await session.scalar(text(f"SELECT {column} FROM {table}{owned} LIMIT 1")))

        await session.execute(
            text(
                "INSERT INTO chunk (id, document_id, owner_id, ordinal, heading, start_offset, end_offset, text, search)"
                " VALUES (:id, :document, :owner, 0, '{}', 0, 8, :text, '')"
            ),
            {"id": (passage := uuid4()), "document": document.id, "owner": ada.id, "text": CANARY},
        )
        ids = {
            "account": ada.id, "category": category.id, "collection": collection.id, "comment": comment.id, "document": document.id, "draft": draft.id, "draft slug": draft.slug,
            "fact": fact.id, "feedback": await first("feedback"), "notification": notification, "import": await first("import_run"), "invitation": await first("invitation"),
            "job": job, "notice": notices[0].id, "other notice": notices[1].id, "passage": passage, "passkey": passkey,
            "payment": await first("payment"), "photo": str(photo).rpartition("/")[2], "post": post.id, "post slug": post.slug,
            "premium link": await first("premium_link"), "run": run.id, "section": section.id, "session": await first("account_session"),
            "subject": notices[0].id, "token": token.id, "trashed": trashed.id, "workspace": shared.id,
            "saved search": search.id, "template": template.name, "pursuit": pursuit.id, "task": task.id, "note": note.id, "share link": shared_link.id, "workspace invitation": workspace_invitation.id, "own invitation": own_invitation.id,
            "invitation link": own_invitation.link.rpartition("/")[2],
        }  # fmt: skip
    return World(ada, {kind: str(value) for kind, value in ids.items()})


def id_fields(schema: Mapping[str, Any], known: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The paths of ids in a value of this schema, with dots between names and `[]` for array items."""
    if "$ref" in schema:
        yield from id_fields(known[schema["$ref"].rpartition("/")[2]], known, path)
    for choice in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(choice, ()):
            yield from id_fields(each, known, path)
    if "items" in schema:
        yield from id_fields(schema["items"], known, f"{path}[]")
    for name, each in schema.get("properties", {}).items():
        yield from id_fields(each, known, f"{path}.{name}".lstrip("."))
    if schema.get("format") == "uuid" or (schema.get("type") == "string" and ID_FIELD.search(path)):
        yield path


Place = tuple[str, str]
"""The position of an id in a request: `path`, `query`, or `body`, and its name there."""


def places(app: Any) -> dict[str, list[Place]]:
    """The positions of ids in the requests of each route."""
    schema = description(app)
    known, found = schema["components"]["schemas"], dict[str, list[Place]]()
    for path, methods in schema["paths"].items():
        for method, described in methods.items():
            here = found.setdefault(f"{method.upper()} {path}", [])
            for each in described.get("parameters", ()):
                fields = (each["name"],) if each["in"] == "path" else id_fields(each["schema"], known, each["name"])
                here.extend((each["in"], name) for name in fields)
            for each in described.get("requestBody", {}).get("content", {}).values():
                here.extend(("body", name) for name in dict.fromkeys(id_fields(each["schema"], known)))
    return {route: here for route, here in found.items() if here}


def names_in_queries() -> set[str]:
    """The parameters that screens read from the query of their address: all names, and the ids in the queries of lists."""
    names = set[str]()
    for module in pkgutil.walk_packages(screens.__path__, f"{screens.__name__}."):
        screen = importlib.import_module(module.name)
        source = Path(str(screen.__file__)).read_text(encoding="utf-8")
        names.update(re.findall(r"\burl\.get\(\"(\w+)\"", source))
        for model in re.findall(r"(?:\bquery_in_address\((?!type\b)|^def query_of\(.*\) -> )(\w+)", source, re.MULTILINE):
            fields: Mapping[str, Any] = getattr(screen, model).model_fields
            names.update(name for name, field in fields.items() if "UUID" in str(field.annotation))
    return names


def kind_of(route: str, name: str) -> str | None:
    """The kind that the id refers to, according to the table for this part of the API or for all of them."""
    area = "/".join(route.partition(" ")[2].split("/")[:3])
    return WORLD.get(f"{area} {name}", WORLD.get(name))


def comparable(answer: httpx.Response, *ids: str) -> tuple[int, str, dict[str, str]]:
    body, headers = answer.text, dict(answer.headers)
    for each in ids:
        body = body.replace(each, "ID")
        headers = {name: value.replace(each, "ID") for name, value in headers.items()}
    headers.pop("x-request-id", None)
    return answer.status_code, _MOMENT.sub("MOMENT", body), headers


@contextmanager
def records_read(owner: Actor) -> Iterator[list[str]]:
    """The tables from which the body of this context reads a record of this owner. Filtering out such a record later takes longer
    than not finding one."""
    read: list[str] = []

    def note(_session: Session, record: Any) -> None:
        if getattr(record, "owner_id", None) == owner.id:
            read.append(record.__tablename__)

    event.listen(Session, "loaded_as_persistent", note)
    try:
        yield read
    finally:
        event.remove(Session, "loaded_as_persistent", note)


async def token_of(core: Core, kind: Kind) -> str:
    async with core.database.transaction() as session:
        bob = await add_person(session, core, kind, f"{kind}@example.org")
        code = await one_time_secrets.new_handover(session, bob.id, remember=True)
        return (await authentication.redeem_handover(session, core, code, client=HERE)).token


@asynccontextmanager
async def everything_locked(core: Core, world: World) -> AsyncIterator[None]:
    """Waiting for a lock on Ada's records, or for her turn, would reveal that they exist."""
    async with core.database.engine.connect() as connection:
        owned = await connection.scalars(
            text(
                "SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)"
                " WHERE column_name = 'owner_id' AND table_schema = 'public' AND table_type = 'BASE TABLE'"
            )
        )
        for table in owned.all():
            await connection.execute(text(f"SELECT FROM {table} WHERE owner_id = '{world.owner.id}' FOR UPDATE"))
        for name in (generation.draft_topic(UUID(world.ids["draft"])),):
            await connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})
        yield
        await connection.rollback()


async def records_of(core: Core, owner: Actor) -> dict[str, str]:
    """Everything that belongs to an account, by table."""
    async with core.database.transaction() as session:
        tables = await session.scalars(
            text(
                "SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)"
                " WHERE column_name = 'owner_id' AND table_schema = 'public' AND table_type = 'BASE TABLE'"
            )
        )
        rows = "SELECT coalesce(string_agg(each::text, '' ORDER BY each::text), '') FROM {} AS each WHERE owner_id = '{}'"
        return {table: str(await session.scalar(text(rows.format(table, owner.id)))) for table in tables.all()}


class TestWorld:
    async def test_says_what_each_id_of_a_route_stands_for(self, committed: Core) -> None:
        found = {(route, name) for route, here in places(build_app(committed)).items() for _, name in here}
        assert len(found) > 60
        assert sorted((route, name) for route, name in found if kind_of(route, name) is None) == []

    def test_says_what_each_id_of_a_screen_stands_for(self) -> None:
        found = {(path, name) for path in SCREENS for name in re.findall(r"{(\w+)}", path)}
        assert sorted((path, name) for path, name in found if f"{path} {name}" not in WORLD and name not in WORLD) == []

    def test_says_what_each_id_in_the_query_of_a_screen_stands_for(self) -> None:
        named = {name for address in QUERIES for name, _ in parse_qsl(urlsplit(address).query)}
        assert {urlsplit(address).path for address in QUERIES} <= SCREENS.keys()
        assert names_in_queries() - NO_IDS.keys() == named

    @pytest.mark.slow
    async def test_has_a_record_of_each_kind(self, world: World) -> None:
        assert set(WORLD.values()) - set(NOT_OWNED) <= world.ids.keys()


class TestRoutes:
    @pytest.mark.parametrize(
        "kind", [Role.USER, *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS if kind != Role.USER)]
    )
    async def test_another_persons_id_is_treated_like_an_unknown_one(self, committed: Core, world: World, kind: Kind) -> None:
        app, token, before = build_app(committed), await token_of(committed, kind), await records_of(committed, world.owner)
        sees_all = Permission.ADMINISTER in granted(kind)
        wrong, tried = list[str](), 0
        async with opened(app) as client, everything_locked(committed, world):
            asker = Asker(app, client)
            for route, here in places(app).items():
                need = ROUTES[route]
                if need is Permission.ADMINISTER and sees_all:
                    continue
                known = {place: world.ids[of] for place in here if (of := kind_of(route, place[1]) or "") in world.ids}
                for place in known:
                    of = kind_of(route, place[1])
                    if of is None or of in NOT_OWNED or (of in ("import", "photo") and sees_all):
                        continue
                    hers, nobodys = known, known | {place: world.missing(of)}
                    answers = list[tuple[Any, list[str]]]()
                    with records_read(world.owner) as read:
                        for values in (nobodys, hers, nobodys):
                            if len(answers) == 2 and answers[0] == answers[1]:
                                break  # else the first had one-time writes, such as the time when the session was last used
                            with statements(committed.database.engine.sync_engine) as sent:
                                answer = await asker.ask(route, token, values=values)
                            # Notifications of earlier requests are sent in the background.
                            own = [statement for statement in sent if not statement.startswith("SELECT pg_notify(")]
                            answers.append((comparable(answer, *known.values(), *nobodys.values()), own))
                    tried += 1
                    if answers[1] != answers[-1] or CANARY in str(answers):
                        wrong.append(f"{route} {place}:\n  nobody's: {answers[-1]}\n  hers:     {answers[1]}")
                    if read:
                        wrong.append(f"{route} {place} reads a {read}")
                    if answer.status_code == 422 and "problems" in answer.json():
                        wrong.append(f"{route} {place} is not understood: {answer.text}")
        assert not wrong, "\n".join(wrong)
        assert tried > 30
        assert await records_of(committed, world.owner) == before

    @pytest.mark.slow
    async def test_the_owner_finds_her_own(self, committed: Core, world: World) -> None:
        """Without this test, the other tests would pass even if they checked nothing."""

        def order(each: tuple[str, list[Place]]) -> tuple[bool, bool, int]:
            """Deletions come last, and those of account-wide records at the very end."""
            return each[0].startswith("DELETE"), "/people/" in each[0], -len(each[0])

        app, wrong = build_app(committed), list[str]()
        async with opened(app) as client:
            asker = Asker(app, client)
            for route, here in sorted(places(app).items(), key=order):
                known = {place: world.ids[kind] for place in here if (kind := kind_of(route, place[1]) or "") in world.ids}
                if not known or route == NOT_PUBLISHED:
                    continue
                async with committed.database.transaction() as session:
                    code = await one_time_secrets.new_handover(session, world.owner.id, remember=True)
                    token = (await authentication.redeem_handover(session, committed, code, client=HERE)).token
                if world.ids["workspace invitation"] in known.values():  # it is of the shared workspace
                    known[("query", "w")] = world.ids["workspace"]
                answer = await asker.ask(route, token, values=known)
                if answer.status_code in (401, 403, 404):
                    wrong.append(f"{route}: {answer.status_code} {answer.text[:200]}")
                if route == USED:  # the other records are in her personal workspace
                    async with committed.database.transaction() as session:
                        await workspaces.use_workspace(session, world.owner, world.owner.id)
                if route == ACCEPTED:  # another one is still to be declined
                    await invite_again(committed, world, UUID(answer.json()["workspace_id"]))
                if route == RESTORED:  # it is still to be deleted
                    async with committed.database.transaction() as session:
                        await removing.remove_document(session, world.owner, UUID(world.ids["trashed"]))
        assert not wrong, "\n".join(wrong)


async def invite_again(core: Core, world: World, workspace_id: UUID) -> None:
    """Let Ada leave Eve's workspace, and Eve invite her once more."""
    async with core.database.transaction() as session:
        await workspaces.leave_workspace(session, await workspaces.actor_in(session, world.owner, workspace_id))
        eve = accounts.actor_of(await accounts.get_account(session, "eve@example.org"))
        inviter = await workspaces.actor_in(session, eve, workspace_id)
        sent = await workspace_invitations.invite(session, inviter, core, InvitationForm(email=world.owner.email))
        world.ids["own invitation"] = str(sent.id)


def kinds_in(path: str) -> dict[str, str]:
    """What each parameter in braces refers to."""
    names = re.findall(r"{(\w+)}", path)
    return {name: QUERIES.get(path) or WORLD.get(f"{path} {name}") or WORLD[name] for name in names}


def address_of(path: str, world: World, *, is_missing: bool) -> str:
    for name, kind in kinds_in(path).items():
        path = path.replace(f"{{{name}}}", world.missing(kind) if is_missing else world.ids[kind])
    return path


@contextmanager
def subscriptions(bus: LiveBus) -> Iterator[list[str]]:
    """Topics that are subscribed to in this context, except those of sessions, which announce their end."""
    topics, subscribe = list[str](), bus.subscribe

    def note(topic: str, listener: Listener) -> Callable[[], None]:
        topics.append(topic)
        return subscribe(topic, listener)

    with patch.object(bus, "subscribe", note):
        yield topics


_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class TestScreens:
    @pytest.mark.parametrize("role", [Role.USER, pytest.param(Role.ADMIN, marks=pytest.mark.slow)])
    async def test_another_persons_id_shows_the_same_as_an_unknown_one(
        self, committed: Core, world: World, open_page: Open, role: Role
    ) -> None:
        async with committed.database.transaction() as session:
            bob = await accounts.create_account(session, committed, email="bob@example.org", name="Bob", role=role, password=None)
        tried = 0
        for path in [*SCREENS, *QUERIES]:
            kinds = set(kinds_in(path).values())
            if SCREENS[urlsplit(path).path] is not Permission.READ or not kinds or kinds <= set(NOT_OWNED):
                continue
            if kinds == {"account"} and role is Role.ADMIN:
                continue  # administrators may see the records of all accounts
            shown = list[tuple[str, str, int, list[str]]]()
            for is_missing in (True, False, True):
                if len(shown) == 2 and shown[0] == shown[1]:
                    break  # else the first had queries whose results are kept
                address = address_of(path, world, is_missing=is_missing)
                with (
                    statements(committed.database.engine.sync_engine) as sent,
                    subscriptions(committed.live) as topics,
                    capture_logs(),
                ):
                    async with open_page(address, actor=bob) as page:
                        text = _ID.sub("…", page.text)  # a message may repeat what the address says
                        shown.append((page.title, text, len(sent), topics))
            tried += 1
            assert shown[1] == shown[-1], path
            assert CANARY not in str(shown)
        assert tried >= 8

    async def test_nobody_is_notified_of_another_person_s_records(self, committed: Core, world: World, open_page: Open) -> None:
        """A message about a change, such as a new draft, would reveal that it exists and when it was made."""
        async with committed.database.transaction() as session:
            bob = await accounts.create_account(
                session, committed, email="bob@example.org", name="Bob", role=Role.USER, password=None
            )
        hers = [id for kind, id in world.ids.items() if kind not in NOT_OWNED]
        heard = dict[Actor, list[str]]()
        for actor in (bob, world.owner):
            with subscriptions(committed.live) as topics, capture_logs():
                for path in [*SCREENS, *QUERIES]:
                    if SCREENS[urlsplit(path).path] is Permission.READ:
                        async with open_page(address_of(path, world, is_missing=False), actor=actor):
                            pass
            heard[actor] = [topic for topic in topics if any(id in topic for id in hers)]
        assert heard[bob] == []
        assert {topic.partition(":")[0] for topic in heard[world.owner]} >= {"draft", "jobs"}


class TestEvents:
    async def test_another_person_s_ids_change_and_show_nothing(self, committed: Core, world: World, open_page: Open) -> None:
        """Row events contain the id of the row, and fields may contain ids: Bob's page sends Ada's."""
        async with committed.database.transaction() as session:
            bob = await accounts.create_account(
                session, committed, email="bob@example.org", name="Bob", role=Role.USER, password=None
            )
            await adding.add_text(session, bob, committed, PastedText(title="Roofs", text="Roofs are repaired."))
            await generation.add_draft(
                session, bob, committed, opportunity_id=UUID(world.ids["notice"]), template="capability-statement"
            )
            await api_tokens.create_api_token(session, bob, committed, name="mine", scope=TokenScope.READ, lasts_days=1)
        before, fired = await records_of(committed, world.owner), 0
        owned = [id for kind, id in world.ids.items() if kind not in NOT_OWNED and _is_uuid(id)]
        for path, need in SCREENS.items():
            if need is not Permission.READ or "{" in path:
                continue
            with capture_logs() as logs:
                async with open_page(path, actor=bob) as page:
                    done = set[str]()
                    while len(done) < MAX_EVENTS:
                        waiting = next(((name, node, touch) for name, node, touch in events(page) if name not in done), None)
                        if waiting is None:
                            break
                        name, node, touch = waiting
                        done.add(name)
                        for id in owned if touch.startswith(("onOpen", "onRow", "onSelect", "onAct")) else owned[:2]:
                            data = anything(page, node)
                            fields = {key: id if _is_uuid(str(value)) else value for key, value in data["fields"].items()}
                            if not any(node.get("e") == each.get("e") for _, each, _ in events(page)):
                                break  # the previous event has closed it
                            await page.fire(node, touch, **{**data, "id": id, "value": id, "fields": fields})
                            fired += 1
                            assert CANARY not in page.text, (path, name)
            assert not [line for line in logs if "exc_info" in line], path
        assert fired > 100
        assert await records_of(committed, world.owner) == before


def _is_of_workspace(path: str) -> bool:
    """Whether a screen's address names something that belongs to a workspace."""
    return SCREENS[urlsplit(path).path] is Permission.READ and bool(
        set(kinds_in(path).values()) - {*NOT_OWNED, "account", "invitation link", "workspace"}
    )


def found_at(address: str, actor: Actor) -> Found:
    found = Router(plugin.screens(), ProductHost.addresses, redirects={}).route(address, actor)
    assert isinstance(found, Found)
    return found


class TestHome:
    @pytest.mark.parametrize("path", [path for path in [*SCREENS, *QUERIES] if _is_of_workspace(path)])
    async def test_what_an_address_names_is_found_in_another_workspace(self, committed: Core, world: World, path: str) -> None:
        async with committed.database.transaction() as session:
            elsewhere = await workspaces.actor_in(session, world.owner, UUID(world.ids["workspace"]))
            eve = accounts.actor_of(await accounts.get_account(session, "eve@example.org"))
        host, there = ProductHost(committed), found_at(address_of(path, world, is_missing=False), world.owner)
        home = await host.find_home(elsewhere, there)
        assert home is not None and home.workspace_id == world.owner.workspace_id
        assert await host.find_home(world.owner, there) is None
        assert await host.find_home(elsewhere, found_at(address_of(path, world, is_missing=True), world.owner)) is None
        assert await host.find_home(eve, there) is None

    @pytest.mark.security(53)
    async def test_an_address_with_many_ids_is_not_looked_for(self, committed: Core, world: World) -> None:
        async with committed.database.transaction() as session:
            elsewhere = await workspaces.actor_in(session, world.owner, UUID(world.ids["workspace"]))
        address = address_of("/generate/slug/{token}", world, is_missing=False)
        others = "&".join(f"x{number}={uuid4()}" for number in range(9))
        with statements(committed.database.engine.sync_engine) as sent:
            assert await ProductHost(committed).find_home(elsewhere, found_at(f"{address}?{others}", world.owner)) is None
        assert sent == []

    async def test_another_persons_id_takes_the_same_queries_as_an_unknown_one(self, committed: Core, world: World) -> None:
        async with committed.database.transaction() as session:
            eve = accounts.actor_of(await accounts.get_account(session, "eve@example.org"))
        sent_for = list[list[str]]()
        for is_missing in (True, True, False):
            page = found_at(address_of("/generate/slug/{token}", world, is_missing=is_missing), eve)
            with statements(committed.database.engine.sync_engine) as sent:
                await ProductHost(committed).find_home(eve, page)
            sent_for.append(list(sent))
        assert sent_for[1] == sent_for[2] and len(sent_for[1]) > 2

    async def test_what_is_hidden_from_a_member_is_not_found(self, committed: Core, world: World) -> None:
        """A restricted draft of a workspace, looked for by a member who was not chosen, from another workspace."""
        async with committed.database.transaction() as session:
            ada = await workspaces.actor_in(session, world.owner, UUID(world.ids["workspace"]))
            bob = await add_account(session, "bob@example.org")
            invited = await workspace_invitations.invite(session, ada, committed, InvitationForm())
            await workspace_invitations.accept_link(session, bob, invited.link.rpartition("/")[2])
            opportunity_id = UUID(world.ids["notice"])
            draft = await generation.start_draft(
                session, ada, committed, opportunity_id=opportunity_id, template="capability-statement"
            )
        page, host = found_at(f"/generate/slug/{draft.slug}", bob), ProductHost(committed)
        assert await host.find_home(bob, page) is not None
        with acting_in(ada.scope):
            async with committed.database.transaction() as session:
                await restrictions.restrict(session, ada, committed, "draft", draft.id, RestrictionForm(members=()))
        assert await host.find_home(bob, page) is None

"""A member of a workspace who was not chosen finds restricted documents, collections, drafts with their tasks, and saved searches by no route, list, screen, event, live topic, or job."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Permission, Role
from fundwright.authentication import one_time_secrets
from fundwright.authentication import service as authentication
from fundwright.core.assembly import Core
from fundwright.core.errors import NotFound
from fundwright.core.scopes import acting_in
from fundwright.facts import service as facts
from fundwright.facts.schemas import FactState
from fundwright.generation import editing
from fundwright.generation import service as generation
from fundwright.generation.schemas import SectionSave, WriteDraft, WriteSection
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.reading.facts import Fact, FactField, FactKind
from fundwright.searches import service as searches
from fundwright.searches.schemas import SavedSearchForm, SearchedQuery
from fundwright.tasks import service as tasks
from fundwright.tasks.schemas import TaskForm
from fundwright.training import adding, collecting, removing, restricting
from fundwright.training.schemas import CollectionForm, PastedText, TrainedDocument
from fundwright.workspaces import invitations
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationForm, RestrictionForm, WorkspaceForm
from fundwright_ui.app import build_app
from tests.access.table import QUERIES, ROUTES, SCREENS
from tests.access.test_events import anything, events
from tests.access.test_ids import (
    CANARY,
    HERE,
    MAX_EVENTS,
    World,
    address_of,
    comparable,
    kind_of,
    kinds_in,
    places,
    subscriptions,
)
from tests.access.test_roles import Asker, opened
from tests.support.polling import eventually
from tests.support.pooling import behind_a_pooler
from tests.support.snapshots import Snapshots
from tests.ui.conftest import Open

pytestmark = pytest.mark.security(51)

RESTRICTED = (
    "collection",
    "contained",
    "document",
    "draft",
    "draft slug",
    "fact",
    "passage",
    "saved search",
    "section",
    "task",
    "trashed",
)


@pytest.fixture(params=["direct", "pooler"])
async def committed(committed: Core, request: pytest.FixtureRequest) -> AsyncIterator[Core]:
    """Behind a pooler, transactions of all people share two connections to the server."""
    if request.param == "direct":
        yield committed
        return
    async with behind_a_pooler(committed) as pooled:
        yield pooled


@pytest.fixture
async def harbor(committed: Core, snapshots: Snapshots) -> tuple[World, Actor]:
    found = await snapshots.of(committed, _make_harbor)
    checking = committed.shared(f"{generation.__name__}.checking", dict[UUID, asyncio.Task[None]])
    await eventually(lambda: not checking)  # the claims of what was just written
    return found


async def _make_harbor(core: Core) -> tuple[World, Actor]:
    async with core.database.transaction() as session:
        ada = await accounts.create_account(session, core, email="ada@example.org", name="Ada", role=Role.USER, password=None)
        bob = await accounts.create_account(session, core, email="bob@example.org", name="Bob", role=Role.USER, password=None)
        await opportunities.load_sample_once(session)
        notices = (await opportunities.list_opportunities(session, ada, OpportunityQuery())).items
        shared = await workspaces.create_workspace(session, ada, core, WorkspaceForm(name="Harbor"))
        ada = await workspaces.actor_in(session, ada, shared.id)
        sent = await invitations.invite(session, ada, core, InvitationForm(email=bob.email))
        await invitations.accept_link(session, bob, sent.link.rpartition("/")[2])
        bob = await workspaces.actor_in(session, bob, shared.id)
        for actor in (ada, bob):
            await accounts.use_workspace(session, actor)
        document = await adding.add_text(session, ada, core, PastedText(title=CANARY, text=f"{CANARY} has boats."))
        trashed = await adding.add_text(session, ada, core, PastedText(title=CANARY, text=f"{CANARY} had boats."))
        values = {FactField.NAME: CANARY}
        stated = [Fact(kind=kind, values=values, start=0, end=len(CANARY)) for kind in (FactKind.PERSON, FactKind.CONTACT)]
        await facts.propose(session, TrainedDocument(document.id, ada.workspace_id, CANARY, [], stated))
        fact, _ = await facts.list_everything(session, ada)
        await facts.decide(session, ada, [fact.version], FactState.ACCEPTED)
        for each in (document, trashed):
            await restricting.restrict_document(session, ada, core, each.id, RestrictionForm())
        await removing.remove_document(session, ada, trashed.id)
        collection = await collecting.create(session, ada, CollectionForm(name=CANARY))
        in_collection = PastedText(title=f"{CANARY} too", text=f"{CANARY} has piers.", collection_id=collection.id)
        contained = await adding.add_text(session, ada, core, in_collection)
        await collecting.restrict(session, ada, core, collection.id, RestrictionForm())
        draft = await generation.start_draft(session, ada, core, opportunity_id=notices[0].id, template="capability-statement")
        section = draft.sections[0]
        save = SectionSave(heading=CANARY, text=CANARY, based_on=0)
        await editing.save_section(session, ada, core, draft.id, section.id, save)
        await generation.restrict_draft(session, ada, core, draft.id, RestrictionForm())
        task = await tasks.add_task(session, ada, TaskForm(title=CANARY, details=CANARY, draft_id=draft.id, assignee_id=ada.id))
        search = await searches.save(session, ada, SavedSearchForm(name=CANARY, query=SearchedQuery(kind="grant")))
        await searches.restrict(session, ada, core, search.id, RestrictionForm())
        await session.execute(
            text(
                "INSERT INTO chunk (id, document_id, owner_id, ordinal, heading, start_offset, end_offset, text, search)"
                " VALUES (:id, :document, :owner, 0, '{}', 0, 8, :text, '')"
            ),
            {"id": (passage := uuid4()), "document": document.id, "owner": ada.workspace_id, "text": CANARY},
        )
        await session.execute(text("UPDATE draft SET title = :title"), {"title": CANARY})
    ids = {
        "document": document.id, "draft": draft.id, "draft slug": draft.slug, "passage": passage, "section": section.id,
        "fact": fact.id, "saved search": search.id, "task": task.id, "collection": collection.id, "contained": contained.id,
        "trashed": trashed.id, "notice": notices[0].id, "other notice": notices[1].id,
    }  # fmt: skip
    return World(ada, {kind: str(value) for kind, value in ids.items()}), bob


async def token_of(core: Core, actor: Actor) -> str:
    async with core.database.transaction() as session:
        code = await one_time_secrets.new_handover(session, actor.id, remember=True)
        return (await authentication.redeem_handover(session, core, code, client=HERE)).token


async def contents(core: Core) -> str:
    """Everything that is restricted."""
    tables = (
        "document",
        "collection",
        "contained_item",
        "chunk",
        "draft",
        "draft_section",
        "organization_fact",
        "saved_search",
        "task",
        "trash_item",
        "restriction",
        "restriction_member",
    )
    rows = " UNION ALL ".join(f"SELECT each::text FROM {table} AS each" for table in tables)
    async with core.database.transaction() as session:
        return str(await session.scalar(text(f"SELECT string_agg(each, '' ORDER BY each) FROM ({rows}) AS rows (each)")))


async def test_the_id_of_a_restricted_record_is_treated_like_an_unknown_one(committed: Core, harbor: tuple[World, Actor]) -> None:
    world, bob = harbor
    app, token, before, wrong, tried = build_app(committed), await token_of(committed, bob), await contents(committed), [], 0
    async with opened(app) as client:
        asker = Asker(app, client)
        for route, here in places(app).items():
            known = {place: world.ids[kind] for place in here if (kind := kind_of(route, place[1]) or "") in RESTRICTED}
            for place in known:
                missing = known | {place: world.missing(str(kind_of(route, place[1])))}
                answers = [await asker.ask(route, token, values=values) for values in (missing, known)]
                tried += 1
                told = [comparable(answer, *known.values(), *missing.values()) for answer in answers]
                if told[0] != told[1] or CANARY in answers[1].text:
                    wrong.append(f"{route} {place}:\n  nobody's: {told[0]}\n  hers:     {told[1]}")
    assert not wrong, "\n".join(wrong)
    assert tried > 30
    assert await contents(committed) == before


async def test_no_list_and_no_export_shows_a_restricted_record(committed: Core, harbor: tuple[World, Actor]) -> None:
    world, bob = harbor
    app, shown = build_app(committed), dict[Actor, set[str]]()
    lists = [route for route, need in ROUTES.items() if route.startswith("GET /api/") and need is Permission.READ]
    async with opened(app) as client:
        asker = Asker(app, client)
        for actor in (bob, world.owner):
            token = await token_of(committed, actor)
            answers = {route: await asker.ask(route, token) for route in lists if "{" not in route}
            shown[actor] = {route for route, answer in answers.items() if CANARY in answer.text}
    assert shown[bob] == set()
    assert shown[world.owner] >= {
        "GET /api/drafts", "GET /api/drafts/export.csv", "GET /api/saved-searches", "GET /api/saved-searches/export.csv", "GET /api/training/documents", "GET /api/training/documents/export.csv", "GET /api/training/collections", "GET /api/training/collections/export.csv",
        "GET /api/tasks", "GET /api/tasks/export.csv", "GET /api/trash", "GET /api/trash/export.csv",
    }  # fmt: skip


async def test_no_screen_shows_a_restricted_record(committed: Core, harbor: tuple[World, Actor], open_page: Open) -> None:
    world, bob = harbor
    hers = [world.ids[kind] for kind in RESTRICTED]
    tried = 0
    for path in [*SCREENS, *QUERIES]:
        kinds = set(kinds_in(path).values())
        if SCREENS[path.partition("?")[0]] is not Permission.READ or not kinds <= {*RESTRICTED, "notice"}:
            continue
        shown = list[tuple[str, str]]()
        for is_missing in (True, False):
            with subscriptions(committed.live) as topics, capture_logs(), acting_in(bob.scope):
                async with open_page(address_of(path, world, is_missing=is_missing), actor=bob) as page:
                    shown.append((page.title, page.text))
            assert not [topic for topic in topics if any(id in topic for id in hers)], path
        tried += not kinds.isdisjoint(RESTRICTED)
        assert shown[0] == shown[1] or "notice" in kinds, path
        assert CANARY not in str(shown), path
    assert tried >= 3


async def test_no_event_reaches_a_restricted_record(committed: Core, harbor: tuple[World, Actor], open_page: Open) -> None:
    world, bob = harbor
    before, fired = await contents(committed), 0
    owned = [world.ids[kind] for kind in ("collection", "contained", "document", "draft", "trashed")]
    for path in ("/dashboard/train", "/dashboard/trash", "/generate/index"):
        with capture_logs() as logs, acting_in(bob.scope):
            async with open_page(path, actor=bob) as page:
                done = set[str]()
                while len(done) < MAX_EVENTS:
                    waiting = next(((name, node, touch) for name, node, touch in events(page) if name not in done), None)
                    if waiting is None:
                        break
                    name, node, touch = waiting
                    done.add(name)
                    if not touch.startswith(("onOpen", "onRow", "onSelect", "onAct")):
                        continue
                    for id in owned:
                        await page.fire(node, touch, **{**anything(page, node), "id": id, "value": id})
                        fired += 1
                        assert CANARY not in page.text, (path, name)
        assert not [line for line in logs if "exc_info" in line], path
    assert fired
    assert await contents(committed) == before


async def test_no_job_of_someone_else_writes_a_restricted_draft(committed: Core, harbor: tuple[World, Actor]) -> None:
    world, bob = harbor
    before = await contents(committed)
    for payload in (WriteDraft(draft_id=UUID(world.ids["draft"])), WriteSection(section_id=UUID(world.ids["section"]))):
        with pytest.raises(NotFound):
            await committed.jobs.run_inline(payload, title="", owner_id=bob.workspace_id, account_id=bob.id)
    assert await contents(committed) == before


async def test_the_personal_data_of_someone_else_has_no_restricted_record(committed: Core, harbor: tuple[World, Actor]) -> None:
    _, bob = harbor
    with acting_in(bob.scope):
        async with committed.database.transaction() as session:
            readers = committed.plugins.collect("personal_data")
            files = [file for read in readers async for file in read(session, bob, committed)]
    assert CANARY not in str(files)

"""Every event of every screen, sent by people with few permissions: other people's records do not change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from fundwright.access import commands
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, Client, Permission, Role, WorkspaceRole
from fundwright.billing import service as billing
from fundwright.billing.schemas import PaymentCreate, PlanCode, PremiumLinkCreate
from fundwright.content import service as content
from fundwright.content.schemas import FeedbackKind, FeedbackSend, PostContent
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.generation import service as generation
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.pipeline import service as pipeline
from fundwright.pipeline.schemas import PursuitForm
from fundwright.training import adding
from fundwright.training.schemas import PastedText
from tests.access.table import SCREENS
from tests.support.accounts import add_account
from tests.support.snapshots import Snapshots
from tests.ui.conftest import Node, Open, Page, text_of, walk

HERE = Client(address="192.0.2.7")
KEPT = (
    "blog_post", "category", "chunk", "document", "draft", "draft_section", "feedback", "import_run", "invitation", "label",
    "opportunity", "payment", "plan", "premium_link", "subscription", "training_run", "trash_item",
)  # fmt: skip
MAX_EVENTS = 60

pytestmark = pytest.mark.security(40)


@pytest.fixture
async def ada(committed: Core, snapshots: Snapshots) -> Actor:
    return await snapshots.of(committed, _work)


async def _work(core: Core) -> Actor:
    """Ada, with work of her own, in an installation where an administrator has work, too."""
    async with core.database.transaction() as session:
        ada = await accounts.create_account(
            session, core, email="ada@example.org", name="Ada Lovelace", role=Role.USER, password=None
        )
        root = await add_account(session, "root@example.org", name="Root", role=Role.ADMIN)
        # The run of a new account waits for its sample; with a second document, training has new work.
        await adding.add_text(session, ada, core, PastedText(title="Boats", text="The ferry carries forty."))
        await opportunities.load_sample_once(session)
        (first, *_) = (await opportunities.list_opportunities(session, ada, OpportunityQuery())).items
        await generation.add_draft(session, ada, core, opportunity_id=first.id, template="capability-statement")
        await pipeline.add(session, ada, PursuitForm(opportunity_id=first.id))
        today = now().date()
        await content.create_post(session, root, PostContent(title="A post", summary="Of the team", text="Text"), client=HERE)
        await content.send_feedback(session, ada, FeedbackSend(kind=FeedbackKind.IDEA, text="A bell", page="/dashboard/train"))
        wanted = PremiumLinkCreate(plan=PlanCode.PRO, days=30, expires_on=today + timedelta(days=9))
        await billing.create_premium_link(session, root, wanted, client=HERE)
        invoice = PaymentCreate(
            workspace_id=ada.id, email=ada.email, text="One year", amount_cents=9_900, issued=today, due=today
        )
        await billing.add_payment(session, root, core, invoice, client=HERE)
        await commands.invite(session, core, email="new@example.org", role=Role.USER)
    return ada


async def records(core: Core) -> dict[str, str]:
    async with core.database.transaction() as session:
        rows = "SELECT coalesce(md5(string_agg(each::text, '' ORDER BY each::text)), '') FROM {} AS each"
        return {table: str(await session.scalar(text(rows.format(table)))) for table in KEPT}


async def addresses(core: Core, pattern: str) -> list[str]:
    """The addresses for one object of each kind that the screen is about."""
    tables = {
        "/dashboard/nih/{id}": "SELECT id FROM opportunity WHERE kind = 'grant'",
        "/dashboard/sam/{id}": "SELECT id FROM opportunity WHERE kind = 'contract'",
        "/dashboard/history/{id}": "SELECT id FROM training_run",
        "/dashboard/passage/{id}": "SELECT id FROM chunk",
        "/dashboard/train/{id}": "SELECT id FROM document",
        "/generate/slug/{token}": "SELECT slug FROM draft",
        "/dashboard/blog/{id}/edit": "SELECT id FROM blog_post",
        "/dashboard/freepremium/{id}": "SELECT id FROM premium_link",
        "/dashboard/payment/history/{id}": "SELECT id FROM payment",
        "/dashboard/subscription/{id}": "SELECT id FROM account",
        "/dashboard/users/{id}": "SELECT id FROM account WHERE role = 'admin'",
    }
    if pattern not in tables:
        return [pattern]
    async with core.database.transaction() as session:
        found: UUID | str | None = await session.scalar(text(f"{tables[pattern]} LIMIT 1"))
    return [pattern.replace("{id}", str(found)).replace("{token}", str(found))] if found else []


def events(page: Page) -> Iterator[tuple[str, Node, str]]:
    """The events that are possible on the page now, each with a stable name, except Undo, which would hide what they change."""
    for node in walk(page.tree):
        if "e" not in node or node.get("w") == "UndoToast":
            continue
        about = node.get("a", {})
        name = about.get("aria-label") or about.get("name") or about.get("title") or text_of(node)[:80]
        for event in node["e"]:
            yield f"{node.get('t') or node.get('w')} {name} {event}", node, event


def anything(page: Page, node: Node) -> dict[str, Any]:
    """Data that is valid for each event."""
    options = [each["a"].get("value", "") for each in walk(node) if each.get("t") == "option"]
    inputs = [node["a"] for node in walk(page.tree) if node.get("t") in ("input", "select", "textarea")]
    fields = {each["name"]: each.get("value") or each.get("defaultValue") or "1" for each in inputs if each.get("name")}
    return {
        "fields": fields, "submitter": None, "value": options[-1] if options else "1", "checked": True, "name": "x", "key": "Enter", "words": "a", "act": "sidebar",
        "code": "de", "id": "1", "number": 1, "page": 1, "page_size": 25, "sort": None, "filters": [], "status": 200, "answer": {}, "stage": "submitted",
    }  # fmt: skip


async def fire_everything(page: Page) -> int:
    """Also sends events of elements that appear in the meantime, such as the buttons of a dialog."""
    fired: set[str] = set()
    while len(fired) < MAX_EVENTS:
        waiting = next(((name, node, event) for name, node, event in events(page) if name not in fired), None)
        if waiting is None:
            break
        name, node, event = waiting
        fired.add(name)
        await page.fire(node, event, **anything(page, node))
    return len(fired)


async def changed_by(core: Core, actor: Actor, open_page: Open) -> set[str]:
    """Opens each screen that the actor may see and sends all of its events."""
    before, fired = await records(core), 0
    for pattern, need in SCREENS.items():
        if need is None or not isinstance(need, Permission) or not actor.may(need):
            continue
        for address in await addresses(core, pattern):
            with capture_logs():
                async with open_page(address, actor=actor) as page:
                    fired += await fire_everything(page)
    assert fired > 100
    after = await records(core)
    return {table for table in KEPT if before[table] != after[table]}


@pytest.mark.parametrize(
    ("role", "its_own"),
    [
        (WorkspaceRole.VIEWER, set[str]()),
        pytest.param(WorkspaceRole.REVIEWER, {"category", "label", "trash_item"}, marks=pytest.mark.slow),
    ],
)
async def test_no_event_changes_what_the_role_may_not_change(
    committed: Core, ada: Actor, open_page: Open, role: WorkspaceRole, its_own: set[str]
) -> None:
    async with committed.database.transaction() as session:
        await session.execute(text("UPDATE membership SET role = :role WHERE account_id = :id"), {"role": role, "id": ada.id})
    assert await changed_by(committed, ada.model_copy(update={"workspace_role": role}), open_page) <= its_own


async def test_events_change_things_for_roles_that_may_work(committed: Core, ada: Actor, open_page: Open) -> None:
    changed = await changed_by(committed, ada, open_page)
    assert {"category", "document", "draft", "training_run", "trash_item"} <= changed
    assert "opportunity" not in changed  # everyone sees the samples, so only administrators can remove them

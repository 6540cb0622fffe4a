"""An administrator finds titles of a workspace only as a member, or with support access: on no list, export, or screen, whatever members did."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from sqlalchemy import select

from fundwright.accounts.models import AuditEntry
from fundwright.accounts.schemas import Actor, Permission, Role
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.conversation import service as conversation
from fundwright.conversation.schemas import CommentForm
from fundwright.core.assembly import Core
from fundwright.core.scopes import acting_in
from fundwright.generation import editing
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftTitle, ExportFormat
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.sharing import opening
from fundwright.sharing import service as sharing
from fundwright.sharing.schemas import NewShare
from fundwright.training import adding, removing
from fundwright.training import service as training
from fundwright.training.schemas import DocumentTitle, PastedText, TrainDocuments
from fundwright.trash import service as trash
from fundwright.workspaces import invitations, support
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationForm, SupportForm, WorkspaceForm
from fundwright_ui.app import build_app
from tests.access.table import ROUTES, SCREENS
from tests.access.test_ids import CANARY, HERE
from tests.access.test_restricted import token_of
from tests.access.test_roles import Asker, opened
from tests.support.accounts import add_account
from tests.support.snapshots import Snapshots
from tests.ui.conftest import Open

pytestmark = pytest.mark.security(49)

ACTIONS = {
    "category.deleted", "comment.deleted", "document.deleted", "document.renamed", "draft.deleted", "draft.exported",
    "draft.section_deleted", "share.created", "share.opened", "share.revoked", "trash.deleted", "trash.restored",
}  # fmt: skip


@pytest.fixture
async def harbor(committed: Core, snapshots: Snapshots) -> tuple[Actor, Actor]:
    return await snapshots.of(committed, _make_harbor)


async def _make_harbor(core: Core) -> tuple[Actor, Actor]:
    """Ada in a workspace of her own, where she has done everything that names what she made, and an administrator."""
    async with core.database.transaction() as session:
        root = await add_account(session, "root@example.org", role=Role.ADMIN)
        ada = await add_account(session, "ada@example.org")
        await opportunities.load_sample_once(session)
        notice = (await opportunities.list_opportunities(session, ada, OpportunityQuery(page_size=1))).items[0]
        shared = await workspaces.create_workspace(session, ada, core, WorkspaceForm(name="Harbor"))
        ada = await workspaces.actor_in(session, ada, shared.id)
        category = await categories.create(session, ada, CategoryCreate(name=CANARY))
        await categories.delete(session, ada, category.id)
        document = await adding.add_text(session, ada, core, PastedText(title=CANARY, text=f"{CANARY} has boats."))
        await training.rename_document(session, ada, document.id, DocumentTitle(title=f"{CANARY} 2"))
        await removing.remove_document(session, ada, document.id)
        await trash.restore(session, ada, core, document.id)
        await removing.remove_document(session, ada, document.id)
        await trash.delete_forever(session, ada, core, document.id)
        draft = await generation.start_draft(session, ada, core, opportunity_id=notice.id, template="capability-statement")
        await editing.rename_draft(session, ada, draft.id, DraftTitle(title=CANARY))
        comment = await conversation.add_comment(session, ada, core, CommentForm(subject_id=draft.id, text=CANARY))
        await conversation.delete_comment(session, ada, core, comment.id)
        await editing.delete_section(session, ada, draft.id, draft.sections[0].id)
        link = await sharing.share(session, ada, core, NewShare(recipient=CANARY, draft_id=draft.id))
        of_list = NewShare(recipient=CANARY, query=OpportunityQuery(), title=CANARY)
        await sharing.share(session, ada, core, of_list)
        await core.jobs.enqueue(session, TrainDocuments(run_id=shared.id), title=CANARY, owner_id=ada.workspace_id)
    with acting_in(ada.scope):
        await generation.export_draft(core, ada, draft.id, ExportFormat.MARKDOWN)
        opened = await opening.find(core, link.link.rpartition("/")[2])
        async with core.database.transaction() as session:
            await opening.count(session, opened, client=HERE)
            await sharing.revoke(session, ada, link.id)
            await generation.delete_draft(session, ada, draft.id)
    return ada, root


LISTS = tuple(route for route in ROUTES if route.startswith("GET /api/") and "{" not in route)
HISTORY = {"GET /api/insights/history", "GET /api/insights/history/export.csv"}
AUDIT = {"GET /api/audit", "GET /api/audit/export.csv"}


async def shown(core: Core, root: Actor, lists: Iterable[str] = LISTS) -> tuple[set[str], dict[str, str]]:
    """Those of the lists and exports that show a title, and what each contains."""
    token = await token_of(core, root)
    app = build_app(core)
    async with opened(app) as client:
        asker = Asker(app, client)
        contents = {route: (await asker.ask(route, token)).text for route in lists}
    return {route for route, content in contents.items() if CANARY in content}, contents


async def test_no_list_and_no_export_shows_an_administrator_a_title(committed: Core, harbor: tuple[Actor, Actor]) -> None:
    _, root = harbor
    found, contents = await shown(committed, root)
    assert found == set()
    async with committed.database.transaction() as session:
        recorded = set(await session.scalars(select(AuditEntry.action)))
    assert recorded >= ACTIONS
    assert "Draft exported" in contents["GET /api/audit/export.csv"]
    assert '"train"' in contents["GET /api/insights/history"]


@pytest.mark.parametrize("path", [path for path, need in SCREENS.items() if need is Permission.ADMINISTER and "{" not in path])
async def test_no_screen_shows_an_administrator_a_title(
    committed: Core, harbor: tuple[Actor, Actor], open_page: Open, path: str
) -> None:
    _, root = harbor
    with acting_in(root.scope):
        async with open_page(path, actor=root) as page:
            assert CANARY not in page.text


@pytest.mark.parametrize("as_what", ["member", "support"])
async def test_members_and_support_see_titles_of_jobs(committed: Core, harbor: tuple[Actor, Actor], as_what: str) -> None:
    ada, root = harbor
    async with committed.database.transaction() as session:
        if as_what == "member":
            sent = await invitations.invite(session, ada, committed, InvitationForm(email=root.email))
            await invitations.accept_link(session, root, sent.link.rpartition("/")[2])
        else:
            await support.grant(session, ada, committed, SupportForm())
    found, _ = await shown(committed, root, HISTORY | AUDIT)
    assert found == HISTORY


async def test_owners_see_titles_in_the_activity_of_their_workspace(committed: Core, harbor: tuple[Actor, Actor]) -> None:
    ada, _ = harbor
    token = await token_of(committed, ada)
    async with opened(build_app(committed)) as client:
        answer = await client.get(
            "/api/activity", params={"w": str(ada.workspace_id)}, headers={"authorization": f"Bearer {token}"}
        )
    assert CANARY in answer.text

"""An administrator with support access, tried on every route of the workspace."""

from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Permission, Role
from fundwright.core.assembly import Core
from fundwright.workspaces import service as workspaces
from fundwright.workspaces import support
from fundwright.workspaces.schemas import SupportForm, WorkspaceForm
from fundwright_ui.app import build_app
from tests.access.table import ROUTES, SCREENS
from tests.access.test_roles import Asker, People, code_of, opened
from tests.support.accounts import add_account

pytestmark = pytest.mark.security(49)

OWNERS_ONLY = (
    "PUT /api/workspace/support",
    "DELETE /api/workspace/support",
    "PATCH /api/workspace",
    "DELETE /api/workspace",
    "POST /api/workspace/invitations",
    "GET /api/workspace/restrictions",
    "GET /api/workspace/restrictions/export.csv",
    "DELETE /api/workspace/membership",
    "GET /api/billing/workspace/payments",
    "GET /api/billing/workspace/payments/export.csv",
    "GET /api/billing/workspace/premium-links",
    "GET /api/billing/workspace/premium-links/export.csv",
)
"""Routes that every account may request, but not with support access."""


@pytest.mark.parametrize("is_shared", [False, True], ids=["personal", "shared"])
@pytest.mark.parametrize("has_all", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "all"])
async def test_reads_what_viewers_read_and_changes_nothing(committed: Core, is_shared: bool, has_all: bool) -> None:
    async with committed.database.transaction() as session:
        owner = await add_account(session, "owner@example.org")
        if is_shared:
            made = await workspaces.create_workspace(session, owner, committed, WorkspaceForm(name="Harbor"))
            owner = await workspaces.actor_in(session, owner, made.id)
        await support.grant(session, owner, committed, SupportForm())
    here = {("query", "w"): str(owner.workspace_id)}
    wrong: list[str] = []
    app = build_app(committed)
    async with opened(app) as client:
        token = await People(committed).token(Role.ADMIN)
        asker = Asker(app, client)
        for route, need in list(ROUTES.items())[:: 1 if has_all else 50]:
            is_refused = need in (Permission.LABEL, Permission.WORK) or route in OWNERS_ONLY
            if not is_refused and (need is not Permission.READ or not route.startswith("GET ")):
                continue
            answer = await asker.ask(route, token, values=here)
            became = "refused" if code_of(answer) in ("NotAllowed", "PersonalWorkspace") else "let in"
            if became != ("refused" if is_refused else "let in") or answer.status_code in (401, 500):
                wrong.append(f"{route}: {answer.status_code} {code_of(answer)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
async def test_opens_every_screen_that_viewers_open(committed: Core) -> None:
    async with committed.database.transaction() as session:
        owner = await add_account(session, "owner@example.org")
        await support.grant(session, owner, committed, SupportForm())
    wrong: list[str] = []
    async with opened(build_app(committed)) as client:
        token = await People(committed).token(Role.ADMIN)
        for path, need in SCREENS.items():
            if need is not Permission.READ or "{" in path:
                continue
            answer = await client.get(path, params={"w": str(owner.id)}, headers={"cookie": f"session={token}"})
            if answer.status_code != 200 or "You have support access until" not in answer.text:
                wrong.append(f"{path}: {answer.status_code} {answer.headers.get('location', '')}")
    assert not wrong, "\n".join(wrong)

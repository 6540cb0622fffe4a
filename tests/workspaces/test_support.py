"""Support access: who gets it, until when, and what it never allows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts import service as accounts
from fundwright.accounts.job_actors import PermissionLost, acting_with
from fundwright.accounts.models import Workspace
from fundwright.accounts.permissions import NotForPrograms
from fundwright.accounts.schemas import Actor, AuditQuery, Permission, Role, WorkspaceRole
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityQuery
from fundwright.authentication import api_tokens, sessions, throttle
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import SignedIn, TokenScope
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotAllowed, NotFound
from fundwright.core.jobs import Job
from fundwright.core.scopes import acting_in
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery
from fundwright.training import adding
from fundwright.training import service as training
from fundwright.training.schemas import DocumentQuery, PastedText
from fundwright.workspaces import events, invitations, restrictions, service, support
from fundwright.workspaces.schemas import InvitationForm, RestrictionForm, SupportDuration, SupportForm, WorkspaceForm
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.testing import mounted
from tests.support.accounts import add_account
from tests.support.scopes import INSTALLATION
from tests.support.signing_in import HERE, PASSWORD

pytestmark = pytest.mark.security(49)

T = TypeVar("T")
WORKDAY = SupportForm(duration=SupportDuration.WORKDAY)


async def do(core: Core, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
    async with core.database.transaction() as session:
        return await work(session)


@pytest.fixture
async def owner(committed: Core, ada: Actor) -> Actor:
    """Ada in the workspace Harbor."""
    made = await do(committed, lambda session: service.create_workspace(session, ada, committed, WorkspaceForm(name="Harbor")))
    return await do(committed, lambda session: service.actor_in(session, ada, made.id))


@pytest.fixture
async def root(committed: Core) -> SignedIn:
    """A signed-in administrator."""
    await do(committed, lambda session: add_account(session, "root@example.org", name="Root", role=Role.ADMIN, password=PASSWORD))
    return await sign_in(committed, "root@example.org")


async def sign_in(core: Core, email: str) -> SignedIn:
    signed_in = await do(
        core,
        lambda session: authentication.sign_in(session, core, email=email, password=PASSWORD, remember=False, client=HERE),
    )
    assert isinstance(signed_in, SignedIn)
    return signed_in


async def open_workspace(core: Core, signed_in: SignedIn, workspace_id: UUID) -> Actor | None:
    """Act in a workspace like a page or request that names it. Raises NotFound."""
    return await do(core, lambda session: authentication.authenticate(session, core, signed_in.token, workspace_id=workspace_id))


async def grant(core: Core, owner: Actor, form: SupportForm = WORKDAY) -> None:
    await do(core, lambda session: support.grant(session, owner, core, form))


async def let_pass(core: Core, owner: Actor) -> None:
    """Move the end of support access into the past."""
    over = update(Workspace).where(Workspace.id == owner.workspace_id).values(support_until=now() - timedelta(seconds=1))
    await do(core, lambda session: session.execute(over))


async def titles(core: Core, actor: Actor) -> list[str]:
    with acting_in(actor.scope):
        page = await do(core, lambda session: training.list_documents(session, actor, DocumentQuery()))
    return [document.title for document in page.items]


async def add_text(core: Core, actor: Actor, title: str) -> UUID:
    content = PastedText(title=title, text=f"{title}: we operate two ferries with forty seats each.")
    with acting_in(actor.scope):
        return (await do(core, lambda session: adding.add_text(session, actor, core, content))).id


class TestAccess:
    async def test_an_administrator_views_the_workspace_only_while_it_lasts(
        self, committed: Core, owner: Actor, root: SignedIn
    ) -> None:
        await add_text(committed, owner, "Boats")
        with pytest.raises(NotFound):
            await open_workspace(committed, root, owner.workspace_id)
        await grant(committed, owner)
        viewer = await open_workspace(committed, root, owner.workspace_id)
        assert viewer is not None
        assert (viewer.is_support, viewer.workspace_role) == (True, WorkspaceRole.VIEWER)
        assert await titles(committed, viewer) == ["Boats"]
        assert (await do(committed, lambda session: service.get_workspace(session, viewer))).name == "Harbor"
        async with mounted(committed, viewer, train_screen, path="/dashboard/train") as screen:
            assert "Boats" in screen.text and "You can only view this workspace with support access." in screen.text
        assert await do(committed, lambda session: sessions.recognize(session, committed, viewer)) is not None
        await let_pass(committed, owner)
        with pytest.raises(NotFound):
            await open_workspace(committed, root, owner.workspace_id)
        assert await do(committed, lambda session: sessions.recognize(session, committed, viewer)) is None
        assert await do(committed, lambda session: support.list_supported(session, root.actor)) == []

    async def test_ends_at_once_and_closes_open_pages(self, committed: Core, owner: Actor, root: SignedIn) -> None:
        await grant(committed, owner)
        viewer = await open_workspace(committed, root, owner.workspace_id)
        assert viewer is not None
        assert viewer.session_id is not None
        heard = asyncio.Event()
        with committed.live.subscribed(sessions.session_topic(viewer.session_id), lambda _message: heard.set()):
            await do(committed, lambda session: support.end(session, owner))
            async with asyncio.timeout(10):
                await heard.wait()
        with pytest.raises(NotFound):
            await open_workspace(committed, root, owner.workspace_id)

    async def test_is_granted_for_a_personal_workspace_too(self, committed: Core, ada: Actor, root: SignedIn) -> None:
        await grant(committed, ada)
        (listed,) = await do(committed, lambda session: support.list_supported(session, root.actor))
        assert (listed.id, listed.title) == (ada.id, ada.name)
        viewer = await open_workspace(committed, root, ada.id)
        assert viewer is not None
        assert viewer.is_support
        assert (await do(committed, lambda session: service.get_workspace(session, viewer))).title == ada.name

    async def test_is_only_for_administrators(self, committed: Core, owner: Actor) -> None:
        await do(committed, lambda session: add_account(session, "eve@example.org", password=PASSWORD))
        other = await sign_in(committed, "eve@example.org")
        await grant(committed, owner)
        with pytest.raises(NotFound):
            await open_workspace(committed, other, owner.workspace_id)
        assert await do(committed, lambda session: support.list_supported(session, other.actor)) == []

    async def test_a_member_keeps_the_own_role(self, committed: Core, owner: Actor, root: SignedIn) -> None:
        form = InvitationForm(email=root.actor.email, role=WorkspaceRole.EDITOR)
        sent = await do(committed, lambda session: invitations.invite(session, owner, committed, form))
        await do(committed, lambda session: invitations.accept(session, root.actor, sent.id))
        await grant(committed, owner)
        member = await open_workspace(committed, root, owner.workspace_id)
        assert member is not None
        assert (member.is_support, member.workspace_role) == (False, WorkspaceRole.EDITOR)
        assert await do(committed, lambda session: support.list_supported(session, root.actor)) == []

    async def test_hides_restricted_documents(self, committed: Core, owner: Actor, root: SignedIn) -> None:
        document_id = await add_text(committed, owner, "Secret")
        await add_text(committed, owner, "Boats")
        with acting_in(owner.scope):
            await do(
                committed,
                lambda session: restrictions.restrict(session, owner, committed, "document", document_id, RestrictionForm()),
            )
        await grant(committed, owner)
        viewer = await open_workspace(committed, root, owner.workspace_id)
        assert viewer is not None
        assert await titles(committed, viewer) == ["Boats"]


class TestLimits:
    async def test_never_for_jobs_and_api_tokens(self, committed: Core, owner: Actor, root: SignedIn) -> None:
        token = await do(
            committed,
            lambda session: api_tokens.create_api_token(
                session, root.actor, committed, name="report", scope=TokenScope.READ, lasts_days=1
            ),
        )
        await grant(committed, owner)
        with pytest.raises(NotFound):
            await do(
                committed,
                lambda session: api_tokens.authenticate_api_token(session, token.secret, workspace_id=owner.workspace_id),
            )
        with pytest.raises(PermissionLost):
            await do(
                committed,
                lambda session: acting_with(Permission.READ)(session, root.actor.id, owner.workspace_id),
            )

    async def test_changes_nothing_and_grants_nothing(self, committed: Core, owner: Actor, root: SignedIn) -> None:
        await grant(committed, owner)
        viewer = await open_workspace(committed, root, owner.workspace_id)
        assert viewer is not None
        refused: list[Callable[[AsyncSession], Awaitable[object]]] = [
            lambda session: support.grant(session, viewer, committed, WORKDAY),
            lambda session: support.end(session, viewer),
            lambda session: service.leave_workspace(session, viewer),
            lambda session: service.rename_workspace(session, viewer, WorkspaceForm(name="Mine")),
            lambda session: invitations.invite(session, viewer, committed, InvitationForm()),
            lambda session: api_tokens.create_api_token(
                session, viewer, committed, name="report", scope=TokenScope.READ, lasts_days=1
            ),
        ]
        for attempt in refused:
            with pytest.raises(NotAllowed):
                await do(committed, attempt)
        with pytest.raises(NotFound):
            await do(committed, lambda session: service.use_workspace(session, root.actor, owner.workspace_id))

    async def test_only_owners_who_have_signed_in_grant_it(self, committed: Core, owner: Actor) -> None:
        bob = await do(committed, lambda session: add_account(session, "bob@example.org"))
        form = InvitationForm(email=bob.email, role=WorkspaceRole.EDITOR)
        sent = await do(committed, lambda session: invitations.invite(session, owner, committed, form))
        await do(committed, lambda session: invitations.accept(session, bob, sent.id))
        editor = await do(committed, lambda session: service.actor_in(session, bob, owner.workspace_id))
        with pytest.raises(NotAllowed):
            await grant(committed, editor)
        with pytest.raises(NotForPrograms):
            await grant(committed, owner.model_copy(update={"is_program": True}))


class TestRecords:
    async def test_is_in_the_audit_trail_and_in_the_activity(self, committed: Core, owner: Actor, root: SignedIn) -> None:
        await grant(committed, owner)
        viewer = await open_workspace(committed, root, owner.workspace_id)
        assert viewer is not None
        for _ in range(2):
            await do(committed, lambda session: accounts.record_support(session, viewer, client=HERE))
        await do(committed, lambda session: support.end(session, owner))
        page = await do(committed, lambda session: audit.list_audit(session, root.actor, AuditQuery(text="workspace.support")))
        assert [(entry.action, entry.actor_email) for entry in page.items] == [
            ("workspace.support_ended", owner.email),
            ("workspace.support_used", "root@example.org"),
            ("workspace.support_granted", owner.email),
        ]
        with acting_in(owner.scope):
            listed = await do(committed, lambda session: activity.list_activity(session, owner, committed, ActivityQuery()))
        assert [entry.sentence for entry in listed.items] == [
            f"{owner.name} ended support access",
            f"{owner.name} let administrators view this workspace (duration: 8 hours)",
        ]

    async def test_other_owners_are_notified(self, committed: Core, owner: Actor) -> None:
        bob = await do(committed, lambda session: add_account(session, "bob@example.org"))
        form = InvitationForm(email=bob.email, role=WorkspaceRole.OWNER)
        sent = await do(committed, lambda session: invitations.invite(session, owner, committed, form))
        await do(committed, lambda session: invitations.accept(session, bob, sent.id))
        await grant(committed, owner, SupportForm(duration=SupportDuration.WEEK))
        with acting_in(bob.scope):
            page = await do(
                committed,
                lambda session: notifications.list_notifications(session, bob, committed, NotificationQuery()),
            )
        told = [each.title for each in page.items if each.kind == events.SUPPORT_GRANTED.key]
        assert told == [f"{owner.name} let administrators view the workspace “Harbor” (duration: 7 days)"]


class TestExpiry:
    async def test_the_job_ends_it_unless_it_was_extended(self, committed: Core, owner: Actor) -> None:
        await grant(committed, owner)
        ending = support.EndSupport(workspace_id=owner.workspace_id)
        await committed.jobs.run_inline(ending, title="End support access", owner_id=None)
        assert (await do(committed, lambda session: support.get_support(session, owner))).until is not None
        await let_pass(committed, owner)
        await committed.jobs.run_inline(ending, title="End support access", owner_id=None)
        async with committed.database.transaction(scope=INSTALLATION) as session:
            workspace = await session.get(Workspace, owner.workspace_id)
            assert workspace is not None
            assert workspace.support_until is None

    @pytest.mark.security(53)
    async def test_one_job_waits_for_the_end_of_the_latest(self, committed: Core, owner: Actor) -> None:
        other = await do(
            committed, lambda session: service.create_workspace(session, owner, committed, WorkspaceForm(name="Other"))
        )
        await grant(committed, await do(committed, lambda session: service.actor_in(session, owner, other.id)))
        for duration in (SupportDuration.WEEK, SupportDuration.WORKDAY, SupportDuration.HOUR):
            await grant(committed, owner, SupportForm(duration=duration))
        async with committed.database.transaction() as session:
            waiting = select(Job.payload["workspace_id"].astext).where(Job.kind == support.EndSupport.job_kind)
            assert sorted(await session.scalars(waiting)) == sorted(map(str, (owner.workspace_id, other.id)))
            entries = await session.execute(text("SELECT scheduled_at < now() + interval '2 hours' FROM procrastinate_jobs"))
            assert sorted(entries.scalars()) == [False, True]

    @pytest.mark.security(53)
    async def test_granting_it_again_and_again_has_a_budget(
        self, committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(support, "GRANTED_BY_ONE", (throttle.Budget(2, timedelta(hours=1)),))
        for _ in range(2):
            await grant(committed, owner)
        with pytest.raises(throttle.OverBudget, match=r"support access too often.* Try again in \d+ minutes\."):
            await grant(committed, owner)

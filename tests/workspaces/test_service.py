"""Workspaces, members, invitations, and what belongs to a workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import registration
from fundwright.accounts import commands
from fundwright.accounts import service as accounts
from fundwright.accounts.job_actors import PermissionLost, acting_with
from fundwright.accounts.schemas import Actor, Permission, Role, WorkspaceRole
from fundwright.authentication import api_tokens, sessions, throttle
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import TokenScope
from fundwright.authentication.throttle import TooManyTries
from fundwright.categories import service as categories
from fundwright.categories.schemas import CategoryCreate
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotAllowed, NotFound
from fundwright.core.jobs import Job, JobState
from fundwright.core.mail import Mail
from fundwright.generation import service as generation
from fundwright.generation.schemas import DraftQuery
from fundwright.language import service as language
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import CategorizeOpportunities
from fundwright.training import adding, removing, runs, searching
from fundwright.training import service as training
from fundwright.training.schemas import DocumentQuery, PastedText
from fundwright.trash import service as trash
from fundwright.trash.schemas import TrashQuery
from fundwright.workspaces import invitations, repository, service
from fundwright.workspaces.invitations import AlreadyMember, InvitationOver
from fundwright.workspaces.models import WorkspaceInvitation
from fundwright.workspaces.schemas import (
    InvitationForm,
    InvitationQuery,
    InvitationSent,
    InvitationState,
    MemberQuery,
    WorkspaceForm,
)
from fundwright.workspaces.service import LastOwner, PersonalWorkspace, TooManyWorkspaces
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD

pytestmark = pytest.mark.security(49)

T = TypeVar("T")
_BLOCKED = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


async def do(core: Core, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
    async with core.database.transaction() as session:
        return await work(session)


@pytest.fixture
async def bob(committed: Core) -> Actor:
    return await do(committed, lambda session: add_account(session, "bob@example.org", name="Bob", password=PASSWORD))


async def create(core: Core, actor: Actor, name: str = "Harbor") -> Actor:
    """Create a workspace; return the actor in it."""
    workspace = await do(core, lambda session: service.create_workspace(session, actor, core, WorkspaceForm(name=name)))
    return await acting_in(core, actor, workspace.id)


async def acting_in(core: Core, actor: Actor, workspace_id: UUID) -> Actor:
    return await do(core, lambda session: service.actor_in(session, actor, workspace_id))


async def invite(core: Core, owner: Actor, form: InvitationForm) -> InvitationSent:
    return await do(core, lambda session: invitations.invite(session, owner, core, form))


async def join(core: Core, actor: Actor, link: str) -> UUID:
    return await do(core, lambda session: invitations.accept_link(session, actor, link.rpartition("/")[2]))


async def member(core: Core, owner: Actor, actor: Actor, role: WorkspaceRole = WorkspaceRole.EDITOR) -> Actor:
    """Let an account join the owner's workspace; return it there."""
    sent = await invite(core, owner, InvitationForm(email=actor.email, role=role))
    return await acting_in(core, actor, await join(core, actor, sent.link))


async def titles(core: Core, actor: Actor) -> list[str]:
    page = await do(core, lambda session: training.list_documents(session, actor, DocumentQuery()))
    return [document.title for document in page.items]


async def add_text(core: Core, actor: Actor, title: str = "Boats") -> UUID:
    content = PastedText(title=title, text=f"{title}: we operate two ferries with forty seats each.")
    return (await do(core, lambda session: adding.add_text(session, actor, core, content))).id


class TestOwnership:
    async def test_each_account_has_a_personal_workspace_with_its_own_id(self, committed: Core, ada: Actor) -> None:
        listed = await do(committed, lambda session: service.list_workspaces(session, ada))
        assert [(each.id, each.title, each.role, each.members) for each in listed] == [
            (ada.id, "Personal", WorkspaceRole.OWNER, 1)
        ]
        assert (ada.workspace_id, ada.workspace_role) == (ada.id, WorkspaceRole.OWNER)

    async def test_members_share_documents_categories_and_drafts_and_others_see_nothing(
        self, committed: Core, ada: Actor, bob: Actor
    ) -> None:
        await do(committed, opportunities.load_sample_once)
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        document = await add_text(committed, owner)
        await do(committed, lambda session: categories.create(session, editor, CategoryCreate(name="Ferries")))
        async with committed.database.transaction() as session:
            notice = (await opportunities.suggest(session, editor, ""))[0].id
            await generation.start_draft(session, editor, committed, opportunity_id=notice, template="capability-statement")

        async def seen(actor: Actor) -> tuple[list[str], list[str], int]:
            async with committed.database.transaction() as session:
                named = [category.name for category in await categories.list_categories(session, actor)]
                drafts = await generation.list_drafts(session, actor, DraftQuery())
            return await titles(committed, actor), named, drafts.total

        assert await seen(owner) == await seen(editor) == (["Boats"], ["Ferries"], 1)
        assert await seen(ada) == await seen(bob) == ([], [], 0)
        for stranger in (ada, bob):
            with pytest.raises(NotFound):
                await do(committed, lambda session, actor=stranger: training.get_document(session, actor, document))

    async def test_what_one_member_trains_answers_the_question_of_another(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        await runs.run_inline(committed, owner, [await add_text(committed, owner)])
        embedder = await language.get_embedder(committed)
        answers = {
            actor.workspace_id: [
                found.text for found in await searching.find_passages(committed, actor, "How many seats?", embedder=embedder)
            ]
            for actor in (editor, bob)
        }
        assert answers[editor.workspace_id] and not answers[bob.id]

    async def test_the_trash_belongs_to_the_workspace(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        document = await add_text(committed, owner)
        await do(committed, lambda session: removing.remove_document(session, editor, document))
        for actor, expected in ((owner, 1), (editor, 1), (ada, 0), (bob, 0)):
            listed = await do(committed, lambda session, actor=actor: trash.list_trash(session, actor, TrashQuery()))
            assert listed.total == expected
        with pytest.raises(NotFound):
            await do(committed, lambda session: trash.restore(session, bob, committed, document))

    async def test_jobs_act_in_the_workspace_for_the_person_who_started_them(
        self, committed: Core, ada: Actor, bob: Actor
    ) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        await do(committed, lambda session: opportunities.start_categorizing(session, editor, committed))
        async with committed.database.transaction() as session:
            job = (await session.scalars(select(Job))).one()
            assert (job.owner_id, job.account_id) == (owner.workspace_id, bob.id)
            load = acting_with(Permission.LABEL)
            acting = await load(session, job.account_id, job.owner_id)
            assert (acting.id, acting.workspace_id) == (bob.id, owner.workspace_id)
            assert (await opportunities.find_categorizing(session, owner)) is not None
        await do(committed, lambda session: service.remove_member(session, owner, bob.id))
        async with committed.database.transaction() as session:
            with pytest.raises(PermissionLost, match="Ask an owner of the workspace for access"):
                await load(session, bob.id, owner.workspace_id)

    async def test_new_notices_are_categorized_as_a_member_who_is_still_there(
        self, committed: Core, ada: Actor, bob: Actor
    ) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        kind = CategorizeOpportunities.job_kind
        async with committed.database.transaction() as session:
            for age, actor in ((2, owner), (1, editor)):
                job = Job(
                    kind=kind, title="", owner_id=actor.workspace_id, account_id=actor.id, payload={}, state=JobState.SUCCEEDED
                )
                job.created_at = now() - timedelta(days=age)
                session.add(job)
            await service.leave_workspace(session, editor)
            await opportunities.categorize_again(session, committed)
            waiting = await jobs.find_waiting(session, owner.workspace_id, kind=kind)
        assert waiting is not None and waiting.account_id == ada.id


class TestRoles:
    @pytest.mark.parametrize(
        ("role", "granted"),
        [
            (WorkspaceRole.OWNER, {Permission.READ, Permission.LABEL, Permission.WORK}),
            (WorkspaceRole.EDITOR, {Permission.READ, Permission.LABEL, Permission.WORK}),
            (WorkspaceRole.REVIEWER, {Permission.READ, Permission.LABEL}),
            (WorkspaceRole.VIEWER, {Permission.READ}),
        ],
    )
    def test_limit_what_an_account_may_do(self, role: WorkspaceRole, granted: set[Permission]) -> None:
        actor = Actor(id=uuid4(), email="ada@example.org", name="Ada", role=Role.USER, workspace_role=role)
        assert {permission for permission in Permission if actor.may(permission)} == granted

    def test_do_not_extend_it(self) -> None:
        owner = Actor(id=uuid4(), email="ada@example.org", name="Ada", role=Role.USER, workspace_role=WorkspaceRole.OWNER)
        assert not owner.may(Permission.ADMINISTER)
        administrator = owner.model_copy(update={"role": Role.ADMIN, "workspace_role": WorkspaceRole.VIEWER})
        assert administrator.may(Permission.ADMINISTER) and not administrator.may(Permission.WORK)

    async def test_a_viewer_cannot_change_anything(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        viewer = await member(committed, owner, bob, WorkspaceRole.VIEWER)
        document = await add_text(committed, owner)
        assert await titles(committed, viewer) == ["Boats"]
        for change in (
            lambda session: removing.remove_document(session, viewer, document),
            lambda session: categories.create(session, viewer, CategoryCreate(name="Ferries")),
        ):
            with pytest.raises(NotAllowed, match="Your role in this workspace does not allow this"):
                await do(committed, change)

    async def test_only_owners_manage_members(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        for change in (
            lambda session: service.change_role(session, editor, ada.id, WorkspaceRole.VIEWER),
            lambda session: service.remove_member(session, editor, ada.id),
            lambda session: service.transfer_ownership(session, editor, ada.id),
            lambda session: service.rename_workspace(session, editor, WorkspaceForm(name="Mine")),
            lambda session: service.delete_workspace(session, editor, committed, name="Harbor"),
            lambda session: invitations.invite(session, editor, committed, InvitationForm()),
        ):
            with pytest.raises(NotAllowed):
                await do(committed, change)

    async def test_apply_to_an_actor_that_was_loaded_before(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        second = await member(committed, owner, bob, WorkspaceRole.OWNER)
        await do(committed, lambda session: service.change_role(session, owner, bob.id, WorkspaceRole.EDITOR))
        with pytest.raises(NotAllowed):
            await do(committed, lambda session: service.remove_member(session, second, ada.id))

    async def test_the_last_owner_stays(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        for change in (
            lambda session: service.leave_workspace(session, owner),
            lambda session: service.change_role(session, owner, ada.id, WorkspaceRole.EDITOR),
            lambda session: service.remove_member(session, owner, ada.id),
        ):
            with pytest.raises(LastOwner):
                await do(committed, change)

    async def test_an_owner_hands_over_in_one_step(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        link = (await invite(committed, owner, InvitationForm(most_uses=3))).link
        await do(committed, lambda session: service.transfer_ownership(session, owner, bob.id))
        listed = await do(committed, lambda session: service.list_members(session, owner, MemberQuery()))
        assert {each.name: each.role for each in listed.items} == {
            "Ada Lovelace": WorkspaceRole.EDITOR,
            "Bob": WorkspaceRole.OWNER,
        }
        told = await do(committed, lambda session: notifications.list_notifications(session, bob, committed, NotificationQuery()))
        assert told.items[0].title == "Ada Lovelace changed your role in “Harbor” to Owner"
        with pytest.raises(NotAllowed):
            await do(committed, lambda session: service.remove_member(session, owner, bob.id))
        with pytest.raises(InvitationOver):
            await join(committed, await do(committed, add_account), link)
        await do(committed, lambda session: service.leave_workspace(session, owner))

    async def test_ownership_goes_to_another_member_only(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        for account_id, error in ((ada.id, Conflict), (bob.id, NotFound)):
            with pytest.raises(error):
                await do(committed, lambda session, id=account_id: service.transfer_ownership(session, owner, id))

    async def test_of_two_owners_who_leave_at_once_one_stays(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        second = await member(committed, owner, bob, WorkspaceRole.OWNER)
        left = await asyncio.gather(
            *(do(committed, lambda session, actor=actor: service.leave_workspace(session, actor)) for actor in (owner, second)),
            return_exceptions=True,
        )
        assert sorted(type(each).__name__ for each in left) == ["LastOwner", "NoneType"]

    async def test_the_personal_workspace_is_for_one_person(self, committed: Core, ada: Actor) -> None:
        for change in (
            lambda session: invitations.invite(session, ada, committed, InvitationForm()),
            lambda session: service.leave_workspace(session, ada),
            lambda session: service.rename_workspace(session, ada, WorkspaceForm(name="Mine")),
            lambda session: service.delete_workspace(session, ada, committed, name=""),
        ):
            with pytest.raises(PersonalWorkspace):
                await do(committed, change)


class TestMembers:
    async def test_are_listed_by_name_and_filtered(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob, WorkspaceRole.VIEWER)

        async def listed(**query: object) -> list[str]:
            page = await do(committed, lambda session: service.list_members(session, owner, MemberQuery.model_validate(query)))
            return [each.name for each in page.items]

        assert await listed() == ["Ada Lovelace", "Bob"]
        assert await listed(sort="-role") == ["Bob", "Ada Lovelace"]
        assert await listed(text="BOB@") == ["Bob"]
        assert await listed(role="owner") == ["Ada Lovelace"]

    async def test_who_are_removed_open_their_personal_workspace_and_their_pages_close(
        self, committed: Core, ada: Actor, bob: Actor
    ) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        async with committed.database.transaction() as session:
            account = await accounts.get_account_by_id(session, bob.id)
            signed_in = (await sessions.start_session(session, committed, account, remember=False, client=HERE)).actor
            await service.use_workspace(session, signed_in, owner.workspace_id)
        on_page = editor.model_copy(update={"session_id": signed_in.session_id})
        async with committed.database.transaction() as session:
            assert await sessions.recognize(session, committed, on_page) is not None
        heard = asyncio.Event()
        with committed.live.subscribed(sessions.session_topic(signed_in.session_id or uuid4()), lambda _message: heard.set()):
            await do(committed, lambda session: service.remove_member(session, owner, bob.id))
            await asyncio.wait_for(heard.wait(), timeout=10)
        async with committed.database.transaction() as session:
            assert await sessions.recognize(session, committed, on_page) is None
            account = await accounts.get_account_by_id(session, bob.id)
            await session.refresh(account)
            assert accounts.actor_of(account).workspace_id == bob.id

    async def test_what_they_made_stays_with_their_name(self, committed: Core, ada: Actor, bob: Actor) -> None:
        await do(committed, opportunities.load_sample_once)
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        await add_text(committed, editor)
        await add_text(committed, owner, "Ports")
        async with committed.database.transaction() as session:
            notice = (await opportunities.suggest(session, editor, ""))[0].id
            await generation.add_draft(session, editor, committed, opportunity_id=notice, template="capability-statement")
        await do(committed, lambda session: service.leave_workspace(session, editor))

        async def makers() -> tuple[dict[str, str], list[str]]:
            async with committed.database.transaction() as session:
                documents = (await training.list_documents(session, owner, DocumentQuery())).items
                drafts = (await generation.list_drafts(session, owner, DraftQuery())).items
            return {each.title: each.added_by for each in documents}, [each.created_by for each in drafts]

        assert await makers() == ({"Boats": "Bob", "Ports": "Ada Lovelace"}, ["Bob"])
        await do(committed, lambda session: delete_account(session, bob, committed))
        assert await makers() == ({"Boats": "", "Ports": "Ada Lovelace"}, [""])

    async def test_pages_of_other_workspaces_stay_open(self, committed: Core, ada: Actor) -> None:
        owner = await create(committed, ada)
        async with committed.database.transaction() as session:
            account = await accounts.get_account_by_id(session, ada.id)
            signed_in = (await sessions.start_session(session, committed, account, remember=False, client=HERE)).actor
            await service.use_workspace(session, signed_in, owner.workspace_id)
            found = await sessions.recognize(session, committed, signed_in)
            assert found is not None and found[1].workspace_id == ada.id


class TestInvitations:
    async def test_by_email_is_sent_and_only_that_address_can_use_it(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        sent = await invite(committed, owner, InvitationForm(email="BOB@example.org", role=WorkspaceRole.REVIEWER))
        async with committed.database.transaction() as session:
            mail = (await session.scalars(select(Mail))).one()
            assert mail.recipient == "bob@example.org" and sent.link in mail.text and "Harbor" in mail.subject
            eve = await add_account(session, "eve@example.org")
        with pytest.raises(InvitationOver):
            await join(committed, eve, sent.link)
        [own] = await do(committed, lambda session: invitations.list_own(session, bob))
        assert (own.workspace, own.role, own.invited_by) == ("Harbor", WorkspaceRole.REVIEWER, ada.name)
        assert await do(committed, lambda session: invitations.accept(session, bob, own.id)) == owner.workspace_id
        with pytest.raises(AlreadyMember):
            await invite(committed, owner, InvitationForm(email=bob.email))

    async def test_by_link_has_a_number_of_uses_also_when_used_at_once(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        sent = await invite(committed, owner, InvitationForm(most_uses=2))
        people = [bob] + [await do(committed, add_account) for _ in range(3)]
        joined = await asyncio.gather(*(join(committed, each, sent.link) for each in people), return_exceptions=True)
        assert sorted(type(each).__name__ for each in joined) == ["InvitationOver", "InvitationOver", "UUID", "UUID"]
        members = await do(committed, lambda session: service.list_members(session, owner, MemberQuery()))
        assert members.total == 3

    async def test_using_it_twice_counts_once(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        sent = await invite(committed, owner, InvitationForm(most_uses=2))
        assert await join(committed, bob, sent.link) == await join(committed, bob, sent.link)
        async with committed.database.transaction() as session:
            assert await session.scalar(select(WorkspaceInvitation.uses)) == 1

    async def test_ends_by_time_withdrawal_or_decline(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        expired = await invite(committed, owner, InvitationForm())
        withdrawn = await invite(committed, owner, InvitationForm())
        declined = await invite(committed, owner, InvitationForm(email=bob.email))
        async with committed.database.transaction() as session:
            late = update(WorkspaceInvitation).where(WorkspaceInvitation.id == expired.id)
            await session.execute(late.values(expires_at=now() - timedelta(seconds=1)))
            await invitations.withdraw(session, owner, withdrawn.id)
            await invitations.decline(session, bob, declined.id)
        for sent in (expired, withdrawn, declined):
            with pytest.raises(InvitationOver):
                await join(committed, bob, sent.link)
        listed = await do(
            committed, lambda session: invitations.list_invitations(session, owner, InvitationQuery(sort="created_at"))
        )
        assert [each.state for each in listed.items] == [InvitationState.EXPIRED, InvitationState.ENDED, InvitationState.ENDED]
        assert await do(committed, lambda session: invitations.list_own(session, bob)) == []

    async def test_of_a_removed_owner_stops_working(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        second = await member(committed, owner, bob, WorkspaceRole.OWNER)
        eve = await do(committed, add_account)
        sent = await invite(committed, second, InvitationForm(email=eve.email))
        await do(committed, lambda session: service.remove_member(session, owner, bob.id))
        with pytest.raises(InvitationOver):
            await join(committed, eve, sent.link)

    async def test_a_new_one_replaces_that_of_the_same_address(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        first = await invite(committed, owner, InvitationForm(email=bob.email))
        await invite(committed, owner, InvitationForm(email=bob.email))
        with pytest.raises(InvitationOver):
            await join(committed, bob, first.link)

    async def test_by_email_are_limited_for_each_address(
        self, committed: Core, ada: Actor, bob: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(throttle, "EMAILS_PER_ACCOUNT", 1)
        sent = await invite(committed, await create(committed, ada), InvitationForm(email=bob.email))
        with pytest.raises(TooManyTries):
            await invite(committed, await create(committed, ada, "Port"), InvitationForm(email=bob.email))
        await join(committed, bob, sent.link)

    async def test_of_a_removed_member_stop_working(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        by_email = await invite(committed, owner, InvitationForm(email=bob.email, role=WorkspaceRole.OWNER))
        by_link = await invite(committed, owner, InvitationForm(most_uses=5))
        await join(committed, bob, by_link.link)
        await do(committed, lambda session: service.remove_member(session, owner, bob.id))
        for sent in (by_email, by_link):
            with pytest.raises(InvitationOver):
                await join(committed, bob, sent.link)

    async def test_by_link_end_when_a_member_gets_a_lower_role(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        sent = await invite(committed, owner, InvitationForm(role=WorkspaceRole.OWNER, most_uses=5))
        editor = await acting_in(committed, bob, await join(committed, bob, sent.link))
        await do(committed, lambda session: service.change_role(session, owner, bob.id, WorkspaceRole.EDITOR))
        await do(committed, lambda session: service.leave_workspace(session, editor))
        with pytest.raises(InvitationOver):
            await join(committed, bob, sent.link)

    async def test_of_another_workspace_cannot_be_withdrawn(self, committed: Core, ada: Actor, bob: Actor) -> None:
        sent = await invite(committed, await create(committed, ada), InvitationForm())
        other = await create(committed, bob, "Other")
        with pytest.raises(NotFound):
            await do(committed, lambda session: invitations.withdraw(session, other, sent.id))

    async def test_an_unconfirmed_address_cannot_join(self, committed: Core, ada: Actor, bob: Actor) -> None:
        sent = await invite(committed, await create(committed, ada), InvitationForm(email=bob.email))
        unconfirmed = bob.model_copy(update={"is_confirmed": False})
        with pytest.raises(NotAllowed):
            await join(committed, unconfirmed, sent.link)
        assert await do(committed, lambda session: invitations.list_own(session, unconfirmed)) == []


class TestNumber:
    async def test_is_limited_for_creating_and_joining(
        self, committed: Core, ada: Actor, bob: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "MOST_WORKSPACES", 2)
        created = await asyncio.gather(*(create(committed, ada, name) for name in "abc"), return_exceptions=True)
        assert sorted(type(each).__name__ for each in created) == ["Actor", "TooManyWorkspaces", "TooManyWorkspaces"]
        other = await create(committed, bob)
        sent = await invite(committed, other, InvitationForm(email=ada.email))
        with pytest.raises(TooManyWorkspaces):
            await join(committed, ada, sent.link)


class TestDeletion:
    async def test_needs_the_name_and_removes_everything_with_its_files(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)
        await runs.run_inline(committed, owner, [await add_text(committed, owner)])
        with pytest.raises(Conflict):
            await do(committed, lambda session: service.delete_workspace(session, owner, committed, name="harbor"))
        await do(committed, lambda session: service.delete_workspace(session, owner, committed, name="Harbor"))
        with pytest.raises(NotFound):
            await acting_in(committed, bob, editor.workspace_id)
        async with committed.database.transaction() as session:
            for table in ("document", "chunk", "chunk_vector", "training_run"):
                assert await session.scalar(text(f"SELECT count(*) FROM {table}")) == 0, table
            assert [job.kind for job in await session.scalars(select(Job))] == ["remove_files"]

    async def test_of_an_account_leaves_shared_workspaces_to_the_others(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        second = await member(committed, owner, bob, WorkspaceRole.OWNER)
        alone = await create(committed, ada, "Alone")
        for actor in (owner, alone, ada):
            await add_text(committed, actor)
        await do(committed, lambda session: delete_account(session, ada, committed))
        assert await titles(committed, second) == ["Boats"]
        async with committed.database.transaction() as session:
            assert await session.scalar(text("SELECT count(*) FROM document")) == 1
            left = await session.execute(text("SELECT name FROM workspace ORDER BY name"))
            assert left.scalars().all() == ["", "Harbor"]

    async def test_of_an_account_waits_for_a_workspace_that_it_is_creating(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await service.create_workspace(session, ada, committed, WorkspaceForm(name="Late"))
            leaving = asyncio.create_task(do(committed, lambda other: delete_account(other, ada, committed)))
            async with committed.database.engine.connect() as watcher:
                while not await watcher.scalar(_BLOCKED):
                    await watcher.rollback()
        await leaving
        async with committed.database.transaction() as session:
            assert await session.scalar(text("SELECT count(*) FROM workspace")) == 0
            with pytest.raises(NotFound):
                await service.create_workspace(session, ada, committed, WorkspaceForm(name="Later"))

    async def test_of_the_last_owner_is_refused(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        with pytest.raises(LastOwner, match="Harbor"):
            await do(committed, lambda session: delete_account(session, ada, committed))
        assert await do(committed, lambda session: repository.is_member(session, owner.workspace_id, ada.id))


async def delete_account(session: AsyncSession, actor: Actor, core: Core) -> None:
    account = await accounts.get_account_by_id(session, actor.id)
    present = (await sessions.start_session(session, core, account, remember=False, client=HERE)).actor
    await authentication.delete_account(session, present, core, email=actor.email, password=PASSWORD, client=HERE)


class TestTokens:
    async def test_act_in_the_workspace_they_were_created_in_or_in_a_named_one(
        self, committed: Core, ada: Actor, bob: Actor
    ) -> None:
        owner = await create(committed, ada)
        editor = await member(committed, owner, bob)

        async def token_of(actor: Actor) -> str:
            async with committed.database.transaction() as session:
                account = await accounts.get_account_by_id(session, actor.id)
                signed_in = (await sessions.start_session(session, committed, account, remember=False, client=HERE)).actor
                there = await service.actor_in(session, signed_in, actor.workspace_id)
                created = await api_tokens.create_api_token(
                    session, there, committed, name="a", scope=TokenScope.READ, lasts_days=1
                )
                return created.secret

        async def acts_in(secret: str, workspace_id: UUID | None = None) -> UUID | None:
            async with committed.database.transaction() as session:
                found = await api_tokens.authenticate_api_token(session, secret, workspace_id=workspace_id)
                return found[0].workspace_id if found else None

        secret = await token_of(editor)
        assert await acts_in(secret) == owner.workspace_id
        assert await acts_in(secret, bob.id) == bob.id
        with pytest.raises(NotFound):
            await acts_in(secret, ada.id)
        await do(committed, lambda session: service.remove_member(session, owner, bob.id))
        assert await acts_in(secret) is None


class TestRegistering:
    async def register(self, core: Core, secret: str, email: str) -> None:
        await do(
            core,
            lambda session: registration.register_by_link(
                session, core, type=invitations.LINK_TYPE, token=secret, email=email, name="Eve", password=PASSWORD,
                language="en", client=HERE,
            ),
        )  # fmt: skip

    @pytest.mark.parametrize("invited", ["eve@example.org", None])
    async def test_an_invitation_registers_whom_it_is_for_and_waits_for_the_confirmed_address(
        self, committed: Core, ada: Actor, invited: str | None
    ) -> None:
        owner = await create(committed, ada)
        sent = await do(committed, lambda session: invitations.invite(session, owner, committed, InvitationForm(email=invited)))
        secret = sent.link.rpartition("/")[2]
        await self.register(committed, secret, invited or "eve@example.org")
        account = await do(committed, lambda session: accounts.get_account(session, "eve@example.org"))
        assert account.verified_at is None
        assert await do(committed, lambda session: invitations.list_own(session, accounts.actor_of(account))) == []
        account.verified_at = now()
        (own,) = await do(committed, lambda session: invitations.list_own(session, accounts.actor_of(account)))
        assert own.workspace == "Harbor"
        await do(committed, lambda session: invitations.accept(session, accounts.actor_of(account), own.id))

    async def test_a_link_registers_no_more_accounts_than_it_has_uses(self, committed: Core, ada: Actor) -> None:
        owner = await create(committed, ada)
        sent = await do(committed, lambda session: invitations.invite(session, owner, committed, InvitationForm()))
        secret = sent.link.rpartition("/")[2]
        await self.register(committed, secret, "eve@example.org")
        with pytest.raises(registration.RegistrationClosed):
            await self.register(committed, secret, "mallory@example.org")
        assert await do(committed, lambda session: accounts.find_account(session, "mallory@example.org")) is None


class TestCommands:
    async def test_act_in_the_personal_workspace_or_in_a_named_one(self, committed: Core, ada: Actor) -> None:
        owner = await create(committed, ada)
        await do(committed, lambda session: service.use_workspace(session, ada, owner.workspace_id))
        for named, expected in ((None, ada.id), ("Harbor", owner.workspace_id), (str(owner.workspace_id), owner.workspace_id)):
            actor = await do(
                committed, lambda session, named=named: commands.actor_for_command(session, email=ada.email, workspace=named)
            )
            assert actor.workspace_id == expected
        await create(committed, ada)
        for unclear, problem in (
            ("Harbor", "several workspaces named “Harbor”"),
            ("Port", "not a member of a workspace named “Port”"),
        ):
            with pytest.raises(NotFound, match=rf"{problem}\. Choose one of these by its id: Harbor \("):
                await do(
                    committed,
                    lambda session, named=unclear: commands.actor_for_command(session, email=ada.email, workspace=named),
                )


async def test_what_is_added_to_a_workspace_that_is_being_deleted_is_answered_as_if_it_were_unknown(
    committed: Core, ada: Actor
) -> None:
    owner = await create(committed, ada)
    await do(committed, lambda session: service.delete_workspace(session, owner, committed, name="Harbor"))
    text = PastedText(title="Late", text="Late.")
    with pytest.raises(NotFound, match="The workspace was not found."):
        await do(committed, lambda session: adding.add_text(session, owner, committed, text))

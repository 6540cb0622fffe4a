"""Who is told what, and what they do with it."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import account_deletion
from fundwright.accounts.models import Account
from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.authentication import repository, throttle
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import NotFound
from fundwright.core.mail import Mail
from fundwright.core.messages import later, using_language
from fundwright.notifications import personal_data, service
from fundwright.notifications.models import Notification
from fundwright.notifications.schemas import (
    ChoiceChange,
    EmailTiming,
    NotificationKind,
    NotificationQuery,
    NotificationRead,
)
from fundwright.workspaces import events, invitations
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationForm
from tests.support.accounts import add_account
from tests.support.signing_in import HERE
from tests.workspaces.test_service import create, do, invite, member

pytestmark = pytest.mark.security(49)


RUNG = NotificationKind("bell.rung", later("Draft"), lambda told: told.subject)


async def listed(core: Core, actor: Actor, query: NotificationQuery | None = None) -> list[NotificationRead]:
    async with core.database.transaction(scope=actor.scope) as session:
        return (await service.list_notifications(session, actor, core, query or NotificationQuery())).items


async def titles(core: Core, actor: Actor) -> list[str]:
    return [each.title for each in await listed(core, actor)]


async def unread(core: Core, actor: Actor, *paths: str) -> tuple[int, int]:
    async with core.database.transaction(scope=actor.scope) as session:
        return await service.count_unread(session, actor, *paths)


async def ring(
    core: Core,
    actor: Actor | None,
    *account_ids: UUID,
    workspace_id: UUID | None = None,
    subject: str = "the bell",
    path: str = "/dashboard/train",
    event: str | None = None,
) -> None:
    async with core.database.transaction(scope=actor.scope if actor else None) as session:
        await service.notify(
            session, RUNG, account_ids, actor=actor, workspace_id=workspace_id, subject=subject, path=path, event=event
        )


async def told_by(core: Core, actor: Actor) -> int:
    """How many of its notifications the actor has caused."""
    async with core.database.reading() as session:
        return await session.scalar(select(func.count()).where(Notification.actor_id == actor.id)) or 0


@pytest.mark.security(52, 53)
class TestBudget:
    async def test_nobody_floods_others(self, committed: Core, ada: Actor, bob: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
        minute, hour = timedelta(minutes=1), timedelta(hours=1)
        monkeypatch.setattr(service, "TOLD_BY_ONE", (throttle.Budget(4, minute), throttle.Budget(10, hour)))

        async def flood(at: datetime) -> set[int | None]:
            """When the refused ones of six simultaneous attempts may be repeated, in seconds."""
            for module in (throttle, repository):
                monkeypatch.setattr(module, "now", lambda: at)
            attempts = await asyncio.gather(*(ring(committed, ada, bob.id) for _ in range(6)), return_exceptions=True)
            return {each.retry_after_s for each in attempts if isinstance(each, throttle.OverBudget)}

        began_at = now()
        assert await flood(began_at) == {60}
        assert await told_by(committed, ada) == 4
        await ring(committed, bob, ada.id)
        assert await flood(began_at + minute) == {60}
        assert await flood(began_at + 2 * minute) == {58 * 60}
        assert await told_by(committed, ada) == 10
        assert await flood(began_at + hour) == {60}
        assert await told_by(committed, ada) == 14

    async def test_an_event_tells_everyone_and_the_next_one_waits(
        self, committed: Core, ada: Actor, bob: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "TOLD_BY_ONE", (throttle.Budget(1, timedelta(minutes=2)),))
        async with committed.database.transaction() as session:
            eve = await add_account(session, "eve@example.org")
        await ring(committed, ada, bob.id, eve.id, event="once")
        await ring(committed, ada, bob.id, eve.id, event="once")  # tells nobody, so that it costs nothing
        with pytest.raises(throttle.OverBudget) as refused:
            await ring(committed, ada, bob.id)
        assert refused.value.sentence == (
            "You have notified other people too often in a short time. Nothing was saved or sent. Try again in 2 minutes."
        )
        assert await told_by(committed, ada) == 2

    async def test_members_can_always_be_removed(
        self, committed: Core, ada: Actor, bob: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        monkeypatch.setattr(service, "TOLD_BY_ONE", (throttle.Budget(0, timedelta(minutes=1)),))
        await do(committed, lambda session: workspaces.remove_member(session, owner, bob.id))
        assert (await listed(committed, bob))[0].kind == events.REMOVED.key


class TestNotify:
    async def test_tells_others_and_never_the_actor(self, committed: Core, ada: Actor, bob: Actor) -> None:
        await ring(committed, ada, ada.id, bob.id)
        assert await titles(committed, ada) == []
        assert [(each.subject, each.actor) for each in await listed(committed, bob)] == [("the bell", ada.name)]

    async def test_tells_nobody_if_the_work_is_rolled_back(self, committed: Core, ada: Actor, bob: Actor) -> None:
        async def fail(session: AsyncSession) -> None:
            await service.notify(session, RUNG, [bob.id], actor=ada, workspace_id=None, subject="", path="/")
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await do(committed, fail)
        assert await listed(committed, bob) == []

    async def test_tells_only_members_and_forgets_when_they_leave(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await ring(committed, owner, bob.id, workspace_id=owner.workspace_id)
        assert await listed(committed, bob) == []
        editor = await member(committed, owner, bob)
        await ring(committed, owner, bob.id, workspace_id=owner.workspace_id)
        assert len(await listed(committed, bob)) == 1
        await do(committed, lambda session: workspaces.leave_workspace(session, editor))
        assert await listed(committed, bob) == []

    async def test_tells_of_an_event_once(self, committed: Core, bob: Actor) -> None:
        await asyncio.gather(*(ring(committed, None, bob.id, event="evening") for _ in range(4)))
        assert (await titles(committed, bob)) == ["the bell"]
        await do(committed, lambda session: service.forget_event(session, "evening", [uuid4()]))
        assert len(await listed(committed, bob)) == 1
        await do(committed, lambda session: service.forget_event(session, "evening", [bob.id]))
        assert await listed(committed, bob) == []

    async def test_tells_nobody_who_has_turned_the_kind_off(self, committed: Core, ada: Actor, bob: Actor) -> None:
        off = ChoiceChange(is_listed=False)
        await do(committed, lambda session: service.choose(session, bob, committed, events.REMOVED.key, off))
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        await do(committed, lambda session: workspaces.remove_member(session, owner, bob.id))
        assert await listed(committed, bob) == []

    async def test_changes_the_number_on_open_pages(self, committed: Core, ada: Actor, bob: Actor) -> None:
        heard = asyncio.Event()
        with committed.live.subscribed(service.notifications_topic(bob.id), lambda _message: heard.set()):
            await ring(committed, ada, bob.id)
            await asyncio.wait_for(heard.wait(), timeout=10)


class TestReading:
    async def test_sentences_are_in_the_language_of_the_reader(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        await do(committed, lambda session: workspaces.change_role(session, owner, bob.id, WorkspaceRole.VIEWER))
        with using_language("de"):
            (told,) = await listed(committed, bob)
        assert told.title == f"{ada.name} hat Ihre Rolle in „Harbor“ geändert: Betrachter"
        assert (told.workspace, told.address) == ("Harbor", f"/dashboard/workspace?w={owner.workspace_id}")

    async def test_marks_one_or_all_and_what_is_open(self, committed: Core, ada: Actor, bob: Actor) -> None:
        for path in ("/dashboard/train", "/dashboard/train", "/dashboard/trash", "/generate/index"):
            await ring(committed, ada, bob.id, path=path)
        assert await unread(committed, bob, "/dashboard/train") == (4, 2)
        elsewhere = bob.model_copy(update={"workspace_id": uuid4()})
        assert await unread(committed, elsewhere, "/dashboard/train") == (4, 0)
        await do(committed, lambda session: service.mark_seen(session, bob, "/dashboard/train"))
        assert await unread(committed, bob) == (2, 0)
        newest = (await listed(committed, bob))[0]
        await do(committed, lambda session: service.mark_read(session, bob, newest.id))
        assert [each.id == newest.id for each in await listed(committed, bob, NotificationQuery(unread=True))] == [False]
        await do(committed, lambda session: service.mark_unread(session, bob, newest.id))
        assert await do(committed, lambda session: service.mark_all_read(session, bob, NotificationQuery(kind="other"))) == 0
        assert await do(committed, lambda session: service.mark_all_read(session, bob, NotificationQuery())) == 2

    async def test_nobody_reads_or_marks_those_of_others(self, committed: Core, ada: Actor, bob: Actor) -> None:
        await ring(committed, ada, bob.id)
        (told,) = await listed(committed, bob)
        for change in (service.mark_read, service.mark_unread):
            with pytest.raises(NotFound):
                await do(committed, lambda session, change=change: change(session, ada, told.id))
        await do(committed, lambda session: service.mark_all_read(session, ada, NotificationQuery()))
        await do(committed, lambda session: service.mark_seen(session, ada, "/dashboard/train"))
        assert (await unread(committed, ada), await unread(committed, bob)) == ((0, 0), (1, 0))
        async with committed.database.transaction() as session:
            files = [file async for file in personal_data.own_files(session, ada, committed)]
        assert not any(b"the bell" in file.content for file in files if isinstance(file.content, bytes))

    async def test_filters_by_workspace(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        await ring(committed, owner, bob.id, workspace_id=owner.workspace_id)
        await ring(committed, owner, bob.id, subject="another")
        assert await do(committed, lambda session: service.list_workspaces(session, bob)) == [
            (bob.id, "Personal"), (owner.workspace_id, "Harbor"),
        ]  # fmt: skip
        for workspace_id, subject in ((owner.workspace_id, "the bell"), (bob.id, "another")):
            found = await listed(committed, bob, NotificationQuery(workspace_id=workspace_id))
            assert [each.subject for each in found] == [subject]


class TestEnd:
    async def test_a_copy_of_ones_data_has_them(self, committed: Core, ada: Actor, bob: Actor) -> None:
        await ring(committed, ada, bob.id)
        async with committed.database.transaction() as session:
            own = personal_data.own_files(session, bob, committed)
            files = {file.name: file.content async for file in own if isinstance(file.content, bytes)}
        assert b"the bell" in files["notifications/notifications.csv"]
        assert b"workspace.invited" in files["notifications/choices.json"]

    async def test_a_deleted_account_leaves_none_and_loses_its_name(self, committed: Core, ada: Actor, bob: Actor) -> None:
        await ring(committed, ada, bob.id)
        await ring(committed, bob, ada.id)
        await do(committed, lambda session: account_deletion.delete_account(session, ada, committed, client=HERE))
        (told,) = await listed(committed, bob)
        assert told.actor == "Deleted account"
        async with committed.database.transaction() as session:
            assert await session.scalar(select(func.count()).select_from(Notification)) == 1

    async def test_old_ones_are_forgotten(self, committed: Core, ada: Actor, bob: Actor) -> None:
        await ring(committed, ada, bob.id)
        await ring(committed, ada, bob.id, subject="new")
        async with committed.database.transaction() as session:
            old = update(Notification).where(Notification.subject == "the bell")
            await session.execute(old.values(created_at=now() - timedelta(days=91)))
        await service.forget_old(committed)
        assert [each.subject for each in await listed(committed, bob)] == ["new"]


class TestWorkspaces:
    async def test_an_invitation_is_told_until_it_has_ended(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        for _ in range(2):
            sent = await invite(committed, owner, InvitationForm(email=bob.email))
        assert await titles(committed, bob) == [f"{ada.name} invited you to the workspace “Harbor”"]
        await do(committed, lambda session: invitations.withdraw(session, owner, sent.id))
        assert await titles(committed, bob) == []
        sent = await invite(committed, owner, InvitationForm(email=bob.email))
        await do(committed, lambda session: invitations.accept(session, bob, sent.id))
        assert await titles(committed, bob) == []
        assert await titles(committed, ada) == [f"{bob.name} joined the workspace “Harbor”"]

    async def test_its_email_is_not_doubled(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        wanted = ChoiceChange(is_listed=True, email=EmailTiming.SOON)
        await do(committed, lambda session: service.choose(session, bob, committed, events.INVITED.key, wanted))
        await invite(committed, owner, InvitationForm(email=bob.email))
        async with committed.database.transaction() as session:
            assert (await session.scalars(select(Notification.email))).all() == [EmailTiming.OFF]
            assert await session.scalar(select(func.count()).select_from(Mail)) == 1

    async def test_unconfirmed_addresses_are_told_nothing(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            carl = await add_account(session, "carl@example.org")
            await session.execute(update(Account).where(Account.id == carl.id).values(verified_at=None))
        await invite(committed, await create(committed, ada), InvitationForm(email=carl.email))
        assert await listed(committed, carl) == []

    async def test_a_removed_member_is_told(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        await do(committed, lambda session: workspaces.remove_member(session, owner, bob.id))
        assert await titles(committed, bob) == [f"{ada.name} removed you from the workspace “Harbor”"]

    async def test_a_deleted_workspace_invites_nobody(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await invite(committed, owner, InvitationForm(email=bob.email))
        await do(committed, lambda session: workspaces.delete_workspace(session, owner, committed, name="Harbor"))
        assert await titles(committed, bob) == []

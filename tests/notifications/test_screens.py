"""The bell, the list, and the choices."""

from __future__ import annotations

import pytest
from reactpy import component
from reactpy.types import VdomDict

from fundwright.accounts.schemas import Actor, Role
from fundwright.core.assembly import Core
from fundwright.notifications import service
from fundwright.notifications.schemas import EmailTiming, NotificationQuery
from fundwright.workspaces import events
from fundwright_ui.screens.account.account import account_screen
from fundwright_ui.screens.notifications import notifications_screen
from fundwright_ui.shell.bell import use_bell
from fundwright_ui.testing import mounted
from tests.notifications.test_service import ring
from tests.workspaces.test_service import create, do, member

PATH = "/dashboard/notifications"


@component
def bell() -> VdomDict:
    return use_bell()


class TestBell:
    async def test_counts_live_for_every_role(self, committed: Core, ada: Actor, bob: Actor) -> None:
        for role in Role:
            actor = bob.model_copy(update={"role": role})
            async with mounted(committed, actor, bell, path="/dashboard/index") as screen:
                assert screen.has("link", "Notifications")
                await ring(committed, ada, bob.id)
                await screen.expect("1")
                assert screen.has("link", "Notifications: 1 unread")
                await do(committed, lambda session: service.mark_all_read(session, bob, NotificationQuery()))
                await screen.expect(lambda screen=screen: screen.has("link", "Notifications"))

    async def test_what_leads_to_the_open_page_is_read(self, committed: Core, ada: Actor, bob: Actor) -> None:
        async with mounted(committed, bob, bell, path="/dashboard/train?document=1") as screen:
            await ring(committed, ada, bob.id, path="/dashboard/train")
            await ring(committed, ada, bob.id, path="/dashboard/train?document=1")
            await ring(committed, ada, bob.id, path="/dashboard/train?document=2")
            await screen.expect(lambda: screen.has("link", "Notifications: 1 unread"))

    async def test_what_is_opened_in_a_filtered_list_is_read(self, committed: Core, ada: Actor, bob: Actor) -> None:
        async with mounted(committed, bob, bell, path="/dashboard/tasks?status=all&open=1") as screen:
            await ring(committed, ada, bob.id, path="/dashboard/tasks?open=1")
            await ring(committed, ada, bob.id, path="/dashboard/tasks?open=2")
            await screen.expect(lambda: screen.has("link", "Notifications: 1 unread"))


class TestList:
    async def test_when_empty_it_says_what_will_be_here(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, notifications_screen, path=PATH) as screen:
            assert "No notifications yet." in screen.text
            assert screen.has("link", "Choose your notifications")

    async def test_a_failure_is_shown_with_a_way_to_try_again(
        self, committed: Core, ada: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fail(*_arguments: object) -> None:
            raise RuntimeError

        monkeypatch.setattr(service, "list_notifications", fail)
        async with mounted(committed, ada, notifications_screen, path=PATH) as screen:
            assert screen.has("button", "Try again")

    async def test_rows_are_marked_filtered_and_opened(self, committed: Core, ada: Actor, bob: Actor) -> None:
        owner = await create(committed, ada)
        await member(committed, owner, bob)
        await ring(committed, owner, bob.id, workspace_id=owner.workspace_id, path="/generate/index")
        await ring(committed, ada, bob.id, subject="second", path="/dashboard/train")
        async with mounted(committed, bob, notifications_screen, path=PATH) as screen:
            second, first = (screen.find("link", subject) for subject in ("second", "the bell"))
            assert second.props["href"] == "/dashboard/train" and "data-reload" not in second.props
            assert first.props["href"] == f"/generate/index?w={owner.workspace_id}" and first.props["data-reload"]
            await screen.click("button", "Mark as read: second")
            await screen.expect(lambda: screen.has("button", "Mark as unread: second"))
            assert await do(committed, lambda session: service.count_unread(session, bob)) == (1, 0)
            await screen.choose("Kind", events.JOINED.key)
            await screen.expect("No notifications match.")
        await do(committed, lambda session: service.mark_all_read(session, bob, NotificationQuery()))
        async with mounted(committed, bob, notifications_screen, path=f"{PATH}?unread=true") as screen:
            assert "No notifications match." in screen.text

    async def test_all_are_marked(self, committed: Core, ada: Actor, bob: Actor) -> None:
        await ring(committed, ada, bob.id)
        async with mounted(committed, bob, notifications_screen, path=PATH) as screen:
            await screen.click("button", "Mark all as read")
            assert screen.toasts == ["All notifications in this list are marked as read."]
            assert await do(committed, lambda session: service.count_unread(session, bob)) == (0, 0)


async def test_choices_apply_at_once(committed: Core, bob: Actor) -> None:
    async with mounted(committed, bob, account_screen, path="/dashboard/user/account?tab=notifications") as screen:
        assert "Has its own email" in screen.text
        field = next(each for each in screen.elements("combobox") if each.node["a"]["id"] == f"email-{events.JOINED.key}")
        await screen._send(field.node, "onChange", {"value": EmailTiming.SOON, "checked": False})
        await screen.check("Draft finished", False)
    chosen = await do(committed, lambda session: service.list_choices(session, bob, committed))
    emails = {each.kind: each.email for each in chosen.kinds}
    assert (emails[events.JOINED.key], emails[events.INVITED.key]) == (EmailTiming.SOON, None)
    assert [each.label for each in chosen.kinds if not each.is_listed] == ["Draft finished"]

"""The screen of a workspace, as members of each role use it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

import pytest
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import Actor, WorkspaceRole
from fundwright.core.assembly import Core
from fundwright.core.errors import NotFound
from fundwright.workspaces import invitations
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import (
    InvitationForm,
    InvitationQuery,
    InvitationState,
    MemberQuery,
    WorkspaceForm,
    WorkspaceRead,
)
from fundwright_ui.screens.account.account import account_screen
from fundwright_ui.screens.dashboard.dashboard import dashboard_screen
from fundwright_ui.screens.training.train import train_screen
from fundwright_ui.screens.workspaces.joining import join_screen
from fundwright_ui.screens.workspaces.workspace import PATH, workspace_screen
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.support.accounts import add_account
from tests.support.signing_in import with_settings

T = TypeVar("T")

INVITATIONS = f"{PATH}?tab=invitations"


async def do(core: Core, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
    async with core.database.transaction() as session:
        return await work(session)


@pytest.fixture
async def ada(committed: Core) -> Actor:
    return await do(committed, lambda session: add_account(session, "ada@example.org", name="Ada Byron"))


@pytest.fixture
async def bob(committed: Core) -> Actor:
    return await do(committed, lambda session: add_account(session, "bob@example.org", name="Bob Noyce"))


async def inside(core: Core, actor: Actor, workspace_id: UUID) -> Actor:
    """The actor in this workspace."""
    return await do(core, lambda session: workspaces.actor_in(session, actor, workspace_id))


@pytest.fixture
async def owner(committed: Core, ada: Actor) -> Actor:
    """Ada in a workspace that she has just created."""
    made = await do(
        committed, lambda session: workspaces.create_workspace(session, ada, committed, WorkspaceForm(name="Tideline"))
    )
    return await inside(committed, ada, made.id)


async def add_member(core: Core, owner: Actor, member: Actor, role: WorkspaceRole) -> Actor:
    form = InvitationForm(email=member.email, role=role)
    sent = await do(core, lambda session: invitations.invite(session, owner, core, form))
    await do(core, lambda session: invitations.accept(session, member, sent.id))
    return await inside(core, member, owner.workspace_id)


async def roles(core: Core, owner: Actor) -> dict[str, WorkspaceRole]:
    page = await do(core, lambda session: workspaces.list_members(session, owner, MemberQuery()))
    return {member.email: member.role for member in page.items}


async def states(core: Core, owner: Actor) -> list[InvitationState]:
    page = await do(core, lambda session: invitations.list_invitations(session, owner, InvitationQuery()))
    return [each.state for each in page.items]


async def last_used(core: Core, actor: Actor) -> WorkspaceRead:
    """The workspace in which the account's next page opens."""
    async with core.database.transaction() as session:
        now_acting = accounts.actor_of(await accounts.get_account_by_id(session, actor.id))
        return await workspaces.get_workspace(session, now_acting)


def names(screen: ScreenUnderTest) -> list[str]:
    return [row["name"] for row in screen.rows("Members")]


def loaded(screen: ScreenUnderTest) -> list[str]:
    """The paths that the browser loaded as new documents."""
    return [frame["path"] for frame in screen.frames if frame["type"] == "navigate" and frame["reload"]]


class TestPersonal:
    async def test_is_only_for_its_owner(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, workspace_screen, path=PATH) as screen:
            assert "Only you can use your personal workspace." in screen.text
            assert not screen.has("button", "Invite") and not screen.has("DataTable")
            support = screen.find("button", "Allow support access")
            assert any("fw-menu-entries" in each.get("a", {}).get("className", "") for each in support.ancestors)

    async def test_a_new_workspace_is_opened(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, workspace_screen, path=PATH) as screen:
            await screen.click("button", "New workspace")
            await screen.type("Name of the workspace", " Tideline ")
            await screen.submit("New workspace")
            assert loaded(screen) == [PATH]
        assert (await last_used(committed, ada)).name == "Tideline"


class TestMembers:
    async def test_a_failure_is_shown_with_a_way_to_try_again(
        self, committed: Core, owner: Actor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fail(*_arguments: object) -> None:
            raise RuntimeError

        monkeypatch.setattr(workspaces, "list_members", fail)
        async with mounted(committed, owner, workspace_screen, path=PATH) as screen:
            assert screen.has("button", "Try again")

    async def test_are_listed_and_found(self, committed: Core, owner: Actor, bob: Actor) -> None:
        await add_member(committed, owner, bob, WorkspaceRole.REVIEWER)
        async with mounted(committed, owner, workspace_screen, path=PATH) as screen:
            assert names(screen) == ["Ada Byron (you)", "Bob Noyce"]
            assert "Tideline · Owner" in screen.text and "2 members" in screen.text
            await screen.choose("Role", "reviewer")
            assert names(screen) == ["Bob Noyce"]
            assert screen.find("link", "Export as CSV").props["href"] == "/api/workspace/members/export.csv?role=reviewer"
        async with mounted(committed, owner, workspace_screen, path=f"{PATH}?text=nobody") as screen:
            assert "No members match." in screen.text

    @pytest.mark.parametrize("role", [WorkspaceRole.EDITOR, WorkspaceRole.REVIEWER, WorkspaceRole.VIEWER])
    async def test_others_see_the_list_without_actions(
        self, committed: Core, owner: Actor, bob: Actor, role: WorkspaceRole
    ) -> None:
        member = await add_member(committed, owner, bob, role)
        async with mounted(committed, member, workspace_screen, path=f"{PATH}?open={owner.id}") as screen:
            assert names(screen) == ["Ada Byron", "Bob Noyce (you)"]
            absent = ("Invite", "Rename workspace", "Delete workspace", "Change role", "Remove from workspace")
            assert [label for label in absent if screen.has("button", label)] == []
            assert screen.has("button", "Leave workspace")
            assert "onOpen" not in screen.find("DataTable").node.get("e", {})

    async def test_a_role_is_changed(self, committed: Core, owner: Actor, bob: Actor) -> None:
        await add_member(committed, owner, bob, WorkspaceRole.VIEWER)
        async with mounted(committed, owner, workspace_screen, path=PATH) as screen:
            await screen.emit("DataTable", "on_open", id=str(bob.id))
            assert screen.value("Role in this workspace") == "viewer"
            await screen.choose("Role in this workspace", "owner")
            await screen.submit("Change role")
            assert screen.toasts == ["The role was changed."]
            await screen.expect(lambda: [row["role"] for row in screen.rows("Members")] == ["Owner", "Owner"])
        assert (await roles(committed, owner))[bob.email] is WorkspaceRole.OWNER

    async def test_the_last_owner_learns_at_the_form_what_to_do_first(self, committed: Core, owner: Actor) -> None:
        async with mounted(committed, owner, workspace_screen, path=f"{PATH}?open={owner.id}") as screen:
            assert not screen.has("button", "Remove from workspace")
            await screen.choose("Role in this workspace", "viewer")
            await screen.submit("Change role")
            assert (
                "You are the only owner of “Tideline”. Make another member an owner first."
                in screen.find("form", "Change role").text
            )

    async def test_removing_asks_first(self, committed: Core, owner: Actor, bob: Actor) -> None:
        await add_member(committed, owner, bob, WorkspaceRole.EDITOR)
        async with mounted(committed, owner, workspace_screen, path=f"{PATH}?open={bob.id}") as screen:
            await screen.click("button", "Remove from workspace")
            assert "What they created stays." in screen.props("ConfirmDialog")["text"]
            await screen.emit("ConfirmDialog", "on_confirm")
            assert screen.toasts == ["Bob Noyce was removed."]
        assert list(await roles(committed, owner)) == ["ada@example.org"]

    async def test_an_owner_hands_over_after_a_question(self, committed: Core, owner: Actor, bob: Actor) -> None:
        await add_member(committed, owner, bob, WorkspaceRole.EDITOR)
        async with mounted(committed, owner, workspace_screen, path=f"{PATH}?open={bob.id}") as screen:
            await screen.click("button", "Make owner and step down")
            assert "You become an editor" in screen.props("ConfirmDialog")["text"]
            await screen.emit("ConfirmDialog", "on_confirm")
            assert screen.toasts == ["Bob Noyce is an owner now."]
        assert await roles(committed, owner) == {"ada@example.org": "editor", "bob@example.org": "owner"}

    async def test_a_new_member_and_a_new_name_appear(self, committed: Core, owner: Actor, bob: Actor) -> None:
        async with mounted(committed, owner, workspace_screen, path=PATH) as screen:
            await screen.click("button", "Rename workspace")
            await screen.type("Name of the workspace", "Tideline Research")
            await screen.submit("Rename workspace")
            await screen.expect("Tideline Research · Owner")
            await add_member(committed, owner, bob, WorkspaceRole.EDITOR)
            await screen.expect("1 more entry in this list")


class TestLeaving:
    async def test_the_last_owner_cannot(self, committed: Core, owner: Actor) -> None:
        async with mounted(committed, owner, workspace_screen, path=PATH) as screen:
            await screen.click("button", "Leave workspace")
            await screen.emit("ConfirmDialog", "on_confirm")
            assert "You are the only owner of “Tideline”." in screen.props("ConfirmDialog")["error"]

    async def test_others_go_to_their_personal_workspace(self, committed: Core, owner: Actor, bob: Actor) -> None:
        member = await add_member(committed, owner, bob, WorkspaceRole.VIEWER)
        async with mounted(committed, member, workspace_screen, path=PATH) as screen:
            await screen.click("button", "Leave workspace")
            await screen.emit("ConfirmDialog", "on_confirm")
            assert loaded(screen) == [PATH]
        assert (await last_used(committed, bob)).id == bob.id
        assert list(await roles(committed, owner)) == ["ada@example.org"]

    async def test_deleting_needs_the_name(self, committed: Core, owner: Actor, ada: Actor) -> None:
        async with mounted(committed, owner, workspace_screen, path=PATH) as screen:
            await screen.click("button", "Delete workspace")
            await screen.type("Name of the workspace", "tideline")
            await screen.submit("Delete “Tideline”?")
            assert "Type the name of the workspace exactly as it is shown." in screen.text
            await screen.type("Name of the workspace", "Tideline")
            await screen.submit("Delete “Tideline”?")
            assert loaded(screen) == [PATH]
        assert [each.name for each in await do(committed, lambda session: workspaces.list_workspaces(session, ada))] == [""]


class TestInvitations:
    async def test_without_an_email_the_link_is_for_several_people_and_shown_once(self, committed: Core, owner: Actor) -> None:
        async with mounted(committed, owner, workspace_screen, path=INVITATIONS) as screen:
            assert "No invitations yet." in screen.text
            await screen.click("button", "Invite")
            assert "People without an account need an invitation from an administrator first." in screen.text
            await screen.type("People who can use the link", "3")
            await screen.submit("Invite to this workspace")
            assert "/workspaces/join/" in screen.props("CopyButton")["text"]
            assert [row["email"] for row in screen.rows("Invitations")] == ["Anyone with the link"]
        async with mounted(committed, owner, workspace_screen, path=INVITATIONS) as screen:
            assert "/workspaces/join/" not in screen.text

    async def test_a_server_that_sends_email_shows_no_link(self, committed: Core, owner: Actor) -> None:
        core = with_settings(committed, smtp_host="mail.example.org", open_registration=True)
        async with mounted(core, owner, workspace_screen, path=f"{PATH}?open=invite") as screen:
            assert "need an invitation from an administrator" not in screen.text
            await screen.type("Email", "carol@example.org")
            await screen.submit("Invite to this workspace")
            assert screen.toasts == ["The invitation was created."] and not screen.has("CopyButton")

    async def test_a_wrong_address_is_refused_at_the_form(self, committed: Core, owner: Actor) -> None:
        async with mounted(committed, owner, workspace_screen, path=f"{PATH}?open=invite") as screen:
            await screen.type("Email", owner.email)
            await screen.submit("Invite to this workspace")
            assert "is already a member of this workspace." in screen.find("form", "Invite to this workspace").text

    async def test_are_withdrawn_and_filtered(self, committed: Core, owner: Actor) -> None:
        for name in ("carol", "dan"):
            form = InvitationForm(email=f"{name}@example.org")
            await do(committed, lambda session, form=form: invitations.invite(session, owner, committed, form))
        async with mounted(committed, owner, workspace_screen, path=f"{INVITATIONS}&text=carol") as screen:
            (invitation,) = screen.rows("Invitations")
            await screen.emit("DataTable", "on_open", id=invitation["id"])
            await screen.click("button", "Withdraw")
            await screen.emit("ConfirmDialog", "on_confirm")
            assert screen.toasts == ["The invitation was withdrawn."]
        async with mounted(committed, owner, workspace_screen, path=f"{INVITATIONS}&state=pending") as screen:
            assert [row["email"] for row in screen.rows("Invitations")] == ["dan@example.org"]
        assert sorted(await states(committed, owner)) == [InvitationState.ENDED, InvitationState.PENDING]


class TestJoining:
    async def test_says_where_and_as_what_before_it_is_accepted(self, committed: Core, owner: Actor, bob: Actor) -> None:
        form = InvitationForm(email=bob.email, role=WorkspaceRole.REVIEWER)
        sent = await do(committed, lambda session: invitations.invite(session, owner, committed, form))
        secret = sent.link.rpartition("/")[2]
        where = {"path": f"/workspaces/join/{secret}", "params": {"secret": secret}}
        async with mounted(committed, bob, join_screen, **where) as screen:
            assert all(part in screen.text for part in ("Tideline", "Ada Byron", "Reviewer"))
            await screen.click("button", "Join workspace")
            assert loaded(screen) == ["/dashboard/train"]
        assert (await last_used(committed, bob)).name == "Tideline"
        async with mounted(
            committed, bob, join_screen, **where
        ) as screen:  # whoever opens the link again is led to the workspace
            assert "You are already a member of this workspace." in screen.text and not screen.has("button", "Decline")
            await screen.click("button", "Open workspace")
            assert loaded(screen) == ["/dashboard/train"]
        with pytest.raises(NotFound):  # only a pending invitation can be declined
            await do(committed, lambda session: invitations.decline(session, bob, sent.id))

    @pytest.mark.parametrize("secret", ["nonsense", "of another address"])
    async def test_otherwise_it_says_what_to_do(self, committed: Core, owner: Actor, bob: Actor, secret: str) -> None:
        form = InvitationForm(email="carol@example.org")
        sent = await do(committed, lambda session: invitations.invite(session, owner, committed, form))
        secret = "nonsense" if secret == "nonsense" else sent.link.rpartition("/")[2]
        async with mounted(committed, bob, join_screen, path=f"/workspaces/join/{secret}", params={"secret": secret}) as screen:
            assert "ask for a new one." in screen.text and screen.has("link", "Go to home")
            assert "Tideline" not in screen.text

    @pytest.mark.parametrize(
        ("shown", "path"),
        [(dashboard_screen, "/dashboard/index"), (train_screen, "/dashboard/train")],
        ids=["dashboard", "train"],
    )
    async def test_invitations_of_the_own_address_are_on_the_first_screen_of_each_role(
        self, committed: Core, owner: Actor, bob: Actor, shown: Callable[[], VdomDict], path: str
    ) -> None:
        async with mounted(committed, bob, shown, path=path) as screen:
            assert "Tideline" not in screen.text
            form = InvitationForm(email=bob.email)
            await do(committed, lambda session: invitations.invite(session, owner, committed, form))
            await screen.expect("Invitation to the workspace “Tideline”")
            await screen.click("button", "Decline “Tideline”")
            await screen.expect(lambda: "Tideline" not in screen.text)
            sent = await do(committed, lambda session: invitations.invite(session, owner, committed, form))
            await screen.expect("Invitation to the workspace “Tideline”")
            await do(committed, lambda session: invitations.withdraw(session, owner, sent.id))
            await screen.expect(lambda: "Tideline" not in screen.text)
            await do(committed, lambda session: invitations.invite(session, owner, committed, form))
            await screen.expect("Invitation to the workspace “Tideline”")
            await screen.click("button", "Join “Tideline”")
            assert loaded(screen) == ["/dashboard/train"]
        assert bob.email in await roles(committed, owner)


class TestDeletingTheAccount:
    async def test_says_what_happens_to_each_workspace(self, committed: Core, owner: Actor, ada: Actor, bob: Actor) -> None:
        path = "/dashboard/user/account"
        async with mounted(committed, ada, account_screen, path=f"{path}?tab=data") as screen:
            assert "“Tideline” will be deleted, too" in screen.text
        member = await add_member(committed, owner, bob, WorkspaceRole.EDITOR)
        async with mounted(committed, ada, account_screen, path=f"{path}?tab=data") as screen:
            assert "You are the only owner of “Tideline”. Make another member an owner first." in screen.text
        async with mounted(committed, member, account_screen, path=f"{path}?tab=data") as screen:
            assert "You will leave the workspace “Tideline”. What you created stays there." in screen.text

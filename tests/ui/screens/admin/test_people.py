"""The people page: accounts, and the invitations that were sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, text, update

from fundwright.access import account_changes, invitations
from fundwright.access.models import Invitation
from fundwright.access.schemas import InvitationQuery, InvitationState
from fundwright.accounts import audit
from fundwright.accounts.schemas import Actor, AuditQuery, Client, Role
from fundwright.authentication import service as authentication
from fundwright.core import tokens
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotAllowed, NotFound
from fundwright_ui.screens.admin.people import people_screen
from fundwright_ui.screens.admin.person import person_screen
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.support.accounts import add_account
from tests.support.polling import eventually
from tests.support.signing_in import PASSWORD, with_settings

PATH = "/dashboard/users"
INVITATIONS = f"{PATH}?tab=invitations"
HERE = Client(address="192.0.2.7")

_BLOCKED = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


@pytest.fixture
async def root(committed: Core) -> Actor:
    async with committed.database.transaction() as session:
        return await add_account(session, "root@example.org", role=Role.ADMIN)


async def invite(core: Core, root: Actor, *names: str, role: Role = Role.USER) -> None:
    for name in names:
        async with core.database.transaction() as session:
            await invitations.invite(session, root, core, email=f"{name}@example.org", role=role, client=HERE)


async def change(core: Core, name: str, **values: Any) -> None:
    async with core.database.transaction() as session:
        await session.execute(update(Invitation).where(Invitation.email == f"{name}@example.org").values(**values))


async def disabled(core: Core, sender: Actor) -> None:
    async with core.database.transaction() as session:
        await account_changes.disable_account(session, core, email=sender.email)


async def demoted(core: Core, sender: Actor) -> None:
    async with core.database.transaction() as session:
        await account_changes.change_role(session, core, email=sender.email, role=Role.USER)


async def deleted(core: Core, sender: Actor) -> None:
    async with core.database.transaction() as session:
        await authentication.delete_account(session, sender, core, email=sender.email, password=PASSWORD, client=HERE)


def cells(screen: ScreenUnderTest, field: str) -> list[Any]:
    return [row[field] for row in screen.rows()]


def states(screen: ScreenUnderTest) -> list[str]:
    return [state[0]["label"] for state in cells(screen, "state")]


async def press(screen: ScreenUnderTest, place: int) -> None:
    await screen.emit("DataTable", "on_open", id=screen.rows()[place]["id"])


async def opens_registration(core: Core, link: str, name: str) -> None:
    """The link is that of the invitation that works."""
    secret = link.rpartition("/")[2]
    async with core.database.transaction() as session:
        found = await session.scalar(select(Invitation.email).where(Invitation.digest == tokens.digest(secret)))
    assert found == f"{name}@example.org"


async def actions(core: Core, reader: Actor) -> list[str]:
    async with core.database.transaction() as session:
        return [entry.action for entry in (await audit.list_audit(session, reader, AuditQuery())).items]


class TestPending:
    async def test_are_above_the_accounts_until_they_are_withdrawn(self, committed: Core, root: Actor) -> None:
        async with mounted(committed, root, people_screen, path=PATH) as screen:
            assert not screen.has("list", "Pending invitations")
        await invite(committed, root, "ada", "bob", "expired")
        await change(committed, "expired", expires_at=now() - timedelta(days=1))
        async with mounted(committed, root, people_screen, path=PATH) as screen:
            listed = screen.find("list", "Pending invitations").text
            assert "bob@example.org" in listed and "ada@example.org" in listed and "expired@example.org" not in listed
            await screen.click("button", "Withdraw the invitation to ada@example.org")
            await screen.emit("ConfirmDialog", "on_confirm")
            await screen.expect("Withdrawn")
            assert screen.toasts == ["The invitation was withdrawn."]

    async def test_a_new_link_replaces_the_old_one_and_is_audited(self, committed: Core, root: Actor) -> None:
        async with committed.database.transaction() as session:
            first = await invitations.invite(session, root, committed, email="ada@example.org", role=Role.USER, client=HERE)
        assert first.link is not None  # no email is sent here
        async with mounted(committed, root, people_screen, path=PATH) as screen:
            assert not screen.has("button", "Resend the invitation to ada@example.org")
            await screen.click("button", "New link for ada@example.org")
            link = screen.props("CopyButton")["text"]
            assert link.startswith(f"{committed.settings.address}/auth/register/team/") and link != first.link
        await opens_registration(committed, link, "ada")
        with pytest.raises(AssertionError):
            await opens_registration(committed, first.link, "ada")
        assert (await actions(committed, root))[0] == "invitation.link_created"

    async def test_only_the_link_that_works_is_shown(self, committed: Core, root: Actor) -> None:
        async with mounted(committed, root, people_screen, path=f"{PATH}?open=invite") as screen:
            await screen.type("Email", "ada@example.org")
            await screen.submit("Invite a person")
            await screen.expect(lambda: screen.has("button", "New link for ada@example.org"))
            first = screen.props("CopyButton")["text"]
            await screen.click("button", "New link for ada@example.org")
            await screen.expect(lambda: screen.text.count("/auth/register/team/") == 1)
            link = screen.props("CopyButton")["text"]
            assert link != first
        await opens_registration(committed, link, "ada")

    @pytest.mark.parametrize(
        ("address", "is_local"),
        [(None, True), ("http://localhost:8000", True), ("http://[::1]:8000", True), ("https://funding.example.org", False)],
    )
    async def test_a_link_that_works_on_this_computer_only_says_so(
        self, committed: Core, root: Actor, address: str | None, is_local: bool
    ) -> None:
        await invite(committed, root, "ada")
        async with mounted(with_settings(committed, public_url=address), root, people_screen, path=PATH) as screen:
            await screen.click("button", "New link for ada@example.org")
            assert ("works on this computer only" in screen.text) == is_local
            assert ("FUNDWRIGHT_PUBLIC_URL" in screen.text) == is_local

    async def test_resending_keeps_the_link_in_the_email(self, committed: Core, root: Actor) -> None:
        core = with_settings(committed, smtp_host="mail.example.org")
        await invite(core, root, "ada")
        async with mounted(core, root, people_screen, path=PATH) as screen:
            await screen.click("button", "Resend the invitation to ada@example.org")
            assert screen.toasts == ["The invitation was sent again."]
            assert "/auth/register/" not in screen.text
        assert (await actions(committed, root))[0] == "invitation.sent"

    async def test_is_not_in_the_list(self, committed: Core, root: Actor) -> None:
        await invite(committed, root, "ada")
        async with committed.database.transaction() as session:
            (listed,) = (await invitations.list_invitations(session, root, InvitationQuery())).items
        assert "link" not in listed.model_dump()

    @pytest.mark.parametrize("end", ["used_at", "revoked_at"])
    async def test_one_that_has_ended_gets_no_new_link(self, committed: Core, root: Actor, end: str) -> None:
        await invite(committed, root, "ada")
        await change(committed, "ada", **{end: now()})
        async with committed.database.transaction() as session:
            (listed,) = (await invitations.list_invitations(session, root, InvitationQuery())).items
            with pytest.raises(Conflict):
                await invitations.renew_invitation(session, root, committed, listed.id, by_email=False, client=HERE)


class TestInvitations:
    async def test_it_is_a_tab(self, committed: Core, root: Actor) -> None:
        async with mounted(committed, root, people_screen, path=PATH) as screen:
            assert cells(screen, "email")[0]["label"] == root.email
            await screen.click("link", "Invitations")
            await screen.expect("No invitations yet. Choose Invite to send one.")
            assert screen.address == INVITATIONS

    async def test_one_that_is_sent_appears(self, committed: Core, root: Actor) -> None:
        await invite(committed, root, "ada")
        async with mounted(committed, root, people_screen, path=INVITATIONS) as screen:
            await screen.click("button", "Invite")
            assert screen.find("region", "Invite a person").props["data-panel"] is True  # the browser focuses its first field
            ids = [each.props["id"] for each in screen.elements("combobox")]
            assert len(ids) == len(set(ids))  # each label names its own field
            await screen.type("Email", "grace@example.org")
            assert "This server does not send email." in screen.text
            await screen.click("button", "Create invitation")
            await screen.expect(lambda: len(cells(screen, "email")) == 2)
            await opens_registration(committed, screen.props("CopyButton")["text"], "grace")
            assert cells(screen, "email") == ["grace@example.org", "ada@example.org"]
            assert cells(screen, "invited_by") == [root.email, root.email]
            assert screen.address == INVITATIONS

    async def test_it_says_what_has_become_of_each(self, committed: Core, root: Actor) -> None:
        await invite(committed, root, "accepted", "expired", "pending", "withdrawn")
        await change(committed, "accepted", used_at=now())
        await change(committed, "expired", expires_at=now() - timedelta(days=1))
        await change(committed, "withdrawn", revoked_at=now())
        async with mounted(committed, root, people_screen, path=f"{INVITATIONS}&sort=email") as screen:
            assert states(screen) == ["Accepted", "Expired", "Pending", "Withdrawn"]
            for place, state in enumerate(InvitationState):
                await screen.go(f"{INVITATIONS}&state={state}")
                await screen.expect("1 invitation")
                assert cells(screen, "email") == [f"{state}@example.org"], place

    async def test_pages_order_and_export_are_those_of_the_whole_list(self, committed: Core, root: Actor) -> None:
        await invite(committed, root, "ada", "bob", "cy")
        asked = f"{INVITATIONS}&sort=-email&page=2&page_size=2&text=example"
        async with mounted(committed, root, people_screen, path=asked) as screen:
            assert cells(screen, "email") == ["ada@example.org"]
            assert screen.props("DataTable")["total"] == 3
            export = screen.find("link", "Export as CSV").props["href"]
            assert export == "/api/invitations/export.csv?text=example&sort=-email"

    async def test_one_is_withdrawn_after_a_question(self, committed: Core, root: Actor) -> None:
        await invite(committed, root, "ada", "bob")
        async with mounted(committed, root, people_screen, path=f"{INVITATIONS}&sort=email") as screen:
            await press(screen, 0)
            await screen.click("button", "Withdraw the invitation to ada@example.org")
            assert screen.props("ConfirmDialog")["title"] == "Withdraw the invitation to ada@example.org?"
            await screen.emit("ConfirmDialog", "on_confirm")
            assert screen.toasts == ["The invitation was withdrawn."]
            await screen.expect(lambda: states(screen) == ["Withdrawn", "Pending"])
        async with committed.database.transaction() as session:
            listed = await invitations.list_invitations(session, root, InvitationQuery(sort="email"))
        assert [each.state for each in listed.items] == [InvitationState.WITHDRAWN, InvitationState.PENDING]

    async def test_of_several_that_are_sent_to_an_address_at_once_one_link_works(self, committed: Core, root: Actor) -> None:
        await asyncio.gather(*(invite(committed, root, "ada") for _ in range(6)))
        async with committed.database.transaction() as session:
            listed = await invitations.list_invitations(session, root, InvitationQuery())
        assert sorted(each.state for each in listed.items) == [InvitationState.PENDING, *[InvitationState.WITHDRAWN] * 5]

    @pytest.mark.parametrize("end", [disabled, demoted, deleted])
    async def test_one_is_withdrawn_when_its_sender_loses_the_right(
        self, committed: Core, root: Actor, end: Callable[[Core, Actor], Awaitable[None]]
    ) -> None:
        async with committed.database.transaction() as session:
            sender = await add_account(session, "sender@example.org", name="Sender", role=Role.ADMIN, password=PASSWORD)
        await invite(committed, root, "bob")
        await invite(committed, sender, "ada", "accepted")
        await change(committed, "accepted", used_at=now())
        await end(committed, sender)
        async with committed.database.transaction() as session:
            listed = await invitations.list_invitations(session, root, InvitationQuery(sort="email"))
        assert [each.state for each in listed.items] == [
            InvitationState.ACCEPTED,
            InvitationState.WITHDRAWN,
            InvitationState.PENDING,
        ]

    @pytest.mark.parametrize("end", [disabled, demoted])
    async def test_one_that_is_sent_while_its_sender_loses_the_right_stops_working(
        self, committed: Core, root: Actor, end: Callable[[Core, Actor], Awaitable[None]]
    ) -> None:
        async def has_come() -> bool:
            async with committed.database.transaction() as session:
                return ending.done() or bool(await session.scalar(_BLOCKED))

        async with committed.database.transaction() as session:
            await invitations.invite(session, root, committed, email="ada@example.org", role=Role.ADMIN, client=HERE)
            ending = asyncio.create_task(end(committed, root))
            await eventually(has_come)
        await ending
        async with committed.database.transaction() as session:
            (invitation,) = (await invitations.list_invitations(session, root, InvitationQuery())).items
        assert invitation.state is InvitationState.WITHDRAWN

    @pytest.mark.parametrize("end", [disabled, demoted])
    async def test_none_is_sent_by_someone_who_has_just_lost_the_right(
        self, committed: Core, root: Actor, end: Callable[[Core, Actor], Awaitable[None]]
    ) -> None:
        await end(committed, root)
        with pytest.raises(NotAllowed):
            await invite(committed, root, "ada")
        async with committed.database.transaction() as session:
            assert (await invitations.list_invitations(session, root, InvitationQuery())).items == []

    async def test_one_that_was_accepted_meanwhile_stays_accepted(self, committed: Core, root: Actor) -> None:
        await invite(committed, root, "ada")
        async with mounted(committed, root, people_screen, path=INVITATIONS) as screen:
            await press(screen, 0)
            await screen.click("button", "Withdraw the invitation to ada@example.org")
            await change(committed, "ada", used_at=now())
            await screen.emit("ConfirmDialog", "on_confirm")
            assert "ada@example.org has already accepted the invitation." in screen.props("ConfirmDialog")["error"]
        async with committed.database.transaction() as session:
            (invitation,) = (await invitations.list_invitations(session, root, InvitationQuery())).items
        assert (invitation.state, invitation.revoked_at) == (InvitationState.ACCEPTED, None)

    async def test_one_that_is_not_there_is_not_found(self, committed: Core, root: Actor) -> None:
        async with committed.database.transaction() as session:
            with pytest.raises(NotFound):
                await invitations.withdraw_invitation(session, root, root.id, client=HERE)


class TestWithoutMail:
    async def test_a_reset_of_a_password_says_where_its_link_is(self, committed: Core, root: Actor) -> None:
        async with committed.database.transaction() as session:
            ada = await add_account(session, "ada@example.org")
        async with mounted(committed, root, person_screen, params={"id": str(ada.id)}) as screen:
            assert "This server does not send email. Run fundwright mail on the server" in screen.text
            await screen.click("button", "Reset password")
            await screen.expect(lambda: screen.toasts)
            assert screen.toasts == ["The password reset link is ready. Run `fundwright mail` on the server to get it."]

    async def test_with_a_mail_server_the_invitation_is_on_its_way(self, committed: Core, root: Actor) -> None:
        core = with_settings(committed, smtp_host="mail.example.org")
        async with mounted(core, root, people_screen, path=f"{INVITATIONS}&open=invite") as screen:
            assert "This server does not send email." not in screen.text
            await screen.type("Email", "grace@example.org")
            await screen.click("button", "Send invitation")
            await screen.expect(lambda: screen.toasts)
            assert screen.toasts == ["The invitation was sent."]
            assert "/auth/register/" not in screen.text

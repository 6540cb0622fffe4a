"""Screens behind one-time links, registration, and error pages."""

from __future__ import annotations

import re

import pytest

from fundwright.access import first_admin, invitations
from fundwright.access.schemas import InvitationQuery
from fundwright.accounts import audit
from fundwright.accounts.schemas import Actor, AuditQuery, Client, Role
from fundwright.authentication import api_tokens, passkeys, recovery, second_factor
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import RecoveryCodes, SignedIn, TokenScope
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict
from fundwright.core.mail import MailMessage
from fundwright.core.paging import PageRequest
from tests.authentication.authenticator import Device, code_at
from tests.support.accounts import add_account
from tests.support.signing_in import with_settings
from tests.ui.conftest import PASSWORD, Open, Page, text_of

HERE = Client(address="192.0.2.7")
NEW = "another fine sentence"
GRACE = {"first_name": "Grace", "last_name": "Hopper", "email": "grace@example.org", "password": PASSWORD, "terms": "on"}


async def sent_messages(core: Core) -> list[MailMessage]:
    async with core.database.transaction() as session:
        return (await mail.list_messages(session, PageRequest())).items


async def _redeem(core: Core, code: str) -> SignedIn:
    async with core.database.transaction() as session:
        return await authentication.redeem_handover(session, core, code, client=HERE)


class TestFirstAdminScreen:
    async def _link(self, core: Core) -> str:
        async with core.database.transaction() as session:
            return str(await first_admin.first_admin_link(session))

    @pytest.mark.security(9)
    async def test_creates_the_administrator_and_signs_in(self, open_page: Open, committed: Core) -> None:
        link = await self._link(committed)
        async with open_page(link) as page:
            await page.submit(name="Root", email="root@example.org", password=PASSWORD)
            (frame,) = page.frames("handover")
        assert (await _redeem(committed, frame["code"])).actor.role is Role.ADMIN
        async with open_page(link) as page:
            assert "no longer works" in page.text
            assert page.all("form") == []

    @pytest.mark.security(12)
    async def test_says_what_is_wrong_and_keeps_the_link(self, open_page: Open, committed: Core) -> None:
        async with open_page(await self._link(committed)) as page:
            await page.submit(name="", email="root", password="short")
            for error in ("Name is required", "Email must be a valid email address", "Use at least 8 characters"):
                assert error in page.text
            await page.submit(name="Root", email="root@example.org", password="password")
            assert "easy to guess" in text_of(page.one("div", role="alert"))
            await page.submit(name="Root", email="root@example.org", password=PASSWORD)
            assert len(page.frames("handover")) == 1

    async def test_a_guess_opens_no_form(self, open_page: Open) -> None:
        async with open_page("/auth/first-admin/guess") as page:
            assert page.all("form") == []


@pytest.mark.usefixtures("ada")
class TestResetScreens:
    async def test_says_whom_to_ask_where_no_mail_is_sent(self, open_page: Open, committed: Core) -> None:
        async with open_page("/auth/reset-password") as page:
            assert "fundwright user reset" in page.text
        async with open_page("/auth/reset-password", core=with_settings(committed, smtp_host="mail.example.org")) as page:
            assert "fundwright user reset" not in page.text

    @pytest.mark.security(7)
    @pytest.mark.parametrize("email", ["ada@example.org", "nobody@example.org"])
    async def test_answers_the_same_whether_there_is_an_account_or_not(self, open_page: Open, email: str) -> None:
        async with open_page("/auth/reset-password") as page:
            await page.submit(email="ada")
            assert "Email must be a valid email address" in page.text
            await page.submit(email=f" {email}")
            assert f"If there is an account for {email}, we sent a link to that address." in page.text

    @pytest.mark.security(16)
    async def test_sets_the_password_once(self, open_page: Open, committed: Core) -> None:
        async with committed.database.transaction() as session:
            link = await recovery.reset_link(session, email="ada@example.org")
        async with open_page(link) as page:
            await page.submit(password="")
            assert "Password is required" in page.text
            await page.submit(password=NEW)
            assert text_of(page.one("h1")) == "Password changed"
        async with open_page(link) as page:
            assert "no longer works" in page.text
        async with committed.database.transaction() as session:
            result = await authentication.sign_in(
                session, committed, email="ada@example.org", password=NEW, remember=True, client=HERE
            )
        assert isinstance(result, SignedIn)

    @pytest.mark.security(19)
    @pytest.mark.parametrize("keeps", [True, False])
    async def test_ends_everything_unless_the_box_is_cleared(
        self, open_page: Open, committed: Core, ada: Actor, keeps: bool
    ) -> None:
        async with committed.database.transaction() as session:
            token = await api_tokens.create_api_token(
                session, ada, committed, name="nightly", scope=TokenScope.READ, lasts_days=1
            )
            await authentication.sign_in(session, committed, email=ada.email, password=PASSWORD, remember=True, client=HERE)
            link = await recovery.reset_link(session, email="ada@example.org")
        async with open_page(link) as page:
            assert page.one("input", name="end")["a"]["defaultChecked"] is True
            assert page.all("fieldset") == []
            await page.submit(password=NEW, **({} if keeps else {"end": "on"}))
            assert ("You have been signed out everywhere." in page.text) is not keeps
        async with committed.database.transaction() as session:
            assert (await api_tokens.authenticate_api_token(session, token.secret) is None) is not keeps

    @pytest.mark.security(26)
    async def test_removes_passkeys_and_the_app_with_a_code(self, open_page: Open, committed: Core, ada: Actor) -> None:
        core = with_settings(committed, public_url="http://localhost:8000")
        async with committed.database.transaction() as session:
            for name in ("Telephone", "Key"):
                options = await passkeys.start_adding(session, ada, core)
                await passkeys.add(session, ada, core, name=name, credential=Device().create(options), client=HERE)
            begun = await second_factor.start(session, ada, core)
            made = await second_factor.confirm(session, ada, core, code=code_at(begun.secret, now()), client=HERE)
            assert isinstance(made, RecoveryCodes)
            link = await recovery.reset_link(session, email=ada.email)
        async with open_page(link, core=core) as page:
            key = _box(page, "Key")
            await page.submit(password=NEW, end="on", authenticator="on", **{key: "on"})
            assert "Enter a code from your authenticator app" in text_of(page.one("div", role="alert"))
            await page.submit(password=NEW, end="on", authenticator="on", code="000000", **{key: "on"})
            assert "That code is wrong" in text_of(page.one("div", role="alert"))
            await page.submit(password=NEW, end="on", authenticator="on", code=made.codes[0], **{key: "on"})
            assert text_of(page.one("h1")) == "Password changed"
        async with committed.database.transaction() as session:
            assert [each.name for each in await passkeys.list_passkeys(session, ada)] == ["Telephone"]
            assert not (await second_factor.read(session, ada)).is_on

    @pytest.mark.security(2)
    async def test_lets_the_owner_sign_in_on_the_same_page_whatever_strangers_enter(
        self, open_page: Open, committed: Core, ada: Actor
    ) -> None:
        async with committed.database.transaction() as session:
            link = await recovery.reset_link(session, email=ada.email)
        async with open_page(link) as page:
            await page.submit(password=NEW, end="on")
            for _ in range(4):
                async with committed.database.transaction() as session:
                    await authentication.sign_in(
                        session, committed, email=ada.email, password="wrong", remember=True, client=HERE
                    )
            await page.follow("/auth/login")
            await page.submit(email=ada.email, password=NEW, remember="on")
            assert len(page.frames("handover")) == 1


def _box(page: Page, passkey: str) -> str:
    """The name of the checkbox that removes this passkey."""
    (label,) = [label for label in page.all("label") if f"Remove passkey {passkey}" in text_of(label)]
    (box,) = [each for each in label["c"] if each["t"] == "input"]
    return box["a"]["name"]


class TestRegisterScreen:
    @pytest.mark.usefixtures("ada")
    async def test_says_whom_to_ask_where_registration_is_closed(self, open_page: Open) -> None:
        async with open_page("/auth/register/standard/open") as page:
            assert "by invitation" in page.text and "Ask an administrator of this server" in page.text
            assert "fundwright user" not in page.text, "a visitor cannot run commands on the server"
            assert page.all("form") == []

    @pytest.mark.usefixtures("ada")
    async def test_names_the_contact_where_registration_is_closed(self, open_page: Open, committed: Core) -> None:
        core = with_settings(committed, contact_email="grants@example.org")
        async with open_page("/auth/register/standard/open", core=core) as page:
            (request,) = [link for link in page.all("a") if text_of(link) == "Request an invitation"]
            assert request["a"]["href"] == "mailto:grants@example.org"

    async def test_creates_a_user_where_it_is_open(self, open_page: Open, committed: Core) -> None:
        core = with_settings(committed, open_registration=True)
        async with open_page("/auth/register/standard/open", core=core) as page:
            await page.submit(first_name="Grace", last_name="Hopper", email="grace@example.org", password=PASSWORD)
            assert "Agree to the terms to continue." in page.text
            await page.submit(**GRACE)
            (moved,) = page.frames("navigate")
        assert moved["path"] == "/auth/verify/grace%40example.org"
        (message,) = await sent_messages(core)
        link = re.search(r"http://127\.0\.0\.1:8000(/auth/verify/grace%40example\.org\?link=\S+)", message.text)
        assert link
        async with open_page(link[1], core=core) as page:
            await page.submit(password="a stranger's choice")
            assert "That isn't the password" in text_of(page.one("div", role="alert"))
            await page.submit(password=PASSWORD)
            (frame,) = page.frames("handover")
        actor = (await _redeem(committed, frame["code"])).actor
        assert (actor.name, actor.role) == ("Grace Hopper", Role.USER)
        async with open_page(link[1], core=core) as page:
            assert "no longer works" in page.text

    @pytest.mark.security(7)
    async def test_answers_the_same_when_the_email_is_taken(self, open_page: Open, committed: Core, ada: Actor) -> None:
        core = with_settings(committed, open_registration=True)
        async with open_page("/auth/register/standard/open", core=core) as page:
            await page.submit(**{**GRACE, "email": ada.email})
            (moved,) = page.frames("navigate")
        assert moved["path"] == "/auth/verify/ada%40example.org"
        (message,) = await sent_messages(core)
        assert (message.recipient, message.subject) == (ada.email, "You already have an account")

    @pytest.mark.parametrize("path", ["/auth/register/standard/open", "/auth/login"])
    async def test_a_password_is_not_sent_while_it_is_typed(self, open_page: Open, committed: Core, path: str) -> None:
        async with open_page(path, core=with_settings(committed, open_registration=True)) as page:
            assert "onChange" in page.one("input", name="email")["e"]
            assert "onChange" not in page.one("input", name="password").get("e", {})
            await page.fire(page.labeled("button", "Show password"), "onClick")
            assert "onChange" not in page.one("input", name="password").get("e", {})

    async def test_measures_the_password(self, open_page: Open, committed: Core) -> None:
        async with open_page("/auth/register/standard/open", core=with_settings(committed, open_registration=True)) as page:
            assert page.all("meter") == []
            await page.leave("password", "aaaa")
            assert (page.one("meter")["a"]["value"], "Very weak" in page.text) == (0, True)
            await page.leave("password", PASSWORD)
            assert (page.one("meter")["a"]["value"], "Very strong" in page.text) == (4, True)

    @pytest.mark.parametrize(
        ("path", "says"),
        [
            ("/auth/register/team/guess", "This invitation was already used"),
            ("/auth/register/odd/guess", "This link is incomplete"),
        ],
    )
    async def test_says_why_a_link_does_not_work(self, open_page: Open, path: str, says: str) -> None:
        async with open_page(path) as page:
            assert says in page.text
            assert page.all("form") == []


class TestInvitation:
    async def _invite(self, core: Core) -> str:
        async with core.database.transaction() as session:
            root = await add_account(session, "root@example.org", name="Root", role=Role.ADMIN)
            await invitations.invite(session, root, core, email="Grace@example.org", role=Role.ADMIN, client=HERE)
        (message,) = await sent_messages(core)
        assert (message.recipient, message.subject) == ("grace@example.org", "Root invited you to Fundwright")
        found = re.search(r"8000(/auth/register/team/\S+)", message.text)
        assert found
        return found[1]

    async def test_registers_its_address_once_with_its_role(self, open_page: Open, committed: Core) -> None:
        link = await self._invite(committed)
        async with open_page(link) as page:
            assert "For grace@example.org" in page.text
            await page.submit(**{**GRACE, "email": "another@example.org"})
            (frame,) = page.frames("handover")
        actor = (await _redeem(committed, frame["code"])).actor
        assert (actor.email, actor.role) == ("grace@example.org", Role.ADMIN)
        async with open_page(link) as page:
            assert page.all("form") == []

    @pytest.mark.security(45)
    async def test_of_two_only_the_newer_works(self, committed: Core) -> None:
        async with committed.database.transaction() as session:
            root = await add_account(session, "root@example.org", name="Root", role=Role.ADMIN)
            for _ in range(2):
                await invitations.invite(session, root, committed, email="grace@example.org", role=Role.USER, client=HERE)
            newer, older = (await invitations.list_invitations(session, root, InvitationQuery())).items
            assert (newer.revoked_at, older.revoked_at is None) == (None, False)
            await invitations.withdraw_invitation(session, root, newer.id, client=HERE)
            lines = (await audit.list_audit(session, root, AuditQuery(sort="at", text="grace@"))).items
            assert [(line.action, line.actor_email) for line in lines] == [
                ("invitation.sent", root.email), ("invitation.sent", root.email), ("invitation.withdrawn", root.email),
            ]  # fmt: skip
            with pytest.raises(Conflict):
                await invitations.invite(session, root, committed, email="root@example.org", role=Role.USER, client=HERE)


class TestErrorScreens:
    @pytest.mark.parametrize(("path", "says"), [("/404", "Sorry, page not found!"), ("/500", "Something went wrong")])
    async def test_say_what_happened_and_lead_home(self, open_page: Open, path: str, says: str) -> None:
        async with open_page(path) as page:
            assert text_of(page.one("h1")) == says
            assert page.labeled("a", "Go to home")["a"]["href"] == "/"

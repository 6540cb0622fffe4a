"""The security parts of the account page, the second step of signing in, and the re-authentication dialog."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlencode

import pytest
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import administration
from fundwright.accounts.schemas import Actor, Role
from fundwright.authentication import api_tokens, passkeys, second_factor
from fundwright.authentication import service as authentication
from fundwright.authentication.models import AccountSession
from fundwright.authentication.schemas import RecoveryCodes, SecondStep, SignedIn, TokenScope
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright_ui.hooks import use_action
from fundwright_ui.login.second_factor import second_factor_screen
from fundwright_ui.login.sign_in import sign_in_screen
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.account.factors import passkeys_section, second_factor_section
from fundwright_ui.screens.admin.person import person_screen
from fundwright_ui.shell.prompts import prompts
from fundwright_ui.testing import ScreenUnderTest, mounted
from fundwright_ui.ui import form, text_field
from tests.authentication.authenticator import Device, code_at
from tests.support.accounts import add_account
from tests.support.signing_in import HERE, PASSWORD, with_settings

ADDRESS = "http://localhost:8000"


@component
def factors() -> VdomDict:
    """The account page in the dashboard's frame."""
    return html.div(second_factor_section(), passkeys_section(), prompts())


@component
def sensitive_form() -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def make(session: AsyncSession, fields: dict[str, str]) -> None:
        await api_tokens.create_api_token(
            session, actor, connection.core, name=fields["name"], scope=TokenScope.READ, lasts_days=1
        )

    making = use_action(make, success="Made.")
    return html.div(form(text_field("name", "Name"), on_submit=making, submit="Make"), prompts())


@pytest.fixture
def public(committed: Core) -> Core:
    return with_settings(committed, public_url=ADDRESS)


@pytest.fixture
async def signed_in(committed: Core, ada: Actor) -> Actor:
    """Ada in a browser in which she has just signed in."""
    async with committed.database.transaction() as session:
        result = await authentication.sign_in(session, committed, email=ada.email, password=PASSWORD, remember=True, client=HERE)
    assert isinstance(result, SignedIn)
    return result.actor


@pytest.fixture
async def a_while_later(committed: Core, signed_in: Actor) -> Actor:
    async with committed.database.transaction() as session:
        await session.execute(update(AccountSession).values(reauthenticated_until=now() - timedelta(seconds=1)))
    return signed_in


async def turn_on(core: Core, actor: Actor) -> tuple[str, list[str]]:
    """Returns the app's secret and the recovery codes."""
    async with core.database.transaction() as session:
        begun = await second_factor.start(session, actor, core)
        made = await second_factor.confirm(session, actor, core, code=code_at(begun.secret, now()), client=HERE)
    assert isinstance(made, RecoveryCodes)
    return begun.secret, made.codes


async def add_passkey(core: Core, actor: Actor, device: Device) -> None:
    async with core.database.transaction() as session:
        options = await passkeys.start_adding(session, actor, core)
        await passkeys.add(session, actor, core, name="Telephone", credential=device.create(options), client=HERE)


def handovers(screen: ScreenUnderTest) -> list[str]:
    return [frame["code"] for frame in screen.frames if frame["type"] == "handover"]


class TestTwoStepVerification:
    async def test_is_turned_on_by_a_code_and_shows_recovery_codes_once(self, committed: Core, signed_in: Actor) -> None:
        async with mounted(committed, signed_in, factors) as screen:
            await screen.click("button", "Turn on two-step verification")
            secret = screen.find("CopyButton", "Copy key").props["text"]
            assert "QR code for the authenticator app" in str(screen.view.tree)
            await screen.type("Code", "000000")
            await screen.click("button", "Confirm")
            assert "That code is wrong. Enter the one the app shows now" in screen.text
            await screen.type("Code", code_at(secret, now()))
            await screen.click("button", "Confirm")
            codes = str(screen.find("CopyButton", "Copy codes").props["text"]).split()
            assert len(codes) == 10 and codes[0] in screen.text
            await screen.click("button", "I saved these codes")
            assert "10 recovery codes left" in screen.text
            assert codes[0] not in screen.text

    async def test_is_turned_off_after_a_question(self, committed: Core, signed_in: Actor) -> None:
        await turn_on(committed, signed_in)
        async with mounted(committed, signed_in, factors) as screen:
            await screen.click("button", "Turn off")
            assert screen.props("ConfirmDialog")["title"] == "Turn off two-step verification?"
            await screen.emit("ConfirmDialog", "on_confirm")
            assert "Two-step verification is off." in screen.toasts
            assert screen.has("button", "Turn on two-step verification")

    async def test_warns_when_few_recovery_codes_are_left(self, committed: Core, signed_in: Actor) -> None:
        _, codes = await turn_on(committed, signed_in)
        async with committed.database.transaction() as session:
            for code in codes[:8]:
                await second_factor.reauthenticate_by_code(session, signed_in, committed, code=code, client=HERE)
        async with mounted(committed, signed_in, factors) as screen:
            assert "2 recovery codes left" in screen.text and "Create new recovery codes" in screen.text
            await screen.click("button", "New recovery codes")
            assert len(str(screen.find("CopyButton", "Copy codes").props["text"]).split()) == 10


class TestPasskeys:
    async def test_is_added_by_what_the_browser_makes_and_removed(self, public: Core, signed_in: Actor) -> None:
        async with mounted(public, signed_in, factors) as screen:
            assert "No passkeys yet." in screen.text
            await screen.click("button", "Add passkey")
            assert "Fill in this field." in screen.text
            await screen.type("Passkey name", "Telephone")
            await screen.click("button", "Add passkey")
            device = Device()
            await screen.emit("Passkey", "on_answer", credential=device.create(screen.props("Passkey")["options"]))
            assert screen.toasts == ["The passkey was added."]
            assert "Last used Never" in screen.text
            await screen.click("button", "Remove passkey Telephone")
            await screen.emit("ConfirmDialog", "on_confirm")
            assert not screen.has("ConfirmDialog")
            assert not screen.has("button", "Remove passkey Telephone")
            assert "Removed" in screen.text

    async def test_a_browser_without_one_shows_a_message_and_keeps_the_name(self, public: Core, signed_in: Actor) -> None:
        async with mounted(public, signed_in, factors) as screen:
            await screen.type("Passkey name", "Telephone")
            await screen.click("button", "Add passkey")
            await screen.emit("Passkey", "on_refused", reason="InvalidStateError")
            assert "This device already has a passkey for your account." in screen.text
            assert (screen.value("Passkey name"), screen.props("Passkey")["options"]) == ("Telephone", "")

    async def test_says_what_is_missing_at_an_address_without_a_name(self, committed: Core, signed_in: Actor) -> None:
        async with mounted(committed, signed_in, factors) as screen:
            assert "Passkeys require a host name and HTTPS." in screen.text
            assert not screen.has("button", "Add passkey")


class TestReauthentication:
    @pytest.mark.security(26)
    async def test_happens_in_place_and_then_the_action_continues(self, committed: Core, a_while_later: Actor) -> None:
        async with mounted(committed, a_while_later, sensitive_form) as screen:
            await screen.type("Name", "nightly")
            await screen.click("button", "Make")
            assert screen.toasts == []
            assert [frame for frame in screen.frames if frame["type"] == "saved"] == []
            assert (
                screen.props("ReauthenticationDialog")["codeLabel"]
                == screen.props("ReauthenticationDialog")["passkeyLabel"]
                == ""
            )
            await screen.emit("ReauthenticationDialog", "on_reauthenticate", password="wrong", code="")
            assert screen.props("ReauthenticationDialog")["error"].startswith("Wrong password.")
            await screen.emit("ReauthenticationDialog", "on_reauthenticate", password=PASSWORD, code="")
            assert screen.toasts == ["Made."]
            assert [frame["form"] for frame in screen.frames if frame["type"] == "saved"] == ["/#Make"]
            assert not screen.has("ReauthenticationDialog")
            assert screen.value("Name") == "nightly"

    async def test_can_be_declined(self, committed: Core, a_while_later: Actor) -> None:
        async with mounted(committed, a_while_later, sensitive_form) as screen:
            await screen.click("button", "Make")
            await screen.emit("ReauthenticationDialog", "on_cancel")
            assert not screen.has("ReauthenticationDialog")
            assert screen.toasts == []

    @pytest.mark.security(26)
    async def test_accepts_a_code_and_not_the_password_where_two_step_verification_is_on(
        self, committed: Core, signed_in: Actor
    ) -> None:
        _, codes = await turn_on(committed, signed_in)
        async with committed.database.transaction() as session:
            await session.execute(update(AccountSession).values(reauthenticated_until=now()))
        async with mounted(committed, signed_in, sensitive_form) as screen:
            await screen.type("Name", "nightly")
            await screen.click("button", "Make")
            dialog = screen.props("ReauthenticationDialog")
            assert (dialog["passwordLabel"], dialog["codeLabel"]) == ("", "Code")
            await screen.emit("ReauthenticationDialog", "on_reauthenticate", password=PASSWORD, code="")
            assert screen.toasts == []
            await screen.emit("ReauthenticationDialog", "on_reauthenticate", password="", code="000000")
            assert "That code is wrong" in screen.props("ReauthenticationDialog")["error"]
            await screen.emit("ReauthenticationDialog", "on_reauthenticate", password="", code=codes[0])
            assert screen.toasts == ["Made."]

    async def test_accepts_a_passkey_instead(self, public: Core, signed_in: Actor) -> None:
        device = Device()
        await add_passkey(public, signed_in, device)
        async with public.database.transaction() as session:
            await session.execute(update(AccountSession).values(reauthenticated_until=now()))
        async with mounted(public, signed_in, sensitive_form) as screen:
            await screen.type("Name", "nightly")
            await screen.click("button", "Make")
            assert screen.props("ReauthenticationDialog")["passkeyLabel"] == "Use a passkey"
            await screen.emit("ReauthenticationDialog", "on_start")
            await screen.emit("ReauthenticationDialog", "on_refused", reason="NotAllowedError")
            assert "No passkey was received" in screen.props("ReauthenticationDialog")["error"]
            await screen.emit("ReauthenticationDialog", "on_start")
            answer = device.get(screen.props("ReauthenticationDialog")["options"])
            await screen.emit("ReauthenticationDialog", "on_answer", credential=answer)
            assert screen.toasts == ["Made."]


class TestSigningIn:
    @pytest.mark.security(17, 38)
    async def test_leads_to_the_second_step_and_on(self, committed: Core, ada: Actor) -> None:
        secret, codes = await turn_on(committed, ada)
        async with mounted(committed, None, sign_in_screen, path="/auth/login?next=%2Fdashboard%2Fcategory") as screen:
            await screen.type("Email", ada.email)
            await screen.type("Password", PASSWORD)
            await screen.submit()
            assert handovers(screen) == []
            (address,) = screen.navigations
        assert address.startswith("/auth/second-factor?pending=") and address.endswith("&next=%2Fdashboard%2Fcategory")
        async with mounted(committed, None, second_factor_screen, path=address) as screen:
            assert screen.title == "Two-step verification"
            assert ada.email in screen.text
            await screen.submit()
            assert "Code is required" in screen.text
            await screen.type("Code", "000000")
            await screen.submit()
            assert "That code is wrong" in screen.find("alert").text
            await screen.type("Code", codes[0])
            await screen.submit()
            (code,) = handovers(screen)
            assert screen.frames[-1]["next"] == "/dashboard/category"
        async with committed.database.transaction() as session:
            assert (await authentication.redeem_handover(session, committed, code, client=HERE)).actor.email == ada.email
        assert secret not in str(screen.frames)

    async def test_a_second_step_without_a_first_leads_back(self, committed: Core) -> None:
        async with mounted(committed, None, second_factor_screen, path="/auth/second-factor?pending=made-up") as screen:
            assert "This sign-in has expired or was already completed." in screen.text
            assert screen.find("link", "Back to login").props["href"] == "/auth/login"
            assert not screen.has("form")

    async def test_by_a_passkey_needs_no_password(self, public: Core, ada: Actor) -> None:
        device = Device()
        await add_passkey(public, ada, device)
        async with mounted(public, None, sign_in_screen) as screen:
            await screen.emit("Passkey", "on_start")
            await screen.emit("Passkey", "on_refused", reason="NotAllowedError")
            assert "No passkey was received" in screen.text
            await screen.emit("Passkey", "on_start")
            stranger = Device().get(screen.props("Passkey")["options"])
            await screen.emit("Passkey", "on_answer", credential=stranger)
            assert "That passkey doesn't match an account." in screen.text
            await screen.emit("Passkey", "on_start")
            await screen.emit("Passkey", "on_answer", credential=device.get(screen.props("Passkey")["options"]))
            assert len(handovers(screen)) == 1

    async def test_by_a_passkey_as_the_second_step(self, public: Core, ada: Actor) -> None:
        device = Device()
        await add_passkey(public, ada, device)
        await turn_on(public, ada)
        async with public.database.transaction() as session:
            step = await authentication.sign_in_by_socket(
                session, public, email=ada.email, password=PASSWORD, remember=True, client=HERE
            )
        assert isinstance(step, SecondStep)
        path = f"/auth/second-factor?{urlencode({'pending': step.pending})}"
        async with mounted(public, None, second_factor_screen, path=path) as screen:
            await screen.emit("Passkey", "on_start")
            await screen.emit("Passkey", "on_answer", credential=device.get(screen.props("Passkey")["options"]))
            assert len(handovers(screen)) == 1

    async def test_offers_no_passkey_where_there_can_be_none(self, committed: Core) -> None:
        async with mounted(committed, None, sign_in_screen) as screen:
            assert not screen.has("Passkey")


class TestPerson:
    async def test_an_administrator_removes_the_second_factor(self, committed: Core, ada: Actor) -> None:
        await turn_on(committed, ada)
        async with committed.database.transaction() as session:
            root = await add_account(session, "root@example.org", name="R", role=Role.ADMIN)
        async with mounted(committed, root, person_screen, params={"id": str(ada.id)}) as screen:
            assert "Second factor Yes" in screen.text
            await screen.click("button", "Remove second factor")
            await screen.emit("ConfirmDialog", "on_confirm")
            assert screen.toasts == ["The second factor was removed. This server does not send email, so let the owner know."]
            assert not screen.has("button", "Remove second factor")
        async with committed.database.transaction() as session:
            assert not await administration.has_second_factor(session, root, ada.id)

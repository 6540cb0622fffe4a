"""The account page, as a person uses it."""

from __future__ import annotations

import pytest

from fundwright.accounts import photos
from fundwright.accounts import profile as accounts_profile
from fundwright.accounts import service as accounts
from fundwright.accounts.schemas import AccountProfile, Actor, Client, Role
from fundwright.authentication import api_tokens, email_change, sessions
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import SignedIn, SignInRefused
from fundwright.core import mail
from fundwright.core.assembly import Core
from fundwright.core.paging import PageRequest
from fundwright_ui.login.confirm_email import confirm_email_screen
from fundwright_ui.login.sign_in import sign_in_screen
from fundwright_ui.screens.account.account import PATH, account_screen
from fundwright_ui.screens.admin.person import person_screen
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.accounts.test_photos import picture
from tests.support.accounts import add_account
from tests.support.jobs import working

HERE = Client(address="192.0.2.7", user_agent="Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0")
PASSWORD = "a gentle rain of otters"
NEW = "seven quiet lighthouses"


@pytest.fixture
async def ada(committed: Core) -> Actor:
    """Signed in here, in Firefox."""
    async with committed.database.transaction() as session:
        await add_account(session, "ada@example.org", name="Ada Byron", password=PASSWORD)
    return await sign_in(committed)


async def sign_in(core: Core, password: str = PASSWORD, *, user_agent: str = HERE.user_agent) -> Actor:
    client = HERE.model_copy(update={"user_agent": user_agent})
    async with core.database.transaction() as session:
        result = await authentication.sign_in(
            session, core, email="ada@example.org", password=password, remember=True, client=client
        )
    assert isinstance(result, SignedIn)
    return result.actor


async def profile_of(core: Core, actor: Actor) -> AccountProfile:
    async with core.database.transaction() as session:
        return await accounts_profile.get_profile(session, actor)


def item(screen: ScreenUnderTest, name: str) -> str:
    """The text of the row that starts with `name`; empty if there is none."""
    return next((each.text for each in screen.elements("listitem") if each.text.startswith(name)), "")


class TestTabs:
    async def test_are_in_the_url(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen) as screen:
            assert screen.title == "Account"
            assert screen.find("link", "General").props["aria-current"] == "page"
            await screen.click("link", "Security")
            assert screen.address == f"{PATH}?tab=security"
            assert screen.has("region", "Password")

    async def test_an_unknown_one_is_the_first(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=nonsense") as screen:
            assert screen.has("region", "Profile")

    @pytest.mark.parametrize("tab", ["general", "security", "tokens", "data"])
    @pytest.mark.parametrize("role", list(Role))
    async def test_are_there_for_every_role(self, committed: Core, ada: Actor, role: Role, tab: str) -> None:
        actor = ada.model_copy(update={"role": role})
        async with mounted(committed, actor, account_screen, path=f"{PATH}?tab={tab}", is_live=False) as screen:
            assert screen.has("heading", "Account")
            assert not screen.has("alert")


class TestGeneral:
    async def test_the_profile_is_written(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen) as screen:
            assert screen.value("Name") == "Ada Byron"
            await screen.type("Name", "Ada King")
            await screen.type("Phone number", "+44 20 7946 0000")
            await screen.choose("Country", "GB")
            await screen.type("About you", "Writes programs.")
            await screen.check("Let other signed-in users see your photo")
            await screen.click("button", "Save profile")
            assert screen.toasts == ["Your profile was saved."]
        profile = await profile_of(committed, ada)
        assert (profile.display_name, profile.phone_number, profile.country, profile.about, profile.is_public) == (
            "Ada King", "+44 20 7946 0000", "GB", "Writes programs.", True,
        )  # fmt: skip

    async def test_what_is_wrong_is_shown_next_to_the_field_and_the_rest_stays(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen) as screen:
            await screen.type("Name", " ")
            await screen.type("Phone number", "call me")
            await screen.type("City", "London")
            await screen.click("button", "Save profile")
            assert screen.text.count("Fill in this field.") == 1
            assert "Enter a phone number such as +1 202 555 0100, or leave the field empty." in screen.text
            assert (screen.value("Phone number"), screen.value("City")) == ("call me", "London")

    async def test_countries_have_the_names_and_the_order_of_the_language(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, language="de") as screen:
            names = [option.text for option in screen.elements("option")]
            assert names.index("Österreich") < names.index("Pakistan")

    async def test_language_and_zone_are_chosen_and_the_page_is_loaded_again(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen) as screen:
            await screen.choose("Language", "fr")
            await screen.choose("Time zone", "Europe/Paris")
            await screen.click("button", "Save language and time")
            assert screen.frames[-1] == {"type": "navigate", "path": PATH, "replace": False, "reload": True}
        profile = await profile_of(committed, ada)
        assert (profile.language, profile.time_zone) == ("fr", "Europe/Paris")

    async def test_the_photo_is_shown_and_removed(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await photos.set_photo(session, ada, committed.sandbox, picture(), client=HERE)
        async with mounted(committed, ada, account_screen) as screen:
            assert screen.props("FileDrop")["uploadUrl"] == "/api/account/photo"
            await screen.emit("FileDrop", "on_uploaded", name="me.png", answer={})
            await screen.click("button", "Remove photo")
            assert screen.navigations == [PATH, PATH]
        assert (await profile_of(committed, ada)).photo_url is None


class TestSecurity:
    async def test_the_password_is_changed(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=security") as screen:
            await screen.type("Current password", "wrong")
            await screen.type("New password", NEW)
            assert "Very strong" in screen.text
            await screen.click("button", "Change password")
            assert "Wrong password." in screen.find("form", "Password").text
            assert screen.value("New password") == NEW
            await screen.type("Current password", PASSWORD)
            await screen.click("button", "Change password")
            assert screen.toasts == ["Your password was changed, and all other sessions were ended."]
            assert "Wrong password." not in screen.text
            assert "Very strong" not in screen.text
        await sign_in(committed, NEW)

    async def test_a_draft_of_a_new_address_outlives_a_wrong_password(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=security") as screen:
            await screen.type("New email address", "new@example.org")
            await screen.type("Your password", "wrong")
            await screen.click("button", "Change email address")
            assert "Wrong password." in screen.find("form", "Email").text
            assert [frame for frame in screen.frames if frame["type"] == "saved"] == []
            await screen.type("Your password", PASSWORD)
            await screen.click("button", "Change email address")
            assert [frame["form"] for frame in screen.frames if frame["type"] == "saved"] == [f"{PATH}#Email"]

    async def test_a_weak_one_is_refused_with_the_message_of_registration(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=security") as screen:
            await screen.type("Current password", PASSWORD)
            await screen.type("New password", "short")
            await screen.click("button", "Change password")
            assert "Use at least 8 characters." in screen.text
            await screen.type("New password", "password1")
            await screen.click("button", "Change password")
            assert "easy to guess" in screen.find("form", "Password").text

    async def test_the_address_is_asked_for(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=security") as screen:
            await screen.type("New email address", "new@example.org")
            await screen.type("Your password", PASSWORD)
            await screen.click("button", "Change email address")
            assert "If new@example.org can be used, we sent a link to that address." in screen.text
        async with committed.database.transaction() as session:
            sent_messages = (await mail.list_messages(session, PageRequest())).items
        assert {message.recipient for message in sent_messages} == {"new@example.org", "ada@example.org"}

    async def test_sessions_are_seen_and_ended(self, committed: Core, ada: Actor) -> None:
        await sign_in(committed, user_agent="curl/8.11.0")
        await sign_in(committed, user_agent="")
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=security") as screen:
            assert "This session" in item(screen, "Firefox 133 on Linux")
            assert not screen.has("button", "Sign out Firefox 133 on Linux")
            await screen.click("button", "Sign out curl 8")
            await screen.expect(lambda: "Ended" in item(screen, "curl 8"))
            assert not screen.has("button", "Sign out curl 8")
            assert item(screen, "Unknown device")
            await screen.click("button", "Sign out all other sessions")
            await screen.expect(lambda: not item(screen, "Unknown device"))
            assert not screen.has("button", "Sign out all other sessions")
            assert item(screen, "Firefox 133 on Linux")

    async def test_administrators_see_the_same_sessions(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            root = await add_account(session, "root@example.org", name="R", role=Role.ADMIN)
        async with mounted(committed, root, person_screen, params={"id": str(ada.id)}) as screen:
            assert "Signed in" in item(screen, "Firefox 133 on Linux")

    async def test_many_sessions_have_several_pages(self, committed: Core, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            account_of_ada = await accounts.get_account_by_id(session, ada.id)
            for _ in range(PageRequest().page_size):
                await sessions.start_session(
                    session, committed, account_of_ada, remember=True, client=Client(address="192.0.2.8", user_agent="curl/8")
                )
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=security") as screen:
            assert not item(screen, "Firefox 133 on Linux")  # it is the one used longest ago
            await screen.click("link", "Page 2")
            assert screen.address == f"{PATH}?tab=security&page=2"
            await screen.expect(lambda: item(screen, "Firefox 133 on Linux"))
            await screen.click("link", "API tokens")
            assert screen.address == f"{PATH}?tab=tokens"
            assert screen.has("region", "Your API tokens")


class TestTokens:
    async def test_one_is_created_shown_once_and_revoked(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=tokens") as screen:
            assert "No tokens yet." in screen.text
            await screen.type("Name", "nightly")
            await screen.choose("Scope", "write")
            await screen.type("Expires after (days)", "7")
            await screen.click("button", "Create token")
            secret = screen.props("CopyButton")["text"]
            assert secret.startswith("fwt_")
            await screen.expect(lambda: item(screen, "nightly"))
            assert "Read and write" in item(screen, "nightly")
        async with committed.database.transaction() as session:
            assert await api_tokens.authenticate_api_token(session, secret)
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=tokens") as screen:
            assert secret not in screen.text
            assert not screen.has("CopyButton")
            await screen.click("button", "Revoke “nightly”")
            await screen.emit("ConfirmDialog", "on_cancel")
            await screen.click("button", "Revoke “nightly”")
            await screen.emit("ConfirmDialog", "on_confirm")
            await screen.expect(lambda: not screen.has("button", "Revoke “nightly”"))
            assert "Revoked" in item(screen, "nightly")
        async with committed.database.transaction() as session:
            assert await api_tokens.authenticate_api_token(session, secret) is None

    async def test_days_have_bounds(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=tokens") as screen:
            await screen.type("Name", "nightly")
            await screen.type("Expires after (days)", "400")
            await screen.click("button", "Create token")
            assert "Enter at most 366." in screen.text
            assert screen.value("Name") == "nightly"


class TestData:
    async def test_is_collected_live_and_downloaded(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=data") as screen:
            await screen.click("button", "Request a copy")
            await screen.expect(lambda: screen.has("progressbar", "Preparing your copy"))
            assert not screen.has("button", "Request a new copy")
            async with working(committed.jobs):
                await screen.expect("Download ZIP file", timeout_s=30)
            (link,) = [each for each in screen.elements("link") if each.name.startswith("Download ZIP file")]
            assert link.props["href"] == "/api/account/data/archive"
            assert screen.has("button", "Request a new copy")

    async def test_the_account_is_deleted(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, account_screen, path=f"{PATH}?tab=data") as screen:
            await screen.type("Your email address", "eve@example.org")
            await screen.type("Your password", "wrong")
            await screen.click("button", "Delete my account")
            assert "Type ada@example.org to confirm." in screen.find("form", "Delete my account").text
            await screen.type("Your email address", "ada@example.org")
            await screen.click("button", "Delete my account")
            assert "Wrong password." in screen.find("form", "Delete my account").text
            await screen.type("Your password", PASSWORD)
            await screen.click("button", "Delete my account")
            assert {"type": "signed_out", "next": "/auth/login?notice=deleted", "forget": True} in screen.frames
        async with mounted(committed, None, sign_in_screen, path="/auth/login?notice=deleted") as screen:
            assert "Your account was deleted." in screen.text
        async with mounted(committed, None, sign_in_screen) as screen:
            assert "Your account was deleted." not in screen.text


class TestConfirmEmail:
    async def link(self, core: Core, ada: Actor) -> str:
        async with core.database.transaction() as session:
            refused = await email_change.ask(session, ada, core, email="new@example.org", password=PASSWORD, client=HERE)
            assert not isinstance(refused, SignInRefused)
            sent_messages = (await mail.list_messages(session, PageRequest())).items
        text = next(message.text for message in sent_messages if message.recipient == "new@example.org")
        return text.partition("/auth/confirm-email/")[2].split()[0]

    async def test_changes_nothing_before_it_is_pressed(self, committed: Core, ada: Actor) -> None:
        link = await self.link(committed, ada)
        async with mounted(committed, None, confirm_email_screen, params={"link": link}) as screen:
            assert "You will sign in as new@example.org" in screen.text
            assert (await profile_of(committed, ada)).email == "ada@example.org"
            await screen.click("button", "Confirm")
            assert not [frame for frame in screen.frames if frame["type"] == "signed_out"]
            assert "Sign in as new@example.org." in screen.text
        assert (await profile_of(committed, ada)).email == "new@example.org"

    async def test_redirects_users_signed_in_with_the_account_to_the_login_page(self, committed: Core, ada: Actor) -> None:
        link = await self.link(committed, ada)
        async with mounted(committed, ada, confirm_email_screen, params={"link": link}) as screen:
            await screen.click("button", "Confirm")
            assert screen.frames[-1] == {"type": "signed_out", "next": "/auth/login?notice=email-changed", "forget": False}
        async with mounted(committed, None, sign_in_screen, path="/auth/login?notice=email-changed") as screen:
            assert "Your email address was changed. Sign in with the new one." in screen.text

    async def test_explains_a_link_that_does_not_work(self, committed: Core) -> None:
        async with mounted(committed, None, confirm_email_screen, params={"link": "spent"}) as screen:
            assert "This link no longer works" in screen.text

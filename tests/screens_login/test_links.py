"""Screens that a one-time link opens, registration, and the pages for errors."""

from __future__ import annotations

import pytest

from fundwright.core.assembly import Core
from fundwright.identity import service as identity
from fundwright.identity.schemas import Actor, Client, Role, SignedIn
from tests.identity.conftest import with_settings
from tests.screens_login.conftest import PASSWORD, Open, text_of

HERE = Client(address="192.0.2.7")
NEW = "another fine sentence"


async def _redeem(core: Core, code: str) -> SignedIn:
    async with core.database.transaction() as session:
        return await identity.redeem_handover(core, session, code, client=HERE)


class TestFirstAdminScreen:
    async def _link(self, core: Core) -> str:
        async with core.database.transaction() as session:
            return str(await identity.first_admin_link(session))

    @pytest.mark.security(9)
    async def test_makes_the_administrator_and_signs_in(self, open_page: Open, committed: Core) -> None:
        link = await self._link(committed)
        async with open_page(link) as page:
            await page.submit(name="Root", email="root@example.org", password=PASSWORD)
            (frame,) = page.frames("handover")
        assert (await _redeem(committed, frame["code"])).actor.role is Role.ADMIN
        async with open_page(link) as page:
            assert "does not work any more" in page.text
            assert page.all("form") == []

    @pytest.mark.security(12)
    async def test_says_what_is_wrong_and_keeps_the_link(self, open_page: Open, committed: Core) -> None:
        async with open_page(await self._link(committed)) as page:
            await page.submit(name="", email="root", password="short")
            for error in ("Name is required", "Email must be a valid email address", "Use at least 8 characters"):
                assert error in page.text
            await page.submit(name="Root", email="root@example.org", password="password")
            assert "among the first that attackers try" in text_of(page.one("div", role="alert"))
            await page.submit(name="Root", email="root@example.org", password=PASSWORD)
            assert len(page.frames("handover")) == 1

    async def test_a_guess_opens_no_form(self, open_page: Open) -> None:
        async with open_page("/auth/first-admin/guess") as page:
            assert page.all("form") == []


@pytest.mark.usefixtures("ada")
class TestResetScreens:
    async def test_says_whom_to_ask(self, open_page: Open) -> None:
        async with open_page("/auth/reset-password") as page:
            assert "fundwright user reset" in page.text

    @pytest.mark.security(16)
    async def test_sets_the_password_once(self, open_page: Open, committed: Core) -> None:
        async with committed.database.transaction() as session:
            link = await identity.reset_link(session, email="ada@example.org")
        async with open_page(link) as page:
            await page.submit(password="")
            assert "Password is required" in page.text
            await page.submit(password=NEW)
            assert text_of(page.one("h1")) == "Your password is changed"
        async with open_page(link) as page:
            assert "does not work any more" in page.text
        async with committed.database.transaction() as session:
            result = await identity.sign_in(committed, session, email="ada@example.org", password=NEW, remember=True, client=HERE)
        assert isinstance(result, SignedIn)


class TestRegisterScreen:
    async def test_says_whom_to_ask_where_registration_is_closed(self, open_page: Open) -> None:
        async with open_page("/auth/register/standard/open") as page:
            assert "by invitation" in page.text
            assert page.all("form") == []

    async def test_makes_a_user_where_it_is_open(self, open_page: Open, committed: Core) -> None:
        core = with_settings(committed, open_registration=True)
        async with open_page("/auth/register/standard/open", core=core) as page:
            await page.submit(first_name="Grace", last_name="Hopper", email="grace@example.org", password=PASSWORD)
            (frame,) = page.frames("handover")
        actor = (await _redeem(committed, frame["code"])).actor
        assert (actor.name, actor.role) == ("Grace Hopper", Role.USER)

    async def test_says_when_the_email_is_taken(self, open_page: Open, committed: Core, ada: Actor) -> None:
        core = with_settings(committed, open_registration=True)
        async with open_page("/auth/register/standard/open", core=core) as page:
            await page.submit(first_name="A", last_name="", email=ada.email, password=PASSWORD)
            assert text_of(page.one("div", role="alert")) == "There already exists an account with the given email address."


class TestErrorScreens:
    @pytest.mark.parametrize(("path", "says"), [("/404", "Sorry, page not found!"), ("/500", "Something went wrong on our side")])
    async def test_say_what_happened_and_lead_home(self, open_page: Open, path: str, says: str) -> None:
        async with open_page(path) as page:
            assert text_of(page.one("h1")) == says
            assert page.labelled("a", "Go to home")["a"]["href"] == "/"

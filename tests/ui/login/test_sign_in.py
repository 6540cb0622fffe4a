from __future__ import annotations

import pytest

from fundwright.accounts.schemas import Actor, Client, Role
from fundwright.authentication import service as authentication
from fundwright.core.assembly import Core
from fundwright_ui.login import SCREENS
from fundwright_ui.product.host import ProductHost
from fundwright_ui.runtime.router import Redirect, Router
from tests.support.signing_in import with_settings
from tests.ui.conftest import PASSWORD, Open, text_of

HERE = Client(address="192.0.2.7")


@pytest.mark.usefixtures("ada")
class TestSignInScreen:
    @pytest.mark.parametrize("address", ["/auth/login", "/auth/login-unprotected", "/feedback"])
    async def test_reads_as_specified(self, open_page: Open, address: str) -> None:
        async with open_page(address) as page:
            assert page.title == "Login"
            assert text_of(page.one("h1")) == "Welcome,"
            assert "Sign in to continue!" in page.text
            links = {text_of(link): link["a"]["href"] for link in page.all("a")}
            assert links["Sign up"] == links["Get started"] == "/auth/register/standard/open"
            assert links["Forgot password?"] == "/auth/reset-password"
            assert page.labeled("a", "Fundwright")["a"]["href"] == "/"
            assert "Don't have an account?" in page.text
            assert page.one("input", name="remember")["a"]["defaultChecked"] is True
            assert page.one("form")["a"] | {"noValidate": True, "autoComplete": "off", "method": "post"} == page.one("form")["a"]
            assert page.one("main", id="main")

    async def test_leads_from_an_invitation_to_a_workspace_to_registration_with_it(self, open_page: Open) -> None:
        async with open_page("/auth/login?next=%2Fworkspaces%2Fjoin%2Fa-b_c") as page:
            links = {text_of(link): link["a"]["href"] for link in page.all("a")}
            assert links["Sign up"] == links["Get started"] == "/auth/register/workspace/a-b_c"

    @pytest.mark.security(11)
    async def test_password_managers_and_pasting_work(self, open_page: Open, committed: Core) -> None:
        async with open_page("/auth/register/standard/open", core=with_settings(committed, open_registration=True)) as page:
            field = page.one("input", name="password")
        assert (field["a"]["type"], field["a"]["autoComplete"]) == ("password", "new-password")
        assert "maxLength" not in field["a"] and not {"onPaste", "onKeyDown", "onBeforeInput"} & field["e"].keys()

    @pytest.mark.security(11)
    async def test_hides_the_password_until_asked(self, open_page: Open) -> None:
        async with open_page("/auth/login") as page:
            assert page.one("input", name="password")["a"]["type"] == "password"
            await page.fire(page.labeled("button", "Show password"), "onClick")
            assert page.one("input", name="password")["a"]["type"] == "text"
            await page.fire(page.labeled("button", "Hide password"), "onClick")
            assert page.one("input", name="password")["a"]["type"] == "password"

    async def test_shows_errors_of_touched_fields_only(self, open_page: Open) -> None:
        async with open_page("/auth/login") as page:
            assert "is required" not in page.text
            await page.leave("email")
            assert "Email is required" in page.text
            assert "Password is required" not in page.text
            await page.type("email", "ada")
            assert "Email must be a valid email address" in page.text
            assert page.one("input", name="email")["a"]["aria-describedby"] == "email-error"
            await page.type("email", "ada@example.org")
            assert "Email" not in "".join(text_of(error) for error in page.all("p", id="email-error"))

    async def test_a_try_touches_every_field(self, open_page: Open) -> None:
        async with open_page("/auth/login") as page:
            await page.submit(email="", password="")
            assert "Email is required" in page.text
            assert "Password is required" in page.text
            assert page.frames("handover") == []

    @pytest.mark.security(34)
    async def test_hands_over_by_a_one_time_code(self, open_page: Open, committed: Core) -> None:
        async with open_page("/auth/login?next=%2Fdashboard%2Fcategory") as page:
            await page.submit(email="Ada@example.org", password=PASSWORD, remember="on")
            (frame,) = page.frames("handover")
            assert frame["next"] == "/dashboard/category"
            assert PASSWORD not in str(page.sent)
        async with committed.database.transaction() as session:
            signed_in = await authentication.redeem_handover(session, committed, frame["code"], client=HERE)
        assert signed_in.actor.email == "ada@example.org"
        assert signed_in.max_age_s is not None

    async def test_forgets_with_the_browser_when_asked(self, open_page: Open, committed: Core) -> None:
        async with open_page("/auth/login") as page:
            await page.submit(email="ada@example.org", password=PASSWORD)
            (frame,) = page.frames("handover")
            assert frame["next"] == "/"
        async with committed.database.transaction() as session:
            assert (await authentication.redeem_handover(session, committed, frame["code"], client=HERE)).max_age_s is None

    async def test_comes_back_to_a_screen_that_shows_the_login_in_its_place(self, open_page: Open) -> None:
        async with open_page("/feedback?page=%2Fdashboard%2Ftrain") as page:
            await page.submit(email="ada@example.org", password=PASSWORD)
            assert page.frames("handover")[0]["next"] == "/feedback?page=%2Fdashboard%2Ftrain"

    @pytest.mark.security(38)
    @pytest.mark.parametrize("next_", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
    async def test_never_leads_to_another_site(self, open_page: Open, next_: str) -> None:
        async with open_page(f"/auth/login?next={next_}") as page:
            await page.submit(email="ada@example.org", password=PASSWORD)
            assert page.frames("handover")[0]["next"] == "/"

    @pytest.mark.parametrize(("email", "password"), [("ada@example.org", "wrong"), ("nobody@example.org", PASSWORD)])
    async def test_says_above_the_fields_when_it_fails(self, open_page: Open, email: str, password: str) -> None:
        async with open_page("/auth/login") as page:
            await page.submit(email=email, password=password)
            assert "don't match an account" in text_of(page.one("div", role="alert"))
            assert page.html.index('role="alert"') < page.html.index('name="email"')
            assert page.frames("handover") == page.frames("toast") == []
            await page.submit(email="ada@example.org", password=PASSWORD)
            assert page.all("div", role="alert") == []

    @pytest.mark.security(1, 3)
    async def test_counts_wrong_tries(self, open_page: Open) -> None:
        async with open_page("/auth/login") as page:
            for _ in range(4):
                await page.submit(email="ada@example.org", password="wrong")
            said = text_of(page.one("div", role="alert"))
            await page.submit(email="ada@example.org", password=PASSWORD)
            assert text_of(page.one("div", role="alert")) == said
            assert page.frames("handover") == []

    async def test_leaves_what_was_typed_to_the_browser(self, open_page: Open) -> None:
        async with open_page("/auth/login") as page:
            await page.type("email", "ada@example.org")
            page.changes()
            await page.submit(email="ada@example.org", password="secret words")
            changes = page.changes()
            assert '"role": "alert"' in changes
            assert '"t": "input"' not in changes  # a new input would be empty
            assert "secret words" not in page.html
            assert "value" not in page.one("input", name="email")["a"]


class TestGuards:
    @pytest.mark.parametrize("path", ["/auth/login", "/auth/register/standard/open"])
    def test_redirect_signed_in_users(self, path: str) -> None:
        from uuid import uuid4

        someone = Actor(id=uuid4(), email="ada@example.org", name="Ada", role=Role.USER)
        assert Router(SCREENS, ProductHost.addresses, redirects={}).route(path, someone) == Redirect("/")

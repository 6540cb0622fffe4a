"""Signing in with two steps and with a passkey, and re-authentication."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import psycopg
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pyotp.totp import TOTP

from e2e.application import Application, free_port, started
from e2e.conftest import PASSWORD
from e2e.pages.ready import ready, until
from e2e.pages.security import Device
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage
from fundwright.accounts.schemas import Role
from fundwright.core.postgres import EmbeddedPostgres
from tests.support.databases import environment_of

CODE_WRONG = "That code is wrong or was already used."


@dataclass(frozen=True)
class Named:
    """The application at a host name, which browsers require for passkeys, and its database."""

    url: str
    application: Application
    database: str

    def add(self, email: str, *, role: Role = Role.USER) -> str:
        self.application.add_person(email, PASSWORD, role=role)
        return email

    def let_time_pass(self) -> None:
        """Age the sign-in, so that it no longer counts as authentication for sensitive changes."""
        with psycopg.connect(self.database, autocommit=True) as connection:
            connection.execute("UPDATE account_session SET reauthenticated_until = created_at")


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Named]:
    folder, port = tmp_path_factory.mktemp("named"), free_port()
    with ExitStack() as stack:
        database = stack.enter_context(EmbeddedPostgres(folder / "database").use())
        environment = {**environment_of(database), "FUNDWRIGHT_PUBLIC_URL": f"http://localhost:{port}"}
        application = stack.enter_context(started(folder, port=port, environment=environment))
        yield Named(f"http://localhost:{port}", application, database)


@pytest.fixture
def sign_in(page: Page, named: Named) -> Callable[[str], None]:
    def first_step(email: str) -> None:
        page.goto(f"{named.url}/auth/login")
        ready(page)
        SignInPage(page).sign_in(email, PASSWORD)

    return first_step


def assert_accessible(page: Page) -> None:
    until(page, "document.getAnimations().every((each) => each.timeline !== document.timeline || each.playState !== 'running')")
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []


class TestTwoSteps:
    @pytest.mark.slow
    def test_the_password_alone_is_not_enough_and_a_code_works_once(
        self, page: Page, named: Named, sign_in: Callable[[str], None]
    ) -> None:
        email = named.add("totp@example.org")
        sign_in(email)
        page.wait_for_url("**/dashboard/train")
        begun = page.request.post(f"{named.url}/api/account/second-factor", headers={"X-Requested-With": "journey"}).json()
        app = TOTP(begun["secret"])
        made = page.request.put(
            f"{named.url}/api/account/second-factor",
            data={"code": app.now()},
            headers={"X-Requested-With": "journey"},
        ).json()
        ready(page)
        Shell(page).sign_out()

        sign_in(email)
        page.wait_for_url("**/auth/second-factor?*")
        expect(page).to_have_title("Two-step verification")
        assert page.evaluate("localStorage.getItem('token')") is None
        ready(page)
        assert_accessible(page)
        code, verify = page.get_by_label("Code"), page.get_by_role("button", name="Verify")
        verify.click()
        expect(page.get_by_text("Code is required")).to_be_visible()
        code.fill("000000")
        verify.click()
        expect(page.get_by_role("alert")).to_contain_text(CODE_WRONG)
        expect(code).to_have_value("000000")
        code.fill(made["codes"][0])
        code.press("Enter")
        page.wait_for_url("**/dashboard/train")
        read = page.request.get(f"{named.url}/api/account/second-factor").json()
        assert read["recovery_codes"] == 9


class TestPasskeys:
    def test_one_signs_in_without_a_password_and_reauthenticates(
        self, page: Page, named: Named, sign_in: Callable[[str], None]
    ) -> None:
        email, other = named.add("passkey@example.org", role=Role.ADMIN), named.add("other@example.org")
        device = Device(page)
        sign_in(email)
        page.wait_for_url("**/dashboard/train")
        ready(page)
        assert device.add_passkey("Laptop") == 201
        Shell(page).sign_out()

        page.goto(f"{named.url}/auth/login?next=/dashboard/users")
        ready(page)
        button = page.get_by_role("button", name="Sign in with a passkey")
        device.verify(is_right=False)
        button.click()
        expect(page.get_by_role("alert")).to_contain_text("No passkey was received")
        device.verify(is_right=True)
        button.click()
        expect(page.get_by_role("heading", name="People")).to_be_visible()

        named.let_time_pass()
        ready(page)
        page.get_by_role("link", name=other).click()
        page.get_by_role("button", name="Change role").wait_for()
        ready(page)
        page.get_by_label("Role", exact=True).select_option("admin")
        page.get_by_role("button", name="Change role").click()
        dialog = page.get_by_role("dialog", name="Confirm your identity")
        password = dialog.get_by_label("Password")
        expect(password).to_be_focused()
        assert_accessible(page)
        password.fill("wrong")
        password.press("Enter")
        expect(dialog.get_by_role("alert")).to_contain_text("Wrong password.")
        dialog.get_by_role("button", name="Use a passkey").click()
        expect(page.get_by_text("The role was changed, and the account's sessions were ended.")).to_be_visible()
        expect(dialog).to_have_count(0)
        expect(page.get_by_label("Role", exact=True)).to_have_value("admin")

    def test_none_is_offered_at_an_ip_address(self, page: Page) -> None:
        SignInPage(page).open()
        expect(page.get_by_role("button", name="Sign in with a passkey")).to_have_count(0)

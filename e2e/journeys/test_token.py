"""The token in the browser's storage: a valid one signs in; every other one leads to the login page and is deleted."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import jwt
import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import EMAIL, PASSWORD, sign_in
from e2e.pages.ready import ready, until
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage

GRACE = "grace@example.org"


def slow(*values: Any) -> list[ParameterSet]:
    """Further values of a parameter, left to `make soak`."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def keep(page: Page, token: str) -> Page:
    """Put a token into the storage, from one of the product's pages, and nothing else."""
    page.goto("/404")
    ready(page)  # otherwise, it would find the token and sign in automatically
    page.context.clear_cookies()
    page.evaluate("token => localStorage.setItem('token', token)", token)
    return page


def forged(application: Application, token: str, **changes: Any) -> str:
    """A token with the server's signature that the server would never issue."""
    key = (application.data / "keys" / "session.key").read_bytes()
    claims = jwt.decode(token, options={"verify_signature": False}) | changes
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(claims, key, headers={"kid": sha256(key).hexdigest()[:12]})


def expect_login(page: Page) -> None:
    page.goto("/dashboard/category")
    page.wait_for_url("**/auth/login*")
    ready(page)  # results from a page that is still navigating are lost
    expect(page.get_by_role("button", name="Login", exact=True)).to_be_visible()
    until(page, "localStorage.getItem('token') === null")


class TestAGoodOne:
    def test_takes_the_login_page_away_and_signs_in_without_a_cookie(self, page: Page, token: str) -> None:
        keep(page, token).goto("/auth/login")
        page.wait_for_url("**/dashboard/train")
        ready(page)
        page.context.clear_cookies()
        page.goto("/dashboard/category")
        ready(page)
        page.wait_for_url("**/dashboard/category")
        expect(page.get_by_role("heading", name="Category", level=1)).to_be_visible()
        assert {cookie.get("name"): cookie.get("httpOnly") for cookie in page.context.cookies()} == {
            "session": True,
            "time_zone": False,
            "visitor": True,
        }

    @pytest.mark.slow
    def test_signs_in_two_tabs_at_once(self, page: Page, token: str) -> None:
        keep(page, token)
        other = page.context.new_page()
        for tab, path in ((page, "/dashboard/category"), (other, "/generate/index")):
            tab.goto(path, wait_until="commit")
        for tab in (page, other):
            ready(tab)
            expect(Shell(tab).account_menu).to_be_visible()

    def test_of_one_browser_session_is_kept_with_the_tab(self, page: Page) -> None:
        form = SignInPage(page).open()
        form.keep_signed_in.uncheck()
        form.sign_in(EMAIL, PASSWORD)
        page.wait_for_url("**/dashboard/train")
        kept = page.evaluate("[localStorage.getItem('token'), sessionStorage.getItem('token')]")
        assert (kept[0], kept[1].count(".")) == (None, 2)
        assert {cookie.get("expires") for cookie in page.context.cookies()} == {-1}


class TestABadOne:
    @pytest.mark.parametrize(
        "token", ["nonsense", *slow("eyJhbGciOiJIUzI1NiJ9.eyJlbWFpbCI6ImFAYi5jIn0.x", "null", "\u00e9.\u00e9.\u00e9")]
    )
    def test_that_is_none(self, page: Page, token: str) -> None:
        expect_login(keep(page, token))

    @pytest.mark.parametrize(
        "changes", [{"exp": 1_000_000_000}, *slow({"role": None}, {"email": None}, {"role": "admin"})], ids=str
    )
    def test_that_has_expired_or_lacks_or_changes_a_claim(
        self, page: Page, application: Application, token: str, changes: dict[str, Any]
    ) -> None:
        expect_login(keep(page, forged(application, token, **changes)))

    def test_of_a_session_that_has_ended(self, page: Page) -> None:
        token = sign_in(page, EMAIL)
        assert page.request.delete("/session", headers={"Authorization": f"Bearer {token}"}).ok
        expect_login(keep(page, token))

    @pytest.mark.slow
    def test_of_a_disabled_account(self, page: Page, application: Application) -> None:
        application.add_person(GRACE, PASSWORD)
        token = sign_in(page, GRACE)
        application.disable(GRACE)
        expect_login(keep(page, token))


def test_the_feedback_page_shows_the_login_screen_in_place(page: Page) -> None:
    keep(page, "nonsense").goto("/feedback")
    until(page, "localStorage.getItem('token') === null")
    ready(page)
    assert page.url.endswith("/feedback")
    SignInPage(page).sign_in(EMAIL, PASSWORD)
    expect(page).to_have_title("Feedback")
    assert page.url.endswith("/feedback")


class TestTwoTabs:
    @pytest.mark.slow
    @pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "for this session"])
    def test_signing_out_in_one_signs_out_the_other(self, page: Page, is_kept: bool) -> None:
        form = SignInPage(page).open()
        form.keep_signed_in.set_checked(is_kept)
        form.sign_in(EMAIL, PASSWORD)
        page.wait_for_url("**/dashboard/train")
        ready(page)
        other = page.context.new_page()
        other.goto("/generate/index")
        ready(other)
        page.bring_to_front()
        Shell(page).sign_out()
        other.wait_for_url("**/auth/login*")
        other.goto("/generate/index")
        other.wait_for_url("**/auth/login*")

    def test_signing_in_in_one_takes_the_other_along(self, page: Page) -> None:
        other = page.context.new_page()
        for tab in (page, other):
            SignInPage(tab).open()
        SignInPage(page).sign_in(EMAIL, PASSWORD)
        for tab in (page, other):
            tab.wait_for_url("**/dashboard/train")

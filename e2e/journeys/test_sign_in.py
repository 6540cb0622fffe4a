"""Signing in, staying signed in, and signing out."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.ready import ready, until
from e2e.pages.shell import ENTRIES, Shell
from e2e.pages.sign_in import SignInPage


class TestTheForm:
    def test_reads_as_specified_and_invites_to_register_where_there_is_room(self, page: Page) -> None:
        form = SignInPage(page).open()
        expect(page).to_have_title("Login")
        expect(page.get_by_role("heading", name="Welcome,")).to_be_visible()
        expect(page.get_by_text("Sign in to continue!")).to_be_visible()
        expect(form.keep_signed_in).to_be_checked()
        assert page.evaluate("document.documentElement.scrollHeight - innerHeight") == 0
        expect(page.get_by_role("link", name="Forgot password?")).to_have_attribute("href", "/auth/reset-password")
        expect(page.get_by_role("link", name="Get started")).to_be_visible()
        expect(page.get_by_role("link", name="Sign up")).to_be_visible()
        prompt = page.get_by_text("Don't have an account?")
        expect(prompt).to_be_visible()
        assert round((page.locator("form").bounding_box() or {})["width"]) == 426
        page.set_viewport_size({"width": 360, "height": 800})
        expect(prompt).to_be_hidden()
        expect(form.submit).to_be_visible()

    def test_can_be_read_before_any_script_runs(self, page: Page, application: Application) -> None:
        html = page.request.get("/auth/login").text()
        assert "Sign in to continue!" in html and "Keep Me Signed In" in html

    def test_says_what_is_wrong_once_a_field_was_touched_and_keeps_what_was_typed(self, page: Page) -> None:
        form = SignInPage(page).open()
        expect(page.get_by_text("Email is required")).to_have_count(0)
        form.email.focus()
        form.password.focus()
        expect(page.get_by_text("Email is required")).to_be_visible()
        expect(page.get_by_text("Password is required")).to_have_count(0)
        form.email.fill("ada")
        form.password.focus()
        expect(page.get_by_text("Email must be a valid email address")).to_be_visible()
        form.password.fill("secret")
        page.get_by_role("button", name="Show password").click()
        expect(form.password).to_have_attribute("type", "text")
        page.get_by_role("button", name="Hide password").click()
        expect(form.password).to_have_attribute("type", "password")
        expect(form.password).to_have_value("secret")
        form.sign_in("nobody@example.org", "wrong password")
        expect(form.alert).to_be_visible()
        expect(form.email).to_have_value("nobody@example.org")

    def test_says_in_the_alert_that_a_request_failed(self, page: Page, complaints: list[str]) -> None:
        form = SignInPage(page).open()
        page.route("**/session", lambda route: route.fulfill(status=502))
        form.sign_in(EMAIL, PASSWORD)
        expect(form.alert).to_have_text("Something went wrong")
        page.unroute("**/session")
        page.context.set_offline(True)
        form.submit.click()
        expect(form.alert).to_have_text("Something went wrong")
        expect(form.email).to_have_value(EMAIL)
        assert (
            page.evaluate("document.querySelector('form [role=alert]').compareDocumentPosition(document.getElementById('email'))")
            == 4
        )
        page.context.set_offline(False)
        complaints[:] = [said for said in complaints if "502" not in said]


class TestTheSession:
    def test_signing_in_leads_to_train_and_keeps_the_token_and_signing_out_forgets_it(self, page: Page) -> None:
        SignInPage(page).open().sign_in(EMAIL, PASSWORD)
        page.wait_for_url("**/dashboard/train")
        token = page.evaluate("localStorage.getItem('token')")
        assert token.count(".") == 2
        ready(page)
        Shell(page).sign_out()
        assert page.evaluate("localStorage.getItem('token')") is None
        page.goto("/dashboard/train")
        page.wait_for_url("**/auth/login*")

    @pytest.mark.parametrize("path", ["/", "/dashboard"])
    def test_the_home_route_is_train(self, recognized: Page, path: str) -> None:
        assert recognized.request.get(path).url.endswith("/dashboard/train")

    def test_an_unknown_path_is_a_404(self, page: Page) -> None:
        assert page.request.get("/no/such/page").url.endswith("/404")


class TestTheShell:
    @pytest.mark.slow
    def test_every_sidebar_entry_opens_its_screen_without_a_reload_and_the_menu_shows_who_is_signed_in(
        self, signed_in: Page
    ) -> None:
        signed_in.evaluate("window.sameDocument = true")
        for entry in ENTRIES:
            Shell(signed_in).go_to(entry)
            expect(signed_in.get_by_role("main")).to_be_visible()
        assert signed_in.evaluate("window.sameDocument") is True
        Shell(signed_in).account_menu.click()
        expect(signed_in.get_by_text("Ada Example")).to_be_visible()
        expect(signed_in.get_by_text(EMAIL)).to_be_visible()

    @pytest.mark.pain(15)
    def test_back_forward_and_reload_stay_in_step_and_the_sidebar_stays_collapsed(self, signed_in: Page) -> None:
        Shell(signed_in).go_to("Category")
        signed_in.wait_for_url("**/dashboard/category")
        signed_in.go_back()
        signed_in.wait_for_url("**/dashboard/train")
        signed_in.go_forward()
        signed_in.wait_for_url("**/dashboard/category")
        signed_in.reload()
        expect(signed_in).to_have_title(re.compile("Category"))

        ready(signed_in)
        sidebar = signed_in.get_by_role("navigation")
        assert round((sidebar.bounding_box() or {})["width"]) == 280
        signed_in.get_by_role("button", name="Collapse sidebar").click()
        expect(signed_in.get_by_role("button", name="Expand sidebar")).to_be_visible()
        until(signed_in, "Math.round(document.querySelector('nav').getBoundingClientRect().width) === 102")
        signed_in.reload()
        assert round((sidebar.bounding_box() or {})["width"]) == 102
        ready(signed_in)
        signed_in.get_by_role("button", name="Expand sidebar").click()
        ready(signed_in)

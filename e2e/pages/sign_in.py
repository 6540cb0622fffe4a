"""The sign-in screen."""

from __future__ import annotations

from playwright.sync_api import Page

from e2e.pages.ready import ready


class SignInPage:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.email = page.get_by_label("Email")
        self.password = page.get_by_label("Password", exact=True)
        self.keep_signed_in = page.get_by_role("checkbox", name="Keep Me Signed In")
        self.submit = page.get_by_role("button", name="Login", exact=True)
        self.alert = page.get_by_role("alert")

    def open(self) -> SignInPage:
        self.page.goto("/auth/login")
        ready(self.page)
        return self

    def sign_in(self, email: str, password: str) -> None:
        self.email.fill(email)
        self.password.fill(password)
        self.submit.click()

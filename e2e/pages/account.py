"""The account page."""

from __future__ import annotations

from typing import Literal

from playwright.sync_api import Locator, Page

from e2e.pages.ready import ready

Tab = Literal["general", "security", "tokens", "data"]


class AccountPage:
    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, tab: Tab = "general") -> AccountPage:
        self.page.goto(f"/dashboard/user/account?tab={tab}")
        ready(self.page)
        return self

    def part(self, name: str) -> Locator:
        """A section by its heading."""
        return self.page.get_by_role("region", name=name, exact=True)

    def upload_photo(self, name: str, content: bytes) -> None:
        with self.page.expect_file_chooser() as choosing:
            self.part("Photo").get_by_role("button", name="Choose photo").click()
        choosing.value.set_files([{"name": name, "mimeType": "image/png", "buffer": content}])

    def change_password(self, *, current: str, new: str) -> None:
        form = self.part("Password")
        form.get_by_label("Current password").fill(current)
        form.get_by_label("New password").fill(new)
        form.get_by_role("button", name="Change password").click()

    def change_email(self, email: str, *, password: str) -> None:
        form = self.part("Email")
        form.get_by_label("New email address").fill(email)
        form.get_by_label("Your password").fill(password)
        form.get_by_role("button", name="Change email address").click()

    def delete(self, *, email: str, password: str) -> None:
        form = self.part("Delete my account")
        form.get_by_label("Your email address").fill(email)
        form.get_by_label("Your password").fill(password)
        form.get_by_role("button", name="Delete my account").click()

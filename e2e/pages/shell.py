"""Sidebar, top bar, and account menu."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

from e2e.pages.ready import ready

ENTRIES = ["Opportunities", "Category", "Train", "Embedding History", "Generate"]


class Shell:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.sidebar = page.get_by_role("navigation")
        self.account_menu = page.get_by_role("button", name="Account menu")
        self.find = page.get_by_role("button", name="Search everything")
        self.settings = page.get_by_role("button", name="Settings")

    def go_to(self, entry: str) -> None:
        self.sidebar.get_by_role("link", name=entry, exact=True).click()
        ready(self.page)

    def sign_out(self) -> None:
        self.ask_to_sign_out().get_by_role("button", name="Yes, confirm").click()
        self.page.wait_for_url("**/auth/login*")

    def ask_to_sign_out(self) -> Locator:
        """Choose Logout; returns the confirmation dialog."""
        self.account_menu.click()
        self.page.get_by_role("menuitem", name="Logout").click()
        return self.page.get_by_role("dialog", name="Sure you want to Log Out?")

    def speak(self, language: str) -> None:
        """Choose a language in the settings."""
        self.settings.click()
        with self.page.expect_navigation():
            self.page.get_by_role("combobox", name="Language").select_option(label=language)
        ready(self.page)

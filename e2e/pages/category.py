"""The Category screen."""

from __future__ import annotations

from playwright.sync_api import Page

from e2e.pages.ready import ready


class CategoryPage:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.name = page.get_by_role("main").get_by_role("textbox", name="Name")
        self.create = page.get_by_role("button", name="Create category")

    def open(self) -> CategoryPage:
        self.page.goto("/dashboard/category")
        ready(self.page)
        return self

    def start_new(self, name: str) -> None:
        """Open the form and fill in the name."""
        self.page.get_by_role("button", name="New category").click()
        self.name.fill(name)
        ready(self.page)

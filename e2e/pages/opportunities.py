"""The list of opportunities."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from e2e.pages.ready import ready

IMPORT_TIMEOUT_MS = 120_000
CATEGORIZE_TIMEOUT_MS = 420_000


class OpportunitiesPage:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = page.get_by_role("main").get_by_role("status").filter(has_text=re.compile(r"^[\d,]+ opportunit"))

    def open_contracts(self) -> OpportunitiesPage:
        self.page.get_by_role("link", name="Contracts (SAM.gov)").click()
        self.page.wait_for_url("**/dashboard/sam")
        ready(self.page)
        return self

    def import_file(self, file: Path) -> Locator:
        """Upload a file and wait for the import; returns the summary."""
        self.more_actions()
        self.page.get_by_role("button", name="Import", exact=True).click()
        expect(self.page.get_by_role("button", name="Hide import")).to_be_hidden()  # the menu is closed
        self.page.locator("input[type=file]").set_input_files(file)
        summary = self.page.get_by_text(re.compile(r"^[\d,]+ new, .* rejected$")).first
        expect(summary).to_be_visible(timeout=IMPORT_TIMEOUT_MS)
        importing = self.page.get_by_role("progressbar", name=re.compile("^Importing"))
        expect(importing).to_have_count(0, timeout=IMPORT_TIMEOUT_MS)
        return summary

    def more_actions(self) -> None:
        """Open the menu with the actions that are needed less often."""
        self.page.get_by_role("button", name="More actions").click()

    def start_categorizing(self) -> None:
        self.page.get_by_role("button", name="Categorize", exact=True).click()
        expect(self.page.get_by_role("progressbar", name="Categorizing")).to_be_visible()

    def cancel_categorizing(self) -> None:
        self.page.get_by_role("button", name="Cancel", exact=True).click()
        expect(self.page.get_by_role("button", name="Categorize", exact=True)).to_be_visible()

    def categorize(self) -> Locator:
        """Wait until everything is categorized; returns the summary."""
        self.page.get_by_role("button", name="Categorize", exact=True).click()
        summary = self.page.get_by_role("status").filter(has_text="Last run:")
        expect(summary).to_be_visible(timeout=CATEGORIZE_TIMEOUT_MS)
        return summary

    def category_of(self, title: str) -> Locator:
        """The category and confidence that the list shows for an opportunity."""
        return self.page.get_by_role("row").filter(has_text=title).get_by_text(re.compile(r" · (High|Medium|Low)$"))

    def show(self, name: str) -> OpportunitiesPage:
        """Show "Open" opportunities (the default), "Closed", "Award notices", or "All"."""
        self.page.get_by_role("button", name=re.compile("^Show: ")).click()
        self.page.get_by_role("dialog", name="Show").get_by_role("link", name=name, exact=True).click()
        ready(self.page)
        return self

    def open_filter(self, label: str) -> Locator:
        """Open the popover of a filter, such as "Agency" or "More filters"; returns it."""
        self.page.get_by_role("group", name="Filters").get_by_role("button", name=re.compile(f"^(Filter: )?{label}")).click()
        ready(self.page)
        return self.page.get_by_role("dialog", name=label)

    def search(self, words: str) -> None:
        self.page.get_by_role("searchbox", name="Search").fill(words)
        self.page.get_by_role("searchbox", name="Search").press("Enter")
        ready(self.page)

    def export(self, file: Path) -> None:
        """Export all search results as CSV."""
        self.more_actions()
        with self.page.expect_download() as download:
            self.page.get_by_role("link", name="Export as CSV").click()
        download.value.save_as(file)

    def open_first(self) -> None:
        """Open the first opportunity, in the table or the card view."""
        self.page.get_by_role("group", name="Opportunities").or_(
            self.page.get_by_role("table", name="Opportunities")
        ).get_by_role("link").first.click()
        self.page.wait_for_url(re.compile(r"/dashboard/(sam|nih)/[0-9a-f-]{36}"))
        ready(self.page)

    def first_title(self) -> Locator:
        return self.page.get_by_role("table", name="Opportunities").get_by_role("link").first

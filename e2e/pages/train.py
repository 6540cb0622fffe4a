"""The Train screen."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from e2e.pages.ready import ready

TRAIN_TIMEOUT_MS = 120_000


class TrainPage:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.trained = page.get_by_role("main").get_by_text("Trained", exact=True)

    def add(self, files: list[Path]) -> None:
        rows = self.page.get_by_role("main").get_by_role("row")
        before = rows.count()
        self.page.locator("input[type=file]").set_input_files(files)
        outcome = f"{len(files)} files uploaded" if len(files) > 1 else "Uploaded"
        expect(self.page.locator(".fw-uploads").get_by_text(outcome, exact=True)).to_be_visible()
        expect(rows).not_to_have_count(before)
        ready(self.page)

    def open_text(self) -> Locator:
        """The form for a pasted text."""
        ready(self.page)
        self.page.get_by_role("button", name="Paste text").click()
        ready(self.page)
        return self.page.get_by_role("form", name="Paste text")

    def wait_until_processed(self) -> None:
        """New documents are processed automatically."""
        main = self.page.get_by_role("main")
        for label in ("Processing", "Not trained yet"):
            expect(main.get_by_text(label, exact=True)).to_have_count(0, timeout=TRAIN_TIMEOUT_MS)
        expect(self.trained.first).to_be_visible()
        expect(self.page.get_by_role("button", name="Train", exact=True)).to_be_enabled(timeout=TRAIN_TIMEOUT_MS)

    def choose_kind(self, title: str, kind: str) -> None:
        self.page.get_by_role("row").filter(has_text=title).click()
        self.page.get_by_label("Kind", exact=True).select_option(label=kind)
        ready(self.page)

    def train(self) -> None:
        """Train everything again and wait until it is done."""
        self.page.get_by_role("button", name="Train", exact=True).click()
        expect(self.page.get_by_role("button", name="Train", exact=True)).to_be_enabled(timeout=TRAIN_TIMEOUT_MS)

    def ask(self, question: str) -> None:
        self.page.get_by_role("textbox", name="Question").fill(question)
        self.page.get_by_role("button", name="Ask").click()
        ready(self.page)

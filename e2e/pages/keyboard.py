"""Using a page without a mouse."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

MAX_STEPS = 60


class Keyboard:
    def __init__(self, page: Page) -> None:
        self.page = page

    def tab_to(self, wanted: Locator) -> Keyboard:
        """Press Tab until `wanted` has the focus."""
        for _ in range(MAX_STEPS):
            if wanted.evaluate("element => element === document.activeElement"):
                return self
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab was pressed {MAX_STEPS} times without reaching {wanted}.")

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def enter(self) -> None:
        self.press("Enter")

"""Every screen, narrow and wide, light and dark, in both directions: axe finds nothing and nothing sticks out sideways."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from e2e.journeys.screens.conftest import Visiting
from e2e.pages.ready import ready, until
from e2e.pages.screens import GUARDED, OVERSEEN, PUBLIC, Things
from e2e.pages.shell import Shell

NARROW, WIDE = ViewportSize(width=360, height=780), ViewportSize(width=1440, height=900)

# Colours, direction and width do not depend on each other: two looks show every value of each.
LOOKS = [("light", "ltr", NARROW), ("dark", "rtl", WIDE)]


# What is still fading in has no contrast yet.
SETTLED = """document.getAnimations().every(
  (each) => each.playState !== "running" || each.effect.getComputedTiming().iterations === Infinity
)"""


@dataclass(frozen=True)
class Look:
    """How somebody has set up the pages that are opened."""

    mode: str
    direction: str
    size: ViewportSize
    visiting: Visiting
    base_url: str

    def open(self, path: str, *, token: str = "") -> Page:
        chosen = {"themeMode": self.mode, "themeDirection": self.direction, "themeColor": "default", "themeStretch": False}
        kept = {"origin": self.base_url, "localStorage": [{"name": "settings", "value": json.dumps(chosen)}]}
        page = self.visiting(token, viewport=self.size, storage_state={"cookies": [], "origins": [kept]}).new_page()
        page.goto(path)
        page.wait_for_url(f"**{path}")
        return ready(page)

    def assert_accessible(self, page: Page) -> None:
        ready(page)
        shown = page.evaluate("[document.documentElement.dataset.mode, document.documentElement.dir]")
        assert shown == [self.mode, self.direction]
        until(page, SETTLED)
        found: list[dict[str, Any]] = Axe().run(page).response["violations"]
        assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}-{look[2]['width']}px")
def look(request: pytest.FixtureRequest, visiting: Visiting, base_url: str) -> Look:
    mode, direction, size = request.param
    return Look(mode, direction, size, visiting, base_url)


@pytest.mark.parametrize("path", PUBLIC)
def test_screens_before_signing_in(look: Look, path: str) -> None:
    look.assert_accessible(look.open(path))


@pytest.mark.parametrize("pattern", GUARDED)
def test_screens_of_the_product(look: Look, token: str, things: Things, pattern: str) -> None:
    look.assert_accessible(look.open(things.path(pattern), token=token))


@pytest.mark.parametrize("path", OVERSEEN)
def test_screens_of_administrators(look: Look, administrator: str, path: str) -> None:
    look.assert_accessible(look.open(path, token=administrator))


@pytest.mark.parametrize("path", ["/dashboard/category", "/generate/index"])
def test_what_the_top_bar_opens(look: Look, token: str, path: str) -> None:
    page = look.open(path, token=token)
    shell = Shell(page)
    shell.account_menu.click()
    expect(page.get_by_role("menu", name="Account menu")).to_be_visible()
    look.assert_accessible(page)
    page.keyboard.press("Escape")
    shell.settings.click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    look.assert_accessible(page)
    page.keyboard.press("Escape")
    shell.find.click()
    expect(page.get_by_role("option").first).to_be_visible()
    look.assert_accessible(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    look.assert_accessible(page)
    page.keyboard.press("Escape")
    dialog = shell.ask_to_sign_out()
    expect(dialog).to_be_visible()
    look.assert_accessible(page)
    dialog.get_by_role("button", name="No, cancel").click()
    expect(dialog).to_be_hidden()

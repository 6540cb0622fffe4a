"""Every screen, narrow and wide, light and dark, in both directions: axe finds nothing, nothing sticks out sideways, and React's
development build hydrates the narrow one without a word."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from e2e.journeys.screens.conftest import Prepare, Visiting
from e2e.pages.ready import ready, until
from e2e.pages.screens import GUARDED, OVERSEEN, PUBLIC, Things
from e2e.pages.shell import Shell

NARROW, WIDE = ViewportSize(width=360, height=780), ViewportSize(width=1440, height=900)

# Colours, direction and width do not depend on each other: two looks show every value of each.
LOOKS = [("light", "ltr", NARROW), ("dark", "rtl", WIDE)]
LANGUAGES = ("en", "de", "fr")


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
    prepare: Prepare | None
    base_url: str

    def open(self, path: str, *, token: str = "", language: str = "en") -> Page:
        chosen = {"themeMode": self.mode, "themeDirection": self.direction, "themeColor": "default", "themeStretch": False}
        kept = {"origin": self.base_url, "localStorage": [{"name": "settings", "value": json.dumps(chosen)}]}
        state = {"cookies": [], "origins": [kept]}
        browser = self.visiting(token, self.prepare, viewport=self.size, locale=language, storage_state=state)
        page = browser.new_page()
        page.goto(path)
        page.wait_for_url(f"**{path}")
        ready(page)
        assert page.evaluate("Object.keys(document.querySelector('#root')).some((key) => key.startsWith('__react'))")
        return page

    def assert_accessible(self, page: Page, *, part: str = "html") -> None:
        ready(page)
        shown = page.evaluate("[document.documentElement.dataset.mode, document.documentElement.dir]")
        assert shown == [self.mode, self.direction]
        until(page, SETTLED)
        found: list[dict[str, Any]] = Axe().run(page, context=part).response["violations"]
        assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture
def complaints(complaints: list[str]) -> Iterator[list[str]]:
    """But not those of MUI's table, which the server does not render: its styles would not do there, says the development build."""
    yield complaints
    complaints[:] = [said for said in complaints if "potentially unsafe when doing server-side rendering" not in said]


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}-{look[2]['width']}px")
def look(request: pytest.FixtureRequest, visiting: Visiting, talkative: Prepare, base_url: str) -> Look:
    mode, direction, size = request.param
    prepare = talkative if size is NARROW else None  # the other look is at what people are served
    return Look(mode, direction, size, visiting, prepare, base_url)


def in_turn(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Each with one of the languages: what a screen does in one of them it does in the others."""
    return list(zip(paths, cycle(LANGUAGES), strict=False))


@pytest.mark.parametrize(("path", "language"), in_turn(PUBLIC))
def test_screens_before_signing_in(look: Look, path: str, language: str) -> None:
    look.assert_accessible(look.open(path, language=language))


@pytest.mark.parametrize(("pattern", "language"), in_turn(GUARDED))
def test_screens_of_the_product(look: Look, token: str, things: Things, pattern: str, language: str) -> None:
    look.assert_accessible(look.open(things.path(pattern), token=token, language=language))


@pytest.mark.parametrize(("path", "language"), in_turn(OVERSEEN))
def test_screens_of_administrators(look: Look, administrator: str, path: str, language: str) -> None:
    look.assert_accessible(look.open(path, token=administrator, language=language))


@pytest.mark.parametrize("path", ["/dashboard/category", "/generate/index"])
def test_what_the_top_bar_opens(look: Look, token: str, path: str) -> None:
    page = look.open(path, token=token)
    shell = Shell(page)
    shell.account_menu.click()
    expect(page.get_by_role("menu", name="Account menu")).to_be_visible()
    look.assert_accessible(page, part="[role=menu]")
    page.keyboard.press("Escape")
    shell.settings.click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    look.assert_accessible(page, part="[role=dialog], dialog")
    page.keyboard.press("Escape")
    shell.find.click()
    expect(page.get_by_role("option").first).to_be_visible()
    look.assert_accessible(page, part="[role=dialog], dialog")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    look.assert_accessible(page, part="[role=dialog], dialog")
    page.keyboard.press("Escape")
    dialog = shell.ask_to_sign_out()
    expect(dialog).to_be_visible()
    look.assert_accessible(page, part="[role=dialog], dialog")
    dialog.get_by_role("button", name="No, cancel").click()
    expect(dialog).to_be_hidden()

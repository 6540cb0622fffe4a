"""Every screen, narrow and wide, light and dark, in both directions: axe finds nothing and nothing sticks out sideways."""

from __future__ import annotations

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from e2e.conftest import recognise
from e2e.pages.ready import ready
from e2e.pages.screens import GUARDED, PUBLIC, Things
from e2e.pages.shell import Shell

NARROW, WIDE = {"width": 360, "height": 780}, {"width": 1440, "height": 900}


# Colours and direction have nothing to do with each other: two looks show both of each.
LOOKS = {"light": "ltr", "dark": "rtl"}


@pytest.fixture(params=LOOKS)
def mode(request: pytest.FixtureRequest, page: Page) -> str:
    """The colours that the person has chosen, and with them a direction."""
    chosen = {"themeMode": request.param, "themeDirection": LOOKS[request.param], "themeColor": "default", "themeStretch": False}
    page.add_init_script(f"localStorage.setItem('settings', {json.dumps(json.dumps(chosen))})")
    return request.param


@pytest.fixture(params=[NARROW, WIDE], ids=["360px", "1440px"])
def sized(request: pytest.FixtureRequest, page: Page, mode: str) -> Page:
    """A page of that width in those colours."""
    page.set_viewport_size(request.param)
    return page


def assert_accessible(page: Page, mode: str) -> None:
    ready(page)
    assert page.evaluate("[document.documentElement.dataset.mode, document.documentElement.dir]") == [mode, LOOKS[mode]]
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("path", PUBLIC)
def test_screens_before_signing_in(sized: Page, mode: str, path: str) -> None:
    sized.goto(path)
    assert_accessible(sized, mode)


@pytest.mark.parametrize("pattern", GUARDED)
def test_screens_of_the_product(sized: Page, token: str, things: Things, mode: str, pattern: str) -> None:
    path = things.path(pattern)
    recognise(sized, token).goto(path)
    sized.wait_for_url(f"**{path}")
    assert_accessible(sized, mode)


@pytest.mark.parametrize("path", ["/dashboard/category", "/generate/index"])
def test_what_the_top_bar_opens(sized: Page, token: str, mode: str, path: str) -> None:
    recognise(sized, token).goto(path)
    ready(sized)
    shell = Shell(sized)
    shell.account_menu.click()
    expect(sized.get_by_role("menu", name="Account menu")).to_be_visible()
    assert_accessible(sized, mode)
    sized.keyboard.press("Escape")
    shell.settings.click()
    expect(sized.get_by_role("dialog", name="Settings")).to_be_visible()
    assert_accessible(sized, mode)
    sized.keyboard.press("Escape")
    dialog = shell.ask_to_sign_out()
    expect(dialog).to_be_visible()
    assert_accessible(sized, mode)
    dialog.get_by_role("button", name="No, cancel").click()
    expect(dialog).to_be_hidden()

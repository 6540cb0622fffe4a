"""Every screen, narrow and wide, light and dark: axe finds nothing to complain about and nothing sticks out sideways."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from e2e.conftest import EMAIL, PASSWORD, Application
from e2e.pages.opportunities import OpportunitiesPage
from e2e.pages.ready import ready

PUBLIC = ["/auth/login", "/auth/register/standard/open", "/auth/reset-password", "/404"]
SIGNED_IN = [
    "/dashboard/train",
    "/dashboard/nih",
    "/dashboard/sam",
    "/dashboard/category",
    "/dashboard/history",
    "/generate/index",
]
NARROW, WIDE = {"width": 360, "height": 780}, {"width": 1440, "height": 900}


@pytest.fixture(scope="session")
def token(application: Application, browser: Browser) -> Iterator[str]:
    context = browser.new_context(base_url=application.url)
    answer = context.request.post("/signin", data={"email": EMAIL, "password": PASSWORD}).json()
    yield answer["token"]
    context.close()


@pytest.fixture(params=["light", "dark"])
def mode(request: pytest.FixtureRequest, page: Page) -> str:
    """The colours that the person has chosen."""
    chosen = {"themeMode": request.param, "themeDirection": "ltr", "themeColor": "default", "themeStretch": False}
    page.add_init_script(f"localStorage.setItem('settings', {json.dumps(json.dumps(chosen))})")
    return request.param


@pytest.fixture(params=[NARROW, WIDE], ids=["360px", "1440px"])
def sized(request: pytest.FixtureRequest, page: Page, mode: str) -> Page:
    """A page of that width in those colours."""
    page.set_viewport_size(request.param)
    return page


@pytest.fixture
def recognised(sized: Page, token: str) -> Page:
    """Such a page, signed in as Ada."""
    answer = sized.request.post("/session", data={"token": token}, headers={"X-Requested-With": "fundwright"})
    assert answer.ok
    return sized


def assert_accessible(page: Page, mode: str) -> None:
    ready(page)
    assert page.evaluate("document.documentElement.dataset.mode") == mode
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("path", PUBLIC)
def test_screens_before_signing_in(sized: Page, mode: str, path: str) -> None:
    sized.goto(path)
    assert_accessible(sized, mode)


@pytest.mark.parametrize("path", SIGNED_IN)
def test_screens_of_the_product(recognised: Page, mode: str, path: str) -> None:
    recognised.goto(path)
    recognised.wait_for_url(f"**{path}")
    assert_accessible(recognised, mode)


def test_an_opportunity(recognised: Page, mode: str) -> None:
    recognised.goto("/dashboard/nih")
    ready(recognised)
    OpportunitiesPage(recognised).open_first()
    assert_accessible(recognised, mode)

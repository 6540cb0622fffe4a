"""A new build is deployed while the server runs and a person is filling in a form."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.application import started
from e2e.builds import MARK, copy_build, deploy, expect_the_new_build
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.category import CategoryPage
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage


def open_half_filled_form(page: Page, url: str) -> CategoryPage:
    page.goto(f"{url}/auth/login")
    SignInPage(page).sign_in(EMAIL, PASSWORD)
    page.wait_for_url(f"{url}/dashboard/train")
    page.goto(f"{url}/dashboard/category?open=new")
    ready(page)
    screen = CategoryPage(page)
    screen.name.fill("Half a category")
    ready(page)
    page.evaluate(MARK)
    return screen


@pytest.mark.slow
def test_a_missing_chunk_reloads_the_page_with_what_was_typed(page: Page, tmp_path: Path, complaints: list[str]) -> None:
    build = copy_build(tmp_path)
    with started(tmp_path, environment={"FUNDWRIGHT_WEB_DIST": str(build)}) as application:
        application.add_person(EMAIL, PASSWORD)
        screen = open_half_filled_form(page, application.url)
        deploy(build)
        Shell(page).settings.click()
        expect(page.locator("script[data-main$='-new.js']")).to_have_count(1)
        ready(page)
        expect_the_new_build(page, screen, "Half a category")
        assert any("404" in each or "dynamically imported module" in each for each in complaints)
        complaints.clear()

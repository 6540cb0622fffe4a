"""The first start: a one-time link, and no other way to create an account; then a server that is killed, and a new build, while a person
is filling in a form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.application import free_port, started
from e2e.builds import MARK, copy_build, deploy, expect_the_new_build
from e2e.conftest import NewContext
from e2e.pages.category import CategoryPage
from e2e.pages.ready import ready


@pytest.mark.pain(5)
@pytest.mark.slow
def test_the_printed_link_makes_the_first_administrator_whose_form_outlives_a_kill_and_a_new_build(
    page: Page, new_context: NewContext, complaints: list[str], tmp_path: Path
) -> None:
    build = copy_build(tmp_path)
    port, environment = free_port(), {"FUNDWRIGHT_WEB_DIST": str(build)}
    screen = CategoryPage(page)
    with started(tmp_path, port=port, environment=environment) as application:
        link = re.search(r"http\S+/auth/first-admin/\S+", (tmp_path / "server.log").read_text())
        assert link
        page.goto(link[0])
        ready(page)
        page.get_by_label("Name").fill("Grace Example")
        page.get_by_label("Email").fill("grace@example.org")
        page.get_by_label("Password", exact=True).fill("seven quiet lighthouses")
        page.get_by_role("main").get_by_role("button", name=re.compile("create", re.IGNORECASE)).click()
        page.wait_for_url(f"{application.url}/dashboard/train")
        ready(page)
        expect(page.get_by_role("heading", name="Train", level=1)).to_be_visible()

        stranger = new_context().new_page()
        stranger.goto(link[0])
        ready(stranger)
        expect(stranger.get_by_label("Password", exact=True)).to_have_count(0)
        stranger.close()

        page.goto(f"{application.url}/dashboard/category")
        ready(page)
        screen.start_new("Typed before the kill")
        page.get_by_role("button", name="Collapse sidebar").click()  # kept in the database
        ready(page)
        where = page.url
        application.process.kill()
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    with started(tmp_path, port=port, environment=environment):
        ready(page)
        expect(screen.name).to_have_value("Typed before the kill")
        expect(page.get_by_role("button", name="Expand sidebar")).to_be_visible()
        assert page.url == where
        screen.create.click()
        expect(page.get_by_role("article", name="Typed before the kill")).to_be_visible()

        screen.start_new("Typed before the new build")
        page.evaluate(MARK)
    deploy(build)
    with started(tmp_path, port=port, environment=environment):
        expect(page.locator("script[data-main$='-new.js']")).to_have_count(1)
        ready(page)
        expect_the_new_build(page, screen, "Typed before the new build")
    # The page may wait for an answer of the killed server, or ask for a chunk of the old build.
    expected = ("Failed to load resource", "dynamically imported module")
    complaints[:] = [each for each in complaints if not any(remark in each for remark in expected)]

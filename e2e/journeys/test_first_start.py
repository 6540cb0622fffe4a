"""The first start: a one-time link, and no other way to create an account."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from e2e.application import started
from e2e.pages.ready import ready


def test_the_printed_link_makes_the_first_administrator_once(page: Page, tmp_path: Path) -> None:
    with started(tmp_path) as application:
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

        page.context.clear_cookies()
        page.evaluate("localStorage.clear()")
        page.goto(link[0])
        ready(page)
        expect(page.get_by_label("Password", exact=True)).to_have_count(0)

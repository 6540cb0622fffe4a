"""The package in docs/extending.md, installed like any other, works in a browser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.application import PROJECT, started
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage
from tests.support.python_path import python_path


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that contains the package as `pip install` leaves it."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", folder, PROJECT / "tests/ui/extension"], check=True)
    return folder


@pytest.mark.slow
def test_its_screen_entry_widget_and_topic_work(page: Page, installed: Path, tmp_path: Path) -> None:
    with started(tmp_path, environment=python_path(installed)) as application:
        application.add_person(EMAIL, PASSWORD)
        page.goto(f"{application.url}/auth/login")
        SignInPage(page).sign_in(EMAIL, PASSWORD)
        page.wait_for_url("**/dashboard/train")
        Shell(page).go_to("Bell")
        expect(page.get_by_role("heading", name="Bell")).to_be_visible()

        listener = page.context.new_page()
        listener.goto(f"{application.url}/dashboard/bell")
        ready(listener)
        page.bring_to_front()
        page.get_by_role("slider", name="Times").fill("3")
        page.get_by_role("button", name="Ring").click()

        expect(page.get_by_role("main").get_by_role("status")).to_have_text("Ada Example rang 3 times.")
        expect(listener.get_by_role("main").get_by_role("status")).to_have_text("Ada Example rang 3 times.")
        fetched = listener.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
        assert len([name for name in fetched if "/assets/bell-" in name]) == 1

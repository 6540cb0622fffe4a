"""Jobs in a separate worker: their progress is visible on the pages of the server, which runs no jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.application import started, working
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.ready import ready
from e2e.pages.sign_in import SignInPage
from e2e.pages.train import TrainPage


@pytest.mark.slow
def test_a_job_waits_for_the_worker_and_what_it_does_reaches_the_page(page: Page, tmp_path: Path) -> None:
    with started(tmp_path, "--no-worker") as application:
        application.add_person(EMAIL, PASSWORD, has_sample=True)
        page.goto(f"{application.url}/auth/login")
        ready(page)
        SignInPage(page).sign_in(EMAIL, PASSWORD)
        page.wait_for_url("**/dashboard/train")
        ready(page)
        train = TrainPage(page)
        document = tmp_path / "roofs.md"
        document.write_text("# Roofs\n\nWe repair roofs of occupied buildings, shingles and gutters included.\n")
        train.add([document])
        page.evaluate("window.isSamePage = true")
        # The sample documents and the added one are queued for training, but no worker runs yet.
        start = page.get_by_role("button", name="Train", exact=True)
        expect(page.get_by_role("progressbar", name="Training")).to_be_visible()
        expect(start).to_be_disabled()
        with working(tmp_path):
            train.wait_until_processed()
        assert page.evaluate("window.isSamePage")

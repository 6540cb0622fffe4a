"""`make dev`: a changed file takes effect on the open page, which keeps its place and input."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.application import FUNDWRIGHT, PROJECT, free_port, wait_until_it_answers
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.ready import ready
from e2e.pages.sign_in import SignInPage
from tests.support.python_path import python_path

BACK_WITHIN_MS = 90_000


def package(folder: Path) -> Path:
    """The package in docs/extending.md with an additional text field; returns the file of its screen."""
    shutil.copytree(PROJECT / "tests/ui/extension/fundwright_bell", folder / "fundwright_bell")
    about = folder / "fundwright_bell-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: fundwright-bell\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[fundwright]\nbell = fundwright_bell.plugin\n")
    screen = folder / "fundwright_bell/bell.py"
    source = screen.read_text().replace("button, page,", "button, page, text_field,")
    screen.write_text(source.replace("heard), pull)", 'heard), pull, text_field("note", "Note"))'))
    return screen


@pytest.mark.slow
def test_a_half_filled_form_stays_while_the_text_around_it_changes(page: Page, tmp_path: Path) -> None:
    folder, data, port = tmp_path / "package", tmp_path / "data", free_port()
    folder.mkdir()
    data.mkdir()
    screen = package(folder)
    environment = {**os.environ, **python_path(folder), "FUNDWRIGHT_DATA": str(data)}
    command = [sys.executable, "-m", "scripts.dev", "--port", str(port), "--watch", folder, "--web-is-built"]
    add_user = [FUNDWRIGHT, "user", "add", EMAIL, "--role", "user", "--name", "Ada Example", "--password-stdin"]
    with (tmp_path / "dev.log").open("w") as log:
        server = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=log, stderr=log)
    try:
        wait_until_it_answers(f"http://127.0.0.1:{port}/auth/login", server, tmp_path / "dev.log")
        subprocess.run(add_user, cwd=PROJECT, env=environment, input=PASSWORD, text=True, check=True, capture_output=True)
        page.goto(f"http://127.0.0.1:{port}/auth/login?next=/dashboard/bell%3Fshown=1")
        SignInPage(page).sign_in(EMAIL, PASSWORD)
        page.wait_for_url("**/dashboard/bell?shown=1")
        ready(page)
        page.get_by_role("textbox", name="Note").fill("half a sen")
        page.evaluate("window.isTheSameDocument = true")

        screen.write_text(screen.read_text().replace("Nobody has rung yet.", "Quiet so far."))

        expect(page.get_by_role("main").get_by_role("status")).to_have_text("Quiet so far.", timeout=BACK_WITHIN_MS)
        ready(page)
        expect(page.get_by_role("textbox", name="Note")).to_have_value("half a sen")
        assert page.url.endswith("/dashboard/bell?shown=1")
        assert page.evaluate("window.isTheSameDocument")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)

"""Starts the real application once and opens it in a real browser."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from e2e.pages.screens import Things, find_things
from e2e.pages.sign_in import SignInPage

PROJECT = Path(__file__).parent.parent
EMAIL, PASSWORD = "ada@example.org", "a quiet harbour at dawn"
START_TIMEOUT_S = 60


@dataclass(frozen=True)
class Application:
    """A running server, the folder it works in, and what its environment has besides ours."""

    url: str
    data: Path
    process: subprocess.Popen[bytes]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def command(self, *arguments: str, stdin: str = "") -> dict[str, Any]:
        """Run `fundwright` beside the server; answers its last line, one JSON object."""
        done = subprocess.run(
            [FUNDWRIGHT, "--data", self.data, *arguments, "--json"],
            input=stdin, capture_output=True, text=True, check=False, cwd=PROJECT, env=os.environ | self.environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.strip().splitlines()[-1])


FUNDWRIGHT = Path(sys.executable).parent / "fundwright"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def started(
    data: Path, *options: str, port: int | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[Application]:
    """The application on an empty data folder, as `make run` starts it, or again on one that it has left.

    `options` are further ones of `fundwright serve`, `environment` further variables.
    """
    port = port or free_port()
    environment = environment or {}
    base = urlsplit(environment.get("FUNDWRIGHT_PUBLIC_URL", "")).path
    with (data / "server.log").open("a") as log:
        server = subprocess.Popen(
            [FUNDWRIGHT, "--data", data, "serve", "--port", str(port), *options],
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=PROJECT,
            env={**os.environ, **environment},
        )
    application = Application(f"http://127.0.0.1:{port}{base}", data, server, environment)
    try:
        _wait_until_it_answers(application.url, server, data / "server.log")
        yield application
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="session")
def application() -> Iterator[Application]:
    with tempfile.TemporaryDirectory(prefix="fundwright e2e ") as folder, started(Path(folder)) as application:
        application.command("user", "add", EMAIL, "--role", "user", "--name", "Ada Example", "--password-stdin", stdin=PASSWORD)
        yield application


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        assert server.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(f"{url}/auth/login"):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise TimeoutError(log.read_text())


@pytest.fixture(scope="session")
def base_url(application: Application) -> str:
    return application.url


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    arguments = ["--disable-gpu", "--disable-quic", "--disable-background-networking"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    return {"args": arguments} | ({"executable_path": chromium} if chromium else {})


@pytest.fixture(autouse=True)
def complaints(page: Page) -> Iterator[list[str]]:
    """A console error or warning, an uncaught exception or a breach of the content security policy fails the journey.

    Whichever tab of the browser says it; a journey that expects one takes it out of this list.
    """
    said: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not _is_expected(message):
            said.append(message.text)

    page.context.on("console", listen)
    page.context.on("weberror", lambda error: said.append(str(error.error)))
    yield said
    assert said == []


def _is_expected(message: ConsoleMessage) -> bool:
    """Chromium's own remarks on an error page, which it shows; on a token that is refused; on a server or network that is not there."""
    if "ERR_CONNECTION_REFUSED" in message.text or "ERR_INTERNET_DISCONNECTED" in message.text:
        return True
    status = {"/404": 404, "/500": 500, "/session": 401}.get(urlsplit(str(message.location.get("url", ""))).path)
    return message.text.startswith("Failed to load resource") and f" {status} " in message.text


@pytest.fixture(scope="session")
def token(application: Application, browser: Browser) -> Iterator[str]:
    """What `/signin` gives to Ada."""
    context = browser.new_context(base_url=application.url)
    answer = context.request.post("/signin", data={"email": EMAIL, "password": PASSWORD}).json()
    yield answer["token"]
    context.close()


@pytest.fixture(scope="session")
def things(application: Application, browser: Browser, token: str) -> Things:
    return find_things(browser, application.url, token)


def recognise(page: Page, token: str) -> Page:
    """Give the browser the cookie of the token's session, as a page does that finds a token only."""
    answer = page.request.post("/session", data={"token": token}, headers={"X-Requested-With": "fundwright"})
    assert answer.ok
    return page


@pytest.fixture
def recognised(page: Page, token: str) -> Page:
    """A page that has loaded nothing yet, in a browser that Ada is signed in with."""
    return recognise(page, token)


@pytest.fixture
def signed_in(page: Page) -> Page:
    """A page on the Train screen, signed in as Ada."""
    SignInPage(page).open().sign_in(EMAIL, PASSWORD)
    page.wait_for_url("**/dashboard/train")
    return page

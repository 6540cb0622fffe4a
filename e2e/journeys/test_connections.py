"""Two web processes on one database, behind proxies that choose a process for each connection, or refuse WebSockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page

from e2e.application import Application, free_port, started
from e2e.conftest import EMAIL, PASSWORD
from e2e.journeys.test_main_job import SAMPLE_NOTICES, do_main_job
from e2e.pages.ready import ready
from e2e.pages.sign_in import SignInPage
from e2e.proxy import Proxy
from fundwright.core.postgres import EmbeddedPostgres


@dataclass(frozen=True)
class Site:
    """The processes, and the proxies in front of both: one that is open to everything, and one that knows no WebSockets."""

    processes: tuple[Application, Application]
    proxy: Proxy
    strict_proxy: Proxy

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.proxy.port}"

    @property
    def strict_url(self) -> str:
        return f"http://127.0.0.1:{self.strict_proxy.port}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("two")
    (folder / "data").mkdir()
    ports = [free_port() for _ in range(4)]
    with ExitStack() as stack:
        environment = {
            "DATABASE_URL": stack.enter_context(EmbeddedPostgres(folder / "database").use()),
            "FUNDWRIGHT_ALLOWED_ORIGINS": json.dumps([f"http://127.0.0.1:{port}" for port in ports]),
        }
        first, second = (stack.enter_context(started(folder / "data", port=port, environment=environment)) for port in ports[:2])
        first.add_person(EMAIL, PASSWORD)
        first.add_person("bob@example.org", PASSWORD)
        proxy = stack.enter_context(Proxy(ports[2], ports[:2]).running())
        strict_proxy = stack.enter_context(Proxy(ports[3], ports[:2], refuses_upgrades=True).running())
        yield Site((first, second), proxy, strict_proxy)


@pytest.fixture(scope="session")
def base_url() -> str:
    """No journey here opens the application that the others share."""
    return ""


def sign_in(page: Page, url: str, email: str) -> str:
    """Returns the token."""
    page.goto(f"{url}/auth/login")
    ready(page)
    SignInPage(page).sign_in(email, PASSWORD)
    page.wait_for_url(f"{url}/dashboard/train")
    ready(page)
    return page.evaluate("localStorage.getItem('token')")


def test_the_main_job_where_websockets_are_refused(page: Page, site: Site, complaints: list[str], tmp_path: Path) -> None:
    """Each of its requests goes to either process, those of one stream, too."""
    heard: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(frame)))
    sign_in(page, site.strict_url, EMAIL)
    do_main_job(page, SAMPLE_NOTICES, tmp_path)
    assert heard == []
    assert set(site.strict_proxy.opened) == set(site.strict_proxy.targets)
    refusals = [each for each in complaints if "WebSocket connection to" in each and "403" in each]
    assert complaints == refusals and len(refusals) <= 4  # the tab remembers
    complaints.clear()

"""Two web processes on one database, behind proxies that choose a process for each connection or reject WebSockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from websockets.sync.client import connect
from websockets.typing import Origin

from e2e.application import Application, free_port, started
from e2e.conftest import EMAIL, PASSWORD
from e2e.journeys.test_main_job import NOTICES, do_main_job
from e2e.pages.ready import ready, until
from e2e.pages.sign_in import SignInPage
from e2e.proxy import Proxy
from fundwright.core.postgres import EmbeddedPostgres
from tests.support.databases import environment_of

pytestmark = pytest.mark.slow

ROUNDS = 200
COMPARE_EVERY = 20
MAX_PAGES = 50

WATCH = """() => new MutationObserver(() => {
  window.wasLost ||= !document.documentElement.hasAttribute("data-ready");
}).observe(document.documentElement, { attributes: true })"""
COME_BACK = """() => new Promise(done => {
  const look = () => {
    if (document.documentElement.hasAttribute("data-ready")) return done();
    dispatchEvent(new Event("pageshow"));  // ends the wait before the next attempt
    setTimeout(look, 50);
  };
  look();
})"""


@dataclass(frozen=True)
class Site:
    """The processes, and the proxies in front of both: one without restrictions, and one that does not support WebSockets."""

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
            **environment_of(stack.enter_context(EmbeddedPostgres(folder / "database").use())),
            "FUNDWRIGHT_RESUME_S": "5",  # the other process need not keep pages for long
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
    """No journey here opens the shared application."""
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
    """Each of its requests goes to either process, including those of one stream."""
    heard: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(frame)))
    sign_in(page, site.strict_url, EMAIL)
    do_main_job(page, NOTICES, tmp_path)
    assert heard == []
    assert site.strict_proxy.asked == set(site.strict_proxy.targets)
    refusals = [each for each in complaints if "WebSocket connection to" in each and "403" in each]
    assert complaints == refusals and len(refusals) <= 4  # the tab has stored that WebSockets are blocked
    complaints.clear()


def test_a_page_whose_connections_go_to_either_process_misses_nothing(page: Page, site: Site, complaints: list[str]) -> None:
    first, second = site.processes
    site.proxy.targets[:] = [site.proxy.targets[0]]
    token = sign_in(page, site.url, "bob@example.org")
    person = page.context.request
    headers = {"Authorization": f"Bearer {token}"}
    category: dict[str, Any] = person.post(f"{first.url}/api/categories", data={"name": "Round"}, headers=headers).json()
    page.goto(f"{site.url}/dashboard/category")
    ready(page)
    page.evaluate(WATCH)

    def play(rounds: range) -> None:
        for number in rounds:
            name = f"Round {number}"
            person.patch(f"{first.url}/api/categories/{category['id']}", data={"name": name}, headers=headers)
            if number % 2:  # otherwise, the change has not arrived yet
                expect(page.get_by_role("article", name=name, exact=True)).to_be_visible()
            page.evaluate("window.wasLost = false")
            site.proxy.cut()
            until(page, "window.wasLost")
            page.evaluate(COME_BACK)
            expect(page.get_by_role("article", name=name, exact=True)).to_be_visible()
            if number % COMPARE_EVERY == 0:
                assert_as_fresh(page, first.url)

    with ExitStack() as stack:
        # The second process refuses the page, and its refusals are frames of no session.
        for _ in range(MAX_PAGES):
            stack.enter_context(another_page(second, token))
        site.proxy.targets.append(site.strict_proxy.targets[1])
        play(range(1, ROUNDS // 2 + 1))
    refused = site.proxy.switches
    assert refused > ROUNDS / 10
    play(range(ROUNDS // 2 + 1, ROUNDS + 1))
    assert site.proxy.switches - refused > ROUNDS / 10
    complaints[:] = [each for each in complaints if "ERR_INCOMPLETE_CHUNKED_ENCODING" not in each]  # an interrupted response


@contextmanager
def another_page(application: Application, token: str) -> Iterator[None]:
    """Another page of the same person, in the background."""
    address = application.url.replace("http", "ws") + "/socket"
    cookie = {"Cookie": f"session={token}"}
    with connect(address, origin=Origin(application.url), additional_headers=cookie, ping_interval=None) as socket:
        socket.send(json.dumps({"type": "hello", "path": "/404", "hash": None}))
        while json.loads(socket.recv(30))["type"] != "mount":
            pass
        yield


def assert_as_fresh(page: Page, url: str) -> None:
    """The page shows the same categories as a newly opened one; notices are categorized in the meantime."""
    tab = page.context.new_page()
    tab.goto(f"{url}/dashboard/category")
    ready(tab)
    assert categories(page) == categories(tab)
    tab.close()


def categories(page: Page) -> list[str]:
    return page.get_by_role("article").evaluate_all("cards => cards.map(card => card.getAttribute('aria-label'))")

"""Two web processes behind nginx, over HTTPS and below a path, with the configuration that docs/running.md shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
from playwright.sync_api import Error, Page, WebSocket, expect

from e2e.application import PROJECT, Application, free_port, started
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.category import CategoryPage
from e2e.pages.opportunities import OpportunitiesPage
from e2e.pages.polling import eventually
from e2e.pages.ready import ready, scroll_to, until
from e2e.pages.screens import PUBLIC
from e2e.pages.shell import ENTRIES, Shell
from e2e.pages.sign_in import SignInPage
from e2e.pages.train import TRAIN_TIMEOUT_MS, TrainPage
from fundwright.core.postgres import EmbeddedPostgres
from tests.support.databases import environment_of
from tests.support.requirements import missing

IMPATIENT_S = 2
MORE_OF_NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log; {user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {documented}
}}
"""


@dataclass(frozen=True)
class Site:
    """The public address, the processes behind it, and a second address where nginx times out after `IMPATIENT_S`."""

    url: str
    impatient_url: str
    processes: tuple[Application, Application]


def find_nginx() -> str:
    """The program, installed from Debian's packages if possible; otherwise the tests are skipped."""
    path = f"{os.environ['PATH']}:/usr/sbin"
    if not shutil.which("nginx", path=path) and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}  # installed, not started
        install = ["apt-get", "install", "-y", "--no-install-recommends", "nginx-light"]
        subprocess.run(install, env=quiet, check=False, capture_output=True, timeout=120)
    nginx = shutil.which("nginx", path=path)
    if nginx is None:
        missing("nginx is neither installed nor can be: apt-get install nginx-light")
    return nginx


def documented(ports: Mapping[str, str], folder: Path) -> str:
    """The configuration in docs/running.md with our addresses and certificate, and a copy of its server with a shorter timeout."""
    (text,) = re.findall(r"^```nginx\n(.*?)^```", (PROJECT / "docs/running.md").read_text(), re.DOTALL | re.MULTILINE)
    for name, value in {
        "127.0.0.1:8001": ports["first"],
        "127.0.0.1:8002": ports["second"],
        "listen 443": f"listen {ports['public']}",
        "/etc/ssl/certs/intranet.pem": str(folder / "cert.pem"),
        "/etc/ssl/private/intranet.key": str(folder / "key.pem"),
    }.items():
        assert text.count(name) == 1
        text = text.replace(name, value)
    upstream, server = (text[text.index(start) :] for start in ("upstream fundwright {", "server {"))
    assert "proxy_read_timeout 60s;" in server
    impatient = server.replace(ports["public"], ports["impatient"]).replace("_timeout 60s", f"_timeout {IMPATIENT_S}s")
    # nginx sends nothing to a process for 10 s after a timeout. This must not affect the server with the long timeout.
    own = (upstream[: upstream.index("}") + 1] + impatient).replace("upstream fundwright", "upstream impatient")
    impatient = own.replace("http://fundwright", "http://impatient")
    return text + impatient


@contextmanager
def nginx(folder: Path, ports: Mapping[str, str]) -> Iterator[None]:
    program = find_nginx()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
         "-subj", "/CN=127.0.0.1", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    user = "user root;" if os.geteuid() == 0 else ""
    configuration = MORE_OF_NGINX.format(folder=folder, user=user, documented=documented(ports, folder))
    (folder / "nginx.conf").write_text(configuration)
    proxy = subprocess.Popen([program, "-e", folder / "error.log", "-p", folder, "-c", folder / "nginx.conf"])
    try:
        yield
        assert proxy.poll() is None, (folder / "error.log").read_text()
    finally:
        proxy.terminate()
        proxy.wait(20)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("proxied")
    find_nginx()
    ports = {name: f"127.0.0.1:{free_port()}" for name in ("public", "impatient", "first", "second")}
    with ExitStack() as stack:
        environment = {
            **environment_of(stack.enter_context(EmbeddedPostgres(folder / "database").use())),
            "FUNDWRIGHT_PUBLIC_URL": f"https://{ports['public']}/app",
            "FUNDWRIGHT_ALLOWED_ORIGINS": f'["https://{ports["impatient"]}"]',
            "FUNDWRIGHT_TRUSTED_PROXIES": '["127.0.0.1"]',
        }
        (folder / "data").mkdir()
        first, second = (
            stack.enter_context(
                started(folder / "data", "--root-path", "/app", port=int(ports[name].split(":")[1]), environment=environment)
            )
            for name in ("first", "second")
        )
        first.add_person(EMAIL, PASSWORD, has_sample=True)
        stack.enter_context(nginx(folder, ports))
        yield Site(f"https://{ports['public']}/app", f"https://{ports['impatient']}/app", (first, second))


@pytest.fixture(scope="session")
def base_url() -> str:
    """No journey here opens the shared application."""
    return ""


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "ignore_https_errors": True}


def sign_in(page: Page, url: str) -> Page:
    page.goto(f"{url}/auth/login")
    ready(page)
    SignInPage(page).sign_in(EMAIL, PASSWORD)
    page.wait_for_url(f"{url}/dashboard/train")
    return ready(page)


def another(page: Page, url: str) -> Page:
    """Another tab of the same browser."""
    tab = page.context.new_page()
    tab.goto(url)
    return ready(tab)


def connections(application: Application) -> int:
    """The number of connections to nginx: one for each open page, because nginx keeps no idle connections."""
    port = urlsplit(application.url).port
    held = psutil.Process(application.process.pid).net_connections("tcp")
    return sum(one.status == psutil.CONN_ESTABLISHED and one.laddr.port == port for one in held)


def pages_of(page: Page, site: Site) -> list[int]:
    """The number of open pages per process, once only these pages have connections."""

    def counted() -> list[int] | None:
        held = [connections(process) for process in site.processes]
        return held if sum(held) == len(page.context.pages) else None

    return eventually(counted)


def tabs_at_both(page: Page, site: Site, path: str) -> list[Page]:
    """Two more tabs, one at each process.

    nginx alternates between processes, and skips a process for 10 s after a failure. A tab makes the same number of requests each
    time, so one extra request for every other tab changes the process, whether that number is odd or even.
    """
    tabs: dict[int, Page] = {}
    turns = cycle((False, True))

    def placed() -> list[Page] | None:
        before = pages_of(page, site)
        if next(turns):
            page.request.get(f"{site.url}/auth/login")
        tab = another(page, site.url + path)
        (place,) = (place for place, (was, now) in enumerate(zip(before, pages_of(page, site), strict=True)) if now > was)
        if place in tabs:
            tab.close()
        else:
            tabs[place] = tab
        return list(tabs.values()) if len(tabs) == len(site.processes) else None

    return eventually(placed, within_s=60)


@pytest.mark.slow
@pytest.mark.pain(11, 15, 20)
class TestBelowAPath:
    def test_everything_works(self, page: Page, site: Site, tmp_path: Path) -> None:
        page.goto(f"{site.url}/dashboard/sam?q=systems")
        ready(page)
        assert page.url == f"{site.url}/auth/login?next=%2Fdashboard%2Fsam%3Fq%3Dsystems"
        SignInPage(page).sign_in(EMAIL, PASSWORD)
        page.wait_for_url(f"{site.url}/dashboard/sam?q=systems")
        ready(page)
        expect(page.get_by_role("searchbox", name="Search")).to_have_value("systems")

        OpportunitiesPage(page).more_actions()
        with page.expect_download() as saved:
            page.get_by_role("link", name="Export as CSV").click()
        assert saved.value.suggested_filename.endswith(".csv")
        assert saved.value.url.startswith(f"{site.url}/api/")

        heading = page.get_by_role("main").get_by_role("heading", level=1)
        for entry in ENTRIES:
            Shell(page).go_to(entry)
            assert page.url.startswith(f"{site.url}/")
            words = heading.inner_text()
            page.reload()
            ready(page)
            expect(heading).to_have_text(words)
        page.go_back()
        ready(page)
        assert page.url == f"{site.url}/dashboard/history"

        page.goto(f"{site.url}/dashboard/train")
        ready(page)
        document = tmp_path / "roofs.md"
        document.write_text("# Roofs\n\nWe repair roofs of occupied buildings, shingles and gutters included.\n")
        TrainPage(page).add([document])

        category = CategoryPage(page)
        Shell(page).go_to("Category")
        category.start_new("Roofs")
        category.create.click()
        expect(page.get_by_text("The category was created.")).to_be_visible()

        page.goto(f"{site.url}/api/docs")
        expect(page.get_by_role("heading", name=re.compile("^access"))).to_be_visible()
        scroll_to(page, page.get_by_role("button", name=re.compile(r"^get .*api\W+account\W+sessions$"))).click()
        page.get_by_role("button", name="Execute").click()
        expect(page.locator(".live-responses-table .response-col_status").filter(has_text="200")).to_be_visible()

        page.goto(site.url)
        page.wait_for_url(f"{site.url}/dashboard/train")
        ready(page)
        Shell(page).sign_out()
        assert page.evaluate("localStorage.getItem('token')") is None
        for path in PUBLIC:
            if path not in ("/404", "/500", "/maintenance", "/blog/{post}"):
                page.goto(site.url + path)
                ready(page)

    def test_the_cookie_belongs_to_this_host_and_to_https(self, page: Page, site: Site) -> None:
        sign_in(page, site.url)
        (cookie,) = (each for each in page.context.cookies() if each.get("name") == "__Host-session")
        assert (cookie.get("secure"), cookie.get("httpOnly"), cookie.get("path"), cookie.get("sameSite")) == (
            True,
            True,
            "/",
            "Lax",
        )

    def test_a_token_alone_is_enough(self, page: Page, site: Site) -> None:
        sign_in(page, site.url)
        page.context.clear_cookies()
        page.goto(f"{site.url}/generate/index")
        ready(page)
        until(page, "!document.querySelector('form[aria-label]')?.querySelector('[type=password]')")
        assert page.evaluate("localStorage.getItem('token')") is not None
        assert any(each.get("name") == "__Host-session" for each in page.context.cookies())

    @pytest.mark.security(4)
    @pytest.mark.parametrize("is_proxied", [True, False], ids=["through nginx", "directly"])
    def test_people_are_known_by_their_own_address(self, site: Site, is_proxied: bool) -> None:
        """The machine's second loopback address represents a person's, because it is not a trusted proxy."""
        url = site.url if is_proxied else site.processes[0].url
        transport = httpx.HTTPTransport(verify=False, local_address="127.0.0.2")
        with httpx.Client(transport=transport, headers={"X-Forwarded-For": "203.0.113.9"}) as person:
            token = person.post(f"{url}/signin", json={"email": EMAIL, "password": PASSWORD}).json()["token"]
            sessions = person.get(f"{url}/api/account/sessions", headers={"Authorization": f"Bearer {token}"}).json()
        assert max(sessions["items"], key=lambda session: session["created_at"])["address"] == "127.0.0.2"


@pytest.mark.slow
@pytest.mark.pain(2)
class TestImpatientProxy:
    @pytest.mark.usefixtures("own_clock")
    def test_pings_keep_the_socket_of_an_idle_page_open(self, page: Page, site: Site) -> None:
        """The page's clock is advanced: it sends a ping every 20 s of its own time, and nginx times out after 2 s of ours."""
        sign_in(page, site.impatient_url)
        sockets: list[WebSocket] = []
        page.on("websocket", lambda opened: sockets.append(opened))
        page.goto(f"{site.impatient_url}/dashboard/category")
        ready(page)
        for _ in range(2 * IMPATIENT_S):  # one second each
            page.clock.fast_forward(20_500)
            with pytest.raises(Error, match="Timeout"):
                sockets[0].wait_for_event("close", timeout=1_000)
        assert len(sockets) == 1

    def test_a_socket_that_is_cut_is_replaced_unnoticed(self, page: Page, site: Site) -> None:
        sign_in(page, site.impatient_url)
        sockets: list[WebSocket] = []
        page.on("websocket", lambda opened: sockets.append(opened))
        page.goto(f"{site.impatient_url}/dashboard/category")
        ready(page)
        screen = CategoryPage(page)
        screen.start_new("Half a")
        screen.name.evaluate("element => { window.typedInto = element; window.scrollTo(0, 40) }")
        page.evaluate(
            "() => new MutationObserver(() => { window.hasSaid ||= !!document.querySelector('.fw-offline') })"
            ".observe(document.body, {childList: true, subtree: true})"
        )
        while len(sockets) < 3:  # two connections were ended
            page.wait_for_event("websocket")
        ready(page)
        screen.name.press_sequentially(" name")
        assert page.evaluate("window.typedInto === document.activeElement && window.typedInto.isConnected && !window.hasSaid")
        expect(screen.name).to_have_value("Half a name")
        screen.create.click()
        expect(page.get_by_role("article", name="Half a name")).to_be_visible()


@pytest.mark.pain(11)
class TestTwoProcesses:
    @pytest.mark.slow
    def test_share_pages_sign_ins_live_topics_jobs_and_files(self, page: Page, site: Site, tmp_path: Path) -> None:
        sign_in(page, site.url)
        others = tabs_at_both(page, site, "/dashboard/train")
        page.bring_to_front()
        document = tmp_path / "gutters.md"
        document.write_text("# Gutters\n\nWe clean gutters of occupied buildings, downpipes included.\n")
        TrainPage(page).add([document])
        for tab in others:
            tab.bring_to_front()
            expect(tab.get_by_text("1 more entry in this list")).to_be_visible()
            tab.get_by_role("button", name="Show", exact=True).click()
        page.bring_to_front()
        for tab in (page, *others):
            expect(tab.get_by_role("row", name="gutters About us Trained")).to_be_visible(timeout=TRAIN_TIMEOUT_MS)

    @pytest.mark.slow
    def test_one_that_is_killed_leaves_its_pages_to_the_other(self, page: Page, site: Site) -> None:
        sign_in(page, site.url)
        tabs = tabs_at_both(page, site, "/dashboard/category?open=new")
        for number, tab in enumerate(tabs):
            tab.bring_to_front()
            CategoryPage(tab).name.fill(f"Kept {number}")
            ready(tab)
        other, killed = site.processes  # the first one is requested without nginx
        sockets = connections(other) + connections(killed)
        killed.process.kill()
        killed.process.wait()
        for tab in (page, *tabs):
            tab.bring_to_front()  # a page in the background takes longer to reconnect
            ready(tab)
        eventually(lambda: connections(other) >= sockets or None)
        for number, tab in enumerate(tabs):
            tab.bring_to_front()
            ready(tab)
            expect(CategoryPage(tab).name).to_have_value(f"Kept {number}")
            CategoryPage(tab).create.click()
            expect(tab.get_by_role("article", name=f"Kept {number}")).to_be_visible()

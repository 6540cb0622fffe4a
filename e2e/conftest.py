"""Starts the application once and opens it in a real browser."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import jwt
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, WebError, expect
from pytest_playwright.pytest_playwright import CreateContextCallback

from e2e.application import Application, launch_options, started
from e2e.browsers import Browsers
from e2e.pages.outbox import Outbox
from e2e.pages.ready import ready
from e2e.pages.screens import Fixtures, find_fixtures
from fundwright.accounts.schemas import Role
from fundwright.authentication.sessions import RENEWED_AFTER

# Otherwise, Hypothesis' plug-in imports it at the end, while threads run, and Python 3.11 cannot always compile then.
import_module("hypothesis")

# Journeys test behavior, not speed: the machine may be busy.
expect.set_options(timeout=15_000)

EMAIL, PASSWORD = "ada@example.org", "a quiet harbor at dawn"
ADMINISTRATOR = "administrator@example.org"

NewContext = Callable[..., BrowserContext]
"""Takes the options of Playwright's `browser.new_context`."""


@pytest.fixture(scope="session")
def application() -> Iterator[Application]:
    with tempfile.TemporaryDirectory(prefix="fundwright e2e ") as folder, started(Path(folder)) as application:
        application.add_person(EMAIL, PASSWORD, has_sample=True)
        yield application


@pytest.fixture(scope="session")
def base_url(application: Application) -> str:
    return application.url


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return launch_options()


@pytest.fixture(autouse=True)
def complaints() -> Iterator[list[str]]:
    """A console error or warning, an uncaught exception, or a violation of the content security policy fails the journey.

    Applies to all pages of browsers from `new_context`. A journey that expects a message removes it from this list.
    """
    said: list[str] = []
    yield said
    assert said == []


@pytest.fixture(scope="session")
def browsers(browser: Browser) -> Browsers:
    return Browsers(browser)


@pytest.fixture
def new_context(
    request: pytest.FixtureRequest,
    new_context: CreateContextCallback,
    browsers: Browsers,
    browser_context_args: dict[str, Any],
    complaints: list[str],
) -> Iterator[NewContext]:
    """Opens an isolated browser whose errors are added to `complaints`. `page` is in such a browser, too.

    With `--tracing`, `--video`, or `--screenshot`, pytest-playwright creates and records it.
    """
    is_recorded = any(request.config.getoption(name) != "off" for name in ("--tracing", "--video", "--screenshot"))
    with ExitStack() as opened:

        def make(**options: Any) -> BrowserContext:
            lent = browsers.lent({**browser_context_args, **options})
            context = new_context(**options) if is_recorded else opened.enter_context(lent)
            return opened.enter_context(listening(context, complaints))

        yield make


@pytest.fixture
def own_clock(context: BrowserContext, browsers: Browsers) -> None:
    """The journey can set the browser's clock."""
    browsers.retire(context)
    context.clock.install()


@contextmanager
def listening(context: BrowserContext, complaints: list[str]) -> Iterator[BrowserContext]:
    """Adds errors of the browser's pages to `complaints`."""

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not _is_expected(message):
            complaints.append(message.text)

    def note(error: WebError) -> None:
        complaints.append(str(error.error))

    context.on("console", listen)
    context.on("weberror", note)
    yield context
    context.remove_listener("console", listen)
    context.remove_listener("weberror", note)


_AWAY = ("ERR_CONNECTION_REFUSED", "ERR_INTERNET_DISCONNECTED", "WebSocket is closed before the connection is established")

_LATE = "was preloaded using link preload but not used within a few seconds"
"""Means only that the machine is busy: the client does not start before the first frame."""


def _is_expected(message: ConsoleMessage) -> bool:
    """Chromium's own messages about an error page that it shows, about a rejected token, and about a server or network that is
    unavailable."""
    if any(remark in message.text for remark in (*_AWAY, _LATE)):
        return True
    status = {"/404": 404, "/500": 500, "/maintenance": 503, "/session": 401}.get(
        urlsplit(str(message.location.get("url", ""))).path
    )
    return message.text.startswith("Failed to load resource") and f" {status} " in message.text


class Tokens:
    """Tokens as `/signin` returns them. A token is reused until pages may have renewed it: an old copy would end its session."""

    def __init__(self, application: Application, browser: Browser) -> None:
        self._application, self._browser = application, browser
        self._tokens: dict[str, str] = {}

    def of(self, email: str) -> str:
        token = self._tokens.get(email)
        if token is None or _age(token) > RENEWED_AFTER / 2:
            context = self._browser.new_context(base_url=self._application.url)
            token = self._tokens[email] = sign_in(context, email)
            context.close()
        return token


def _age(token: str) -> timedelta:
    claims = jwt.decode(token, options={"verify_signature": False})
    return datetime.now(UTC) - datetime.fromtimestamp(claims["iat"], UTC)


@pytest.fixture(scope="session")
def tokens(application: Application, browser: Browser) -> Tokens:
    application.add_person(ADMINISTRATOR, PASSWORD, name="Root Example", role=Role.ADMIN)
    return Tokens(application, browser)


@pytest.fixture
def token(tokens: Tokens) -> str:
    """Ada's."""
    return tokens.of(EMAIL)


@pytest.fixture
def administrator(tokens: Tokens) -> str:
    """An administrator's token."""
    return tokens.of(ADMINISTRATOR)


@pytest.fixture
def outbox(application: Application) -> Outbox:
    return Outbox(application.emails)


@pytest.fixture(scope="session")
def fixtures(application: Application, browser: Browser, tokens: Tokens) -> Fixtures:
    return find_fixtures(browser, application.url, tokens.of(EMAIL), tokens.of(ADMINISTRATOR))


Visitor = TypeVar("Visitor", Page, BrowserContext)


def recognize(visitor: Visitor, token: str) -> Visitor:
    """Give the browser the session cookie of the token, as a page that finds only a token does."""
    answer = visitor.request.post("/session", data={"token": token}, headers={"X-Requested-With": "fundwright"})
    assert answer.ok
    return visitor


@pytest.fixture
def recognized(page: Page, token: str) -> Page:
    """A blank page in a browser in which Ada is signed in."""
    return recognize(page, token)


def sign_in(visitor: Page | BrowserContext, email: str, password: str = PASSWORD) -> str:
    """Sign a person in without the form. Returns the token, which is in no page's storage."""
    answer = visitor.request.post("/signin", data={"email": email, "password": password})
    assert answer.ok
    return answer.json()["token"]


def open_train(page: Page, email: str, password: str = PASSWORD) -> Page:
    """Sign a person in on the Train screen, with the token in storage as the form leaves it."""
    token = sign_in(page, email, password)
    page.goto("/dashboard/train")
    ready(page)
    page.evaluate("token => localStorage.setItem('token', token)", token)
    return page


@pytest.fixture
def signed_in(page: Page) -> Page:
    """A page on the Train screen, signed in as Ada."""
    return open_train(page, EMAIL)

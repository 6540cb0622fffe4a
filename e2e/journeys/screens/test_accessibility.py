"""Every screen and tab for every role that may open it, narrow and wide, light and dark, left-to-right and right-to-left: axe
reports nothing, nothing overflows the page, sizes are as designed, and React's development build hydrates the wide one without messages. `make test`
opens one address of each kind once, narrow and light, with the production build."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any
from urllib.parse import urlsplit

import pytest
from _pytest.mark import ParameterSet
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, expect

from e2e.application import Application
from e2e.conftest import PASSWORD
from e2e.journeys.screens.conftest import Visiting, addresses_of
from e2e.pages.measures import assert_as_designed
from e2e.pages.ready import ready, until
from e2e.pages.screens import ADDRESSES, Fixtures, find_own, requests_of
from e2e.pages.shell import Shell
from fundwright.accounts.schemas import Role
from fundwright_ui import plugin
from fundwright_ui.extension import Screen
from fundwright_ui.runtime.router import PUBLIC

NARROW, WIDE = ViewportSize(width=360, height=780), ViewportSize(width=1440, height=900)

# Colors, direction, and width are independent of each other: two looks cover every value of each.
LookOptions = tuple[str, str, ViewportSize]
LOOKS: Sequence[LookOptions] = (("light", "ltr", NARROW), ("dark", "rtl", WIDE))
LIGHT, DARK = LOOKS

STYLE_OF_BUTTON = """(button) => {
  const style = getComputedStyle(button);
  return ["backgroundColor", "color", "fontFamily", "fontSize", "fontWeight", "lineHeight", "letterSpacing", "borderRadius", "height", "boxShadow"]
    .map((name) => `${name}: ${style[name]}`);
}"""

# A screen behaves the same in every language.
AS_ROLE: dict[Role | None, tuple[LookOptions, str]] = {
    None: (LIGHT, "en"),
    Role.USER: (LIGHT, "en"),
    Role.ADMIN: (DARK, "de"),
}
_IN_TURN = cycle(("en", "de", "fr"))


ALIKE = {
    "/auth/login-unprotected": "/auth/login",
    "/auth/register-unprotected": "/auth/register/standard/open",
    "/auth/verify/ada@example.org?link=spent": "/auth/verify/ada@example.org",
    "/auth/confirm-email/spent": "/auth/confirm-reset/spent",
    "/auth/first-admin/spent": "/auth/confirm-reset/spent",
    "/payment": "/pricing",
    "/help/searching": "/help",
    "/coming-soon": "/404",
    "/maintenance": "/404",
    "/500": "/404",
    "/dashboard/nih": "/dashboard/sam",
    "/dashboard/nih/{grant}": "/dashboard/sam/{contract}",
    "/dashboard/user/account?tab=data": "/dashboard/user/account?tab=tokens",
    "/dashboard/analyze?days=7": "/dashboard/analyze",
    "/dashboard/analyze?days=90": "/dashboard/analyze",
    "/dashboard/blog/{post_id}/edit": "/dashboard/blog/new-post",
    "/dashboard/freepremium": "/dashboard/payment/history",
    "/dashboard/freepremium/{link}": "/dashboard/payment/history/{invoice}",
    "/dashboard/subscription/{account}": "/dashboard/users/{account}",
    "/dashboard/users?tab=invitations": "/dashboard/users",
    "/dashboard/audit": "/dashboard/outbox",
}
"""Addresses that `make test` leaves to `make soak`, each with the one that it opens instead."""
assert {*ALIKE, *ALIKE.values()} <= set(ADDRESSES) and not set(ALIKE) & set(ALIKE.values())


# Elements that are still fading in have no contrast yet. Animations that follow scrolling never end.
SETTLED = """document.getAnimations().filter((each) => each.timeline === document.timeline).every(
  (each) => each.playState !== "running" || each.effect.getComputedTiming().iterations === Infinity
)"""


@dataclass(frozen=True)
class Look:
    """A person's display settings and screen width."""

    mode: str
    direction: str
    size: ViewportSize
    visiting: Visiting
    base_url: str

    @property
    def is_phone(self) -> bool:
        return self.size == NARROW

    def open(self, path: str, *, token: str = "", language: str = "en") -> Page:
        chosen = {"themeMode": self.mode, "themeDirection": self.direction, "themeColor": "default", "themeStretch": False}
        kept = {"origin": self.base_url, "localStorage": [{"name": "settings", "value": json.dumps(chosen)}]}
        spoken = {"name": "language", "value": language, "domain": urlsplit(self.base_url).hostname, "path": "/", "expires": -1}
        cookie = {**spoken, "httpOnly": False, "secure": False, "sameSite": "Lax"}
        state = {"cookies": [cookie], "origins": [kept]}
        browser = self.visiting(
            token, base_url=self.base_url, viewport=self.size, locale=language, storage_state=state, has_touch=self.is_phone,
            is_mobile=self.is_phone,
        )  # fmt: skip
        page = browser.new_page()
        page.goto(path)
        page.wait_for_url(f"**{path}")
        ready(page)
        assert page.evaluate("Object.keys(document.querySelector('#root')).some((key) => key.startsWith('__react'))")
        return page

    def assert_accessible(self, page: Page, *, part: str = "html") -> None:
        ready(page)
        shown = page.evaluate("[document.documentElement.dataset.mode, document.documentElement.dir]")
        assert shown == [self.mode, self.direction]
        until(page, SETTLED)
        found: list[dict[str, Any]] = Axe().run(page, context=part).response["violations"]
        assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture
def complaints(complaints: list[str]) -> Iterator[list[str]]:
    """Except messages about MUI's table, which the server does not render: the development build warns about its styles."""
    yield complaints
    complaints[:] = [said for said in complaints if "potentially unsafe when doing server-side rendering" not in said]


MakeLook = Callable[[LookOptions], "Look"]


@pytest.fixture
def make_look(visiting: Visiting, base_url: str, request: pytest.FixtureRequest) -> MakeLook:
    def make(options: LookOptions) -> Look:
        url = request.getfixturevalue("development_url") if options == DARK else base_url
        return Look(*options, visiting, url)

    return make


@pytest.fixture(
    params=[LIGHT, pytest.param(DARK, marks=pytest.mark.slow)], ids=lambda look: f"{look[0]}-{look[1]}-{look[2]['width']}px"
)
def look(request: pytest.FixtureRequest, make_look: MakeLook) -> Look:
    return make_look(request.param)


@dataclass(frozen=True)
class Visit:
    """A visit to a screen at one of its addresses. `role` is None for a person who is not signed in."""

    pattern: str
    role: Role | None
    look: LookOptions
    language: str

    def __str__(self) -> str:
        return f"{self.pattern}-{self.role or 'stranger'}-{self.look[0]}"


def visits() -> list[Visit]:
    """Every address of every screen, once for each role that may open it, and with each look. Sorted by role."""
    found: list[Visit] = []
    for screen in plugin.screens():
        for pattern in addresses_of(screen):
            found += [Visit(pattern, role, look, language) for role, look, language in visitors(screen)]
    return sorted(found, key=lambda visit: list(AS_ROLE).index(visit.role))


def visitors(screen: Screen) -> Iterator[tuple[Role | None, LookOptions, str]]:
    is_public = screen.area == PUBLIC
    if is_public or screen.visitor_screen:
        language = next(_IN_TURN)
        yield from ((None, look, language) for look in LOOKS)
    if is_public and screen.away_when_signed_in is None:
        yield (Role.USER, *AS_ROLE[Role.USER])
    if not is_public:
        roles = [role for role in Role if screen.roles is None or role in screen.roles]
        yield from ((role, *AS_ROLE[role]) for role in roles)
        seen = {AS_ROLE[role][0][0] for role in roles}
        yield from ((roles[0], look, "fr") for look in LOOKS if look[0] not in seen)


class Member:
    """An account with its own work that gets one role after the other."""

    EMAIL = "member@example.org"

    def __init__(self, application: Application, browser: Browser, fixtures: Fixtures) -> None:
        self._application, self._browser = application, browser
        application.add_person(self.EMAIL, PASSWORD, has_sample=True)
        self._role = Role.USER
        self._token = self._sign_in()
        with requests_of(browser, application.url, self._token) as requests:
            self.fixtures = replace(fixtures, **find_own(requests))

    def token(self, role: Role) -> str:
        if role != self._role:
            self._application.change_role(self.EMAIL, role)
            self._role, self._token = role, self._sign_in()
        return self._token

    def _sign_in(self) -> str:
        with requests_of(self._browser, self._application.url) as requests:
            return requests.post("/signin", data={"email": self.EMAIL, "password": PASSWORD}).json()["token"]


@pytest.fixture(scope="module")
def member(application: Application, browser: Browser, fixtures: Fixtures) -> Member:
    return Member(application, browser, fixtures)


def cases() -> Iterator[ParameterSet]:
    """All visits. The quick ones are the first visit, narrow and light, of each address that is not like another."""
    seen = set(ALIKE)
    for visit in visits():
        is_quick = visit.look == LIGHT and visit.pattern not in seen
        if is_quick:
            seen.add(visit.pattern)
        yield pytest.param(visit, marks=[] if is_quick else [pytest.mark.slow], id=str(visit))


@pytest.mark.parametrize("visit", list(cases()))
def test_screens(visit: Visit, member: Member, fixtures: Fixtures, make_look: MakeLook) -> None:
    look = make_look(visit.look)
    address = (member.fixtures if visit.role else fixtures).path(visit.pattern)
    page = look.open(address, token=member.token(visit.role) if visit.role else "", language=visit.language)
    look.assert_accessible(page)
    assert_as_designed(page, is_phone=look.is_phone)
    if "?" not in address:
        others: list[str] = page.evaluate(
            "[...document.querySelectorAll('.fw-tabs [href]:not([aria-current])')].map(tab => tab.getAttribute('href'))"
        )
        assert set(others) <= {fixtures.path(each) for each in ADDRESSES}, (
            "Add the addresses of the tabs to e2e/pages/screens.py."
        )


@pytest.mark.parametrize("path", ["/dashboard/category", pytest.param("/generate/index", marks=pytest.mark.slow)])
def test_what_the_top_bar_opens(look: Look, token: str, path: str) -> None:
    page = look.open(path, token=token)
    shell = Shell(page)
    if look.is_phone:
        page.get_by_role("button", name="Open navigation").click()
        expect(page.get_by_role("button", name="Close navigation")).to_be_focused()
        look.assert_accessible(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Open navigation")).to_be_focused()
    shell.account_menu.click()
    expect(page.get_by_role("menu", name="Account menu")).to_be_visible()
    look.assert_accessible(page, part="[role=menu]")
    page.keyboard.press("Escape")
    shell.settings.click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    look.assert_accessible(page, part="[role=dialog], dialog")
    page.keyboard.press("Escape")
    shell.find.click()
    expect(page.get_by_role("option").first).to_be_visible()
    look.assert_accessible(page, part="[role=dialog], dialog")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    look.assert_accessible(page, part="[role=dialog], dialog")
    page.keyboard.press("Escape")
    dialog = shell.ask_to_sign_out()
    expect(dialog).to_be_visible()
    of_mui = dialog.locator(".MuiButton-contained").evaluate(STYLE_OF_BUTTON)
    for of_python in page.locator(".fw-button-contained:enabled").all():
        assert of_python.evaluate(STYLE_OF_BUTTON) == of_mui
    look.assert_accessible(page, part="[role=dialog], dialog")
    dialog.get_by_role("button", name="No, cancel").click()
    expect(dialog).to_be_hidden()

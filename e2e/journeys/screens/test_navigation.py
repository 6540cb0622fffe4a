"""Every screen has an address that works: opened directly, reloaded, and returned to, before and after signing in."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Page, expect

from e2e.conftest import EMAIL, PASSWORD
from e2e.journeys.screens.conftest import Visiting, addresses_of
from e2e.pages.ready import ready
from e2e.pages.screens import ADMINISTERED, GUARDED, Fixtures
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage
from fundwright_ui import plugin


def opened_again(patterns: Sequence[str], *quick: str) -> list[ParameterSet]:
    """All of these addresses; `make test` opens only the `quick` ones."""
    assert set(quick) <= set(patterns)
    return [pytest.param(pattern, marks=[] if pattern in quick else [pytest.mark.slow]) for pattern in patterns]


def test_no_screen_is_left_out() -> None:
    assert [screen.path for screen in plugin.screens() if not addresses_of(screen)] == []


@pytest.mark.pain(15)
@pytest.mark.parametrize(
    "pattern",
    opened_again(GUARDED, "/dashboard/sam/{contract}", "/generate/slug/{draft}", "/dashboard/user/account?tab=tokens"),
)
def test_a_screen_can_be_opened_loaded_again_and_come_back_to(
    visiting: Visiting, token: str, fixtures: Fixtures, pattern: str
) -> None:
    page, path = visiting(token).new_page(), fixtures.path(pattern)
    heading = page.get_by_role("main").get_by_role("heading", level=1)

    def expect_the_screen() -> None:
        ready(page)
        assert page.url.endswith(path)
        expect(page).to_have_title(title)
        expect(heading).to_have_text(words)

    page.goto(path)
    ready(page)
    title, words = page.title(), heading.inner_text()
    expect_the_screen()
    page.reload()
    expect_the_screen()
    elsewhere = "Train" if pattern != "/dashboard/train" else "Category"
    Shell(page).go_to(elsewhere)
    expect(heading).to_have_text(elsewhere)
    expect(page).to_have_title(elsewhere)
    page.go_back()
    expect(heading).to_have_text(words)
    expect_the_screen()
    page.go_forward()
    ready(page)
    expect(heading).to_have_text(elsewhere)


SHIFT = """new Promise((done) => {
  let shift = 0;
  const add = (list) => list.getEntries().forEach(({ value }) => (shift += value));
  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(shift), 100);
})"""
"""The cumulative layout shift since the document was loaded."""


def test_a_part_of_a_screen_can_be_come_back_to(recognized: Page) -> None:
    """Navigation that changes only the query or the fragment shows the right content, and the page becomes ready."""
    page = recognized
    parts = page.get_by_role("group", name="Account sections")

    def expect_part(name: str) -> None:
        ready(page)
        expect(parts.locator("[aria-current]")).to_have_text(name)

    page.goto("/dashboard/user/account")
    ready(page)
    assert page.evaluate(SHIFT) < 0.02
    for name in ("API tokens", "Security"):
        parts.get_by_role("link", name=name).click()
        expect_part(name)
    page.evaluate("location.hash = 'main'")
    expect_part("Security")
    for step, name in (
        (page.go_back, "Security"),
        (page.go_back, "API tokens"),
        (page.go_back, "General"),
        (page.go_forward, "API tokens"),
    ):
        step()
        expect_part(name)


@pytest.mark.parametrize("pattern", opened_again(ADMINISTERED, "/dashboard/analyze?days=7", "/dashboard/users/{account}"))
def test_a_screen_of_administrators_can_be_opened_and_loaded_again(
    visiting: Visiting, administrator: str, fixtures: Fixtures, pattern: str
) -> None:
    path = fixtures.path(pattern)
    page = visiting(administrator).new_page()
    heading = page.get_by_role("main").get_by_role("heading", level=1)
    page.goto(path)
    ready(page)
    title, words = page.title(), heading.inner_text()
    page.reload()
    ready(page)
    assert page.url.endswith(path)
    expect(page).to_have_title(title)
    expect(heading).to_have_text(words)


def test_a_screen_of_administrators_is_nowhere_for_others(recognized: Page, fixtures: Fixtures) -> None:
    for path in map(fixtures.path, ADMINISTERED):
        assert recognized.request.get(path, max_redirects=0).headers["location"] == "/404", path


def test_nobody_sees_a_screen_before_signing_in(page: Page, fixtures: Fixtures) -> None:
    for path in map(fixtures.path, (*GUARDED, *ADMINISTERED)):
        if path.startswith("/auth/register/"):  # visitors register there
            continue
        answer = page.request.get(path, max_redirects=0)
        assert (answer.status, answer.headers["location"]) == (302, f"/auth/login?next={quote(path, safe='')}")


def test_signing_in_leads_to_where_one_was_going(page: Page, fixtures: Fixtures) -> None:
    wanted = f"{fixtures.path('/dashboard/sam')}?q=systems&page=1"
    page.goto(wanted)
    ready(page)
    SignInPage(page).sign_in(EMAIL, PASSWORD)
    page.wait_for_url(f"**{wanted}")
    ready(page)
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("systems")


@pytest.mark.parametrize("path", ["/auth/login", "/auth/register/standard/open"])
def test_the_forms_redirect_signed_in_users(recognized: Page, path: str) -> None:
    assert recognized.request.get(path).url.endswith("/dashboard/train")


@pytest.mark.parametrize("path", ["/generate", "/dashboard/generate"])
def test_an_area_leads_to_its_first_screen(recognized: Page, path: str) -> None:
    assert recognized.request.get(path).url.endswith("/generate/index")


def test_the_top_bar_of_a_draft_leads_back_to_the_dashboard(recognized: Page, fixtures: Fixtures) -> None:
    recognized.goto(fixtures.path("/generate/slug/{draft}"))
    ready(recognized)
    Shell(recognized).account_menu.click()
    expect(recognized.get_by_role("menuitem").and_(recognized.locator("a"))).to_have_text(
        [
            *("Opportunities", "Category", "Train", "Embedding History", "Pipeline", "Tasks"),
            *("Dashboard", "Trash", "Workspace", "Account", "Send feedback"),
        ]
    )

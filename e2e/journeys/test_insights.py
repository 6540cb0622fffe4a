"""An administrator sees the dashboard, the usage, and the activity of all accounts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import EMAIL, PASSWORD, sign_in
from e2e.pages.keyboard import Keyboard
from e2e.pages.polling import eventually
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from fundwright.accounts.schemas import Role

ADMINISTRATOR = "olga@example.org"


@pytest.fixture(scope="session")
def with_administrator(application: Application) -> Application:
    application.add_person(ADMINISTRATOR, PASSWORD, name="Olga Example", role=Role.ADMIN)
    return application


@pytest.fixture
def administering(with_administrator: Application, page: Page) -> Page:
    """The dashboard, opened by an administrator."""
    sign_in(page, ADMINISTRATOR)
    page.goto("/dashboard/index")
    return ready(page)


def views(page: Page, path: str) -> int:
    """How often the screen at `path` has been shown to anyone."""
    answer = page.request.get("/api/insights/pages?page_size=100")
    return next((each["views"] for each in answer.json()["items"] if each["path"] == path), 0)


def other_than(page: Page, path: str, known: int) -> int:
    """Like `views`, but waits until the number differs from `known`."""
    return eventually(lambda: found if (found := views(page, path)) != known else None)


class TestDashboard:
    @pytest.mark.slow
    def test_a_figure_leads_to_the_list_that_it_counts(self, administering: Page) -> None:
        expect(administering).to_have_title("Dashboard")
        figure = administering.get_by_role("link", name="Open contracts")
        count = re.sub(r"\D", "", figure.inner_text())
        figure.click()
        administering.wait_for_url("**/dashboard/sam?availability=open")
        expect(administering.get_by_text(re.compile(rf"^{count} opportunit"))).to_be_visible()


class TestAnalyze:
    def test_is_not_there_for_a_user(self, recognized: Page) -> None:
        assert recognized.request.get("/dashboard/analyze").url.endswith("/404")

    @pytest.mark.parametrize("width", [1440, pytest.param(360, marks=pytest.mark.slow)])
    def test_charts_and_their_table_count_a_visit(self, administering: Page, width: int) -> None:
        administering.set_viewport_size({"width": width, "height": 900})
        for _ in range(5):  # only the pages that were visited most are listed
            administering.goto("/dashboard/index")
        other_than(administering, "/dashboard/index", 0)
        administering.goto("/dashboard/analyze?days=7")
        ready(administering)
        for name in ("Visits by day", "Activity by day"):
            expect(administering.get_by_role("figure", name=name).locator("svg").first).to_be_visible()
        administering.get_by_text("Show as table").click()
        if width >= 600:
            days = (
                administering.get_by_role("table", name="Usage by day")
                .get_by_role("row")
                .filter(has=administering.get_by_role("cell"))
            )
            views = days.first.get_by_role("cell").nth(1)
        else:  # too narrow for a table
            days = administering.get_by_role("group", name="Usage by day").get_by_role("listitem")
            views = days.first.get_by_role("definition").first
        expect(days).to_have_count(7)
        assert int(views.inner_text()) > 0
        expect(administering.get_by_text("/dashboard/index")).to_be_visible()

    @pytest.mark.slow
    def test_days_are_chosen_and_exported(self, administering: Page) -> None:
        administering.goto("/dashboard/analyze")
        ready(administering)
        administering.get_by_role("link", name="7 days").click()
        administering.wait_for_url("**/dashboard/analyze?days=7")
        ready(administering)
        with administering.expect_download() as download:
            administering.get_by_role("link", name="Export as CSV").first.click()
        lines = download.value.path().read_text().splitlines()
        assert (lines[0], len(lines)) == ("Day,Page views,People,Drafts,Imports,Training runs", 8)


class TestHistory:
    @pytest.mark.slow
    def test_shows_what_others_have_started_and_can_be_filtered(self, administering: Page) -> None:
        administering.goto("/dashboard/history")
        ready(administering)
        expect(administering).to_have_title("History")
        expect(administering.get_by_role("cell", name="Ada Example").first).to_be_visible()
        who = administering.get_by_label("Who", exact=True)
        who.select_option(label=f"Ada Example ({EMAIL})")
        administering.wait_for_url("**/dashboard/history?person=*")
        expect(administering.get_by_role("cell", name="Olga Example")).to_have_count(0)
        expect(administering.get_by_role("cell", name="Ada Example").first).to_be_visible()

    def test_the_same_address_is_embedding_history_for_a_user(self, recognized: Page) -> None:
        assert "<title>Embedding History</title>" in recognized.request.get("/dashboard/history").text()


@pytest.mark.slow
def test_a_page_that_is_loaded_or_moved_to_is_counted_once(administering: Page) -> None:
    path = "/dashboard/category"
    before = views(administering, path)
    administering.goto(path)
    ready(administering)
    assert other_than(administering, path, before) == before + 1
    shell = Shell(administering)
    shell.go_to("Analyze")
    shell.go_to("Category")
    administering.wait_for_url("**/dashboard/category")
    ready(administering)
    assert other_than(administering, path, before + 1) == before + 2


def test_a_search_keeps_the_focus_on_its_button(administering: Page) -> None:
    administering.goto("/dashboard/audit")
    ready(administering)
    keyboard = Keyboard(administering)
    keyboard.tab_to(administering.get_by_role("searchbox", name="Search")).type("example")
    find = administering.get_by_role("main").get_by_role("search").get_by_role("button", name="Search")
    keyboard.tab_to(find)
    keyboard.enter()
    administering.wait_for_url("**text=example*")
    ready(administering)
    expect(find).to_be_focused()
    administering.set_viewport_size({"width": 390, "height": 844})
    first = administering.locator(".fw-cards-item").first.bounding_box()
    assert first and first["y"] <= 320

"""The frame of every page: search, keyboard shortcuts, toasts, and signing out in all tabs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from e2e.conftest import EMAIL, NewContext, open_train, recognize
from e2e.pages.keyboard import Keyboard
from e2e.pages.ready import ready, until
from e2e.pages.shell import Shell


class TestFindAnything:
    def test_the_keyboard_alone_leads_from_anywhere_to_an_opportunity(self, recognized: Page) -> None:
        page = recognized
        page.goto("/dashboard/category")
        ready(page)
        keyboard = Keyboard(page)
        keyboard.press("Control+k")
        field = page.get_by_role("combobox", name="Search everything")
        expect(field).to_be_focused()
        keyboard.type("monitor")
        option = page.get_by_role("group", name="Opportunities").get_by_role("option").first
        expect(option).to_contain_text(re.compile("monitor", re.IGNORECASE))
        title = option.locator("span").first.inner_text()
        keyboard.enter()
        page.wait_for_url(re.compile("/dashboard/(sam|nih)/[0-9a-f-]{36}"))
        ready(page)
        expect(page.get_by_role("main").get_by_role("heading", level=1)).to_have_text(title)

    def test_escape_gives_the_focus_back_and_a_press_next_to_it_closes_it(self, recognized: Page) -> None:
        page = recognized
        page.goto("/dashboard/sam")
        ready(page)
        search = page.get_by_role("searchbox", name="Search")
        page.keyboard.press("/")
        expect(search).to_be_focused()
        page.keyboard.press("Control+k")
        expect(page.get_by_role("combobox", name="Search everything")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(search).to_be_focused()
        Shell(page).find.click()
        expect(page.get_by_role("dialog", name="Search everything")).to_be_visible()
        page.mouse.click(5, 400)
        expect(page.get_by_role("dialog")).to_have_count(0)

    @pytest.mark.slow
    def test_it_collapses_the_sidebar_changes_the_language_and_logs_out(self, new_context: NewContext) -> None:
        page = open_train(new_context().new_page(), EMAIL)

        def choose(name: str) -> None:
            page.keyboard.press("Control+k")
            page.locator("dialog").get_by_role("combobox").press_sequentially(name)
            page.keyboard.press("Enter")
            expect(page.locator("dialog")).to_have_count(0)

        choose("expand")
        expect(page.get_by_role("button", name="Expand sidebar")).to_be_visible()
        choose("expand")
        expect(page.get_by_role("button", name="Collapse sidebar")).to_be_visible()
        with page.expect_navigation():
            choose("deutsch")
        ready(page)
        with page.expect_navigation():
            choose("english")
        ready(page)
        choose("logout")
        expect(page.get_by_role("dialog", name="Sure you want to Log Out?")).to_be_visible()


class TestKeys:
    @pytest.mark.slow
    def test_two_letters_lead_to_a_page_until_they_are_switched_off(self, recognized: Page) -> None:
        page = recognized
        page.goto("/dashboard/category")
        ready(page)
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Embedding History")
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("t")
        page.wait_for_url("**/dashboard/train")
        ready(page)
        Shell(page).settings.click()
        page.get_by_role("switch", name="Single-key shortcuts").click()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.keyboard.press("?")
        page.keyboard.press("Control+k")
        expect(page.get_by_role("dialog")).to_have_accessible_name("Search everything")


class TestSettings:
    def test_they_start_as_the_specification_says_and_are_stored_together(self, recognized: Page) -> None:
        page = recognized
        page.goto("/dashboard/category")
        ready(page)
        Shell(page).settings.click()
        assert stored_settings(page) is None
        page.get_by_role("group", name="Mode").get_by_role("button", name="Dark").click()
        defaults = {"themeMode": "light", "themeDirection": "ltr", "themeColor": "default", "themeStretch": False}
        assert stored_settings(page) == {**defaults, "themeMode": "dark"}
        chosen: list[str] = []
        for color in page.get_by_role("group", name="Color").get_by_role("button").all():
            color.click()
            chosen.append(stored_settings(page)["themeColor"])
        assert chosen == ["default", "purple", "cyan", "blue", "orange", "red"]


def stored_settings(page: Page) -> Any:
    return page.evaluate("JSON.parse(localStorage.getItem('settings'))")


class TestLogout:
    def test_logging_out_in_one_tab_logs_out_all_and_closes_their_sockets(self, new_context: NewContext) -> None:
        context = new_context()
        first, second = context.new_page(), context.new_page()
        open_train(first, EMAIL)
        with second.expect_websocket() as opened:
            second.goto("/dashboard/category")
        ready(second)
        first.bring_to_front()
        dialog = Shell(first).ask_to_sign_out()
        expect(dialog.get_by_role("heading")).to_have_text("Sure you want to Log Out?")
        expect(dialog.get_by_role("button")).to_have_text(["No, cancel", "Yes, confirm"])
        dialog.get_by_role("button", name="Yes, confirm").click()
        first.wait_for_url("**/auth/login?next=%2Fdashboard%2Ftrain")  # by the root
        second.wait_for_url("**/auth/login?next=%2Fdashboard%2Fcategory")
        assert opened.value.is_closed()
        assert [page.evaluate("localStorage.getItem('token')") for page in (first, second)] == [None, None]


class TestLoadingScreen:
    @pytest.mark.slow
    def test_shows_until_the_token_is_checked(self, page: Page, token: str) -> None:
        waiting: list[Route] = []
        page.route("**/session", lambda route: waiting.append(route))
        page.add_init_script(f"localStorage.setItem('token', '{token}')")
        with page.expect_request("**/session"):
            page.goto("/auth/login")
        until(page, "document.documentElement.dataset.settling === ''")
        expect(page.get_by_role("heading", name="Welcome,")).to_be_hidden()
        waiting[0].continue_()
        page.wait_for_url("**/dashboard/train")
        ready(page)
        expect(page.get_by_role("heading", name="Train", level=1)).to_be_visible()


def test_everyone_finds_the_feedback_form(page: Page, administrator: str) -> None:
    recognize(page, administrator).goto("/dashboard/index")
    ready(page)
    Shell(page).account_menu.click()
    page.get_by_role("menuitem", name="Send feedback").click()
    page.wait_for_url("**/feedback")
    expect(page.get_by_role("main").get_by_role("heading", name="Feedback", level=1)).to_be_visible()

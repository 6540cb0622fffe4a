"""The main screens can be used without a mouse."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.keyboard import Keyboard
from e2e.pages.outbox import Outbox
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage


def test_the_keyboard_alone_signs_in_opens_an_opportunity_and_signs_out(page: Page) -> None:
    form, shell, keyboard = SignInPage(page).open(), Shell(page), Keyboard(page)

    keyboard.tab_to(form.email).type(EMAIL)
    keyboard.tab_to(form.password).type(PASSWORD)
    keyboard.enter()
    page.wait_for_url("**/dashboard/train")
    ready(page)

    keyboard.tab_to(shell.sidebar.get_by_role("link", name="Opportunities", exact=True)).enter()
    page.wait_for_url("**/dashboard/nih")
    ready(page)
    expect(page.get_by_role("heading", name="Opportunities", level=1)).to_be_focused()

    keyboard.tab_to(page.get_by_role("table").get_by_role("link").first)
    keyboard.press("ArrowDown")
    keyboard.enter()
    page.wait_for_url(re.compile("/dashboard/nih/[0-9a-f-]{36}"))
    ready(page)

    keyboard.tab_to(shell.account_menu).enter()
    expect(page.get_by_role("menu", name="Account menu")).to_be_visible()
    keyboard.press("End")
    expect(page.get_by_role("menuitem", name="Logout")).to_be_focused()
    keyboard.enter()
    dialog = page.get_by_role("dialog", name="Sure you want to Log Out?")
    keyboard.tab_to(dialog.get_by_role("button", name="Yes, confirm")).enter()
    page.wait_for_url("**/auth/login*")


def test_the_keyboard_alone_registers_with_an_invitation(page: Page, application: Application, outbox: Outbox) -> None:
    application.invite("kay@example.org")
    page.goto(outbox.link_to("kay@example.org"))
    ready(page)
    keyboard = Keyboard(page)
    keyboard.tab_to(page.get_by_label("First name")).type("Kay")
    keyboard.tab_to(page.get_by_label("Last name")).type("Example")
    keyboard.tab_to(page.get_by_label("Password", exact=True)).type("a slow train through fog")
    keyboard.tab_to(page.get_by_role("checkbox", name="I agree")).press("Space")
    keyboard.tab_to(page.get_by_role("button", name="Register")).enter()
    page.wait_for_url("**/dashboard/train")


@pytest.mark.slow
def test_the_keyboard_alone_chooses_a_new_password(page: Page, application: Application, outbox: Outbox) -> None:
    application.add_person("lee@example.org", PASSWORD, name="Lee")
    form, keyboard = SignInPage(page).open(), Keyboard(page)
    keyboard.tab_to(page.get_by_role("link", name="Forgot password?")).enter()
    page.wait_for_url("**/auth/reset-password")
    keyboard.tab_to(form.email).type("lee@example.org")
    keyboard.enter()
    expect(page.get_by_role("heading", name="Check your email")).to_be_visible()

    page.goto(outbox.link_to("lee@example.org"))
    ready(page)
    keyboard.tab_to(form.password).type("a slow train through fog")
    keyboard.enter()
    expect(page.get_by_role("heading", name="Password changed")).to_be_visible()
    keyboard.tab_to(page.get_by_role("link", name="Back to login")).enter()
    page.wait_for_url("**/auth/login")
    keyboard.tab_to(form.email).type("lee@example.org")
    keyboard.tab_to(form.password).type("a slow train through fog")
    keyboard.enter()
    page.wait_for_url("**/dashboard/train")


def test_a_search_keeps_the_focus_in_its_field_and_says_what_is_applied(recognized: Page) -> None:
    recognized.goto("/dashboard/sam")
    ready(recognized)
    words = recognized.get_by_role("searchbox", name="Search")
    keyboard = Keyboard(recognized)
    keyboard.tab_to(words).type("water")
    keyboard.enter()
    recognized.wait_for_url("**q=water")
    ready(recognized)
    expect(words).to_be_focused()
    recognized.get_by_role("link", name="Grants and NIH").click()
    ready(recognized)
    recognized.go_back()
    ready(recognized)
    expect(words).to_have_value("water")
    words.fill("roof")
    keyboard.enter()
    expect_search(recognized, "roof")
    recognized.go_back()
    expect_search(recognized, "water")
    recognized.go_forward()
    expect_search(recognized, "roof")
    recognized.go_back()
    expect_search(recognized, "water")
    recognized.get_by_role("button", name="Clear search").click()
    ready(recognized)
    expect(words).to_have_value("")


def expect_search(page: Page, words: str) -> None:
    page.wait_for_url(f"**q={words}")
    ready(page)
    expect(page.get_by_role("searchbox", name="Search")).to_have_value(words)


@pytest.mark.parametrize("width", [1_440, pytest.param(390, marks=pytest.mark.slow)])
def test_a_filter_is_set_and_cleared_by_keyboard_and_returns_the_focus(recognized: Page, width: int) -> None:
    recognized.set_viewport_size({"width": width, "height": 900})
    recognized.goto("/dashboard/sam?availability=any")
    ready(recognized)
    chip, panel = recognized.locator("button.fw-filter-open[name=filter-agency]"), recognized.get_by_role("dialog", name="Agency")
    keyboard = Keyboard(recognized)
    keyboard.tab_to(chip).enter()
    ready(recognized)
    expect(panel.get_by_role("searchbox", name="Search agencies")).to_be_focused()
    keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(chip).to_be_focused()
    keyboard.enter()
    ready(recognized)
    option = panel.get_by_role("checkbox").first
    keyboard.tab_to(option).press("Space")
    recognized.wait_for_url("**&agency=*")
    ready(recognized)
    expect(option).to_be_focused()
    keyboard.press("Escape")
    expect(chip).to_be_focused()
    expect(chip).to_have_accessible_name(re.compile("^Filter: Agency: "))
    keyboard.tab_to(recognized.get_by_role("button", name=re.compile("^Remove filter Agency: "))).enter()
    ready(recognized)
    assert recognized.url.endswith("/dashboard/sam?availability=any")
    expect(chip).to_be_focused()

"""The product without a mouse."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.keyboard import Keyboard
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

    keyboard.tab_to(page.get_by_role("grid").get_by_role("columnheader").first)
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

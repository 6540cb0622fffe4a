"""A connection that is lost while a form is open discards no typed text."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.application import free_port, started
from e2e.conftest import EMAIL, PASSWORD
from e2e.pages.category import CategoryPage
from e2e.pages.ready import ready, until
from e2e.pages.sign_in import SignInPage

SELECT = "field => { window.field = field; field.focus(); field.setSelectionRange(5, 8); scrollTo(0, 120); }"
WATCH = """() => {
  window.removed = [];
  const watch = (changes) => window.removed.push(...changes.flatMap(each => [...each.removedNodes].map(node => node.textContent)));
  new MutationObserver(watch).observe(document.body, { childList: true, subtree: true });
}"""
PLACE = """() => ({
  scrolled: scrollY,
  selected: [field.selectionStart, field.selectionEnd],
  isFocused: document.activeElement === field,
  removed,
})"""


@pytest.mark.pain(1)
def test_a_network_that_is_away_for_a_while(recognized: Page) -> None:
    screen = CategoryPage(recognized).open()
    screen.start_new("Typed before")
    recognized.context.set_offline(True)
    screen.name.fill("Typed while away")
    screen.create.click()
    recognized.context.set_offline(False)
    ready(recognized)
    expect(recognized.get_by_role("article", name="Typed while away")).to_be_visible()


@pytest.mark.usefixtures("own_clock")
def test_a_browser_that_has_no_network_shows_a_message_and_is_back_at_once(recognized: Page) -> None:
    screen = CategoryPage(recognized).open()
    banner = recognized.get_by_text("Reconnecting…")
    screen.start_new("Half a")
    screen.name.evaluate("element => { window.typedInto = element }")
    recognized.context.set_offline(True)
    until(recognized, "!navigator.onLine")
    recognized.clock.run_for(1_500)
    expect(banner).to_have_count(0)
    recognized.clock.run_for(1_000)
    expect(banner).to_be_visible()
    screen.name.press_sequentially(" name")
    recognized.context.set_offline(False)
    expect(banner).to_have_count(0, timeout=1_500)
    ready(recognized)
    expect(screen.name).to_have_value("Half a name")
    assert recognized.evaluate("window.typedInto === document.activeElement")


@pytest.mark.pain(1, 16)
def test_nothing_on_the_page_moves_when_it_is_back(recognized: Page) -> None:
    recognized.set_viewport_size({"width": 1_000, "height": 300})
    screen = CategoryPage(recognized).open()
    expect(recognized.get_by_role("progressbar")).to_have_count(0)  # an earlier journey may have started to categorize
    screen.start_new("Half a name")
    screen.name.evaluate(SELECT)
    recognized.evaluate(WATCH)
    before = recognized.evaluate(PLACE)
    assert before["scrolled"] > 0 and before["selected"] == [5, 8]
    be_away(recognized)
    assert recognized.evaluate(PLACE) == before

    recognized.keyboard.press("Escape")  # the panel covers the page at this width
    recognized.get_by_role("button", name="Remove samples").click()
    dialog = recognized.get_by_role("dialog")
    expect(dialog).to_be_visible()
    ready(recognized)
    dialog.evaluate("dialog => { window.opened = dialog }")
    be_away(recognized)
    assert dialog.evaluate("dialog => dialog === window.opened && dialog.contains(document.activeElement)")
    dialog.get_by_role("button", name="Keep").click()
    expect(dialog).to_have_count(0)


def be_away(page: Page) -> None:
    """Lose the connection and restore it while the server still keeps the page."""
    page.context.set_offline(True)
    until(page, "!document.documentElement.hasAttribute('data-ready')")
    page.context.set_offline(False)
    ready(page)


@pytest.mark.pain(5)
@pytest.mark.slow
def test_a_server_that_starts_again(page: Page, tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, port=port) as application:
        page.goto(f"{application.url}/auth/login")
        ready(page)
        form = SignInPage(page)
        form.email.fill(EMAIL)
        form.password.fill("half of what")
        form.keep_signed_in.uncheck()
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    with started(tmp_path, port=port):
        ready(page)
        expect(page.get_by_text("Reconnecting…")).to_have_count(0)
        expect(form.email).to_have_value(EMAIL)
        expect(form.password).to_have_value("half of what")
        expect(form.keep_signed_in).not_to_be_checked()
        form.submit.click()
        expect(form.alert).to_contain_text("don't match an account")
        expect(form.password).to_have_value("half of what")


@pytest.mark.pain(5)
@pytest.mark.slow
def test_a_server_that_starts_again_under_a_form_that_was_opened(page: Page, tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, port=port) as application:
        application.add_person(EMAIL, PASSWORD)
        page.goto(f"{application.url}/auth/login")
        SignInPage(page).sign_in(EMAIL, PASSWORD)
        page.get_by_role("link", name="Category", exact=True).click()
        ready(page)
        screen = CategoryPage(page)
        screen.start_new("Half a category")
        page.get_by_role("button", name="Collapse sidebar").click()  # kept in the database
        ready(page)
        where = page.url
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    with started(tmp_path, port=port):
        ready(page)
        expect(screen.name).to_have_value("Half a category")
        expect(page.get_by_role("button", name="Expand sidebar")).to_be_visible()
        assert page.url == where
        screen.create.click()
        expect(page.get_by_role("article", name="Half a category")).to_be_visible()

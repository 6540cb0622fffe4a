"""Rows stay in place after an action: a second click or key press acts on the row that the person sees."""

from __future__ import annotations

from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Error, Locator, Page, expect

from e2e.application import Application
from e2e.conftest import PASSWORD, sign_in
from e2e.pages.category import CategoryPage
from e2e.pages.ready import ready

DOUBLE_PRESS_MS = 250


@pytest.fixture(scope="module")
def reviewer(application: Application, browser: Browser) -> str:
    """The email address of a person with suggestions in the review queue, whom no other journey changes."""
    email = "rae@example.org"
    application.add_person(email, PASSWORD, name="Rae")
    context = browser.new_context(base_url=application.url)
    sign_in(context, email)
    page = context.new_page()
    CategoryPage(page).open()
    start = page.get_by_role("button", name="Categorize")
    start.click()
    expect(page.get_by_role("list", name="Suggestions").get_by_role("button", name="Accept").nth(2)).to_be_visible(timeout=30_000)
    with suppress(Error):  # the sample is categorized before anyone could cancel it; thousands of real notices are not
        page.get_by_role("button", name="Cancel", exact=True).click(timeout=2_000)
    expect(start).to_be_enabled(timeout=30_000)
    context.close()
    return email


@pytest.fixture
def queue(page: Page, reviewer: str) -> Locator:
    """The review queue with suggestions in it."""
    sign_in(page, reviewer)
    CategoryPage(page).open()
    queue = page.get_by_role("list", name="Suggestions")
    expect(queue.get_by_role("button", name="Accept").nth(2)).to_be_visible()
    return queue


@pytest.fixture
def before(page: Page, queue: Locator) -> int:
    """How many notices had been accepted."""
    return accepted(page)


def accepted(page: Page) -> int:
    return sum(category["accepted"] for category in page.request.get("/api/categories").json())


@pytest.mark.slow
def test_two_presses_in_one_place_accept_one_notice(page: Page, queue: Locator, before: int) -> None:
    titles = queue.get_by_role("link").all_inner_texts()
    button = queue.get_by_role("button", name="Accept").first
    button.scroll_into_view_if_needed()
    places = [each.bounding_box() for each in queue.get_by_role("listitem").all()]
    box = button.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.click(x, y)
    page.wait_for_timeout(DOUBLE_PRESS_MS)
    page.mouse.click(x, y)
    ready(page)
    expect(queue.get_by_text("Accepted", exact=True)).to_have_count(1)
    assert accepted(page) == before + 1
    assert queue.get_by_role("link").all_inner_texts() == titles
    assert [each.bounding_box() for each in queue.get_by_role("listitem").all()] == places


def test_the_keyboard_continues_with_the_next_notice_and_undo_gives_it_back(page: Page, queue: Locator, before: int) -> None:
    first, second = (queue.get_by_role("listitem").nth(place).get_by_role("button", name="Accept") for place in range(2))
    first.focus()
    page.keyboard.press("Enter")
    ready(page)
    expect(second).to_be_focused()
    assert accepted(page) == before + 1
    queue.get_by_role("button", name="Undo").click()
    ready(page)
    expect(first).to_be_visible()
    assert accepted(page) == before
    page.evaluate("document.documentElement.dir = 'rtl'")
    title = queue.get_by_role("link").first
    expect(title).to_have_css("direction", "ltr")  # so that its end is cut off, not its start
    expect(title).to_have_css("text-align", "right")


def test_keys_faster_than_any_answer_act_on_one_row_each(page: Page, queue: Locator, before: int) -> None:
    rows = queue.get_by_role("listitem")
    rows.first.get_by_role("button", name="Accept").focus()
    for key in "nan":
        page.keyboard.press(key)
    ready(page)
    for place, outcome in enumerate(("None of these", "Accepted", "None of these")):
        expect(rows.nth(place).locator(f"span:text-is('{outcome}')")).to_be_visible()
    assert accepted(page) == before + 1

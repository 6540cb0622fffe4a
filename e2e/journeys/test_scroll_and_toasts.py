"""The scroll position belongs to one visit of a page; a toast disappears automatically, wherever the pointer is."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.pages.category import CategoryPage
from e2e.pages.opportunities import CATEGORIZE_TIMEOUT_MS
from e2e.pages.ready import ready, until

SCROLL = "scrollTo(0, 400)"


def test_a_page_that_is_loaded_opens_at_its_top_and_the_one_before_it_where_it_was(recognized: Page) -> None:
    page = recognized
    page.set_viewport_size({"width": 1_000, "height": 300})
    page.goto("/dashboard/sam")
    ready(page)
    page.evaluate(SCROLL)
    page.goto("/dashboard/category")
    ready(page)
    assert page.evaluate("scrollY") == 0
    page.evaluate("scrollTo(0, 150)")
    page.go_back()
    ready(page)
    until(page, "scrollY === 400")
    page.reload()
    ready(page)
    until(page, "scrollY === 400")
    page.go_forward()
    ready(page)
    until(page, "scrollY === 150")


@pytest.mark.slow
def test_a_message_that_appears_under_the_pointer_goes_automatically(recognized: Page) -> None:
    page = recognized
    screen = CategoryPage(page).open()
    screen.start_new("Shown to a resting pointer")
    page.mouse.move(page.evaluate("innerWidth") - 172, 28)
    screen.name.press("Enter")
    message = page.get_by_role("group").filter(has_text="The category was created.")
    expect(message).to_be_visible()
    assert message.evaluate("toast => toast.matches(':hover')")
    assert message.evaluate("toast => innerWidth - toast.getBoundingClientRect().right") == 152
    assert message.evaluate("toast => toast.getBoundingClientRect().bottom < innerHeight / 2")
    expect(message).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1_440])
def test_a_toast_covers_no_button_of_a_header(recognized: Page, width: int) -> None:
    page = recognized
    page.set_viewport_size({"width": width, "height": 900})
    screen = CategoryPage(page).open()
    screen.start_new(f"At a width of {width}")
    page.mouse.move(5, 895)  # a toast under the pointer stays where it is
    screen.name.press("Enter")
    expect(page.get_by_role("group").filter(has_text="The category was created.")).to_be_visible()
    assert page.evaluate(COVERED) == []


COVERED = """[...document.querySelectorAll("header :is(a[href], button)")].flatMap((control) => {
  const { left, top, width, height } = control.getBoundingClientRect();
  const shown = width > 0 ? document.elementFromPoint(left + width / 2, top + height / 2) : null;
  return shown?.closest(".fw-toast") ? [control.textContent] : [];
})"""
"""The controls of headers that a toast covers."""


@pytest.mark.parametrize("width", [390, pytest.param(1_440, marks=pytest.mark.slow)])
def test_a_warning_covers_no_control_of_the_page_until_it_is_closed(recognized: Page, width: int) -> None:
    page = recognized
    page.set_viewport_size({"width": width, "height": 900})
    screen = CategoryPage(page).open()
    page.evaluate("sessionStorage.setItem('reloaded-during-step', '1')")
    page.reload()
    ready(page)
    warning = page.get_by_role("group").filter(has_text="Check whether your last action went through.")
    expect(warning).to_be_visible()
    for name in ("New category", "Categorize"):
        page.get_by_role("button", name=name).click(trial=True)  # fails if another element would get the click
    page.evaluate("scrollTo(0, 0)")  # the clicks may have scrolled
    box = page.get_by_role("heading", level=1).bounding_box()
    below = warning.bounding_box()
    assert box and below
    assert below["y"] > box["y"] + box["height"]  # at the lower edge
    warning.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="New category").click()
    expect(screen.name).to_be_focused()


APART = """(() => {
  const boxOf = (start) => [...document.querySelectorAll("main p")].find((p) => p.textContent.startsWith(start))?.getBoundingClientRect();
  const result = boxOf("Last run:"), description = boxOf("The classifier learns");
  return result && description
    && (result.left >= description.right || description.left >= result.right || result.top >= description.bottom);
})()"""
"""Both are shown, which a run that starts by itself may interrupt, and neither covers the other."""


def test_the_result_of_a_run_covers_no_text_of_the_title(recognized: Page) -> None:
    recognized.goto("/dashboard/category")
    ready(recognized)
    recognized.get_by_role("button", name="Categorize", exact=True).click()
    expect(recognized.get_by_text("Last run:").first).to_be_visible(timeout=CATEGORIZE_TIMEOUT_MS)
    for width in (1440, 1200, 1000, 390):
        recognized.set_viewport_size({"width": width, "height": 800})
        until(recognized, APART)
    recognized.set_viewport_size({"width": 1440, "height": 800})
    recognized.get_by_role("link", name="Opportunities", exact=True).first.click()
    result = recognized.get_by_text("Last run:").first
    expect(result).to_be_visible()
    ready(recognized)
    header, tabs, below = (
        recognized.locator(selector).first.bounding_box()
        for selector in (".fw-page-header", ".fw-tab >> nth=-1", ".fw-page-actions p[role=status]")
    )
    assert header and tabs and below
    assert header["height"] == recognized.get_by_role("button", name="Categorize", exact=True).evaluate(
        "each => each.offsetHeight"
    )
    assert below["x"] > tabs["x"] + tabs["width"]

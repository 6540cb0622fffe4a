"""Details of small screens: titles of sheets, tabs and labels that do not fit, and the order of buttons."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.conftest import recognize
from e2e.pages.ready import ready
from e2e.pages.screens import Fixtures

pytestmark = pytest.mark.slow

_SCROLL_MESSAGE_BELOW_TITLE = """
async (sheet) => {
  await Promise.all(sheet.getAnimations().map(({ finished }) => finished));  // a sheet that still rises is below the window
  const title = sheet.querySelector(".fw-panel-header"), message = sheet.querySelector(".fw-alert");
  sheet.style.maxBlockSize = "260px";
  sheet.scrollTop = message.getBoundingClientRect().top - title.getBoundingClientRect().top;
  const { left, top } = message.getBoundingClientRect();
  return document.elementFromPoint(left + 26, top + 24).closest(".fw-panel-header") !== null;
}
"""
_FADES = """
() => {
  const style = getComputedStyle(document.querySelector(".fw-tabs"));
  return ["--fw-fade-before", "--fw-fade-after"].map((name) => style.getPropertyValue(name));
}
"""
_HIDDEN_WIDTH_OF_STEP = "step => step.offsetWidth - step.closest('ol').clientWidth"


def test_the_title_of_a_sheet_covers_what_scrolls_below_it(page: Page, administrator: str) -> None:
    recognize(page, administrator)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/dashboard/users")
    ready(page).get_by_role("button", name="Invite", exact=True).click()
    sheet = page.locator(".fw-panel")
    expect(sheet.get_by_text("This server does not send email.")).to_be_visible()
    assert sheet.evaluate(_SCROLL_MESSAGE_BELOW_TITLE)


def test_the_text_of_a_notice_comes_before_what_the_workspace_does_with_it(recognized: Page, fixtures: Fixtures) -> None:
    recognized.goto(fixtures.path("/dashboard/sam/{contract}"))
    names = ("At a glance", "Description", "Category")
    facts, text, category = (ready(recognized).get_by_role("heading", name=name, exact=True) for name in names)
    for width, expected in ((360, (facts, text, category)), (1440, (text, facts, category))):
        recognized.set_viewport_size({"width": width, "height": 740})
        tops = [round(place["y"]) for heading in expected if (place := heading.bounding_box())]
        assert tops == sorted(tops) and len(tops) == 3


def test_a_filter_can_be_chosen_by_touch(browser: Browser, base_url: str, token: str) -> None:
    phone = browser.new_context(
        base_url=base_url, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, locale="en-US"
    )
    recognize(phone, token)
    page = phone.new_page()
    page.goto("/dashboard/tasks")
    ready(page).get_by_role("button", name="Filters").tap()
    page.get_by_role("button", name="Status: Open").tap()
    page.get_by_role("link", name="Done", exact=True).tap()
    page.wait_for_url("**state=done**")
    phone.close()


@pytest.mark.parametrize("is_touched", [False, True])
def test_hints_about_keys_are_shown_only_where_there_is_a_keyboard(
    browser: Browser, base_url: str, token: str, is_touched: bool
) -> None:
    context = browser.new_context(
        base_url=base_url, viewport={"width": 1024, "height": 768}, has_touch=is_touched, is_mobile=is_touched, locale="en-US"
    )
    recognize(context, token)
    page = context.new_page()
    page.goto("/dashboard/category")
    ready(page)
    hints = page.locator("kbd, .fw-key-hint")
    assert hints.count() > 0
    visible = [hint.inner_text() for hint in hints.all() if hint.is_visible()]
    assert bool(visible) is not is_touched, visible
    page.get_by_role("button", name="Settings", exact=True).click()
    expect(page.get_by_role("button", name="Default", exact=True)).to_be_visible()
    expect(page.get_by_label("Single-key shortcuts")).to_be_visible(visible=not is_touched)
    context.close()


def test_tabs_fade_out_where_more_follow(recognized: Page) -> None:
    recognized.set_viewport_size({"width": 360, "height": 740})
    recognized.goto("/dashboard/user/account")
    assert ready(recognized).evaluate(_FADES) == ["0px", "48px"]
    recognized.set_viewport_size({"width": 1440, "height": 900})
    assert recognized.evaluate(_FADES) == ["0px", "0px"]


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("width", [340, 360, 390])
def test_the_next_of_the_first_steps_is_shown_completely(recognized: Page, base_url: str, language: str, width: int) -> None:
    recognized.context.add_cookies([{"name": "language", "value": language, "url": base_url}])
    recognized.set_viewport_size({"width": width, "height": 740})
    recognized.goto("/dashboard/train")
    ready(recognized)
    step = recognized.locator(".fw-first-step:visible")
    expect(step).to_have_count(1)
    place = step.bounding_box()
    assert place and place["x"] >= 0 and place["x"] + place["width"] <= width
    assert step.evaluate(_HIDDEN_WIDTH_OF_STEP) <= 0


def test_the_main_button_of_a_form_is_the_last_one(page: Page, administrator: str) -> None:
    recognize(page, administrator)
    page.goto("/dashboard/blog/new-post")
    ready(page).get_by_label("Title").fill("What is new")
    page.get_by_label("Text").fill("Much.")
    page.get_by_role("button", name="Publish", exact=True).click()
    save, unpublish = (page.get_by_role("button", name=name, exact=True) for name in ("Save", "Unpublish"))
    expect(unpublish).to_be_visible()
    places = [button.bounding_box() for button in (unpublish, save)]
    assert places[0] and places[1] and places[0]["x"] < places[1]["x"]
    page.get_by_label("Title").press("Enter")  # presses Save
    expect(page.get_by_text("The post was saved and is public.").first).to_be_visible()

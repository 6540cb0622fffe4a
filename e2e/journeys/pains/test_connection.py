"""Connections that were lost for longer than the server keeps their pages."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.conftest import EMAIL, PASSWORD, NewContext, recognize
from e2e.pages.category import CategoryPage
from e2e.pages.laboratory import MovingPage
from e2e.pages.opportunities import OpportunitiesPage
from e2e.pages.ready import ready
from e2e.pages.sign_in import SignInPage


@pytest.mark.pain(3)
@pytest.mark.slow
def test_a_laptop_that_slept_comes_back_to_its_page(moving: MovingPage) -> None:
    """Scaled down: the server keeps a lost page for half a second instead of a minute, and the sleep lasts two."""
    page = moving.open().page
    moving.press.click()
    moving.note.fill("half a sentence")
    ready(page)
    loads: list[str] = []
    page.on("load", lambda page: loads.append(page.url))
    page.context.set_offline(True)
    expect(page.get_by_text("Reconnecting…")).to_be_visible()  # after two seconds
    expect(moving.link(7)).to_be_attached()
    page.context.set_offline(False)
    ready(page)
    expect(moving.pressed).to_have_text("pressed 0")  # a new session
    expect(moving.note).to_have_value("half a sentence")
    expect(moving.link(7)).to_be_attached()
    moving.press.click()
    ready(page)
    expect(moving.pressed).to_have_text("pressed 1")
    assert loads == []


@pytest.mark.pain(1)
def test_filters_page_and_what_is_typed_are_back(recognized: Page) -> None:
    recognized.goto("/dashboard/sam?availability=any&sort=title")  # relevance would change while notices are embedded
    ready(recognized)
    recognized.get_by_role("searchbox", name="Search", exact=True).fill("systems engin")
    agencies = OpportunitiesPage(recognized).open_filter("Agency")
    agencies.get_by_role("searchbox").fill("veter")
    ready(recognized)
    shown = recognized.get_by_role("main").get_by_role("link").all_inner_texts()
    recognized.context.set_offline(True)
    expect(recognized.locator("html")).not_to_have_attribute("data-ready", "")
    recognized.context.set_offline(False)
    ready(recognized)
    expect(recognized).to_have_url("/dashboard/sam?availability=any&sort=title&filters=agency")
    expect(agencies.get_by_role("searchbox")).to_have_value("veter")
    expect(recognized.get_by_role("searchbox", name="Search", exact=True)).to_have_value("systems engin")
    assert recognized.get_by_role("main").get_by_role("link").all_inner_texts() == shown


@pytest.mark.pain(4)
def test_a_login_that_ended_leads_to_sign_in_and_back_to_the_filled_form(page: Page, new_context: NewContext) -> None:
    answer = page.request.post("/signin", data={"email": EMAIL, "password": PASSWORD}).json()
    recognize(page, answer["token"])
    screen = CategoryPage(page).open()
    screen.start_new("Half a category")
    page.get_by_role("textbox", name="Description").first.fill("what belongs here")
    ready(page)
    where = page.url
    # Ended elsewhere, while the page is open.
    elsewhere = new_context(extra_http_headers={"Authorization": f"Bearer {answer['token']}"})
    assert elsewhere.request.delete("/session").ok
    page.wait_for_url("**/auth/login?next=*")
    ready(page)
    SignInPage(page).sign_in(EMAIL, PASSWORD)
    page.wait_for_url(where)
    ready(page)
    expect(screen.name).to_have_value("Half a category")
    expect(page.get_by_role("textbox", name="Description").first).to_have_value("what belongs here")

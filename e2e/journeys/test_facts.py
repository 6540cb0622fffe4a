"""A person decides about the facts of the organization, with the mouse and with keys."""

from __future__ import annotations

from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from e2e.application import Application
from e2e.conftest import PASSWORD, sign_in
from e2e.pages.keyboard import Keyboard
from e2e.pages.ready import ready
from e2e.pages.screens import propose_facts

PATH = "/dashboard/workspace/facts"


@pytest.fixture
def decider(application: Application, browser: Browser) -> str:
    """The email address of a new person with facts to decide."""
    email = f"dee-{uuid4().hex}@example.org"
    application.add_person(email, PASSWORD, name="Dee")
    context = browser.new_context(base_url=application.url, extra_http_headers={"X-Requested-With": "journey"})
    sign_in(context, email)
    propose_facts(context.request)
    context.close()
    return email


@pytest.fixture
def facts(page: Page, decider: str) -> Locator:
    page.set_viewport_size({"width": 1440, "height": 1200})
    sign_in(page, decider)
    page.goto(PATH)
    ready(page)
    return page.get_by_role("list", name="Facts")


def accepted(page: Page) -> list[str]:
    return sorted(fact["title"] for fact in page.request.get("/api/facts?state=accepted").json()["items"])


def test_keys_accept_and_undo_without_moving_anything(page: Page, facts: Locator) -> None:
    first = facts.get_by_role("listitem").filter(has_text="UEI")
    places = [each.bounding_box() for each in facts.get_by_role("listitem").all()]
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(first.get_by_text("Accepted", exact=True)).to_be_visible()
    ready(page)
    assert accepted(page) == ["Bo Lee", "UEI"]
    assert [each.bounding_box() for each in facts.get_by_role("listitem").all()] == places
    page.keyboard.press("u")
    expect(first.get_by_role("button", name="Accept UEI")).to_be_visible()
    ready(page)
    assert accepted(page) == ["Bo Lee"]


@pytest.mark.slow
def test_one_click_settles_a_disagreement_and_another_accepts_all_that_is_current(page: Page, facts: Locator) -> None:
    page.get_by_role("button", name="Employees: choose 31").click()
    ready(page)
    assert accepted(page) == ["Bo Lee", "Employees"]
    page.get_by_role("button", name="Accept all shown").click()
    expect(page.get_by_text("4 facts were accepted.")).to_be_visible()
    ready(page)
    assert accepted(page) == ["Ann Ford", "Bo Lee", "Employees", "Groundwater database", "Maria Alvarez", "UEI"]
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    ready(page)
    assert accepted(page) == ["Bo Lee", "Employees"]


@pytest.mark.slow
def test_a_correction_is_saved_and_accepted(page: Page, facts: Locator) -> None:
    facts.get_by_role("button", name="Edit Ann Ford").click()
    page.get_by_label("Role").fill("Program director")
    page.get_by_role("button", name="Save and accept").click()
    expect(page.get_by_label("Role")).to_have_count(0)
    ready(page)
    people = page.request.get("/api/facts?state=accepted&kind=person").json()["items"]
    assert "Program director" in [fact["values"].get("role") for fact in people]


def test_cancel_returns_the_focus_to_edit(page: Page, facts: Locator) -> None:
    edit = facts.get_by_role("button", name="Edit Ann Ford")
    edit.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Role")).to_be_visible()
    Keyboard(page).tab_to(page.get_by_role("button", name="Cancel", exact=True)).enter()
    expect(edit).to_be_focused()

"""A double click acts once although the server takes a second to respond, and a slow click also has its effect."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import EMAIL, PASSWORD, sign_in
from e2e.pages.account import AccountPage
from e2e.pages.category import CategoryPage
from e2e.pages.network import slow_down
from e2e.pages.ready import ready
from e2e.pages.screens import Fixtures
from e2e.pages.sign_in import SignInPage
from fundwright.accounts.schemas import Role


def test_signs_in_once_and_shows_that_it_is_busy(page: Page, token: str) -> None:
    def sessions() -> int:
        return len(page.request.get("/api/account/sessions", headers={"Authorization": f"Bearer {token}"}).json()["items"])

    before = sessions()
    slow_down(page)
    form = SignInPage(page).open()
    form.email.fill(EMAIL)
    form.password.fill(PASSWORD)
    form.submit.dblclick()
    expect(page.get_by_role("form", name="Login")).to_have_attribute("aria-busy", "true")
    expect(form.submit).to_have_attribute("aria-disabled", "true")
    expect(form.submit).to_be_focused()
    expect(form.submit).to_have_css("color", "rgba(0, 0, 0, 0)")
    expect(form.submit).to_have_css("animation-delay", "0.15s")
    page.wait_for_url("**/dashboard/train")
    ready(page)
    assert sessions() == before + 1


@pytest.mark.pain(8)
@pytest.mark.slow
def test_sends_one_piece_of_feedback(page: Page, application: Application) -> None:
    application.add_person("impatient@example.org", PASSWORD, role=Role.ADMIN)
    sign_in(page, "impatient@example.org")
    slow_down(page)
    page.goto("/feedback")
    ready(page)
    page.get_by_label("Your feedback").fill("Sent by a double click")
    page.get_by_role("button", name="Send", exact=True).dblclick()
    expect(page.get_by_label("Your feedback")).to_have_value("")
    ready(page)
    assert page.request.get("/api/feedback?text=double").json()["total"] == 1


@pytest.mark.slow
def test_creates_one_category(recognized: Page) -> None:
    slow_down(recognized)
    screen = CategoryPage(recognized).open()
    screen.start_new("Made once")
    screen.create.dblclick()
    ready(recognized)
    expect(recognized.get_by_role("article", name="Made once")).to_be_visible()
    names = [category["name"] for category in recognized.request.get("/api/categories").json()]
    assert names.count("Made once") == 1


@pytest.mark.slow
def test_writes_one_draft(recognized: Page, fixtures: Fixtures) -> None:
    slow_down(recognized)
    before = recognized.request.get("/api/drafts").json()["total"]
    recognized.goto(f"/generate/index?opportunity={fixtures.contract}&template=capability-statement")
    ready(recognized)
    recognized.get_by_role("button", name="Generate", exact=True).dblclick()
    recognized.wait_for_url("**/generate/slug/*")
    ready(recognized)
    assert recognized.request.get("/api/drafts").json()["total"] == before + 1


def test_a_slow_click_counts_whatever_leaving_the_field_changes_on_the_page(recognized: Page) -> None:
    with recognized.expect_websocket() as opening:
        form = AccountPage(recognized).open("security").part("Password")
    form.get_by_label("Current password").fill("not this one")
    form.get_by_label("New password").fill("seven quiet lighthouses")
    form.get_by_role("button", name="Change password").hover()
    with opening.value.expect_event("framereceived", lambda frame: "Password strength" in str(frame)):  # moves the button
        recognized.mouse.down()
    recognized.mouse.up()
    expect(form).to_contain_text("Wrong password.")
    expect(form.get_by_label("Password strength")).to_be_visible()

"""Text that was typed but not saved is restored after a reload and after a visit elsewhere in the same browser."""

from __future__ import annotations

from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from e2e.application import Application
from e2e.conftest import EMAIL, PASSWORD, sign_in
from e2e.pages.category import CategoryPage
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage
from e2e.pages.train import TrainPage
from fundwright.accounts.schemas import Role

TEXT = "Our company restores harbors"


@pytest.fixture
def author(application: Application, page: Page) -> Page:
    """A page, not opened yet, of a person who may write posts and send feedback."""
    email, password = f"{uuid4()}@example.org", "a lighthouse in the fog"
    application.add_person(email, password, name="Grace Example", role=Role.ADMIN)
    sign_in(page, email, password)
    return page


def drafts(page: Page) -> int:
    return page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft:')).length")


def offer(page: Page) -> Locator:
    return page.get_by_role("status").filter(has_text="You have unsaved text from")


def test_pasted_text_outlives_a_reload_until_it_is_saved(signed_in: Page) -> None:
    page = signed_in
    form = TrainPage(page).open_text()
    form.get_by_label("Text").fill(TEXT)
    page.reload()
    ready(page)
    expect(form.get_by_label("Text")).to_have_value("")
    expect(offer(page)).to_be_visible()
    assert [violation["id"] for violation in Axe().run(page).response["violations"]] == []
    page.get_by_role("button", name="Restore").press("Enter")
    expect(form.get_by_label("Text")).to_have_value(TEXT)
    form.get_by_label("Title").fill("Harbors")
    page.get_by_role("button", name="Add text").click()
    expect(page.get_by_text("The text was added and is being processed.")).to_be_visible()
    ready(page)
    assert drafts(page) == 0
    page.reload()
    ready(page)
    expect(offer(page)).to_have_count(0)


def test_a_form_that_is_left_for_another_screen_is_offered_again(signed_in: Page) -> None:
    page = signed_in
    CategoryPage(page).open().start_new("Harbors")
    Shell(page).go_to("Train")
    page.go_back()
    ready(page)
    expect(offer(page)).to_be_visible()
    page.get_by_role("button", name="Discard").click()
    ready(page)
    expect(offer(page)).to_have_count(0)
    assert drafts(page) == 0


@pytest.mark.parametrize("is_elsewhere", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["here", "in another tab"])
def test_signing_out_here_or_in_another_tab_keeps_it_for_the_same_account_alone(
    application: Application, signed_in: Page, is_elsewhere: bool
) -> None:
    other = f"{uuid4()}@example.org"
    application.add_person(other, "a lighthouse in the fog", name="Eve Example", role=Role.USER)
    leaves = signed_in
    if is_elsewhere:
        leaves = signed_in.context.new_page()
        leaves.goto("/dashboard/train")
        ready(leaves)
    field = TrainPage(signed_in).open_text().get_by_label("Text")
    field.fill(TEXT)
    Shell(leaves).sign_out()
    signed_in.wait_for_url("**/auth/login*")
    for email, password, is_offered in ((other, "a lighthouse in the fog", False), (EMAIL, PASSWORD, True)):
        ready(signed_in)
        SignInPage(signed_in).sign_in(email, password)
        signed_in.wait_for_url("**/dashboard/train*")
        TrainPage(signed_in).open_text()
        expect(offer(signed_in)).to_have_count(int(is_offered))
        assert TEXT not in field.input_value()
        if not is_offered:
            Shell(signed_in).sign_out()
    signed_in.get_by_role("button", name="Restore").press("Enter")
    expect(field).to_have_value(TEXT)


@pytest.mark.parametrize(
    ("address", "field"),
    [
        pytest.param("/dashboard/blog/new-post", "Text", marks=pytest.mark.slow, id="a post"),
        pytest.param("/feedback", "Your feedback", id="feedback"),
    ],
)
def test_other_long_texts_are_offered_again_after_a_reload(author: Page, address: str, field: str) -> None:
    author.goto(address)
    ready(author)
    author.get_by_label(field, exact=True).fill(TEXT)
    author.reload()
    ready(author)
    expect(author.get_by_label(field, exact=True)).to_have_value("")
    author.get_by_role("button", name="Restore").press("Enter")
    expect(author.get_by_label(field, exact=True)).to_have_value(TEXT)

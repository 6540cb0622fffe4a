"""The language is saved for the account."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import PASSWORD, NewContext
from e2e.pages.ready import ready
from e2e.pages.shell import Shell
from e2e.pages.sign_in import SignInPage

NEWCOMER = "jean@example.org"


@pytest.mark.slow
def test_the_chosen_language_applies_in_another_browser(page: Page, application: Application, new_context: NewContext) -> None:
    application.add_person(NEWCOMER, PASSWORD, name="Jean")
    SignInPage(page).open().sign_in(NEWCOMER, PASSWORD)
    page.wait_for_url("**/dashboard/train")
    ready(page)
    Shell(page).speak("Deutsch")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("link", name="Kategorie", exact=True)).to_be_visible()

    context = new_context(locale="fr-FR")
    elsewhere = context.new_page()
    elsewhere.goto("/auth/login")
    ready(elsewhere)
    expect(elsewhere.get_by_role("button", name="Login", exact=True)).to_be_visible()
    elsewhere.get_by_role("button", name="Afficher Fundwright en français").click()
    expect(elsewhere.get_by_role("button", name="Connexion", exact=True)).to_be_visible()
    expect(elsewhere.get_by_role("button", name="Afficher Fundwright en français")).to_have_count(0)
    answer = context.request.post("/signin", data={"email": NEWCOMER, "password": PASSWORD})
    assert answer.json()["flag"] == "success"
    elsewhere.goto("/dashboard/train")
    ready(elsewhere)
    expect(elsewhere.locator("html")).to_have_attribute("lang", "de")
    expect(elsewhere.get_by_role("link", name="Kategorie", exact=True)).to_be_visible()


def test_the_language_of_the_browser_is_offered_on_the_first_page_only(new_context: NewContext) -> None:
    page = new_context(locale="de-DE").new_page()
    offer = page.get_by_role("button", name="Fundwright auf Deutsch anzeigen")
    page.goto("/auth/login")
    ready(page)
    expect(offer).to_be_visible()
    page.goto("/pricing")
    ready(page)
    expect(offer).to_have_count(0)
    expect(page.locator("html")).to_have_attribute("lang", "en")

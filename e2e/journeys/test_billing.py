"""An administrator manages plans, invoices, and premium links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from e2e.application import Application
from e2e.conftest import EMAIL, PASSWORD, NewContext, sign_in
from e2e.pages.billing import PaymentHistoryPage, PremiumLinksPage, SubscriptionsPage
from e2e.pages.ready import ready
from fundwright.accounts.schemas import Role

BOSS = "boss@example.org"


@pytest.fixture(scope="module")
def boss(application: Application) -> str:
    """The email address of an administrator."""
    application.add_person(BOSS, PASSWORD, name="Grace Boss", role=Role.ADMIN)
    return BOSS


@pytest.fixture
def office(page: Page, boss: str) -> Page:
    """A blank page in a browser in which the administrator is signed in."""
    sign_in(page, boss)
    return page


@pytest.mark.slow
def test_an_invoice_is_written_paid_and_exported(office: Page) -> None:
    history = PaymentHistoryPage(office).open()
    history.write(email=EMAIL, amount="1,234.50", text="Pro, one year", due="2020-01-31")
    form = office.get_by_role("form", name="New invoice")
    expect(form.get_by_text("The invoice is due before it is issued.")).to_be_visible()
    expect(form.get_by_label("Description")).to_have_value("Pro, one year")
    form.get_by_label("Due").fill("2090-01-31")
    form.get_by_role("button", name="Create invoice").click()
    history.search("Pro, one year")
    expect(office.get_by_text("Unpaid: $1,234.50")).to_be_visible()
    with office.expect_download() as export:
        office.get_by_role("link", name="Export as CSV").click()
    assert f',{EMAIL},"Pro, one year",1234.50,USD,' in Path(export.value.path()).read_text()

    office.get_by_role("link", name=re.compile(r"\d{4}-\d{4}")).click()
    office.wait_for_url("**/dashboard/payment/history/*")
    office.get_by_role("button", name="Mark as paid").click()
    office.get_by_role("dialog").get_by_role("button", name="Mark as paid").click()
    expect(office.get_by_text("Paid on")).to_be_visible()
    expect(office.get_by_role("button", name="Void invoice")).to_have_count(0)


@pytest.mark.slow
def test_the_address_of_a_premium_link_is_shown_once(office: Page) -> None:
    links = PremiumLinksPage(office).open()
    links.make(note="Fair in Ohio")
    expect(links.address).to_have_text(re.compile("^/auth/register/premium/.{43}$"))
    office.reload()
    ready(office)
    expect(office.get_by_text("Fair in Ohio")).to_be_visible()
    expect(links.address).to_have_count(0)
    office.get_by_role("link", name="Pro").click()
    office.get_by_role("button", name="Revoke").click()
    office.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(office.get_by_role("article").get_by_text("Revoked")).to_be_visible()


@pytest.mark.slow
def test_a_workspace_is_put_on_another_plan(office: Page) -> None:
    SubscriptionsPage(office).open().choose(EMAIL)
    office.get_by_label("Plan", exact=True).select_option("Team")
    office.get_by_role("button", name="Change plan").click()
    expect(office.get_by_role("article", name="Subscription").get_by_text("Team")).to_be_visible()


def test_a_new_price_is_on_the_public_page_at_once(office: Page, new_context: NewContext) -> None:
    visitor = new_context().new_page()
    visitor.goto("/pricing")
    ready(visitor)
    expect(visitor.get_by_role("article", name="Pro").get_by_text("$49.00 per month")).to_be_visible()
    SubscriptionsPage(office).open().change_price("Pro", "59")
    expect(visitor.get_by_role("article", name="Pro").get_by_text("$59.00 per month")).to_be_visible()
    visitor.get_by_role("link", name="How to pay").click()
    expect(visitor.get_by_role("heading", name="You pay by invoice")).to_be_visible()
    expect(visitor.get_by_role("link", name="Fundwright")).to_have_attribute("href", "/")


@pytest.mark.parametrize("path", ["/dashboard/payment/history", "/dashboard/freepremium", "/dashboard/subscription"])
def test_a_user_does_not_find_these_pages(recognized: Page, path: str) -> None:
    assert recognized.request.get(path).url.endswith("/404")

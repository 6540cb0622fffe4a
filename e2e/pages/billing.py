"""The screens of plans and payments."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from e2e.pages.ready import ready


class PaymentHistoryPage:
    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self) -> PaymentHistoryPage:
        self.page.goto("/dashboard/payment/history")
        ready(self.page)
        return self

    def write(self, *, email: str, amount: str, text: str, due: str) -> None:
        """Create an invoice of the personal workspace of the account; `due` is a day such as 2030-01-31."""
        self.page.get_by_role("button", name="New invoice").click()
        panel = self.page.get_by_role("region", name="New invoice")
        panel.get_by_label("Find a workspace").fill(email)
        panel.get_by_role("listitem").filter(has_text=email).get_by_role("link").click()
        form = self.page.get_by_role("form", name="New invoice")
        form.get_by_label("Amount in US dollars").fill(amount)
        form.get_by_label("Description").fill(text)
        form.get_by_label("Due").fill(due)
        form.get_by_role("button", name="Create invoice").click()

    def search(self, words: str) -> None:
        self.page.get_by_role("searchbox", name="Search").fill(words)
        self.page.get_by_role("search").get_by_role("button", name="Search").click()
        ready(self.page)


class PremiumLinksPage:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.address = page.get_by_role("status").locator("code")

    def open(self) -> PremiumLinksPage:
        self.page.goto("/dashboard/freepremium")
        ready(self.page)
        return self

    def make(self, *, note: str) -> None:
        self.page.get_by_role("button", name="New link").click()
        form = self.page.get_by_role("form", name="New link")
        form.get_by_label("Note").fill(note)
        form.get_by_role("button", name="Create link").click()
        expect(form).to_have_count(0)


class SubscriptionsPage:
    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self) -> SubscriptionsPage:
        self.page.goto("/dashboard/subscription")
        ready(self.page)
        return self

    def choose(self, email: str) -> None:
        """Open the personal workspace of the account."""
        self.page.get_by_role("row").filter(has_text=email).get_by_role("link").click()
        self.page.wait_for_url("**/dashboard/subscription/*")
        ready(self.page)

    def change_price(self, plan: str, dollars: str) -> None:
        self.page.get_by_role("table", name="Plans").get_by_text(plan, exact=True).click()
        self.page.get_by_label("US dollars per month").fill(dollars)
        self.page.get_by_role("button", name="Save").click()

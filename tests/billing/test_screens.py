from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from babel.dates import format_date

from fundwright.accounts.schemas import Actor, Role
from fundwright.billing import service
from fundwright.billing.schemas import PaymentCreate, PaymentQuery, PlanCode, PremiumLinkCreate, Redemption, SubscriptionChange
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright_ui.login.register import register_screen
from fundwright_ui.plugin import screens
from fundwright_ui.runtime.router import Screen
from fundwright_ui.screens.billing.invoice import invoice_screen
from fundwright_ui.screens.billing.payment import payment_screen
from fundwright_ui.screens.billing.payment_history import payment_history_screen
from fundwright_ui.screens.billing.premium_link import premium_link_screen
from fundwright_ui.screens.billing.premium_links import premium_links_screen
from fundwright_ui.screens.billing.pricing import pricing_screen
from fundwright_ui.screens.billing.redeeming import redeem_screen
from fundwright_ui.screens.billing.subscriber import subscriber_screen
from fundwright_ui.screens.billing.subscriptions import subscriptions_screen
from fundwright_ui.screens.workspaces.workspace import workspace_screen
from fundwright_ui.testing import ScreenUnderTest, mounted
from tests.billing.conftest import HERE, do
from tests.support.signing_in import with_settings

TODAY = now().date()


@asynccontextmanager
async def at(core: Core, actor: Actor, shown: Screen, id: object) -> AsyncIterator[ScreenUnderTest]:
    async with mounted(core, actor, shown, params={"id": str(id)}) as screen:
        yield screen


async def write(core: Core, boss: Actor, ada: Actor, cents: int = 4_900, **change: Any) -> str:
    invoice = PaymentCreate(
        **{
            "workspace_id": ada.workspace_id,
            "email": ada.email,
            "text": "Pro",
            "amount_cents": cents,
            "issued": TODAY,
            "due": TODAY,
            **change,
        }
    )
    async with core.database.transaction() as session:
        return str((await service.add_payment(session, boss, core, invoice, client=HERE)).id)


def new_invoice(account: Actor) -> str:
    return f"/dashboard/payment/history?open=new&workspace={account.workspace_id}"


def cells(screen: ScreenUnderTest, field: str, table: str | None = None) -> list[Any]:
    return [row[field] for row in screen.rows(table)]


class TestPaymentHistory:
    async def test_an_invoice_is_written(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with mounted(committed, boss, payment_history_screen) as screen:
            assert screen.title == "Payment history"
            assert "No invoices yet." in screen.text
            await screen.click("button", "New invoice")
            assert screen.has("region", "New invoice")
            await screen.type("Find a workspace", "ADA@")
            await screen.expect(lambda: screen.has("link", "Ada Example (personal)"))
            assert screen.find("link", "Ada Example (personal)").props["href"] == new_invoice(ada)
        async with mounted(committed, boss, payment_history_screen, path=new_invoice(ada)) as screen:
            assert screen.value("Send to") == ada.email
            await screen.type("Amount in US dollars", "$ 1,234.50")
            await screen.type("Description", "Pro, one year")
            await screen.type("Due", (TODAY + timedelta(days=14)).isoformat())
            await screen.click("button", "Create invoice")
            assert screen.toasts == ["The invoice was created."]
            await screen.expect(lambda: screen.has("DataTable"))
            assert cells(screen, "amount") == ["$1,234.50"]
            assert "Unpaid: $1,234.50" in screen.text
        async with mounted(committed, boss, payment_history_screen, path=new_invoice(ada)) as screen:
            fields = [screen.find("searchbox", "Search"), screen.find("textbox", "Description")]
            assert len({field.props["id"] for field in fields}) == 2, "Each label must name its own field."
        async with committed.database.transaction() as session:
            (written,) = (await service.list_payments(session, boss, PaymentQuery())).items
        assert written.id.version == 5, "The form must say what it sends, so that the same invoice is not written twice."

    @pytest.mark.parametrize("amount", ["a lot", "1e999990", "sNaN", "Infinity", f"0.{'9' * 40}", "9" * 5_000])
    async def test_what_is_no_amount_is_refused_at_once(self, committed: Core, boss: Actor, ada: Actor, amount: str) -> None:
        """Writing out 1e999990 once blocked the server for half a minute."""
        async with mounted(committed, boss, payment_history_screen, path=new_invoice(ada)) as screen:
            await screen.type("Amount in US dollars", amount)
            await screen.click("button", "Create invoice")
            assert "Enter an amount such as 1234.50." in screen.text

    async def test_errors_are_shown_and_typed_text_stays(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with mounted(committed, boss, payment_history_screen, path=new_invoice(ada)) as screen:
            await screen.type("Amount in US dollars", "a lot")
            await screen.click("button", "Create invoice")
            assert "Enter an amount such as 1234.50." in screen.text
            assert "Fill in this field." in screen.text and "Enter a date." in screen.text
            await screen.type("Amount in US dollars", "10")
            await screen.type("Description", "Pro")
            await screen.type("Due", (TODAY - timedelta(days=1)).isoformat())
            await screen.click("button", "Create invoice")
            assert "The invoice is due before it is issued." in screen.text
            assert screen.value("Description") == "Pro"

    async def test_the_workspace_of_a_new_one_is_found_and_can_be_changed(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with mounted(committed, boss, payment_history_screen, path=new_invoice(ada)) as screen:
            await screen.click("button", "Choose another workspace")
            await screen.type("Find a workspace", "nowhere")
            await screen.expect("No workspaces match. Change your search.")
            await screen.type("Find a workspace", "")
            await screen.expect(lambda: screen.has("link", "Ada Example (personal)"))
        async with mounted(
            committed, boss, payment_history_screen, path=f"/dashboard/payment/history?open=new&workspace={uuid4()}"
        ) as screen:
            assert "The workspace was not found." in screen.text

    async def test_filter_order_and_page_are_in_the_url(self, committed: Core, boss: Actor, ada: Actor) -> None:
        for cents in (300, 100, 200):
            await write(committed, boss, ada, cents)
        async with mounted(committed, boss, payment_history_screen) as screen:
            sort = {"field": "amount", "direction": "desc"}
            await screen.emit("DataTable", "on_query", page=1, page_size=10, sort=sort, filters=[])
            assert screen.address == "/dashboard/payment/history?page_size=10&sort=-amount"
            assert cells(screen, "amount") == ["$3.00", "$2.00", "$1.00"]
            await screen.choose("Status", "paid")
            assert "state=paid" in screen.address
            await screen.expect("No invoices match. Change the filters.")
            assert screen.find("link", "Clear filters").props["href"] == "/dashboard/payment/history?page_size=10&sort=-amount"
        async with mounted(
            committed, boss, payment_history_screen, path="/dashboard/payment/history?page=2&page_size=10"
        ) as screen:
            assert len(cells(screen, "amount")) == 3  # a page number beyond the end shows the last page

    async def test_an_overdue_one_shows_a_message(self, committed: Core, boss: Actor, ada: Actor) -> None:
        past = TODAY - timedelta(days=3)
        await write(committed, boss, ada, issued=past, due=past)
        async with mounted(committed, boss, payment_history_screen) as screen:
            assert [chip["label"] for (chip,) in cells(screen, "state")] == ["Overdue"]

    async def test_it_is_exported_as_it_is_filtered(self, committed: Core, boss: Actor, ada: Actor) -> None:
        await write(committed, boss, ada)
        path = "/dashboard/payment/history?state=open&sort=due&page_size=10"
        async with mounted(committed, boss, payment_history_screen, path=path) as screen:
            href = screen.find("link", "Export as CSV").props["href"]
            assert href == "/api/billing/payments/export.csv?state=open&sort=due"

    async def test_money_is_written_in_the_language(self, committed: Core, boss: Actor, ada: Actor) -> None:
        await write(committed, boss, ada, 123_450)
        async with mounted(committed, boss, payment_history_screen, language="de") as screen:
            assert cells(screen, "amount") == ["1.234,50\xa0$"]


class TestInvoice:
    async def test_it_is_marked_as_paid_once_asked(self, committed: Core, boss: Actor, ada: Actor) -> None:
        payment = await write(committed, boss, ada)
        async with at(committed, boss, invoice_screen, payment) as screen:
            assert f"Invoice {TODAY.year}-0001" in screen.text and "$49.00" in screen.text
            await screen.click("button", "Mark as paid")
            assert screen.props("ConfirmDialog")["isOpen"] is True
            await screen.emit("ConfirmDialog", "on_confirm")
            assert screen.toasts == ["The invoice was marked as paid."]
            await screen.expect("Paid on")
            assert not screen.has("button", "Void invoice")

    async def test_it_is_voided(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with at(committed, boss, invoice_screen, await write(committed, boss, ada)) as screen:
            await screen.click("button", "Void invoice")
            await screen.emit("ConfirmDialog", "on_cancel")
            assert screen.props("ConfirmDialog")["isOpen"] is False
            await screen.click("button", "Void invoice")
            await screen.emit("ConfirmDialog", "on_confirm")
            await screen.expect(lambda: not screen.has("button", "Mark as paid"))
            assert "Void" in screen.text

    async def test_one_that_is_not_there_is_missing(self, committed: Core, boss: Actor) -> None:
        async with at(committed, boss, invoice_screen, "nonsense") as screen:
            assert screen.has("alert")
            assert screen.view.connection.is_missing


class TestPremiumLinks:
    async def test_a_link_is_created_and_its_address_shown_once(self, committed: Core, boss: Actor) -> None:
        async with mounted(committed, boss, premium_links_screen) as screen:
            assert screen.title == "Premium Link"
            await screen.click("button", "New link")
            await screen.choose("Plan", "team")
            await screen.type("Duration in days", "14")
            await screen.type("Maximum uses", "3")
            await screen.type("Note", "Fair")
            await screen.click("button", "Create link")
            await screen.expect("The premium link is ready")
            path = screen.props("CopyButton")["text"]
            assert path.startswith("/auth/register/premium/") and path in screen.text
            await screen.expect(lambda: screen.has("DataTable"))
            columns = {column["label"]: column["isNumber"] for column in screen.columns()}
            assert columns["Duration"] and columns["Used"]
            assert (cells(screen, "days"), cells(screen, "used"), cells(screen, "note")) == (["14 days"], ["0 of 3"], ["Fair"])
        async with mounted(committed, boss, premium_links_screen) as screen:
            assert "/auth/register/premium/" not in screen.text
        async with committed.database.transaction() as session:
            assert (await service.describe_premium_link(session, path.rpartition("/")[2])).plan_name == "Team"

    async def test_a_wrong_number_is_shown_next_to_the_field(self, committed: Core, boss: Actor) -> None:
        async with mounted(committed, boss, premium_links_screen, path="/dashboard/freepremium?open=new") as screen:
            await screen.type("Duration in days", "0")
            await screen.click("button", "Create link")
            assert "Enter at least 1." in screen.text

    async def test_who_used_it_and_revoking(self, committed: Core, boss: Actor, ada: Actor) -> None:
        wanted = PremiumLinkCreate(plan=PlanCode.PRO, days=30, uses=2, expires_on=TODAY)
        async with committed.database.transaction() as session:
            link = await service.create_premium_link(session, boss, wanted, client=HERE)
            await service.redeem_premium_link(session, ada, Redemption(link=link.path), client=HERE)
        async with at(committed, boss, premium_link_screen, link.id) as screen:
            used_by = screen.find("region", "Used by").text
            assert ada.name in used_by and ada.email in used_by
            assert "1 of 2" in screen.text
            await screen.click("button", "Revoke")
            await screen.emit("ConfirmDialog", "on_confirm")
            await screen.expect("Revoked")
            assert not screen.has("button", "Revoke")


class TestRedeeming:
    async def made(self, core: Core, boss: Actor) -> str:
        wanted = PremiumLinkCreate(plan=PlanCode.PRO, days=30, uses=5, expires_on=TODAY)
        return (await do(core, boss, lambda session: service.create_premium_link(session, boss, wanted, client=HERE))).path

    async def test_a_link_in_the_plan_tab_opens_the_page_that_says_what_it_changes(
        self, committed: Core, boss: Actor, harbor: Actor
    ) -> None:
        path = await self.made(committed, boss)
        async with mounted(committed, harbor, workspace_screen, path="/dashboard/workspace?tab=plan") as screen:
            await screen.expect("No premium links redeemed yet.")
            await screen.click("button", "Redeem a premium link")
            await screen.type("Premium link", "https://office.example/nonsense")
            await screen.submit("Redeem a premium link")
            await screen.expect("Check that you copied the whole link")
            await screen.type("Premium link", f"https://office.example{path}")
            await screen.submit("Redeem a premium link")
            assert screen.navigations[-1] == f"{path}?workspace={harbor.workspace_id}"

    async def test_one_of_the_own_workspaces_is_chosen(
        self, committed: Core, boss: Actor, ada: Actor, harbor: Actor, bob: Actor
    ) -> None:
        token = (await self.made(committed, boss)).rpartition("/")[2]
        async with mounted(committed, ada, redeem_screen, params={"token": token}) as screen:
            await screen.expect("30 days")
            assert [option.text for option in screen.elements("option")] == ["Personal", "Harbor"]
            await screen.choose("Workspace", str(harbor.workspace_id))
            await screen.click("button", "Redeem")
            await screen.expect(lambda: "/dashboard/workspace?tab=plan" in screen.navigations)
        async with mounted(committed, harbor, workspace_screen, path="/dashboard/workspace?tab=plan") as screen:
            await screen.expect(lambda: screen.has("DataTable"))
            assert (cells(screen, "plan"), cells(screen, "given_by")) == (["Pro"], [boss.email])
        async with mounted(committed, bob, workspace_screen, path="/dashboard/workspace?tab=plan") as screen:
            await screen.expect("Pro")
            assert not screen.has("region", "Premium links")  # for owners

    async def test_a_better_plan_is_replaced_only_after_it_was_said(self, committed: Core, boss: Actor, ada: Actor) -> None:
        token = (await self.made(committed, boss)).rpartition("/")[2]
        change = SubscriptionChange(plan=PlanCode.TEAM)
        await do(committed, boss, lambda session: service.subscribe(session, boss, ada.id, change, client=HERE))
        async with mounted(committed, ada, redeem_screen, params={"token": token}) as screen:
            await screen.expect("The workspace is on the Team plan, which has no end date.")
            assert not screen.has("button", "Redeem")
            await screen.click("button", "Replace the plan")
            await screen.expect(lambda: screen.navigations)
        async with mounted(committed, ada, redeem_screen, params={"token": token}) as screen:
            await screen.expect("This workspace redeemed the link on")
            assert not screen.has("button", "Redeem") and not screen.has("button", "Replace the plan")

    async def test_a_link_that_does_not_work_says_why(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, ada, redeem_screen, params={"token": "nonsense"}) as screen:
            await screen.expect("This premium link is not valid.")
            assert not screen.has("button", "Redeem")

    def test_the_same_address_is_for_visitors_to_register(self) -> None:
        [screen] = [each for each in screens() if each.path == redeem_screen.path]
        assert screen.visitor_screen is register_screen


class TestSubscriptions:
    async def test_a_plan_is_edited(self, committed: Core, boss: Actor) -> None:
        async with mounted(committed, boss, subscriptions_screen) as screen:
            assert screen.title == "Subscription"
            await screen.emit("DataTable", "on_open", of="Plans", id="pro")
            assert screen.has("region", "Edit Pro")
            plans = next(each.props for each in screen.elements("DataTable") if each.props["label"] == "Plans")
            assert sum(plans["widths"]) <= 702  # the space beside the panel at 1440 pixels
            assert screen.value("US dollars per month") == "49.00"
            await screen.type("US dollars per month", "59")
            await screen.type("Documents", "")
            await screen.click("button", "Save")
            assert screen.toasts == ["The plan was changed."]
            await screen.expect(lambda: not screen.has("region", "Edit Pro"))
            await screen.expect("$59.00")
            pro = {row["name"]: row for row in screen.rows("Plans")}["Pro"]
            assert (pro["price"], pro["Documents"]) == ("$59.00", "Unlimited")
            assert [column["isNumber"] for column in screen.columns("Plans")] == [False, *[True] * 5, False]

    async def test_subscribers_are_listed_by_plan(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with committed.database.transaction() as session:
            await service.subscribe(session, boss, ada.id, SubscriptionChange(plan=PlanCode.TEAM, until=TODAY), client=HERE)
        async with mounted(committed, boss, subscriptions_screen, path="/dashboard/subscription?plan=team") as screen:
            assert [cell["label"] for cell in cells(screen, "name", "Workspaces by plan")] == ["Ada Example (personal)"]
            assert cells(screen, "owners", "Workspaces by plan") == [ada.email]
            assert cells(screen, "until", "Workspaces by plan") == [format_date(TODAY, locale="en")]
            await screen.emit("DataTable", "on_open", of="Workspaces by plan", id=str(ada.id))
            assert screen.navigations == [f"/dashboard/subscription/{ada.id}"]

    async def test_the_plan_of_a_workspace_is_changed(self, committed: Core, boss: Actor, ada: Actor) -> None:
        async with at(committed, boss, subscriber_screen, ada.id) as screen:
            assert screen.value("Plan") == "free"
            assert screen.find("link", "New invoice").props["href"] == new_invoice(ada)
            await screen.choose("Plan", "pro")
            await screen.type("Ends on", (TODAY - timedelta(days=1)).isoformat())
            await screen.click("button", "Change plan")
            assert "Choose today or a later date." in screen.text
            assert screen.value("Plan") == "pro"
            await screen.type("Ends on", "")
            await screen.choose("Source", "invoice")
            await screen.click("button", "Change plan")
            await screen.expect("Since")
            async with committed.database.transaction() as session:
                assert (await service.get_subscriber(session, boss, ada.id)).plan == PlanCode.PRO


class TestAdministration:
    async def test_a_plan_is_opened_in_the_table(self, committed: Core, boss: Actor) -> None:
        async with mounted(committed, boss, subscriptions_screen, path=f"{subscriptions_screen.path}?open=pro") as screen:
            assert screen.has("region", "Edit Pro")
            assert cells(screen, "action", "Plans")[0] == {"label": "Edit", "name": "Edit Free"}
            await screen.emit("DataTable", "on_action", of="Plans", id="free")
            assert screen.has("region", "Edit Free")

    @pytest.mark.parametrize(
        "shown",
        [
            payment_history_screen,
            invoice_screen,
            premium_links_screen,
            premium_link_screen,
            subscriptions_screen,
            subscriber_screen,
        ],
        ids=lambda shown: shown.path,
    )
    def test_a_user_does_not_open_them(self, shown: Screen) -> None:
        assert shown.roles == {Role.ADMIN}


class TestPublicPages:
    async def test_pricing_shows_the_plans_as_they_are(self, committed: Core, boss: Actor) -> None:
        async with mounted(committed, None, pricing_screen) as screen:
            assert "Free of charge" in screen.find("article", "Free").text
            assert "$49.00 per month" in screen.find("article", "Pro").text
            assert "10,000" in screen.find("article", "Pro").text
            assert screen.find("link", "Fundwright").props["href"] == "/"
            assert screen.has("main")

    async def test_pricing_offers_a_way_to_each_plan(self, committed: Core, ada: Actor) -> None:
        async with mounted(committed, None, pricing_screen) as screen:
            assert screen.find("link", "Get started").props["href"] == "/auth/register/standard/open"
            assert screen.find("link", "Choose Pro").props["href"] == "/payment"
        async with mounted(committed, ada, pricing_screen) as screen:
            assert "Plan of this workspace" in screen.find("article", "Free").text and not screen.has("link", "Get started")
            assert screen.find("link", "Choose Team").props["href"] == "/payment"

    async def test_payment_names_the_contact(self, committed: Core) -> None:
        core = with_settings(committed, contact_email="grants@example.org")
        async with mounted(core, None, payment_screen) as screen:
            assert screen.find("link", "Write to grants@example.org").props["href"] == "mailto:grants@example.org"

    async def test_payment_says_how(self, committed: Core) -> None:
        async with mounted(committed, None, payment_screen) as screen:
            assert screen.title == "Payment"
            assert "You pay by invoice" in screen.text
            assert screen.find("link", "View plans").props["href"] == "/pricing"

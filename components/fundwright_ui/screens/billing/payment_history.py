"""`/dashboard/payment/history`: all invoices."""

from __future__ import annotations

from typing import Annotated

from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.billing import service as billing
from fundwright.billing.schemas import Cents, PaymentCreate, PaymentQuery, PaymentRead, PaymentState, PaymentSum
from fundwright.core.database import now
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.admin.outbox import undelivered
from fundwright_ui.screens.listing import (
    choices,
    existing_page,
    has_filters,
    listed_table,
    narrow,
    open_below,
    search_box,
    use_listing,
)
from fundwright_ui.ui import Color, button, chip, empty, form, page, select_field, side_panel, text_field
from fundwright_ui.ui.elements import Child
from fundwright_ui.ui.money import ParsedCents, money
from fundwright_ui.widgets import Chip, Column, LinkCell, Row

PATH = "/dashboard/payment/history"

_COLORS: dict[PaymentState, Color] = {
    PaymentState.OPEN: "info",
    PaymentState.PAID: "success",
    PaymentState.VOID: "secondary",
}


class InvoiceForm(PaymentCreate):
    """The form for a new invoice."""

    amount_cents: Annotated[Cents, ParsedCents]


def payment_chip(payment: PaymentRead) -> Chip:
    """The state of an invoice; an open one may be overdue."""
    if payment.state is PaymentState.OPEN and payment.due < now().date():
        return Chip(label=t("Overdue"), color="warning")
    return Chip(label=payment.state.label, color=_COLORS[payment.state])


@screen(PATH, "Payment history", roles=roles_with(Permission.ADMINISTER), help="/help/billing")
def payment_history_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(PaymentQuery, url.params)
    is_adding = url.get("open") == "new"

    async def read(session: AsyncSession) -> tuple[Page[PaymentRead], list[PaymentSum]]:
        listed = await existing_page(lambda query: billing.list_payments(session, actor, query), query)
        return listed, await billing.sum_payments(session, actor, query)

    async def add(session: AsyncSession, invoice: InvoiceForm) -> None:
        await billing.add_payment(session, actor, connection.core, invoice, client=connection.client)

    listing = use_listing(read, query, lambda answer: answer[0], id=lambda payment: payment.id, topics=[billing.TOPIC])

    def close() -> None:
        url.set(open=None)

    def added() -> None:
        close()
        listing.load()

    adding = use_action(add, success=t("The invoice was created."), then=added)

    def shown(*children: Child) -> VdomDict:
        new = button(
            t("New invoice"), icon_name="add", variant="contained", on_click=lambda: url.set(open="new"), disabled=is_adding
        )
        return page(t("Payment history"), *children, actions=[new])

    if listing.answer is None:
        return shown(listing.pending(t("Loading invoices")))
    listed, sums = listing.answer
    new_invoice = None
    if is_adding:
        new_invoice = side_panel(
            t("New invoice"),
            undelivered(connection),
            form(
                text_field("email", t("Account email"), type="email", required=True, maxlength=254),
                text_field("amount_cents", t("Amount in US dollars"), required=True, maxlength=20, keyboard="decimal"),
                text_field("text", t("Description"), required=True, maxlength=500),
                text_field("issued", t("Issued"), type="date", default=now().date().isoformat(), required=True),
                text_field("due", t("Due"), type="date", required=True),
                on_submit=adding,
                model=InvoiceForm,
                submit=t("Create invoice"),
                label=t("New invoice"),
                actions=[button(t("Cancel"), on_click=close)],
            ),
            close=t("Close"),
            on_close=close,
            key="new",
        )
    if not listed.total and not has_filters(query):
        return shown(empty(t("No invoices yet."), icon_name="payment"), new_invoice)
    return shown(
        *listed_table(
            listing,
            listed,
            label=t("Payment history"),
            count=nt("{n} invoice", "{n} invoices", listed.total),
            above=html.ul(
                {"className": "fw-chips", "aria-label": t("Totals")},
                *(
                    html.li(
                        {"key": f"{each.currency} {each.state}"},
                        chip(
                            f"{each.state.label}: {money(each.amount_cents, each.currency)}",
                            color=_COLORS[each.state],
                        ),
                    )
                    for each in sums
                ),
            )
            if sums
            else None,
            columns=[
                Column(field="number", label=t("Number"), kind="link", is_sortable=True),
                Column(field="email", label=t("Account"), is_sortable=True, flex=4, min_width=160),
                Column(field="text", label=t("Description"), is_compact=False, flex=5),
                Column(field="amount", label=t("Amount"), kind="number", is_sortable=True),
                Column(field="issued", label=t("Issued"), kind="date", is_sortable=True, is_compact=False),
                Column(field="due", label=t("Due"), kind="date", is_sortable=True, is_compact=False),
                Column(field="state", label=t("Status"), kind="chips", is_sortable=True),
            ],
            row_of=lambda each: _row(each.item, connection.href(f"{PATH}/{each.id}")),
            export="/api/billing/payments/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search invoices"),
                select_field(
                    "state", t("Status"), choices(PaymentState, t("Any")), value=query.state or "", on_change=narrow(url, "state")
                ),
            ),
            nothing=t("No invoices match. Change the filters."),
            on_open=open_below(connection, PATH),
        ),
        new_invoice,
    )


def _row(payment: PaymentRead, href: str) -> Row:
    return Row(
        id=str(payment.id),
        cells={
            "number": LinkCell(label=payment.number, href=href),
            "email": payment.email,
            "text": payment.text,
            "amount": money(payment.amount_cents, payment.currency),
            "issued": payment.issued,
            "due": payment.due,
            "state": (payment_chip(payment),),
        },
    )

"""`/dashboard/payment/history`: all invoices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated
from uuid import uuid4

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.billing import service as billing
from fundwright.billing.schemas import (
    Cents,
    PaymentCreate,
    PaymentForm,
    PaymentQuery,
    PaymentRead,
    PaymentState,
    PaymentSum,
    SubscriberQuery,
    SubscriberRead,
)
from fundwright.core.database import now
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import query_in_address, use_action, use_query, use_url_state
from fundwright_ui.hooks.url import UrlState
from fundwright_ui.product import id_in, use_actor, use_connection
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
from fundwright_ui.ui import (
    Color,
    Option,
    button,
    chip,
    empty,
    form,
    loading,
    page,
    problem,
    row,
    select_field,
    sending_field,
    side_panel,
    stack,
    text_field,
    text_link,
)
from fundwright_ui.ui.elements import Child
from fundwright_ui.ui.money import ParsedCents, money
from fundwright_ui.widgets import Chip, Column, LinkCell, Row

PATH = "/dashboard/payment/history"
_OFFERED = 8
"""Workspaces that are offered for a new invoice."""

_COLORS: dict[PaymentState, Color] = {
    PaymentState.OPEN: "info",
    PaymentState.PAID: "success",
    PaymentState.VOID: "secondary",
}


class InvoiceForm(PaymentForm):
    """The form for a new invoice."""

    amount_cents: Annotated[Cents, ParsedCents]


def payment_chip(payment: PaymentRead) -> Chip:
    """The state of an invoice; an open one may be overdue."""
    if payment.state is PaymentState.OPEN and payment.due < now().date():
        return Chip(label=t("Overdue"), color="warning")
    return Chip(label=payment.state.label, color=_COLORS[payment.state])


def payment_row(payment: PaymentRead, number: str | LinkCell) -> Row:
    return Row(
        id=str(payment.id),
        cells={
            "number": number,
            "workspace": payment.workspace_name,
            "email": payment.email,
            "text": payment.text,
            "amount": money(payment.amount_cents, payment.currency),
            "issued": payment.issued,
            "due": payment.due,
            "state": (payment_chip(payment),),
        },
    )


def payment_search(url: UrlState, query: PaymentQuery) -> VdomDict:
    return search_box(
        url,
        query,
        t("Search invoices"),
        select_field(
            "state", t("Status"), choices(PaymentState, t("Any")), value=query.state or "", on_change=narrow(url, "state")
        ),
    )


@screen(PATH, "Payment history", roles=roles_with(Permission.ADMINISTER), help="/help/billing")
def payment_history_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(open=("new",), workspace=("{id}",))
    query = query_in_address(PaymentQuery, url)
    is_adding = url.get("open") == "new"

    async def read(session: AsyncSession) -> tuple[Page[PaymentRead], list[PaymentSum]]:
        listed = await existing_page(lambda query: billing.list_payments(session, actor, query), query)
        return listed, await billing.sum_payments(session, actor, query)

    listing = use_listing(read, query, lambda answer: answer[0], id=lambda payment: payment.id, topics=[billing.TOPIC])

    def shown(*children: Child) -> VdomDict:
        new = button(
            t("New invoice"), icon_name="add", variant="contained", on_click=lambda: url.set(open="new"), disabled=is_adding
        )
        return page(t("Payment history"), *children, actions=[new])

    if listing.answer is None:
        return shown(listing.pending(t("Loading invoices")))
    listed, sums = listing.answer
    new_invoice = _new_invoice(listing.load, key="new") if is_adding else None
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
                Column(field="workspace", label=t("Workspace"), is_sortable=True, flex=3, min_width=140),
                Column(field="email", label=t("Sent to"), is_sortable=True, is_compact=False, flex=3, min_width=160),
                Column(field="text", label=t("Description"), is_sortable=True, is_compact=False, flex=4),
                Column(field="amount", label=t("Amount"), kind="number", is_sortable=True),
                Column(field="issued", label=t("Issued"), kind="date", is_sortable=True, is_compact=False),
                Column(field="due", label=t("Due"), kind="date", is_sortable=True, is_compact=False),
                Column(field="state", label=t("Status"), kind="chips", is_sortable=True),
            ],
            row_of=lambda each: payment_row(
                each.item, LinkCell(label=each.item.number, href=connection.href(f"{PATH}/{each.id}"))
            ),
            export="/api/billing/payments/export.csv",
            narrow=payment_search(url, query),
            nothing=t("No invoices match. Change the filters."),
            on_open=open_below(connection, PATH),
        ),
        new_invoice,
    )


@component
def _new_invoice(load: Callable[[], None]) -> VdomDict:
    """First the workspace is chosen, unless the address names it."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    workspace_id = id_in(url.get("workspace"))

    async def read(session: AsyncSession) -> SubscriberRead | None:
        return await billing.get_subscriber(session, actor, workspace_id) if workspace_id else None

    found = use_query(read, key=[workspace_id])

    def close() -> None:
        url.set(open=None, workspace=None)

    def added() -> None:
        close()
        load()

    if found.error:
        content: Child = problem(found.error, on_retry=found.reload)
    elif workspace_id is None:
        content = _choose_workspace(key="choose")
    elif found.value is None:
        content = loading(t("Loading the workspace"))
    else:
        content = _invoice_form(found.value, added, close, key=str(workspace_id))
    return side_panel(t("New invoice"), undelivered(connection), content, close=t("Close"), on_close=close, key="new")


@component
def _choose_workspace() -> VdomDict:
    actor, url = use_actor(), use_url_state()
    words, set_words = use_state("")
    query = SubscriberQuery(text=words.strip()[:200], page_size=_OFFERED)
    found = use_query(lambda session: billing.list_subscribers(session, actor, query), key=[query])

    def offered(workspace: SubscriberRead) -> VdomDict:
        link = text_link(workspace.title, url.href(workspace=workspace.workspace_id))
        owners = html.div({"className": "fw-muted fw-small"}, ", ".join(workspace.owners))
        return html.li({"key": str(workspace.workspace_id)}, html.div(link, owners))

    return stack(
        text_field(
            "find",
            t("Find a workspace"),
            type="search",
            value=words,
            on_change=set_words,
            maxlength=200,
            help=t("Type part of its name or of an owner's email address."),
        ),
        problem(found.error, on_retry=found.reload) if found.error else None,
        loading(t("Loading workspaces")) if found.value is None and not found.error else None,
        html.ul({"className": "fw-list"}, *map(offered, found.value.items))
        if found.value and found.value.items
        else html.p({"role": "status"}, t("No workspaces match. Change your search."))
        if found.value
        else None,
    )


@component
def _invoice_form(workspace: SubscriberRead, added: Callable[[], None], close: Callable[[], None]) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    sending, _ = use_state(lambda: uuid4().hex)

    async def add(session: AsyncSession, invoice: InvoiceForm) -> None:
        wanted = PaymentCreate(workspace_id=workspace.workspace_id, **invoice.model_dump())
        await billing.add_payment(session, actor, connection.core, wanted, client=connection.client)

    return stack(
        row(
            html.strong(workspace.title),
            button(t("Choose another workspace"), size="small", variant="text", on_click=lambda: url.set(workspace=None)),
            spread=True,
        ),
        form(
            sending_field(sending),
            select_field("email", t("Send to"), [Option(email, email) for email in workspace.owners]),
            text_field("amount_cents", t("Amount in US dollars"), required=True, maxlength=20, keyboard="decimal"),
            # With its own id, because the search beside it has a field of this name, too.
            text_field("text", t("Description"), required=True, maxlength=500, id="invoice-text"),
            text_field("issued", t("Issued"), type="date", default=now().date().isoformat(), required=True),
            text_field("due", t("Due"), type="date", required=True),
            on_submit=use_action(add, success=t("The invoice was created."), then=added),
            model=InvoiceForm,
            submit=t("Create invoice"),
            label=t("New invoice"),
            name=f"invoice:{workspace.workspace_id}",
            actions=[button(t("Cancel"), on_click=close)],
        ),
    )

"""`/dashboard/payment/history/{id}`: one invoice."""

from __future__ import annotations

from babel.dates import format_date
from reactpy import component, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.billing import service as billing
from fundwright.billing.schemas import PaymentRead, PaymentState
from fundwright.core.messages import current_language, t
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.billing.payment_history import PATH, payment_chip
from fundwright_ui.ui import button, card, chip, definition_list, link_button, loading, moment, page, problem, row
from fundwright_ui.ui.money import money
from fundwright_ui.widgets import ConfirmDialog


@screen(f"{PATH}/{{id}}", "Invoice", roles=roles_with(Permission.ADMINISTER), help="/help/billing")
def invoice_screen() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    address = connection.location.params["id"]

    async def read(session: AsyncSession) -> PaymentRead:
        return await billing.get_payment(session, actor, parse_id(address, t("The invoice")))

    found = use_query(read, key=[address], topics=[billing.TOPIC])
    back = link_button(t("All invoices"), connection.href_back(PATH), icon_name="arrow_back")
    if found.error:
        return page(t("Invoice"), problem(found.error, on_retry=found.reload), actions=[back])
    if found.value is None:
        return page(t("Invoice"), loading(t("Loading invoice")), actions=[back])
    payment, language = found.value, current_language()
    state = payment_chip(payment)
    return page(
        t("Invoice {number}", number=payment.number),
        card(
            definition_list(
                {
                    t("Workspace"): payment.workspace_name,
                    t("Sent to"): payment.email,
                    t("Description"): payment.text,
                    t("Amount"): money(payment.amount_cents, payment.currency),
                    t("Issued"): format_date(payment.issued, locale=language),
                    t("Due"): format_date(payment.due, locale=language),
                    t("Status"): chip(state.label, color=state.color),
                    t("Paid on"): moment(payment.paid_at) if payment.paid_at else None,
                }
            ),
            label=t("Invoice {number}", number=payment.number),
        ),
        _settlement_actions(payment, key="settling") if payment.state is PaymentState.OPEN else None,
        actions=[back],
    )


@component
def _settlement_actions(payment: PaymentRead) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    asked, set_asked = use_state("")

    async def mark_paid(session: AsyncSession) -> None:
        await billing.mark_paid(session, actor, payment.id, client=connection.client)

    async def void(session: AsyncSession) -> None:
        await billing.void_payment(session, actor, payment.id, client=connection.client)

    paying = use_action(mark_paid, success=t("The invoice was marked as paid."))
    voiding = use_action(void, success=t("The invoice was voided."))
    is_paid = asked == "paid"
    return row(
        button(t("Mark as paid"), variant="contained", on_click=lambda: set_asked("paid")),
        button(t("Void invoice"), danger=True, on_click=lambda: set_asked("void")),
        ConfirmDialog(
            is_open=asked != "",
            title=t("Mark invoice {number} as paid?", number=payment.number)
            if is_paid
            else t("Void invoice {number}?", number=payment.number),
            text=t("This can't be undone. To correct a mistake, create a new invoice."),
            confirm_label=t("Mark as paid") if is_paid else t("Void invoice"),
            cancel_label=t("Cancel"),
            is_danger=not is_paid,
            error=(paying if is_paid else voiding).error or "",
            on_confirm=paying if is_paid else voiding,
            on_cancel=lambda: set_asked(""),
        ),
    )

"""`/payment`: how to pay."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.public.frame import public_page
from fundwright_ui.ui import card, row, section, text_link


@screen("/payment", "Payment", area="public")
def payment_screen() -> VdomDict:
    connection = use_connection()
    contact = connection.core.settings.contact_email
    return public_page(
        connection,
        t("Payment"),
        section(
            t("You pay by invoice"),
            card(
                html.p(
                    t(
                        "Tell an administrator which plan you want for which workspace. The administrator will change the plan and send an invoice with the amount and due date to an owner of the workspace."
                    )
                ),
                html.p(
                    t(
                        "Pay by bank transfer and include the invoice number. Nothing is charged automatically, and no card is needed."
                    )
                ),
                html.p(t("For bank details or questions, contact the administrator named in the invoice.")),
                row(
                    text_link(t("Write to {email}", email=contact), f"mailto:{contact}") if contact else None,
                    text_link(t("View plans"), connection.href("/pricing")),
                ),
                label=t("You pay by invoice"),
            ),
        ),
    )

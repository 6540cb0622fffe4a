"""`/payment`: how to pay."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.core.messages import t
from fundwright_ui.hooks import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.public import public_page
from fundwright_ui.ui import card, row, section, text_link


@screen("/payment", "Payment", area="public")
def payment_screen() -> VdomDict:
    connection = use_connection()
    return public_page(
        connection,
        t("Payment"),
        section(
            t("You pay by invoice"),
            card(
                html.p(
                    t(
                        "Tell an administrator of this installation which plan you want. You are put on it and get an invoice "
                        "by email, which says how much to pay and by when."
                    )
                ),
                html.p(
                    t(
                        "Pay by bank transfer and give the number of the invoice. Nothing is charged by itself, and no card is asked for."
                    )
                ),
                html.p(t("A question about an invoice goes to the administrator who sent it.")),
                row(text_link(t("See the plans"), connection.href("/pricing"))),
                label=t("You pay by invoice"),
            ),
        ),
    )

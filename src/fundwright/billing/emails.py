"""Emails about billing, in the language of the recipient."""

from __future__ import annotations

from decimal import Decimal

from babel.dates import format_date
from babel.numbers import format_currency

from fundwright.accounts.schemas import Actor
from fundwright.billing.schemas import PaymentRead
from fundwright.core.mail import MailKind, OutgoingEmail
from fundwright.core.messages import Language, t, using_language


def invoice(payment: PaymentRead, language: Language, *, sender: Actor, link: str) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            payment.email,
            t("Invoice {number}", number=payment.number),
            (
                t(
                    "This is invoice {number}, issued on {day}.",
                    number=payment.number,
                    day=format_date(payment.issued, locale=language),
                ),
                t("Workspace: {name}", name=payment.workspace_name),
                t("Description: {text}", text=payment.text),
                t(
                    "The amount due is {amount}. Pay by bank transfer by {day} and include the invoice number.",
                    amount=format_currency(Decimal(payment.amount_cents) / 100, payment.currency.upper(), locale=language),
                    day=format_date(payment.due, locale=language),
                ),
                t("For bank details or questions, contact {name} at {email}.", name=sender.name, email=sender.email),
            ),
            (t("How to pay"), link),
            language,
            kind=MailKind.INVOICE,
            addresses=(sender.email,),
        )

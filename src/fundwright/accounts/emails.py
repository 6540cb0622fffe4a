"""Emails about accounts, in the language of their recipient."""

from __future__ import annotations

from fundwright.core.mail import MailKind, OutgoingEmail
from fundwright.core.messages import Language, t, using_language


def account_deleted(recipient: str, language: Language) -> OutgoingEmail:
    with using_language(language):
        return OutgoingEmail(
            recipient,
            t("Your account was deleted"),
            (
                t("Your Fundwright account and all of its data were deleted, as you requested."),
                t("Invoices and the record of this deletion are kept. This is the last email to this address."),
            ),
            None,
            language,
            kind=MailKind.ACCOUNT_DELETED,
        )

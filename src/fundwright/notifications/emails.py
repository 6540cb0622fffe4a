"""The email about notifications, in the language of its recipient."""

from __future__ import annotations

from collections.abc import Sequence

from fundwright.core.mail import MailKind, OutgoingEmail
from fundwright.core.messages import Language, nt, t, using_language
from fundwright.notifications.schemas import SETTINGS_PATH, NotificationRead

_MOST_LISTED = 30
_LIST = "/dashboard/notifications"


def notifications(
    recipient: str, language: Language, told: Sequence[NotificationRead], *, address: str, unsubscribe_link: str
) -> OutgoingEmail:
    """`told` contains at least one, and `address` is that of the installation."""
    number = len(told)
    with using_language(language):
        lines = [f"{each.title} ({each.workspace})" if each.workspace not in each.title else each.title for each in told]
        shown = lines if number <= _MOST_LISTED else [*lines[:_MOST_LISTED], t("… and {n} more", n=number - _MOST_LISTED)]
        return OutgoingEmail(
            recipient,
            told[0].title if number == 1 else nt("{n} new notification", "{n} new notifications", number),
            shown,
            (t("View"), f"{address}{told[0].address}") if number == 1 else (t("View notifications"), f"{address}{_LIST}"),
            language,
            kind=MailKind.NOTIFICATION,
            settings_link=(t("Choose your notifications"), f"{address}{SETTINGS_PATH}"),
            unsubscribe_link=unsubscribe_link,
        )

"""What notifications tell about plans."""

from __future__ import annotations

from datetime import date

from babel.dates import format_date

from fundwright.core.messages import current_language, later, t
from fundwright.notifications.schemas import Happening, NotificationKind

PATH = "/dashboard/workspace?tab=plan"


def _redeemed(told: Happening) -> str:
    return t(
        "{name} redeemed a premium link: “{workspace}” is on the {plan} plan until {day}",
        name=told.actor,
        workspace=told.subject,
        plan=told.details["plan"],
        day=format_date(date.fromisoformat(told.details["last_day"]), locale=current_language()),
    )


REDEEMED = NotificationKind("premium_link.redeemed", later("Premium link redeemed"), _redeemed)

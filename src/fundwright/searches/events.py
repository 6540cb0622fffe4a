"""What notifications tell about saved searches."""

from __future__ import annotations

from fundwright.core.messages import later, nt, t
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind

MOST_COUNTED = 1_000


def _new_matches(told: Happening) -> str:
    number = int(told.details["number"])
    if number > MOST_COUNTED:
        return t("More than {n} new opportunities match “{search}”", n=MOST_COUNTED, search=told.subject)
    return nt("{n} new opportunity matches “{search}”", "{n} new opportunities match “{search}”", number, search=told.subject)


NEW_MATCHES = NotificationKind(
    "search.new_matches", later("New matches of a saved search"), _new_matches, email=EmailTiming.DAILY
)

"""What notifications and the activity of a workspace tell about comments."""

from __future__ import annotations

from fundwright.activity.schemas import ActivityKind, Combining
from fundwright.core.messages import later, t
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind


def _mentioned(told: Happening) -> str:
    return t("{name} mentioned you in a comment on “{title}”", name=told.actor, title=told.subject)


def _replied(told: Happening) -> str:
    return t("{name} replied in a thread on “{title}”", name=told.actor, title=told.subject)


def _commented_by_guest(told: Happening) -> str:
    """Without the name, which anyone with the link can choose: subjects of emails begin with this."""
    return t("Comment by a guest on “{title}”", title=told.subject)


MENTIONED = NotificationKind("comment.mentioned", later("Mention in a comment"), _mentioned, email=EmailTiming.SOON)
REPLIED = NotificationKind("comment.replied", later("Reply in a thread"), _replied, email=EmailTiming.DAILY)
COMMENTED_BY_GUEST = NotificationKind("comment.guest", later("Comment by a guest"), _commented_by_guest, email=EmailTiming.DAILY)
KINDS = (MENTIONED, REPLIED, COMMENTED_BY_GUEST)

COMMENTED = ActivityKind(
    "comment.added", later("Comment added"), later("{person} commented on “{subject}”"), combining=Combining.SOON
)
RESOLVED = ActivityKind(
    "comment.resolved", later("Thread resolved"), later("{person} resolved a thread on “{subject}”"), combining=Combining.SOON
)
GUEST_COMMENTED = ActivityKind(
    "comment.guest_added", later("Comment by a guest"), later("{guest} (guest) commented on “{subject}”"), is_automatic=True
)
ACTIVITY = (COMMENTED, RESOLVED, GUEST_COMMENTED)

"""What notifications and the activity of a workspace tell about comments."""

from __future__ import annotations

from fundwright.activity.schemas import ActivityKind, Combining
from fundwright.core.messages import later, t
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind


def _mentioned(told: Happening) -> str:
    return t("{name} mentioned you in a comment on “{title}”", name=told.actor, title=told.subject)


def _replied(told: Happening) -> str:
    return t("{name} replied in a thread on “{title}”", name=told.actor, title=told.subject)


MENTIONED = NotificationKind("comment.mentioned", later("Mention in a comment"), _mentioned, email=EmailTiming.SOON)
REPLIED = NotificationKind("comment.replied", later("Reply in a thread"), _replied, email=EmailTiming.DAILY)
KINDS = (MENTIONED, REPLIED)

COMMENTED = ActivityKind(
    "comment.added", later("Comment added"), later("{person} commented on “{subject}”"), combining=Combining.SOON
)
RESOLVED = ActivityKind(
    "comment.resolved", later("Thread resolved"), later("{person} resolved a thread on “{subject}”"), combining=Combining.SOON
)
ACTIVITY = (COMMENTED, RESOLVED)

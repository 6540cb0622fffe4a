"""What notifications and the activity of a workspace tell about the pipeline."""

from __future__ import annotations

from fundwright.activity.schemas import ActivityKind, Combining
from fundwright.core.messages import later, t
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind


def _made_lead(told: Happening) -> str:
    return t("{name} made you the lead of “{title}”", name=told.actor, title=told.subject)


MADE_LEAD = NotificationKind("pursuit.lead", later("Lead of a pursuit"), _made_lead, email=EmailTiming.DAILY)

ADDED = ActivityKind("pursuit.added", later("Added to the pipeline"), later("{person} added “{subject}” to the pipeline"))
MOVED = ActivityKind(
    "pursuit.moved", later("Pursuit moved"), later("{person} moved “{subject}” from “{old}” to “{new}” in the pipeline")
)
CHANGED = ActivityKind(
    "pursuit.changed",
    later("Pursuit changed"),
    later("{person} changed “{subject}” in the pipeline"),
    combining=Combining.SOON,
)
ACTIVITY = (ADDED, MOVED, CHANGED)

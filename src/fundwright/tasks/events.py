"""What notifications and the activity of a workspace tell about tasks."""

from __future__ import annotations

from fundwright.activity.schemas import ActivityKind, Combining
from fundwright.core.messages import later, t
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind


def _assigned(told: Happening) -> str:
    return t("{name} assigned the task “{title}” to you", name=told.actor, title=told.subject)


TODAY, TOMORROW = "today", "tomorrow"


def _due(told: Happening) -> str:
    if told.details["day"] == TODAY:
        return t("Task due today: “{title}”", title=told.subject)
    return t("Task due tomorrow: “{title}”", title=told.subject)


def _overdue(told: Happening) -> str:
    return t("Task overdue: “{title}”", title=told.subject)


ASSIGNED = NotificationKind("task.assigned", later("Task assigned to you"), _assigned, email=EmailTiming.SOON)
DUE = NotificationKind("task.due", later("Task due soon"), _due, email=EmailTiming.SOON)
OVERDUE = NotificationKind("task.overdue", later("Task overdue"), _overdue, email=EmailTiming.SOON)
KINDS = (ASSIGNED, DUE, OVERDUE)

ADDED = ActivityKind("task.added", later("Task added"), later("{person} added the task “{subject}”"))
CHANGED = ActivityKind(
    "task.changed", later("Task changed"), later("{person} changed the task “{subject}”"), combining=Combining.SOON
)
DONE = ActivityKind("task.done", later("Task done"), later("{person} marked the task “{subject}” as done"))
REOPENED = ActivityKind("task.reopened", later("Task reopened"), later("{person} opened the task “{subject}” again"))
ACTIVITY = (ADDED, CHANGED, DONE, REOPENED)

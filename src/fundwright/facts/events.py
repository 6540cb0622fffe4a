"""What the activity of a workspace tells about facts. Entries name none, because documents that state them may be restricted."""

from __future__ import annotations

from fundwright.activity.schemas import ActivityKind, Combining
from fundwright.core.messages import later

ADDED = ActivityKind(
    "fact.added", later("Fact added"), later("{person} added facts of the organization"), combining=Combining.SOON
)
DECIDED = ActivityKind(
    "fact.decided", later("Facts checked"), later("{person} checked facts of the organization"), combining=Combining.SOON
)
CORRECTED = ActivityKind(
    "fact.corrected", later("Fact corrected"), later("{person} corrected facts of the organization"), combining=Combining.SOON
)
DELETED = ActivityKind(
    "fact.deleted", later("Fact deleted"), later("{person} deleted facts of the organization"), combining=Combining.SOON
)
ACTIVITY = (ADDED, DECIDED, CORRECTED, DELETED)

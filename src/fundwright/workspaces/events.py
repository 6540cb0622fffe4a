"""What notifications tell about workspaces."""

from __future__ import annotations

from uuid import UUID

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.core.messages import later, t
from fundwright.notifications.schemas import EmailTiming, Happening, NotificationKind
from fundwright.workspaces.schemas import SupportDuration

PATH = "/dashboard/workspace"


def _invited(told: Happening) -> str:
    return t("{name} invited you to the workspace “{workspace}”", name=told.actor, workspace=told.subject)


def _role_changed(told: Happening) -> str:
    role = WorkspaceRole(told.details["role"]).label
    return t("{name} changed your role in “{workspace}” to {role}", name=told.actor, workspace=told.subject, role=role)


def _removed(told: Happening) -> str:
    return t("{name} removed you from the workspace “{workspace}”", name=told.actor, workspace=told.subject)


def _joined(told: Happening) -> str:
    return t("{name} joined the workspace “{workspace}”", name=told.actor, workspace=told.subject)


def _restricted(told: Happening) -> str:
    return t("{name} restricted “{title}” to chosen members; you can still edit it", name=told.actor, title=told.subject)


def _chosen(told: Happening) -> str:
    return t("{name} gave you access to “{title}”", name=told.actor, title=told.subject)


def _support_granted(told: Happening) -> str:
    duration = SupportDuration(told.details["duration"]).label
    return t(
        "{name} let administrators view the workspace “{workspace}” (duration: {duration})",
        name=told.actor,
        workspace=told.subject,
        duration=duration,
    )


INVITED = NotificationKind("workspace.invited", later("Invitation to a workspace"), _invited, email=None)
ROLE_CHANGED = NotificationKind(
    "workspace.role_changed", later("New role in a workspace"), _role_changed, email=EmailTiming.DAILY
)
REMOVED = NotificationKind(
    "workspace.removed", later("Removal from a workspace"), _removed, email=EmailTiming.DAILY, is_limited=False
)
JOINED = NotificationKind("workspace.joined", later("New member of a workspace"), _joined)
SUPPORT_GRANTED = NotificationKind("workspace.support_granted", later("Support access granted"), _support_granted)
RESTRICTED = NotificationKind("item.restricted", later("Restriction of your item"), _restricted)
CHOSEN = NotificationKind("item.chosen", later("Access to a restricted item"), _chosen)
KINDS = (INVITED, ROLE_CHANGED, REMOVED, JOINED, SUPPORT_GRANTED, RESTRICTED, CHOSEN)


def invitation_to(workspace_id: UUID) -> str:
    """The event that an account was invited to a workspace."""
    return f"invitation:{workspace_id}"

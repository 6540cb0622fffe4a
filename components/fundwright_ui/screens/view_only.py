"""Why a person can only view a workspace."""

from __future__ import annotations

from reactpy.types import VdomDict

from fundwright.accounts.permissions import refusal
from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright_ui.product import use_actor
from fundwright_ui.ui import alert


def view_only_notice() -> VdomDict:
    """Shown instead of what the actor cannot use."""
    actor = use_actor()
    is_member = actor.is_confirmed and not actor.is_support
    members = t("You can only view this workspace. Ask one of its owners for another role.")
    return alert(members if is_member else refusal(actor, Permission.WORK), variant="info")

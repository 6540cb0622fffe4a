"""Unsaved texts of drafts in workspaces that the person has left."""

from __future__ import annotations

from reactpy import component
from reactpy.types import VdomDict

from fundwright.workspaces import service as workspaces
from fundwright_ui.hooks import use_query
from fundwright_ui.product import use_actor
from fundwright_ui.widgets import LeftTexts


@component
def left_texts() -> VdomDict | None:
    actor = use_actor()
    found = use_query(
        lambda session: workspaces.list_workspaces(session, actor), key=[actor.id], topics=[workspaces.workspaces_topic(actor.id)]
    )
    return LeftTexts(workspaces=[str(each.id) for each in found.value]) if found.value else None

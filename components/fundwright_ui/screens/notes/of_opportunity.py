"""The notes on an opportunity, on its page."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import VdomDict

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.notes import service as notes
from fundwright.notes.schemas import NoteQuery
from fundwright_ui.hooks import use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.listing import existing_page
from fundwright_ui.screens.notes.note import new_note, note_entry
from fundwright_ui.ui import link_button, loading, pagination, problem, section
from fundwright_ui.ui.elements import Child

_SHOWN = 5


@component
def notes_of(opportunity_id: UUID) -> VdomDict:
    """The notes of the workspace on an opportunity, pinned ones first, and a form for another one."""
    actor, connection = use_actor(), use_connection()
    number, set_number = use_state(1)
    query = NoteQuery(opportunity=opportunity_id, page=number, page_size=_SHOWN)
    found = use_query(
        lambda session: existing_page(partial(notes.list_notes, session, actor), query),
        key=[opportunity_id, number],
        topics=[notes.notes_topic(actor.workspace_id)],
    )

    def part(*children: Child) -> VdomDict:
        everything = link_button(t("All notes"), connection.href(notes.PATH), variant="text", size="small")
        return section(t("Notes"), *children, actions=[everything])

    if found.error:
        return part(problem(found.error, on_retry=found.reload))
    if found.value is None:
        return part(loading(t("Loading notes")))
    listed = found.value
    return part(
        html.div(
            {"className": "fw-notes", "key": "notes"},
            *(note_entry(each, found.reload, key=str(each.id)) for each in listed.items),
        )
        if listed.items
        else html.p({"className": "fw-muted", "key": "none"}, t("No notes yet.")),
        pagination(listed.page, -(-listed.total // _SHOWN), on_page=set_number),
        new_note(opportunity_id, key="new") if actor.may(Permission.WORK) else None,
    )

"""`/dashboard/notes`: all notes of the workspace."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from reactpy import component, html
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.notes import service as notes
from fundwright.notes.schemas import NoteAuthor, NoteQuery, NoteRead
from fundwright.tasks import service as tasks
from fundwright_ui.hooks import query_in_address, use_query, use_url_state
from fundwright_ui.product import id_in, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import (
    existing_page,
    export_button,
    has_filters,
    list_bar,
    narrow,
    no_match,
    pages,
    search_box,
    use_listing,
)
from fundwright_ui.screens.notes.note import note_entry
from fundwright_ui.screens.notice_address import PATHS
from fundwright_ui.screens.restoring import trash_link
from fundwright_ui.ui import Option, empty, link_button, loading, page, problem, select_field, side_panel

_OPENED = "open"


@screen(notes.PATH, "Notes", help="/help/tasks")
def notes_screen() -> VdomDict:
    connection, url = use_connection(), use_url_state(open=("{id}",), note=("{id}",))
    note_id = id_in(url.get(_OPENED))
    opened = _opened(note_id, key=f"note-{note_id}") if note_id else None
    return page(
        t("Notes"),
        _notes(key="notes"),
        opened,
        subtitle=t("What your workspace knows about opportunities."),
        actions=[link_button(t("Tasks"), connection.href(tasks.PATH), size="small"), trash_link(notes.NOTE)],
    )


@component
def _notes() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(NoteQuery, url)

    async def read(session: AsyncSession) -> tuple[Page[NoteRead], list[NoteAuthor]]:
        listed = await existing_page(partial(notes.list_notes, session, actor), query)
        return listed, await notes.list_authors(session, actor)

    listing = use_listing(
        read,
        query,
        lambda answer: answer[0],
        id=lambda note: note.id,
        key=[actor.workspace_id],
        topics=[notes.notes_topic(actor.workspace_id)],
    )
    if listing.answer is None:
        return listing.pending(t("Loading notes"))
    listed, authors = listing.answer
    shown = [each.item for each in listing.rows.shown if not each.outcome]
    if not listed.total and not shown and not has_filters(query):
        return empty(
            t("No notes yet. Open an opportunity, and choose Add note."),
            link_button(t("Opportunities"), connection.href(PATHS["grant"]), size="small"),
            icon_name="edit",
        )
    return html.div(
        {"className": "fw-stack"},
        list_bar(
            search_box(
                url,
                query,
                t("Search notes"),
                select_field(
                    "author",
                    t("Written by"),
                    [Option("", t("Everyone")), *(Option(str(each.id), each.name) for each in authors)],
                    value=str(query.author or ""),
                    on_change=narrow(url, "author"),
                    id="notes-author",
                )
                if actor.is_in_shared_workspace
                else None,
                select_field(
                    "sort",
                    t("Sort by"),
                    [
                        Option("", t("Pinned first")),
                        Option("-changed_at", t("Last changed")),
                        Option("-created_at", t("Newest first")),
                        Option("created_at", t("Oldest first")),
                    ],
                    value=query.sort,
                    on_change=narrow(url, "sort"),
                    id="notes-sort",
                ),
            ),
            nt("{n} note", "{n} notes", listed.total),
            export_button(connection, "/api/notes/export.csv", len(shown), query),
        ),
        html.div(
            {"className": "fw-notes", "key": "notes"},
            *(note_entry(each, listing.found.reload, shows_opportunity=True, key=str(each.id)) for each in shown),
        )
        if shown
        else no_match(url, query, t("No notes match. Change the filters.")),
        listing.more(),
        pages(url, listed),
    )


@component
def _opened(note_id: UUID) -> VdomDict | Component:
    """The note that the address names, beside the list."""
    actor, url = use_actor(), use_url_state()
    found = use_query(
        lambda session: notes.get_note(session, actor, note_id),
        key=[note_id],
        topics=[notes.notes_topic(actor.workspace_id)],
    )

    def close() -> None:
        url.set(**{_OPENED: None})

    return side_panel(
        t("Note"),
        problem(found.error, on_retry=found.reload)
        if found.error
        else note_entry(found.value, found.reload, shows_opportunity=True, key="note")
        if found.value
        else loading(t("Loading the note")),
        close=t("Close"),
        on_close=close,
        key=f"note-{note_id}",
    )

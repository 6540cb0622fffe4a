"""One note: its text, or a form to change it."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid4

from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.notes import service as notes
from fundwright.notes.schemas import MOST_CHARACTERS, NewNote, NoteChange, NoteForm, NoteRead
from fundwright_ui.hooks import use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.conflict import use_editing
from fundwright_ui.screens.restoring import moved_message, undo_of
from fundwright_ui.ui import button, chip, form, menu, moment, row, sending_field, text_area
from fundwright_ui.widgets import markdown_view

WRITING = "note"
"""The parameter of the address with the note that is being written: an id, or `NEW`."""
NEW = "new"


@component
def note_entry(note: NoteRead, reload: Callable[[], None], *, shows_opportunity: bool = False) -> VdomDict | Component:
    """A note with what those may do with it who work in the workspace. `reload` loads it again."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    may_work = actor.may(Permission.WORK)

    async def pin(session: AsyncSession) -> None:
        await (notes.unpin if note.is_pinned else notes.pin)(session, actor, note.id)

    async def remove(session: AsyncSession) -> None:
        await notes.delete(session, actor, note.id, client=connection.client)

    pinning = use_action(pin, success=t("The note was unpinned.") if note.is_pinned else t("The note was pinned."))
    removing = use_action(remove, success=moved_message(note.title), undo=undo_of(connection, note.id))
    menu_id = f"note-{note.id}-actions"
    if may_work and url.get(WRITING) == str(note.id):
        return _edit(note, reload, key="edit")
    return html.article(
        {"className": "fw-note", "aria-label": note.title},
        html.div(
            {"className": "fw-note-header"},
            html.p({"className": "fw-muted fw-small fw-grow"}, *_about(note, is_shared=actor.is_in_shared_workspace)),
            chip(t("Pinned"), color="info") if note.is_pinned else None,
            menu(
                t("More actions for {name}", name=note.title),
                button(
                    t("Edit"), variant="text", icon_name="edit", closes=menu_id, on_click=lambda: url.set(**{WRITING: note.id})
                ),
                button(
                    t("Unpin") if note.is_pinned else t("Pin"),
                    variant="text",
                    icon_name="bookmark",
                    closes=menu_id,
                    on_click=pinning,
                ),
                button(t("Move to trash"), variant="text", icon_name="delete", closes=menu_id, danger=True, on_click=removing),
                id=menu_id,
            )
            if may_work
            else None,
        ),
        html.p(html.a({"className": "fw-link", "href": connection.href(note.opportunity_path), "dir": "auto"}, note.opportunity))
        if shows_opportunity and note.opportunity
        else None,
        markdown_view(note.text),
    )


def _about(note: NoteRead, *, is_shared: bool) -> list[VdomDict | str]:
    """Who wrote it and changed it last, and when."""
    parts: list[VdomDict | str] = [html.bdi(note.created_by), " · "] if is_shared else []
    parts.append(moment(note.created_at, shown="date"))
    if note.is_changed:
        changed = t("changed by {name}", name=note.changed_by) if is_shared else t("changed")
        parts += [" · ", changed, " ", moment(note.changed_at, shown="date")]
    return parts


@component
def _edit(note: NoteRead, reload: Callable[[], None]) -> VdomDict:
    actor, url = use_actor(), use_url_state()
    editing = use_editing(note, note.changed_at, reload)

    async def save(session: AsyncSession, change: NoteChange) -> None:
        based_on = editing.base_of(change.based_on)
        try:
            await notes.change_note(session, actor, note.id, change.model_copy(update={"based_on": based_on}))
        except notes.NoteChangedMeanwhile:
            editing.refused()
            raise

    def close() -> None:
        url.set(**{WRITING: None})

    return html.div(
        {"className": "fw-stack"},
        form(
            _text(default=editing.item.text, id=f"note-{note.id}"),
            on_submit=use_action(save, success=t("The note was saved."), then=close),
            model=NoteChange,
            submit=t("Save"),
            label=t("Note"),
            name=f"note-{note.id}",
            actions=(button(t("Cancel"), on_click=close),),
            is_secondary=True,
            based_on=editing.based_on,
            key=editing.key,
        ),
        editing.other(markdown_view(note.text)),
    )


def _text(*, default: str | None = None, id: str) -> VdomDict:
    return text_area(
        "text",
        t("Note"),
        default=default,
        rows=6,
        maxlength=MOST_CHARACTERS,
        required=True,
        help=t("Markdown works: **bold**, lists, and links."),
        id=id,
    )


@component
def new_note(opportunity_id: UUID) -> VdomDict | Component:
    """A button, and once it is pressed, a form for a new note on an opportunity."""
    actor, url = use_actor(), use_url_state()
    sending, set_sending = use_state(lambda: uuid4().hex)

    async def add(session: AsyncSession, typed: NewNote) -> None:
        await notes.add_note(session, actor, NoteForm(**typed.model_dump(), opportunity_id=opportunity_id))

    def close() -> None:
        url.set(**{WRITING: None})

    def added() -> None:
        set_sending(uuid4().hex)
        close()

    adding = use_action(add, success=t("The note was added."), then=added)
    if url.get(WRITING) != NEW:
        return row(button(t("Add note"), icon_name="add", size="small", on_click=lambda: url.set(**{WRITING: NEW})))
    return form(
        sending_field(sending),
        _text(id="note-new"),
        on_submit=adding,
        model=NewNote,
        submit=t("Add note"),
        label=t("New note"),
        name=f"note-{opportunity_id}",
        actions=(button(t("Cancel"), on_click=close),),
        is_secondary=True,
        reset_on_success=True,
        key="new",
    )

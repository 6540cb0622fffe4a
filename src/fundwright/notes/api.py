"""Routes of notes."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.notes import service
from fundwright.notes.schemas import NoteChange, NoteForm, NoteQuery, NoteRead

router = APIRouter(prefix="/api/notes", tags=["notes"])


@router.get("")
async def list_notes(session: DbSession, actor: CurrentActor, query: Annotated[NoteQuery, Query()]) -> Page[NoteRead]:
    """List the notes of the workspace, pinned ones first."""
    return await service.list_notes(session, actor, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_notes(export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[NoteQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("notes.csv", lambda session: service.export_notes(session, actor, core, query))


@router.post("", status_code=status.HTTP_201_CREATED)
async def add_note(session: DbSession, actor: CurrentActor, form: NoteForm) -> NoteRead:
    """Write a note on an opportunity. Its text is Markdown."""
    return await service.add_note(session, actor, form)


@router.get("/{note_id}")
async def get_note(session: DbSession, actor: CurrentActor, note_id: UUID) -> NoteRead:
    return await service.get_note(session, actor, note_id)


@router.put("/{note_id}")
async def change_note(session: DbSession, actor: CurrentActor, note_id: UUID, change: NoteChange) -> NoteRead:
    """Change the text of a note. It must not have been changed since `based_on`, the `changed_at` of the note that you read."""
    return await service.change_note(session, actor, note_id, change)


@router.delete("/{note_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete(session: DbSession, actor: CurrentActor, client: RequestClient, note_id: UUID) -> None:
    """Move a note to the trash, where `PUT /api/trash/{note_id}/restoration` restores it for 30 days."""
    await service.delete(session, actor, note_id, client=client)


@router.put("/{note_id}/pin")
async def pin(session: DbSession, actor: CurrentActor, note_id: UUID) -> NoteRead:
    """Show a note above the others."""
    return await service.pin(session, actor, note_id)


@router.delete("/{note_id}/pin")
async def unpin(session: DbSession, actor: CurrentActor, note_id: UUID) -> NoteRead:
    """No longer show a note above the others."""
    return await service.unpin(session, actor, note_id)

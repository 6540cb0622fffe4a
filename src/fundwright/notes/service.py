"""Writing, changing, and pinning the notes of a workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from uuid import UUID, uuid4, uuid5

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining, Subject
from fundwright.core.assembly import Core
from fundwright.core.database import now
from fundwright.core.errors import Conflict, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import later, number, t
from fundwright.core.paging import Page, iterate_all
from fundwright.core.spreadsheets import csv_lines
from fundwright.notes import repository
from fundwright.notes.models import Note
from fundwright.notes.schemas import NoteAuthor, NoteChange, NoteForm, NoteQuery, NoteRead, title_of
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.display_names import display_title
from fundwright.opportunities.schemas import OpportunityRow
from fundwright.trash import service as trash
from fundwright.workspaces import additions
from fundwright.workspaces import service as workspaces

NOTE = "note"
"""The kind of notes in the trash and in activity."""
PATH = "/dashboard/notes"

_REPEATED = UUID("b0a5f6c6-9f1c-4d35-8f5f-3d9c5b6a4f7e")
"""The namespace of ids of notes that may be sent repeatedly."""

ADDED = ActivityKind("note.added", later("Note added"), later("{person} added the note “{subject}”"))
CHANGED = ActivityKind(
    "note.changed", later("Note changed"), later("{person} changed the note “{subject}”"), combining=Combining.SOON
)
ACTIVITY = (ADDED, CHANGED)


class NoteChangedMeanwhile(Conflict):
    """Someone else has changed the note since it was opened for editing."""

    def __init__(self) -> None:
        super().__init__(
            t("This note was changed by someone else while you were editing it. Your text is still here. Compare both versions.")
        )


def notes_topic(owner_id: UUID) -> str:
    """The live topic of every change of a workspace's notes."""
    return f"notes:{owner_id}"


@needs(Permission.READ)
async def list_notes(session: AsyncSession, actor: Actor, query: NoteQuery) -> Page[NoteRead]:
    """Return notes of the workspace."""
    found, total = await repository.page(session, actor.workspace_id, query)
    return Page(items=await _read(session, actor, found), total=total, page=query.page, page_size=query.page_size)


@needs(Permission.READ)
def export_notes(session: AsyncSession, actor: Actor, core: Core, query: NoteQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    columns: list[tuple[str, Callable[[NoteRead], object]]] = [
        (t("Note"), lambda note: note.text),
        (t("Opportunity"), lambda note: note.opportunity),
        (t("Pinned"), lambda note: note.is_pinned),
        (t("Written by"), lambda note: note.created_by),
        (t("Written"), lambda note: note.created_at),
        (t("Changed by"), lambda note: note.changed_by),
        (t("Changed"), lambda note: note.changed_at),
        (t("Link"), lambda note: f"{core.settings.address}{note.path}"),
    ]
    return csv_lines(columns, iterate_all(lambda page: list_notes(session, actor, page), query))


@needs(Permission.READ)
async def list_authors(session: AsyncSession, actor: Actor) -> list[NoteAuthor]:
    """Return everyone who wrote notes of the workspace, by name, also former members."""
    authors = await repository.list_authors(session, actor.workspace_id)
    names = await workspaces.names_of(session, actor, authors)
    return sorted((NoteAuthor(id=id, name=names[id]) for id in authors if id in names), key=lambda each: each.name.casefold())


@needs(Permission.READ)
async def get_note(session: AsyncSession, actor: Actor, note_id: UUID) -> NoteRead:
    """Raises NotFound."""
    return await _read_one(session, actor, await repository.get(session, actor.workspace_id, note_id))


@needs(Permission.WORK)
async def add_note(session: AsyncSession, actor: Actor, form: NoteForm) -> NoteRead:
    """Write a note on an opportunity. Raises NotFound for an unknown one."""
    if not await opportunities.list_existing(session, actor, [form.opportunity_id]):
        raise NotFound(t("The opportunity"))
    id = uuid5(_REPEATED, f"{actor.workspace_id} {actor.id} {form.model_dump_json()}") if form.key else uuid4()
    written_at = now()
    is_new = await repository.add(
        session,
        {
            "id": id,
            "owner_id": actor.workspace_id,
            "opportunity_id": form.opportunity_id,
            "text": form.text,
            "is_pinned": False,
            "created_by": actor.id,
            "created_at": written_at,
            "changed_by": actor.id,
            "changed_at": written_at,
        },
    )
    note = await get_note(session, actor, id)
    if is_new:
        await additions.count(session, actor, Note.owner_id, refusal=_too_many())
        await _record(session, actor, ADDED, note)
        await publish(session, notes_topic(actor.workspace_id))
    return note


def _too_many() -> str:
    return t(
        "A workspace can have at most {most} notes. Delete some that are no longer needed.", most=number(additions.MOST_ADDED)
    )


@needs(Permission.WORK)
async def change_note(session: AsyncSession, actor: Actor, note_id: UUID, change: NoteChange) -> NoteRead:
    """Change the text. Raises NotFound, or NoteChangedMeanwhile (409)."""
    note = await repository.get(session, actor.workspace_id, note_id, is_locked=True)
    if change.text == note.text:  # also if a request is repeated
        return await _read_one(session, actor, note)
    if change.based_on != note.changed_at:
        raise NoteChangedMeanwhile
    note.text, note.changed_by, note.changed_at = change.text, actor.id, now()
    await session.flush()
    read = await _read_one(session, actor, note)
    await _record(session, actor, CHANGED, read)
    await publish(session, notes_topic(actor.workspace_id))
    return read


@needs(Permission.WORK)
async def pin(session: AsyncSession, actor: Actor, note_id: UUID) -> NoteRead:
    """Show the note above the others. Raises NotFound."""
    return await _pin(session, actor, note_id, is_pinned=True)


@needs(Permission.WORK)
async def unpin(session: AsyncSession, actor: Actor, note_id: UUID) -> NoteRead:
    """No longer show the note above the others. Raises NotFound."""
    return await _pin(session, actor, note_id, is_pinned=False)


async def _pin(session: AsyncSession, actor: Actor, note_id: UUID, *, is_pinned: bool) -> NoteRead:
    note = await repository.get(session, actor.workspace_id, note_id, is_locked=True)
    note.is_pinned = is_pinned
    await session.flush()
    await publish(session, notes_topic(actor.workspace_id))
    return await _read_one(session, actor, note)


@needs(Permission.WORK)
async def delete(session: AsyncSession, actor: Actor, note_id: UUID, *, client: Client = COMMAND_LINE) -> None:
    """Move a note to the trash. Raises NotFound."""
    note = await repository.get(session, actor.workspace_id, note_id, is_locked=True)
    await trash.put_in(session, actor, NOTE, note, title=title_of(note.text))
    await audit.record(session, "note.deleted", actor=actor, subject=str(note_id), client=client)
    await publish(session, notes_topic(actor.workspace_id))


@needs(Permission.WORK)
async def restore(session: AsyncSession, actor: Actor, _core: Core, note: Note) -> None:
    """Take a note out of the trash."""
    await trash.take_out(session, actor, note)
    await publish(session, notes_topic(actor.workspace_id))


@needs(Permission.READ)
async def list_trashed(session: AsyncSession, actor: Actor) -> list[NoteRead]:
    """Return the notes in the actor's trash."""
    return await _read(session, actor, await repository.list_trashed(session, actor.workspace_id))


def path_of(note: Note) -> str:
    """The path of the list with the note open."""
    return f"{PATH}?open={note.id}"


async def _record(session: AsyncSession, actor: Actor, kind: ActivityKind, note: NoteRead) -> None:
    related = [note.opportunity_id] if note.opportunity_id else []
    await activity.record(session, actor, kind, Subject(NOTE, note.id, note.title, note.path), related=related)


async def _read_one(session: AsyncSession, actor: Actor, note: Note) -> NoteRead:
    return (await _read(session, actor, [note]))[0]


async def _read(session: AsyncSession, actor: Actor, notes: Sequence[Note]) -> list[NoteRead]:
    names = await workspaces.names_of(session, actor, [id for each in notes for id in (each.created_by, each.changed_by)])
    ids = list({each.opportunity_id for each in notes if each.opportunity_id is not None})
    found: dict[UUID | None, OpportunityRow] = {row.id: row for row in await opportunities.rows_of(session, actor, ids)}
    return [
        NoteRead(
            id=note.id,
            title=title_of(note.text),
            text=note.text,
            is_pinned=note.is_pinned,
            opportunity_id=note.opportunity_id,
            opportunity=display_title(opportunity.title) if opportunity else "",
            opportunity_path=opportunities.path_of(opportunity) if opportunity else "",
            path=path_of(note),
            created_by=names.get(note.created_by) or t("Former member"),
            created_by_id=note.created_by,
            created_at=note.created_at,
            changed_by=names.get(note.changed_by) or t("Former member"),
            changed_at=note.changed_at,
        )
        for note in notes
        for opportunity in [found.get(note.opportunity_id)]
    ]

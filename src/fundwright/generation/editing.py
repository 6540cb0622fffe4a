"""Edits a finished draft: changes, moves, adds, deletes, and regenerates sections.

A save names the revision that it is based on, and is refused if the section has been saved since. Every text is kept as a version,
regardless of its author, until there are a hundred newer ones. The claims of a changed text are checked afterward.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import partial
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs
from fundwright.accounts.schemas import COMMAND_LINE, Actor, Client, Permission
from fundwright.activity import service as activity
from fundwright.activity.schemas import ActivityKind, Combining
from fundwright.billing import service as billing
from fundwright.billing.schemas import Quota
from fundwright.core import jobs
from fundwright.core.assembly import Core
from fundwright.core.database import call_after_commit, now
from fundwright.core.errors import Conflict, Invalid
from fundwright.core.jobs import JobState
from fundwright.core.live import publish
from fundwright.core.messages import Message, later, number, t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.generation import citing, comparing, repository, service
from fundwright.generation.models import Citation, DraftSection, DraftVersion
from fundwright.generation.schemas import (
    DraftRead,
    DraftSectionRead,
    DraftSources,
    DraftTitle,
    KeptText,
    MatchDecision,
    MatchSource,
    NewSection,
    PossibleMatchRecord,
    QuestionChange,
    Regeneration,
    SectionComparison,
    SectionPosition,
    SectionSave,
    SectionState,
    SectionText,
    VersionDiff,
    VersionOrigin,
    VersionRead,
    WriteSection,
)
from fundwright.training import service as training
from fundwright.workspaces import restrictions

RENAMED = ActivityKind("draft.renamed", later("Draft renamed"), later("{person} renamed the draft “{before}” to “{subject}”"))
EDITED = ActivityKind(
    "draft.edited", later("Draft edited"), later("{person} edited “{section}” in “{subject}”"), combining=Combining.SOON
)
REGENERATED = ActivityKind(
    "draft.regenerated",
    later("Draft section regenerated"),
    later("{person} regenerated “{section}” in “{subject}”"),
    combining=Combining.SOON,
)
SECTION_ADDED = ActivityKind(
    "draft.section_added", later("Draft section added"), later("{person} added the section “{section}” to “{subject}”")
)
SECTION_DELETED = ActivityKind(
    "draft.section_deleted", later("Draft section deleted"), later("{person} deleted the section “{section}” from “{subject}”")
)
ACTIVITY = (RENAMED, EDITED, REGENERATED, SECTION_ADDED, SECTION_DELETED)

_ONE_VERSION = timedelta(minutes=10)
"""Saves of the same editor within this time are combined into one version."""

_MAX_SECTIONS = 200
_MAX_CHARACTERS_OF_DRAFT = 1_000_000
"""Several times the length of the longest. Each page of a draft reads all of its text."""
_MAX_VERSIONS = 100
"""The number of versions kept for a section. Older ones are removed."""


class SectionChanged(Conflict):
    """Someone else, or the writer, has changed the section since the person started editing."""

    def __init__(self) -> None:
        super().__init__(
            t(
                "This section was changed elsewhere while you were editing. Compare both texts, then keep yours or use the other one."
            )
        )


class DraftTooLong(Invalid):
    """With its new text, the section would make the draft longer than drafts may be."""

    def __init__(self, characters: int) -> None:
        super().__init__(
            t(
                "A draft can have at most {most} characters, and this one would have {n}. Shorten a section, or start another draft.",
                most=number(_MAX_CHARACTERS_OF_DRAFT),
                n=number(characters),
            )
        )


class BeingWritten(Conflict):
    def __init__(self) -> None:
        super().__init__(t("The draft is being written. Wait until it is finished, or cancel it first."))


@needs(Permission.WORK)
async def rename_draft(session: AsyncSession, actor: Actor, draft_id: UUID, change: DraftTitle) -> DraftRead:
    """Raises NotFound or NotAllowed."""
    draft = (await repository.get(session, actor.workspace_id, draft_id)).draft
    await restrictions.require(session, actor, draft_id)
    before, draft.title = draft.title, change.title
    await session.flush()
    if before != change.title:
        await activity.record(session, actor, RENAMED, service.subject_of(draft), before=before, after=change.title)
    await publish(session, service.drafts_topic(actor.workspace_id))
    return await _changed(session, actor, draft_id)


@needs(Permission.WORK)
async def choose_sources(session: AsyncSession, actor: Actor, draft_id: UUID, chosen: DraftSources) -> DraftRead:
    """Set the documents that new text is based on. An empty list means all. If there are others that are hidden from the actor, they stay.
    Raises NotFound or NotAllowed."""
    draft = (await repository.get(session, actor.workspace_id, draft_id)).draft
    await restrictions.require(session, actor, draft_id)
    hidden = await restrictions.hidden_ids(session, actor)
    kept = [id for id in draft.document_ids if UUID(id) in hidden] if chosen.document_ids else []
    wanted = [id for id in chosen.document_ids if str(id) not in kept]
    await training.check_documents(session, actor, wanted)
    draft.document_ids = [*map(str, wanted), *kept]
    return await _changed(session, actor, draft_id)


@needs(Permission.WORK)
async def save_section(
    session: AsyncSession, actor: Actor, core: Core, draft_id: UUID, section_id: UUID, save: SectionSave
) -> DraftSectionRead:
    """Save heading and text. Raises NotFound, SectionChanged, DraftTooLong, and Invalid if a citation has no source."""
    section = await _lock_section(session, actor, draft_id, section_id)
    heading = section.heading if save.heading == t(section.heading) else save.heading
    is_same_editor = save.editor != "" and save.editor == section.saved_by
    is_late = is_same_editor and save.sequence <= section.saved_sequence
    is_partial = section.state != SectionState.DONE
    is_same = (heading, save.text) == (section.heading, section.incoming if is_partial else section.text)
    if not (is_late or is_same):
        if save.based_on != section.revision and not is_same_editor:
            raise SectionChanged
        await _check_length(session, section, save.text)
        await _check_citations(session, draft_id, save.text)
        if is_partial and section.incoming:
            await keep_version(session, section, text=section.incoming, origin=VersionOrigin.WRITER, author=None)
        section.heading = heading
        await change_text(session, section, save.text, origin=VersionOrigin.PERSON, author=actor, is_continued=is_same_editor)
        section.saved_by, section.saved_sequence = save.editor, save.sequence
        _check_later(session, actor, core, draft_id)
        await _record(session, actor, EDITED, section)
    return await _changed_section(session, actor, section)


@needs(Permission.WORK)
async def add_section(session: AsyncSession, actor: Actor, core: Core, draft_id: UUID, new: NewSection) -> DraftSectionRead:
    """Add a section. With instructions, a job writes it. Raises NotFound, BeingWritten if a writer is already running, and
    QuotaSpent."""
    draft = await service.lock_draft(session, actor, draft_id)
    sections = await repository.sections(session, draft_id)
    if len(sections) >= _MAX_SECTIONS:
        raise Conflict(t("A draft has at most {number} sections. Delete one, or start another draft.", number=_MAX_SECTIONS))
    section = DraftSection(
        draft_id=draft_id,
        ordinal=len(sections),
        heading=new.heading,
        state=SectionState.DONE,
    )
    session.add(section)
    await session.flush()
    await _put(session, [other.id for other in sections], section, new.position)
    _check_later(session, actor, core, draft_id)
    await _record(session, actor, SECTION_ADDED, section)
    if new.instructions:
        await _enqueue(session, actor, core, draft, section, new.instructions)
    return await _changed_section(session, actor, section)


@needs(Permission.WORK)
async def move_section(
    session: AsyncSession, actor: Actor, draft_id: UUID, section_id: UUID, change: SectionPosition
) -> DraftRead:
    """Move a section; a position beyond the end means the end. Raises NotFound."""
    await service.lock_draft(session, actor, draft_id)
    section = await _lock_section(session, actor, draft_id, section_id)
    others = [other.id for other in await repository.sections(session, draft_id) if other.id != section_id]
    await _put(session, others, section, change.position)
    return await _changed(session, actor, draft_id)


@needs(Permission.WORK)
async def delete_section(
    session: AsyncSession, actor: Actor, draft_id: UUID, section_id: UUID, *, client: Client = COMMAND_LINE
) -> None:
    """Delete a section with its versions. Raises NotFound, and Conflict for the last section."""
    draft = await service.lock_draft(session, actor, draft_id)
    section = await _lock_section(session, actor, draft_id, section_id)
    if len(draft.sections) == 1:
        raise Conflict(t("A draft needs at least one section. Delete the draft instead."))
    await _cancel_job(session, actor, section)
    await _record(session, actor, SECTION_DELETED, section)
    await session.delete(section)
    await session.flush()
    await repository.order_sections(session, [other.id for other in await repository.sections(session, draft_id)])
    await audit.record(
        session, "draft.section_deleted", actor=actor, subject=str(draft_id), client=client, section=str(section_id)
    )
    await publish(session, service.draft_topic(draft_id))


@needs(Permission.WORK)
async def regenerate_section(
    session: AsyncSession, actor: Actor, core: Core, draft_id: UUID, section_id: UUID, regeneration: Regeneration
) -> DraftSectionRead:
    """Regenerate a section in a job. Its text becomes a new version; the previous one can be restored.

    Raises NotFound, BeingWritten, OpportunityRemoved, or QuotaSpent.
    """
    draft = await service.lock_draft(session, actor, draft_id)
    section = await _lock_section(session, actor, draft_id, section_id)
    await _enqueue(session, actor, core, draft, section, regeneration.instructions)
    await _record(session, actor, REGENERATED, section)
    return await _changed_section(session, actor, section)


@needs(Permission.WORK)
async def cancel_regeneration(session: AsyncSession, actor: Actor, draft_id: UUID, section_id: UUID) -> DraftSectionRead:
    """Cancel the regeneration of a section. Its text does not change. Raises NotFound, and Conflict if it is not being regenerated."""
    section = await _lock_section(session, actor, draft_id, section_id)
    if not await _cancel_job(session, actor, section):
        raise Conflict(t("The section is not being written."))
    return await _changed_section(session, actor, section)


@needs(Permission.WORK)
async def mark_question(
    session: AsyncSession, actor: Actor, draft_id: UUID, section_id: UUID, change: QuestionChange
) -> DraftSectionRead:
    """Mark an open question of a section as done, or reopen it. Raises NotFound, and Invalid if the section does not have it."""
    section = await _lock_section(session, actor, draft_id, section_id)
    _mark(section, change)
    return await _changed_section(session, actor, section)


@needs(Permission.WORK)
async def decide_match(
    session: AsyncSession, actor: Actor, core: Core, draft_id: UUID, section_id: UUID, decision: MatchDecision
) -> DraftSectionRead:
    """Append a possible match with its citation to the section, which answers its question, or dismiss it.

    Raises NotFound, BeingWritten while the writer works on the section or numbers the draft, and Invalid for an unknown match.
    """
    section = await _lock_section(session, actor, draft_id, section_id)
    wanted = (decision.question, decision.text)
    withheld = await service.find_withheld(session, actor, draft_id)
    match = next((match for match in section.possible_matches if (match["question"], match["text"]) == wanted), None)
    if match is None or withheld.has(match):
        raise Invalid(t("This section no longer has that possible match. Reload the draft and try again."))
    if section.state != SectionState.DONE:
        raise BeingWritten
    section.possible_matches = [other for other in section.possible_matches if other != match]
    if decision.is_accepted:
        if match["number"] is None and (await service.get_draft(session, actor, draft_id)).is_being_written:
            raise BeingWritten  # citations in the text are numbered first
        match = await _numbered(session, draft_id, match)
        citation = f" [{match['number']}]" if match["number"] is not None else ""
        text = "\n\n".join(filter(None, (section.text.rstrip(), f"{match['text']}{citation}")))
        await change_text(session, section, text, origin=VersionOrigin.PERSON, author=actor)
        _check_later(session, actor, core, draft_id)
        await _record(session, actor, EDITED, section)
        _mark(section, QuestionChange(question=match["question"], is_done=True))
    return await _changed_section(session, actor, section)


async def number_matches(session: AsyncSession, owner_id: UUID, draft_id: UUID) -> None:
    """Number the citations of possible matches after those of the text, in section order."""
    for listed in await repository.sections(session, draft_id):
        if any(match["number"] is None for match in listed.possible_matches):
            section = await repository.lock_section(session, owner_id, draft_id, listed.id)
            section.possible_matches = [await _numbered(session, draft_id, match) for match in section.possible_matches]


async def _numbered(session: AsyncSession, draft_id: UUID, match: PossibleMatchRecord) -> PossibleMatchRecord:
    source = match.get("source")
    if match["number"] is not None or source is None:
        return match
    citations = await repository.citations(session, draft_id)
    key = (UUID(source["passage_id"]), source["text"])
    number = next((known.number for known in citations if (known.passage_id, known.text) == key), None)
    if number is None:
        number = max(await repository.citation_numbers(session, draft_id), default=0) + 1
        session.add(citation(draft_id, number, source))
        await session.flush()
    return {**match, "number": number, "source": None}


def citation(draft_id: UUID, number: int, source: MatchSource) -> Citation:
    """`source` has the other columns of the citation, with ids as text."""
    ids = {"passage_id": UUID(source["passage_id"]), "document_id": UUID(source["document_id"])}
    return Citation(draft_id=draft_id, number=number, **{**source, **ids})


@needs(Permission.READ)
async def list_versions(
    session: AsyncSession, actor: Actor, draft_id: UUID, section_id: UUID, request: PageRequest
) -> Page[VersionRead]:
    """List the versions of a section, newest first. Raises NotFound."""
    section = await repository.get_section(session, actor.workspace_id, draft_id, section_id)
    return await _page_of_versions(session, section.id, request)


async def versions_of(session: AsyncSession, draft: DraftRead) -> dict[UUID, list[VersionRead]]:
    """Return every version of each section of a draft that the actor was allowed to read, newest first."""
    return {
        section.id: [version async for version in iterate_all(partial(_page_of_versions, session, section.id), PageRequest())]
        for section in draft.sections
    }


async def _page_of_versions(session: AsyncSession, section_id: UUID, request: PageRequest) -> Page[VersionRead]:
    rows, total = await repository.versions(session, section_id, request)
    current = await repository.find_current_version(session, section_id)
    versions = [_version(row, is_current=row.number == current) for row in rows]
    return Page(items=versions, total=total, page=request.page, page_size=request.page_size)


@needs(Permission.READ)
async def compare_version(core: Core, actor: Actor, draft_id: UUID, section_id: UUID, number: int) -> VersionDiff:
    """Return the changes from a version to the current text. Opens its own session. Raises NotFound."""
    async with core.database.reading() as session:
        section = await repository.get_section(session, actor.workspace_id, draft_id, section_id)
        version = await repository.get_version(session, section.id, number)
    pieces = await core.computing.run(partial(comparing.compare, version.text, section.text))
    return VersionDiff(number=number, pieces=pieces)


@needs(Permission.READ)
async def compare_text(core: Core, actor: Actor, draft_id: UUID, section_id: UUID, other: SectionText) -> SectionComparison:
    """Return the current section, and the differences between its text and an unsaved text. Opens its own session. Raises NotFound."""
    async with core.database.reading() as session:
        found = await repository.get_section(session, actor.workspace_id, draft_id, section_id)
        section = await _read_section(session, actor, found)
        current = await repository.find_current_version(session, section_id)
        version = await repository.get_version(session, section_id, current) if current is not None else None
    pieces = await core.computing.run(partial(comparing.compare, section.text, other.text))
    return SectionComparison(
        section=section,
        pieces=pieces,
        changed_by=version.author_name if version else "",
        is_own_change=version is not None and version.author_id == actor.id,
        changed_at=version.changed_at if version else None,
    )


@needs(Permission.WORK)
async def keep_text(session: AsyncSession, actor: Actor, draft_id: UUID, section_id: UUID, kept: KeptText) -> DraftSectionRead:
    """Keep a text that was not saved as a version of a section, which does not change. Raises NotFound, and Invalid if a citation has no
    source."""
    section = await _lock_section(session, actor, draft_id, section_id)
    await _check_citations(session, draft_id, kept.text)
    heading = section.heading if kept.heading == t(section.heading) else kept.heading
    await keep_version(session, section, heading=heading, text=kept.text, origin=VersionOrigin.PERSON, author=actor)
    return await _changed_section(session, actor, section)


@needs(Permission.READ)
async def find_current_version(session: AsyncSession, actor: Actor, draft_id: UUID, section_id: UUID) -> int | None:
    """Return the number of the version that is the section's current text. Raises NotFound."""
    section = await repository.get_section(session, actor.workspace_id, draft_id, section_id)
    return await repository.find_current_version(session, section.id)


@needs(Permission.WORK)
async def restore_version(
    session: AsyncSession, actor: Actor, core: Core, draft_id: UUID, section_id: UUID, number: int
) -> DraftSectionRead:
    """Restore the text of a version as a new version. Raises NotFound or DraftTooLong."""
    section = await _lock_section(session, actor, draft_id, section_id)
    version = await repository.get_version(session, section.id, number)
    await _check_length(session, section, version.text)
    section.heading = version.heading
    await change_text(session, section, version.text, origin=VersionOrigin.RESTORED, author=actor)
    _check_later(session, actor, core, draft_id)
    await _record(session, actor, EDITED, section)
    return await _changed_section(session, actor, section)


def _mark(section: DraftSection, change: QuestionChange) -> None:
    """Raises Invalid if the section does not have the question."""
    questions = dict.fromkeys([*section.open_questions, *section.done_questions])
    if change.question not in questions:
        raise Invalid(t("This section no longer has that question. Reload the draft and try again."))
    done = {*section.done_questions} - {change.question} | ({change.question} if change.is_done else set[str]())
    section.open_questions = [question for question in questions if question not in done]
    section.done_questions = [question for question in questions if question in done]


def job_title(draft: DraftRead, heading: str) -> Message:
    """Return the title of the job that regenerates a section."""
    return later("{heading}: {draft}", heading=Message(heading), draft=draft.title)


async def change_text(
    session: AsyncSession,
    section: DraftSection,
    text: str,
    *,
    origin: VersionOrigin,
    author: Actor | None,
    is_continued: bool = False,
) -> None:
    """Change the text of a locked section, and save it as a version with the current heading."""
    section.text, section.incoming, section.state = text, "", SectionState.DONE
    section.revision += 1
    section.saved_by, section.saved_sequence = "", 0
    await keep_version(session, section, text=text, origin=origin, author=author, is_continued=is_continued)


async def keep_version(
    session: AsyncSession,
    section: DraftSection,
    *,
    text: str,
    origin: VersionOrigin,
    author: Actor | None,
    heading: str | None = None,
    is_continued: bool = False,
) -> None:
    """Add a version, with the section's heading unless another one is given, or extend the latest one while a person continues typing. `is_continued` says that the same editor saves
    again."""
    latest = await repository.find_latest_version(session, section.id)
    author_id = author.id if author else None
    if (
        is_continued
        and latest is not None
        and latest.origin == origin == VersionOrigin.PERSON
        and latest.author_id == author_id
        and now() - latest.created_at < _ONE_VERSION
    ):
        latest.heading, latest.text, latest.changed_at = section.heading, text, now()
    else:
        session.add(
            DraftVersion(
                section_id=section.id,
                number=latest.number + 1 if latest else 1,
                heading=section.heading if heading is None else heading,
                text=text,
                origin=origin,
                author_id=author_id,
                author_name=author.name if author else "",
            )
        )
    await session.flush()
    if latest is not None:
        await repository.remove_versions(session, section.id, up_to=latest.number + 1 - _MAX_VERSIONS)


def _check_later(session: AsyncSession, actor: Actor, core: Core, draft_id: UUID) -> None:
    """Have the claims of a changed text checked once it is committed. Jobs that write check at their end."""
    call_after_commit(session, lambda: asyncio.ensure_future(service.check_later(core, actor, draft_id)))


async def _check_length(session: AsyncSession, section: DraftSection, text: str) -> None:
    """Raises DraftTooLong if the text is longer than the section's current one, and too long for the draft."""
    characters = len(text) + await repository.characters_without(session, section)
    if characters > _MAX_CHARACTERS_OF_DRAFT and len(text) > len(section.text):
        raise DraftTooLong(characters)


async def _record(session: AsyncSession, actor: Actor, kind: ActivityKind, section: DraftSection) -> None:
    draft = (await repository.get(session, actor.workspace_id, section.draft_id)).draft
    await activity.record(session, actor, kind, service.subject_of(draft), section=Message(section.heading))


async def _enqueue(
    session: AsyncSession, actor: Actor, core: Core, draft: DraftRead, section: DraftSection, instructions: str
) -> None:
    if draft.is_being_written:
        raise BeingWritten
    await service.get_opportunity(session, actor, draft)
    await billing.check_quota(session, actor, Quota.SECTIONS)
    payload = WriteSection(section_id=section.id, instructions=instructions)
    job = await core.jobs.enqueue(
        session,
        payload,
        title=service.RESTRICTED if draft.access else job_title(draft, section.heading),
        owner_id=actor.workspace_id,
        account_id=actor.id,
        subject_id=draft.id,
    )
    section.job_id, section.incoming = job.id, ""


async def _cancel_job(session: AsyncSession, actor: Actor, section: DraftSection) -> bool:
    job = (await repository.section_jobs(session, section.draft_id)).get(section.id)
    if job is None or JobState(job.state).is_over:
        return False
    await jobs.cancel(session, job.id, owner_id=actor.workspace_id)
    return True


async def _put(session: AsyncSession, others: list[UUID], section: DraftSection, position: int | None) -> None:
    place = len(others) if position is None else position
    await repository.order_sections(session, [*others[:place], section.id, *others[place:]])


async def _check_citations(session: AsyncSession, draft_id: UUID, text: str) -> None:
    cited = citing.numbers_in(text)
    unknown = sorted(cited - await repository.citation_numbers(session, draft_id)) if cited else []
    if unknown:
        raise Invalid(
            t(
                "The draft has no source [{number}]. Cite one of its sources, or type \\[{number}\\] to show the brackets as text.",
                number=str(unknown[0]),
            )
        )


async def _changed(session: AsyncSession, actor: Actor, draft_id: UUID) -> DraftRead:
    await session.flush()
    await publish(session, service.draft_topic(draft_id))
    return await service.get_draft(session, actor, draft_id)


async def _lock_section(session: AsyncSession, actor: Actor, draft_id: UUID, section_id: UUID) -> DraftSection:
    """Lock a section for a person's change. Raises NotFound, or NotAllowed if the draft is restricted and the actor may not edit it."""
    section = await repository.lock_section(session, actor.workspace_id, draft_id, section_id)
    await restrictions.require(session, actor, draft_id)
    return section


async def _changed_section(session: AsyncSession, actor: Actor, section: DraftSection) -> DraftSectionRead:
    await session.flush()
    await publish(session, service.draft_topic(section.draft_id))
    return await _read_section(session, actor, section)


async def _read_section(session: AsyncSession, actor: Actor, section: DraftSection) -> DraftSectionRead:
    await session.refresh(section)
    job = (await repository.section_jobs(session, section.draft_id)).get(section.id)
    state = await repository.state_of(session, section.draft_id)
    return service.read_section(section, job, state, await service.find_withheld(session, actor, section.draft_id))


def _version(version: DraftVersion, *, is_current: bool) -> VersionRead:
    return VersionRead(
        number=version.number,
        heading=version.heading,
        text=version.text,
        origin=VersionOrigin(version.origin),
        author=version.author_name,
        created_at=version.created_at,
        changed_at=version.changed_at,
        is_current=is_current,
    )

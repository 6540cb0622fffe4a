"""Routes of generation."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Query, Response, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import Permission
from fundwright.core.paging import Page, PageRequest
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.generation import editing, service
from fundwright.generation.schemas import (
    CitationStyle,
    DraftQuery,
    DraftRead,
    DraftRow,
    DraftSectionRead,
    DraftSources,
    DraftStart,
    DraftTitle,
    ExportFormat,
    ExportWarning,
    KeptText,
    MatchDecision,
    NewSection,
    QuestionChange,
    Regeneration,
    SectionComparison,
    SectionPosition,
    SectionSave,
    SectionText,
    VersionDiff,
    VersionRead,
)
from fundwright.opportunities import service as opportunities
from fundwright.workspaces.schemas import RestrictionForm, RestrictionRead

router = APIRouter(prefix="/api/drafts", tags=["drafts"])


@router.get("")
async def list_drafts(session: DbSession, actor: CurrentActor, query: Annotated[DraftQuery, Query()]) -> Page[DraftRow]:
    return await service.list_drafts(session, actor, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_drafts(export: Export, actor: CurrentActor, query: Annotated[DraftQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("drafts.csv", lambda session: service.export_drafts(session, actor, query))


@router.post("", status_code=status.HTTP_201_CREATED)
async def start_draft(session: DbSession, actor: CurrentActor, core: CoreDep, start: DraftStart) -> DraftRead:
    """Start writing a draft. Get the draft again to follow the text as it is written."""
    require(actor, Permission.WORK)
    opportunity = await opportunities.look_up(session, actor, start.opportunity_id)
    return await service.start_draft(
        session,
        actor,
        core,
        opportunity_id=opportunity.id,
        template=start.template,
        document_ids=start.document_ids,
        company=start.company,
    )


@router.get("/slug/{slug}")
async def get_by_slug(core: CoreDep, actor: CurrentActor, slug: str) -> DraftRead:
    return await service.get_by_slug(core, actor, slug)


@router.get("/{draft_id}")
async def get_draft(core: CoreDep, actor: CurrentActor, draft_id: UUID) -> DraftRead:
    return await service.get_checked(core, actor, draft_id)


@router.get("/{draft_id}/restriction")
async def get_restriction(session: DbSession, actor: CurrentActor, core: CoreDep, draft_id: UUID) -> RestrictionRead:
    """Return who sees the draft: everyone in the workspace, or only chosen members."""
    return await service.get_restriction(session, actor, core, draft_id)


@router.put("/{draft_id}/restriction")
async def restrict_draft(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, draft_id: UUID, form: RestrictionForm
) -> RestrictionRead:
    """Restrict the draft to chosen members of the workspace, instead of earlier ones. You are always one of them, and may edit it."""
    return await service.restrict_draft(session, actor, core, draft_id, form, client=client)


@router.delete("/{draft_id}/restriction")
async def lift_restriction(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, draft_id: UUID
) -> RestrictionRead:
    """Let everyone in the workspace see the draft again."""
    return await service.lift_restriction(session, actor, core, draft_id, client=client)


@router.delete("/{draft_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_draft(session: DbSession, actor: CurrentActor, client: RequestClient, draft_id: UUID) -> None:
    """Move a draft to the trash, where `PUT /api/trash/{draft_id}/restoration` restores it for 30 days."""
    await service.delete_draft(session, actor, draft_id, client=client)


@router.put("/{draft_id}/cancellation")
async def cancel_draft(session: DbSession, actor: CurrentActor, draft_id: UUID) -> DraftRead:
    return await service.cancel_draft(session, actor, draft_id)


@router.put("/{draft_id}/continuation")
async def continue_draft(session: DbSession, actor: CurrentActor, core: CoreDep, draft_id: UUID) -> DraftRead:
    return await service.continue_draft(session, actor, core, draft_id)


@router.get("/{draft_id}/export", response_class=Response)
async def export_draft(
    core: CoreDep,
    actor: CurrentActor,
    client: RequestClient,
    draft_id: UUID,
    form: ExportFormat = ExportFormat.MARKDOWN,
    citations: CitationStyle = CitationStyle.FOOTNOTES,
) -> Response:
    """Export the draft as a file that is ready to submit: `form=md` or `form=docx`, with `citations=footnotes` or `citations=none`."""
    exported = await service.export_draft(core, actor, draft_id, form, citations=citations, client=client)
    return Response(
        exported.content,
        media_type=exported.media_type,
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(exported.filename)}",
            "X-Content-Type-Options": "nosniff",
        },
    )


@router.get("/{draft_id}/export-warnings")
async def list_export_warnings(core: CoreDep, actor: CurrentActor, draft_id: UUID) -> list[ExportWarning]:
    """List what to check before the draft is submitted: figures that its sources do not state, placeholders, empty sections, and internal notes.
    Exporting does not depend on it."""
    return await service.list_export_warnings(core, actor, await service.get_checked(core, actor, draft_id))


@router.put("/{draft_id}/title")
async def rename_draft(session: DbSession, actor: CurrentActor, draft_id: UUID, change: DraftTitle) -> DraftRead:
    return await editing.rename_draft(session, actor, draft_id, change)


@router.put("/{draft_id}/sources")
async def choose_sources(session: DbSession, actor: CurrentActor, draft_id: UUID, chosen: DraftSources) -> DraftRead:
    """Change the documents that new text is based on. An empty list means all of your documents."""
    return await editing.choose_sources(session, actor, draft_id, chosen)


@router.post("/{draft_id}/sections", status_code=status.HTTP_201_CREATED)
async def add_section(
    session: DbSession, actor: CurrentActor, core: CoreDep, draft_id: UUID, new: NewSection
) -> DraftSectionRead:
    return await editing.add_section(session, actor, core, draft_id, new)


@router.put("/{draft_id}/sections/{section_id}")
async def save_section(
    session: DbSession, actor: CurrentActor, core: CoreDep, draft_id: UUID, section_id: UUID, save: SectionSave
) -> DraftSectionRead:
    """Save heading and text. Returns 409 if the section was changed since revision `based_on`."""
    return await editing.save_section(session, actor, core, draft_id, section_id, save)


@router.delete("/{draft_id}/sections/{section_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_section(
    session: DbSession, actor: CurrentActor, client: RequestClient, draft_id: UUID, section_id: UUID
) -> None:
    await editing.delete_section(session, actor, draft_id, section_id, client=client)


@router.post("/{draft_id}/sections/{section_id}/comparison")
async def compare_text(
    core: CoreDep, actor: CurrentActor, draft_id: UUID, section_id: UUID, other: SectionText
) -> SectionComparison:
    """Compare the section's text with another text. Returns the section and the differences."""
    return await editing.compare_text(core, actor, draft_id, section_id, other)


@router.put("/{draft_id}/sections/{section_id}/position")
async def move_section(
    session: DbSession, actor: CurrentActor, draft_id: UUID, section_id: UUID, change: SectionPosition
) -> DraftRead:
    return await editing.move_section(session, actor, draft_id, section_id, change)


@router.put("/{draft_id}/sections/{section_id}/regeneration")
async def regenerate_section(
    session: DbSession, actor: CurrentActor, core: CoreDep, draft_id: UUID, section_id: UUID, regeneration: Regeneration
) -> DraftSectionRead:
    """Regenerate a section. Get the draft again to follow the text as it is written."""
    return await editing.regenerate_section(session, actor, core, draft_id, section_id, regeneration)


@router.delete("/{draft_id}/sections/{section_id}/regeneration")
async def cancel_regeneration(session: DbSession, actor: CurrentActor, draft_id: UUID, section_id: UUID) -> DraftSectionRead:
    """Cancel the regeneration of a section. Its text does not change."""
    return await editing.cancel_regeneration(session, actor, draft_id, section_id)


@router.put("/{draft_id}/sections/{section_id}/question")
async def mark_question(
    session: DbSession, actor: CurrentActor, draft_id: UUID, section_id: UUID, change: QuestionChange
) -> DraftSectionRead:
    """Mark an open question as done, or reopen it."""
    return await editing.mark_question(session, actor, draft_id, section_id, change)


@router.put("/{draft_id}/sections/{section_id}/match")
async def decide_match(
    session: DbSession, actor: CurrentActor, core: CoreDep, draft_id: UUID, section_id: UUID, decision: MatchDecision
) -> DraftSectionRead:
    """Add a possible match to the section, or dismiss it."""
    return await editing.decide_match(session, actor, core, draft_id, section_id, decision)


@router.get("/{draft_id}/sections/{section_id}/versions")
async def list_versions(
    session: DbSession, actor: CurrentActor, draft_id: UUID, section_id: UUID, request: Annotated[PageRequest, Query()]
) -> Page[VersionRead]:
    """List the versions of the section, newest first."""
    return await editing.list_versions(session, actor, draft_id, section_id, request)


@router.post("/{draft_id}/sections/{section_id}/versions", status_code=status.HTTP_201_CREATED)
async def keep_text(
    session: DbSession, actor: CurrentActor, draft_id: UUID, section_id: UUID, kept: KeptText
) -> DraftSectionRead:
    """Keep a text as a version. The section does not change."""
    return await editing.keep_text(session, actor, draft_id, section_id, kept)


@router.get("/{draft_id}/sections/{section_id}/versions/{number}/changes")
async def compare_version(core: CoreDep, actor: CurrentActor, draft_id: UUID, section_id: UUID, number: int) -> VersionDiff:
    """List the changes from this version to the current text."""
    return await editing.compare_version(core, actor, draft_id, section_id, number)


@router.put("/{draft_id}/sections/{section_id}/versions/{number}/restoration")
async def restore_version(
    session: DbSession, actor: CurrentActor, core: CoreDep, draft_id: UUID, section_id: UUID, number: int
) -> DraftSectionRead:
    """Restore the text of this version."""
    return await editing.restore_version(session, actor, core, draft_id, section_id, number)

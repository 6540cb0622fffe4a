"""Routes of opportunities."""

from __future__ import annotations

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient, Uploader, request_slot
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import Actor, Permission
from fundwright.core.assembly import Core
from fundwright.core.jobs import JobRead
from fundwright.core.paging import Page, PageRequest
from fundwright.core.uploads import UPLOAD, receive_file
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.opportunities import service, watching
from fundwright.opportunities.schemas import (
    Deadlines,
    Facets,
    FoundPage,
    ImportQuery,
    ImportRunRead,
    Kind,
    OpportunityQuery,
    OpportunityRead,
    OpportunityRow,
    RejectionRead,
    SourceRead,
    VersionRead,
    WatchRead,
)

router = APIRouter(prefix="/api/opportunities", tags=["opportunities"])


class NewMatches(BaseModel):
    """`count` stops at 100."""

    count: int


class Removed(BaseModel):
    """How many opportunities were removed."""

    removed: int


@router.get("")
async def list_opportunities(core: CoreDep, actor: CurrentActor, query: Annotated[OpportunityQuery, Query()]) -> FoundPage:
    """Search by words and meaning, with misspelled words corrected. Filter, sort, and page the results."""
    await _refuse_unknown_filters(core, actor, query)
    return await service.search(core, actor, query)


async def _refuse_unknown_filters(core: Core, actor: Actor, query: OpportunityQuery) -> None:
    async with core.database.reading() as session:
        await service.refuse_unknown_filters(session, actor, core, query)


@router.get("/facets")
async def facets(session: DbSession, actor: CurrentActor, kind: Kind | None = None) -> Facets:
    """List the values that filters can have."""
    return await service.facets(session, actor, kind=kind)


@router.get("/deadlines")
async def next_deadlines(session: DbSession, actor: CurrentActor) -> Deadlines:
    """List the opportunities in your categories that are due next."""
    return await service.next_deadlines(session, actor)


@router.get("/matches")
async def list_matches(session: DbSession, actor: CurrentActor) -> list[OpportunityRow]:
    """List the newest open opportunities in your categories."""
    return await service.list_matches(session, actor)


@router.get("/suggestions")
async def suggest(
    session: DbSession,
    actor: CurrentActor,
    words: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 6,
) -> list[OpportunityRow]:
    """Suggest opportunities for text that is still being typed, newest first; without text, the newest of all."""
    return await service.suggest(session, actor, words, limit=limit)


@router.get("/new")
async def count_new(session: DbSession, actor: CurrentActor) -> NewMatches:
    """Count the opportunities in your categories that were imported since you last opened the list."""
    return NewMatches(count=await service.count_new(session, actor))


@router.get("/export.csv", response_class=CsvDownload)
async def export(core: CoreDep, export: Export, actor: CurrentActor, query: Annotated[OpportunityQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    await _refuse_unknown_filters(core, actor, query)
    understood, meaning = await service.understand(core, query)
    return export("opportunities.csv", lambda session: service.export(session, actor, core, understood, meaning=meaning))


@router.get("/sources")
async def list_sources(core: CoreDep, actor: CurrentActor) -> list[SourceRead]:
    """List the formats that can be imported."""
    return service.list_sources(core)


@router.post("/categorize", status_code=202)
async def categorize(session: DbSession, actor: CurrentActor, core: CoreDep) -> JobRead:
    """Categorize all opportunities, and return the job that does it."""
    return await service.start_categorizing(session, actor, core)


@router.get("/categorize/{job_id}")
async def get_categorizing(session: DbSession, actor: CurrentActor, job_id: UUID) -> JobRead:
    """Get the state, progress, and result of the job."""
    return await service.get_categorizing(session, actor, job_id)


@router.put("/categorize/{job_id}/cancellation")
async def cancel_categorizing(session: DbSession, actor: CurrentActor, job_id: UUID) -> JobRead:
    """Cancel the job after its current step. Results so far are kept."""
    return await service.cancel_categorizing(session, actor, job_id)


@router.get("/embedding")
async def find_embedding(session: DbSession, actor: CurrentActor) -> JobRead | None:
    """Get the latest job that indexed notices for searches by meaning, with its state and progress."""
    return await service.find_embedding(session, actor)


@router.post("/embedding", status_code=202)
async def start_embedding(session: DbSession, actor: CurrentActor, core: CoreDep) -> JobRead | None:
    """Index the notices that have not been indexed yet, and return the job. It starts automatically after an import."""
    return await service.start_embedding(session, actor, core)


@router.put("/embedding/cancellation")
async def cancel_embedding(session: DbSession, actor: CurrentActor) -> JobRead:
    """Cancel the job after its current step. Notices indexed so far stay indexed."""
    return await service.cancel_embedding(session, actor)


@router.delete("/sample")
async def remove_sample(session: DbSession, actor: CurrentActor, client: RequestClient) -> Removed:
    """Remove the sample opportunities for everyone."""
    return Removed(removed=await service.remove_sample(session, actor, client=client))


@router.post("/sample", status_code=204)
async def restore_sample(session: DbSession, core: CoreDep, actor: CurrentActor, client: RequestClient) -> None:
    """Add the sample opportunities again for everyone, unless there are some."""
    await service.restore_sample(session, actor, core, client=client)


@router.get("/imports")
async def list_imports(
    session: DbSession, core: CoreDep, actor: CurrentActor, query: Annotated[ImportQuery, Query()]
) -> Page[ImportRunRead]:
    """List your imports, newest first."""
    service.refuse_unknown_sources(core, query)
    return await service.list_imports(session, actor, query)


@router.get("/imports/export.csv", response_class=CsvDownload)
async def export_imports(
    export: Export, core: CoreDep, actor: CurrentActor, query: Annotated[ImportQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    service.refuse_unknown_sources(core, query)
    return export("imports.csv", lambda session: service.export_imports(session, actor, core, query))


@router.post("/imports/{source}", status_code=202, openapi_extra=UPLOAD)
async def start_import(session: DbSession, actor: Uploader, core: CoreDep, source: str, request: Request) -> ImportRunRead:
    """Upload a file (form field `file`) and import it as a job."""
    require(actor, Permission.WORK)
    service.get_source(core, source)
    room = partial(service.require_room, core, actor)
    received = await receive_file(core, request, core.files.spool, account_id=actor.id, require_room=room)
    async with request_slot(core, actor):
        return await service.start_import(session, actor, core, source=source, filename=received.filename, upload=received.kept)


@router.get("/imports/{run_id}")
async def get_import(session: DbSession, actor: CurrentActor, run_id: UUID) -> ImportRunRead:
    """Get an import with its counts so far."""
    return await service.get_import(session, actor, run_id)


@router.put("/imports/{run_id}/cancellation")
async def cancel_import(session: DbSession, actor: CurrentActor, core: CoreDep, run_id: UUID) -> ImportRunRead:
    """Cancel an import after its current batch. Opportunities imported so far are kept."""
    return await service.cancel_import(session, actor, core, run_id)


@router.get("/imports/{run_id}/rejections")
async def list_rejections(
    session: DbSession, actor: CurrentActor, run_id: UUID, request: Annotated[PageRequest, Query()]
) -> Page[RejectionRead]:
    """List the rejected rows, with line, column, and reason."""
    return await service.list_rejections(session, actor, run_id, request)


@router.get("/imports/{run_id}/rejections/export.csv", response_class=CsvDownload)
async def export_rejections(actor: CurrentActor, export: Export, run_id: UUID) -> CsvDownload:
    """Export the rejected rows as CSV."""
    return export("rejections.csv", lambda session: service.export_rejections(session, actor, run_id))


@router.get("/{opportunity_id}")
async def get_opportunity(session: DbSession, actor: CurrentActor, opportunity_id: str) -> OpportunityRead:
    """Get an opportunity by its id, its number, or its id at the source."""
    return await service.look_up(session, actor, opportunity_id)


@router.get("/{opportunity_id}/watch")
async def get_watch(session: DbSession, actor: CurrentActor, opportunity_id: UUID) -> WatchRead:
    """Get who in the workspace watches an opportunity. `GET /api/opportunities?watched=me` lists what you watch."""
    return await watching.get_watch(session, actor, opportunity_id)


@router.put("/{opportunity_id}/watch")
async def watch(session: DbSession, actor: CurrentActor, opportunity_id: UUID) -> WatchRead:
    """Get notifications of changes of an opportunity, of new notices of its solicitation, and of due dates."""
    return await watching.watch(session, actor, opportunity_id)


@router.delete("/{opportunity_id}/watch")
async def unwatch(session: DbSession, actor: CurrentActor, opportunity_id: UUID) -> WatchRead:
    """Get no more notifications of an opportunity and its solicitation."""
    return await watching.unwatch(session, actor, opportunity_id)


@router.get("/{opportunity_id}/versions")
async def list_versions(
    session: DbSession, actor: CurrentActor, opportunity_id: UUID, request: Annotated[PageRequest, Query()]
) -> Page[VersionRead]:
    """List the versions of an opportunity, newest first, and what each one changed."""
    return await service.list_versions(session, actor, opportunity_id, request)


@router.get("/{opportunity_id}/versions/export.csv", response_class=CsvDownload)
async def export_versions(
    export: Export, actor: CurrentActor, opportunity_id: UUID, request: Annotated[PageRequest, Query()]
) -> CsvDownload:
    """Export the changes of each version as CSV, one line per field."""
    return export("versions.csv", lambda session: service.export_versions(session, actor, opportunity_id, request))

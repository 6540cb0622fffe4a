"""Routes of the pipeline."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.pipeline import service
from fundwright.pipeline.schemas import (
    PipelineQuery,
    PursuitChange,
    PursuitDetails,
    PursuitForm,
    PursuitRead,
    StageChange,
    StageTotal,
)

router = APIRouter(prefix="/api/pipeline", tags=["pipeline"])


@router.get("")
async def list_pursuits(session: DbSession, actor: CurrentActor, query: Annotated[PipelineQuery, Query()]) -> Page[PursuitRead]:
    """List the opportunities that the workspace pursues."""
    return await service.list_pursuits(session, actor, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_pursuits(
    export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[PipelineQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("pipeline.csv", lambda session: service.export_pursuits(session, actor, core, query))


@router.get("/totals")
async def read_totals(session: DbSession, actor: CurrentActor, query: Annotated[PipelineQuery, Query()]) -> list[StageTotal]:
    """Get the number of pursuits, their value, and their weighted value in each stage; `page` and `page_size` are ignored."""
    return await service.read_totals(session, actor, query)


@router.post("", status_code=status.HTTP_201_CREATED)
async def add(session: DbSession, actor: CurrentActor, form: PursuitForm) -> PursuitDetails:
    """Add an opportunity to the pipeline. If it is there already, nothing changes."""
    return await service.add(session, actor, form)


@router.get("/{pursuit_id}")
async def get_pursuit(session: DbSession, actor: CurrentActor, pursuit_id: UUID) -> PursuitDetails:
    """Get a pursuit with the history of its stages."""
    return await service.get_pursuit(session, actor, pursuit_id)


@router.put("/{pursuit_id}")
async def change(session: DbSession, actor: CurrentActor, pursuit_id: UUID, given: PursuitChange) -> PursuitDetails:
    """Replace the lead, the probability, the value, and the reason. `based_on` is the `revision` that you read."""
    return await service.change(session, actor, pursuit_id, given)


@router.put("/{pursuit_id}/stage")
async def move(session: DbSession, actor: CurrentActor, pursuit_id: UUID, change: StageChange) -> PursuitDetails:
    """Move a pursuit to a stage. Lost and No-go need a reason. `based_on` is the `revision` that you read."""
    return await service.move(session, actor, pursuit_id, change)


@router.delete("/{pursuit_id}", status_code=status.HTTP_204_NO_CONTENT)
async def remove(session: DbSession, actor: CurrentActor, client: RequestClient, pursuit_id: UUID) -> None:
    """Move a pursuit to the trash, where `PUT /api/trash/{pursuit_id}/restoration` restores it for 30 days."""
    await service.remove(session, actor, pursuit_id, client=client)

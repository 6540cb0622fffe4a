"""Routes of activity."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from fundwright.accounts.dependencies import CurrentActor, Export
from fundwright.activity import service
from fundwright.activity.schemas import ActivityQuery, ActivityRead
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession

router = APIRouter(prefix="/api/activity", tags=["activity"])


@router.get("")
async def list_activity(
    session: DbSession, actor: CurrentActor, core: CoreDep, query: Annotated[ActivityQuery, Query()]
) -> Page[ActivityRead]:
    """List what happened in the workspace in the last 365 days, newest first."""
    service.refuse_unknown_kind(core, query)
    return await service.list_activity(session, actor, core, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_activity(
    export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[ActivityQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    service.refuse_unknown_kind(core, query)
    return export("activity.csv", lambda session: service.export_activity(session, actor, core, query))

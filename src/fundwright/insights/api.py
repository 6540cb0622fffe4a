"""Routes of insights."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from fundwright.accounts.dependencies import CurrentActor, Export
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import Permission
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.insights import service
from fundwright.insights.schemas import (
    Figure,
    HistoryChoices,
    HistoryQuery,
    HistoryRow,
    PagesQuery,
    PageVisits,
    UsageQuery,
    UsageRead,
)

router = APIRouter(prefix="/api/insights", tags=["insights"])


@router.get("/figures")
async def list_figures(session: DbSession, actor: CurrentActor, core: CoreDep) -> list[Figure]:
    """Return the numbers of the dashboard, each with the path of the page of the list that it counts."""
    return await service.list_figures(session, actor, core)


@router.get("/usage")
async def get_usage(session: DbSession, actor: CurrentActor, query: Annotated[UsageQuery, Query()]) -> UsageRead:
    """Return page views, active people, drafts, imports, and training runs of each day."""
    return await service.get_usage(session, actor, query)


@router.get("/usage/export.csv", response_class=CsvDownload)
async def export_usage(export: Export, actor: CurrentActor, query: Annotated[UsageQuery, Query()]) -> CsvDownload:
    """Export the same as CSV."""
    require(actor, Permission.ADMINISTER)
    return export("usage.csv", lambda session: service.export_usage(session, actor, query))


@router.get("/pages")
async def list_pages(session: DbSession, actor: CurrentActor, query: Annotated[PagesQuery, Query()]) -> Page[PageVisits]:
    """List the visited pages, most viewed first."""
    return await service.list_pages(session, actor, query)


@router.get("/pages/export.csv", response_class=CsvDownload)
async def export_pages(export: Export, actor: CurrentActor, query: Annotated[PagesQuery, Query()]) -> CsvDownload:
    """Export all of them as CSV, ignoring the page."""
    require(actor, Permission.ADMINISTER)
    return export("pages.csv", lambda session: service.export_pages(session, actor, query))


@router.get("/history")
async def list_history(session: DbSession, actor: CurrentActor, query: Annotated[HistoryQuery, Query()]) -> Page[HistoryRow]:
    """List everyone's runs, imports, and drafts, newest first."""
    await service.refuse_unknown_history_values(session, actor, query)
    return await service.list_history(session, actor, query)


@router.get("/history/choices")
async def list_history_choices(session: DbSession, actor: CurrentActor) -> HistoryChoices:
    """List the kinds and people that the history can be filtered by."""
    return await service.list_history_choices(session, actor)


@router.get("/history/export.csv", response_class=CsvDownload)
async def export_history(
    export: Export, actor: CurrentActor, query: Annotated[HistoryQuery, Query()], core: CoreDep
) -> CsvDownload:
    """Export the whole history as CSV, ignoring the page."""
    require(actor, Permission.ADMINISTER)
    async with core.database.reading() as session:
        await service.refuse_unknown_history_values(session, actor, query)
    return export("history.csv", lambda session: service.export_history(session, actor, core, query))

"""Routes of saved searches."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.searches import service
from fundwright.searches.schemas import SavedSearchForm, SavedSearchName, SavedSearchQuery, SavedSearchRead, SearchedQuery
from fundwright.workspaces.schemas import RestrictionForm, RestrictionRead

router = APIRouter(prefix="/api/saved-searches", tags=["saved searches"])


@router.get("")
async def list_searches(
    session: DbSession, actor: CurrentActor, query: Annotated[SavedSearchQuery, Query()]
) -> Page[SavedSearchRead]:
    """List the saved searches of the workspace, each with the number of its matches that are new to you."""
    return await service.list_searches(session, actor, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_searches(
    export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[SavedSearchQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("saved-searches.csv", lambda session: service.export_searches(session, actor, core, query))


@router.post("", status_code=status.HTTP_201_CREATED)
async def save(session: DbSession, actor: CurrentActor, form: SavedSearchForm) -> SavedSearchRead:
    """Save a search and follow it. `query` has the parameters of `GET /api/opportunities`."""
    return await service.save(session, actor, form)


@router.get("/{search_id}")
async def get_search(session: DbSession, actor: CurrentActor, search_id: UUID) -> SavedSearchRead:
    return await service.get_search(session, actor, search_id)


@router.put("/{search_id}/name")
async def rename(session: DbSession, actor: CurrentActor, search_id: UUID, given: SavedSearchName) -> SavedSearchRead:
    """Rename a saved search."""
    return await service.rename(session, actor, search_id, given)


@router.put("/{search_id}/query")
async def change_query(session: DbSession, actor: CurrentActor, search_id: UUID, query: SearchedQuery) -> SavedSearchRead:
    """Replace the words, filters, and order, given as the parameters of `GET /api/opportunities`."""
    return await service.change_query(session, actor, search_id, query)


@router.delete("/{search_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete(session: DbSession, actor: CurrentActor, client: RequestClient, search_id: UUID) -> None:
    """Move a saved search to the trash, where `PUT /api/trash/{search_id}/restoration` restores it for 30 days."""
    await service.delete(session, actor, search_id, client=client)


@router.put("/{search_id}/visit", status_code=status.HTTP_204_NO_CONTENT)
async def note_opened(session: DbSession, actor: CurrentActor, search_id: UUID) -> None:
    """Record that you have seen what the search finds now: `new` counts later matches."""
    await service.note_opened(session, actor, search_id)


@router.put("/{search_id}/following", status_code=status.HTTP_204_NO_CONTENT)
async def follow(session: DbSession, actor: CurrentActor, search_id: UUID) -> None:
    """Get notifications of new matches."""
    await service.follow(session, actor, search_id)


@router.delete("/{search_id}/following", status_code=status.HTTP_204_NO_CONTENT)
async def unfollow(session: DbSession, actor: CurrentActor, search_id: UUID) -> None:
    """Get no more notifications of new matches."""
    await service.unfollow(session, actor, search_id)


@router.get("/{search_id}/restriction")
async def get_restriction(session: DbSession, actor: CurrentActor, core: CoreDep, search_id: UUID) -> RestrictionRead:
    """Get which members of the workspace see a saved search."""
    return await service.get_restriction(session, actor, core, search_id)


@router.put("/{search_id}/restriction")
async def restrict(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, search_id: UUID, form: RestrictionForm
) -> RestrictionRead:
    """Restrict a saved search to chosen members of the workspace. You and the person who saved it stay among them."""
    return await service.restrict(session, actor, core, search_id, form, client=client)


@router.delete("/{search_id}/restriction")
async def lift_restriction(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, search_id: UUID
) -> RestrictionRead:
    """Let everyone in the workspace see a saved search again."""
    return await service.lift_restriction(session, actor, core, search_id, client=client)

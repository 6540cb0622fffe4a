"""Routes of the trash."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.trash import service
from fundwright.trash.schemas import TrashQuery, TrashRead

router = APIRouter(prefix="/api/trash", tags=["trash"])


@router.get("")
async def list_trash(
    session: DbSession, actor: CurrentActor, core: CoreDep, query: Annotated[TrashQuery, Query()]
) -> Page[TrashRead]:
    """List what is in the trash, newest first. `id` is the id of the document, draft, category, or saved search."""
    service.refuse_unknown_kind(core, query)
    return await service.list_trash(session, actor, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_trash(export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[TrashQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    service.refuse_unknown_kind(core, query)
    return export("trash.csv", lambda session: service.export_trash(session, actor, core, query))


@router.delete("")
async def empty(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient) -> dict[str, int]:
    """Delete everything in the trash forever."""
    return {"removed": await service.empty(session, actor, core, client=client)}


@router.put("/{item_id}/restoration", status_code=status.HTTP_204_NO_CONTENT)
async def restore(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, item_id: UUID) -> None:
    await service.restore(session, actor, core, item_id, client=client)


@router.delete("/{item_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_forever(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, item_id: UUID) -> None:
    """Delete an item in the trash forever."""
    await service.delete_forever(session, actor, core, item_id, client=client)

"""Routes of share links. Their pages are in `fundwright_ui.screens.sharing`."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import Permission
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.sharing import service
from fundwright.sharing.schemas import NewShare, OpportunitiesForm, ShareCreated, ShareForm, ShareQuery, ShareRead

router = APIRouter(tags=["sharing"])


@router.get("/api/shares")
async def list_shares(session: DbSession, actor: CurrentActor, query: Annotated[ShareQuery, Query()]) -> Page[ShareRead]:
    """List the share links of the workspace: all of them for its owners, and otherwise your own, or all of the draft `draft_id`."""
    return await service.list_shares(session, actor, query)


@router.get("/api/shares/export.csv", response_class=CsvDownload)
async def export_shares(export: Export, actor: CurrentActor, query: Annotated[ShareQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.WORK)
    return export("share-links.csv", lambda session: service.export_shares(session, actor, query))


@router.post("/api/shares/drafts/{draft_id}", status_code=status.HTTP_201_CREATED)
async def share_draft(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, draft_id: UUID, form: ShareForm
) -> ShareCreated:
    """Create a link with which anyone can view a draft, or also comment on it. Its address is only in this response."""
    new = NewShare(**form.model_dump(), draft_id=draft_id)
    return await service.share(session, actor, core, new, client=client)


@router.post("/api/shares/opportunities", status_code=status.HTTP_201_CREATED)
async def share_opportunities(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, form: OpportunitiesForm
) -> ShareCreated:
    """Create a link with which anyone can view the opportunities that a query finds, or also comment on them. Its address is only in this
    response."""
    return await service.share(session, actor, core, NewShare(**form.model_dump()), client=client)


@router.delete("/api/shares/{share_id}", status_code=status.HTTP_204_NO_CONTENT)
async def revoke_share(session: DbSession, actor: CurrentActor, client: RequestClient, share_id: UUID) -> None:
    """Revoke a share link, so that its page no longer opens."""
    await service.revoke(session, actor, share_id, client=client)

"""Routes of notifications. They cover all workspaces of the account."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from fundwright.accounts.dependencies import CurrentActor, Export
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.notifications import service
from fundwright.notifications.schemas import ChoiceChange, Choices, NotificationQuery, NotificationRead, UnreadCount

router = APIRouter(prefix="/api/notifications", tags=["notifications"])


@router.get("")
async def list_notifications(
    session: DbSession, actor: CurrentActor, core: CoreDep, query: Annotated[NotificationQuery, Query()]
) -> Page[NotificationRead]:
    """List the notifications of the account, newest first."""
    service.refuse_unknown_kind(core, query)
    return await service.list_notifications(session, actor, core, query)


@router.get("/export.csv", response_class=CsvDownload)
async def export_notifications(
    export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[NotificationQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    service.refuse_unknown_kind(core, query)
    return export("notifications.csv", lambda session: service.export_notifications(session, actor, core, query))


@router.get("/unread")
async def count_unread(session: DbSession, actor: CurrentActor) -> UnreadCount:
    unread, _ = await service.count_unread(session, actor)
    return UnreadCount(unread=unread)


@router.put("/read")
async def mark_all_read(
    session: DbSession, actor: CurrentActor, core: CoreDep, query: Annotated[NotificationQuery, Query()]
) -> dict[str, int]:
    """Mark all notifications with these filters as read; `page` and `page_size` are ignored."""
    service.refuse_unknown_kind(core, query)
    return {"marked": await service.mark_all_read(session, actor, query)}


@router.get("/choices")
async def list_choices(session: DbSession, actor: CurrentActor, core: CoreDep) -> Choices:
    """Show how the account is told about each kind of notification."""
    return await service.list_choices(session, actor, core)


@router.put("/choices/{kind}", status_code=status.HTTP_204_NO_CONTENT)
async def choose(session: DbSession, actor: CurrentActor, core: CoreDep, kind: str, change: ChoiceChange) -> None:
    """Choose how the account is told about a kind of notification."""
    await service.choose(session, actor, core, kind, change)


@router.put("/{notification_id}/read", status_code=status.HTTP_204_NO_CONTENT)
async def mark_read(session: DbSession, actor: CurrentActor, notification_id: UUID) -> None:
    await service.mark_read(session, actor, notification_id)


@router.delete("/{notification_id}/read", status_code=status.HTTP_204_NO_CONTENT)
async def mark_unread(session: DbSession, actor: CurrentActor, notification_id: UUID) -> None:
    """Mark a notification as unread."""
    await service.mark_unread(session, actor, notification_id)

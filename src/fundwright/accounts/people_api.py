"""Routes for the accounts of the installation and its audit trail."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from fundwright.accounts import audit, people
from fundwright.accounts.dependencies import CurrentActor, Export
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import AccountRead, AuditQuery, AuditRead, PeopleQuery, Permission
from fundwright.core.paging import Page
from fundwright.core.web import CsvDownload, DbSession

router = APIRouter(tags=["people"])


@router.get("/api/people")
async def list_people(session: DbSession, actor: CurrentActor, query: Annotated[PeopleQuery, Query()]) -> Page[AccountRead]:
    """List the accounts of the installation."""
    return await people.list_people(session, actor, query)


@router.get("/api/people/export.csv", response_class=CsvDownload)
async def export_people(export: Export, actor: CurrentActor, query: Annotated[PeopleQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("people.csv", lambda session: people.export_people(session, actor, query))


@router.get("/api/people/{account_id}")
async def get_person(session: DbSession, actor: CurrentActor, account_id: UUID) -> AccountRead:
    return await people.get_person(session, actor, account_id)


@router.get("/api/audit")
async def list_audit(session: DbSession, actor: CurrentActor, query: Annotated[AuditQuery, Query()]) -> Page[AuditRead]:
    """List who did what, when, and from where."""
    return await audit.list_audit(session, actor, query)


@router.get("/api/audit/export.csv", response_class=CsvDownload)
async def export_audit(export: Export, actor: CurrentActor, query: Annotated[AuditQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("audit.csv", lambda session: audit.export_audit(session, actor, query))

"""Routes about the accounts of the installation and its audit trail."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict

from fundwright.core.paging import Page, PageRequest
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.identity import people
from fundwright.identity.api import CurrentActor, Export, RequestClient
from fundwright.identity.permissions import require
from fundwright.identity.schemas import AccountRead, AuditQuery, AuditRead, PeopleQuery, Permission, Role, SessionRead

router = APIRouter(tags=["people"])


class RoleForm(BaseModel):
    model_config = ConfigDict(frozen=True)

    role: Role


@router.get("/api/people")
async def list_people(session: DbSession, actor: CurrentActor, query: Annotated[PeopleQuery, Query()]) -> Page[AccountRead]:
    """The accounts of the installation."""
    return await people.list_people(session, actor, query)


@router.get("/api/people/export.csv", response_class=CsvDownload)
async def export_people(export: Export, actor: CurrentActor, query: Annotated[PeopleQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.OVERSEE)
    return export("people.csv", lambda session: people.export_people(session, actor, query))


@router.get("/api/people/{account_id}")
async def get_person(session: DbSession, actor: CurrentActor, account_id: UUID) -> AccountRead:
    return await people.get_person(session, actor, account_id)


@router.put("/api/people/{account_id}/role")
async def change_role(
    core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID, form: RoleForm
) -> AccountRead:
    """It counts at once: the account's sessions end."""
    return await people.change_role(core, session, actor, account_id, form.role, client=client)


@router.put("/api/people/{account_id}/disabled")
async def disable(core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID) -> AccountRead:
    """Nobody can sign in to the account any more, and its sessions end."""
    return await people.disable(core, session, actor, account_id, client=client)


@router.delete("/api/people/{account_id}/disabled")
async def enable(core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID) -> AccountRead:
    return await people.enable(core, session, actor, account_id, client=client)


@router.get("/api/people/{account_id}/sessions")
async def list_sessions(
    session: DbSession, actor: CurrentActor, account_id: UUID, request: Annotated[PageRequest, Query()]
) -> Page[SessionRead]:
    return await people.list_sessions(session, actor, account_id, request)


@router.get("/api/people/{account_id}/sessions/export.csv", response_class=CsvDownload)
async def export_sessions(
    export: Export, actor: CurrentActor, account_id: UUID, request: Annotated[PageRequest, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("sessions.csv", lambda session: people.export_sessions(session, actor, account_id, request))


@router.delete("/api/people/{account_id}/sessions", status_code=204)
async def end_sessions(session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID) -> None:
    """Sign the account out everywhere."""
    await people.end_sessions(session, actor, account_id, client=client)


@router.post("/api/people/{account_id}/reset", status_code=202)
async def start_reset(core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID) -> None:
    """Send the owner a link by which to choose a new password."""
    await people.start_reset(core, session, actor, account_id, client=client)


@router.delete("/api/people/{account_id}/second-factor", status_code=204)
async def remove_second_factor(
    core: CoreDep, session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID
) -> None:
    """Take authenticator app, recovery codes and passkeys from somebody who has lost them."""
    await people.remove_second_factor(core, session, actor, account_id, client=client)


@router.get("/api/audit")
async def list_audit(session: DbSession, actor: CurrentActor, query: Annotated[AuditQuery, Query()]) -> Page[AuditRead]:
    """Who did what, when and from where."""
    return await people.list_audit(session, actor, query)


@router.get("/api/audit/export.csv", response_class=CsvDownload)
async def export_audit(export: Export, actor: CurrentActor, query: Annotated[AuditQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.OVERSEE)
    return export("audit.csv", lambda session: people.export_audit(session, actor, query))

"""Routes of workspaces. Requests act in the account's last used workspace, or in the one that `w` names in the address."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status
from pydantic import BaseModel, ConfigDict

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession
from fundwright.workspaces import invitations, restrictions, service, support
from fundwright.workspaces.schemas import (
    InvitationForm,
    InvitationQuery,
    InvitationRead,
    InvitationSent,
    MemberQuery,
    MemberRead,
    RestrictedItemQuery,
    RestrictedItemRead,
    RoleChange,
    SupportedWorkspaceRead,
    SupportForm,
    SupportRead,
    WorkspaceForm,
    WorkspaceRead,
)

router = APIRouter(tags=["workspaces"])


class Joined(BaseModel):
    model_config = ConfigDict(frozen=True)

    workspace_id: UUID


@router.get("/api/workspaces")
async def list_workspaces(session: DbSession, actor: CurrentActor) -> list[WorkspaceRead]:
    """List the workspaces of the account, the personal one first."""
    return await service.list_workspaces(session, actor)


@router.get("/api/workspaces/export.csv", response_class=CsvDownload)
async def export_workspaces(export: Export, actor: CurrentActor) -> CsvDownload:
    return export("workspaces.csv", lambda session: service.export_workspaces(session, actor))


@router.post("/api/workspaces", status_code=status.HTTP_201_CREATED)
async def create_workspace(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, form: WorkspaceForm
) -> WorkspaceRead:
    """Create a workspace, unless you own as many as the plan of your personal workspace allows."""
    return await service.create_workspace(session, actor, core, form, client=client)


@router.put("/api/workspaces/{workspace_id}/use", status_code=status.HTTP_204_NO_CONTENT)
async def use_workspace(session: DbSession, actor: CurrentActor, workspace_id: UUID) -> None:
    """Make a workspace the last used one, in which pages open and requests act."""
    await service.use_workspace(session, actor, workspace_id)


@router.get("/api/workspace")
async def get_workspace(session: DbSession, actor: CurrentActor) -> WorkspaceRead:
    return await service.get_workspace(session, actor)


@router.get("/api/workspace/support")
async def get_support(session: DbSession, actor: CurrentActor) -> SupportRead:
    return await support.get_support(session, actor)


@router.put("/api/workspace/support")
async def grant_support(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, form: SupportForm
) -> SupportRead:
    """Let administrators view the workspace for a time."""
    return await support.grant(session, actor, core, form, client=client)


@router.delete("/api/workspace/support", status_code=status.HTTP_204_NO_CONTENT)
async def end_support(session: DbSession, actor: CurrentActor, client: RequestClient) -> None:
    """End support access immediately."""
    await support.end(session, actor, client=client)


@router.get("/api/workspaces/support")
async def list_supported(session: DbSession, actor: CurrentActor) -> list[SupportedWorkspaceRead]:
    """List the workspaces that the account may view only as an administrator with support access. Requests name one with `w`."""
    return await support.list_supported(session, actor)


@router.get("/api/workspaces/support/export.csv", response_class=CsvDownload)
async def export_supported(export: Export, actor: CurrentActor) -> CsvDownload:
    return export("support.csv", lambda session: support.export_supported(session, actor))


@router.patch("/api/workspace", status_code=status.HTTP_204_NO_CONTENT)
async def rename_workspace(session: DbSession, actor: CurrentActor, client: RequestClient, form: WorkspaceForm) -> None:
    await service.rename_workspace(session, actor, form, client=client)


@router.delete("/api/workspace", status_code=status.HTTP_204_NO_CONTENT)
async def delete_workspace(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, name: str) -> None:
    """Delete the workspace with everything in it, permanently. `name` is its name, as confirmation."""
    await service.delete_workspace(session, actor, core, name=name, client=client)


@router.delete("/api/workspace/membership", status_code=status.HTTP_204_NO_CONTENT)
async def leave_workspace(session: DbSession, actor: CurrentActor, client: RequestClient) -> None:
    await service.leave_workspace(session, actor, client=client)


@router.get("/api/workspace/members")
async def list_members(session: DbSession, actor: CurrentActor, query: Annotated[MemberQuery, Query()]) -> Page[MemberRead]:
    return await service.list_members(session, actor, query)


@router.get("/api/workspace/members/export.csv", response_class=CsvDownload)
async def export_members(export: Export, actor: CurrentActor, query: Annotated[MemberQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("members.csv", lambda session: service.export_members(session, actor, query))


@router.patch("/api/workspace/members/{account_id}", status_code=status.HTTP_204_NO_CONTENT)
async def change_role(
    session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID, change: RoleChange
) -> None:
    await service.change_role(session, actor, account_id, change.role, client=client)


@router.put("/api/workspace/members/{account_id}/ownership", status_code=status.HTTP_204_NO_CONTENT)
async def transfer_ownership(session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID) -> None:
    """Make a member an owner, and the requesting owner an editor."""
    await service.transfer_ownership(session, actor, account_id, client=client)


@router.delete("/api/workspace/members/{account_id}", status_code=status.HTTP_204_NO_CONTENT)
async def remove_member(session: DbSession, actor: CurrentActor, client: RequestClient, account_id: UUID) -> None:
    """Remove a member. What the person created stays."""
    await service.remove_member(session, actor, account_id, client=client)


@router.get("/api/workspace/invitations")
async def list_invitations(
    session: DbSession, actor: CurrentActor, query: Annotated[InvitationQuery, Query()]
) -> Page[InvitationRead]:
    return await invitations.list_invitations(session, actor, query)


@router.get("/api/workspace/invitations/export.csv", response_class=CsvDownload)
async def export_invitations(export: Export, actor: CurrentActor, query: Annotated[InvitationQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    return export("invitations.csv", lambda session: invitations.export_invitations(session, actor, query))


@router.post("/api/workspace/invitations", status_code=status.HTTP_201_CREATED)
async def invite(
    session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, form: InvitationForm
) -> InvitationSent:
    """Invite the account with an email, or everyone with the link that is in the response."""
    return await invitations.invite(session, actor, core, form, client=client)


@router.delete("/api/workspace/invitations/{invitation_id}", status_code=status.HTTP_204_NO_CONTENT)
async def withdraw(session: DbSession, actor: CurrentActor, client: RequestClient, invitation_id: UUID) -> None:
    """Withdraw an invitation, so that its link stops working."""
    await invitations.withdraw(session, actor, invitation_id, client=client)


@router.get("/api/workspaces/invitations")
async def list_own(session: DbSession, actor: CurrentActor) -> list[InvitationRead]:
    """List the invitations of the account to workspaces."""
    return await invitations.list_own(session, actor)


@router.get("/api/workspaces/invitations/export.csv", response_class=CsvDownload)
async def export_own(export: Export, actor: CurrentActor) -> CsvDownload:
    return export("invitations.csv", lambda session: invitations.export_own(session, actor))


@router.post("/api/workspaces/invitations/{invitation_id}/acceptance")
async def accept(session: DbSession, actor: CurrentActor, client: RequestClient, invitation_id: UUID) -> Joined:
    return Joined(workspace_id=await invitations.accept(session, actor, invitation_id, client=client))


@router.delete("/api/workspaces/invitations/{invitation_id}", status_code=status.HTTP_204_NO_CONTENT)
async def decline(session: DbSession, actor: CurrentActor, client: RequestClient, invitation_id: UUID) -> None:
    """Decline an invitation."""
    await invitations.decline(session, actor, invitation_id, client=client)


@router.post("/api/workspaces/links/{secret}/acceptance")
async def accept_link(session: DbSession, actor: CurrentActor, client: RequestClient, secret: str) -> Joined:
    """Join the workspace of an invitation link."""
    return Joined(workspace_id=await invitations.accept_link(session, actor, secret, client=client))


@router.get("/api/workspace/restrictions")
async def list_restricted(
    session: DbSession, actor: CurrentActor, core: CoreDep, query: Annotated[RestrictedItemQuery, Query()]
) -> Page[RestrictedItemRead]:
    """List restricted items without their titles, for owners of the workspace."""
    restrictions.refuse_unknown_kind(core, query)
    return await restrictions.list_restricted(session, actor, query)


@router.get("/api/workspace/restrictions/export.csv", response_class=CsvDownload)
async def export_restricted(
    export: Export, actor: CurrentActor, core: CoreDep, query: Annotated[RestrictedItemQuery, Query()]
) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    restrictions.refuse_unknown_kind(core, query)
    return export("restricted.csv", lambda session: restrictions.export_restricted(session, actor, core, query))


@router.delete("/api/workspace/restrictions/{subject_id}", status_code=status.HTTP_204_NO_CONTENT)
async def lift_as_owner(session: DbSession, actor: CurrentActor, core: CoreDep, client: RequestClient, subject_id: UUID) -> None:
    """Let everyone in the workspace see an item again, also one that is hidden from the owner who does this."""
    await restrictions.lift_as_owner(session, actor, core, subject_id, client=client)

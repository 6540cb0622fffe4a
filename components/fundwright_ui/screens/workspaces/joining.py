"""`/workspaces/join/{secret}`, and the invitations of the person's own address."""

from __future__ import annotations

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.workspaces import invitations
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationRead
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui import (
    alert,
    button,
    definition_list,
    empty,
    link_button,
    loading,
    moment,
    page,
    row,
    section,
    stack,
)

_OPENED = "/dashboard/train"
"""What shows a workspace after someone has joined it."""


@screen("/workspaces/join/{secret}", "Join a workspace", help="/help/workspaces")
def join_screen() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    secret = connection.location.params["secret"]

    async def read(session: AsyncSession) -> tuple[InvitationRead, bool]:
        described = await invitations.describe_link(session, actor, secret)
        joined = await workspaces.list_workspaces(session, actor)
        return described, any(each.id == described.workspace_id for each in joined)

    found = use_query(read, key=[actor.id, secret])

    async def join(session: AsyncSession) -> None:
        workspace_id = await invitations.accept_link(session, actor, secret, client=connection.client)
        await workspaces.use_workspace(session, actor, workspace_id)

    async def decline(session: AsyncSession) -> None:
        if found.value is not None:
            await invitations.decline(session, actor, found.value[0].id, client=connection.client)

    joining = use_action(join, then=lambda: connection.navigate(_OPENED, reload=True))
    declining = use_action(decline, success=t("The invitation was declined."), then=lambda: connection.navigate("/"))
    title = t("Join a workspace")
    if found.error:
        return page(title, empty(found.error, link_button(t("Go to home"), connection.href("/")), icon_name="people"))
    if found.value is None:
        return page(title, loading(t("Loading the invitation")))
    invitation, is_member = found.value
    failure = joining.error or declining.error
    if is_member:
        return page(
            title,
            alert(failure) if failure else None,
            section(
                invitation.workspace,
                html.p(t("You are already a member of this workspace.")),
                row(button(t("Open workspace"), variant="contained", on_click=joining, is_busy=joining.is_running)),
            ),
        )
    return page(
        title,
        alert(failure) if failure else None,
        section(
            invitation.workspace,
            definition_list(
                {
                    t("Invited by"): invitation.invited_by or t("Deleted account"),
                    t("Your role"): invitation.role.label,
                    t("Expires"): moment(invitation.expires_at, shown="date"),
                }
            ),
            html.p(
                {"className": "fw-muted"},
                t("You will see the documents, categories, and drafts of this workspace. Your personal workspace stays private."),
            ),
            row(
                button(t("Join workspace"), variant="contained", on_click=joining, is_busy=joining.is_running),
                button(t("Decline"), on_click=declining) if invitation.email is not None else None,
            ),
        ),
    )


@component
def own_invitations() -> VdomDict | None:
    """The pending invitations of the person's own address, or nothing."""
    actor = use_actor()
    found = use_query(
        lambda session: invitations.list_own(session, actor), key=[actor.id], topics=[workspaces.workspaces_topic(actor.id)]
    )
    return stack(*(_own(each, key=str(each.id)) for each in found.value)) if found.value else None


@component
def _own(invitation: InvitationRead) -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def join(session: AsyncSession) -> None:
        workspace_id = await invitations.accept(session, actor, invitation.id, client=connection.client)
        await workspaces.use_workspace(session, actor, workspace_id)

    async def decline(session: AsyncSession) -> None:
        await invitations.decline(session, actor, invitation.id, client=connection.client)

    joining = use_action(join, then=lambda: connection.navigate(_OPENED, reload=True))
    declining = use_action(decline, success=t("The invitation was declined."))
    name = invitation.workspace
    return alert(
        t("{name} invited you. Your role: {role}", name=invitation.invited_by, role=invitation.role.label)
        if invitation.invited_by
        else t("Your role: {role}", role=invitation.role.label),
        row(
            button(t("Join"), size="small", on_click=joining, aria_label=t("Join “{name}”", name=name)),
            button(t("Decline"), size="small", variant="text", on_click=declining, aria_label=t("Decline “{name}”", name=name)),
        ),
        variant="info",
        title=t("Invitation to the workspace “{name}”", name=name),
    )

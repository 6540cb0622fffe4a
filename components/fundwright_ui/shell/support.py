"""The banner about support access, above every screen of a workspace while it lasts."""

from __future__ import annotations

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.core.messages import t
from fundwright.workspaces import service as workspaces
from fundwright.workspaces import support
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.ui.buttons import button
from fundwright_ui.ui.moments import moment

_OWN = "/dashboard"


@component
def support_banner() -> VdomDict | None:
    """Until when administrators may view the workspace; owners can end it."""
    actor, connection = use_actor(), use_connection()
    found = use_query(
        lambda session: support.get_support(session, actor),
        key=[actor.workspace_id],
        topics=[workspaces.workspace_topic(actor.workspace_id)],
    )

    async def end(session: AsyncSession) -> None:
        await support.end(session, actor, client=connection.client)

    ending = use_action(end, success=t("Support access has ended."))
    until = found.value.until if found.value else None
    if until is None:
        return None
    sentence = (
        t("You have support access until {when}. You can only view this workspace.", when="`")
        if actor.is_support
        else t("Support access until {when}. Administrators can view this workspace.", when="`")
    )
    before, _, after = sentence.partition("`")
    return html.section(
        {"className": "fw-alert fw-alert-info fw-support", "aria-label": t("Support access")},
        html.div(
            {"className": "fw-alert-body"},
            html.p(before, moment(until), after),
            button(t("Leave"), on_click=lambda: connection.navigate(_OWN, reload=True))
            if actor.is_support
            else button(t("End support access"), on_click=ending)
            if actor.workspace_role is WorkspaceRole.OWNER
            else None,
        ),
    )

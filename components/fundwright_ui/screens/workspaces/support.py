"""The panel in which owners let administrators view the workspace for a time."""

from __future__ import annotations

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import t
from fundwright.workspaces import support
from fundwright.workspaces.schemas import SupportDuration, SupportForm
from fundwright_ui.hooks import use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.ui import Option, button, form, select_field, side_panel

OPEN = "support"


@component
def support_panel() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    def close() -> None:
        url.set(open=None)

    async def grant(session: AsyncSession, chosen: SupportForm) -> None:
        await support.grant(session, actor, connection.core, chosen, client=connection.client)

    granting = use_action(grant, success=t("Administrators can view this workspace now."), then=close)
    title = t("Allow support access")
    return side_panel(
        title,
        html.p(
            t(
                "Administrators who are not members of this workspace can view everything in it, except restricted items. They cannot change anything. Everyone in the workspace sees a banner, and you can end it at any time."
            )
        ),
        form(
            select_field(
                "duration",
                t("Duration"),
                [Option(each, each.label) for each in SupportDuration],
                default=SupportDuration.WORKDAY,
                help=t("This replaces the time of an earlier support access."),
                id="support-duration",
            ),
            on_submit=granting,
            model=SupportForm,
            submit=title,
            label=title,
            actions=[button(t("Cancel"), on_click=close)],
        ),
        close=t("Close"),
        on_close=close,
        key=OPEN,
    )

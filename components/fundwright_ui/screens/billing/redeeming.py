"""`/auth/register/premium/{token}` for people who are signed in: redeem a premium link for a workspace that they own.

Visitors register at the same address.
"""

from __future__ import annotations

from uuid import uuid4

from babel.dates import format_date
from pydantic import BaseModel
from reactpy import use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.billing import events
from fundwright.billing import service as billing
from fundwright.billing.schemas import PremiumPreview, Redemption, last_day
from fundwright.core.messages import current_language, nt, t
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import WorkspaceRead
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.ui import (
    Option,
    alert,
    button,
    card,
    definition_list,
    empty,
    link_button,
    loading,
    page,
    problem,
    row,
    select_field,
    stack,
)


class _Offered(BaseModel):
    owned: list[WorkspaceRead]
    chosen: WorkspaceRead
    preview: PremiumPreview


@screen(f"{billing.LINKS}/{{token}}", "Redeem a premium link", help="/help/billing")
def redeem_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(workspace=("{id}",))
    token, wanted = connection.location.params["token"], url.get("workspace") or str(actor.workspace_id)
    sending, _ = use_state(lambda: uuid4().hex)

    async def read(session: AsyncSession) -> _Offered:
        listed = await workspaces.list_workspaces(session, actor)
        owned = [each for each in listed if each.role is WorkspaceRole.OWNER]
        chosen = next((each for each in owned if str(each.id) == wanted), owned[0])
        acting = await workspaces.actor_in(session, actor, chosen.id)
        return _Offered(owned=owned, chosen=chosen, preview=await billing.preview_premium_link(session, acting, token))

    async def redeem(session: AsyncSession) -> None:
        if found.value is not None:
            acting = await workspaces.actor_in(session, actor, found.value.chosen.id)
            redemption = Redemption(link=token, replaces_plan=bool(found.value.preview.loss), key=sending)
            await billing.redeem_premium_link(session, acting, redemption, client=connection.client)
            await workspaces.use_workspace(session, actor, acting.workspace_id)

    def choose(workspace: str) -> None:
        url.set(workspace=workspace)

    found = use_query(read, key=[actor.id, token, wanted], topics=[billing.TOPIC, workspaces.workspaces_topic(actor.id)])
    redeeming = use_action(redeem, then=lambda: connection.navigate(events.PATH, reload=True))
    title = t("Redeem a premium link")
    if found.error:
        return page(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(title, loading(t("Checking the link…")))
    owned, preview = found.value.owned, found.value.preview
    if not preview.plan_name:
        return page(title, empty(preview.sentence, link_button(t("Go to home"), connection.href("/")), icon_name="link"))
    return page(
        title,
        card(
            stack(
                definition_list(
                    {
                        t("Plan"): preview.plan_name,
                        t("Duration"): nt("{n} day", "{n} days", preview.days),
                        t("Ends on"): format_date(last_day(preview.until), locale=current_language()),
                    }
                ),
                select_field(
                    "workspace",
                    t("Workspace"),
                    [Option(str(each.id), each.title) for each in owned],
                    value=str(found.value.chosen.id),
                    on_change=choose,
                    help=t("One of the workspaces that you own. All its members share the plan."),
                ),
                alert(preview.sentence, variant="info") if preview.sentence else None,
                alert(preview.loss, variant="warning") if preview.loss and not preview.sentence else None,
                alert(redeeming.error) if redeeming.error else None,
                row(
                    button(
                        t("Replace the plan") if preview.loss else t("Redeem"),
                        variant="contained",
                        on_click=redeeming,
                        is_busy=redeeming.is_running,
                    )
                    if not preview.sentence
                    else None,
                    link_button(t("Cancel"), connection.href(events.PATH)),
                ),
            ),
            label=title,
        ),
    )

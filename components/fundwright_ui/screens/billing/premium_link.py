"""`/dashboard/freepremium/{id}`: one premium link and the workspaces that redeemed it."""

from __future__ import annotations

from babel.dates import format_date
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.billing import service as billing
from fundwright.billing.schemas import LinkState, PremiumLinkRead, PremiumLinkUseQuery, PremiumLinkUseRead
from fundwright.core.messages import current_language, nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.billing.premium_links import PATH, link_chip
from fundwright_ui.screens.listing import export_button, pages
from fundwright_ui.ui import button, card, chip, definition_list, empty, link_button, loading, moment, page, problem, section
from fundwright_ui.widgets import danger_dialog


@screen(f"{PATH}/{{id}}", "Premium Link", roles=roles_with(Permission.ADMINISTER), help="/help/billing")
def premium_link_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    address, request = connection.location.params["id"], query_in_address(PremiumLinkUseQuery, url)

    async def read(session: AsyncSession) -> tuple[PremiumLinkRead, Page[PremiumLinkUseRead]]:
        link = await billing.get_premium_link(session, actor, parse_id(address, t("The premium link")))
        return link, await billing.list_premium_link_uses(session, actor, link.id, request)

    found = use_query(read, key=[address, request], topics=[billing.TOPIC])
    back = link_button(t("All premium links"), connection.href_back(PATH), icon_name="arrow_back")
    if found.error:
        return page(t("Premium Link"), problem(found.error, on_retry=found.reload), actions=[back])
    if found.value is None:
        return page(t("Premium Link"), loading(t("Loading premium link")), actions=[back])
    link, uses = found.value
    state = link_chip(link.state)
    return page(
        t("Premium Link"),
        card(
            definition_list(
                {
                    t("Workspace"): link.workspace_title,
                    t("Plan"): link.plan_name,
                    t("Duration"): nt("{n} day", "{n} days", link.days),
                    t("Used"): t("{used} of {uses}", used=link.used, uses=link.uses),
                    t("Valid through"): format_date(link.expires_on, locale=current_language()),
                    t("Status"): chip(state.label, color=state.color),
                    t("Note"): link.note,
                    t("Created"): moment(link.created_at),
                    t("Created by"): link.created_by,
                }
            ),
            label=t("Premium Link"),
        ),
        _revoking(link, key="revoking") if link.state is LinkState.ACTIVE else None,
        section(
            t("Used by"),
            html.ul(
                {"className": "fw-list"},
                *(
                    html.li(
                        {"key": str(use.id)},
                        html.div(html.div(use.workspace_name), html.div({"className": "fw-muted fw-small"}, use.email)),
                        moment(use.at),
                    )
                    for use in uses.items
                ),
            )
            if uses.items
            else empty(t("No workspace has redeemed this link yet."), icon_name="link"),
            pages(url, uses),
            actions=[export_button(connection, f"/api/billing/premium-links/{link.id}/uses/export.csv", uses.total)],
        ),
        actions=[back],
    )


@component
def _revoking(link: PremiumLinkRead) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    is_asking, set_asking = use_state(False)

    async def revoke(session: AsyncSession) -> None:
        await billing.revoke_premium_link(session, actor, link.id, client=connection.client)

    revoking = use_action(revoke, success=t("The premium link was revoked."))
    return html.div(
        button(t("Revoke"), danger=True, on_click=lambda: set_asking(True)),
        danger_dialog(
            t("Revoke this link?"),
            t("No one will be able to redeem it or register with it. Workspaces that have redeemed it keep the plan."),
            is_open=is_asking,
            confirm_label=t("Revoke"),
            error=revoking.error,
            on_confirm=revoking,
            on_cancel=lambda: set_asking(False),
        ),
    )

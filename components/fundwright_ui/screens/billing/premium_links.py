"""`/dashboard/freepremium`: links that give a workspace a plan."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import cast
from uuid import uuid4

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.billing import service as billing
from fundwright.billing.schemas import (
    LinkState,
    PlanCode,
    PlanRead,
    PremiumLinkCreate,
    PremiumLinkCreated,
    PremiumLinkQuery,
    PremiumLinkRead,
)
from fundwright.core.database import now
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import choices, existing_page, has_filters, listed_table, narrow, open_below, use_listing
from fundwright_ui.ui import Color, Option, alert, button, empty, form, page, select_field, sending_field, side_panel, text_field
from fundwright_ui.ui.elements import Child
from fundwright_ui.widgets import Chip, Column, LinkCell, Row, copy_button

PATH = "/dashboard/freepremium"

_COLORS: dict[LinkState, Color] = {
    LinkState.ACTIVE: "success",
    LinkState.EXPIRED: "warning",
    LinkState.USED_UP: "info",
    LinkState.REVOKED: "error",
}
_DEFAULT_DAYS = "30"
_DEFAULT_VALIDITY = timedelta(days=30)


def link_chip(state: LinkState) -> Chip:
    return Chip(label=state.label, color=_COLORS[state])


@screen(PATH, "Premium Link", roles=roles_with(Permission.ADMINISTER), help="/help/billing")
def premium_links_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(open=("new",))
    query = query_in_address(PremiumLinkQuery, url)
    is_adding = url.get("open") == "new"
    made, set_made = use_state(cast("PremiumLinkCreated | None", None))

    async def read(session: AsyncSession) -> tuple[Page[PremiumLinkRead], list[PlanRead]]:
        listed = await existing_page(lambda query: billing.list_premium_links(session, actor, query), query)
        return listed, await billing.list_plans(session)

    def show(link: PremiumLinkCreated) -> None:
        set_made(link)
        url.set(open=None)
        listing.load()

    listing = use_listing(read, query, lambda answer: answer[0], id=lambda link: link.id, topics=[billing.TOPIC])

    def shown(*children: Child) -> VdomDict:
        new = button(
            t("New link"), icon_name="add", variant="contained", on_click=lambda: url.set(open="new"), disabled=is_adding
        )
        return page(
            t("Premium Link"),
            *children,
            subtitle=t(
                "A workspace that redeems a premium link, or the personal workspace of someone who registers with it, gets its plan for the given time."
            ),
            actions=[new],
        )

    if listing.answer is None:
        return shown(listing.pending(t("Loading premium links")))
    listed, plans = listing.answer
    address = _shown_once(connection.href(made.path)) if made else None
    new_link = _new_link(plans, show, lambda: url.set(open=None), key="new") if is_adding else None
    if not listed.total and not has_filters(query):
        return shown(address, empty(t("No premium links yet."), icon_name="link"), new_link)
    return shown(
        address,
        *listed_table(
            listing,
            listed,
            label=t("Premium links"),
            count=nt("{n} link", "{n} links", listed.total),
            columns=[
                Column(field="plan", label=t("Plan"), kind="link", is_sortable=True),
                Column(field="workspace", label=t("Workspace"), is_sortable=True, is_compact=False, flex=2, min_width=140),
                Column(field="days", label=t("Duration"), kind="number", is_sortable=True),
                Column(field="used", label=t("Used"), kind="number", is_sortable=True),
                Column(field="expires_on", label=t("Expires"), kind="date", is_sortable=True, is_compact=False),
                Column(field="state", label=t("Status"), kind="chips", is_sortable=True),
                Column(field="note", label=t("Note"), is_compact=False, flex=2),
                Column(field="created_at", label=t("Created"), kind="date", is_sortable=True, is_compact=False),
            ],
            row_of=lambda each: _row(each.item, connection.href(f"{PATH}/{each.id}")),
            export="/api/billing/premium-links/export.csv",
            narrow=html.div(
                {"className": "fw-filters", "role": "group", "aria-label": t("Filters")},
                select_field(
                    "state", t("Status"), choices(LinkState, t("Any")), value=query.state or "", on_change=narrow(url, "state")
                ),
            ),
            nothing=t("No premium links match. Change the filters."),
            on_open=open_below(connection, PATH),
        ),
        new_link,
    )


def _shown_once(path: str) -> VdomDict:
    return alert(
        t("Copy the link now and send it to the recipient. You won't be able to see it again."),
        html.code(path),
        copy_button(path, t("Copy link"), is_small=True, is_path=True, key="copy"),
        variant="success",
        title=t("The premium link is ready"),
    )


@component
def _new_link(plans: list[PlanRead], show: Callable[[PremiumLinkCreated], None], close: Callable[[], None]) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    sending, _ = use_state(lambda: uuid4().hex)

    async def make(session: AsyncSession, wanted: PremiumLinkCreate) -> PremiumLinkCreated:
        return await billing.create_premium_link(session, actor, wanted, client=connection.client)

    making = use_action(make, then=show)
    return side_panel(
        t("New link"),
        form(
            sending_field(sending),
            select_field("plan", t("Plan"), [Option(each.code, each.name) for each in plans if each.code != PlanCode.FREE]),
            text_field("days", t("Duration in days"), type="number", default=_DEFAULT_DAYS, min="1", required=True),
            text_field("uses", t("Maximum uses"), type="number", default="1", min="1", required=True),
            text_field(
                "expires_on",
                t("Valid through"),
                type="date",
                default=(now().date() + _DEFAULT_VALIDITY).isoformat(),
                required=True,
            ),
            text_field(
                "note", t("Note"), maxlength=500, help=t("Who or what the link is for. Only administrators see this note.")
            ),
            on_submit=making,
            model=PremiumLinkCreate,
            submit=t("Create link"),
            label=t("New link"),
            actions=[button(t("Cancel"), on_click=close)],
        ),
        close=t("Close"),
        on_close=close,
        key="new",
    )


def _row(link: PremiumLinkRead, href: str) -> Row:
    return Row(
        id=str(link.id),
        cells={
            "plan": LinkCell(label=link.plan_name, href=href),
            "workspace": link.workspace_title,
            "days": nt("{n} day", "{n} days", link.days),
            "used": t("{used} of {uses}", used=link.used, uses=link.uses),
            "expires_on": link.expires_on,
            "state": (link_chip(link.state),),
            "note": link.note,
            "created_at": link.created_at,
        },
    )

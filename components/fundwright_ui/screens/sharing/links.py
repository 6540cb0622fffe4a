"""`/dashboard/share-links`: the share links of the workspace."""

from __future__ import annotations

from functools import partial

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission, WorkspaceRole
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.sharing import service as sharing
from fundwright.sharing.schemas import ShareKind, ShareQuery, ShareRead, ShareState
from fundwright_ui.hooks import query_in_address, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import (
    choices,
    existing_page,
    has_filters,
    listed_table,
    narrow,
    open_beside,
    search_box,
    use_listing,
)
from fundwright_ui.screens.sharing.panel import COLORS, PATH, is_revocable, revoke_button
from fundwright_ui.screens.view_only import view_only_notice
from fundwright_ui.ui import chip, definition_list, empty, link_button, moment, page, row, select_field, side_panel
from fundwright_ui.widgets import Chip, Column, Row


@screen(PATH, "Share links", help="/help/sharing")
def share_links_screen() -> VdomDict:
    actor = use_actor()
    title = t("Share links")
    if not actor.may(Permission.WORK):
        return page(title, view_only_notice())
    is_owner = actor.workspace_role is WorkspaceRole.OWNER
    subtitle = (
        t("Links of this workspace, with which people without an account can view a draft or a list.")
        if is_owner
        else t("Links that you created in this workspace.")
    )
    return page(title, _links(key="links"), subtitle=subtitle)


@component
def _links() -> VdomDict:
    actor, url = use_actor(), use_url_state(open=("{id}",))
    query = query_in_address(ShareQuery, url)

    async def read(session: AsyncSession) -> Page[ShareRead]:
        return await existing_page(partial(sharing.list_shares, session, actor), query)

    listing = use_listing(
        read, query, lambda listed: listed, id=lambda link: link.id, topics=[sharing.shares_topic(actor.workspace_id)]
    )
    listed = listing.answer
    if listed is None:
        return listing.pending(t("Loading share links"))
    if not listed.total and not listing.rows.shown and not has_filters(query):
        return empty(
            t("No share links yet. Open a draft or a list of opportunities, and choose Share."),
            link_button(t("Drafts"), use_connection().href("/generate/index"), size="small"),
            icon_name="link",
        )
    opened = listing.opened(url)
    return html.fragment(
        *listed_table(
            listing,
            listed,
            label=t("Share links"),
            count=nt("{n} share link", "{n} share links", listed.total),
            columns=[
                Column(field="title", label=t("Title"), is_sortable=True, flex=4, min_width=180),
                Column(field="recipient", label=t("For"), is_sortable=True, flex=3, min_width=140),
                Column(field="state", label=t("Status"), kind="chips", min_width=110),
                Column(field="opens", label=t("Opens"), is_sortable=True, min_width=80),
                Column(
                    field="last_opened_at", label=t("Last opened"), kind="date", is_sortable=True, is_compact=False, min_width=130
                ),
                Column(field="expires_at", label=t("Expires"), kind="date", is_sortable=True, min_width=130),
            ],
            row_of=lambda each: Row(
                id=each.id,
                cells={
                    "title": each.item.title,
                    "recipient": each.item.recipient,
                    "state": (Chip(label=each.item.state.label, color=COLORS[each.item.state]),),
                    "opens": str(each.item.opens),
                    "last_opened_at": each.item.last_opened_at,
                    "expires_at": each.item.expires_at,
                },
            ),
            export="/api/shares/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search share links"),
                select_field(
                    "kind", t("Kind"), choices(ShareKind, t("Any")), value=url.get("kind"), on_change=narrow(url, "kind")
                ),
                select_field(
                    "state", t("Status"), choices(ShareState, t("Any")), value=url.get("state"), on_change=narrow(url, "state")
                ),
            ),
            nothing=t("No share links match. Change the filters."),
            on_open=open_beside(url),
        ),
        _details(opened, key=str(opened.id)) if opened else None,
    )


@component
def _details(link: ShareRead) -> VdomDict:
    url = use_url_state()

    def close() -> None:
        url.set(open=None)

    return side_panel(
        link.title,
        definition_list(
            {
                t("For"): link.recipient,
                t("Status"): chip(link.state.label, color=COLORS[link.state]),
                t("Kind"): link.kind.label,
                t("Password"): t("yes") if link.has_password else t("no"),
                t("Watermark"): t("yes") if link.has_watermark else t("no"),
                t("Titles of documents"): (t("shown") if link.shows_titles else t("withheld")) if link.draft_id else None,
                t("Comments"): t("allowed") if link.allows_comments else t("not allowed"),
                t("Opens"): str(link.opens),
                t("Last opened"): moment(link.last_opened_at) if link.last_opened_at else None,
                t("Wrong passwords"): str(link.wrong_passwords) if link.has_password else None,
                t("Created by"): link.created_by or t("Former member"),
                t("Created"): moment(link.created_at),
                t("Expires"): moment(link.expires_at),
            }
        ),
        html.p({"className": "fw-muted"}, _why_paused()) if link.state is ShareState.PAUSED else None,
        row(revoke_button(link)) if is_revocable(link) else None,
        close=t("Close"),
        on_close=close,
        key=f"share-{link.id}",
    )


def _why_paused() -> str:
    return t(
        "The draft is in the trash, or the person who created the link may no longer edit in this workspace. The link works again when this changes."
    )

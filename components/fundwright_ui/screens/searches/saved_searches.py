"""`/dashboard/saved-searches`: the saved searches of the workspace."""

from __future__ import annotations

from functools import partial

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import kind_label
from fundwright.searches import service as searches
from fundwright.searches.schemas import SavedSearchQuery, SavedSearchRead
from fundwright.workspaces import restrictions
from fundwright_ui.hooks import Rows, query_in_address, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.filters import choice_filter, kind_filter
from fundwright_ui.screens.listing import (
    existing_page,
    has_filters,
    listed_table,
    open_beside,
    search_box,
    use_listing,
)
from fundwright_ui.screens.notice_address import PATHS
from fundwright_ui.screens.restoring import trash_link
from fundwright_ui.screens.searches.actions import follow_button, more_actions
from fundwright_ui.screens.searches.menu import PATH, new_text
from fundwright_ui.screens.workspaces.restricting import restriction_filter
from fundwright_ui.ui import definition_list, empty, link_button, moment, page, row, side_panel
from fundwright_ui.widgets import Chip, Column, LinkCell, Row


@screen(PATH, "Saved searches", help="/help/saved-searches")
def saved_searches_screen() -> VdomDict:
    return page(
        t("Saved searches"),
        _searches(key="searches"),
        subtitle=t("Words, filters, and order of lists of opportunities."),
        actions=[trash_link(searches.SEARCH)],
    )


@component
def _searches() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(open=("{id}",))
    query = query_in_address(SavedSearchQuery, url)

    async def read(session: AsyncSession) -> tuple[Page[SavedSearchRead], frozenset[str]]:
        hidden = frozenset(map(str, await restrictions.hidden_ids(session, actor)))
        return await existing_page(partial(searches.list_searches, session, actor), query), hidden

    listing = use_listing(
        read,
        query,
        lambda answer: answer[0],
        id=lambda search: search.id,
        topics=[*searches.topics_of(actor.workspace_id, actor.id), opportunities.TOPIC],
    )
    if listing.answer is None:
        return listing.pending(t("Loading saved searches"))
    listed, hidden = listing.answer
    listing.rows.omit(hidden)
    if not listed.total and not listing.rows.shown and not has_filters(query):
        return empty(
            t("No saved searches yet. Search or filter the opportunities, and choose Save search."),
            link_button(t("Opportunities"), connection.href(PATHS["grant"]), size="small"),
            icon_name="search",
        )
    is_shared = actor.is_in_shared_workspace
    opened = listing.opened(url)
    return html.fragment(
        *listed_table(
            listing,
            listed,
            label=t("Saved searches"),
            count=nt("{n} saved search", "{n} saved searches", listed.total),
            columns=[
                Column(field="name", label=t("Name"), kind="link", is_sortable=True, flex=4, min_width=200),
                Column(field="new", label=t("New"), kind="chips", min_width=110),
                Column(field="kind", label=t("Kind"), is_sortable=True, min_width=110),
                Column(field="saved_by", label=t("Saved by"), flex=2, min_width=130, is_compact=False, is_shown=is_shared),
                Column(field="created_at", label=t("Saved"), kind="date", is_sortable=True, min_width=130, is_compact=False),
                Column(field="state", label=t("Status"), kind="chips", min_width=130),
            ],
            row_of=lambda each: Row(
                id=each.id,
                cells={
                    "name": LinkCell(label=each.item.name, href=connection.href(each.item.path)),
                    "new": (Chip(label=new_text(each.item.new), color="info"),) if each.item.new and not each.outcome else (),
                    "kind": kind_label(each.item.kind),
                    "saved_by": each.item.saved_by or t("Deleted account"),
                    "created_at": each.item.created_at,
                    "state": _states(each.item, each.outcome),
                },
            ),
            export="/api/saved-searches/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search saved searches"),
                html.div(
                    {"className": "fw-filters-line"},
                    kind_filter(url, query),
                    choice_filter(url, query, "is_followed", t("Followed"), {"true": t("Yes"), "false": t("No")}),
                    choice_filter(url, query, "is_own", t("Saved by"), {"true": t("Me"), "false": t("Others")})
                    if is_shared
                    else None,
                ),
                restriction_filter(id="searches-restricted") if is_shared else None,
            ),
            nothing=t("No saved searches match. Change the filters."),
            on_open=open_beside(url),
        ),
        _details(opened, listing.rows, key=str(opened.id)) if opened else None,
    )


def _states(search: SavedSearchRead, outcome: str) -> tuple[Chip, ...]:
    if outcome:
        return (Chip(label=outcome),)
    chips = [Chip(label=t("Followed"), color="success")] if search.is_followed else []
    if search.access:
        chips.append(Chip(label=t("Restricted"), color="warning"))
    return tuple(chips)


@component
def _details(search: SavedSearchRead, rows: Rows[SavedSearchRead]) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    def close() -> None:
        url.set(open=None)

    def settle() -> None:
        rows.settle(search, t("Moved to trash"))
        close()

    return side_panel(
        search.name,
        definition_list(
            {
                t("Kind"): kind_label(search.kind),
                t("Search"): search.query.text or None,
                t("New"): new_text(search.new) if search.new else t("No new matches"),
                t("Saved by"): (search.saved_by or t("Deleted account")) if actor.is_in_shared_workspace else None,
                t("Saved"): moment(search.created_at),
                t("Changed"): moment(search.changed_at) if search.changed_at != search.created_at else None,
            }
        ),
        row(
            link_button(t("Open search"), connection.href(search.path), variant="contained", size="small"),
            follow_button(search),
            more_actions(search, then=settle, restored=lambda: rows.reopen(str(search.id)), key="more"),
        ),
        close=t("Close"),
        on_close=close,
        key=f"search-{search.id}",
    )

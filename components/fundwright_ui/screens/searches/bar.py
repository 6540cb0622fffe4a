"""The line above the list of opportunities that says which saved search is open."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from reactpy import component, html, use_ref
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import nt, t
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.searches import service as searches
from fundwright.searches.schemas import MOST_NEW, SavedSearchRead, SearchedQuery
from fundwright_ui.hooks import UrlState, use_action, use_query, use_url_state
from fundwright_ui.product import id_in, use_actor, use_connection
from fundwright_ui.screens.searches.actions import follow_button, more_actions
from fundwright_ui.screens.workspaces.restricting import restricted_mark
from fundwright_ui.ui import alert, button, chip, facts, link_button, moment, row, text_link


def saved_search_bar(query: OpportunityQuery) -> Component | VdomDict | None:
    """The open saved search, if the address names one, and whether only new notices are listed."""
    url = use_url_state()
    search_id = id_in(url.get("saved"))
    if search_id is not None:
        return _bar(search_id, query, key=f"saved-{search_id}")
    return _only_new(url, query.added_after) if query.added_after else None


@component
def _bar(search_id: UUID, query: OpportunityQuery) -> VdomDict | None:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    before: SavedSearchRead | None = None
    opened = use_ref(before)

    async def read() -> SavedSearchRead:
        database = connection.core.database
        async with connection.reading() as session:
            search = await searches.get_search(session, actor, search_id)
        if opened.current is None and connection.is_live:
            opened.current = search
            async with database.transaction() as session:
                await searches.note_opened(session, actor, search_id)
        return search

    found = use_query(read, key=[search_id], topics=searches.topics_of(actor.workspace_id, actor.id), with_session=False)

    async def update(session: AsyncSession) -> None:
        await searches.change_query(session, actor, search_id, SearchedQuery.of(query))

    updating = use_action(update, success=t("The saved search was updated."))
    if found.error:
        return alert(
            t("This saved search was deleted, or only other members can see it. The list still has its filters."),
            row(link_button(t("Close"), url.href(saved=None), size="small")),
            variant="info",
        )
    search = found.value
    if search is None:
        return None
    is_changed = SearchedQuery.of(query) != search.query
    may_change = actor.may(Permission.WORK) and search.is_changeable
    new = (opened.current or search).new
    return html.section(
        {"className": "fw-saved-search", "aria-label": t("Saved search")},
        html.div(
            {"className": "fw-grow"},
            row(
                html.span({"className": "fw-strong", "dir": "auto"}, search.name),
                restricted_mark() if search.access else None,
                chip(t("Changed"), color="warning") if is_changed else None,
            ),
            facts(
                t("Saved by {name}", name=search.saved_by or t("Deleted account")) if actor.is_in_shared_workspace else None,
                _new_facts(url, opened.current or search, new) if not query.added_after else None,
            ),
            _only_new(url, query.added_after) if query.added_after else None,
        ),
        row(
            button(t("Update search"), size="small", on_click=updating, is_busy=updating.is_running)
            if is_changed and may_change
            else None,
            link_button(t("Discard changes"), connection.href(search.path), size="small", variant="text") if is_changed else None,
            follow_button(search),
            more_actions(search, then=lambda: url.set(saved=None), key="more"),
        ),
    )


def _new_facts(url: UrlState, search: SavedSearchRead, new: int) -> VdomDict | str:
    """What is new since the person opened the search the last time."""
    if not new:
        return t("No new matches")
    label = (
        t("More than {n} new since you last opened it", n=MOST_NEW)
        if new > MOST_NEW
        else nt("{n} new since you last opened it", "{n} new since you last opened it", new)
    )
    return text_link(label, url.href(added_after=search.seen_until.isoformat(), page=None))


def _only_new(url: UrlState, after: datetime) -> VdomDict:
    return row(
        html.span({"className": "fw-small"}, t("Only notices imported after"), " ", moment(after)),
        text_link(t("Show all matches"), url.href(added_after=None, page=None)),
        key="only-new",
    )

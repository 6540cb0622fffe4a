"""Saved searches at the list of opportunities: the menu that opens them, and the dialog that saves one."""

from __future__ import annotations

from uuid import uuid4

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright.opportunities import service as opportunities
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.searches import service as searches
from fundwright.searches.schemas import (
    MOST_CHARACTERS,
    MOST_NEW,
    NewSavedSearch,
    SavedSearchForm,
    SavedSearchQuery,
    SavedSearchRead,
    SearchedQuery,
)
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.workspaces.restricting import restricted_mark
from fundwright_ui.ui import button, chip, link_button, menu, problem, sending_field, text_field
from fundwright_ui.ui.elements import attributes
from fundwright_ui.widgets import form_dialog

PATH = "/dashboard/saved-searches"
SAVE = "save-search"
"""The value of `open` in the address for the dialog that saves the search."""
_MENU = "saved-searches"
_LISTED = 10


def new_text(number: int) -> str:
    """How many matches are new."""
    return t("{n}+ new", n=MOST_NEW) if number > MOST_NEW else t("{n} new", n=number)


@component
def saved_searches_menu(query: OpportunityQuery) -> VdomDict:
    """The first saved searches of the workspace, with the numbers of their new matches, and the dialog that saves the search of the list."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    wanted = SavedSearchQuery(page_size=_LISTED)

    async def read(session: AsyncSession) -> Page[SavedSearchRead] | None:
        # The menu is closed at first: first paint does not wait for its numbers.
        return await searches.list_searches(session, actor, wanted) if connection.is_live else None

    found = use_query(read, key=[wanted], topics=[*searches.topics_of(actor.workspace_id, actor.id), opportunities.TOPIC])
    listed = found.value.items if found.value else []
    may_save = actor.may(Permission.WORK)

    def open_dialog() -> None:
        url.set(open=SAVE)

    return html.div(
        {"className": "fw-saved-searches"},
        menu(
            t("Saved searches"),
            button(t("Save search"), variant="text", icon_name="add", closes=_MENU, on_click=open_dialog) if may_save else None,
            problem(found.error, on_retry=found.reload) if found.error else None,
            *(_entry(each, is_current=url.get("saved") == str(each.id)) for each in listed),
            link_button(t("All saved searches"), connection.href(PATH), variant="text"),
            id=_MENU,
            icon_name="bookmark",
        ),
        _save_dialog(query, key="save") if may_save else None,
    )


def _entry(search: SavedSearchRead, *, is_current: bool) -> VdomDict:
    return html.a(
        attributes(
            className="fw-button",
            href=use_connection().href(search.path),
            aria_current="true" if is_current else None,
            key=str(search.id),
        ),
        html.span({"className": "fw-search-name"}, html.bdi(search.name)),
        restricted_mark() if search.access else None,
        chip(new_text(search.new), color="info") if search.new else None,
    )


@component
def _save_dialog(query: OpportunityQuery) -> VdomDict:
    """Asks for a name."""
    actor, url = use_actor(), use_url_state()
    sending, set_sending = use_state(lambda: uuid4().hex)

    async def save(session: AsyncSession, given: NewSavedSearch) -> SavedSearchRead:
        return await searches.save(session, actor, SavedSearchForm(**given.model_dump(), query=SearchedQuery.of(query)))

    def close() -> None:
        url.set(open=None)

    def show(saved: SavedSearchRead) -> None:
        set_sending(uuid4().hex)
        url.set(open=None, saved=saved.id, added_after=None)

    saving = use_action(save, success=t("The search was saved. You will be notified of new matches."), then=show)
    return form_dialog(
        t("Save search"),
        sending_field(sending),
        text_field(
            "name",
            t("Name"),
            default=query.text[:MOST_CHARACTERS],
            required=True,
            maxlength=MOST_CHARACTERS,
            help=t("Everyone in the workspace can open it.") if actor.is_in_shared_workspace else None,
            autofocus=True,
            id="search-name",
        ),
        is_open=url.get("open") == SAVE,
        on_submit=saving,
        on_close=close,
        model=NewSavedSearch,
    )

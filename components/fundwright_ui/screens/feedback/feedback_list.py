"""`/dashboard/feedback`: all feedback and its state."""

from __future__ import annotations

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.content import service as content
from fundwright.content.schemas import FeedbackChange, FeedbackKind, FeedbackQuery, FeedbackRead, FeedbackState
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import Rows, query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import safe_next, screen
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
from fundwright_ui.ui import (
    Color,
    Option,
    definition_list,
    empty,
    form,
    link_button,
    moment,
    page,
    select_field,
    side_panel,
    text_area,
    text_link,
)
from fundwright_ui.widgets import Chip, Column, Row

FEEDBACK_LIST = "/dashboard/feedback"
_STATE_COLORS: dict[FeedbackState, Color] = {
    FeedbackState.NEW: "info",
    FeedbackState.OPEN: "warning",
    FeedbackState.CLOSED: "success",
}
_BEGINNING = 140


@screen(FEEDBACK_LIST, "Feedback", roles=roles_with(Permission.ADMINISTER), help="/help/blog")
def feedback_list_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(open=("{id}",))
    query = query_in_address(FeedbackQuery, url)

    async def read(session: AsyncSession) -> Page[FeedbackRead]:
        return await existing_page(lambda asked: content.list_feedback(session, actor, asked), query)

    listing = use_listing(read, query, lambda listed: listed, id=lambda entry: entry.id, topics=[content.FEEDBACK_TOPIC])
    entries, rows = listing.answer, listing.rows
    title = t("Feedback")
    if entries is None:
        return page(title, listing.pending(t("Loading feedback")))
    if not entries.total and not rows.shown and not has_filters(query):
        to_form = link_button(t("Send feedback"), connection.href("/feedback"), size="small")
        return page(title, empty(t("No feedback yet."), to_form, icon_name="feedback"))
    opened = listing.opened(url)
    return page(
        title,
        *listed_table(
            listing,
            entries,
            label=title,
            count=nt("{n} message", "{n} messages", entries.total),
            columns=[
                Column(field="text", label=t("Message"), flex=10, min_width=200),
                Column(field="state", label=t("Status"), kind="chips", is_sortable=True),
                Column(field="kind", label=t("Kind"), is_sortable=True, min_width=160),
                Column(field="sender", label=t("From"), is_sortable=True, is_compact=False, min_width=160),
                Column(field="created_at", label=t("Sent"), kind="datetime", is_sortable=True, min_width=190),
            ],
            row_of=lambda each: _row(each.item),
            export="/api/feedback/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search feedback"),
                select_field(
                    "state",
                    t("Status"),
                    choices(FeedbackState, t("All")),
                    value=query.state or "",
                    on_change=narrow(url, "state"),
                    id="filter-state",
                ),
                select_field(
                    "kind",
                    t("Kind"),
                    choices(FeedbackKind, t("All")),
                    value=query.kind or "",
                    on_change=narrow(url, "kind"),
                    id="filter-kind",
                ),
            ),
            nothing=t("No feedback matches. Change your search or the status."),
            on_open=open_beside(url),
        ),
        _opened(opened, rows, key=str(opened.id)) if opened else None,
    )


def _row(entry: FeedbackRead) -> Row:
    return Row(
        id=str(entry.id),
        cells={
            "text": entry.text if len(entry.text) <= _BEGINNING else f"{entry.text[:_BEGINNING]}…",
            "state": (Chip(label=entry.state.label, color=_STATE_COLORS[entry.state]),),
            "kind": entry.kind.label,
            "sender": entry.sender,
            "created_at": entry.created_at,
        },
    )


@component
def _opened(entry: FeedbackRead, rows: Rows[FeedbackRead]) -> VdomDict:
    """One message in full, with its state."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    async def change(session: AsyncSession, changed: FeedbackChange) -> FeedbackRead:
        return await content.change_feedback(session, actor, entry.id, changed, client=connection.client)

    def close() -> None:
        url.set(open=None)

    def settle(changed: FeedbackRead) -> None:
        rows.settle(changed, "")  # it stays open even if the filters no longer list it
        close()

    changing = use_action(change, success=t("The feedback was saved."), then=settle)
    # A page of the product becomes a link; anything else that was typed stays text.
    own_page = safe_next(entry.page, default="")
    return side_panel(
        t("Feedback from {sender}", sender=entry.sender),
        html.p({"className": "fw-prose fw-prewrap", "dir": "auto"}, entry.text),
        definition_list(
            {
                t("Kind"): entry.kind.label,
                t("From"): entry.sender,
                t("Sent"): moment(entry.created_at),
                t("Page"): text_link(own_page, connection.href(own_page)) if own_page else entry.page,
            }
        ),
        form(
            select_field("state", t("Status"), [Option(state, state.label) for state in FeedbackState], default=entry.state),
            text_area("note", t("Team note"), default=entry.note, rows=3, maxlength=2_000),
            on_submit=changing,
            model=FeedbackChange,
            submit=t("Save"),
            label=t("Edit feedback"),
        ),
        close=t("Close"),
        on_close=close,
        key=str(entry.id),
    )

"""`/dashboard/notifications`: what happened in all workspaces of the person, in the last 90 days."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.errors import NotFound
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import NotificationQuery, NotificationRead
from fundwright_ui.hooks import Row as KeptRow
from fundwright_ui.hooks import UrlState, query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import existing_page, has_filters, listed_table, narrow, use_listing
from fundwright_ui.ui import Option, button, empty, link_button, page, select_field
from fundwright_ui.widgets import ActionCell, Chip, Column, Row, RowOpened

PATH = "/dashboard/notifications"
CHOICES = "/dashboard/user/account?tab=notifications"


@screen(PATH, "Notifications", help="/help/notifications")
def notifications_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    core = connection.core
    query = query_in_address(NotificationQuery, url.params)
    topics = [notifications.notifications_topic(actor.id)]

    async def read(session: AsyncSession) -> Page[NotificationRead]:
        return await existing_page(partial(notifications.list_notifications, session, actor, core), query)

    listing = use_listing(read, query, lambda listed: listed, id=lambda each: each.id, key=[actor.id], topics=topics)
    places = use_query(lambda session: notifications.list_workspaces(session, actor), key=[actor.id], topics=topics)

    def row_of(pressed: RowOpened) -> NotificationRead:
        for each in listing.rows.shown:
            if each.id == pressed.id:
                return each.item
        raise NotFound(t("The notification"))

    async def open_item(session: AsyncSession, opened: RowOpened) -> NotificationRead:
        item = row_of(opened)
        await notifications.mark_read(session, actor, item.id)
        return item

    def go(item: NotificationRead) -> None:
        is_here = item.workspace_id == actor.workspace_id
        connection.navigate(item.path if is_here else item.address, reload=not is_here)

    async def toggle(session: AsyncSession, pressed: RowOpened) -> None:
        item = row_of(pressed)
        change = notifications.mark_read if item.read_at is None else notifications.mark_unread
        await change(session, actor, item.id)

    opening, toggling = use_action(open_item, then=go), use_action(toggle)
    title, listed = t("Notifications"), listing.answer
    choose = link_button(t("Choose your notifications"), connection.href(CHOICES), icon_name="settings")
    if listed is None:
        return page(title, listing.pending(t("Loading notifications")))
    if not listed.total and not listing.rows.shown and not has_filters(query):
        return page(
            title,
            empty(
                t("No notifications yet. Invitations, finished drafts, and what others do with you will be listed here."),
                icon_name="notifications",
            ),
            actions=[choose],
        )
    labels = {kind.key: str(kind.label) for kind in notifications.list_kinds(core)}
    return page(
        title,
        *listed_table(
            listing,
            listed,
            row_of=lambda each: _row(each, labels),
            label=title,
            count=nt("{n} notification", "{n} notifications", listed.total),
            columns=[
                Column(field="title", label=t("Notification"), flex=4, min_width=220),
                Column(field="state", label=t("Status"), kind="chips", min_width=100),
                Column(field="workspace", label=t("Workspace"), min_width=130),
                Column(field="kind", label=t("Kind"), is_compact=False, flex=1.5, min_width=150),
                Column(field="created_at", label=t("When"), kind="datetime", is_sortable=True, min_width=190),
                Column(field="action", label=t("Action"), min_width=150, flex=0.1),
            ],
            export="/api/notifications/export.csv",
            narrow=_filters(url, query, labels, places.value or []),
            nothing=empty(
                t("No notifications match. Change the filters."),
                link_button(t("Clear filters"), connection.href(PATH)),
            ),
            on_open=opening,
            on_action=toggling,
        ),
        subtitle=t("Notifications are kept for 90 days."),
        actions=[_mark_all(query, key="all"), choose],
    )


def _row(shown: KeptRow[NotificationRead], labels: dict[str, str]) -> Row:
    item = shown.item
    is_unread = item.read_at is None
    verb = t("Mark as read") if is_unread else t("Mark as unread")
    return Row(
        id=shown.id,
        cells={
            "title": item.title,
            "state": (Chip(label=t("Unread"), color="info"),) if is_unread else (),
            "workspace": item.workspace_title,
            "kind": labels.get(item.kind, item.kind),
            "created_at": item.created_at,
            "action": shown.outcome or ActionCell(label=verb, name=f"{verb}: {item.title}"),
        },
    )


def _filters(url: UrlState, query: NotificationQuery, labels: dict[str, str], places: Sequence[tuple[UUID, str]]) -> VdomDict:
    return html.div(
        {"className": "fw-filters", "role": "group", "aria-label": t("Filters"), "key": "narrow"},
        select_field(
            "unread",
            t("Status"),
            [Option("", t("All")), Option("true", t("Unread"))],
            value="true" if query.unread else "",
            on_change=narrow(url, "unread"),
            id="notification-status",
        ),
        select_field(
            "kind",
            t("Kind"),
            [Option("", t("All")), *(Option(key, label) for key, label in labels.items())],
            value=query.kind,
            on_change=narrow(url, "kind"),
            id="notification-kind",
        ),
        select_field(
            "workspace_id",
            t("Workspace"),
            [Option("", t("All")), *(Option(str(id), name) for id, name in places)],
            value=str(query.workspace_id or ""),
            on_change=narrow(url, "workspace_id"),
            id="notification-workspace",
        )
        if len(places) > 1 or query.workspace_id
        else None,
    )


@component
def _mark_all(query: NotificationQuery) -> VdomDict:
    actor = use_actor()

    async def mark(session: AsyncSession) -> int:
        return await notifications.mark_all_read(session, actor, query)

    marking = use_action(mark, success=t("All notifications in this list are marked as read."))
    return button(t("Mark all as read"), icon_name="check", on_click=marking, is_busy=marking.is_running)

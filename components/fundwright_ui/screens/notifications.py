"""`/dashboard/notifications`: what happened in all workspaces of the person, in the last 90 days."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.choices import unknown_values
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import SETTINGS_PATH, NotificationQuery, NotificationRead
from fundwright_ui.hooks import Row as KeptRow
from fundwright_ui.hooks import UrlState, query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import (
    existing_page,
    export_button,
    filter_row,
    has_filters,
    list_bar,
    narrow,
    no_match,
    pages,
    use_listing,
)
from fundwright_ui.ui import Option, button, empty, facts, link_button, list_row, menu, moment, page, row_actions, select_field

PATH = "/dashboard/notifications"


@screen(PATH, "Notifications", help="/help/notifications")
def notifications_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    core = connection.core
    query = query_in_address(NotificationQuery, url)
    labels = {kind.key: str(kind.label) for kind in notifications.list_kinds(core)}
    url.report(["kind"], unknown_values(query, kind=labels))
    topics = [notifications.notifications_topic(actor.id)]

    async def read(session: AsyncSession) -> Page[NotificationRead]:
        return await existing_page(partial(notifications.list_notifications, session, actor, core), query)

    listing = use_listing(read, query, lambda listed: listed, id=lambda each: each.id, key=[actor.id], topics=topics)
    places = use_query(lambda session: notifications.list_workspaces(session, actor), key=[actor.id], topics=topics)

    title, listed = t("Notifications"), listing.answer
    choose = link_button(t("Choose your notifications"), connection.href(SETTINGS_PATH), variant="text", icon_name="settings")
    more = menu(t("More actions"), choose, id="notification-actions")
    if listed is None:
        return page(title, listing.pending(t("Loading notifications")))
    if not listed.total and not listing.rows.shown and not has_filters(query):
        return page(
            title,
            empty(
                t(
                    "No notifications yet. Invitations, finished drafts, and changes by others that concern you will be listed here."
                ),
                icon_name="notifications",
            ),
            actions=[more],
        )
    shown = listing.rows.shown
    return page(
        title,
        list_bar(
            _filters(url, query, labels, places.value or []),
            nt("{n} notification", "{n} notifications", listed.total),
            html.fragment(
                _mark_all(query, key="all"), export_button(connection, "/api/notifications/export.csv", len(shown), query)
            ),
        ),
        html.ul({"className": "fw-list", "aria-label": title}, *(_item(each, labels, key=each.id) for each in shown))
        if shown
        else no_match(url, query, t("No notifications match. Change the filters.")),
        listing.more(),
        pages(url, listed),
        subtitle=t("Notifications are kept for 90 days."),
        actions=[more],
    )


@component
def _item(shown: KeptRow[NotificationRead], labels: dict[str, str]) -> VdomDict:
    """A notification. The bell of the page that its link opens marks it as read."""
    actor, connection = use_actor(), use_connection()
    item = shown.item
    is_unread, is_here = item.read_at is None, item.workspace_id == actor.workspace_id

    async def toggle(session: AsyncSession) -> None:
        change = notifications.mark_read if is_unread else notifications.mark_unread
        await change(session, actor, item.id)

    toggling = use_action(toggle)
    verb = t("Mark as read") if is_unread else t("Mark as unread")
    return list_row(
        html.div(
            {"className": "fw-grow fw-stack fw-stack-tight"},
            html.div(
                {"className": "fw-notification fw-unread" if is_unread else "fw-notification"},
                html.a(
                    {
                        "className": "fw-title-link",
                        "dir": "auto",
                        "href": connection.href(item.path if is_here else item.address),
                        **({} if is_here else {"data-reload": True}),  # a page stays in its workspace
                    },
                    item.title,
                ),
                html.span({"className": "fw-visually-hidden"}, t("Unread")) if is_unread else None,
            ),
            facts(item.workspace_title, labels.get(item.kind, item.kind), moment(item.created_at)),
        ),
        row_actions(
            button(verb, size="small", variant="text", name="read", on_click=toggling, aria_label=f"{verb}: {item.title}"),
            outcome=shown.outcome,
        ),
    )


def _filters(url: UrlState, query: NotificationQuery, labels: dict[str, str], places: Sequence[tuple[UUID, str]]) -> VdomDict:
    return filter_row(
        url,
        query,
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
        select_field(
            "sort",
            t("Sort by"),
            [Option("", t("Newest first")), Option("created_at", t("Oldest first"))],
            value=query.sort,
            on_change=narrow(url, "sort"),
            id="notification-sort",
        ),
    )


@component
def _mark_all(query: NotificationQuery) -> VdomDict:
    actor = use_actor()

    async def mark(session: AsyncSession) -> int:
        return await notifications.mark_all_read(session, actor, query)

    marking = use_action(mark, success=t("All notifications in this list are marked as read."))
    return button(t("Mark all as read"), size="small", icon_name="check", on_click=marking, is_busy=marking.is_running)

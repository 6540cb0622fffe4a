"""The bell in the top bar, with the number of unread notifications."""

from __future__ import annotations

from urllib.parse import urlencode

from reactpy import html, use_ref
from reactpy.types import VdomDict

from fundwright.core.messages import nt, t
from fundwright.notifications import service as notifications
from fundwright.workspaces import service as workspaces
from fundwright_ui.hooks import use_query
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.ui.icons import icon

PATH = "/dashboard/notifications"
_MOST = 99


def use_bell() -> VdomDict:
    """The link to the list of notifications. Those that lead to the open page count as read, also to an item that is open in a list with
    filters."""
    connection, actor = use_connection(), use_actor()
    location = connection.location
    items = (f"{location.path}?{urlencode({name: value})}" for name, value in location.query.items())
    paths = (location.path, location.address, *items)

    async def read() -> int:
        database = connection.core.database
        async with connection.reading() as session:
            unread, here = await notifications.count_unread(session, actor, *paths)
        if here and connection.is_live:
            async with database.transaction() as session:
                await notifications.mark_seen(session, actor, *paths)
        return unread - here

    # Who is removed from a workspace also loses its notifications.
    topics = (notifications.notifications_topic(actor.id), workspaces.workspaces_topic(actor.id))
    counted = use_query(read, key=[actor.id], topics=topics, with_session=False)
    unread = counted.value or 0
    shown_at = use_ref(location.address)
    if shown_at.current != location.address:
        shown_at.current = location.address
        if unread:
            counted.reload_soon()
    label = nt("Notifications: {n} unread", "Notifications: {n} unread", unread) if unread else t("Notifications")
    is_current = location.path == PATH
    return html.a(
        {
            "className": "fw-icon-button fw-bell",
            "href": connection.href(PATH),
            "aria-label": label,
            "title": label,
            **({"aria-current": "page"} if is_current else {}),
        },
        icon("notifications"),
        html.span({"className": "fw-badge", "aria-hidden": "true"}, str(unread) if unread <= _MOST else f"{_MOST}+")
        if unread
        else None,
    )

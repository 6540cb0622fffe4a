"""`/dashboard/outbox`: which emails were sent to whom, for administrators. It does not show the messages."""

from __future__ import annotations

from functools import partial

from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import outbox
from fundwright.accounts.schemas import Role
from fundwright.authentication import reauthentication
from fundwright.core.mail import MailQuery, MailRead, MailState
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import Connection, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import (
    choices,
    existing_page,
    export_path,
    has_filters,
    list_bar,
    narrow,
    no_match,
    page_table,
    search_box,
    sort_choice,
)
from fundwright_ui.ui import Color, alert, button, empty, loading, page, problem, select_field
from fundwright_ui.widgets import Chip, Column, Row

COLORS: dict[MailState, Color] = {
    MailState.KEPT: "secondary",
    MailState.WAITING: "info",
    MailState.SENT: "success",
    MailState.FAILED: "error",
}


def undelivered(connection: Connection) -> VdomDict | None:
    """A notice for administrators, on screens that send emails, that no email is sent, and how to get the links."""
    if connection.core.settings.sends_mail:
        return None
    return alert(
        t("This server does not send email. Run `fundwright mail` on the server to get the messages and their links."),
        variant="info",
    )


@screen("/dashboard/outbox", "Outbox", roles=frozenset({Role.ADMIN}), help="/help/people")
def outbox_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(MailQuery, url)

    async def read() -> Page[MailRead]:
        async with connection.core.database.transaction() as session:  # reading it is recorded
            return await existing_page(partial(outbox.list_mails, session, actor, client=connection.client), query)

    async def check(session: AsyncSession) -> None:
        await reauthentication.require_recent_authentication(session, actor)

    found = use_query(read, key=[query], with_session=False)
    opening = use_action(check, then=found.reload)
    exporting = use_action(check, then=lambda: connection.download(export_path("/api/mails/export.csv", query)))

    title = t("Outbox")
    if found.needs_reauthentication:
        confirm = button(t("Confirm your identity"), on_click=opening, variant="contained")
        return page(title, empty(t("To see the outbox, confirm your identity."), confirm, icon_name="visibility_off"))
    if found.error:
        return page(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(title, loading(t("Loading outbox")))
    mails = found.value
    if not mails.total and not has_filters(query):
        return page(title, undelivered(connection), empty(t("No emails yet."), icon_name="mail"))
    columns = [
        Column(field="kind", label=t("Kind"), flex=1.5, min_width=180),
        Column(field="recipient", label=t("To"), is_sortable=True, flex=3, min_width=180),
        Column(field="state", label=t("Status"), kind="chips"),
        Column(field="created_at", label=t("Written"), kind="datetime", is_sortable=True, min_width=160),
        Column(field="sent_at", label=t("Sent"), kind="datetime", is_sortable=True, is_compact=False),
        Column(field="error", label=t("Error"), is_compact=False, flex=1),
    ]
    return page(
        title,
        undelivered(connection),
        list_bar(
            search_box(
                url,
                query,
                t("Search emails"),
                select_field(
                    "state", t("Status"), choices(MailState, t("Any")), value=query.state or "", on_change=narrow(url, "state")
                ),
            ),
            nt("{n} email", "{n} emails", mails.total),
            button(t("Export as CSV"), icon_name="download", size="small", on_click=exporting) if mails.total else None,
            sort=sort_choice(url, query, columns) if mails.total else None,
        ),
        page_table(
            url,
            query,
            mails,
            label=title,
            columns=columns,
            rows=[_row(mail) for mail in mails.items],
            is_loading=found.is_slow,
            is_sorted_above=True,
        )
        if mails.total
        else no_match(url, query, t("No emails match. Change the filters.")),
        subtitle=t("Outgoing emails (without content)"),
    )


def _row(mail: MailRead) -> Row:
    return Row(
        id=str(mail.id),
        cells={
            "kind": mail.kind.label,
            "recipient": mail.recipient,
            "state": (Chip(label=mail.state.label, color=COLORS[mail.state]),),
            "created_at": mail.created_at,
            "sent_at": mail.sent_at,
            "error": mail.error,
        },
    )

"""`/dashboard/audit`: who did what, when and from where."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.identity import people
from fundwright.identity.audit import action_label
from fundwright.identity.permissions import roles_with
from fundwright.identity.schemas import AuditQuery, AuditRead, Permission
from fundwright_ui.hooks import query_in_address, use_actor, use_connection, use_query, use_url_state
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import ask, existing_page, export_button, filters, sort_of
from fundwright_ui.ui import empty, loading, page, problem, row, text_field
from fundwright_ui.widgets import Column, Row, data_table


@screen("/dashboard/audit", "Audit trail", roles=roles_with(Permission.OVERSEE))
def audit_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(AuditQuery, url.params)

    async def read(session: AsyncSession) -> Page[AuditRead]:
        return await existing_page(lambda asked: people.list_audit(session, actor, asked), query)

    found = use_query(read, key=[query])
    title = t("Audit trail")
    if found.error:
        return page(title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return page(title, loading(t("Loading the audit trail")))
    listed = found.value
    return page(
        title,
        filters(
            url,
            text_field("text", t("Search"), type="search", value=query.text, maxlength=200),
            text_field("first", t("From"), type="date", value=str(query.first or "")),
            text_field("last", t("To"), type="date", value=str(query.last or "")),
        ),
        row(
            html.p(
                {"role": "status", "className": "fw-muted"},
                nt("{n} line", "{n} lines", listed.total),
            ),
            export_button(connection, "/api/audit/export.csv", listed.total, query),
            spread=True,
        ),
        data_table(
            label=title,
            columns=[
                Column(field="at", label=t("When"), kind="datetime", is_sortable=True, min_width=170),
                Column(field="action", label=t("What"), flex=1.5, min_width=150),
                Column(field="who", label=t("Who"), flex=1.5, min_width=150),
                Column(field="subject", label=t("Whom or what"), flex=1.5, min_width=150),
                Column(field="address", label=t("Where from"), is_compact=False),
                Column(field="details", label=t("Details"), is_compact=False, flex=1),
            ],
            rows=[_row(line) for line in listed.items],
            total=listed.total,
            page=listed.page,
            page_size=listed.page_size,
            sort=sort_of(query),
            is_loading=found.is_slow,
            on_query=ask(url),
        )
        if listed.items
        else empty(t("No line matches. Change the filters.")),
        subtitle=t("Nothing here can be changed or deleted. Days are those of UTC."),
    )


def _row(line: AuditRead) -> Row:
    return Row(
        id=str(line.id),
        cells={
            "at": line.at,
            "action": action_label(line.action),
            "who": line.actor_email or "",
            "subject": line.subject,
            "address": line.address,
            "details": ", ".join(f"{name}: {value}" for name, value in line.details.items()),
        },
    )

"""`/dashboard/audit`: the audit trail."""

from __future__ import annotations

from collections.abc import Callable

from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.audit import action_label, address_label
from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import AuditQuery, AuditRead, Permission
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import query_in_address, use_url_state
from fundwright_ui.product import use_actor
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.admin.audit_details import details_of
from fundwright_ui.screens.listing import day_filter, existing_page, listed_table, open_beside, search_box, use_listing
from fundwright_ui.ui import definition_list, moment, page, side_panel
from fundwright_ui.widgets import Column, Row


@screen("/dashboard/audit", "Audit trail", roles=roles_with(Permission.ADMINISTER), help="/help/people")
def audit_screen() -> VdomDict:
    actor, url = use_actor(), use_url_state(open=("{id}",))
    query = query_in_address(AuditQuery, url)

    async def read(session: AsyncSession) -> Page[AuditRead]:
        return await existing_page(lambda asked: audit.list_audit(session, actor, asked), query)

    listing = use_listing(read, query, lambda listed: listed, id=lambda line: line.id)
    title, listed, opened = t("Audit trail"), listing.answer, listing.opened(url)
    if listed is None:
        return page(title, listing.pending(t("Loading audit trail")))
    return page(
        title,
        *listed_table(
            listing,
            listed,
            label=title,
            count=nt("{n} entry", "{n} entries", listed.total),
            columns=[
                Column(field="action", label=t("Action"), flex=1.5, min_width=190),
                Column(field="at", label=t("When"), kind="datetime", is_sortable=True, flex=0.65, min_width=190),
                Column(field="who", label=t("Who"), flex=1.5, min_width=150),
                Column(field="subject", label=t("Target"), flex=1.5, min_width=150),
                Column(field="address", label=t("Network address"), is_compact=False),
                Column(field="details", label=t("Details"), flex=5),
            ],
            row_of=lambda each: _row(each.item),
            export="/api/audit/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search the audit trail"),
                day_filter(url, query, "first", t("Start date")),
                day_filter(url, query, "last", t("End date")),
            ),
            nothing=t("No entries match. Change the filters."),
            on_open=open_beside(url),
        ),
        _opened(opened, lambda: url.set(open=None)) if opened else None,
        subtitle=t("Entries cannot be changed or deleted. Times are in UTC."),
    )


def _row(line: AuditRead) -> Row:
    return Row(
        id=str(line.id),
        cells={
            "at": line.at,
            "action": action_label(line.action),
            "who": line.actor_email or "",
            "subject": line.subject,
            "address": address_label(line.address),
            "details": " · ".join(value for _name, value in details_of(line)),
        },
    )


def _opened(line: AuditRead, close: Callable[[], None]) -> VdomDict:
    return side_panel(
        action_label(line.action),
        definition_list(
            [
                (t("When"), moment(line.at)),
                (t("Who"), line.actor_email),
                (t("Target"), line.subject),
                (t("Network address"), address_label(line.address)),
                *details_of(line),
            ]
        ),
        close=t("Close"),
        on_close=close,
        key=str(line.id),
    )

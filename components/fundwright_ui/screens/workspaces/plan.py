"""The tab Plan of a workspace: its plan, what has been used of it, the premium links that it redeemed, and its invoices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from babel.dates import format_date
from pydantic import BaseModel
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.billing import service as billing
from fundwright.billing.schemas import (
    PaymentQuery,
    PaymentRead,
    PremiumLinkUseQuery,
    PremiumLinkUseRead,
    Redemption,
    WorkspacePlan,
    last_day,
)
from fundwright.core.errors import Invalid
from fundwright.core.messages import current_language, nt, number, t
from fundwright.core.paging import Page
from fundwright.training import collecting, storage
from fundwright_ui.hooks import query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.billing.payment_history import payment_row, payment_search
from fundwright_ui.screens.billing.pricing import price_of
from fundwright_ui.screens.listing import existing_page, export_button, has_filters, listed_table, page_table, use_listing
from fundwright_ui.ui import (
    button,
    card,
    definition_list,
    empty,
    form,
    link_button,
    loading,
    problem,
    section,
    side_panel,
    stack,
    text_field,
)
from fundwright_ui.widgets import Column, Row

_REDEEM = "redeem"
_LINKS = "links_"


class _Used(BaseModel):
    plan: WorkspacePlan
    documents: int


@component
def plan_tab(is_owner: bool) -> VdomDict:
    """The plan and its usage for all members, and the premium links and invoices for owners."""
    return stack(
        _plan(key="plan"),
        _premium_links(key="premium-links") if is_owner else None,
        _invoices(key="invoices") if is_owner else None,
    )


@component
def _plan() -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def read(session: AsyncSession) -> _Used:
        return _Used(plan=await billing.workspace_plan(session, actor), documents=await storage.count_documents(session, actor))

    found = use_query(read, key=[actor.workspace_id], topics=[billing.TOPIC, collecting.documents_topic(actor.workspace_id)])
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if found.value is None:
        return loading(t("Loading the plan"))
    own, plan = found.value.plan, found.value.plan.plan
    end = last_day(own.until) if own.until else None

    def used(count: int, limit: int | None) -> str:
        return number(count) if limit is None else t("{used} of {limit}", used=number(count), limit=number(limit))

    return section(
        t("Plan"),
        card(
            definition_list(
                {
                    t("Plan"): plan.name,
                    t("Price"): price_of(plan),
                    t("Ends on"): format_date(end, locale=current_language()) if end else None,
                    t("Documents"): used(found.value.documents, plan.documents),
                    t("Drafts this month"): used(own.drafts, plan.drafts),
                    t("Regenerated sections this month"): used(own.sections, own.most_sections),
                    t("Imports this month"): used(own.imports, plan.imports),
                }
            ),
            html.p(
                {"className": "fw-hint"},
                t("All members share these limits.")
                if own.is_limited
                else t("As an administrator, you can exceed these limits, but what you use counts."),
            )
            if actor.is_in_shared_workspace or not own.is_limited
            else None,
            label=t("Plan"),
        ),
        actions=[link_button(t("All plans"), connection.href("/pricing"), size="small")],
    )


@component
def _premium_links() -> VdomDict:
    """The premium links that gave the workspace a plan, and the form for another one."""
    actor, connection, url = use_actor(), use_connection(), use_url_state(open=(_REDEEM,))
    request = query_in_address(PremiumLinkUseQuery, url, prefix=_LINKS)
    is_redeeming = url.get("open") == _REDEEM

    async def read(session: AsyncSession) -> Page[PremiumLinkUseRead]:
        return await existing_page(partial(billing.list_workspace_premium_links, session, actor), request)

    found = use_query(read, key=[actor.workspace_id, request], topics=[billing.TOPIC])
    title, listed = t("Premium links"), found.value
    redeem = button(t("Redeem a premium link"), size="small", on_click=lambda: url.set(open=_REDEEM), disabled=is_redeeming)
    if found.error:
        return section(title, problem(found.error, on_retry=found.reload), actions=[redeem])
    if listed is None:
        return section(title, loading(t("Loading premium links")), actions=[redeem])
    return section(
        title,
        page_table(
            url,
            request,
            listed,
            label=title,
            columns=[
                Column(field="plan", label=t("Plan"), is_sortable=True),
                Column(field="given_by", label=t("Created by"), is_sortable=True, flex=3, min_width=160),
                Column(field="email", label=t("Redeemed by"), is_sortable=True, is_compact=False, flex=3, min_width=160),
                Column(field="at", label=t("Redeemed"), kind="date", is_sortable=True, is_compact=False),
                Column(field="until", label=t("Ends on"), kind="date", is_sortable=True),
            ],
            rows=[
                Row(
                    id=str(use.id),
                    cells={
                        "plan": use.plan_name,
                        "given_by": use.given_by,
                        "email": use.email,
                        "at": use.at,
                        "until": last_day(use.until),
                    },
                )
                for use in listed.items
            ],
            is_loading=found.is_slow,
            prefix=_LINKS,
        )
        if listed.total
        else empty(t("No premium links redeemed yet."), icon_name="link"),
        _redeem(lambda: url.set(open=None), key=_REDEEM) if is_redeeming else None,
        actions=[
            export_button(
                connection,
                "/api/billing/workspace/premium-links/export.csv",
                listed.total,
                request,
                label=t("Export premium links as CSV"),
            ),
            redeem,
        ],
    )


@component
def _redeem(close: Callable[[], None]) -> VdomDict:
    """Asks for a premium link, and opens the page that says what it would change."""
    actor, connection = use_actor(), use_connection()

    async def check(session: AsyncSession, redemption: Redemption) -> str:
        preview = await billing.preview_premium_link(session, actor, redemption.link)
        if preview.sentence:
            raise Invalid(preview.sentence)
        return f"{billing.LINKS}/{redemption.link}?workspace={actor.workspace_id}"

    checking = use_action(check, then=connection.navigate)
    title = t("Redeem a premium link")
    return side_panel(
        title,
        form(
            text_field(
                "link",
                t("Premium link"),
                required=True,
                maxlength=500,
                help=t("The whole link, or the code at its end. The next page says what it changes before you redeem it."),
            ),
            on_submit=checking,
            model=Redemption,
            submit=t("Continue"),
            label=title,
            actions=[button(t("Cancel"), on_click=close)],
        ),
        close=t("Close"),
        on_close=close,
        key=_REDEEM,
    )


@component
def _invoices() -> VdomDict:
    actor, url = use_actor(), use_url_state()
    query = query_in_address(PaymentQuery, url)

    async def read(session: AsyncSession) -> Page[PaymentRead]:
        return await existing_page(partial(billing.list_workspace_payments, session, actor), query)

    listing = use_listing(
        read,
        query,
        lambda listed: listed,
        id=lambda payment: payment.id,
        key=[actor.workspace_id],
        topics=[billing.TOPIC],
    )
    title, listed = t("Invoices"), listing.answer
    if listed is None:
        return section(title, listing.pending(t("Loading invoices")))
    if not listed.total and not listing.rows.shown and not has_filters(query):
        return section(title, empty(t("No invoices yet."), icon_name="payment"))
    return section(
        title,
        *listed_table(
            listing,
            listed,
            label=title,
            count=nt("{n} invoice", "{n} invoices", listed.total),
            columns=[
                Column(field="number", label=t("Number"), is_sortable=True, min_width=110),
                Column(field="text", label=t("Description"), is_sortable=True, flex=4, min_width=140),
                Column(field="email", label=t("Sent to"), is_sortable=True, is_compact=False, flex=3, min_width=160),
                Column(field="amount", label=t("Amount"), kind="number", is_sortable=True),
                Column(field="issued", label=t("Issued"), kind="date", is_sortable=True, is_compact=False),
                Column(field="due", label=t("Due"), kind="date", is_sortable=True, is_compact=False),
                Column(field="state", label=t("Status"), kind="chips", is_sortable=True),
            ],
            row_of=lambda each: payment_row(each.item, each.item.number),
            export="/api/billing/workspace/payments/export.csv",
            narrow=payment_search(url, query),
            nothing=t("No invoices match. Change the filters."),
        ),
    )

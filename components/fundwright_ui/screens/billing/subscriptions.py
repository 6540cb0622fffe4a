"""`/dashboard/subscription`: the plans and their subscribers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from reactpy import component
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.billing import service as billing
from fundwright.billing.schemas import Cents, Limit, PlanChange, PlanRead, SubscriberQuery, SubscriberRead, last_day
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.billing.pricing import limits_of
from fundwright_ui.screens.listing import (
    Listing,
    existing_page,
    listed_table,
    narrow,
    open_below,
    open_beside,
    search_box,
    use_listing,
)
from fundwright_ui.ui import (
    Option,
    button,
    form,
    page,
    section,
    select_field,
    side_panel,
    text_field,
)
from fundwright_ui.ui.money import EmptyAsNone, ParsedCents, money, money_text
from fundwright_ui.widgets import ActionCell, Chip, Column, LinkCell, Row, RowOpened, data_table

PATH = "/dashboard/subscription"


class PlanForm(PlanChange):
    """The form for price and limits."""

    price_cents: Annotated[Cents, ParsedCents]
    documents: Annotated[Limit | None, EmptyAsNone]
    drafts: Annotated[Limit | None, EmptyAsNone]
    imports: Annotated[Limit | None, EmptyAsNone]
    workspaces: Annotated[Limit | None, EmptyAsNone]


@screen(PATH, "Subscription", roles=roles_with(Permission.ADMINISTER), help="/help/billing")
def subscriptions_screen() -> VdomDict:
    actor, url = use_actor(), use_url_state()
    query = query_in_address(SubscriberQuery, url)

    async def read(session: AsyncSession) -> tuple[list[PlanRead], Page[SubscriberRead]]:
        listed = await existing_page(lambda query: billing.list_subscribers(session, actor, query), query)
        return await billing.list_plans(session), listed

    listing = use_listing(
        read, query, lambda answer: answer[1], id=lambda subscriber: subscriber.workspace_id, topics=[billing.TOPIC]
    )
    if listing.answer is None:
        return page(t("Subscription"), listing.pending(t("Loading plans and subscriptions")))
    plans, _listed = listing.answer
    url.open(open=[plan.code for plan in plans])
    opened = next((plan for plan in plans if url.get("open") == plan.code), None)
    return page(
        t("Subscription"),
        section(t("Plans"), _plans(plans, open_beside(url))),
        _subscribers(listing, *listing.answer, query),
        _edit_form(opened, key=opened.code) if opened else None,
    )


def _plans(plans: list[PlanRead], on_open: Callable[[RowOpened], None]) -> VdomDict:
    limits = [limits_of(plan) for plan in plans]

    def edit_of(plan: PlanRead) -> ActionCell:
        return ActionCell(label=t("Edit"), name=t("Edit {name}", name=plan.name))

    return data_table(
        label=t("Plans"),
        columns=[
            Column(field="name", label=t("Plan"), flex=0.72, min_width=72),
            Column(field="price", label=t("Price per month"), kind="number", flex=1.14, min_width=114),
            *(Column(field=label, label=label, kind="number", flex=0.96, min_width=96) for label in limits[0]),
            Column(field="action", label=t("Action"), flex=1.24, min_width=124),
        ],
        rows=[
            Row(
                id=plan.code,
                cells={"name": plan.name, "price": money(plan.price_cents, plan.currency), **limit, "action": edit_of(plan)},
            )
            for plan, limit in zip(plans, limits, strict=True)
        ],
        on_open=on_open,
        on_action=on_open,
    )


@component
def _edit_form(plan: PlanRead) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    def close() -> None:
        url.set(open=None)

    async def change(session: AsyncSession, changed: PlanForm) -> None:
        await billing.change_plan(session, actor, plan.code, changed, client=connection.client)

    changing = use_action(change, success=t("The plan was changed."), then=close)
    limits = {
        "documents": (t("Documents"), plan.documents),
        "drafts": (t("Drafts per month"), plan.drafts),
        "imports": (t("Imports per month"), plan.imports),
        "workspaces": (t("Shared workspaces"), plan.workspaces),
    }
    title = t("Edit {name}", name=plan.name)
    return side_panel(
        title,
        form(
            text_field(
                "price_cents",
                t("US dollars per month"),
                default=money_text(plan.price_cents),
                required=True,
                maxlength=20,
                keyboard="decimal",
                id=f"price-{plan.code}",
            ),
            *(
                text_field(
                    name,
                    label,
                    type="number",
                    min="0",
                    default="" if limit is None else str(limit),
                    placeholder=t("Unlimited"),
                    id=f"{name}-{plan.code}",
                    key=name,
                )
                for name, (label, limit) in limits.items()
            ),
            on_submit=changing,
            model=PlanForm,
            submit=t("Save"),
            label=title,
            actions=[button(t("Cancel"), on_click=close)],
        ),
        subtitle=t("Leave a field empty for no limit."),
        close=t("Close"),
        on_close=close,
        key="edit",
    )


def _subscribers(
    listing: Listing[tuple[list[PlanRead], Page[SubscriberRead]], SubscriberRead],
    plans: list[PlanRead],
    listed: Page[SubscriberRead],
    query: SubscriberQuery,
) -> VdomDict:
    connection, url = use_connection(), use_url_state()
    return section(
        t("Workspaces by plan"),
        *listed_table(
            listing,
            listed,
            label=t("Workspaces by plan"),
            count=nt("{n} workspace", "{n} workspaces", listed.total),
            columns=[
                Column(field="name", label=t("Workspace"), kind="link", is_sortable=True, flex=3, min_width=160),
                Column(field="owners", label=t("Owners"), is_sortable=True, flex=4, min_width=180),
                Column(field="plan", label=t("Plan"), kind="chips", is_sortable=True),
                Column(field="since", label=t("Since"), kind="date", is_sortable=True, is_compact=False),
                Column(field="until", label=t("Ends on"), kind="date", is_sortable=True),
                Column(field="origin", label=t("Source"), is_compact=False),
            ],
            row_of=lambda each: _row(each.item, connection.href(f"{PATH}/{each.id}")),
            export="/api/billing/subscribers/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search workspaces"),
                select_field(
                    "plan",
                    t("Plan"),
                    [Option("", t("Any")), *(Option(plan.code, plan.name) for plan in plans)],
                    value=query.plan or "",
                    on_change=narrow(url, "plan"),
                ),
            ),
            nothing=t("No workspaces match. Change the filters."),
            on_open=open_below(connection, PATH),
        ),
    )


def _row(subscriber: SubscriberRead, href: str) -> Row:
    return Row(
        id=str(subscriber.workspace_id),
        cells={
            "name": LinkCell(label=subscriber.title, href=href),
            "owners": ", ".join(subscriber.owners),
            "plan": (Chip(label=subscriber.plan_name, color="primary" if subscriber.since else "secondary"),),
            "since": subscriber.since,
            "until": last_day(subscriber.until) if subscriber.until else None,
            "origin": subscriber.origin.label if subscriber.origin else "",
        },
    )

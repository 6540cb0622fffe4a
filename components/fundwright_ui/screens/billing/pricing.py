"""`/pricing`: prices and limits of the plans."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import registration
from fundwright.billing import service as billing
from fundwright.billing.schemas import PlanCode, PlanRead
from fundwright.core.messages import number, t
from fundwright_ui.hooks import use_query
from fundwright_ui.product import Connection, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.public.frame import public_page
from fundwright_ui.ui import card, chip, definition_list, link_button, loading, problem, section, text_link
from fundwright_ui.ui.money import money


def price_of(plan: PlanRead) -> str:
    return t("{price} per month", price=money(plan.price_cents, plan.currency)) if plan.price_cents else t("Free of charge")


def limits_of(plan: PlanRead) -> dict[str, str]:
    """The limits of a plan in words."""

    def shown(limit: int | None) -> str:
        return t("Unlimited") if limit is None else number(limit)

    return {
        t("Documents"): shown(plan.documents),
        t("Drafts per month"): shown(plan.drafts),
        t("Imports per month"): shown(plan.imports),
        t("Shared workspaces"): shown(plan.workspaces),
    }


@screen("/pricing", "Pricing", area="public")
def pricing_screen() -> VdomDict:
    connection = use_connection()
    actor = connection.actor

    async def read(session: AsyncSession) -> tuple[list[PlanRead], PlanCode | None]:
        own = await billing.workspace_plan(session, actor) if actor else None
        return await billing.list_plans(session), own.plan.code if own else None

    found = use_query(read, topics=[billing.TOPIC])
    title = t("Pricing")
    if found.error:
        return public_page(connection, title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return public_page(connection, title, loading(t("Loading plans")))
    plans, own = found.value
    return public_page(
        connection,
        title,
        section(
            t("Plans"),
            html.div({"className": "fw-plans"}, *(_plan(connection, plan, own) for plan in plans)),
            text_link(t("How to pay"), connection.href("/payment")),
        ),
        subtitle=t("Every workspace is on the Free plan unless an administrator or a premium link gives it another one."),
    )


def _plan(connection: Connection, plan: PlanRead, own: PlanCode | None) -> VdomDict:
    """A plan with its price and limits, and how to get it; `own` is the plan of the person's workspace, or None for visitors."""
    shown = price_of(plan)
    before, price, after = shown.partition(money(plan.price_cents, plan.currency) if plan.price_cents else shown)
    return card(
        html.p({"className": "fw-muted"}, before, html.span({"className": "fw-price"}, price), after),
        definition_list(limits_of(plan)),
        title=plan.name,
        actions=[_way_to(connection, plan, own)],
        key=plan.code,
    )


def _way_to(connection: Connection, plan: PlanRead, own: PlanCode | None) -> VdomDict:
    if plan.code == own:
        return chip(t("Plan of this workspace"), color="success")
    if own is None and plan.code is PlanCode.FREE:
        return link_button(t("Get started"), connection.href("/auth/register/" + "/".join(registration.OPEN)), block=True)
    label = t("Choose {plan}", plan=plan.name)
    return link_button(
        label, connection.href("/payment"), variant="contained" if plan.code is PlanCode.PRO else "outlined", block=True
    )

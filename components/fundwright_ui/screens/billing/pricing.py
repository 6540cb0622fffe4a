"""`/pricing`: prices and limits of the plans."""

from __future__ import annotations

from reactpy.types import VdomDict

from fundwright.billing import service as billing
from fundwright.billing.schemas import PlanRead
from fundwright.core.messages import number, t
from fundwright_ui.hooks import use_query
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.public.frame import public_page
from fundwright_ui.ui import card, definition_list, grid, link_button, loading, problem, section
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
    }


@screen("/pricing", "Pricing", area="public")
def pricing_screen() -> VdomDict:
    connection = use_connection()
    found = use_query(billing.list_plans, topics=[billing.TOPIC])
    title = t("Pricing")
    if found.error:
        return public_page(connection, title, problem(found.error, on_retry=found.reload))
    if found.value is None:
        return public_page(connection, title, loading(t("Loading plans")))
    return public_page(
        connection,
        title,
        section(
            t("Plans"),
            grid(
                *(
                    card(definition_list(limits_of(plan)), title=plan.name, subtitle=price_of(plan), key=plan.code)
                    for plan in found.value
                )
            ),
            link_button(t("How to pay"), connection.href("/payment")),
        ),
        subtitle=t("Accounts are on the Free plan unless an administrator or a premium link gives them another one."),
    )

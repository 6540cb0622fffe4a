"""`/dashboard/subscription/{id}`: the plan of one workspace."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from babel.dates import format_date
from reactpy import html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.billing import service as billing
from fundwright.billing.schemas import Origin, PlanRead, SubscriberRead, SubscriptionChange, last_day
from fundwright.core.messages import current_language, t
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.billing.payment_history import PATH as INVOICES
from fundwright_ui.screens.billing.subscriptions import PATH
from fundwright_ui.ui import (
    Option,
    card,
    definition_list,
    form,
    link_button,
    loading,
    moment,
    page,
    problem,
    section,
    select_field,
    text_field,
)
from fundwright_ui.ui.money import EmptyAsNone


class SubscriptionForm(SubscriptionChange):
    """The form for a change of plan."""

    until: Annotated[date | None, EmptyAsNone] = None


@screen(f"{PATH}/{{id}}", "Subscription", roles=roles_with(Permission.ADMINISTER), help="/help/billing")
def subscriber_screen() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    address = connection.location.params["id"]

    async def read(session: AsyncSession) -> tuple[SubscriberRead, list[PlanRead]]:
        workspace_id = parse_id(address, t("The workspace"))
        return await billing.get_subscriber(session, actor, workspace_id), await billing.list_plans(session)

    async def change(session: AsyncSession, changed: SubscriptionForm) -> None:
        if found.value is not None:
            await billing.subscribe(session, actor, found.value[0].workspace_id, changed, client=connection.client)

    found = use_query(read, key=[address], topics=[billing.TOPIC])
    changing = use_action(change, success=t("The plan was changed."))
    back = link_button(t("All subscriptions"), connection.href_back(PATH), icon_name="arrow_back")
    if found.error:
        return page(t("Subscription"), problem(found.error, on_retry=found.reload), actions=[back])
    if found.value is None:
        return page(t("Subscription"), loading(t("Loading subscription")), actions=[back])
    subscriber, plans = found.value
    end = last_day(subscriber.until) if subscriber.until else None
    return page(
        subscriber.title,
        card(
            definition_list(
                {
                    t("Owners"): ", ".join(subscriber.owners),
                    t("Plan"): subscriber.plan_name,
                    t("Since"): moment(subscriber.since, shown="date") if subscriber.since else None,
                    t("Ends on"): format_date(end, locale=current_language()) if end else None,
                    t("Source"): subscriber.origin.label if subscriber.origin else "",
                }
            ),
            label=t("Subscription"),
        ),
        section(
            t("Change plan"),
            form(
                html.div(
                    {"className": "fw-form-row"},
                    select_field("plan", t("Plan"), [Option(plan.code, plan.name) for plan in plans], default=subscriber.plan),
                    text_field(
                        "until",
                        t("Ends on"),
                        type="date",
                        default=end.isoformat() if end else "",
                        help=t("Leave empty for no end date."),
                    ),
                    select_field(
                        "origin",
                        t("Source"),
                        [Option(origin, origin.label) for origin in (Origin.MANUAL, Origin.INVOICE)],
                        default=Origin.INVOICE if subscriber.origin is Origin.INVOICE else Origin.MANUAL,
                    ),
                ),
                on_submit=changing,
                model=SubscriptionForm,
                submit=t("Change plan"),
                label=t("Change plan"),
            ),
            key=f"{subscriber.plan} {subscriber.since}",
        ),
        actions=[
            back,
            link_button(
                t("New invoice"),
                connection.href(f"{INVOICES}?open=new&workspace={subscriber.workspace_id}"),
                icon_name="add",
            ),
        ],
    )

"""The tab Notifications of the account page: how the person is told about each kind."""

from __future__ import annotations

from babel.dates import format_time
from reactpy import component, html
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import current_language, t
from fundwright.notifications import service as notifications
from fundwright.notifications.schemas import Choice, ChoiceChange, EmailTiming
from fundwright.notifications.sending import DAILY_AT
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.ui import (
    Option,
    checkbox,
    list_row,
    loading,
    problem,
    section,
    select_field,
    stack,
    text_link,
)


@component
def notifications_tab() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    found = use_query(
        lambda session: notifications.list_choices(session, actor, connection.core),
        key=[actor.id],
        topics=[notifications.notifications_topic(actor.id)],
    )
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if found.value is None:
        return loading(t("Loading your choices"))
    at = format_time(DAILY_AT, "short", locale=current_language())
    zone = (actor.time_zone or "").replace("_", " ")
    return section(
        t("Notifications"),
        stack(
            html.p(
                {"className": "fw-muted"},
                t(
                    "What you check is listed at the bell. It can also be sent to {email}, unless you have already read it.",
                    email=actor.email,
                ),
            ),
            html.p(
                {"className": "fw-muted"},
                t("The daily email is sent at {time} in your time zone ({zone}).", time=at, zone=zone)
                if zone
                else t("The daily email is sent at {time} in Washington, DC, because you have not chosen a time zone.", time=at),
                " ",
                text_link(t("Change time zone"), url.href(tab="general")),
            ),
            html.ul(
                {"className": "fw-list fw-choices"},
                *(_choice(each, key=each.kind) for each in found.value.kinds),
            ),
        ),
    )


@component
def _choice(choice: Choice) -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def save(session: AsyncSession, change: ChoiceChange) -> None:
        await notifications.choose(session, actor, connection.core, choice.kind, change)

    async def list_it(session: AsyncSession, is_listed: bool) -> None:
        await save(session, ChoiceChange(is_listed=is_listed, email=choice.email or EmailTiming.OFF))

    async def send_it(session: AsyncSession, email: str) -> None:
        await save(session, ChoiceChange(is_listed=choice.is_listed, email=EmailTiming(email)))

    listing, sending = use_action(list_it), use_action(send_it)
    return list_row(
        html.div(
            {"className": "fw-grow"},
            checkbox("is_listed", choice.label, checked=choice.is_listed, on_change=listing),
        ),
        select_field(
            "email",
            t("Email"),
            [Option(timing, timing.label) for timing in EmailTiming],
            value=choice.email,
            on_change=sending,
            small=True,
            id=f"email-{choice.kind}",
        )
        if choice.email is not None
        else html.span({"className": "fw-muted"}, t("Has its own email")),
    )

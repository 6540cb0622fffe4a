"""The tab Security of the account page: password, email address, and sessions."""

from __future__ import annotations

from functools import partial
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import passwords
from fundwright.authentication import email_change, password_change
from fundwright.authentication import service as authentication
from fundwright.authentication.schemas import SessionQuery, SessionRead, SignInRefused
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright_ui.hooks import Row, Rows, query_in_address, use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.account.devices import device_name, session_row
from fundwright_ui.screens.account.factors import passkeys_section, second_factor_section
from fundwright_ui.screens.listing import existing_page, export_button, pages, use_listing
from fundwright_ui.ui import (
    alert,
    button,
    form,
    row_actions,
    section,
    stack,
    text_field,
)
from fundwright_ui.ui.passwords import strength_meter, use_visibility

Password = Annotated[str, Field(min_length=1, max_length=10_000)]


class PasswordChange(BaseModel):
    """The form for a new password."""

    model_config = ConfigDict(frozen=True)

    current: Password
    new: Annotated[str, Field(min_length=passwords.MIN_LENGTH, max_length=10_000)]


class EmailChange(BaseModel):
    """The form for a new email address."""

    model_config = ConfigDict(frozen=True)

    email: Annotated[str, Field(min_length=1, max_length=254)]
    password: Password


@component
def security_tab() -> VdomDict:
    return stack(
        _password(key="password"),
        _email(key="email"),
        second_factor_section(key="second_factor"),
        passkeys_section(key="passkeys"),
        _sessions(key="sessions"),
    )


@component
def _password() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    typed, set_typed = use_state("")
    changes, set_changes = use_state(0)
    strength = use_query(lambda _session: passwords.strength(typed), key=[typed])
    kind, toggle = use_visibility()

    async def change(session: AsyncSession, change: PasswordChange) -> SignInRefused | None:
        return await password_change.change_password(
            session, actor, connection.core, current=change.current, new=change.new, client=connection.client
        )

    def finish(refused: SignInRefused | None) -> None:
        password_change.check_password_accepted(refused)
        set_typed("")
        set_changes(lambda n: n + 1)

    changing = use_action(change, success=t("Your password was changed, and all other sessions were ended."), then=finish)
    return section(
        t("Password"),
        html.div(
            {"key": f"password:{changes}"},
            form(
                text_field(
                    "current",
                    t("Current password"),
                    type=kind,
                    end=toggle,
                    required=True,
                    autocomplete="current-password",
                    id="current-password",
                ),
                text_field(
                    "new",
                    t("New password"),
                    type=kind,
                    required=True,
                    autocomplete="new-password",
                    help=t("At least 8 characters. A sentence works well."),
                    on_blur=set_typed,
                    id="new-password",
                ),
                strength_meter(strength.value or 0) if typed else None,
                on_submit=changing,
                model=PasswordChange,
                submit=t("Change password"),
                label=t("Password"),
            ),
        ),
    )


@component
def _email() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    asked_for, set_asked_for = use_state(cast("str | None", None))

    async def ask(session: AsyncSession, change: EmailChange) -> tuple[str, SignInRefused | None]:
        refused = await email_change.ask(
            session, actor, connection.core, email=change.email, password=change.password, client=connection.client
        )
        return change.email, refused

    def finish(result: tuple[str, SignInRefused | None]) -> None:
        email, refused = result
        password_change.check_password_accepted(refused)
        set_asked_for(email)

    asking = use_action(ask, then=finish)
    return section(
        t("Email"),
        html.p(t("You sign in as {email}.", email=actor.email)),
        alert(
            t(
                "If {email} can be used, we sent a link to that address. Open the link within an hour to change your address.",
                email=asked_for,
            ),
            variant="info",
        )
        if asked_for
        else None,
        html.div(
            {"key": f"email:{asked_for}"},
            form(
                text_field("email", t("New email address"), type="email", required=True, maxlength=254, id="new-email"),
                use_own_password("email-password"),
                on_submit=asking,
                model=EmailChange,
                submit=t("Change email address"),
                is_secondary=True,
                label=t("Email"),
            ),
        ),
    )


@component
def _sessions() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    url = use_url_state()
    request = query_in_address(SessionQuery, url)

    async def read(session: AsyncSession) -> Page[SessionRead]:
        return await existing_page(partial(authentication.list_sessions, session, actor), request)

    async def end_others(session: AsyncSession) -> None:
        await authentication.end_other_sessions(session, actor, client=connection.client)

    listing = use_listing(read, request, lambda listed: listed, id=lambda each: each.id, key=[actor.id])
    found, rows = listing.answer, listing.rows

    ending = use_action(end_others, success=t("All other sessions were ended."), then=listing.load)
    title = t("Active sessions")
    if found is None:
        return section(title, listing.pending(t("Loading your sessions")))
    return section(
        title,
        html.ul({"className": "fw-list", "aria-label": title}, *(_session(each, rows, key=each.id) for each in rows.shown)),
        listing.more(),
        pages(url, found),
        actions=[
            button(t("Sign out all other sessions"), size="small", on_click=ending, is_busy=ending.is_running)
            if found.total > 1
            else None,
            export_button(connection, "/api/account/sessions/export.csv", len(rows.shown), request),
        ],
    )


@component
def _session(shown: Row[SessionRead], rows: Rows[SessionRead]) -> VdomDict:
    each = shown.item
    actor, connection = use_actor(), use_connection()

    async def end(session: AsyncSession) -> None:
        await authentication.end_session(session, actor, each.id, client=connection.client)

    ending = use_action(end, success=t("The session was ended."), then=lambda: rows.settle(each, t("Ended")))
    is_this = each.id == actor.session_id
    return session_row(
        each,
        None
        if is_this
        else row_actions(
            button(
                t("Sign out"),
                size="small",
                name="end",
                on_click=ending,
                is_busy=ending.is_running,
                aria_label=t("Sign out {device}", device=device_name(each.user_agent)),
            ),
            outcome=shown.outcome,
        ),
        is_this=is_this,
    )


def use_own_password(id: str) -> VdomDict:
    """A field for the account's password, for changes that require it. `id` distinguishes it from others on the page. This is
    a hook."""
    kind, toggle = use_visibility()
    return text_field(
        "password", t("Your password"), type=kind, end=toggle, required=True, autocomplete="current-password", id=id
    )

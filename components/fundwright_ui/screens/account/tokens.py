"""The tab API tokens of the account page: create a token, see it once, revoke it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.authentication import api_tokens
from fundwright.authentication.schemas import ApiTokenCreated, ApiTokenQuery, ApiTokenRead, TokenScope
from fundwright.core.database import now
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright_ui.hooks import Row, UrlState, query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.listing import Listing, existing_page, export_button, pages, use_listing
from fundwright_ui.ui import (
    Color,
    Option,
    alert,
    button,
    chip,
    empty,
    facts,
    form,
    list_row,
    moment,
    row,
    row_actions,
    section,
    select_field,
    stack,
    text_field,
)
from fundwright_ui.widgets import copy_button, danger_dialog

_DEFAULT_DAYS = "90"


class NewToken(BaseModel):
    """The form for a new token."""

    model_config = ConfigDict(frozen=True, str_strip_whitespace=True)

    name: Annotated[str, Field(min_length=1, max_length=200)]
    scope: TokenScope
    lasts_days: Annotated[int, Field(ge=1, le=366)]


@component
def tokens_tab() -> VdomDict:
    actor = use_actor()
    made, set_made = use_state(cast("ApiTokenCreated | None", None))
    url = use_url_state()
    request = query_in_address(ApiTokenQuery, url)

    async def read(session: AsyncSession) -> Page[ApiTokenRead]:
        return await existing_page(partial(api_tokens.list_api_tokens, session, actor), request)

    listing = use_listing(read, request, lambda listed: listed, id=lambda token: token.id, key=[actor.id])

    def show(token: ApiTokenCreated) -> None:
        set_made(token)
        listing.load()

    return stack(
        _shown_once(made) if made else None,
        _new(show, key="new"),
        _list(listing, url, key="list"),
    )


def _shown_once(made: ApiTokenCreated) -> VdomDict:
    return alert(
        t("Copy the token now. You won't be able to see it again."),
        row(html.code(made.secret), copy_button(made.secret, t("Copy token"), is_small=True)),
        variant="success",
        title=made.name,
    )


@component
def _new(show: Callable[[ApiTokenCreated], None]) -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def make(session: AsyncSession, new: NewToken) -> ApiTokenCreated:
        return await api_tokens.create_api_token(
            session,
            actor,
            connection.core,
            name=new.name,
            scope=new.scope,
            lasts_days=new.lasts_days,
            client=connection.client,
        )

    making = use_action(make, success=t("The token was created."), then=show)
    return section(
        t("New token"),
        html.p({"className": "fw-muted"}, t("A program that sends this bearer token acts on your behalf.")),
        form(
            html.div(
                {"className": "fw-form-row"},
                text_field("name", t("Name"), required=True, maxlength=200, help=t("For example, the program that uses it.")),
                select_field("scope", t("Scope"), [Option(scope, scope.label) for scope in TokenScope], default=TokenScope.READ),
                text_field(
                    "lasts_days",
                    t("Expires after (days)"),
                    type="number",
                    default=_DEFAULT_DAYS,
                    min="1",
                    max="366",
                    required=True,
                ),
            ),
            on_submit=making,
            model=NewToken,
            submit=t("Create token"),
            label=t("New token"),
            reset_on_success=True,
        ),
    )


@component
def _list(listing: Listing[Page[ApiTokenRead], ApiTokenRead], url: UrlState) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    listed, rows = listing.answer, listing.rows
    asking, set_asking = use_state(cast("ApiTokenRead | None", None))

    async def revoke(session: AsyncSession) -> None:
        if asking is not None:
            await api_tokens.revoke_api_token(session, actor, asking.id, client=connection.client)

    def close() -> None:
        set_asking(None)

    def revoked() -> None:
        close()
        if asking is not None:
            rows.settle(asking, t("Revoked"))
        listing.found.reload()

    revoking = use_action(revoke, success=t("The token was revoked."), then=revoked)
    title = t("Your API tokens")
    if listed is None:
        return section(title, listing.pending(t("Loading your tokens")))
    if not rows.shown:
        return section(title, empty(t("No tokens yet. Create one above to give a program access."), icon_name="lock"))
    return section(
        title,
        html.ul({"className": "fw-list", "aria-label": title}, *(_token(each, set_asking) for each in rows.shown)),
        listing.more(),
        pages(url, listed),
        danger_dialog(
            t("Revoke “{name}”?", name=asking.name),
            t("Programs that use it lose access right away."),
            confirm_label=t("Revoke"),
            cancel_label=t("Keep"),
            error=revoking.error,
            on_confirm=revoking,
            on_cancel=close,
        )
        if asking
        else None,
        actions=[export_button(connection, "/api/account/tokens/export.csv", len(rows.shown))],
    )


def _token(shown: Row[ApiTokenRead], ask: Callable[[ApiTokenRead], None]) -> VdomDict:
    token = shown.item
    label, color = _state(token)
    return list_row(
        html.div(
            {"className": "fw-grow fw-stack fw-stack-tight"},
            row(html.span({"className": "fw-strong"}, token.name), chip(label, color=color), chip(token.scope.label)),
            facts(
                (t("Starts with"), html.code(token.prefix)),
                (t("Created"), moment(token.created_at, shown="date")),
                (t("Expires"), moment(token.expires_at, shown="date")),
                (t("Last used"), moment(token.last_used_at) if token.last_used_at else t("Never")),
            ),
        ),
        row_actions(
            button(
                t("Revoke"),
                size="small",
                danger=True,
                name="revoke",
                on_click=lambda: ask(token),
                aria_label=t("Revoke “{name}”", name=token.name),
            ),
            outcome=shown.outcome,
        )
        if _is_valid(token) or shown.outcome
        else None,
        key=str(token.id),
    )


def _is_valid(token: ApiTokenRead) -> bool:
    return token.revoked_at is None and token.expires_at > now()


def _state(token: ApiTokenRead) -> tuple[str, Color]:
    if token.revoked_at is not None:
        return t("Revoked"), "error"
    return (t("Active"), "success") if _is_valid(token) else (t("Expired"), "warning")

"""The panel Share beside a draft or a list of opportunities."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import Component, VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.opportunities.schemas import OpportunityQuery
from fundwright.sharing import service as sharing
from fundwright.sharing.schemas import (
    NewShare,
    ShareCreated,
    ShareForm,
    ShareKind,
    ShareQuery,
    ShareRead,
    ShareState,
    ViewForm,
)
from fundwright_ui.hooks import use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.secret_link import secret_link
from fundwright_ui.ui import (
    Color,
    button,
    checkbox,
    chip,
    facts,
    form,
    list_row,
    moment,
    problem,
    row,
    section,
    side_panel,
    text_field,
    text_link,
)
from fundwright_ui.ui.passwords import use_visibility
from fundwright_ui.widgets import danger_dialog

PATH = "/dashboard/share-links"
OPEN = "share"
"""The value of `open` in the address for this panel."""
_LISTED = 20
COLORS: dict[ShareState, Color] = {
    ShareState.ACTIVE: "success",
    ShareState.PAUSED: "warning",
    ShareState.EXPIRED: "warning",
    ShareState.ENDED: "secondary",
}


@component
def share_panel(*, draft_id: UUID | None = None, query: OpportunityQuery | None = None) -> VdomDict:
    """Create a link to the draft or to the list of opportunities, and manage earlier ones."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    created, set_created = use_state(cast("ShareCreated | None", None))
    wanted = ShareQuery(draft_id=draft_id, kind=None if draft_id else ShareKind.VIEW, page_size=_LISTED)

    async def read(session: AsyncSession) -> Page[ShareRead]:
        return await sharing.list_shares(session, actor, wanted)

    found = use_query(read, key=[wanted], topics=[sharing.shares_topic(actor.workspace_id)])

    def close() -> None:
        url.set(open=None)

    title = t("Share")
    return side_panel(
        title,
        html.p(
            t("Anyone who has the link can view this draft, without an account.")
            if draft_id
            else t("Anyone who has the link can view what this list finds, without an account.")
        ),
        secret_link(
            created.link,
            t("Send this link to {recipient}. You won't be able to see it again.", recipient=created.recipient.rstrip(".")),
            title=t("Share link"),
        )
        if created is not None
        else None,
        _new_link(draft_id, query, set_created, key=f"new-{created.id if created else ''}"),
        problem(found.error, on_retry=found.reload) if found.error else None,
        _links(found.value, key="links") if found.value and found.value.items else None,
        row(text_link(t("All share links"), connection.href(PATH))),
        close=t("Close"),
        on_close=close,
        key="share",
    )


@component
def _new_link(draft_id: UUID | None, query: OpportunityQuery | None, show: Callable[[ShareCreated], object]) -> Component:
    actor, connection = use_actor(), use_connection()
    kind, toggle = use_visibility()

    async def share(session: AsyncSession, given: ShareForm) -> ShareCreated:
        new = NewShare(**given.model_dump(), draft_id=draft_id, query=query)
        return await sharing.share(session, actor, connection.core, new, client=connection.client)

    sharing_it = use_action(share, success=t("The link was created."), then=show)
    return form(
        text_field(
            "recipient",
            t("For"),
            required=True,
            maxlength=100,
            help=t("The person or organization that you send the link to."),
            id="share-recipient",
        ),
        text_field("title", t("Title of the page"), maxlength=100, id="share-title") if draft_id is None else None,
        text_field(
            "lasts_days",
            t("Expires after (days)"),
            type="number",
            default="14",
            min="1",
            max="90",
            required=True,
            id="share-days",
        ),
        text_field(
            "password",
            t("Password"),
            type=kind,
            autocomplete="new-password",
            maxlength=1_000,
            end=toggle,
            help=t("Leave it empty if the link alone is enough. Send the password separately from the link."),
            id="share-password",
        ),
        checkbox("has_watermark", t("Watermark with the name and the date"), id="share-watermark"),
        checkbox("shows_titles", t("Show the titles of cited documents"), id="share-titles") if draft_id is not None else None,
        checkbox("allows_comments", t("Allow comments"), id="share-comments"),
        on_submit=sharing_it,
        model=ShareForm if draft_id is not None else ViewForm,
        submit=t("Create link"),
        label=t("New share link"),
    )


@component
def _links(found: Page[ShareRead]) -> VdomDict:
    return section(
        t("Share links"),
        html.ul({"className": "fw-list"}, *(_link(each, key=str(each.id)) for each in found.items)),
    )


@component
def _link(link: ShareRead) -> VdomDict:
    return list_row(
        html.div(
            row(
                html.span({"className": "fw-strong", "dir": "auto"}, link.recipient),
                chip(link.state.label, color=COLORS[link.state]),
            ),
            facts(
                opens_text(link),
                t("Password") if link.has_password else None,
                t("Watermark") if link.has_watermark else None,
                t("Comments") if link.allows_comments else None,
                (t("Expires"), moment(link.expires_at, shown="date")) if link.state is ShareState.ACTIVE else None,
            ),
        ),
        revoke_button(link, is_small=True) if is_revocable(link) else None,
        key=str(link.id),
    )


def opens_text(link: ShareRead) -> str:
    return nt("opened {n} time", "opened {n} times", link.opens) if link.opens else t("not opened yet")


def is_revocable(link: ShareRead) -> bool:
    return link.state in (ShareState.ACTIVE, ShareState.PAUSED)


@component
def revoke_button(link: ShareRead, *, is_small: bool = False) -> VdomDict:
    """Asks before it revokes."""
    actor, connection = use_actor(), use_connection()
    is_asking, set_asking = use_state(False)

    async def revoke(session: AsyncSession) -> None:
        await sharing.revoke(session, actor, link.id, client=connection.client)

    revoking = use_action(revoke, success=t("The link was revoked."), then=lambda: set_asking(False))
    return html.fragment(
        button(
            t("Revoke"),
            size="small" if is_small else "medium",
            variant="text" if is_small else "outlined",
            aria_label=t("Revoke the link for {recipient}", recipient=link.recipient),
            danger=True,
            on_click=lambda: set_asking(True),
        ),
        danger_dialog(
            t("Revoke this link?"),
            t("The link for {recipient} stops working immediately. This cannot be undone.", recipient=link.recipient),
            confirm_label=t("Revoke"),
            error=revoking.error,
            on_confirm=revoking,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
    )

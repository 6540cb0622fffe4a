"""The tab Invitations of the people page, the pending invitations above the accounts, and what can be done with each."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import invitations
from fundwright.access.schemas import InvitationQuery, InvitationRead, InvitationSent, InvitationState
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright_ui.hooks import Rows, query_in_address, use_action, use_query, use_rows, use_url_state
from fundwright_ui.hooks.rows import Row as KeptRow
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.invitations import invitation_table
from fundwright_ui.screens.listing import (
    existing_page,
    has_filters,
    open_beside,
    use_listing,
)
from fundwright_ui.screens.secret_link import secret_link
from fundwright_ui.ui import (
    Color,
    button,
    card,
    chip,
    definition_list,
    empty,
    link_button,
    list_row,
    moment,
    problem,
    row,
    row_actions,
    section,
)
from fundwright_ui.widgets import Chip, Column, Row, danger_dialog

_COLORS: dict[InvitationState, Color] = {
    InvitationState.PENDING: "info",
    InvitationState.ACCEPTED: "success",
    InvitationState.EXPIRED: "warning",
    InvitationState.WITHDRAWN: "secondary",
}


_SHOWN_PENDING = 5

OnChanged = Callable[[str], None]
"""Called with an email address."""


def shown_link(sent: InvitationSent) -> VdomDict | None:
    """The new link of an invitation for the administrator to pass on, once; None if an email carries it."""
    if sent.link is None:
        return None
    return secret_link(
        sent.link,
        t(
            "Send this link to {email} yourself. It works once and expires in two weeks. Earlier links no longer work.",
            email=sent.email,
        ),
        title=t("Invitation link"),
    )


@component
def pending_invitations(sent: int, on_changed: OnChanged) -> VdomDict | None:
    """The newest pending invitations, or nothing. `sent` and `on_changed` are as for `invitations_tab`."""
    actor, connection = use_actor(), use_connection()
    query = InvitationQuery(state=InvitationState.PENDING, page_size=_SHOWN_PENDING)
    found = use_query(lambda session: invitations.list_invitations(session, actor, query), key=[actor.id, sent])
    rows = use_rows(found, lambda listed: listed.items, key=[actor.id, sent], id=lambda invitation: invitation.id)
    if found.error:
        return problem(found.error, on_retry=found.reload)
    if not rows.shown:
        return None
    total = found.value.total if found.value else 0
    more = link_button(t("View all"), connection.href(f"{connection.location.path}?tab=invitations"), size="small")
    return section(
        t("Pending invitations"),
        html.ul(
            {"className": "fw-list", "aria-label": t("Pending invitations")},
            *(_pending(each, rows, on_changed, key=each.id) for each in rows.shown),
        ),
        actions=[more] if total > _SHOWN_PENDING else [],
    )


@component
def _pending(shown: KeptRow[InvitationRead], rows: Rows[InvitationRead], on_changed: OnChanged) -> VdomDict:
    invitation = shown.item
    return list_row(
        html.div(
            {"className": "fw-grow"},
            html.p({"className": "fw-strong"}, invitation.email),
            html.p(
                {"className": "fw-muted fw-small"},
                f"{invitation.role.label} · ",
                t("Expires"),
                " ",
                moment(invitation.expires_at, shown="date"),
            ),
        ),
        _actions(invitation, on_changed, lambda: rows.settle(invitation, t("Withdrawn")), outcome=shown.outcome),
        key=shown.id,
    )


@component
def _actions(invitation: InvitationRead, on_changed: OnChanged, on_withdrawn: Callable[[], None], outcome: str = "") -> VdomDict:
    """What an administrator can do with a pending or expired invitation. A new link is shown below."""
    actor, connection = use_actor(), use_connection()
    renewed, set_renewed = use_state(cast("InvitationSent | None", None))
    is_asking, set_asking = use_state(False)
    sends_mail = connection.core.settings.sends_mail

    async def renew(session: AsyncSession, *, by_email: bool) -> InvitationSent:
        return await invitations.renew_invitation(
            session, actor, connection.core, invitation.id, by_email=by_email, client=connection.client
        )

    async def send(session: AsyncSession) -> InvitationSent:
        return await renew(session, by_email=True)

    async def create_link(session: AsyncSession) -> InvitationSent:
        return await renew(session, by_email=False)

    async def withdraw(session: AsyncSession) -> None:
        await invitations.withdraw_invitation(session, actor, invitation.id, client=connection.client)

    def close() -> None:
        set_asking(False)

    def show_renewed(invited: InvitationSent) -> None:
        set_renewed(invited)
        on_changed(invited.email)

    def withdrawn() -> None:
        close()
        on_changed(invitation.email)
        on_withdrawn()

    sending = use_action(send, success=t("The invitation was sent again."), then=show_renewed)
    creating = use_action(create_link, then=show_renewed)
    withdrawing = use_action(withdraw, success=t("The invitation was withdrawn."), then=withdrawn)
    about = {"email": invitation.email}
    return html.fragment(
        row_actions(
            button(
                t("Resend"),
                size="small",
                name="resend",
                on_click=sending,
                aria_label=t("Resend the invitation to {email}", **about),
            )
            if sends_mail
            else None,
            button(t("New link"), size="small", name="link", on_click=creating, aria_label=t("New link for {email}", **about)),
            button(
                t("Withdraw"),
                size="small",
                danger=True,
                name="withdraw",
                on_click=lambda: set_asking(True),
                aria_label=t("Withdraw the invitation to {email}", **about),
            )
            if invitation.state is InvitationState.PENDING
            else None,
            outcome=outcome,
        ),
        shown_link(renewed) if renewed else None,
        danger_dialog(
            t("Withdraw the invitation to {email}?", **about),
            t("The link in the invitation will stop working. You can invite this address again."),
            confirm_label=t("Withdraw"),
            cancel_label=t("Keep"),
            error=withdrawing.error,
            on_confirm=withdrawing,
            on_cancel=close,
        )
        if is_asking
        else None,
    )


@component
def invitations_tab(sent: int, on_changed: OnChanged) -> VdomDict:
    """`sent` counts the invitations sent on this page; each one reloads the list. `on_changed` is called when an earlier link of
    an address stops working."""
    actor, url = use_actor(), use_url_state()
    query = query_in_address(InvitationQuery, url)

    async def read(session: AsyncSession) -> Page[InvitationRead]:
        return await existing_page(lambda asked: invitations.list_invitations(session, actor, asked), query)

    listing = use_listing(read, query, lambda listed: listed, id=lambda invitation: invitation.id, key=[sent])
    listed, rows = listing.answer, listing.rows
    if listed is None:
        return listing.pending(t("Loading invitations"))
    if not listed.total and not rows.shown and not has_filters(query):
        return empty(t("No invitations yet. Choose Invite to send one."), icon_name="mail")
    opened = listing.opened(url)
    return html.fragment(
        *invitation_table(
            listing,
            listed,
            columns=[
                Column(field="email", label=t("Email"), is_sortable=True, flex=6, min_width=180),
                Column(field="role", label=t("Role"), is_sortable=True, min_width=120),
                Column(field="state", label=t("Status"), kind="chips"),
                Column(field="invited_by", label=t("Invited by"), is_compact=False, flex=1.5),
                Column(field="created_at", label=t("Sent"), kind="datetime", is_sortable=True, is_compact=False),
                Column(field="expires_at", label=t("Expires"), kind="datetime", is_sortable=True),
            ],
            row_of=_row,
            export="/api/invitations/export.csv",
            states=InvitationState,
            above=_opened(opened, rows, on_changed, key=str(opened.id)) if opened else None,
            on_open=open_beside(url),
        ),
    )


def _row(shown: KeptRow[InvitationRead]) -> Row:
    invitation = shown.item
    chip = Chip(label=invitation.state.label, color=_COLORS[invitation.state])
    return Row(
        id=shown.id,
        cells={
            "email": invitation.email,
            "role": invitation.role.label,
            "state": (Chip(label=shown.outcome, color="secondary") if shown.outcome else chip,),
            "invited_by": invitation.invited_by or "",
            "created_at": invitation.created_at,
            "expires_at": invitation.expires_at,
        },
    )


@component
def _opened(invitation: InvitationRead, rows: Rows[InvitationRead], on_changed: OnChanged) -> VdomDict:
    """Details and actions of the selected invitation."""
    url = use_url_state()

    def settle() -> None:
        rows.settle(invitation, t("Withdrawn"))
        url.set(open=None)

    is_over = invitation.state in (InvitationState.ACCEPTED, InvitationState.WITHDRAWN)
    return card(
        definition_list(
            {
                t("Role"): invitation.role.label,
                t("Status"): chip(invitation.state.label, color=_COLORS[invitation.state]),
                t("Invited by"): invitation.invited_by or t("Command line or deleted account"),
                t("Sent"): moment(invitation.created_at),
                t("Expires"): moment(invitation.expires_at),
            }
        ),
        _actions(invitation, on_changed, settle) if not is_over else None,
        row(button(t("Close"), size="small", variant="text", on_click=lambda: url.set(open=None))),
        title=invitation.email,
    )

"""The tab Invitations of the people page."""

from __future__ import annotations

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import invitations
from fundwright.access.schemas import InvitationQuery, InvitationRead, InvitationState
from fundwright.accounts.schemas import Permission
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import Rows, query_in_address, use_action, use_url_state
from fundwright_ui.hooks.rows import Row as KeptRow
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.listing import (
    choices,
    existing_page,
    filters,
    has_filters,
    listed_table,
    open_beside,
    text_filter,
    use_listing,
)
from fundwright_ui.ui import Color, button, card, chip, definition_list, empty, moment, row, select_field
from fundwright_ui.widgets import Chip, Column, Row, danger_dialog

_COLORS: dict[InvitationState, Color] = {
    InvitationState.PENDING: "info",
    InvitationState.ACCEPTED: "success",
    InvitationState.EXPIRED: "warning",
    InvitationState.WITHDRAWN: "secondary",
}


@component
def invitations_tab(sent: int) -> VdomDict:
    """`sent` counts the invitations sent on this page; each one reloads the list."""
    actor, url = use_actor(), use_url_state()
    query = query_in_address(InvitationQuery, url.params)

    async def read(session: AsyncSession) -> Page[InvitationRead]:
        return await existing_page(lambda asked: invitations.list_invitations(session, actor, asked), query)

    listing = use_listing(read, query, lambda listed: listed, id=lambda invitation: invitation.id, key=[sent])
    listed, rows = listing.answer, listing.rows
    if listed is None:
        return listing.pending(t("Loading invitations"))
    if not listed.total and not rows.shown and not has_filters(query):
        may_invite = actor.may(Permission.ADMINISTER)
        return empty(t("No invitations yet. Choose Invite to send one.") if may_invite else t("No invitations yet."))
    opened = listing.opened(url)
    return html.fragment(
        filters(
            url,
            text_filter(query.text),
            select_field("state", t("Status"), choices(InvitationState, t("Any")), value=query.state or ""),
        ),
        *listed_table(
            listing,
            listed,
            label=t("Invitations"),
            count=nt("{n} invitation", "{n} invitations", listed.total),
            columns=[
                Column(field="email", label=t("Email"), is_sortable=True, flex=2, min_width=180),
                Column(field="role", label=t("Role"), is_sortable=True, min_width=120),
                Column(field="state", label=t("Status"), kind="chips"),
                Column(field="invited_by", label=t("Invited by"), is_compact=False, flex=1.5),
                Column(field="created_at", label=t("Sent"), kind="datetime", is_sortable=True, is_compact=False),
                Column(field="expires_at", label=t("Expires"), kind="datetime", is_sortable=True),
            ],
            row_of=_row,
            export="/api/invitations/export.csv",
            nothing=empty(t("No invitations match. Change the filters.")),
            above=_opened(opened, rows, key=str(opened.id)) if opened else None,
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
def _opened(invitation: InvitationRead, rows: Rows[InvitationRead]) -> VdomDict:
    """Details and actions of the selected invitation."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    is_asking, set_asking = use_state(False)

    async def withdraw(session: AsyncSession) -> None:
        await invitations.withdraw_invitation(session, actor, invitation.id, client=connection.client)

    def settle() -> None:
        rows.settle(invitation, t("Withdrawn"))
        url.set(open=None)

    withdrawing = use_action(withdraw, success=t("The invitation was withdrawn."), then=settle)
    can_withdraw = invitation.state is InvitationState.PENDING and actor.may(Permission.ADMINISTER)
    return html.div(
        card(
            definition_list(
                {
                    t("Role"): invitation.role.label,
                    t("Status"): chip(invitation.state.label, color=_COLORS[invitation.state]),
                    t("Invited by"): invitation.invited_by or t("Command line or deleted account"),
                    t("Sent"): moment(invitation.created_at),
                    t("Expires"): moment(invitation.expires_at),
                }
            ),
            row(
                button(t("Withdraw"), size="small", danger=True, on_click=lambda: set_asking(True)) if can_withdraw else None,
                button(t("Close"), size="small", variant="text", on_click=lambda: url.set(open=None)),
            ),
            title=invitation.email,
        ),
        danger_dialog(
            t("Withdraw the invitation to {email}?", email=invitation.email),
            t("The link in the invitation will stop working. You can invite this address again."),
            confirm_label=t("Withdraw"),
            cancel_label=t("Keep"),
            error=withdrawing.error,
            on_confirm=withdrawing,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
    )

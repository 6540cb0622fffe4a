"""The tab Invitations of a workspace, and the form for a new one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.core.messages import t
from fundwright.core.paging import Page
from fundwright.workspaces import invitations
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationForm, InvitationQuery, InvitationRead, InvitationSent, InvitationState
from fundwright_ui.hooks import Row as KeptRow
from fundwright_ui.hooks import query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.invitations import invitation_table
from fundwright_ui.screens.listing import (
    Listing,
    existing_page,
    has_filters,
    open_beside,
    use_listing,
)
from fundwright_ui.screens.workspaces.members import role_help, role_options
from fundwright_ui.ui import (
    Color,
    alert,
    button,
    chip,
    definition_list,
    empty,
    form,
    moment,
    row,
    select_field,
    side_panel,
    text_field,
)
from fundwright_ui.widgets import Chip, Column, Row, danger_dialog

_COLORS: dict[InvitationState, Color] = {
    InvitationState.PENDING: "info",
    InvitationState.USED: "success",
    InvitationState.EXPIRED: "warning",
    InvitationState.ENDED: "secondary",
}


@component
def invitations_tab(is_owner: bool, sent: int) -> VdomDict:
    """`sent` counts the invitations sent on this page; each one reloads the list."""
    actor, url = use_actor(), use_url_state()
    url.open(open=("{id}",))
    query = query_in_address(InvitationQuery, url)

    async def read(session: AsyncSession) -> Page[InvitationRead]:
        return await existing_page(partial(invitations.list_invitations, session, actor), query)

    listing = use_listing(
        read,
        query,
        lambda listed: listed,
        id=lambda invitation: invitation.id,
        key=[sent],
        topics=[workspaces.workspace_topic(actor.workspace_id)],
    )
    listed = listing.answer
    if listed is None:
        return listing.pending(t("Loading invitations"))
    if not listed.total and not listing.rows.shown and not has_filters(query):
        return empty(
            t("No invitations yet. Choose Invite to send one.") if is_owner else t("No invitations yet."), icon_name="mail"
        )
    opened = listing.opened(url) if is_owner else None
    return html.fragment(
        *invitation_table(
            listing,
            listed,
            columns=[
                Column(field="email", label=t("For"), is_sortable=True, flex=3, min_width=180),
                Column(field="role", label=t("Role"), is_sortable=True, min_width=120),
                Column(field="state", label=t("Status"), kind="chips", min_width=130),
                Column(field="created_at", label=t("Sent"), kind="date", is_sortable=True, is_compact=False, min_width=130),
                Column(field="expires_at", label=t("Expires"), kind="date", is_sortable=True, min_width=130),
            ],
            row_of=_row,
            export="/api/workspace/invitations/export.csv",
            states=InvitationState,
            on_open=open_beside(url) if is_owner else None,
        ),
        _invitation(opened, listing, key=str(opened.id)) if opened else None,
    )


def _row(shown: KeptRow[InvitationRead]) -> Row:
    invitation = shown.item
    state = Chip(label=invitation.state.label, color=_COLORS[invitation.state])
    return Row(
        id=shown.id,
        cells={
            "email": whom(invitation),
            "role": invitation.role.label,
            "state": (Chip(label=shown.outcome, color="secondary") if shown.outcome else state,),
            "created_at": invitation.created_at,
            "expires_at": invitation.expires_at,
        },
    )


def whom(invitation: InvitationRead) -> str:
    return invitation.email or t("Anyone with the link")


@component
def _invitation(invitation: InvitationRead, listing: Listing[Page[InvitationRead], InvitationRead]) -> VdomDict:
    """Details of the selected invitation, for owners."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    is_asking, set_asking = use_state(False)

    async def withdraw(session: AsyncSession) -> None:
        await invitations.withdraw(session, actor, invitation.id, client=connection.client)

    def close() -> None:
        url.set(open=None)

    def withdrawn() -> None:
        listing.rows.settle(invitation, t("Withdrawn"))
        close()

    withdrawing = use_action(withdraw, success=t("The invitation was withdrawn."), then=withdrawn)
    return side_panel(
        whom(invitation),
        definition_list(
            {
                t("Role"): invitation.role.label,
                t("Status"): chip(invitation.state.label, color=_COLORS[invitation.state]),
                t("Used"): t("{done} of {total}", done=invitation.uses, total=invitation.most_uses),
                t("Invited by"): invitation.invited_by or t("Deleted account"),
                t("Sent"): moment(invitation.created_at),
                t("Expires"): moment(invitation.expires_at),
            }
        ),
        row(button(t("Withdraw"), danger=True, on_click=lambda: set_asking(True)))
        if invitation.state is InvitationState.PENDING
        else None,
        danger_dialog(
            t("Withdraw this invitation?"),
            t("Its link will stop working. People who have joined with it stay members."),
            confirm_label=t("Withdraw"),
            cancel_label=t("Keep"),
            error=withdrawing.error,
            on_confirm=withdrawing,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
        close=t("Close"),
        on_close=close,
        key=f"invitation-{invitation.id}",
    )


@component
def invite_panel(show_sent: Callable[[InvitationSent], None]) -> VdomDict:
    """The form for a new invitation."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    settings = connection.core.settings
    help_sentences = [t("Leave it empty to get a link for several people.")]
    if not settings.open_registration:
        help_sentences.append(t("People without an account need an invitation from an administrator first."))

    async def invite(session: AsyncSession, new: InvitationForm) -> InvitationSent:
        return await invitations.invite(session, actor, connection.core, new, client=connection.client)

    def close() -> None:
        url.set(open=None)

    inviting = use_action(invite, success=t("The invitation was created."), then=show_sent)
    title = t("Invite to this workspace")
    return side_panel(
        title,
        None
        if settings.sends_mail
        else alert(t("This server does not send email. You will get a link to send to the person yourself."), variant="info"),
        form(
            text_field(
                "email",
                t("Email"),
                type="email",
                maxlength=254,
                help=" ".join(help_sentences),
                id="invite-email",
            ),
            select_field(
                "role",
                t("Role in this workspace"),
                role_options(),
                default=WorkspaceRole.EDITOR,
                help=role_help(),
                id="invite-role",
            ),
            html.div(
                {"className": "fw-form-row"},
                text_field(
                    "lasts_days", t("Expires after (days)"), type="number", default="14", min="1", max="90", required=True
                ),
                text_field(
                    "most_uses",
                    t("People who can use the link"),
                    type="number",
                    default="1",
                    min="1",
                    max="1000",
                    required=True,
                    help=t("An invitation to an email address works only once."),
                ),
            ),
            on_submit=inviting,
            model=InvitationForm,
            submit=t("Create invitation"),
            label=title,
            actions=[button(t("Cancel"), on_click=close)],
        ),
        close=t("Close"),
        on_close=close,
        key="invite",
    )

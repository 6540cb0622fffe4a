"""`/dashboard/users`: accounts and invitations."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from pydantic import BaseModel, ConfigDict, Field
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.access import invitations
from fundwright.access.schemas import InvitationSent
from fundwright.accounts import people
from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import AccountRead, AccountState, PeopleQuery, Permission, Role
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.admin.invitations import invitations_tab, pending_invitations, shown_link
from fundwright_ui.screens.listing import choices, existing_page, listed_table, narrow, open_below, search_box, use_listing
from fundwright_ui.ui import Color, Option, Tab, alert, button, form, page, select_field, side_panel, tabs, text_field
from fundwright_ui.widgets import Chip, Column, LinkCell, Row

PATH = "/dashboard/users"

STATE_COLORS: dict[AccountState, Color] = {
    AccountState.ACTIVE: "success",
    AccountState.UNCONFIRMED: "warning",
    AccountState.DISABLED: "error",
}


class Invited(BaseModel):
    """The form for an invitation."""

    model_config = ConfigDict(frozen=True)

    email: str = Field(min_length=1, max_length=254)
    role: Role = Role.USER


def role_options() -> list[Option]:
    return [Option(role, role.label) for role in Role]


@screen(PATH, "People", roles=roles_with(Permission.ADMINISTER), help="/help/people")
def people_screen() -> VdomDict:
    connection, url = use_connection(), use_url_state(tab=("accounts", "invitations"), open=("invite", "{id}"))
    sent, set_sent = use_state(0)
    shown, set_shown = use_state(cast("InvitationSent | None", None))
    chosen = "invitations" if url.get("tab") == "invitations" else "accounts"

    def show_sent(invitation: InvitationSent) -> None:
        url.set(open=None)
        set_sent(sent + 1)
        set_shown(invitation)

    def forget_link(email: str) -> None:
        """The link that is shown no longer works if the invitation of this address has changed."""
        if shown is not None and shown.email == email:
            set_shown(None)

    return page(
        t("People"),
        _invite(show_sent, key="invite") if url.get("open") == "invite" else None,
        shown_link(shown) if shown else None,
        tabs(
            [
                Tab("accounts", t("Accounts"), connection.href(PATH)),
                Tab("invitations", t("Invitations"), connection.href(f"{PATH}?tab=invitations")),
            ],
            chosen,
            label=t("People"),
        ),
        *(
            [invitations_tab(sent, forget_link, key="invitations")]
            if chosen == "invitations"
            else [pending_invitations(sent, forget_link, key="pending"), _accounts(key="accounts")]
        ),
        subtitle=t("Everyone with an account or an invitation"),
        actions=[
            button(
                t("Invite"),
                icon_name="add",
                variant="contained",
                on_click=lambda: url.set(open="invite"),
                disabled=url.get("open") == "invite",
            )
        ],
    )


@component
def _accounts() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    query = query_in_address(PeopleQuery, url)

    async def read(session: AsyncSession) -> Page[AccountRead]:
        return await existing_page(lambda asked: people.list_people(session, actor, asked), query)

    listing = use_listing(read, query, lambda listed: listed, id=lambda person: person.id)
    listed = listing.answer
    if listed is None:
        return listing.pending(t("Loading accounts"))
    return html.fragment(
        *listed_table(
            listing,
            listed,
            label=t("People"),
            count=nt("{n} account", "{n} accounts", listed.total),
            columns=[
                Column(field="email", label=t("Account"), kind="link", is_sortable=True, flex=6, min_width=180),
                Column(field="name", label=t("Name"), is_sortable=True, is_compact=False, flex=1.5),
                Column(field="role", label=t("Role"), is_sortable=True, min_width=120),
                Column(field="state", label=t("Status"), kind="chips"),
                Column(field="created_at", label=t("Created"), kind="date", is_sortable=True, is_compact=False),
                Column(
                    field="last_signed_in_at",
                    label=t("Last signed in"),
                    kind="datetime",
                    is_sortable=True,
                    is_compact=False,
                    min_width=180,
                ),
            ],
            row_of=lambda each: _row(each.item, connection.href(f"{PATH}/{each.id}")),
            export="/api/people/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search accounts"),
                select_field(
                    "role",
                    t("Role"),
                    [Option("", t("Any")), *role_options()],
                    value=query.role or "",
                    on_change=narrow(url, "role"),
                ),
                select_field(
                    "state", t("Status"), choices(AccountState, t("Any")), value=query.state or "", on_change=narrow(url, "state")
                ),
            ),
            nothing=t("No accounts match. Change the filters."),
            on_open=open_below(connection, PATH),
        ),
    )


@component
def _invite(show_sent: Callable[[InvitationSent], None]) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    async def send(session: AsyncSession, invited: Invited) -> InvitationSent:
        return await invitations.invite(
            session, actor, connection.core, email=invited.email, role=invited.role, client=connection.client
        )

    sends_mail = connection.core.settings.sends_mail
    sending = use_action(send, success=t("The invitation was sent.") if sends_mail else None, then=show_sent)

    def close() -> None:
        url.set(open=None)

    return side_panel(
        t("Invite a person"),
        None
        if sends_mail
        else alert(t("This server does not send email. You will get a link to send to the person yourself."), variant="info"),
        form(
            html.div(
                {"className": "fw-form-row"},
                text_field("email", t("Email"), type="email", required=True, maxlength=254),
                select_field("role", t("Role"), role_options(), default=Role.USER, id="invite-role"),
            ),
            on_submit=sending,
            model=Invited,
            submit=t("Send invitation") if sends_mail else t("Create invitation"),
            label=t("Invite a person"),
            actions=[button(t("Cancel"), on_click=close)],
        ),
        close=t("Close"),
        on_close=close,
        key="invite",
    )


def _row(person: AccountRead, href: str) -> Row:
    return Row(
        id=str(person.id),
        cells={
            "email": LinkCell(label=person.email, href=href),
            "name": person.name,
            "role": person.role.label,
            "state": (Chip(label=person.state.label, color=STATE_COLORS[person.state]),),
            "created_at": person.created_at,
            "last_signed_in_at": person.last_signed_in_at,
        },
    )

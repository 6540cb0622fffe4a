"""The tab Members of a workspace."""

from __future__ import annotations

from functools import partial

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import MemberQuery, MemberRead, RoleChange, WorkspaceRead
from fundwright_ui.hooks import query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.listing import (
    Listing,
    choices,
    existing_page,
    listed_table,
    narrow,
    open_beside,
    search_box,
    use_listing,
)
from fundwright_ui.ui import Option, button, definition_list, form, moment, row, select_field, side_panel
from fundwright_ui.widgets import Column, Row, danger_dialog


def role_options() -> list[Option]:
    return [Option(role, role.label) for role in WorkspaceRole]


def role_help() -> str:
    return t(
        "Owners can do everything. Editors can add documents, write drafts, and categorize. Reviewers can view and categorize. Viewers can only view."
    )


@component
def members_tab(workspace: WorkspaceRead) -> VdomDict:
    actor, url = use_actor(), use_url_state()
    url.open(open=("{id}",))
    query = query_in_address(MemberQuery, url)
    is_owner = workspace.role is WorkspaceRole.OWNER

    async def read(session: AsyncSession) -> Page[MemberRead]:
        return await existing_page(partial(workspaces.list_members, session, actor), query)

    listing = use_listing(
        read,
        query,
        lambda listed: listed,
        id=lambda member: member.id,
        key=[workspace.id],
        topics=[workspaces.workspace_topic(workspace.id)],
    )
    listed = listing.answer
    if listed is None:
        return listing.pending(t("Loading members"))
    opened = listing.opened(url) if is_owner else None
    return html.fragment(
        *listed_table(
            listing,
            listed,
            label=t("Members"),
            count=nt("{n} member", "{n} members", listed.total),
            columns=[
                Column(field="name", label=t("Name"), is_sortable=True, flex=2, min_width=150),
                Column(field="email", label=t("Email"), is_sortable=True, flex=2, min_width=180),
                Column(field="role", label=t("Role"), is_sortable=True, min_width=120),
                Column(field="joined_at", label=t("Joined"), kind="date", is_sortable=True, is_compact=False, min_width=130),
            ],
            row_of=lambda each: Row(
                id=each.id,
                cells={
                    "name": t("{name} (you)", name=each.item.name) if each.item.id == actor.id else each.item.name,
                    "email": each.item.email,
                    "role": each.outcome or each.item.role.label,
                    "joined_at": each.item.joined_at,
                },
            ),
            export="/api/workspace/members/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search members"),
                select_field(
                    "role",
                    t("Role"),
                    choices(WorkspaceRole, t("Any")),
                    value=query.role or "",
                    on_change=narrow(url, "role"),
                    id="member-role",
                ),
            ),
            nothing=t("No members match. Change your search or the filter."),
            on_open=open_beside(url) if is_owner else None,
        ),
        _member(opened, workspace, listing, key=f"{opened.id}-{opened.role}") if opened else None,
    )


@component
def _member(member: MemberRead, workspace: WorkspaceRead, listing: Listing[Page[MemberRead], MemberRead]) -> VdomDict:
    """Details of the selected member, for owners."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    asking, set_asking = use_state("")

    async def change(session: AsyncSession, changed: RoleChange) -> None:
        await workspaces.change_role(session, actor, member.id, changed.role, client=connection.client)

    async def remove(session: AsyncSession) -> None:
        await workspaces.remove_member(session, actor, member.id, client=connection.client)

    async def transfer(session: AsyncSession) -> None:
        await workspaces.transfer_ownership(session, actor, member.id, client=connection.client)

    def close() -> None:
        url.set(open=None)

    def stop_asking() -> None:
        set_asking("")

    def changed() -> None:
        close()
        listing.load()

    def removed() -> None:
        listing.rows.settle(member, t("Removed"))
        close()

    changing = use_action(change, success=t("The role was changed."), then=changed)
    transferring = use_action(transfer, success=t("{name} is an owner now.", name=member.name), then=changed)
    removing = use_action(remove, success=t("{name} was removed.", name=member.name), then=removed)
    return side_panel(
        member.name,
        definition_list({t("Email"): member.email, t("Joined"): moment(member.joined_at)}),
        form(
            select_field(
                "role", t("Role in this workspace"), role_options(), default=member.role, help=role_help(), id="new-role"
            ),
            on_submit=changing,
            model=RoleChange,
            submit=t("Change role"),
            label=t("Change role"),
            is_secondary=True,
        ),
        row(
            button(t("Make owner and step down"), on_click=lambda: set_asking("transfer")),
            button(t("Remove from workspace"), danger=True, on_click=lambda: set_asking("remove")),
        )
        if member.id != actor.id
        else None,
        danger_dialog(
            t("Remove {name} from “{workspace}”?", name=member.name, workspace=workspace.name),
            t(
                "This person loses access to the workspace immediately, and invitation links without an email address stop working. What they created stays."
            ),
            confirm_label=t("Remove from workspace"),
            error=removing.error,
            on_confirm=removing,
            on_cancel=stop_asking,
            key="remove",
        )
        if asking == "remove"
        else None,
        danger_dialog(
            t("Make {name} an owner and step down?", name=member.name),
            t(
                "You become an editor: you can no longer manage members, or rename or delete the workspace. Invitations that you sent and links without an email address stop working."
            ),
            confirm_label=t("Make owner and step down"),
            error=transferring.error,
            on_confirm=transferring,
            on_cancel=stop_asking,
            key="transfer",
        )
        if asking == "transfer"
        else None,
        close=t("Close"),
        on_close=close,
        key=f"member-{member.id}-{member.role}",
    )

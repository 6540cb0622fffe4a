"""`/dashboard/workspace`: the members of a workspace, invitations to it, its profile, and its plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission, WorkspaceRole
from fundwright.core.messages import t
from fundwright.profiles import service as profiles
from fundwright.workspaces import service as workspaces
from fundwright.workspaces.schemas import InvitationSent, WorkspaceForm, WorkspaceRead
from fundwright_ui.hooks import Action, use_action, use_query, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.activity import activity_feed
from fundwright_ui.screens.secret_link import secret_link
from fundwright_ui.screens.sharing.panel import PATH as SHARE_LINKS
from fundwright_ui.screens.workspaces.invitations import invitations_tab, invite_panel
from fundwright_ui.screens.workspaces.joining import own_invitations
from fundwright_ui.screens.workspaces.members import members_tab
from fundwright_ui.screens.workspaces.plan import plan_tab
from fundwright_ui.screens.workspaces.profile import profile_tab
from fundwright_ui.screens.workspaces.restricting import restricted_tab
from fundwright_ui.screens.workspaces.support import OPEN as SUPPORT
from fundwright_ui.screens.workspaces.support import support_panel
from fundwright_ui.ui import (
    Tab,
    button,
    form,
    link_button,
    loading,
    menu,
    page,
    problem,
    side_panel,
    tabs,
    text_field,
)
from fundwright_ui.widgets import danger_dialog, form_dialog

PATH = "/dashboard/workspace"

_NEW, _INVITE, _RENAME = "new", "invite", "rename"
_MENU = "workspace-actions"


@screen(PATH, "Workspace", help="/help/workspaces")
def workspace_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    found = use_query(
        lambda session: workspaces.get_workspace(session, actor),
        key=[actor.workspace_id],
        topics=[workspaces.workspace_topic(actor.workspace_id)],
    )
    title, workspace = t("Workspace"), found.value
    if found.error:
        return page(title, problem(found.error, on_retry=found.reload))
    if workspace is None:
        return page(title, loading(t("Loading the workspace")))
    if workspace.id != actor.id:
        return html.fragment(_shared(workspace, key="shared"))
    url.open(open=(_NEW, SUPPORT))
    is_creating = url.get("open") == _NEW
    contents = {
        "activity": activity_feed(key="activity"),
        "profile": profile_tab(key="profile"),
        "plan": plan_tab(is_owner=not actor.is_support, key="plan"),
    }
    url.open(tab=contents)
    chosen = url.get("tab") if url.get("tab") in contents else "activity"
    return page(
        title,
        own_invitations(key="own"),
        _new(key=_NEW) if is_creating else None,
        support_panel(key=SUPPORT) if url.get("open") == SUPPORT else None,
        html.p(
            {"className": "fw-muted"},
            t("Only you can use your personal workspace. Create another one to work with other people."),
        ),
        tabs(
            [
                Tab("activity", t("Activity"), connection.href(PATH)),
                Tab("profile", t("Profile"), connection.href(profiles.PATH)),
                Tab("plan", t("Plan"), connection.href(f"{PATH}?tab=plan")),
            ],
            chosen,
            label=title,
        ),
        contents[chosen],
        subtitle=workspace.title,
        actions=[
            _share_links(),
            button(
                t("New workspace"),
                icon_name="add",
                variant="outlined" if chosen == "profile" else "contained",
                on_click=lambda: url.set(open=_NEW),
                disabled=is_creating,
            ),
            menu(
                t("More actions"),
                button(t("Allow support access"), variant="text", on_click=lambda: url.set(open=SUPPORT), closes=_MENU),
                id=_MENU,
            ),
        ],
    )


@component
def _shared(workspace: WorkspaceRead) -> VdomDict:
    connection, url = use_connection(), use_url_state(open=(_NEW, _INVITE, _RENAME, SUPPORT))
    sent, set_sent = use_state(0)
    shown, set_shown = use_state(cast("InvitationSent | None", None))
    opened, is_owner = url.get("open"), workspace.role is WorkspaceRole.OWNER
    contents = {
        "members": members_tab(workspace, key="members"),
        "invitations": invitations_tab(is_owner, sent, key="invitations"),
        "activity": activity_feed(key="activity"),
        "profile": profile_tab(key="profile"),
        "plan": plan_tab(is_owner, key="plan"),
        **({"restricted": restricted_tab(key="restricted")} if is_owner else {}),
    }
    url.open(tab=contents)
    chosen = url.get("tab") if url.get("tab") in contents else "members"
    title = t("Workspace")

    def show_sent(invitation: InvitationSent) -> None:
        url.set(open=None)
        set_sent(sent + 1)
        is_mailed = invitation.email is not None and connection.core.settings.sends_mail
        set_shown(None if is_mailed else invitation)

    return page(
        title,
        own_invitations(key="own"),
        _new(key=_NEW) if opened == _NEW else None,
        _rename(workspace, key=_RENAME) if opened == _RENAME and is_owner else None,
        invite_panel(show_sent, key=_INVITE) if opened == _INVITE and is_owner else None,
        support_panel(key=SUPPORT) if opened == SUPPORT and is_owner else None,
        secret_link(shown.link, _whom_to_send(shown), title=t("Invitation link")) if shown is not None else None,
        tabs(
            [
                Tab("members", t("Members"), connection.href(PATH)),
                Tab("invitations", t("Invitations"), connection.href(f"{PATH}?tab=invitations")),
                Tab("activity", t("Activity"), connection.href(f"{PATH}?tab=activity")),
                Tab("profile", t("Profile"), connection.href(profiles.PATH)),
                Tab("plan", t("Plan"), connection.href(f"{PATH}?tab=plan")),
                *([Tab("restricted", t("Restricted"), connection.href(f"{PATH}?tab=restricted"))] if is_owner else []),
            ],
            chosen,
            label=title,
        ),
        contents[chosen],
        subtitle=f"{workspace.title} · {workspace.role.label}",
        actions=[
            _share_links(),
            button(
                t("Invite"),
                icon_name="add",
                variant="outlined" if chosen == "profile" else "contained",
                on_click=lambda: url.set(open=_INVITE),
                disabled=opened == _INVITE,
            )
            if is_owner
            else None,
            None if use_actor().is_support else _more(workspace, key="more"),
        ],
    )


def _share_links() -> VdomDict | None:
    if not use_actor().may(Permission.WORK):
        return None
    return link_button(t("Share links"), use_connection().href(SHARE_LINKS), icon_name="link")


def _whom_to_send(sent: InvitationSent) -> str:
    if sent.email is not None:
        return t("Send this link to {email} yourself. Only this address can use it, once.", email=sent.email)
    return t("Send this link to the people you want to work with. You won't be able to see it again.")


@component
def _more(workspace: WorkspaceRead) -> VdomDict:
    """Renaming, leaving, and deleting the workspace."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    asking, set_asking = use_state("")

    async def leave(session: AsyncSession) -> None:
        await workspaces.leave_workspace(session, actor, client=connection.client)

    async def delete(session: AsyncSession, typed: WorkspaceForm) -> None:
        await workspaces.delete_workspace(session, actor, connection.core, name=typed.name, client=connection.client)

    def show_personal() -> None:
        connection.navigate(PATH, reload=True)

    def close() -> None:
        set_asking("")

    def entry(label: str, on_click: Callable[[], None], *, danger: bool = False) -> VdomDict:
        return button(label, variant="text", on_click=on_click, closes=_MENU, danger=danger)

    leaving = use_action(leave, then=show_personal)
    deleting = use_action(delete, then=show_personal)
    is_owner = workspace.role is WorkspaceRole.OWNER
    return html.fragment(
        menu(
            t("More actions"),
            entry(t("Rename workspace"), lambda: url.set(open=_RENAME)) if is_owner else None,
            entry(t("Allow support access"), lambda: url.set(open=SUPPORT)) if is_owner else None,
            entry(t("Leave workspace"), lambda: set_asking("leave")),
            entry(t("Delete workspace"), lambda: set_asking("delete"), danger=True) if is_owner else None,
            id=_MENU,
        ),
        danger_dialog(
            t("Leave “{name}”?", name=workspace.name),
            t("You will no longer see its documents, categories, and drafts. What you created stays in the workspace."),
            confirm_label=t("Leave workspace"),
            error=leaving.error,
            on_confirm=leaving,
            on_cancel=close,
            key="leave",
        )
        if asking == "leave"
        else None,
        form_dialog(
            t("Delete “{name}”?", name=workspace.name),
            html.p(
                t(
                    "All documents, categories, and drafts of this workspace are deleted permanently for all its members. This cannot be undone."
                )
            ),
            text_field(
                "name",
                t("Name of the workspace"),
                required=True,
                maxlength=100,
                help=t("Type {name} to confirm.", name=workspace.name),
            ),
            is_open=asking == "delete",
            on_submit=deleting,
            on_close=close,
            model=WorkspaceForm,
            submit=t("Delete workspace"),
            danger=True,
            key="delete",
        )
        if is_owner
        else None,
    )


@component
def _new() -> VdomDict:
    actor, connection = use_actor(), use_connection()

    async def create(session: AsyncSession, new: WorkspaceForm) -> None:
        made = await workspaces.create_workspace(session, actor, connection.core, new, client=connection.client)
        await workspaces.use_workspace(session, actor, made.id)

    creating = use_action(create, then=lambda: connection.navigate(PATH, reload=True))
    return _name_panel(t("New workspace"), creating, submit=t("Create workspace"), key=_NEW)


@component
def _rename(workspace: WorkspaceRead) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()

    async def rename(session: AsyncSession, new: WorkspaceForm) -> None:
        await workspaces.rename_workspace(session, actor, new, client=connection.client)

    renaming = use_action(rename, success=t("The workspace was renamed."), then=lambda: url.set(open=None))
    return _name_panel(t("Rename workspace"), renaming, submit=t("Save"), name=workspace.name, key=_RENAME)


def _name_panel(title: str, on_submit: Action, *, submit: str, key: str, name: str = "") -> VdomDict:
    url = use_url_state()

    def close() -> None:
        url.set(open=None)

    return side_panel(
        title,
        form(
            text_field("name", t("Name of the workspace"), default=name, required=True, maxlength=100),
            on_submit=on_submit,
            model=WorkspaceForm,
            submit=submit,
            label=title,
            actions=[button(t("Cancel"), on_click=close)],
        ),
        close=t("Close"),
        on_close=close,
        key=key,
    )

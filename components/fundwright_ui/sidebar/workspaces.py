"""The switcher of workspaces in the head of the sidebar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import WorkspaceRole
from fundwright.core.messages import t
from fundwright.facts import service as facts
from fundwright.workspaces import service as workspaces
from fundwright.workspaces import support
from fundwright.workspaces.schemas import SupportedWorkspaceRead, WorkspaceRead
from fundwright_ui.extension import SidebarEntry
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import Connection, parse_id, use_actor, use_connection
from fundwright_ui.sidebar.entries import current_entry
from fundwright_ui.widgets import WorkspaceChoice, WorkspaceChosen, WorkspaceLink, WorkspaceMenu, WorkspaceSwitcher

_SETTINGS = "/dashboard/workspace"
_OTHERWISE = "/dashboard/train"
_MOST_WITHOUT_SEARCH = 7


@component
def workspace_switcher(entries: Sequence[SidebarEntry]) -> VdomDict:
    """The name of the workspace, which opens the menu of all workspaces. A choice loads the list page of the screen, one of `entries`,
    in that workspace as a new document, because everything on the page belongs to the other one."""
    connection, actor = use_connection(), use_actor()
    listed, set_listed = use_state(cast("_Listed | None", None))
    is_shared = actor.is_in_shared_workspace

    async def read_name() -> str:
        if not is_shared:
            return ""
        async with connection.reading() as session:
            return (await workspaces.get_workspace(session, actor)).name

    async def read_menu(session: AsyncSession) -> _Listed:
        return _Listed(await workspaces.list_workspaces(session, actor), await support.list_supported(session, actor))

    async def use(session: AsyncSession, chosen: WorkspaceChosen) -> str:
        """Return the query of the address: a workspace with support access is never the last used one."""
        id = parse_id(chosen.id, t("The workspace"))
        if id in {each.id for each in await support.list_supported(session, actor)}:
            return f"?w={id}"
        await workspaces.use_workspace(session, actor, id)
        return ""

    def load(query: str) -> None:
        connection.navigate(_list_page(connection, entries) + query, reload=True)

    topics = [workspaces.workspace_topic(actor.workspace_id)] if is_shared else []
    name = use_query(read_name, key=[actor.workspace_id], topics=topics, with_session=False).value or t("Personal")
    opening = use_action(read_menu, then=set_listed)
    choosing = use_action(use, then=load)
    label = t("Workspace")
    return WorkspaceSwitcher(
        label=label,
        name=name,
        menu=_menu(listed, connection) if listed is not None else None,
        on_open=opening,
        on_choose=choosing,
        fallback=[
            html.button(
                {
                    "type": "button",
                    "className": "fw-workspace",
                    "aria-label": f"{label}: {name}",
                    "aria-haspopup": "menu",
                    "title": name,
                },
                html.span({"className": "fw-workspace-mark", "aria-hidden": "true"}, name[:1]),
                html.span({"className": "fw-workspace-name"}, name),
            )
        ],
    )


class _Listed(NamedTuple):
    own: Sequence[WorkspaceRead]
    supported: Sequence[SupportedWorkspaceRead]


def _menu(listed: _Listed, connection: Connection) -> WorkspaceMenu:
    actor = use_actor()
    return WorkspaceMenu(
        choices=[
            WorkspaceChoice(id=str(each.id), name=each.title, role=each.role.label, is_current=each.id == actor.workspace_id)
            for each in listed.own
        ],
        links=[
            WorkspaceLink(label=t("New workspace"), href=connection.href(f"{_SETTINGS}?open=new")),
            WorkspaceLink(label=t("Workspace settings"), href=connection.href(_SETTINGS)),
            WorkspaceLink(label=t("Organization facts"), href=connection.href(facts.PATH)),
        ],
        support=[
            WorkspaceChoice(
                id=str(each.id), name=each.title, role=WorkspaceRole.VIEWER.label, is_current=each.id == actor.workspace_id
            )
            for each in listed.supported
        ],
        support_label=t("Support access"),
        search_label=t("Search workspaces") if len(listed.own) + len(listed.supported) > _MOST_WITHOUT_SEARCH else "",
        nothing=t("No workspaces match."),
    )


def _list_page(connection: Connection, entries: Sequence[SidebarEntry]) -> str:
    """The path of the open page, or of the list that it is a detail of."""
    location = connection.location
    if not location.params:
        return location.path
    above = current_entry(entries, location.path)
    return above.path if above is not None else _OTHERWISE

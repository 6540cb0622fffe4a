"""What people do with a saved search, at the list that it finds and in the list of all of them."""

from __future__ import annotations

from collections.abc import Callable

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import t
from fundwright.searches import service as searches
from fundwright.searches.schemas import MOST_CHARACTERS, SavedSearchName, SavedSearchRead
from fundwright_ui.hooks import use_action
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.screens.restoring import moved_message, undo_of
from fundwright_ui.screens.workspaces.restricting import who_can_see
from fundwright_ui.ui import button, menu, text_field
from fundwright_ui.widgets import form_dialog

_RENAME, _WHO = "rename", "who"


def _nothing() -> None:
    pass


@component
def follow_button(search: SavedSearchRead) -> VdomDict | None:
    """Follows the search, or no longer."""
    actor = use_actor()

    async def toggle(session: AsyncSession) -> None:
        await (searches.unfollow if search.is_followed else searches.follow)(session, actor, search.id)

    said = (
        t("You will no longer be notified of new matches.") if search.is_followed else t("You will be notified of new matches.")
    )
    toggling = use_action(toggle, success=said)
    if actor.is_support:
        return None
    return button(
        t("Unfollow") if search.is_followed else t("Follow"),
        size="small",
        variant="text",
        icon_name="notifications",
        aria_label=t("Unfollow {name}", name=search.name) if search.is_followed else t("Follow {name}", name=search.name),
        on_click=toggling,
        is_busy=toggling.is_running,
    )


@component
def more_actions(
    search: SavedSearchRead, *, then: Callable[[], object], restored: Callable[[], object] = _nothing
) -> VdomDict | None:
    """A menu of what those who may edit the search do. `then` is called after it was moved to the trash, and `restored` after Undo."""
    actor, connection = use_actor(), use_connection()
    opened, set_opened = use_state("")
    may_change = actor.may(Permission.WORK) and search.is_changeable

    def close() -> None:
        set_opened("")

    async def rename(session: AsyncSession, given: SavedSearchName) -> None:
        await searches.rename(session, actor, search.id, given)

    async def remove(session: AsyncSession) -> None:
        await searches.delete(session, actor, search.id, client=connection.client)

    renaming = use_action(rename, success=t("The saved search was renamed."), then=close)
    removing = use_action(remove, success=moved_message(search.name), undo=undo_of(connection, search.id, restored), then=then)
    menu_id = f"search-{search.id}"
    entries = [
        button(t("Rename"), variant="text", icon_name="edit", closes=menu_id, on_click=lambda: set_opened(_RENAME))
        if may_change
        else None,
        button(t("Who can see this"), variant="text", icon_name="lock", closes=menu_id, on_click=lambda: set_opened(_WHO))
        if actor.is_in_shared_workspace
        else None,
        button(t("Move to trash"), variant="text", icon_name="delete", closes=menu_id, danger=True, on_click=removing)
        if may_change
        else None,
    ]
    if not any(entries):
        return None
    return html.fragment(
        menu(t("More actions for {name}", name=search.name), *entries, id=menu_id, name="more"),
        form_dialog(
            t("Rename saved search"),
            text_field(
                "name",
                t("Name"),
                default=search.name,
                required=True,
                maxlength=MOST_CHARACTERS,
                autofocus=True,
                id=f"search-name-{search.id}",
            ),
            is_open=opened == _RENAME,
            on_submit=renaming,
            on_close=close,
            model=SavedSearchName,
        ),
        who_can_see(searches.SEARCH, search.id, may_change=may_change, is_open=opened == _WHO, close=close, key="who")
        if actor.is_in_shared_workspace
        else None,
    )

"""`/dashboard/trash`: what the person has moved to the trash in the last 30 days."""

from __future__ import annotations

from functools import partial

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.choices import unknown_values
from fundwright.core.errors import NotFound
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.trash import service as trash
from fundwright.trash.schemas import TrashQuery, TrashRead
from fundwright_ui.hooks import query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import (
    Listing,
    existing_page,
    has_filters,
    listed_table,
    narrow,
    open_beside,
    search_box,
    use_listing,
)
from fundwright_ui.ui import (
    Option,
    button,
    definition_list,
    empty,
    moment,
    page,
    row,
    select_field,
    side_panel,
)
from fundwright_ui.widgets import ActionCell, Chip, Column, Row, RowOpened, danger_dialog

_TRASH = "/dashboard/trash"


@screen(_TRASH, "Trash", help="/help/trash")
def trash_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(open=("{id}",))
    query = query_in_address(TrashQuery, url)

    async def read(session: AsyncSession) -> Page[TrashRead]:
        return await existing_page(partial(trash.list_trash, session, actor), query)

    listing = use_listing(
        read,
        query,
        lambda listed: listed,
        id=lambda item: item.id,
        key=[actor.id],
        topics=[trash.trash_topic(actor.workspace_id)],
    )
    kinds = {kind.name: kind for kind in trash.list_kinds(connection.core)}
    labels = {name: str(kind.label) for name, kind in kinds.items()}
    url.report(["kind"], unknown_values(query, kind=labels))

    async def restore(session: AsyncSession, row: RowOpened) -> TrashRead:
        item = next((each.item for each in listing.rows.shown if each.id == row.id), None)
        if item is None:
            raise NotFound(t("The item in the trash"))
        await trash.restore(session, actor, connection.core, item.id, client=connection.client)
        return item

    def restored(item: TrashRead) -> None:
        listing.rows.settle(item, t("Restored"))
        connection.toast(t("“{title}” was restored.", title=item.title))

    restoring = use_action(restore, then=restored)

    def action_of(item: TrashRead) -> ActionCell | str:
        can_restore = item.kind in kinds and actor.may(kinds[item.kind].permission)
        return ActionCell(label=t("Restore"), name=t("Restore {name}", name=item.title)) if can_restore else ""

    title, listed = t("Trash"), listing.answer
    if listed is None:
        return page(title, listing.pending(t("Loading the trash")))
    if not listed.total and not listing.rows.shown and not has_filters(query):
        return page(
            title,
            empty(
                t(
                    "The trash is empty. Documents, drafts, saved searches, and other items that you move here are kept for 30 days."
                ),
                icon_name="delete",
            ),
        )
    opened = listing.opened(url)
    return page(
        title,
        *listed_table(
            listing,
            listed,
            count=nt("{n} item", "{n} items", listed.total),
            label=title,
            columns=[
                Column(field="title", label=t("Title"), is_sortable=True, flex=2, min_width=150),
                Column(field="kind", label=t("Kind"), kind="chips", is_sortable=True, min_width=110),
                Column(
                    field="trashed_at",
                    label=t("Moved to trash"),
                    kind="datetime",
                    is_sortable=True,
                    is_compact=False,
                    min_width=190,
                ),
                Column(field="removed_at", label=t("Deletion date"), kind="date", is_sortable=True, min_width=130),
                Column(field="action", label=t("Action"), min_width=150, flex=0.4),
            ],
            row_of=lambda each: Row(
                id=each.id,
                cells={
                    "title": each.item.title,
                    "kind": (Chip(label=labels.get(each.item.kind, each.item.kind), color="secondary"),),
                    "trashed_at": each.item.trashed_at,
                    "removed_at": each.item.removed_at,
                    "action": each.outcome or action_of(each.item),
                },
            ),
            export="/api/trash/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search the trash"),
                select_field(
                    "kind",
                    t("Kind"),
                    [Option("", t("All")), *(Option(name, label) for name, label in labels.items())],
                    value=query.kind,
                    on_change=narrow(url, "kind"),
                    id="trash-kind",
                ),
            ),
            nothing=t("No items in the trash match. Change your search or remove the filter."),
            on_open=open_beside(url),
            on_action=restoring,
        ),
        _item(opened, labels, listing, key=f"item-{opened.id}") if opened else None,
        subtitle=t("Items in the trash are deleted forever after 30 days."),
        actions=[_empty_button(listing, key="empty")] if actor.may(Permission.LABEL) else [],
    )


@component
def _item(item: TrashRead, labels: dict[str, str], listing: Listing[Page[TrashRead], TrashRead]) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    is_asking, set_asking = use_state(False)
    kinds = {kind.name: kind for kind in trash.list_kinds(connection.core)}

    async def restore(session: AsyncSession) -> None:
        await trash.restore(session, actor, connection.core, item.id, client=connection.client)

    async def delete(session: AsyncSession) -> None:
        await trash.delete_forever(session, actor, connection.core, item.id, client=connection.client)

    def settle(outcome: str) -> None:
        listing.rows.settle(item, outcome)
        url.set(open=None)

    restoring = use_action(restore, success=t("“{title}” was restored.", title=item.title), then=lambda: settle(t("Restored")))
    deleting = use_action(
        delete, success=t("“{title}” was deleted forever.", title=item.title), then=lambda: settle(t("Deleted forever"))
    )
    return side_panel(
        item.title,
        definition_list(
            {
                t("Kind"): labels.get(item.kind, item.kind),
                t("Moved to trash"): moment(item.trashed_at),
                t("Deletion date"): moment(item.removed_at),
            }
        ),
        row(
            button(t("Restore"), variant="contained", icon_name="refresh", on_click=restoring, is_busy=restoring.is_running),
            button(t("Delete forever"), icon_name="delete", danger=True, on_click=lambda: set_asking(True)),
        )
        if item.kind in kinds and actor.may(kinds[item.kind].permission)
        else None,
        danger_dialog(
            t("Delete “{name}” forever?", name=item.title),
            t("This cannot be undone."),
            confirm_label=t("Delete forever"),
            error=deleting.error,
            on_confirm=deleting,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
        close=t("Close"),
        on_close=lambda: url.set(open=None),
        key=f"item-{item.id}",
    )


@component
def _empty_button(listing: Listing[Page[TrashRead], TrashRead]) -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    is_asking, set_asking = use_state(False)

    async def empty_trash(session: AsyncSession) -> None:
        await trash.empty(session, actor, connection.core, client=connection.client)

    def settle() -> None:
        set_asking(False)
        url.set(open=None)
        listing.load()

    emptying = use_action(empty_trash, success=t("The trash was emptied."), then=settle)
    return html.div(
        button(t("Empty trash"), icon_name="delete", danger=True, on_click=lambda: set_asking(True)),
        danger_dialog(
            t("Empty the trash?"),
            t("All items in it are deleted forever, including those on other pages of this list. This cannot be undone."),
            confirm_label=t("Empty trash"),
            error=emptying.error,
            on_confirm=emptying,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
    )

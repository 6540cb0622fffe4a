"""`/dashboard/train/collections`: the collections of a workspace's documents, and fields that choose one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.schemas import Permission
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright.training import collecting
from fundwright.training.schemas import CollectionForm, CollectionQuery, CollectionRead
from fundwright_ui.hooks import query_in_address, use_action, use_url_state
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import (
    Listing,
    existing_page,
    has_filters,
    listed_table,
    open_beside,
    search_box,
    use_listing,
)
from fundwright_ui.screens.restoring import moved_message, trash_link, undo_of
from fundwright_ui.screens.view_only import view_only_notice
from fundwright_ui.screens.workspaces.restricting import restriction_filter, who_can_see
from fundwright_ui.ui import (
    Option,
    button,
    definition_list,
    empty,
    form,
    link_button,
    menu,
    moment,
    page,
    row,
    side_panel,
    text_field,
)
from fundwright_ui.widgets import Chip, Column, Row, form_dialog

PATH = "/dashboard/train/collections"


def collection_options(collections: Sequence[CollectionRead], nothing: str) -> list[Option]:
    """The options of a choice of a collection: `nothing`, or one of them."""
    return [Option("", nothing), *(Option(str(each.id), each.name) for each in collections)]


@screen(PATH, "Collections", help="/help/training")
def collections_screen() -> VdomDict:
    actor, url = use_actor(), use_url_state(open=("new", "{id}"))
    query = query_in_address(CollectionQuery, url)

    async def read(session: AsyncSession) -> Page[CollectionRead]:
        return await existing_page(partial(collecting.list_collections, session, actor), query)

    listing = use_listing(
        read,
        query,
        lambda listed: listed,
        id=lambda collection: collection.id,
        key=[actor.id],
        topics=[collecting.documents_topic(actor.workspace_id)],
    )
    title, listed = t("Collections"), listing.answer
    if listed is None:
        return page(title, listing.pending(t("Loading collections")))
    may_work = actor.may(Permission.WORK)
    opened = listing.opened(url)
    is_empty = not listed.total and not listing.rows.shown and not has_filters(query)
    shown = (
        [
            empty(
                t("No collections yet. A collection groups documents, for example those of a client or a program."),
                icon_name="train",
            )
        ]
        if is_empty
        else listed_table(
            listing,
            listed,
            count=nt("{n} collection", "{n} collections", listed.total),
            label=title,
            columns=[
                Column(field="name", label=t("Name"), is_sortable=True, flex=3, min_width=160),
                Column(field="documents", label=t("Documents"), kind="number", is_sortable=True, min_width=120),
                Column(field="state", label=t("Visible to"), kind="chips", min_width=130),
                Column(field="created_by", label=t("Created by"), min_width=140),
                Column(field="created_at", label=t("Created"), kind="date", is_sortable=True, is_compact=False, min_width=130),
            ],
            row_of=lambda each: Row(
                id=each.id,
                cells={
                    "name": each.item.name,
                    "documents": each.item.documents,
                    "state": (Chip(label=each.outcome, color="secondary"),)
                    if each.outcome
                    else (Chip(label=t("Restricted"), color="secondary", is_locked=True),)
                    if each.item.access
                    else (Chip(label=t("Everyone"), color="secondary"),),
                    "created_by": each.item.created_by,
                    "created_at": each.item.created_at,
                },
            ),
            export="/api/training/collections/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search collections"),
                restriction_filter(id="collections-restricted") if actor.is_in_shared_workspace else None,
            ),
            nothing=t("No collections match. Change your search or remove the filter."),
            on_open=open_beside(url),
        )
    )
    return page(
        title,
        None if may_work else view_only_notice(),
        *shown,
        _collection(opened, listing, key=f"collection-{opened.id}") if opened else None,
        subtitle=t("Groups of documents for lists, questions, and drafts."),
        actions=[
            _new_collection(listing, key="new") if may_work else None,
            menu(
                t("More actions"),
                link_button(
                    t("Documents"), use_connection().href("/dashboard/train"), variant="text", size="small", icon_name="train"
                ),
                trash_link(collecting.COLLECTION, variant="text"),
                id="collections-actions",
            ),
        ],
    )


@component
def _new_collection(listing: Listing[Page[CollectionRead], CollectionRead]) -> VdomDict:
    actor, url = use_actor(), use_url_state()

    def close() -> None:
        url.set(open=None)

    async def create(session: AsyncSession, given: CollectionForm) -> None:
        await collecting.create(session, actor, given)

    def finish() -> None:
        close()
        listing.load()

    creating = use_action(create, success=t("The collection was created."), then=finish)
    return html.div(
        button(t("New collection"), variant="contained", icon_name="add", on_click=lambda: url.set(open="new")),
        form_dialog(
            t("New collection"),
            text_field("name", t("Name"), required=True, maxlength=80, id="new-collection"),
            is_open=url.get("open") == "new",  # in the address, so that a page that lost its connection restores it
            on_submit=creating,
            on_close=close,
            model=CollectionForm,
            submit=t("Create collection"),
        ),
    )


@component
def _collection(collection: CollectionRead, listing: Listing[Page[CollectionRead], CollectionRead]) -> VdomDict:
    """A collection beside the list, and what can be done with it."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    is_renaming, set_renaming = use_state(False)
    is_sharing, set_sharing = use_state(False)
    may_work = actor.may(Permission.WORK) and collection.is_changeable

    async def rename(session: AsyncSession, given: CollectionForm) -> None:
        await collecting.rename(session, actor, collection.id, given)

    async def remove(session: AsyncSession) -> None:
        await collecting.delete(session, actor, collection.id, client=connection.client)

    def close() -> None:
        url.set(open=None)

    def settle() -> None:
        listing.rows.settle(collection, t("Moved to trash"))
        close()

    def stop_renaming() -> None:
        set_renaming(False)
        listing.load()

    renaming = use_action(rename, success=t("The collection was renamed."), then=stop_renaming)
    removing = use_action(
        remove,
        success=moved_message(collection.name),
        undo=undo_of(connection, collection.id, lambda: listing.rows.reopen(str(collection.id))),
        then=settle,
    )
    dialog = who_can_see(
        collecting.COLLECTION, collection.id, may_change=may_work, is_open=is_sharing, close=lambda: set_sharing(False), key="who"
    )
    return side_panel(
        collection.name,
        form(
            text_field("name", t("New name"), default=collection.name, required=True, maxlength=80, id=f"name-{collection.id}"),
            on_submit=renaming,
            model=CollectionForm,
            submit=t("Rename"),
            is_secondary=True,
            actions=[button(t("Cancel"), variant="text", on_click=lambda: set_renaming(False))],
            label=t("Rename {title}", title=collection.name),
        )
        if is_renaming
        else None,
        definition_list(
            {
                t("Documents"): nt("{n} document", "{n} documents", collection.documents),
                t("Created by"): collection.created_by or t("Former member"),
                t("Created"): moment(collection.created_at),
                t("Visible to"): (t("Chosen members") if collection.access else t("Everyone in the workspace"))
                if actor.is_in_shared_workspace
                else None,
            }
        ),
        row(
            link_button(
                t("Show documents"),
                connection.href(f"/dashboard/train?collection={collection.id}"),
                size="small",
                icon_name="train",
            ),
            button(t("Who can see this"), icon_name="lock", size="small", on_click=lambda: set_sharing(True))
            if actor.is_in_shared_workspace
            else None,
            *(
                (
                    button(
                        t("Rename…"), icon_name="edit", size="small", on_click=lambda: set_renaming(True), disabled=is_renaming
                    ),
                    button(t("Move to trash"), icon_name="delete", size="small", on_click=removing),
                )
                if may_work
                else ()
            ),
        ),
        html.p(
            {"className": "fw-hint"},
            t("Documents stay when their collection is moved to the trash, and return to it when it is restored."),
        )
        if may_work
        else None,
        dialog if actor.is_in_shared_workspace else None,
        close=t("Close"),
        on_close=close,
        key=f"collection-{collection.id}",
    )


def found_collection(collections: Sequence[CollectionRead], id: UUID | None) -> CollectionRead | None:
    """The collection with this id, if the person sees it."""
    return next((each for each in collections if each.id == id), None)

"""`/dashboard/blog/list`: all posts in every state."""

from __future__ import annotations

from uuid import UUID

from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.content import service as content
from fundwright.content.schemas import PostQuery, PostRow, PostState
from fundwright.core.messages import nt, t
from fundwright.core.paging import Page
from fundwright_ui.hooks import Rows, query_in_address, use_action, use_url_state
from fundwright_ui.hooks.rows import Row as KeptRow
from fundwright_ui.product import use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.blog.blog import BLOG
from fundwright_ui.screens.listing import (
    choices,
    existing_page,
    has_filters,
    listed_table,
    narrow,
    open_beside,
    search_box,
    use_listing,
)
from fundwright_ui.ui import Color, button, card, chip, empty, link_button, page, row, select_field
from fundwright_ui.widgets import Chip, Column, Row, delete_dialog

BLOG_LIST = "/dashboard/blog/list"
_COLORS: dict[PostState, Color] = {
    PostState.DRAFT: "secondary",
    PostState.SCHEDULED: "info",
    PostState.PUBLISHED: "success",
}


def edit_path(post_id: UUID) -> str:
    return f"/dashboard/blog/{post_id}/edit"


def post_state_chip(state: PostState) -> VdomDict:
    return chip(state.label, color=_COLORS[state])


@screen(BLOG_LIST, "Blog posts", roles=roles_with(Permission.ADMINISTER), help="/help/blog")
def blog_list_screen() -> VdomDict:
    actor, connection, url = use_actor(), use_connection(), use_url_state(open=("{id}",))
    query = query_in_address(PostQuery, url)

    async def read(session: AsyncSession) -> Page[PostRow]:
        return await existing_page(lambda asked: content.list_posts(session, actor, asked), query)

    listing = use_listing(read, query, lambda listed: listed, id=lambda post: post.id, topics=[content.POSTS_TOPIC])
    posts, rows = listing.answer, listing.rows
    title = t("Blog posts")
    new_post = link_button(t("New post"), connection.href("/dashboard/blog/new-post"), variant="contained", icon_name="add")
    if posts is None:
        return page(title, listing.pending(t("Loading posts")), actions=[new_post])
    if not posts.total and not rows.shown and not has_filters(query):
        return page(title, empty(t("No posts yet. Write the first one."), icon_name="blog"), actions=[new_post])
    opened = listing.opened(url)
    return page(
        title,
        *listed_table(
            listing,
            posts,
            label=title,
            count=nt("{n} post", "{n} posts", posts.total),
            columns=[
                Column(field="title", label=t("Title"), is_sortable=True, flex=3, min_width=200),
                Column(field="state", label=t("Status"), kind="chips"),
                Column(field="published_at", label=t("Publication"), kind="datetime", is_sortable=True, min_width=190),
                Column(field="author", label=t("Author"), is_compact=False),
                Column(
                    field="changed_at", label=t("Changed"), kind="datetime", is_sortable=True, is_compact=False, min_width=190
                ),
            ],
            row_of=_row,
            export="/api/blog/posts/export.csv",
            narrow=search_box(
                url,
                query,
                t("Search posts"),
                select_field(
                    "state", t("Status"), choices(PostState, t("All")), value=query.state or "", on_change=narrow(url, "state")
                ),
            ),
            nothing=t("No posts match. Change your search or the status."),
            above=_opened(opened, rows, key=str(opened.id)) if opened else None,
            on_open=open_beside(url),
        ),
        actions=[new_post],
    )


def _row(shown: KeptRow[PostRow]) -> Row:
    post = shown.item
    chip = Chip(label=post.state.label, color=_COLORS[post.state])
    return Row(
        id=shown.id,
        cells={
            "title": post.title,
            "state": (Chip(label=shown.outcome, color="secondary") if shown.outcome else chip,),
            "published_at": post.published_at,
            "author": post.author,
            "changed_at": post.changed_at,
        },
    )


@component
def _opened(post: PostRow, rows: Rows[PostRow]) -> VdomDict:
    """Actions for the selected post."""
    actor, connection, url = use_actor(), use_connection(), use_url_state()
    is_asking, set_asking = use_state(False)

    async def delete(session: AsyncSession) -> None:
        await content.delete_post(session, actor, post.id, client=connection.client)

    def settle() -> None:
        rows.settle(post, t("Deleted"))
        url.set(open=None)

    deleting = use_action(delete, success=t("The post was deleted."), then=settle)
    return html.div(
        card(
            html.div(
                {"dir": "auto"},
                html.h2({"className": "fw-card-title"}, post.title),
                html.p({"className": "fw-card-subtitle"}, post.summary) if post.summary else None,
            ),
            row(
                post_state_chip(post.state),
                link_button(t("Edit"), connection.href(edit_path(post.id)), size="small", variant="soft"),
                link_button(t("View post"), connection.href(f"{BLOG}/{post.slug}"), size="small")
                if post.state == PostState.PUBLISHED
                else None,
                button(t("Delete"), icon_name="delete", size="small", danger=True, on_click=lambda: set_asking(True)),
                button(t("Close"), size="small", variant="text", on_click=lambda: url.set(open=None)),
            ),
            label=post.title,
        ),
        delete_dialog(
            t("Delete “{title}”?", title=post.title),
            t("The post will be permanently deleted. To keep the text, unpublish it instead."),
            on_confirm=deleting,
            error=deleting.error,
            on_cancel=lambda: set_asking(False),
        )
        if is_asking
        else None,
    )

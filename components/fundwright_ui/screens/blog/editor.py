"""`/dashboard/blog/new-post` and `/dashboard/blog/{id}/edit`: the editor for posts, with a preview."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BeforeValidator
from reactpy import component, html, use_state
from reactpy.types import VdomDict
from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts.permissions import roles_with
from fundwright.accounts.schemas import Permission
from fundwright.content import service as content
from fundwright.content.schemas import PostChange, PostContent, PostRead, PostState, PublishAt
from fundwright.core.messages import t
from fundwright_ui.hooks import use_action, use_query
from fundwright_ui.product import parse_id, use_actor, use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.blog.blog import BLOG
from fundwright_ui.screens.blog.blog_list import BLOG_LIST, edit_path, post_state_chip
from fundwright_ui.ui import (
    button,
    columns,
    empty,
    form,
    link_button,
    loading,
    moment,
    page,
    problem,
    row,
    section,
    text_area,
    text_field,
)
from fundwright_ui.widgets import MarkdownView

_DRAFT, _KEEP, _PUBLISH = "draft", "keep", "publish"


class PostForm(PostContent):
    """The submitted form: the post, the state that the edit started from, the button that was pressed, and the time of
    publication."""

    publication: Literal["draft", "keep", "publish"] = _DRAFT
    publish_at: Annotated[PublishAt | None, BeforeValidator(lambda text: text or None)] = None
    based_on: AwareDatetime | None = None


@screen("/dashboard/blog/new-post", "New post", roles=roles_with(Permission.ADMINISTER), help="/help/blog")
def new_post_screen() -> VdomDict:
    return page(t("New post"), _editor(None), actions=[_to_list()])


@screen("/dashboard/blog/{id}/edit", "Edit post", roles=roles_with(Permission.ADMINISTER), help="/help/blog")
def edit_post_screen() -> VdomDict:
    actor, connection = use_actor(), use_connection()
    id = connection.location.params["id"]

    async def read(session: AsyncSession) -> PostRead:
        return await content.get_post(session, actor, parse_id(id, t("The post")))

    found = use_query(read, key=[id], topics=[content.POSTS_TOPIC])
    if found.error:
        return page(t("Edit post"), problem(found.error, on_retry=found.reload), actions=[_to_list()])
    if found.value is None:
        return page(t("Edit post"), loading(t("Loading post")))
    post = found.value
    return page(t("Edit post"), _publication_status(post), _editor(post, key=str(post.id)), actions=[_to_list()])


def _to_list() -> VdomDict:
    return link_button(t("All posts"), use_connection().href_back(BLOG_LIST), icon_name="arrow_back")


def _publication_status(post: PostRead) -> VdomDict:
    """The state of a post with its date, and a link to it."""
    return row(
        post_state_chip(post.state),
        html.span({"className": "fw-muted fw-small"}, moment(post.published_at)) if post.published_at else None,
        link_button(t("View post"), use_connection().href(f"{BLOG}/{post.slug}"), size="small")
        if post.state == PostState.PUBLISHED
        else None,
    )


@component
def _editor(post: PostRead | None) -> VdomDict:
    actor, connection = use_actor(), use_connection()
    text, set_text = use_state(post.text if post else "")
    based_on, set_based_on = use_state(post.changed_at if post else None)

    async def save(session: AsyncSession, written: PostForm) -> PostRead:
        client = connection.client
        wanted = {"title": written.title, "summary": written.summary, "text": written.text}
        saved = (
            await content.change_post(session, actor, post.id, PostChange(based_on=written.based_on, **wanted), client=client)
            if post
            else await content.create_post(session, actor, PostContent(**wanted), client=client)
        )
        if written.publication == _PUBLISH or (written.publication == _KEEP and written.publish_at):
            return await content.publish_post(session, actor, saved.id, at=written.publish_at, client=client)
        if written.publication == _DRAFT and saved.state != PostState.DRAFT:
            return await content.withdraw_post(session, actor, saved.id, client=client)
        return saved

    def tell(saved: PostRead) -> None:
        set_based_on(saved.changed_at)
        connection.toast(
            {
                PostState.DRAFT: t("The draft was saved."),
                PostState.SCHEDULED: t("The post was saved and will be published as scheduled."),
                PostState.PUBLISHED: t("The post was saved and is public."),
            }[saved.state]
        )
        if post is None:
            connection.navigate(edit_path(saved.id), replace=True)

    saving = use_action(save, then=tell)
    return columns(
        form(
            text_field("title", t("Title"), default=post.title if post else None, required=True, maxlength=200),
            text_area(
                "summary",
                t("Summary"),
                default=post.summary if post else None,
                rows=2,
                maxlength=500,
                help=t("Shown in the list of posts and in the feed."),
            ),
            text_area(
                "text",
                t("Text"),
                default=post.text if post else None,
                rows=18,
                required=True,
                maxlength=100_000,
                help=t("Markdown: ## heading, **bold**, - list, [link](https://…). HTML and images are not shown."),
                on_change=set_text,
            ),
            _time_field(post),
            on_submit=saving,
            model=PostForm,
            label=t("Post"),
            based_on=based_on,
            actions=_buttons(post.state if post else PostState.DRAFT),
        ),
        section(
            t("Preview"),
            # Rendered only in the browser: rendering a long text here for each keystroke would slow down everyone.
            html.div({"className": "fw-card"}, MarkdownView(text=text, key="text"))
            if text.strip()
            else empty(t("Your text will appear here as readers will see it."), icon_name="visibility"),
        ),
    )


def _time_field(post: PostRead | None) -> VdomDict | None:
    state = post.state if post else PostState.DRAFT
    if state == PostState.PUBLISHED:
        return None
    return text_field(
        "publish_at",
        t("Publish at"),
        type="datetime-local",
        help=t("In your time zone. Leave empty to publish immediately.")
        if state == PostState.DRAFT
        else t("In your time zone. Leave empty to keep the scheduled time. To publish immediately, choose Publish."),
        key=f"publish_at:{post.published_at if post else None}",  # empty again after it was loaded
    )


def _buttons(state: PostState) -> list[VdomDict]:
    """The Enter key presses the first one."""

    def save(label: str, publication: str, *, main: bool = False) -> VdomDict:
        variant = "contained" if main else "outlined"
        return button(label, type="submit", name="publication", value=publication, variant=variant, key=publication)

    match state:
        case PostState.DRAFT:
            return [save(t("Save as draft"), _DRAFT), save(t("Publish"), _PUBLISH, main=True)]
        case PostState.SCHEDULED:
            return [
                save(t("Save"), _KEEP, main=True),
                save(t("Unpublish"), _DRAFT),
                save(t("Publish"), _PUBLISH),
            ]
        case PostState.PUBLISHED:
            return [save(t("Save"), _KEEP, main=True), save(t("Unpublish"), _DRAFT)]

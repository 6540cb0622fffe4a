"""`/blog` and `/blog/{slug}`: the public blog."""

from __future__ import annotations

from reactpy import html
from reactpy.types import VdomDict

from fundwright.content import service as content
from fundwright.content.schemas import BlogPage, PublishedPost
from fundwright.core.messages import t
from fundwright_ui.hooks import use_query, use_url_state
from fundwright_ui.product import use_connection
from fundwright_ui.runtime.router import screen
from fundwright_ui.screens.listing import export_button, pages
from fundwright_ui.screens.public.frame import public_frame
from fundwright_ui.ui import empty, link_button, loading, moment, problem, row, text_link
from fundwright_ui.widgets import markdown_view

BLOG = "/blog"
FEED = "/blog/rss.xml"


@screen(BLOG, "Blog", area="public", feed=FEED)
def blog_screen() -> VdomDict:
    connection, url = use_connection(), use_url_state()
    request = BlogPage(page=url.page)
    found = use_query(lambda session: content.list_published(session, request), key=[request], topics=[content.POSTS_TOPIC])
    if found.error:
        return public_frame(connection, html.h1(t("Blog")), problem(found.error, on_retry=found.reload))
    if found.value is None:
        return public_frame(connection, html.h1(t("Blog")), loading(t("Loading blog")))
    posts = found.value
    return public_frame(
        connection,
        html.h1(t("Blog")),
        html.div(
            {"className": "fw-stack"},
            *(_entry(post, connection.href(f"{BLOG}/{post.slug}"), key=post.slug) for post in posts.items),
        )
        if posts.items
        else empty(t("This page doesn't exist."), link_button(t("Newest posts"), connection.href(BLOG)), icon_name="blog")
        if posts.total
        else empty(t("No posts yet."), icon_name="blog"),
        pages(url, posts),
        row(
            text_link(t("RSS feed"), connection.href(FEED), new_tab=True),
            export_button(connection, "/api/blog/export.csv", posts.total),
        ),
    )


@screen("/blog/{slug}", "Blog", area="public", feed=FEED)
def blog_post_screen() -> VdomDict:
    connection = use_connection()
    slug = connection.location.params.get("slug", "")
    found = use_query(lambda session: content.get_published(session, slug), key=[slug], topics=[content.POSTS_TOPIC])
    back = text_link(t("All posts"), connection.href(BLOG))
    if found.error:
        return public_frame(connection, html.h1(t("Blog")), problem(found.error, on_retry=found.reload), back)
    if found.value is None:
        return public_frame(connection, html.h1(t("Blog")), loading(t("Loading post")))
    post = found.value
    connection.set_title(post.title)
    return public_frame(
        connection,
        html.article(
            {"className": "fw-post", "dir": "auto"},
            html.h1(post.title),
            _byline(post),
            html.p({"className": "fw-lead"}, post.summary) if post.summary else None,
            markdown_view(post.text, key="text"),
        ),
        back,
    )


def _entry(post: PublishedPost, href: str, *, key: str) -> VdomDict:
    return html.article(
        {"className": "fw-card", "dir": "auto", "key": key},
        html.h2({"className": "fw-card-title"}, text_link(post.title, href)),
        _byline(post),
        html.p(post.summary) if post.summary else None,
    )


def _byline(post: PublishedPost) -> VdomDict:
    return html.p({"className": "fw-muted fw-small"}, post.author, " · ", moment(post.published_at, shown="date"))

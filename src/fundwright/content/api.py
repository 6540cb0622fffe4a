"""Routes of content."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response, status

from fundwright.accounts.dependencies import CurrentActor, Export, RequestClient
from fundwright.accounts.permissions import require
from fundwright.accounts.schemas import Permission
from fundwright.content import service
from fundwright.content.feed import rss
from fundwright.content.schemas import (
    BlogPage,
    FeedbackChange,
    FeedbackQuery,
    FeedbackRead,
    FeedbackReceived,
    FeedbackSend,
    PostChange,
    PostContent,
    PostQuery,
    PostRead,
    PostRow,
    Publication,
    PublishedPost,
    PublishedPostRead,
)
from fundwright.core.paging import Page
from fundwright.core.web import CoreDep, CsvDownload, DbSession, csv_download

router = APIRouter(tags=["content"])


@router.get("/api/blog")
async def list_published(session: DbSession, request: Annotated[BlogPage, Query()]) -> Page[PublishedPost]:
    """List published posts, newest first."""
    return await service.list_published(session, request)


@router.get("/api/blog/export.csv", response_class=CsvDownload)
async def export_published(core: CoreDep, client: RequestClient, request: Annotated[BlogPage, Query()]) -> CsvDownload:
    """Export all published posts as CSV; `page` and `page_size` are ignored."""
    return csv_download(core, "blog.csv", lambda session: service.export_published(session, request), party=client.address)


@router.get("/blog/rss.xml", response_class=Response, responses={200: {"content": {"application/rss+xml": {}}}})
async def feed(session: DbSession, core: CoreDep) -> Response:
    """Return the newest posts as RSS 2.0."""
    newest = await service.list_published(session, BlogPage())
    return Response(rss(newest.items, address=core.settings.address), media_type="application/rss+xml")


@router.get("/api/blog/posts")
async def list_posts(session: DbSession, actor: CurrentActor, query: Annotated[PostQuery, Query()]) -> Page[PostRow]:
    """List posts of every state."""
    return await service.list_posts(session, actor, query)


@router.get("/api/blog/posts/export.csv", response_class=CsvDownload)
async def export_posts(export: Export, actor: CurrentActor, query: Annotated[PostQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("posts.csv", lambda session: service.export_posts(session, actor, query))


@router.post("/api/blog/posts", status_code=status.HTTP_201_CREATED)
async def create_post(session: DbSession, actor: CurrentActor, client: RequestClient, content: PostContent) -> PostRead:
    """Save a draft."""
    return await service.create_post(session, actor, content, client=client)


@router.get("/api/blog/posts/{post_id}")
async def get_post(session: DbSession, actor: CurrentActor, post_id: UUID) -> PostRead:
    return await service.get_post(session, actor, post_id)


@router.put("/api/blog/posts/{post_id}")
async def change_post(
    session: DbSession, actor: CurrentActor, client: RequestClient, post_id: UUID, content: PostChange
) -> PostRead:
    return await service.change_post(session, actor, post_id, content, client=client)


@router.delete("/api/blog/posts/{post_id}", status_code=status.HTTP_204_NO_CONTENT)
async def delete_post(session: DbSession, actor: CurrentActor, client: RequestClient, post_id: UUID) -> None:
    await service.delete_post(session, actor, post_id, client=client)


@router.put("/api/blog/posts/{post_id}/publication")
async def publish_post(
    session: DbSession, actor: CurrentActor, client: RequestClient, post_id: UUID, publication: Publication
) -> PostRead:
    """Publish a post now, or `at` a time in the future."""
    return await service.publish_post(session, actor, post_id, at=publication.at, client=client)


@router.delete("/api/blog/posts/{post_id}/publication")
async def withdraw_post(session: DbSession, actor: CurrentActor, client: RequestClient, post_id: UUID) -> PostRead:
    """Unpublish a post."""
    return await service.withdraw_post(session, actor, post_id, client=client)


@router.get("/api/blog/{slug}")
async def get_published(session: DbSession, slug: str) -> PublishedPostRead:
    return await service.get_published(session, slug)


@router.post("/api/feedback", status_code=status.HTTP_201_CREATED)
async def send_feedback(session: DbSession, actor: CurrentActor, sent: FeedbackSend) -> FeedbackReceived:
    """Send feedback to the team."""
    return await service.send_feedback(session, actor, sent)


@router.get("/api/feedback")
async def list_feedback(session: DbSession, actor: CurrentActor, query: Annotated[FeedbackQuery, Query()]) -> Page[FeedbackRead]:
    """List all feedback."""
    return await service.list_feedback(session, actor, query)


@router.get("/api/feedback/export.csv", response_class=CsvDownload)
async def export_feedback(export: Export, actor: CurrentActor, query: Annotated[FeedbackQuery, Query()]) -> CsvDownload:
    """Export the whole list as CSV; `page` and `page_size` are ignored."""
    require(actor, Permission.ADMINISTER)
    return export("feedback.csv", lambda session: service.export_feedback(session, actor, query))


@router.get("/api/feedback/{feedback_id}")
async def get_feedback(session: DbSession, actor: CurrentActor, feedback_id: UUID) -> FeedbackRead:
    return await service.get_feedback(session, actor, feedback_id)


@router.patch("/api/feedback/{feedback_id}")
async def change_feedback(
    session: DbSession, actor: CurrentActor, client: RequestClient, feedback_id: UUID, change: FeedbackChange
) -> FeedbackRead:
    """Change the state or the note of feedback."""
    return await service.change_feedback(session, actor, feedback_id, change, client=client)

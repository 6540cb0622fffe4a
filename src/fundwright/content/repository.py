"""All queries of content. Everyone reads published posts; drafts and feedback are for the team."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, defer

from fundwright.content.models import BlogPost, Feedback
from fundwright.content.schemas import FeedbackQuery, PostQuery, PostState
from fundwright.core.database import acquire_lock, now
from fundwright.core.lists import contains, count_all, ordered_by
from fundwright.core.paging import PageRequest

T = TypeVar("T")
Sorts = Mapping[str, InstrumentedAttribute[Any]]

_POST_SORTS: Sorts = {"title": BlogPost.title, "published_at": BlogPost.published_at, "changed_at": BlogPost.changed_at}
_FEEDBACK_SORTS: Sorts = {
    "created_at": Feedback.created_at,
    "kind": Feedback.kind,
    "state": Feedback.state,
    "sender": Feedback.sender,
}


# Blog


async def page_of_published(session: AsyncSession, request: PageRequest) -> tuple[list[BlogPost], int]:
    """Newest first."""
    found = _without_text().where(_is(PostState.PUBLISHED)).order_by(BlogPost.published_at.desc(), BlogPost.id)
    return await _page(session, found, request)


async def find_published(session: AsyncSession, slug: str) -> BlogPost | None:
    return await session.scalar(select(BlogPost).where(BlogPost.slug == slug, _is(PostState.PUBLISHED)))


async def page_of_posts(session: AsyncSession, query: PostQuery) -> tuple[list[BlogPost], int]:
    return await _page(session, _posts(query), query)


async def stream_posts(session: AsyncSession, query: PostQuery) -> AsyncIterator[BlogPost]:
    async for post in await session.stream_scalars(_posts(query)):
        yield post


async def find_post(session: AsyncSession, post_id: UUID, *, for_update: bool = False) -> BlogPost | None:
    return await session.get(BlogPost, post_id, with_for_update=for_update or None)


async def taken_slugs(session: AsyncSession, beginning: str, *, but_of: UUID | None) -> set[str]:
    """Slugs of other posts that start like this. Others who choose one wait until this transaction has ended."""
    await acquire_lock(session, "blog_post.slug")
    others = select(BlogPost.slug).where(BlogPost.slug.startswith(beginning), BlogPost.id.is_distinct_from(but_of))
    return set(await session.scalars(others))


async def posts_of(session: AsyncSession, author_id: UUID) -> Sequence[BlogPost]:
    """The account's posts, oldest first."""
    query = select(BlogPost).where(BlogPost.author_id == author_id).order_by(BlogPost.created_at, BlogPost.id)
    return (await session.scalars(query)).all()


def _posts(query: PostQuery) -> Select[BlogPost]:
    found = _without_text()
    if query.text:
        found = found.where(contains(query.text, BlogPost.title, BlogPost.summary))
    if query.state is not None:
        found = found.where(_is(query.state))
    return found.order_by(ordered_by(query, _POST_SORTS, default=BlogPost.changed_at.desc()), BlogPost.id)


def _without_text() -> Select[BlogPost]:
    return select(BlogPost).options(defer(BlogPost.text))


def _is(state: PostState) -> ColumnElement[bool]:
    match state:
        case PostState.DRAFT:
            return BlogPost.published_at.is_(None)
        case PostState.SCHEDULED:
            return BlogPost.published_at > now()
        case PostState.PUBLISHED:
            return BlogPost.published_at <= now()


# Feedback


async def page_of_feedback(session: AsyncSession, query: FeedbackQuery) -> tuple[list[Feedback], int]:
    return await _page(session, _feedback(query), query)


async def stream_feedback(session: AsyncSession, query: FeedbackQuery) -> AsyncIterator[Feedback]:
    async for entry in await session.stream_scalars(_feedback(query)):
        yield entry


async def find_feedback(session: AsyncSession, feedback_id: UUID) -> Feedback | None:
    return await session.get(Feedback, feedback_id)


async def count_feedback_since(session: AsyncSession, sender_id: UUID, since: datetime) -> int:
    return await count_all(session, select(Feedback.id).where(Feedback.sender_id == sender_id, Feedback.created_at > since))


async def feedback_of(session: AsyncSession, sender_id: UUID) -> Sequence[Feedback]:
    """What the account has sent, oldest first."""
    query = select(Feedback).where(Feedback.sender_id == sender_id).order_by(Feedback.created_at, Feedback.id)
    return (await session.scalars(query)).all()


def _feedback(query: FeedbackQuery) -> Select[Feedback]:
    found = select(Feedback)
    if query.kind is not None:
        found = found.where(Feedback.kind == query.kind)
    if query.state is not None:
        found = found.where(Feedback.state == query.state)
    if query.text:
        found = found.where(contains(query.text, Feedback.text, Feedback.note, Feedback.page, Feedback.sender))
    return found.order_by(ordered_by(query, _FEEDBACK_SORTS, default=Feedback.created_at.desc()), Feedback.id)


# Both


async def _page(session: AsyncSession, found: Select[T], request: PageRequest) -> tuple[list[T], int]:
    total = await count_all(session, found)
    return list(await session.scalars(found.offset(request.offset).limit(request.page_size))), total

"""Blog posts and feedback."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from itertools import chain, count
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from fundwright.accounts import audit
from fundwright.accounts.permissions import needs, require_confirmed
from fundwright.accounts.schemas import Actor, Client, Permission
from fundwright.content import repository
from fundwright.content.models import BlogPost, Feedback
from fundwright.content.schemas import (
    FeedbackChange,
    FeedbackQuery,
    FeedbackRead,
    FeedbackReceived,
    FeedbackSend,
    FeedbackState,
    PostChange,
    PostContent,
    PostQuery,
    PostRead,
    PostRow,
    PostState,
    PublishedPost,
    PublishedPostRead,
)
from fundwright.core.database import acquire_lock, now
from fundwright.core.errors import Conflict, FundwrightError, NotFound
from fundwright.core.live import publish
from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest, iterate_all
from fundwright.core.spreadsheets import csv_lines

POSTS_TOPIC = "blog"
"""Every change of a post."""
FEEDBACK_TOPIC = "feedback"
"""New feedback, and every change of its state."""

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_SLUG_LENGTH = 80
_FEEDBACK_PER_DAY = 20
_RESERVED = frozenset({"posts"})  # an address of the API


class PostNotFound(NotFound):
    def __init__(self) -> None:
        FundwrightError.__init__(self, t("This post doesn't exist. It may have been unpublished."))


class PostChangedMeanwhile(Conflict):
    def __init__(self) -> None:
        super().__init__(t("Someone else changed this post since you opened it. Copy your text, then reload the page."))


class FeedbackNotFound(NotFound):
    def __init__(self) -> None:
        FundwrightError.__init__(
            self, t("This feedback no longer exists because its sender's account was deleted. Go back to the list.")
        )


# What everyone reads


async def list_published(session: AsyncSession, request: PageRequest) -> Page[PublishedPost]:
    """Published posts, newest first."""
    posts, total = await repository.page_of_published(session, request)
    items = [PublishedPost.model_validate(post) for post in posts]
    return Page(items=items, total=total, page=request.page, page_size=request.page_size)


async def get_published(session: AsyncSession, slug: str) -> PublishedPostRead:
    """Raises PostNotFound, also before its time of publication."""
    post = await repository.find_published(session, slug) if _SLUG.fullmatch(slug) else None
    if post is None:
        raise PostNotFound
    return PublishedPostRead.model_validate(post)


def export_published(session: AsyncSession, request: PageRequest) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Address"), lambda post: post.slug),
            (t("Title"), lambda post: post.title),
            (t("Summary"), lambda post: post.summary),
            (t("Author"), lambda post: post.author),
            (t("Published"), lambda post: post.published_at),
        ],
        iterate_all(lambda page: list_published(session, page), request),
    )


# What authors do


@needs(Permission.ADMINISTER)
async def list_posts(session: AsyncSession, actor: Actor, query: PostQuery) -> Page[PostRow]:
    """Posts of every state, last changed first unless sorted otherwise."""
    posts, total = await repository.page_of_posts(session, query)
    items = [PostRow.model_validate(post) for post in posts]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
def export_posts(session: AsyncSession, actor: Actor, query: PostQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Address"), lambda post: post.slug),
            (t("Title"), lambda post: post.title),
            (t("Summary"), lambda post: post.summary),
            (t("Author"), lambda post: post.author),
            (t("Status"), lambda post: post.state),
            (t("Published"), lambda post: post.published_at),
            (t("Created"), lambda post: post.created_at),
            (t("Changed"), lambda post: post.changed_at),
        ],
        (PostRow.model_validate(post) async for post in repository.stream_posts(session, query)),
    )


@needs(Permission.ADMINISTER)
async def get_post(session: AsyncSession, actor: Actor, post_id: UUID) -> PostRead:
    """Raises PostNotFound."""
    return PostRead.model_validate(await _post(session, post_id))


@needs(Permission.ADMINISTER)
async def create_post(session: AsyncSession, actor: Actor, content: PostContent, *, client: Client) -> PostRead:
    """Save a draft with the actor's name as author. Its address follows from the title."""
    post = BlogPost(slug=await _free_slug(session, content.title), author_id=actor.id, author=actor.name, **content.model_dump())
    return await _keep(session, actor, post, "created", client)


@needs(Permission.ADMINISTER)
async def change_post(session: AsyncSession, actor: Actor, post_id: UUID, content: PostChange, *, client: Client) -> PostRead:
    """Change a post. Its address follows a new title until it is published. Raises PostNotFound or PostChangedMeanwhile."""
    post = await _post(session, post_id, for_update=True)
    if content.based_on is not None and content.based_on != post.changed_at:
        raise PostChangedMeanwhile
    if content.title != post.title and post.state != PostState.PUBLISHED:
        post.slug = await _free_slug(session, content.title, but_of=post.id)
    post.title, post.summary, post.text = content.title, content.summary, content.text
    return await _keep(session, actor, post, "changed", client)


@needs(Permission.ADMINISTER)
async def publish_post(
    session: AsyncSession, actor: Actor, post_id: UUID, *, client: Client, at: datetime | None = None
) -> PostRead:
    """Publish a post from `at` on, or now. Raises PostNotFound."""
    post = await _post(session, post_id)
    post.published_at = at or now()
    return await _keep(session, actor, post, "published", client)


@needs(Permission.ADMINISTER)
async def withdraw_post(session: AsyncSession, actor: Actor, post_id: UUID, *, client: Client) -> PostRead:
    """Unpublish a post, which becomes a draft. Raises PostNotFound."""
    post = await _post(session, post_id)
    post.published_at = None
    return await _keep(session, actor, post, "withdrawn", client)


@needs(Permission.ADMINISTER)
async def delete_post(session: AsyncSession, actor: Actor, post_id: UUID, *, client: Client) -> None:
    """Raises PostNotFound."""
    post = await _post(session, post_id)
    await session.delete(post)
    await _record(session, actor, post, "deleted", client)


def slug_of(title: str) -> str:
    """The part of the address that follows from a title: `Änderungen im März` gives `anderungen-im-marz`."""
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    return "-".join(re.findall("[a-z0-9]+", plain))[:_MAX_SLUG_LENGTH].rstrip("-") or "post"


# Feedback


class TooMuchFeedback(FundwrightError):
    status = 429

    def __init__(self) -> None:
        super().__init__(
            t(
                "You have reached the limit of {count} messages in 24 hours. Try again later, or contact the team another way.",
                count=_FEEDBACK_PER_DAY,
            )
        )


@needs(Permission.READ)
async def send_feedback(session: AsyncSession, actor: Actor, sent: FeedbackSend) -> FeedbackReceived:
    """Send feedback to the team. Raises TooMuchFeedback."""
    require_confirmed(actor)
    await acquire_lock(session, f"feedback:{actor.id}")  # two simultaneous requests must not both be the last one
    if await repository.count_feedback_since(session, actor.id, now() - timedelta(days=1)) >= _FEEDBACK_PER_DAY:
        raise TooMuchFeedback
    entry = Feedback(sender_id=actor.id, sender=actor.email, **sent.model_dump())
    session.add(entry)
    await session.flush()
    await publish(session, FEEDBACK_TOPIC)
    return FeedbackReceived.model_validate(entry)


@needs(Permission.ADMINISTER)
async def list_feedback(session: AsyncSession, actor: Actor, query: FeedbackQuery) -> Page[FeedbackRead]:
    """All feedback, newest first unless sorted otherwise."""
    entries, total = await repository.page_of_feedback(session, query)
    items = [FeedbackRead.model_validate(entry) for entry in entries]
    return Page(items=items, total=total, page=query.page, page_size=query.page_size)


@needs(Permission.ADMINISTER)
def export_feedback(session: AsyncSession, actor: Actor, query: FeedbackQuery) -> AsyncIterator[str]:
    """Yield the whole list as lines of CSV."""
    return csv_lines(
        [
            (t("Sent"), lambda entry: entry.created_at),
            (t("Kind"), lambda entry: entry.kind),
            (t("Status"), lambda entry: entry.state),
            (t("From"), lambda entry: entry.sender),
            (t("Page"), lambda entry: entry.page),
            (t("Text"), lambda entry: entry.text),
            (t("Note"), lambda entry: entry.note),
        ],
        (FeedbackRead.model_validate(entry) async for entry in repository.stream_feedback(session, query)),
    )


@needs(Permission.ADMINISTER)
async def get_feedback(session: AsyncSession, actor: Actor, feedback_id: UUID) -> FeedbackRead:
    """Raises FeedbackNotFound."""
    return FeedbackRead.model_validate(await _entry(session, feedback_id))


@needs(Permission.ADMINISTER)
async def change_feedback(
    session: AsyncSession, actor: Actor, feedback_id: UUID, change: FeedbackChange, *, client: Client
) -> FeedbackRead:
    """Change the state or the note of feedback. Raises FeedbackNotFound."""
    entry = await _entry(session, feedback_id)
    if change.state is not None:
        entry.state = change.state
    if change.note is not None:
        entry.note = change.note
    await audit.record(
        session, "feedback.changed", actor=actor, subject=str(entry.id), client=client, state=FeedbackState(entry.state)
    )
    await publish(session, FEEDBACK_TOPIC)
    return FeedbackRead.model_validate(entry)


async def _post(session: AsyncSession, post_id: UUID, *, for_update: bool = False) -> BlogPost:
    post = await repository.find_post(session, post_id, for_update=for_update)
    if post is None:
        raise PostNotFound
    return post


async def _entry(session: AsyncSession, feedback_id: UUID) -> Feedback:
    entry = await repository.find_feedback(session, feedback_id)
    if entry is None:
        raise FeedbackNotFound
    return entry


async def _free_slug(session: AsyncSession, title: str, *, but_of: UUID | None = None) -> str:
    wanted = slug_of(title)
    taken = _RESERVED | await repository.taken_slugs(session, wanted, but_of=but_of)
    numbered = (f"{wanted}-{number}" for number in count(2))
    return next(slug for slug in chain([wanted], numbered) if slug not in taken)


async def _keep(session: AsyncSession, actor: Actor, post: BlogPost, action: str, client: Client) -> PostRead:
    post.changed_at = now()
    session.add(post)
    await session.flush()
    await _record(session, actor, post, action, client)
    return PostRead.model_validate(post)


async def _record(session: AsyncSession, actor: Actor, post: BlogPost, action: str, client: Client) -> None:
    appears = post.published_at.isoformat() if post.published_at else ""
    await audit.record(
        session, f"blog_post.{action}", actor=actor, subject=post.title, client=client, slug=post.slug, published_at=appears
    )
    await publish(session, POSTS_TOPIC)

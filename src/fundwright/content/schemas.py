"""Types of content."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from fundwright.core.messages import t
from fundwright.core.paging import PageRequest

BLOG_STEP = 11
"""Posts on a page of the blog, as the specification defines."""

_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_FIRST_DAY, _LAST_DAY = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def _fit(value: Any) -> Any:
    """Without the characters that neither PostgreSQL nor XML can hold."""
    return _UNFIT.sub("", value) if isinstance(value, str) else value


def _require_plausible_year(at: datetime) -> datetime:
    if not _FIRST_DAY <= at < _LAST_DAY:
        raise ValueError(t("Choose a time between the years 2000 and 2099."))
    return at


_Fit = BeforeValidator(_fit)
PublishAt = Annotated[AwareDatetime, AfterValidator(_require_plausible_year)]


class PostState(StrEnum):
    DRAFT = "draft"
    SCHEDULED = "scheduled"
    PUBLISHED = "published"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            PostState.DRAFT: t("Draft"),
            PostState.SCHEDULED: t("Scheduled"),
            PostState.PUBLISHED: t("Published"),
        }[self]


class PublishedPost(BaseModel):
    """A post in the public list."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    slug: str
    title: str
    summary: str
    author: str
    published_at: datetime


class PublishedPostRead(PublishedPost):
    """A post as everyone reads it; `text` is Markdown."""

    text: str


class PostRow(BaseModel):
    """A post in the list of all posts."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    slug: str
    title: str
    summary: str
    author: str
    state: PostState
    published_at: datetime | None
    created_at: datetime
    changed_at: datetime


class PostRead(PostRow):
    """A post as its authors see it; `text` is Markdown."""

    text: str


class PostContent(BaseModel):
    """The content of a post."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), _Fit]
    summary: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500), _Fit] = ""
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100_000), _Fit]


class PostChange(PostContent):
    """A new version of a post. `based_on` is the `changed_at` value that the edit started from."""

    based_on: AwareDatetime | None = None
    """If the post has been changed since then, the call is refused, so that the other change is not overwritten."""


class Publication(BaseModel):
    """When a post appears; without `at` that is now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: PublishAt | None = None


class PostQuery(PageRequest):
    """Which posts to list: those with `text` in title or summary. Sorted by title, published_at, or changed_at."""

    sorts: ClassVar[tuple[str, ...]] = ("title", "published_at", "changed_at")

    text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), _Fit] = ""
    state: PostState | None = None


class BlogPage(PageRequest):
    """Which page of the public blog."""

    page_size: int = Field(default=BLOG_STEP, ge=1, le=100)


class FeedbackKind(StrEnum):
    PROBLEM = "problem"
    IDEA = "idea"
    PRAISE = "praise"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            FeedbackKind.PROBLEM: t("Problem"),
            FeedbackKind.IDEA: t("Idea"),
            FeedbackKind.PRAISE: t("Praise"),
        }[self]


class FeedbackState(StrEnum):
    NEW = "new"
    OPEN = "open"
    CLOSED = "closed"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {
            FeedbackState.NEW: t("New"),
            FeedbackState.OPEN: t("Open"),
            FeedbackState.CLOSED: t("Resolved"),
        }[self]


class FeedbackSend(BaseModel):
    """Feedback to send. `page` is the address that it is about, or empty."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: FeedbackKind = FeedbackKind.PROBLEM
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=5_000), _Fit]
    page: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500), _Fit] = ""


class FeedbackReceived(BaseModel):
    """Feedback as its sender sees it."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: UUID
    kind: FeedbackKind
    text: str
    page: str
    created_at: datetime


class FeedbackRead(FeedbackReceived):
    """Feedback as the team sees it; `sender` is an email address."""

    sender: str
    state: FeedbackState
    note: str


class FeedbackChange(BaseModel):
    """Fields to change; those left out stay as they are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: FeedbackState | None = None
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000), _Fit] | None = None


class FeedbackQuery(PageRequest):
    """Which feedback to list: with `text` in the message, note, page, or sender. Sorted by created_at, kind, state, or sender."""

    sorts: ClassVar[tuple[str, ...]] = ("created_at", "kind", "state", "sender")

    text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), _Fit] = ""
    kind: FeedbackKind | None = None
    state: FeedbackState | None = None

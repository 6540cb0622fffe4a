"""Comments as people see and write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from fundwright.core.messages import t
from fundwright.core.paging import Page, PageRequest
from fundwright.core.visible import fit_text, visible_line

MOST_CHARACTERS = 10_000
MOST_CHARACTERS_OF_GUESTS = 2_000
"""Characters of a comment of a guest."""
MOST_OF_NAME = 100
_ADDRESS = re.compile(r"://|www\.|@", re.IGNORECASE)
"""What makes a name an address, which programs turn into a link."""
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


def _fit(value: object) -> object:
    text = fit_text(value)
    return _BLANK_LINES.sub("\n\n", text) if isinstance(text, str) else text


def _visible(text: str) -> str:
    if not visible_line(text, most=MOST_CHARACTERS):
        raise ValueError(t("Write a comment first."))
    return text


def _visible_name(name: str) -> str:
    if not (line := visible_line(name, most=MOST_OF_NAME)):
        raise ValueError(t("Enter your name."))
    if _ADDRESS.search(line):
        raise ValueError(t("Enter a name without a web or email address."))
    return line


CommentText = Annotated[str, Field(max_length=MOST_CHARACTERS), AfterValidator(_visible), BeforeValidator(_fit)]
"""Plain text, which is shown as it is: HTML and Markdown have no effect."""


class CommentState(StrEnum):
    """Of a thread."""

    OPEN = "open"
    RESOLVED = "resolved"

    @property
    def label(self) -> str:
        """In the reader's language."""
        return {CommentState.OPEN: t("Open"), CommentState.RESOLVED: t("Resolved")}[self]


class Commented(BaseModel):
    """What people comment on. `path` is the page with its comments, and `parts` are the names of the parts that a thread can be
    about, such as sections."""

    model_config = ConfigDict(frozen=True)

    title: str
    path: str
    parts: Mapping[UUID, str] = Field(default_factory=dict)

    def path_of(self, comment_id: UUID) -> str:
        """The page with this comment."""
        return f"{self.path}{'&' if '?' in self.path else '?'}comment={comment_id}"


class Mention(BaseModel):
    """A member whom a comment mentions: `@` and `label` in its text stand for the account, whose name may have changed since then."""

    model_config = ConfigDict(frozen=True)

    account_id: UUID
    label: str
    name: str


class CommentRead(BaseModel):
    """A comment. `thread_id` is the id of the first comment of its thread, also for itself. A first comment that was deleted stays
    without text while it has replies. `part` is the name that the part had, and `state` is that of the thread. `share_id` is the share
    link through which a guest started the thread; guests with this link read the whole thread, and no other."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    thread_id: UUID
    part_id: UUID | None
    part: str
    author_id: UUID | None
    author: str
    is_guest: bool
    share_id: UUID | None
    text: str
    mentions: tuple[Mention, ...]
    created_at: datetime
    edited_at: datetime | None
    is_deleted: bool
    state: CommentState

    @property
    def is_first(self) -> bool:
        return self.id == self.thread_id

    @property
    def signature(self) -> str:
        """The author's name, which says whether it is a guest."""
        return t("{name} (guest)", name=self.author) if self.is_guest else self.author


class Thread(BaseModel):
    """A first comment and its latest `replies`, oldest first, out of `reply_count`. `resolved_by` is a name."""

    model_config = ConfigDict(frozen=True)

    first: CommentRead
    replies: tuple[CommentRead, ...]
    reply_count: int
    resolved_by: str


class Conversation(BaseModel):
    """Threads on a subject: those with this state, or all."""

    model_config = ConfigDict(frozen=True)

    subject: Commented
    state: CommentState | None
    threads: Page[Thread]
    may_comment: bool
    """Whether the reader may write comments on the subject."""


class CommentQuery(PageRequest):
    """Which comments on a subject to list, oldest first unless `sort` is created_at or edited_at: those of one thread, of threads with
    this state, or with `text`."""

    sorts: ClassVar[tuple[str, ...]] = ("created_at", "edited_at")

    subject_id: UUID
    thread_id: UUID | None = None
    state: CommentState | None = None
    text: str = Field(default="", max_length=200)


class ThreadQuery(PageRequest):
    """Which threads of a subject to list, newest first."""

    page_size: int = Field(default=20, ge=1, le=100)
    state: CommentState | None = CommentState.OPEN


class CommentChange(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    text: CommentText


class ReplyForm(CommentChange):
    """A comment to add. A `@` before the name of a member mentions that person. A repeated request with the same `key` and text adds
    no second comment."""

    key: str = Field(default="", max_length=64)


class GuestForm(ReplyForm):
    """What someone without an account adds through a share link: a reply in the thread `thread_id`, or a new thread."""

    text: Annotated[str, Field(max_length=MOST_CHARACTERS_OF_GUESTS), AfterValidator(_visible), BeforeValidator(_fit)]
    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=MOST_OF_NAME), AfterValidator(_visible_name)]
    thread_id: UUID | None = None
    part_id: UUID | None = None


class CommentForm(ReplyForm):
    """The first comment of a new thread."""

    subject_id: UUID
    part_id: UUID | None = None

"""Tables of content."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.content.schemas import FeedbackState, PostState
from fundwright.core.database import Base, now


class BlogPost(Base):
    """A post. Its state follows from `published_at` and the time, so that a scheduled one appears automatically."""

    __tablename__ = "blog_post"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    summary: Mapped[str]
    text: Mapped[str]
    author_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    author: Mapped[str]
    """The author's name, which outlives the account."""
    published_at: Mapped[datetime | None] = mapped_column(index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)

    @property
    def state(self) -> PostState:
        if self.published_at is None:
            return PostState.DRAFT
        return PostState.PUBLISHED if self.published_at <= now() else PostState.SCHEDULED


class Feedback(Base):
    """Feedback to the team. It is deleted with the account that sent it, because it contains its address."""

    __tablename__ = "feedback"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    sender_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), index=True)
    sender: Mapped[str]
    """The address of the account when it sent this."""
    kind: Mapped[str]
    text: Mapped[str]
    page: Mapped[str]
    state: Mapped[str] = mapped_column(default=FeedbackState.NEW)
    note: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)

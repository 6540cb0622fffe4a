"""The table of comments."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now


class Comment(Base):
    """A comment in a workspace. The first comment of a thread has its state; the others refer to it."""

    __tablename__ = "comment"
    __table_args__ = (
        Index("ix_comment_owner_id_subject_id", "owner_id", "subject_id"),
        ForeignKeyConstraint(
            ["share_id", "owner_id"],
            ["share_link.id", "share_link.owner_id"],
            name="fk_comment_share_id_share_link",
            ondelete="CASCADE",
        ),
        UniqueConstraint("id", "share_id"),
        ForeignKeyConstraint(
            ["thread_id", "share_id"],
            ["comment.id", "comment.share_id"],
            name="fk_comment_thread_id_share_id",
            ondelete="CASCADE",
        ),
        CheckConstraint("NOT is_guest OR share_id IS NOT NULL AND author_id IS NULL", name="guest"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    subject_kind: Mapped[str]
    subject_id: Mapped[UUID] = mapped_column(index=True)
    """What it is about. Its slice calls `forget_subjects` when it is deleted forever."""
    thread_id: Mapped[UUID | None] = mapped_column(ForeignKey("comment.id", ondelete="CASCADE"), index=True)
    """The first comment; None for itself."""
    part_id: Mapped[UUID | None]
    """The part of the subject that the thread is about, such as a section."""
    part: Mapped[str] = mapped_column(default="")
    """The name of that part, which may be deleted."""
    author_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    author: Mapped[str] = mapped_column(default="")
    """The author's name once the account is deleted, or the name that a guest entered."""
    share_id: Mapped[UUID | None] = mapped_column(index=True)
    """The share link through which a guest started the thread, in all comments of the thread. Guests see nothing else."""
    is_guest: Mapped[bool] = mapped_column(default=False)
    """Whether a guest wrote it."""
    text: Mapped[str]
    mentions: Mapped[dict[str, str]] = mapped_column(JSONB)
    """The ids of the accounts that it mentions, each with what stands for it after `@` in the text."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    edited_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    """When the first comment of a thread with replies was deleted. It then has no text."""
    resolved_at: Mapped[datetime | None]
    resolved_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)

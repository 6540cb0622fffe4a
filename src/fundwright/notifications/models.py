"""Tables of notifications. A row belongs to its recipient, whom alone row-level security shows it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now

_IS_UNREAD = text("is_listed AND read_at IS NULL")
_IS_WAITING = text("email <> 'off' AND emailed_at IS NULL AND read_at IS NULL")


class Notification(Base):
    """What one account is told. Its sentence is written when it is read, from the kind and this data.

    That of a workspace is deleted with the membership of the account.
    """

    __tablename__ = "notification"
    __table_args__ = (
        ForeignKeyConstraint(
            ["workspace_id", "account_id"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_notification_membership",
            ondelete="CASCADE",
        ),
        UniqueConstraint("account_id", "event", name="uq_notification_account_id_event"),
        Index("ix_notification_account_id_created_at", "account_id", "created_at"),
        Index("ix_notification_workspace_id_account_id", "workspace_id", "account_id"),
        Index("ix_notification_unread", "account_id", postgresql_where=_IS_UNREAD),
        Index("ix_notification_waiting", "account_id", postgresql_where=_IS_WAITING),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"))
    workspace_id: Mapped[UUID | None]
    kind: Mapped[str]
    actor_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    has_actor: Mapped[bool]
    """Whether a person did it, whose account may have been deleted since."""
    subject: Mapped[str]
    path: Mapped[str]
    details: Mapped[dict[str, str]] = mapped_column(JSONB)
    event: Mapped[str | None]
    """Names what happened, for what is told only once."""
    is_listed: Mapped[bool]
    """False if it is only sent by email."""
    email: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)
    read_at: Mapped[datetime | None]
    emailed_at: Mapped[datetime | None]


class NotificationChoice(Base):
    """How an account is told about one kind; without a row, as the kind suggests."""

    __tablename__ = "notification_choice"

    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    is_listed: Mapped[bool]
    email: Mapped[str]

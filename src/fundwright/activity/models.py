"""The table of activity."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Index, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now


class Activity(Base):
    """Something that happened in a workspace, with the last known title of its subject."""

    __tablename__ = "activity"
    __table_args__ = (
        Index("ix_activity_owner_id_at", "owner_id", "at"),
        Index("ix_activity_related_ids", "related_ids", postgresql_using="gin"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None for what a job did, and for accounts that have been deleted since."""
    kind: Mapped[str]
    subject_kind: Mapped[str]
    subject_id: Mapped[UUID] = mapped_column(index=True)
    subject_title: Mapped[str]
    path: Mapped[str]
    """Of the page that shows the subject; "" if there is none."""
    related_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid()), default=list, server_default="{}")
    """Other things whose activity this belongs to, such as the opportunity of a draft."""
    details: Mapped[dict[str, str]] = mapped_column(JSONB)
    """Values for the sentence, as `core.messages.to_stored` writes them."""
    times: Mapped[int] = mapped_column(default=1)
    """How often it happened, for entries that are combined."""
    at: Mapped[datetime] = mapped_column(default=now, index=True)
    """Of the last time."""

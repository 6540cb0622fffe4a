"""The table of notes."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.trash.models import Trashable, owned_or_trashed


class Note(Trashable, Base):
    """A lasting text of a workspace about an opportunity, which its members edit together."""

    __tablename__ = "note"
    __table_args__ = (owned_or_trashed(), Index("ix_note_owner_id_opportunity_id", "owner_id", "opportunity_id"))

    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    opportunity_id: Mapped[UUID | None] = mapped_column(ForeignKey("opportunity.id", ondelete="SET NULL"), index=True)
    """None once the opportunity is removed, such as a sample."""
    text: Mapped[str]
    is_pinned: Mapped[bool] = mapped_column(default=False)
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None once the account is deleted."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    """When someone last changed the text."""

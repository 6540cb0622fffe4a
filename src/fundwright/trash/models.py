"""The table of the trash, and what rows that can be in it have in common."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now


class TrashItem(Base):
    """An item in a workspace's trash. Its id is that of the row that is in the trash, which is deleted with it."""

    __tablename__ = "trash_item"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str]
    title: Mapped[str]
    trashed_at: Mapped[datetime] = mapped_column(default=now, index=True)


class Trashable:
    """A row that can be in the trash. There it has no owner, so that no query of a workspace's data finds it."""

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    trash_id: Mapped[UUID | None] = mapped_column(ForeignKey("trash_item.id", ondelete="CASCADE"), index=True)


def owned_or_trashed() -> CheckConstraint:
    """The constraint of every table with `Trashable` rows."""
    return CheckConstraint("num_nonnulls(owner_id, trash_id) = 1", name="owned_or_trashed")

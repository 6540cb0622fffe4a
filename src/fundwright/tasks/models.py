"""The table of tasks."""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.trash.models import Trashable, owned_or_trashed


class Task(Trashable, Base):
    """A task of a workspace. One of a draft is also an item contained in the draft, so that its restriction applies to the task."""

    __tablename__ = "task"
    __table_args__ = (
        owned_or_trashed(),
        ForeignKeyConstraint(
            ["owner_id", "assignee_id"],
            ["membership.workspace_id", "membership.account_id"],
            name="fk_task_owner_id_membership",
            ondelete="SET NULL (assignee_id)",
        ),
        Index("ix_task_owner_id_assignee_id", "owner_id", "assignee_id"),
        Index("ix_task_due_on", "due_on", postgresql_where=text("done_at IS NULL AND assignee_id IS NOT NULL")),
    )

    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    title: Mapped[str]
    details: Mapped[str] = mapped_column(default="")
    assignee_id: Mapped[UUID | None]
    """None again once the account is no longer a member."""
    due_on: Mapped[date | None]
    done_at: Mapped[datetime | None]
    done_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    opportunity_id: Mapped[UUID | None] = mapped_column(ForeignKey("opportunity.id", ondelete="SET NULL"), index=True)
    draft_id: Mapped[UUID | None] = mapped_column(ForeignKey("draft.id", ondelete="CASCADE"), index=True)
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None once the account is deleted."""
    created_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    """When someone last changed what people enter."""
    told_due: Mapped[bool] = mapped_column(default=False)
    """Whether the assignee knows that it is due tomorrow or earlier."""
    told_overdue: Mapped[bool] = mapped_column(default=False)
    """Whether the assignee knows that it is overdue."""

"""The table of the scores that members give."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now


class FitScore(Base):
    """The score that a member of a workspace gave an opportunity, beside the computed one."""

    __tablename__ = "fit_score"
    __table_args__ = (CheckConstraint("score BETWEEN 0 AND 100", name="score_in_range"),)

    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    opportunity_id: Mapped[UUID] = mapped_column(ForeignKey("opportunity.id", ondelete="CASCADE"), primary_key=True, index=True)
    score: Mapped[int]
    reason: Mapped[str]
    scored_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None once the account is deleted."""
    changed_at: Mapped[datetime] = mapped_column(default=now)

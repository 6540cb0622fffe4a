"""Tables of the pipeline."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now
from fundwright.trash.models import Trashable, owned_or_trashed


class Pursuit(Trashable, Base):
    """An opportunity that a workspace pursues. The facts of the notice are copied, because a pursuit can outlive it."""

    __tablename__ = "pursuit"
    __table_args__ = (
        owned_or_trashed(),
        UniqueConstraint("owner_id", "opportunity_id"),  # those in the trash have no owner
        Index("ix_pursuit_owner_id_stage", "owner_id", "stage"),
    )

    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"))
    opportunity_id: Mapped[UUID] = mapped_column(index=True)
    kind: Mapped[str]
    title: Mapped[str]
    number: Mapped[str]
    agency: Mapped[str]
    due_at: Mapped[datetime | None]
    stage: Mapped[str]
    stage_since: Mapped[datetime] = mapped_column(default=now)
    has_lead: Mapped[bool] = mapped_column(default=False)
    """True with a `lead_id` that is None: the lead's account has been deleted."""
    lead_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    probability: Mapped[int | None]
    """A person's estimate of the probability of winning, in percent."""
    value: Mapped[int | None] = mapped_column(BigInteger)
    """A person's estimate, in US dollars."""
    reason: Mapped[str] = mapped_column(default="")
    """Why it is in its stage."""
    added_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    """None once the account is deleted."""
    added_at: Mapped[datetime] = mapped_column(default=now)
    revision: Mapped[int] = mapped_column(default=1)
    """The number of changes, including its addition. A change names the revision that it is based on."""


class PursuitMove(Base):
    """When a pursuit came into a stage, and from which one; None for its first."""

    __tablename__ = "pursuit_move"
    __table_args__ = (Index("ix_pursuit_move_pursuit_id_at", "pursuit_id", "at"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    pursuit_id: Mapped[UUID] = mapped_column(ForeignKey("pursuit.id", ondelete="CASCADE"))
    from_stage: Mapped[str | None]
    to_stage: Mapped[str]
    reason: Mapped[str]
    """As it was given then."""
    moved_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"), index=True)
    at: Mapped[datetime] = mapped_column(default=now)

"""Tables of billing. Payments and the uses of premium links outlive the workspace; these also outlive the link."""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.billing.schemas import PaymentState
from fundwright.core.database import Base, now


class Plan(Base):
    __tablename__ = "plan"

    code: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    position: Mapped[int]
    price_cents: Mapped[int] = mapped_column(BigInteger)
    currency: Mapped[str]
    documents: Mapped[int | None]
    drafts: Mapped[int | None]
    imports: Mapped[int | None]
    workspaces: Mapped[int | None]


class Subscription(Base):
    """A period in which a workspace has a plan. At any moment, the one that began last applies."""

    __tablename__ = "subscription"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    plan: Mapped[str] = mapped_column(ForeignKey("plan.code"))
    since: Mapped[datetime] = mapped_column(default=now)
    until: Mapped[datetime | None]
    origin: Mapped[str]


class QuotaUse(Base):
    """How much of a monthly quota a workspace has used in the month that begins with `month`."""

    __tablename__ = "quota_use"

    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    quota: Mapped[str] = mapped_column(primary_key=True)
    month: Mapped[date] = mapped_column(primary_key=True)
    used: Mapped[int]


class Payment(Base):
    __tablename__ = "payment"
    __table_args__ = (CheckConstraint("(state = 'paid') = (paid_at IS NOT NULL)", name="paid_has_a_time"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    number: Mapped[str] = mapped_column(unique=True)
    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="SET NULL"), index=True)
    workspace_name: Mapped[str]
    """When it was created."""
    email: Mapped[str]
    text: Mapped[str]
    amount_cents: Mapped[int] = mapped_column(BigInteger)
    currency: Mapped[str]
    issued: Mapped[date]
    due: Mapped[date]
    state: Mapped[str] = mapped_column(default=PaymentState.OPEN)
    paid_at: Mapped[datetime | None]

    @property
    def workspace_id(self) -> UUID | None:
        return self.owner_id


class PremiumLink(Base):
    __tablename__ = "premium_link"
    __table_args__ = (CheckConstraint("used <= uses", name="used_at_most_uses"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    """The workspace in which it was created."""
    digest: Mapped[str] = mapped_column(unique=True)
    plan: Mapped[str] = mapped_column(ForeignKey("plan.code"))
    days: Mapped[int]
    uses: Mapped[int]
    used: Mapped[int] = mapped_column(default=0)
    expires_on: Mapped[date]
    note: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now)
    created_by: Mapped[str]
    """Email address of the administrator."""
    revoked_at: Mapped[datetime | None]


class PremiumLinkUse(Base):
    """A workspace received the plan of a premium link until then, unless its plan was changed since."""

    __tablename__ = "premium_link_use"
    __table_args__ = (UniqueConstraint("link_id", "owner_id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    link_id: Mapped[UUID | None] = mapped_column(ForeignKey("premium_link.id", ondelete="SET NULL"), index=True)
    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("workspace.id", ondelete="SET NULL"), index=True)
    workspace_name: Mapped[str]
    """When the link was redeemed."""
    email: Mapped[str]
    """Of the owner who redeemed it."""
    plan: Mapped[str] = mapped_column(ForeignKey("plan.code"))
    given_by: Mapped[str]
    """Email address of the administrator who created the link."""
    at: Mapped[datetime] = mapped_column(default=now)
    until: Mapped[datetime]

    @property
    def workspace_id(self) -> UUID | None:
        return self.owner_id

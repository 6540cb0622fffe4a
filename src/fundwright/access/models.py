"""Tables of access. Secrets are kept as digests."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from fundwright.core.database import Base, now


class Invitation(Base):
    """An address that may register with a role through a link."""

    __tablename__ = "invitation"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    email: Mapped[str]
    role: Mapped[str]
    digest: Mapped[str] = mapped_column(unique=True)
    invited_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id", ondelete="SET NULL"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
